// SPDX-License-Identifier: Apache-2.0
// Whole models: the loop of Orrery against the same method in C and against Xcos.
#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "bench.h"
#include "diagrams.h"
#include "reference_models.h"

namespace orrery::bench {
namespace {

// What is looked at when a run is over, and how far it may be from the exact value.
struct Check {
  std::string variable;
  std::size_t element = 0;
  double exact = 0;
  double allowed = 0;
};

struct Case {
  std::string name;
  std::string diagram;
  reference_result (*reference)();
  Check check;
  std::optional<double> goal_c, goal_peer;
  bool same_method = true;  // as the C program: then the numbers of steps must agree
  std::vector<api::Setting> settings = {};
};

// Bounce n happens at T (2n - 1); the 10 001st is the last before the end.
double last_velocity() {
  const double g = 9.81, T = std::sqrt(20 / g), since = 28560 - 20001 * T;
  return g * T - g * since;
}

struct Outcome {
  double seconds = 0, value = 0;
  api::RunReport report;
};

Outcome run_once(const Compiled& compiled, const Check& check) {
  api::Run run = compiled.start();
  Outcome outcome;
  const double start = cpu_seconds();
  run.run();
  outcome.seconds = cpu_seconds() - start;
  outcome.value = run.values(check.variable).at(check.element);
  outcome.report = run.report();
  expect_no_errors(run.diagnostics());
  return outcome;
}

// Both must be right, and must have worked as much as the other.
Row measure(const Case& what, const Peers& peers) {
  const Compiled compiled = compile_diagram(what.diagram, what.settings, {what.check.variable});
  Outcome ours;
  reference_result theirs{};
  const auto seconds = medians({[&] {
                                  ours = run_once(compiled, what.check);
                                  return ours.seconds;
                                },
                                [&] {
                                  const double start = cpu_seconds();
                                  theirs = what.reference();
                                  return cpu_seconds() - start;
                                }});
  Row row{.name = what.name,
          .unit = "s",
          .orrery = seconds[0],
          .c = seconds[1],
          .goal_c = what.goal_c,
          .goal_peer = what.goal_peer};
  if (const auto peer = peers.find(what.name); peer != peers.end()) row.peer = peer->second;
  const double error = std::abs(ours.value - what.check.exact), error_c = std::abs(theirs.value - what.check.exact);
  const long steps = ours.report.steps;
  row.result = fmt::format("error {:.1e} (C {:.1e})", error, error_c);
  if (theirs.steps > 0) row.result += fmt::format(", {} steps (C {})", steps, theirs.steps);
  row.correct = error <= what.check.allowed && error_c <= what.check.allowed &&
                (!what.same_method ||
                 std::abs(static_cast<double>(steps - theirs.steps)) <= 0.02 * static_cast<double>(theirs.steps)) &&
                ours.report.second_tier;
  return row;
}

// c2 counts in twenty blocks; the sum is what must be right.
Row measure_c2(const char* name, reference_result (*reference)(), std::optional<double> goal, const Peers& peers) {
  Row row = measure({name, diagram_c2(), reference, {"/x0.x", 0, 0, INFINITY}, goal, 10.0}, peers);
  api::Run run = compile_diagram(diagram_c2()).start();
  run.run();
  double total = 0;
  for (int i = 0; i < 20; ++i) total += run.value(fmt::format("/count{}.n", i));
  const double counted_in_c = reference().value;
  row.correct = row.correct && total == 13050 && counted_in_c == 13050;
  row.result =
      fmt::format("{:.0f} events (C {:.0f}){}", total, counted_in_c, row.result.substr(row.result.find("),") + 1));
  return row;
}

// An idle clock must not cost steps.
Row measure_idle(const char* name, const std::string& with, const std::string& without, const std::string& state) {
  const Check check{state, 0, 0, 0};
  const Compiled busy = compile_diagram(with, {}, {state}), plain = compile_diagram(without, {}, {state});
  Outcome a, b;
  const auto seconds = medians(
      {[&] { return (a = run_once(busy, check)).seconds; }, [&] { return (b = run_once(plain, check)).seconds; }});
  Row row{.name = name, .unit = "x", .orrery = seconds[0] / seconds[1]};
  row.correct = a.report.steps == b.report.steps;
  row.result = fmt::format("{} steps, {} without the clock", a.report.steps, b.report.steps);
  return row;
}

Row per_unit(const Row& whole, const char* name, const char* unit, double count, double scale,
             std::optional<double> goal) {
  Row row{.name = name, .unit = unit, .goal = goal, .correct = whole.correct};
  row.orrery = *whole.orrery / count * scale;
  row.c = *whole.c / count * scale;
  return row;
}

reference_result lorenz_in_c() { return reference_lorenz(1000, 1e-6, 1e-9); }
reference_result sampled_in_c() { return reference_sampled(100); }

}  // namespace

std::vector<Row> model_rows(const Peers& peers) {
  const double lag = (std::sin(100.0) - 0.1 * std::cos(100.0)) / 1.01;
  const double stages = std::pow(0.999, 99);
  print_heading("Models: CPU time of the loop");
  std::vector<Row> rows;
  const auto add = [&rows](Row row) {
    print(row);
    rows.push_back(std::move(row));
  };
  add(measure({"a1", diagram_a1(), reference_a1, {"/lag0.x", 0, lag / 10, 1e-5}, 1.2, 10}, peers));
  add(measure({"a2", diagram_a2(), reference_a2, {"/lag0.x", 0, lag, 1e-5}, 1.2, 1}, peers));
  // Chaotic: that it stays on the attractor is all that can be said.
  const Check attractor{"/x.x", 0, 0, 25};
  add(measure({"a3", diagram_a3(), reference_a3, attractor, {}, 10, false, {{"solver", "auto"}}}, peers));
  add(measure({"a3 with dopri", diagram_a3(), reference_a3, attractor, 1.2, {}}, {}));
  add(measure({"b1", diagram_b1(), reference_b1, {"/delay99.z", 0, stages, 1e-14}, 1.5, 10}, peers));
  add(measure({"b2", diagram_b2(), reference_b2, {"/delay99.z", 0, stages, 1e-14}, 1.5, 10}, peers));
  // The delay shows 1 000 000 at the last tick and then takes in one more.
  add(measure({"b3", diagram_b3(), reference_b3, {"/count.z", 0, 1000001, 0}, 1.5, 1}, peers));
  const Row c1 = measure({"c1", diagram_c1(), reference_c1, {"/ball.x", 1, last_velocity(), 1e-4}, {}, 1}, peers);
  add(c1);
  const Row c2 = measure_c2("c2", reference_c2, {}, peers);
  add(c2);
  add(measure_c2("c2, C looks into steps too", reference_c2_looking, 1.3, {}));
  print_heading("Steps and events");
  add(measure_idle("a1 with / without idle clock", diagram_a1(), diagram_a1(false), "/lag0.x"));
  add(measure_idle("a3 with / without idle clock", diagram_a3(), diagram_a3(false), "/x.x"));
  const Row dp5 = measure(
      {"Lorenz", diagram_a3(false), lorenz_in_c, attractor, 1.2, {}, true, {{"rtol", "1e-6"}, {"atol", "1e-9"}}}, {});
  Row step = per_unit(dp5, "DP5 step, 3 states", "ns", static_cast<double>(lorenz_in_c().steps), 1e9, {});
  step.goal_c = 1.2;
  add(step);
  const double exact = sampled_in_c().value;
  const Row sampled = measure({"sampled", diagram_sampled(100), sampled_in_c, {"/x.x", 0, exact, 1e-9}, {}, {}}, {});
  // Most of an event of c2 are the two steps of 40 states around it, so only the ratio to C says something there.
  for (Row event : {per_unit(sampled, "sampled event, 1 kHz controller", "us", 1e5, 1e6, 0.2),
                    per_unit(c1, "state event, c1 bounce", "us", 10001, 1e6, 2),
                    per_unit(c2, "state event, c2 crossing", "us", 13050, 1e6, {})}) {
    event.goal_c = 1.5;
    add(event);
  }
  return rows;
}

}  // namespace orrery::bench
