// SPDX-License-Identifier: Apache-2.0
// Exact derivatives of every block, with its defaults and each choice, against differences of the block's own value:
// inputs are states, so that the derivatives of all outputs and rates by them are there; conditions stay as they are at
// the point, as they do while the integrator steps.
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "blocks/manual.h"
#include "diagram_builder.h"
#include "inside.h"
#include "passes/differentiate.h"
#include "program/evaluate.h"

namespace orrery::tests::library_derivatives_test {
namespace {

using program::Environment;
using program::ExprId;
using program::Program;
using program::Scalar;
using program::SlotId;
using program::SlotKind;

// Their ports cannot all be driven by states, or they compute nothing of them.
const std::set<std::string> apart = {"Constraint",       "Invariant",    "InitialEquation",    "ImplicitDerivative",
                                     "LoopBreaker",      "Automaton",    "Assertion",          "Message",
                                     "RepeatActivation", "End",          "EventVariableDelay", "EventDelayedChannel",
                                     "FixedDelay",       "VariableDelay"};
const std::set<std::string> palettes_apart = {"Ports",           "CoSimulation",    "CustomBlocks", "BusOperations",
                                              "SignalImporters", "SignalExporters", "SignalViewers"};

int rows_of(const std::string& type, int port) {
  if (type == "CrossProduct") return 3;
  if (type == "LookupTable_port") return port > 1 ? 3 : 1;
  if (type == "LookupTable2D_port") return port > 2 ? (port == 4 ? 2 : 3) : 1;
  return 1;
}

// The block with a state at each input; nothing: an input is not of doubles, or there is no output.
std::optional<DiagramBuilder> driven(const blocks::BlockType& type, const DiagramBuilder::Texts& given,
                                     std::string& name, api::OmlEvaluator& evaluator) {
  std::vector<program::Value> values;
  for (const blocks::ParameterSpec& spec : type.parameters) {
    std::string text = spec.value;
    for (const auto& [parameter, value] : given) {
      if (parameter == spec.name) text = value;
    }
    Diagnostics ignored;
    auto value = spec.verbatim ? program::Value::string(text) : evaluator.evaluate(text, {}, ignored);
    if (!value) return std::nullopt;
    values.push_back(*value);
  }
  const blocks::Parameters parameters(&type, values);
  blocks::Ports ports(parameters);
  type.ports(ports);
  if (ports.output_count() == 0) return std::nullopt;
  DiagramBuilder d;
  name = d.add(type.name, given);
  if (type.activation != blocks::Activation::always) d.last_block().activation = model::Activation::always;
  int number = 0;
  for (const blocks::Port& port : ports.inputs()) {
    ++number;
    if (port.type >= 0 && static_cast<Scalar>(port.type) != Scalar::f64) return std::nullopt;
    const int rows = port.rows > 0 ? port.rows : rows_of(type.name, number);
    const int cols = port.cols > 0 ? port.cols : type.name == "LookupTable2D_port" && number == 5 ? 2 : 1;
    std::string x0 = "[";
    for (int row = 0; row < rows; ++row) {
      for (int col = 0; col < cols; ++col)
        x0 += fmt::format(" {}", 0.37 + 0.21 * number + 1.3 * row + 2.1 * col + (row == col ? 0.4 : 0));
      x0 += ";";
    }
    const std::string state = d.add("Integral", {{"x0", x0 + "]"}});
    d.link(d.add("Constant", {{"value", fmt::format("ones({},{})", rows, cols)}}), 1, state, 1);
    d.link(state, 1, name, number);
  }
  return d;
}

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

TEST(LibraryDerivatives, AreThoseOfDifferences) {
  Tally tally;
  api::OmlEvaluator evaluator;
  std::set<std::string> types;
  const auto check = [&](const blocks::BlockType& type, const DiagramBuilder::Texts& given) {
    std::string name, what = type.name;
    for (const auto& [parameter, value] : given) what += " " + parameter + "=" + value;
    auto d = driven(type, given, name, evaluator);
    if (!d) return;
    RunSetup setup;
    setup.watch = {"/" + name};
    Diagnostics diagnostics;
    auto program = program_of(d->model(), setup, diagnostics);
    if (!program) {  // what cannot be always active is none of continuous time
      for (const Diagnostic& diagnostic : diagnostics.all()) {
        if (diagnostic.severity == Severity::error && diagnostic.code != "needs-periodic-activation" &&
            diagnostic.code != "bad-parameter")
          ADD_FAILURE() << what << ": " << to_text(diagnostic);
      }
      return;
    }
    types.insert(type.name);
    expect_exact(what, *program, tally);
  };
  for (const blocks::BlockType* type : blocks::library()) {
    if (apart.contains(type->name) || palettes_apart.contains(type->palette) || type->build == nullptr ||
        type->foreign || type->role != blocks::Role::ordinary)
      continue;
    check(*type, {});
    for (const blocks::ParameterSpec& spec : type->parameters) {
      for (const std::string& choice : spec.choices) {
        if ("'" + choice + "'" != spec.value) check(*type, {{spec.name, "'" + choice + "'"}});
      }
    }
  }
  EXPECT_GT(types.size(), 90u);
  EXPECT_GT(tally.blocks, 250);
  EXPECT_GT(tally.not_zero, 200);
  RecordProperty("derivatives", tally.derivatives);
}

}  // namespace
}  // namespace orrery::tests::library_derivatives_test
