// SPDX-License-Identifier: Apache-2.0
// Builds a block alone and prints its body.
#include "blocks/manual_formula.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "program/parameter_space.h"
#include "program/print.h"
#include "program/print_expression.h"

namespace orrery::blocks {
namespace {

using program::no_expr;
using program::Program;

constexpr std::size_t longest_line = 160, most_lines = 14;

// Numbers become names: formulas of the space.
Parameters named_parameters(const BlockType& type, const TextEvaluator& evaluate,
                            const std::shared_ptr<program::ParameterSpace>& space) {
  std::vector<Value> values;
  for (const ParameterSpec& spec : type.parameters) {
    auto value = spec.verbatim ? Value::string(spec.value) : evaluate(spec.value);
    if (!value) throw ParameterError{spec.name, "has no value", {}};
    const bool real = value->is_number() && !value->is_empty() && !value->is_complex() && value->type == Scalar::f64;
    if (real && spec.choices.empty() && std::all_of(value->real.begin(), value->real.end(), [](double x) {
          return std::isfinite(x);  // an infinite limit is none
        })) {
      const program::SlotId slot = space->declare(spec.name, {Scalar::f64, value->rows, value->cols}, value->real);
      value->formula = space->program().read(slot);
    }
    values.push_back(std::move(*value));
  }
  Parameters parameters(&type, std::move(values));
  parameters.set_space(space, {});
  return parameters;
}

// Open sizes are 1, open types double.
Ports settled_ports(const BlockType& type, const Parameters& parameters) {
  Ports ports(parameters);
  type.ports(ports);
  const auto settle = [](Port& port) {
    if (port.rows <= 0) port.rows = 1;
    if (port.cols <= 0) port.cols = 1;
    if (port.type < 0) port.type = static_cast<int>(Scalar::f64);
  };
  for (Port& port : ports.inputs()) settle(port);
  if (type.refine != nullptr) type.refine(ports);
  for (Port& port : ports.outputs()) settle(port);
  return ports;
}

std::string when_text(const Rule& rule) {
  switch (rule.when) {
    case When::activation: return "at an event";
    case When::start: return "at the start";
    case When::crossing: return "at a crossing";
    case When::fired: return fmt::format("when activation output {} fires", rule.fired_port);
    case When::step: return "after each step";
    case When::left: return "before an instant";
    case When::instant: return "at the end of an instant";
    case When::final: return "at the end";
  }
  return {};
}

// Collects expressions first, as parts that are shared get names over all lines.
class FormulaText {
 public:
  FormulaText(const Program& program, const Body& body, const std::vector<Port>& outputs)
      : program_(program), body_(body), outputs_(outputs), texts_(program, expressions(body), true) {}

  std::vector<std::string> lines() {
    for (const std::string& definition : texts_.definitions()) add(definition);
    for (std::size_t k = 0; k < body_.outputs.size(); ++k) {
      if (body_.outputs[k] != no_expr) add(fmt::format("{} = {}", outputs_[k].name, texts_[body_.outputs[k]]));
    }
    for (const Derivative& derivative : body_.derivatives)
      add(fmt::format("der({}) = {}", name(derivative.state), texts_[derivative.value]));
    for (const UnknownRule& unknown : body_.unknowns) {
      if (unknown.residual != no_expr)
        add(fmt::format("{} such that 0 = {}", name(unknown.slot), texts_[unknown.residual]));
    }
    for (const ExprId invariant : body_.invariants) add(fmt::format("0 = {} is kept", texts_[invariant]));
    for (const SurfaceRule& surface : body_.surfaces)
      add(fmt::format("crossings of {} are located", texts_[surface.value]));
    for (const Rule& rule : body_.rules) add_rule(rule);
    for (const Pass& pass : body_.passes) {
      add(fmt::format("the activation leaves through output {}{}", pass.port, condition(pass.condition)));
    }
    if (lines_.size() > most_lines) {
      lines_.resize(most_lines);
      lines_.emplace_back("…");
    }
    return std::move(lines_);
  }

 private:
  static std::vector<ExprId> expressions(const Body& body) {
    std::vector<ExprId> list;
    const auto put = [&](ExprId id) {
      if (id != no_expr) list.push_back(id);
    };
    for (const ExprId id : body.outputs) put(id);
    for (const Derivative& derivative : body.derivatives) put(derivative.value);
    for (const UnknownRule& unknown : body.unknowns) put(unknown.residual);
    for (const ExprId id : body.invariants) put(id);
    for (const SurfaceRule& surface : body.surfaces) put(surface.value);
    for (const Rule& rule : body.rules) {
      put(rule.condition);
      put(rule.value);
    }
    for (const Pass& pass : body.passes) put(pass.condition);
    return list;
  }

  std::string name(SlotId slot) const { return program::slot_name(program_, slot); }
  std::string condition(ExprId id) const { return id == no_expr ? "" : ", if " + texts_[id]; }
  void add(std::string text) {
    if (text.size() > longest_line) text = text.substr(0, text.find(' ', longest_line)) + " …";
    lines_.push_back(std::move(text));
  }

  void add_rule(const Rule& rule) {
    const std::string when = when_text(rule) + condition(rule.condition);
    if (rule.kind == Rule::Kind::set) {
      add(fmt::format("{}: {} := {}", when, name(rule.slot), texts_[rule.value]));
    } else if (rule.kind == Rule::Kind::schedule) {
      add(fmt::format("{}: activation output {} fires after {}", when, rule.port, texts_[rule.value]));
    } else if (rule.kind == Rule::Kind::action) {
      add(fmt::format("{}: {}", when, program::name_of(rule.action)));
    }
  }

  const Program& program_;
  const Body& body_;
  const std::vector<Port>& outputs_;
  program::ExpressionText texts_;
  std::vector<std::string> lines_;
};

}  // namespace

std::vector<std::string> formula_lines(const BlockType& type, const TextEvaluator& evaluate) {
  if (type.build == nullptr || type.ports == nullptr || type.traces || type.foreign) return {};
  try {
    const auto space = std::make_shared<program::ParameterSpace>();
    const Parameters parameters = named_parameters(type, evaluate, space);
    Ports ports = settled_ports(type, parameters);
    if (!ports.failure().empty()) return {};
    Program program = space->beginning();
    const program::ParameterSpace::Compiling compiling(space.get(), program);
    std::vector<Expr> inputs;
    std::vector<Type> outputs;
    for (const Port& port : ports.inputs()) {
      const Type of{static_cast<Scalar>(port.type), port.rows, port.cols};
      inputs.emplace_back(&program.graph, program.read(program.add_slot({port.name, of})));
    }
    for (const Port& port : ports.outputs()) outputs.push_back({static_cast<Scalar>(port.type), port.rows, port.cols});
    Block block(program, program.add_origin({"", type.name}), parameters, inputs, outputs,
                ports.activation_input_count());
    type.build(block);
    return FormulaText(program, block.body(), ports.outputs()).lines();
  } catch (const ParameterError&) {
    return {};  // its defaults are no block yet: a file or a text is missing
  }
}

}  // namespace orrery::blocks
