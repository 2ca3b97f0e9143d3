// SPDX-License-Identifier: Apache-2.0
// One table over the library (library_cases.h): every block with its defaults and with each of its choices. In
// continuous time, sampled and driven by events, both tiers give the same bits; exact derivatives agree with
// differences; empty, not-a-number, wrong-size and wrong-type parameters are refused at their place.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

#include "blocks/manual.h"
#include "inside.h"
#include "library_cases.h"
#include "passes/differentiate.h"
#include "program/evaluate.h"

namespace orrery::tests::library_test {
namespace {

using program::Environment;
using program::ExprId;
using program::Program;
using program::Scalar;
using program::SlotId;
using program::Type;

TEST(Library, EveryBlockIsACase) {
  api::OmlEvaluator evaluator;
  std::map<Way, int> count;
  for (const LibraryCase& c : library_cases()) {
    ++count[way_of(*c.type)];
    const Way way = way_of(*c.type);
    EXPECT_TRUE(way != Way::driven || ports_of(c, evaluator)) << c.name();
    EXPECT_TRUE(way != Way::example || example_of(c, evaluator)) << c.name();
  }
  EXPECT_GT(count[Way::driven], 300);
  EXPECT_LT(count[Way::elsewhere], 20);
}

enum class Activated { continuously, by_clock, by_events };

// All blocks in one model, driven port by port.
class Trial {
 public:
  explicit Trial(Activated activated) : activated_(activated) {
    source_ = d_.add(activated == Activated::by_events ? "EventClock" : "SampleClock", {{"period", "0.1"}});
    d_.model().settings.stop.text = "0.65";
    d_.model().settings.rtol.text = "1e-4";
  }

  void add(const LibraryCase& c) {
    const auto ports = ports_of(c, evaluator_);
    const std::string& type = c.type->name;
    const bool periodic = type == "SampledData" || type == "ReSampleClock";
    if (!ports || (periodic && activated_ != Activated::by_clock)) return;
    const std::string name = d_.add(type, c.given);
    int number = 0;
    for (const blocks::Port& port : ports->inputs) {
      ++number;
      d_.link(driver(usual_type(*c.type, port, number), number), 1, name, number);
    }
    const int links = activated_ == Activated::continuously ? 0 : ports->activation_inputs;
    for (int k = 1; k <= links; ++k) d_.event(source_, 1, name, k);
    if (ports->activation_outputs > 0) d_.event(name, 1, d_.add("Counter"), 1);
  }

  model::Model& model() { return d_.model(); }

 private:
  // A signal of this type; each port has a phase of its own, and points of tables ascend.
  const std::string& driver(Type type, int number) {
    std::string& known = drivers_[to_text(type) + std::to_string(number)];
    if (!known.empty()) return known;
    const std::string wave = d_.add(
        "SineWaveGenerator", {{"frequency", "9"}, {"amplitude", "1.7"}, {"phase", std::to_string(0.4 * number)}});
    std::string ramp = "[";
    for (int row = 0; row < type.rows; ++row) {
      for (int col = 0; col < type.cols; ++col)
        ramp += fmt::format(" {}", 2.5 * row + 4.5 * col + (row == col ? 0.5 : 0));
      ramp += ";";
    }
    const std::string sizes = d_.add("Constant", {{"value", ramp + "]"}});
    const std::string sum = d_.add("Sum");
    d_.link(wave, 1, sum, 1);
    d_.link(sizes, 1, sum, 2);
    known = sum;
    if (type.scalar != Scalar::f64) {
      known = d_.add("DataTypeConversion", {{"type", fmt::format("'{}'", name_of(type.scalar))}});
      d_.link(sum, 1, known, 1);
    }
    return known;
  }

  Activated activated_;
  DiagramBuilder d_;
  std::string source_;
  std::map<std::string, std::string> drivers_;
  api::OmlEvaluator evaluator_;
};

bool raises_errors(
    const LibraryCase& c) {  // an overflow, a quotient by zero: that may end the run, which is its business
  return std::any_of(c.given.begin(), c.given.end(),
                     [](const auto& given) { return given.second == "'error'" || given.second == "'fail'"; });
}

void expect_same_bits(const model::Model& model, const std::string& what) {
  SCOPED_TRACE(what);
  RunSetup setup;
  setup.watch = blocks_with_outputs(model);
  const ModelRun first = run_model(model, setup);
  ASSERT_TRUE(first.compiled) << to_text(first.diagnostics);
  EXPECT_NE(first.report.state, api::RunState::failed) << to_text(first.diagnostics);
  EXPECT_GT(first.recording.rows(), 1u);
  setup.native = api::NativeCode::second;
  const ModelRun second = run_model(model, setup);
  EXPECT_TRUE(second.report.second_tier);
  EXPECT_EQ(first_difference(first.recording, second.recording), "");
  EXPECT_EQ(first_difference(first.events, second.events), "");
}

// A palette is a model.
void expect_same_bits(Activated activated) {
  std::map<std::string, Trial> trials;
  for (const LibraryCase& c : library_cases()) {
    if (way_of(*c.type) == Way::driven && !raises_errors(c))
      trials.try_emplace(c.type->palette, activated).first->second.add(c);
  }
  for (auto& [palette, trial] : trials) expect_same_bits(trial.model(), palette);
}

TEST(Library, SameBitsInContinuousTime) { expect_same_bits(Activated::continuously); }
TEST(Library, SameBitsSampled) { expect_same_bits(Activated::by_clock); }
TEST(Library, SameBitsDrivenByEvents) { expect_same_bits(Activated::by_events); }

// Clocks of the machine, and noise that is not to be repeated.
const std::set<std::string> never_twice = {"RealTime", "Optimization"};

TEST(Library, SameBitsOfExamples) {
  api::OmlEvaluator evaluator;
  for (const LibraryCase& c : library_cases()) {
    if (way_of(*c.type) != Way::example || raises_errors(c) || never_twice.contains(c.type->name)) continue;
    auto model = example_of(c, evaluator);
    if (!model) continue;
    if (!c.given.empty()) {  // a choice may need other partners than those of the example: then it is refused there
      Diagnostics diagnostics;
      if (!compile_model(*model, {}, diagnostics)) {
        EXPECT_FALSE(diagnostics.all().front().place.block.empty()) << c.name() << "\n" << to_text(diagnostics);
        continue;
      }
    }
    expect_same_bits(*model, c.name());
  }
}

// The block with a state at each input; nothing: an input is not of doubles, or there is no output.
std::optional<DiagramBuilder> with_states(const LibraryCase& c, std::string& name, api::OmlEvaluator& evaluator) {
  const auto ports = ports_of(c, evaluator);
  if (!ports || ports->outputs == 0) return std::nullopt;
  DiagramBuilder d;
  name = d.add(c.type->name, c.given);
  if (c.type->activation != blocks::Activation::always) d.last_block().activation = model::Activation::always;
  int number = 0;
  for (const blocks::Port& port : ports->inputs) {
    ++number;
    const Type type = usual_type(*c.type, port, number);
    if (type.scalar != Scalar::f64) return std::nullopt;
    std::string x0 = "[";
    for (int row = 0; row < type.rows; ++row) {
      for (int col = 0; col < type.cols; ++col)
        x0 += fmt::format(" {}", 0.37 + 0.21 * number + 1.3 * row + 2.1 * col + (row == col ? 0.4 : 0));
      x0 += ";";
    }
    const std::string state = d.add("Integral", {{"x0", x0 + "]"}});
    d.link(d.add("Constant", {{"value", fmt::format("ones({},{})", type.rows, type.cols)}}), 1, state, 1);
    d.link(state, 1, name, number);
  }
  return d;
}

// A point of a Program: states as they start, and conditions as they are there, where they stay while the integrator
// steps.
class Point {
 public:
  explicit Point(const Program& program) : program_(program) {
    at_.slots.resize(program.slots.size());
    at_.time = 0.123;
    for (std::size_t s = 0; s < program.slots.size(); ++s) {
      const program::Slot& slot = program.slots[s];
      at_.slots[s].assign(static_cast<std::size_t>(slot.type.size()) * (slot.type.scalar == Scalar::c128 ? 2 : 1), 0);
      if (slot.initial != program::no_expr && program.graph.is_constant(slot.initial)) {
        const auto data = program.graph.constant_data(slot.initial);
        at_.slots[s].assign(data.begin(), data.end());
      }
    }
    for (const program::Assign& assign : program.start) at_.slots[assign.slot] = value(assign.value);
    // Conditions as they are here; some depend on others.
    for (int turn = 0; turn < 5; ++turn) {
      for (const program::Surface& surface : program.surfaces) {
        if (surface.mode == program::no_slot) continue;
        if (surface.settled != program::no_expr) {
          at_.slots[surface.mode] = value(surface.settled);
        } else {
          const double g = value(surface.value)[0];
          at_.slots[surface.mode] = {surface.strict ? g > 0 ? 1.0 : 0.0 : g >= 0 ? 1.0 : 0.0};
        }
      }
    }
  }
  std::vector<double> value(ExprId id) const { return evaluate(program_.graph, id, at_); }
  double& number(SlotId slot, std::size_t element) { return at_.slots[slot][element]; }

 private:
  const Program& program_;
  Environment at_;
};

bool reads_foreign(const Program& program, ExprId id) {
  const ExprId one[] = {id};
  for (const ExprId at : reachable(program.graph, one)) {
    const program::Op op = program.graph[at].op;
    if (op == program::Op::foreign || op == program::Op::past) return true;
  }
  return false;
}

// Central differences of order four; where two widths disagree the function is too rough for a judge.
double difference(Point& point, SlotId slot, std::size_t element, ExprId expression, std::size_t row, double h) {
  double& x = point.number(slot, element);
  const double middle = x;
  const auto at = [&](double dx) {
    x = middle + dx;
    return point.value(expression)[row];
  };
  const double slope = (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h);
  x = middle;
  return slope;
}

struct Tally {
  int blocks = 0, derivatives = 0, not_zero = 0;
};

void expect_exact(const std::string& what, Program& program, Tally& tally) {
  std::vector<passes::Variable> variables;
  for (const SlotId slot : program.states) variables.push_back({slot, program.slots[slot].type.size()});
  std::vector<ExprId> expressions = program.derivatives;
  for (const program::Assign& assign : program.always) {
    if (program.slots[assign.slot].type.scalar == Scalar::f64) expressions.push_back(assign.value);
  }
  passes::Gradients gradients(program.graph, variables);
  struct Found {
    ExprId expression;
    std::size_t row;
    std::vector<passes::Partial> partials;
  };
  std::vector<Found> found;
  for (const ExprId expression : expressions) {
    if (reads_foreign(program, expression)) continue;
    const auto rows = static_cast<std::size_t>(program.graph.type(expression).size());
    for (std::size_t row = 0; row < rows; ++row)
      found.push_back({expression, row, gradients.of(expression, static_cast<std::int64_t>(row))});
  }
  EXPECT_TRUE(gradients.complete()) << what;
  Point point(program);
  for (const Found& f : found) {
    std::size_t column = 0;
    for (const passes::Variable& variable : variables) {
      for (std::int64_t e = 0; e < variable.size; ++e, ++column) {
        double exact = 0;
        for (const passes::Partial& partial : f.partials) {
          if (partial.column == column) exact = point.value(partial.value)[0];
        }
        const auto element = static_cast<std::size_t>(e);
        const double wide = difference(point, variable.slot, element, f.expression, f.row, 2e-3);
        const double narrow = difference(point, variable.slot, element, f.expression, f.row, 1e-3);
        ++tally.derivatives;
        if (!std::isfinite(wide) || !std::isfinite(narrow)) continue;
        if (exact != 0) ++tally.not_zero;
        const double scale = 1 + std::fabs(narrow);
        if (std::fabs(wide - narrow) > 1e-6 * scale) continue;
        EXPECT_NEAR(exact, narrow, 1e-7 * scale + std::fabs(wide - narrow))
            << what << " element " << f.row << " by " << column;
      }
    }
  }
  ++tally.blocks;
}

// Of blocks that are not driven port by port, their examples have derivatives as well.
TEST(Library, DerivativesAreThoseOfDifferences) {
  Tally tally;
  api::OmlEvaluator evaluator;
  std::set<std::string> types;
  for (const LibraryCase& c : library_cases()) {
    std::optional<model::Model> model;
    RunSetup setup;
    if (way_of(*c.type) == Way::driven) {
      std::string name;
      auto d = with_states(c, name, evaluator);
      if (d) model = std::move(d->model());
      setup.watch = {"/" + name};
    } else if (way_of(*c.type) == Way::example) {
      model = example_of(c, evaluator);
    }
    if (!model) continue;
    Diagnostics diagnostics;
    auto program = program_of(*model, setup, diagnostics);
    if (!program) {  // what cannot be always active is none of continuous time
      for (const Diagnostic& diagnostic : diagnostics.all()) {
        if (way_of(*c.type) == Way::driven && diagnostic.severity == Severity::error &&
            diagnostic.code != "needs-periodic-activation" && diagnostic.code != "bad-parameter")
          ADD_FAILURE() << c.name() << ": " << to_text(diagnostic);
      }
      continue;
    }
    // The past and foreign code belong to a run, and here is none.
    const bool foreign = !program->graph.foreign_functions().empty() && way_of(*c.type) == Way::example;
    if (!program->histories.empty() || foreign) continue;
    types.insert(c.type->name);
    expect_exact(c.name(), *program, tally);
  }
  EXPECT_GT(types.size(), 90u);
  EXPECT_GT(tally.blocks, 250);
  EXPECT_GT(tally.not_zero, 200);
  RecordProperty("derivatives", tally.derivatives);
}

// For each parameter of each block an error at the block, or a model that compiles; never anything else.
TEST(Library, WrongParametersAreRefusedAtTheBlock) {
  api::OmlEvaluator evaluator;
  int refused = 0, cases = 0;
  for (const blocks::BlockType* type : blocks::library()) {
    const bool driven = way_of(*type) == Way::driven;
    for (const blocks::ParameterSpec& spec : type->parameters) {
      if (spec.verbatim || way_of(*type) == Way::elsewhere) continue;
      for (const char* wrong : {"[]", "nan", "ones(3,7)", "'no such thing'", "{1,'a'}", "2+3*i"}) {
        const DiagramBuilder::Texts given = {{spec.name, wrong}};
        std::optional<model::Model> model;
        DiagramBuilder d;
        if (driven) {
          d.add(type->name, given);
          model = std::move(d.model());
        } else {
          model = example_of({type, given}, evaluator);
        }
        if (!model) continue;
        Diagnostics diagnostics;
        const auto compiled = compile_model(*model, {}, diagnostics);
        ++cases;
        if (compiled) continue;
        ++refused;
        bool located = false;  // in an example, another block may be the first that cannot go on
        for (const Diagnostic& diagnostic : diagnostics.all()) {
          if (diagnostic.severity != Severity::error) continue;
          located |= driven ? diagnostic.place.block == "/" + type->name + "0" : !diagnostic.place.block.empty();
        }
        EXPECT_TRUE(located) << type->name << " " << spec.name << " = " << wrong << "\n" << to_text(diagnostics);
      }
    }
  }
  EXPECT_GT(refused, cases / 2);
}

}  // namespace
}  // namespace orrery::tests::library_test
