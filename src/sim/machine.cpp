// SPDX-License-Identifier: Apache-2.0
// Making procedures from a Program.
#include "sim/machine.h"

#include <fmt/format.h>

#include <algorithm>

#include "passes/slice.h"

namespace orrery::sim {
namespace {

using program::ExprId;
using program::no_expr;
using program::Procedure;
using program::Store;

Store to_output(std::size_t index, ExprId value, program::OriginId origin) {
  return {Store::Target::output, static_cast<std::uint32_t>(index), value, no_expr, origin};
}

void add_assigns(Procedure& procedure, const std::vector<program::Assign>& assigns) {
  for (const program::Assign& assign : assigns) {
    procedure.stores.push_back({Store::Target::slot, assign.slot, assign.value, assign.guard, assign.origin});
  }
}

// Guards as numbers: 1 where there is none.
ExprId flag(program::Graph& graph, ExprId guard) {
  return guard == no_expr ? graph.constant(1) : graph.cast(program::Scalar::f64, guard);
}

bool reads_states(const program::Program& program, const program::Table& table) {
  std::vector<ExprId> read;
  for (const program::Assign& assign : table.assigns) read.insert(read.end(), {assign.value, assign.guard});
  for (const program::Schedule& schedule : table.schedules) read.insert(read.end(), {schedule.delay, schedule.guard});
  for (const program::Action& action : table.actions) read.push_back(action.guard);
  const auto slots = passes::slots_read(program.graph, read);
  return std::any_of(slots.begin(), slots.end(), [&](program::SlotId slot) {
    return program.slots[slot].kind == program::SlotKind::state ||
           program.slots[slot].kind == program::SlotKind::shadow;
  });
}

Procedure table_procedure(program::Program& program, std::size_t index) {
  const program::Table& table = program.sources[index].table;
  Procedure procedure{fmt::format("source{}", index), {}};
  add_assigns(procedure, table.assigns);
  std::size_t at = 0;
  for (const program::Schedule& schedule : table.schedules) {
    procedure.stores.push_back(to_output(at++, flag(program.graph, schedule.guard), schedule.origin));
    procedure.stores.push_back(to_output(at++, schedule.delay, schedule.origin));
  }
  for (const program::Action& action : table.actions) {
    procedure.stores.push_back(to_output(at++, flag(program.graph, action.guard), action.origin));
  }
  return procedure;
}

}  // namespace

void Machine::make_procedures(program::Program& program) {
  Procedure derivatives{"derivatives", {}};
  for (std::size_t k = 0; k < program.states.size(); ++k) {
    const program::Slot& slot = program.slots[program.states[k]];
    derivatives.stores.push_back(to_output(state_count_, program.derivatives[k], slot.origin));
    state_count_ += static_cast<std::size_t>(slot.type.size());
  }
  Procedure surfaces{"surfaces", {}};
  for (std::size_t k = 0; k < program.surfaces.size(); ++k) {
    surfaces.stores.push_back(to_output(k, program.surfaces[k].value, program.surfaces[k].origin));
  }
  Procedure always{"always", {}};
  add_assigns(always, program.always);
  procedures_ = {std::move(derivatives), std::move(surfaces), std::move(always)};

  std::vector<ExprId> shown;
  for (const program::Assign& assign : program.always) {
    shown.push_back(assign.value);
    if (assign.guard != no_expr) shown.push_back(assign.guard);
  }
  std::vector<bool> read(program.slots.size(), false);
  for (program::SlotId slot : passes::slots_read(program.graph, shown)) read[slot] = true;
  for (std::size_t k = 0; k < program.sources.size(); ++k) {
    const program::Table& table = program.sources[k].table;
    TableCode code;
    code.procedure = procedures_.size();
    code.critical = table.critical;
    code.quiet = table.schedules.empty() && table.actions.empty();
    code.reads_states = reads_states(program, table);
    code.shows = std::any_of(table.assigns.begin(), table.assigns.end(), [&](const auto& a) { return read[a.slot]; }) ||
                 std::any_of(table.actions.begin(), table.actions.end(),
                             [](const auto& a) { return a.kind == program::ActionKind::record; });
    tables_.push_back(code);
    procedures_.push_back(table_procedure(program, k));
    output_size_ = std::max(output_size_, 2 * table.schedules.size() + table.actions.size());
  }
  continuous_probes_ =
      std::any_of(program.probes.begin(), program.probes.end(), [](const auto& p) { return p.continuous; });
}

std::unique_ptr<Machine> Machine::create(program::Program& program, const native::CompileOptions& options,
                                         Diagnostics& diagnostics) {
  auto machine = std::unique_ptr<Machine>(new Machine);
  machine->program_ = &program;
  machine->options_ = options;
  machine->make_procedures(program);
  machine->layout_ = program::lay_out(program);
  native::reserve_workspace(program, machine->procedures_, machine->layout_);
  machine->code_ = native::compile(program, machine->layout_, machine->procedures_, options, diagnostics);
  return machine->code_ ? std::move(machine) : nullptr;
}

bool Machine::add_jacobian(Diagnostics& diagnostics) {
  passes::Jacobian derivatives = passes::build_jacobian(*program_);
  pattern_ = std::move(derivatives.pattern);
  if (!derivatives.exact) return true;
  jacobian_code_ = native::compile(*program_, layout_, {std::move(derivatives.procedure)}, options_, diagnostics);
  return jacobian_code_ != nullptr;
}

void Machine::request_second_tier() {
  code_->request_second_tier();
  if (jacobian_code_) jacobian_code_->request_second_tier();
}

void Machine::poll() {
  code_->poll();
  if (jacobian_code_) jacobian_code_->poll();
}

}  // namespace orrery::sim
