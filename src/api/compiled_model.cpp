// SPDX-License-Identifier: Apache-2.0
// What a compiled model says of itself.
#include <algorithm>
#include <map>
#include <set>

#include "api/compiled_data.h"
#include "model/closest_name.h"
#include "passes/find_dependencies.h"
#include "program/print.h"

namespace orrery::api {
namespace {

using program::no_expr;
using program::Program;
using program::SlotId;

EventKind kind_of(program::SourceKind kind) {
  switch (kind) {
    case program::SourceKind::initial: return EventKind::initial;
    case program::SourceKind::clock: return EventKind::clock;
    case program::SourceKind::programmed: return EventKind::programmed;
    case program::SourceKind::crossing: return EventKind::crossing;
    case program::SourceKind::step: return EventKind::step;
    case program::SourceKind::left: return EventKind::left;
    case program::SourceKind::instant: return EventKind::instant_end;
    case program::SourceKind::final: return EventKind::final;
  }
  return EventKind::initial;
}

std::string block_path(const Program& program, program::OriginId origin) {
  return origin == 0 ? std::string() : program.origins[origin].path;
}

ParameterInfo info_of(const Program& program, const program::Parameter& parameter) {
  const program::Slot& slot = program.slots[parameter.slot];
  ParameterInfo info{parameter.name, shape_of(slot.type), parameter.unit, {}, {}};
  if (slot.initial != no_expr) {
    const auto data = program.graph.constant_data(slot.initial);
    info.value.assign(data.begin(), data.end());
  }
  for (const program::NumberUse& use : parameter.fixed_by) {
    Diagnostic reason;
    reason.code = "fixed-parameter";
    reason.place = use.place;
    reason.message = parameter.name + " cannot be varied: " + use.reason;
    info.fixed_by.push_back(std::move(reason));
  }
  return info;
}

// Inputs and states behind expressions of continuous time, also through equations and signals that memory holds.
class Origins {
 public:
  explicit Origins(const Program& program) : program_(program), dependencies_(program.graph) {
    for (const program::Loop& loop : program.loops) {
      if (loop.source != program::Loop::continuous) continue;
      for (const SlotId unknown : loop.unknowns) {
        auto& list = behind_[unknown];
        list.insert(list.end(), loop.residuals.begin(), loop.residuals.end());
      }
    }
    for (const program::Assign& assign : program.always) {
      auto& list = behind_[assign.slot];
      list.push_back(assign.value);
      if (assign.guard != no_expr) list.push_back(assign.guard);
    }
    for (std::size_t k = 0; k < program.inputs.size(); ++k) {
      for (const SlotId slot : {program.inputs[k].value, program.inputs[k].slope, program.inputs[k].since}) {
        if (slot != program::no_slot) input_of_[slot] = k;
      }
    }
  }

  Dependence of(std::string name, std::vector<program::ExprId> expressions) {
    std::set<SlotId> seen;
    std::set<std::size_t> inputs;
    std::vector<SlotId> states;
    while (!expressions.empty()) {
      const program::ExprId expression = expressions.back();
      expressions.pop_back();
      for (const passes::Leaf& leaf : dependencies_.of_whole(expression)) {
        if (!seen.insert(leaf.slot).second) continue;
        if (program_.slots[leaf.slot].kind == program::SlotKind::state) states.push_back(leaf.slot);
        if (const auto input = input_of_.find(leaf.slot); input != input_of_.end()) inputs.insert(input->second);
        if (const auto more = behind_.find(leaf.slot); more != behind_.end())
          expressions.insert(expressions.end(), more->second.begin(), more->second.end());
      }
    }
    Dependence result{std::move(name), {}, {}};
    for (const std::size_t k : inputs) result.inputs.push_back(program_.inputs[k].name);
    std::sort(states.begin(), states.end());
    for (const SlotId slot : states) result.states.push_back(slot_name(program_, slot));
    return result;
  }

  const std::vector<program::ExprId>& writers(SlotId slot) { return behind_[slot]; }

 private:
  const Program& program_;
  passes::Dependencies dependencies_;
  std::map<SlotId, std::vector<program::ExprId>> behind_;
  std::map<SlotId, std::size_t> input_of_;
};

}  // namespace

std::size_t Shape::numbers() const {
  return static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols) * (type == "complex" ? 2 : 1);
}

Shape shape_of(const program::Type& type) { return {type.rows, type.cols, name_of(type.scalar)}; }

std::string bare_name(const std::string& name) { return name.starts_with('/') ? name.substr(1) : name; }

void describe(CompiledData& data) {
  const Program& program = data.program();
  for (const program::Parameter& parameter : program.parameters) data.parameters.push_back(info_of(program, parameter));
  for (const program::Variable& variable : program.variables) {
    if (variable.port == 0) continue;
    data.signals.push_back(
        {variable_name(program, variable), shape_of(program.slots[variable.slot].type), variable.value != no_expr});
  }
  for (std::size_t k = 0; k < program.probes.size(); ++k) {
    const program::Probe& probe = program.probes[k];
    data.probes.push_back({probe.name, block_path(program, probe.origin), shape_of(program.slots[probe.slot].type),
                           probe.unit, data.recorded[k]});
  }
  for (std::uint32_t k = 0; k < program.inputs.size(); ++k) {
    const program::InputPort& port = program.inputs[k];
    const bool activation = port.value == program::no_slot;
    data.inputs.push_back(
        {port.name, port.number, activation ? Shape{} : shape_of(program.slots[port.value].type), activation});
    data.input_of.emplace(port.name, k);
  }
  for (const program::OutputPort& port : program.outputs) {
    data.outputs.push_back(
        {port.name, port.number, shape_of(program.slots[program.probes[port.probe].slot].type), port.activation});
    data.output_of.emplace(port.name, port.probe);
  }
  for (const program::Source& source : program.sources) {
    data.events.push_back(
        {kind_of(source.kind), block_path(program, source.origin), source.port, source.table.critical});
  }
}

std::optional<std::uint32_t> CompiledData::find_variable(const std::string& name) const {
  std::call_once(named_, [this] { names_ = std::make_unique<program::VariableNames>(program()); });
  return names_->find(name);
}

std::vector<std::string> CompiledData::variable_names() const {
  std::vector<std::string> names;
  for (const program::Variable& variable : program().variables) names.push_back(variable_name(program(), variable));
  return names;
}

std::vector<VariableInfo> CompiledModel::variables() const { return variables_of(data_->program()); }

const char* name_of(VariableKind kind) { return program::name_of(static_cast<program::VariableKind>(kind)); }

std::vector<VariableInfo> variables_of(const program::Program& program) {
  std::vector<VariableInfo> list;
  list.reserve(program.variables.size());
  for (const program::Variable& variable : program.variables) {
    VariableInfo info;
    info.name = variable_name(program, variable);
    info.kind = static_cast<VariableKind>(variable.kind);
    info.shape = shape_of(variable_type(program, variable));
    info.unit = variable_unit(program, variable);
    info.about = variable_about(program, variable);
    info.block = block_path(program, variable.origin);
    info.continuous = is_continuous(program, variable);
    info.start = variable_start(program, variable);
    info.alias_of = variable_source(program, variable);
    list.push_back(std::move(info));
  }
  return list;
}

const std::string& CompiledModel::name() const { return data_->name; }
const std::vector<ParameterInfo>& CompiledModel::parameters() const { return data_->parameters; }
const std::vector<SignalInfo>& CompiledModel::signals() const { return data_->signals; }
const std::vector<ProbeInfo>& CompiledModel::probes() const { return data_->probes; }
const std::vector<FigureInfo>& CompiledModel::figures() const { return data_->figures; }
const std::vector<PortInfo>& CompiledModel::inputs() const { return data_->inputs; }
const std::vector<PortInfo>& CompiledModel::outputs() const { return data_->outputs; }
const std::vector<EventInfo>& CompiledModel::events() const { return data_->events; }
const Diagnostics& CompiledModel::diagnostics() const { return data_->diagnostics; }

std::vector<Dependence> CompiledModel::dependencies() const {
  const Program& program = data_->program();
  Origins origins(program);
  std::vector<Dependence> list;
  for (const program::OutputPort& port : program.outputs) {
    if (port.activation) continue;
    const SlotId slot = program.probes[port.probe].slot;
    list.push_back(origins.of("/" + port.name, origins.writers(slot)));
  }
  for (std::size_t k = 0; k < program.states.size(); ++k) {
    if (program.slots[program.states[k]].kind != program::SlotKind::state) continue;
    list.push_back(origins.of("der(" + slot_name(program, program.states[k]) + ")", {program.derivatives[k]}));
  }
  return list;
}

std::optional<CompiledModel> CompiledModel::with_probes(const std::vector<std::string>& signals,
                                                        Diagnostics& diagnostics) const {
  std::vector<std::uint32_t> found;
  for (const std::string& name : signals) {
    const auto known = data_->find_variable(name);
    if (known && data_->program().variables[*known].port > 0) {
      found.push_back(*known);
      continue;
    }
    std::vector<std::string_view> names;
    for (const SignalInfo& signal : data_->signals) names.push_back(signal.name);
    std::string message =
        names.empty() ? "the model was compiled without its signals" : "there is no block output " + name;
    std::string help = names.empty() ? "compile it with keep_signals" : model::did_you_mean(name, names);
    if (known) {
      message = name + " is no block output, and only these are recorded later";
      help = "name it among the probes when the model is compiled";
    }
    diagnostics.error("unknown-signal", {data_->program().origins[0].path, 0, 0, {}, {}}, message, help);
  }
  if (found.size() != signals.size()) return std::nullopt;
  auto data = std::make_shared<CompiledData>();
  data->compiled = sim::CompiledProgram::with_probes(data_->compiled, found, diagnostics);
  if (!data->compiled) return std::nullopt;
  data->name = data_->name;
  data->evaluator = data_->evaluator;
  data->options = data_->options;
  data->diagnostics = data_->diagnostics;
  data->recorded = data_->recorded;
  data->figures = data_->figures;
  data->recorded.resize(data->program().probes.size(), true);
  describe(*data);
  return CompiledModel(std::move(data));
}

}  // namespace orrery::api
