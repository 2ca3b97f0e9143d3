// SPDX-License-Identifier: Apache-2.0
// What must not change the events of a model: the solver, its largest step, the beginning and the unit of time, the
// order of blocks, idle clocks, probes, the tier of native code. Over the examples and random hybrid diagrams.
#include <algorithm>
#include <filesystem>
#include <map>
#include <random>

#include "base/folders_for_tests.h"
#include "hybrid_runs.h"
#include "referee/random_hybrid.h"
#include "referee/referee.h"

namespace orrery::tests::metamorphic_test {
namespace {

// Everything runs at rtol 1e-9. How far a time may move, relative to the horizon, and a value.
constexpr double metamorphic_time_tolerance = 1e-6;
constexpr double metamorphic_value_tolerance = 1e-5;
constexpr int metamorphic_shards = 8;

struct Happening {
  double time = 0;  // from the start, in units of the diagram
  EventCause cause = EventCause::initial;
  std::string block;
};

struct Course {
  bool ended = false;
  std::string diagnostics;
  std::vector<Happening> events;
  std::map<std::string, double> last_values;
};

// Crossings are known by the events that their owners emit: the ledger also lists those in other directions. Ticks have
// no name: the clocks of a domain make one event, whichever of them comes first in the file.
Course course_of(const model::Model& model, const RunSetup& setup, const referee::TimeFrame& frame = {},
                 const std::string& left_out = "") {
  Course course;
  const HybridRun run = run_hybrid(model, setup);
  course.diagnostics = to_text(run.diagnostics);
  course.ended = run.compiled && !run.diagnostics.has_errors() && run.report.state != api::RunState::failed;
  for (const api::Event& entry : run.events) {
    if (entry.cause != EventCause::clock && entry.cause != EventCause::programmed) continue;
    const std::string& block = entry.block;
    if (!left_out.empty() && block == left_out) continue;
    course.events.push_back(
        {(entry.time - frame.start) / frame.unit, entry.cause, entry.cause == EventCause::clock ? "" : block});
  }
  for (std::size_t c = 0; c < run.recording.names.size() && run.recording.rows() > 0; ++c)
    course.last_values[run.recording.names[c]] = run.recording.value(run.recording.rows() - 1, c);
  return course;
}

std::string text_around(const Course& course, std::size_t i) {
  std::string text;
  for (std::size_t k = i < 3 ? 0 : i - 3; k < course.events.size() && k < i + 3; ++k)
    text += fmt::format("    {:.14g} {} {}\n", course.events[k].time, static_cast<int>(course.events[k].cause),
                        course.events[k].block);
  return text;
}

// Empty when both are the same to within the tolerances. Only what both have recorded is compared.
std::string difference(const Course& a, const Course& b, double horizon) {
  if (a.ended != b.ended) return "only one of them ends well\n" + a.diagnostics + b.diagnostics;
  for (std::size_t i = 0; i < std::max(a.events.size(), b.events.size()); ++i) {
    const bool both = i < a.events.size() && i < b.events.size();
    if (both && a.events[i].cause == b.events[i].cause && a.events[i].block == b.events[i].block &&
        std::abs(a.events[i].time - b.events[i].time) <= metamorphic_time_tolerance * horizon)
      continue;
    return fmt::format("event {}\n{}  and\n{}", i, text_around(a, i), text_around(b, i));
  }
  for (const auto& [name, value] : a.last_values) {
    const auto other = b.last_values.find(name);
    if (other == b.last_values.end()) continue;
    if (std::abs(value - other->second) > metamorphic_value_tolerance * std::max(1.0, std::abs(value)))
      return fmt::format("{}: {:.12g} and {:.12g}", name, value, other->second);
  }
  return {};
}

// Those that happen in one instant, or hardly apart, are put into the order of their names: a time that comes from a
// crossing has its error, and may lie on either side of another one.
Course in_order_of_names(Course course) {
  std::stable_sort(course.events.begin(), course.events.end(), [](const Happening& a, const Happening& b) {
    return std::abs(a.time - b.time) > 1e-9 ? a.time < b.time
                                            : std::pair(a.cause, a.block) < std::pair(b.cause, b.block);
  });
  return course;
}

void add_idle_clock(model::Model& model, double period) {
  model::BlockInstance clock, counter;
  clock.name = "idle_clock";
  clock.type = "EventClock";
  clock.parameters.push_back({"period", fmt::format("{}", period), 0});
  counter.name = "idle_counter";
  counter.type = "Counter";
  model.root.blocks.push_back(std::move(clock));
  model.root.blocks.push_back(std::move(counter));
  model::Link link;
  link.activation = true;
  link.from = {"idle_clock", 1};
  link.to.push_back({"idle_counter", 1});
  model.root.links.push_back(std::move(link));
}

class Metamorphic : public testing::TestWithParam<int> {
 protected:
  int count(int by_default) const {
    return from_environment("ORRERY_RANDOM_MODELS", by_default * metamorphic_shards) / metamorphic_shards;
  }

  // Calls `compare` with well-posed diagrams; what it gives is a failure.
  template <class F>
  void for_each_diagram(int diagrams, const referee::RandomChoices& choices, F compare) {
    int failures = 0, compared = 0;
    for (int k = 0; k < 2 * diagrams && compared < diagrams; ++k) {
      const int seed = from_environment("ORRERY_RANDOM_SEED", 5'000'000 + GetParam() * 100'000 + k);
      const auto diagram = referee::random_hybrid(static_cast<std::uint64_t>(seed), choices);
      const auto law = referee::judge(diagram);
      if (!law.doubt.empty()) continue;
      ++compared;
      const std::string differs = compare(diagram, law);
      if (differs.empty()) continue;
      if (++failures <= 5)
        ADD_FAILURE() << "seed " << seed << ": " << differs << model::write(referee::to_model(diagram));
    }
    if (failures > 0) fmt::print("{} of {} diagrams differ\n", failures, compared);
    EXPECT_EQ(failures, 0);
    EXPECT_GE(2 * compared, diagrams);
  }
  static RunSetup probes_of(const referee::Diagram& diagram) {
    RunSetup setup;
    for (const int probe : diagram.probes) setup.watch.push_back("/" + referee::name_of(diagram, probe));
    return setup;
  }
};

INSTANTIATE_TEST_SUITE_P(Seeds, Metamorphic, testing::Range(0, metamorphic_shards));

// Whether the run itself says that errors of its solver decide about an event: then it may differ from others.
bool is_told(const Course& course) { return course.diagnostics.find("crossing-not-determined") != std::string::npos; }

// Without coincidences: methods that are not exact for polynomials tear those apart, and an event that one of the two
// crossings causes may then come before the other one and prevent it. Where symmetries make them all the same, as of a
// ball's impact and of the integral over its flight, the run that differs says so.
TEST_P(Metamorphic, Solvers) {
  int told = 0, all_diagrams = 0;
  for_each_diagram(count(3), {.coincidences = false}, [&](const referee::Diagram& diagram, const referee::Outcome&) {
    model::Model model = referee::to_model(diagram);
    const Course dopri = course_of(model, probes_of(diagram));
    std::string all;
    bool any_told = is_told(dopri);
    for (const std::string& solver : variable_step_solvers()) {
      model.settings.solver.text = solver;
      const Course other = course_of(model, probes_of(diagram));
      any_told = any_told || is_told(other);
      const std::string differs = difference(dopri, other, diagram.stop);
      if (!differs.empty() && !is_told(dopri) && !is_told(other)) all += solver + ": " + differs + "\n";
    }
    ++all_diagrams;
    told += any_told ? 1 : 0;
    return all;
  });
  if (told > 0) fmt::print("{} of {} diagrams are not determined, and told\n", told, all_diagrams);
  EXPECT_LE(told, 1 + all_diagrams / 50);
}

TEST_P(Metamorphic, LargestSteps) {
  for_each_diagram(count(8), {}, [](const referee::Diagram& diagram, const referee::Outcome&) {
    model::Model model = referee::to_model(diagram);
    const Course first = in_order_of_names(course_of(model, probes_of(diagram)));
    std::string all;
    for (const double part : {0.1, 0.001, 0.0001}) {
      model.settings.hmax.text = fmt::format("{}", part * diagram.stop);
      const std::string differs =
          difference(first, in_order_of_names(course_of(model, probes_of(diagram))), diagram.stop);
      if (!differs.empty()) all += fmt::format("hmax {} of the horizon: {}\n", part, differs);
    }
    return all;
  });
}

// The least time between two instants with events, from the start to the end.
double least_gap(const Course& course, double stop) {
  double gap = stop, before = 0;
  for (const Happening& event : course.events) {
    if (event.time > before + 1e-9) gap = std::min(gap, event.time - before);
    before = event.time;
  }
  return std::min(gap, stop - before);
}

// With small fixed steps the same happens in the same order, each at the end of a step; where instants lie so far apart
// that delays of a few steps do not change their order. Without resets: a step that ends behind a crossing resets
// behind it, and may meet it again.
TEST_P(Metamorphic, FixedSteps) {
  constexpr double part = 1.0 / 16384, most_late = 1e-3;
  int compared = 0;
  for_each_diagram(count(4), {.resets = false, .sliding = false, .coincidences = false},
                   [&](const referee::Diagram& diagram, const referee::Outcome&) {
                     model::Model model = referee::to_model(diagram);
                     const Course first = in_order_of_names(course_of(model, probes_of(diagram)));
                     if (!first.ended || least_gap(first, diagram.stop) < 2 * most_late * diagram.stop)
                       return std::string();
                     ++compared;
                     model.settings.solver.text = "rk4";
                     model.settings.step.text = fmt::format("{}", part * diagram.stop);
                     const Course steps = in_order_of_names(course_of(model, probes_of(diagram)));
                     if (!steps.ended) return "it does not end well\n" + steps.diagnostics;
                     for (std::size_t i = 0; i < std::max(first.events.size(), steps.events.size()); ++i) {
                       const bool both = i < first.events.size() && i < steps.events.size();
                       if (both && first.events[i].cause == steps.events[i].cause &&
                           first.events[i].block == steps.events[i].block &&
                           std::abs(first.events[i].time - steps.events[i].time) <= most_late * diagram.stop)
                         continue;
                       return fmt::format("event {}\n{}  and\n{}", i, text_around(first, i), text_around(steps, i));
                     }
                     return std::string();
                   });
  EXPECT_GT(compared, 0);
}

TEST_P(Metamorphic, BeginningAndUnitOfTime) {
  for_each_diagram(count(13), {}, [](const referee::Diagram& diagram, const referee::Outcome&) {
    const Course first = in_order_of_names(course_of(referee::to_model(diagram), probes_of(diagram)));
    std::string all;
    for (const referee::TimeFrame frame : {referee::TimeFrame{8, 1}, {-2, 1}, {0, 1024}, {0, 0.0009765625}}) {
      const Course other = in_order_of_names(course_of(referee::to_model(diagram, frame), probes_of(diagram), frame));
      const std::string differs = difference(first, other, diagram.stop);
      if (!differs.empty()) all += fmt::format("start {}, unit {}: {}\n", frame.start, frame.unit, differs);
    }
    return all;
  });
}

// Without coincidences, or rather with none: the order of blocks decides between simultaneous events.
TEST_P(Metamorphic, OrderOfBlocks) {
  for_each_diagram(
      count(13), {.coincidences = false}, [](const referee::Diagram& diagram, const referee::Outcome& law) {
        for (std::size_t i = 1; i < law.events.size(); ++i) {
          const auto &a = law.events[i - 1], &b = law.events[i];
          const bool answer =
              a.what == referee::What::crossing && b.what == referee::What::programmed && a.block == b.block;
          if (std::abs(a.time - b.time) < 1e-9 && !answer) return std::string();
        }
        model::Model model = referee::to_model(diagram);
        const Course first = in_order_of_names(course_of(model, probes_of(diagram)));
        std::mt19937_64 random(diagram.blocks.size());
        std::shuffle(model.root.blocks.begin(), model.root.blocks.end(), random);
        return difference(first, in_order_of_names(course_of(model, probes_of(diagram))), diagram.stop);
      });
}

TEST_P(Metamorphic, IdleClocksAndProbes) {
  for_each_diagram(count(13), {}, [](const referee::Diagram& diagram, const referee::Outcome&) {
    model::Model model = referee::to_model(diagram);
    const Course first = course_of(model, probes_of(diagram));
    RunSetup all;
    all.watch = blocks_with_outputs(model);
    const std::string with_probes = difference(first, course_of(model, all), diagram.stop);
    add_idle_clock(model, 0.0377);
    const std::string with_clock =
        difference(first, course_of(model, probes_of(diagram), {}, "/idle_clock"), diagram.stop);
    return (with_probes.empty() ? "" : "probes: " + with_probes + "\n") +
           (with_clock.empty() ? "" : "clock: " + with_clock);
  });
}

TEST_P(Metamorphic, TiersOfNativeCode) {
  for_each_diagram(count(2), {}, [](const referee::Diagram& diagram, const referee::Outcome&) {
    const model::Model model = referee::to_model(diagram);
    RunSetup setup = probes_of(diagram);
    const HybridRun first = run_hybrid(model, setup);
    setup.native = api::NativeCode::second;
    const HybridRun second = run_hybrid(model, setup);
    return first_difference(first.events, second.events) + first_difference(first.recording, second.recording);
  });
}

std::vector<std::string> examples() {
  std::vector<std::string> files;
  for (const char* folder : {"", "/automata", "/numerics", "/oml"}) {
    for (const auto& entry :
         std::filesystem::directory_iterator(fmt::format("{}/examples{}", source_folder(), folder))) {
      if (entry.path().extension() == ".orr") files.push_back(entry.path().string());
    }
  }
  std::ranges::sort(files);
  return files;
}

class MetamorphicExamples : public testing::TestWithParam<std::string> {};

INSTANTIATE_TEST_SUITE_P(Files, MetamorphicExamples, testing::ValuesIn(examples()), [](const auto& instance) {
  const std::filesystem::path path = instance.param;
  return path.parent_path().filename().string() + "_" + path.stem().string();
});

// Each example with its own solver, a tenth of its largest step, an idle clock, and all its signals recorded. Those
// with events also with other solvers, where they can be solved by them.
TEST_P(MetamorphicExamples, KeepTheirEvents) {
  Diagnostics diagnostics;
  auto model = model::load(GetParam(), diagnostics);
  ASSERT_TRUE(model) << to_text(diagnostics);
  RunSetup setup;
  setup.watch = blocks_with_outputs(*model);
  model->settings.rtol.text = "1e-9";
  model->settings.atol.text = "1e-11";
  const HybridRun once = run_hybrid(*model, setup);
  if (!once.compiled || once.diagnostics.has_errors()) GTEST_SKIP() << to_text(once.diagnostics);
  const double horizon = once.report.time;
  const Course first = course_of(*model, setup);
  // Chaos and millions of periods leave no digits to compare.
  const std::string name = std::filesystem::path(GetParam()).stem().string();
  if (name == "lorenz" || name == "pleiades" || name == "arenstorf") GTEST_SKIP() << "chaotic";

  EXPECT_EQ(difference(first, course_of(*model, {}), horizon), "") << "without probes";
  if (!first.events.empty()) {
    const std::string own_solver = model->settings.solver.text, own_step = model->settings.hmax.text;
    model->settings.hmax.text = fmt::format("{}", horizon / 1000);
    EXPECT_EQ(difference(first, course_of(*model, setup), horizon), "") << "a tenth of the largest step";
    model->settings.hmax.text = own_step;
    for (const std::string& solver : variable_step_solvers()) {
      model->settings.solver.text = solver;
      const Course course = course_of(*model, setup);
      if (course.diagnostics.find("implicit") != std::string::npos) continue;
      EXPECT_EQ(difference(first, course, horizon), "") << solver;
    }
    model->settings.solver.text = own_solver;
  }
  add_idle_clock(*model, horizon / 37);
  EXPECT_EQ(difference(first, course_of(*model, setup, {}, "/idle_clock"), horizon), "") << "an idle clock";
}

}  // namespace
}  // namespace orrery::tests::metamorphic_test
