// SPDX-License-Identifier: Apache-2.0
// The inside of a unit as a function.
#include "compile/unit_template.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/check.h"
#include "blocks/diagram_ports/diagram_ports.h"
#include "compile/compile.h"
#include "compile/infer_types.h"
#include "passes/transplant.h"
#include "passes/visit.h"

namespace orrery::compile {
namespace {

using program::ExprId;
using program::no_expr;
using program::Op;
using program::Program;
using program::Scalar;
using program::SlotId;
using program::Type;

Type type_of_port(const blocks::Port& port) { return {static_cast<Scalar>(port.type), port.rows, port.cols}; }

// Nothing where inference has left something open.
std::optional<std::vector<Type>> types_of(const std::vector<blocks::Port>& ports) {
  std::vector<Type> types;
  for (const blocks::Port& port : ports) {
    if (port.rows <= 0 || port.cols <= 0 || port.type < 0) return std::nullopt;
    types.push_back(type_of_port(port));
  }
  return types;
}

// Why the Program of an inside is more than one table of assignments; empty: it is one.
std::string fault_of(const Program& p) {
  if (!p.states.empty() || !p.surfaces.empty() || !p.always.empty() || !p.histories.empty() || !p.assertions.empty())
    return "something in it runs in continuous time";
  if (!p.loops.empty()) return "it has equations to be solved";
  if (!p.foreign_objects.empty()) return "it calls foreign code";
  if (!p.probes.empty() || !p.exports.empty()) return "something in it is recorded";
  if (p.sources.size() != 2 || p.clocks.size() != 1) return "it has events of its own";
  if (!p.start_system.empty() || !p.sampled.empty() || !p.parameters.empty()) return "it has a start of its own";
  if (!p.graph.sites().empty()) return "it may fail";
  for (const program::Source& source : p.sources) {
    if (!source.table.schedules.empty() || !source.table.actions.empty() || !source.table.calls.empty())
      return "its events do more than compute";
  }
  return {};
}

// Makes the function from the table of the clock: results first, then whatever memory these read, and so on.
class UnitWriter {
 public:
  UnitWriter(const Program& program, const UnitTemplate& unit, UnitFunction& made)
      : program_(program), graph_(program.graph), unit_(unit), made_(made) {}

  std::string write() {
    for (std::size_t s = 0; s < program_.slots.size(); ++s) {
      const program::Slot& slot = program_.slots[s];
      if (slot.origin == 0) continue;
      if (slot.name == "argument") argument_of_[slot.origin - 1] = static_cast<SlotId>(s);
      if (slot.name == "result") result_of_[slot.origin - 1] = static_cast<SlotId>(s);
    }
    for (const program::Assign& assign : program_.start) {
      const program::Slot& slot = program_.slots[assign.slot];
      if (slot.name != "period" || slot.kind != program::SlotKind::parameter) return "it has a start of its own";
      periods_.push_back(assign.slot);
    }
    for (const program::Assign& assign : program_.sources[1].table.assigns) {
      if (!assigns_.emplace(assign.slot, assign).second) return "a memory is set twice in one event";
    }
    for (const program::Assign& assign : program_.sources[0].table.assigns) {
      if (!graph_.is_constant(assign.value) || assign.guard != no_expr) return "something in it happens at the start";
      initial_[assign.slot] = assign.value;
    }
    std::vector<SlotId> results;
    for (const std::uint32_t block : unit_.results) {
      if (block == no_block) return "an output has no block";
      const SlotId slot = result_of_.at(block);
      if (!assigns_.contains(slot)) return "an output is there without activation";
      results.push_back(slot);
    }
    if (std::string fault = gather(results); !fault.empty()) return fault;
    return emit(results);
  }

 private:
  // All slots that are read, directly or through the memory of the next event.
  std::string gather(std::vector<SlotId> waiting) {
    std::map<SlotId, bool> seen;
    while (!waiting.empty()) {
      const SlotId slot = waiting.back();
      waiting.pop_back();
      if (!seen.emplace(slot, true).second) continue;
      const auto assign = assigns_.find(slot);
      if (assign == assigns_.end()) continue;
      order_.push_back(slot);
      std::vector<SlotId> reads;
      if (std::string fault = reads_of(assign->second, reads); !fault.empty()) return fault;
      for (const SlotId read : reads) {
        const bool is_argument = std::any_of(argument_of_.begin(), argument_of_.end(),
                                             [read](const auto& entry) { return entry.second == read; });
        if (is_argument) {
          read_arguments_[read] = true;
        } else if (std::find(periods_.begin(), periods_.end(), read) != periods_.end()) {
          read_periods_[read] = true;
        } else {
          read_memory_[read] = true;
          waiting.push_back(read);
        }
      }
    }
    return {};
  }

  std::string reads_of(const program::Assign& assign, std::vector<SlotId>& reads) {
    std::vector<ExprId> waiting{assign.value};
    if (assign.guard != no_expr) {
      waiting.push_back(assign.guard);
      reads.push_back(assign.slot);  // it keeps its value
    }
    std::map<ExprId, bool> seen;
    while (!waiting.empty()) {
      const ExprId id = waiting.back();
      waiting.pop_back();
      if (!seen.emplace(id, true).second) continue;
      switch (graph_[id].op) {
        case Op::read: reads.push_back(static_cast<SlotId>(graph_[id].payload)); break;
        case Op::time: made_.takes_time = true; break;
        case Op::clock_active:
        case Op::foreign:
        case Op::past: return "it does what no function can";
        default: break;
      }
      const auto arguments = graph_.arguments(id);
      waiting.insert(waiting.end(), arguments.begin(), arguments.end());
    }
    return {};
  }

  std::uint32_t add_local(std::string name, Type type) {
    function_.locals.push_back({std::move(name), type});
    return static_cast<std::uint32_t>(function_.locals.size() - 1);
  }

  std::vector<double> initial_of(SlotId slot, std::string& fault) const {
    const Type type = program_.slots[slot].type;
    const auto found = initial_.find(slot);
    const ExprId value = found == initial_.end() ? program_.slots[slot].initial : found->second;
    if (value == no_expr)
      return std::vector<double>(static_cast<std::size_t>(type.size()) * (type.scalar == Scalar::c128 ? 2 : 1), 0.0);
    if (!graph_.is_constant(value)) {
      fault = "a memory begins with what is computed";
      return {};
    }
    const auto data = graph_.constant_data(value);
    return {data.begin(), data.end()};
  }

  std::string emit(const std::vector<SlotId>& results) {
    function_.name = "unit";
    function_.unguarded = true;  // where its corners matter it is not called
    std::map<SlotId, std::uint32_t> local_of;
    std::uint32_t time = 0;
    if (made_.takes_time) time = add_local("time", {});
    for (const auto& [slot, read] : read_periods_) local_of[slot] = add_local("period", {});
    made_.periods = read_periods_.size();
    for (const std::uint32_t block : unit_.arguments) {
      const bool used = block != no_block && read_arguments_.contains(argument_of_.at(block));
      made_.used.push_back(used);
      if (!used) continue;
      const SlotId slot = argument_of_.at(block);
      local_of[slot] = add_local(fmt::format("u{}", made_.used.size()), program_.slots[slot].type);
    }
    std::string fault;
    std::map<SlotId, std::size_t> memory_of;
    for (const auto& [slot, read] : read_memory_) {
      local_of[slot] = add_local(program_.slots[slot].name, program_.slots[slot].type);
      memory_of[slot] = made_.memory.size();
      std::string path = program_.origins[program_.slots[slot].origin].path;
      path = path.substr(std::min(path.size(), unit_.inside.blocks[0].path.size()));  // that of the unit
      made_.memory.push_back(
          {path + "." + program_.slots[slot].name, program_.slots[slot].type, initial_of(slot, fault)});
    }
    if (!fault.empty()) return fault;
    function_.arguments = static_cast<std::uint32_t>(function_.locals.size());
    if (order_.size() > program::most_results) return "it has too many values";
    passes::Transplant copy(graph_, function_.graph, [&](ExprId id) {
      if (graph_[id].op == Op::time) return function_.graph.read(time, Type{});
      if (graph_[id].op != Op::read) return no_expr;
      return function_.graph.read(local_of.at(static_cast<SlotId>(graph_[id].payload)), graph_.type(id));
    });
    std::map<SlotId, std::uint32_t> result_number;
    for (const SlotId slot : order_) {
      const program::Assign& assign = assigns_.at(slot);
      const Type type = program_.slots[slot].type;
      ExprId value = copy.apply(assign.value);
      if (assign.guard != no_expr) {
        value = function_.graph.select(copy.apply(assign.guard), value, function_.graph.read(local_of.at(slot), type));
      }
      const std::uint32_t next = add_local("next", type);
      function_.body.push_back({.kind = program::Statement::Kind::assign, .local = next, .value = value});
      result_number[slot] = static_cast<std::uint32_t>(function_.results.size());
      function_.results.push_back(next);
    }
    for (const auto& [slot, at] : memory_of) {
      if (result_number.contains(slot)) made_.memory[at].result = result_number.at(slot);
    }
    for (const SlotId slot : results) {
      made_.given.push_back(result_number.at(slot));
      made_.outputs.push_back(program_.slots[slot].type);
    }
    made_.function = program::make_function(std::move(function_));
    return {};
  }

  const Program& program_;
  const program::Graph& graph_;
  const UnitTemplate& unit_;
  UnitFunction& made_;
  std::map<std::uint32_t, SlotId> argument_of_, result_of_;  // by block
  std::vector<SlotId> periods_, order_;
  std::map<SlotId, program::Assign> assigns_;
  std::map<SlotId, ExprId> initial_;
  std::map<SlotId, bool> read_arguments_, read_periods_, read_memory_;
  program::Function function_;
};

}  // namespace

const SharedUnit* shared_unit_of(const FlatBlock& block) {
  return block.type == &blocks::shared_unit ? static_cast<const SharedUnit*>(block.parameters.unit()) : nullptr;
}

bool has_shared_units(const FlatModel& model) {
  return std::any_of(model.blocks.begin(), model.blocks.end(),
                     [](const FlatBlock& block) { return block.type == &blocks::shared_unit; });
}

bool SharedUnit::has_corners() const {
  return std::any_of(functions_.begin(), functions_.end(),
                     [](const auto& made) { return made->function && made->function->has_corners; });
}

const UnitFunction& SharedUnit::function_for(const std::vector<Type>& inputs) const {
  for (const auto& made : functions_) {
    if (made->inputs == inputs) return *made;
  }
  auto made = std::make_unique<UnitFunction>();
  made->inputs = inputs;
  Evaluated model;
  model.flat = source_->inside;
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    if (source_->arguments[k] == no_block) continue;
    blocks::Port& port = model.flat.blocks[source_->arguments[k]].outputs[0];
    port.rows = inputs[k].rows;
    port.cols = inputs[k].cols;
    port.type = static_cast<int>(inputs[k].scalar);
  }
  Diagnostics diagnostics;
  infer_types(model.flat, diagnostics);
  std::optional<Program> program;
  if (!diagnostics.has_errors()) program = compile(model, {}, diagnostics);
  if (!program) {
    made->fault = "it does not compile by itself";
  } else {
    made->fault = fault_of(*program);
    if (made->fault.empty()) made->fault = UnitWriter(*program, *source_, *made).write();
  }
  if (functions_.empty()) {
    for (const Diagnostic& diagnostic : diagnostics.all()) {
      if (diagnostic.severity != Severity::error) warnings_.add(diagnostic);
    }
  }
  functions_.push_back(std::move(made));
  return *functions_.back();
}

bool SharedUnit::fits(const FlatBlock& instance) const {
  const auto inputs = types_of(instance.inputs), outputs = types_of(instance.outputs);
  if (!inputs || !outputs) return false;
  const UnitFunction& made = function_for(*inputs);
  return made.fault.empty() && made.outputs == *outputs;
}

void SharedUnit::refine(blocks::Ports& ports) const {
  if (failed_) return;
  const auto inputs = types_of(ports.inputs());
  if (!inputs) return;
  const UnitFunction& made = function_for(*inputs);
  if (!made.fault.empty()) {
    failed_ = true;
    return;
  }
  for (int k = 1; k <= ports.output_count(); ++k) {
    const Type type = made.outputs[static_cast<std::size_t>(k - 1)];
    ports.set_output_size(k, type.rows, type.cols);
    ports.set_output_type(k, type.scalar);
  }
}

void SharedUnit::build(blocks::Block& block) const {
  std::vector<Type> inputs;
  for (const program::Expr& u : block.inputs()) inputs.push_back(u.type());
  const UnitFunction& made = function_for(inputs);
  ORRERY_CHECK(made.fault.empty());
  program::Graph& graph = block.graph();
  std::vector<ExprId> arguments;
  if (made.takes_time) arguments.push_back(block.time().id());
  for (std::size_t k = 0; k < made.periods; ++k) arguments.push_back(block.period().id());
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    if (made.used[k]) arguments.push_back(block.inputs()[k].id());
  }
  std::vector<blocks::Variable> memory;
  for (const UnitMemory& item : made.memory) {
    memory.push_back(block.memory(item.name, block.constant(item.type, item.initial)));
    arguments.push_back(memory.back().id());
  }
  const auto& known = graph.functions();
  const auto found = std::find(known.begin(), known.end(), made.function);
  const std::uint32_t number =
      found == known.end() ? graph.declare(made.function) : static_cast<std::uint32_t>(found - known.begin());
  const auto result = [&](std::uint32_t k) { return program::Expr{&graph, graph.call(number, k, arguments)}; };
  for (std::size_t k = 0; k < made.given.size(); ++k) block.out(static_cast<int>(k) + 1, result(made.given[k]));
  for (std::size_t k = 0; k < memory.size(); ++k) {
    if (made.memory[k].result != UINT32_MAX) block.on_activation().set(memory[k], result(made.memory[k].result));
  }
}

}  // namespace orrery::compile
