// SPDX-License-Identifier: Apache-2.0
// Making procedures from a Program.
#include "sim/machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <unordered_map>

#include "passes/needed_loops.h"
#include "passes/rates_along_solution.h"
#include "sim/start_procedure.h"

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

std::vector<ExprId> expressions_of(const program::Table& table) {
  std::vector<ExprId> read;
  for (const program::Assign& assign : table.assigns) read.insert(read.end(), {assign.value, assign.guard});
  for (const program::Schedule& schedule : table.schedules) read.insert(read.end(), {schedule.delay, schedule.guard});
  for (const program::Action& action : table.actions) read.push_back(action.guard);
  for (const program::Call& call : table.calls) {
    read.push_back(call.guard);
    read.insert(read.end(), call.arguments.begin(), call.arguments.end());
  }
  return read;
}

std::vector<ExprId> expressions_of(const std::vector<program::Assign>& assigns) {
  std::vector<ExprId> read;
  for (const program::Assign& assign : assigns) read.insert(read.end(), {assign.value, assign.guard});
  return read;
}

bool any_states(const program::Program& program, const std::vector<program::SlotId>& slots) {
  return std::any_of(slots.begin(), slots.end(), [&](program::SlotId slot) {
    return program.slots[slot].kind == program::SlotKind::state ||
           program.slots[slot].kind == program::SlotKind::shadow;
  });
}

std::size_t output_size_of(const program::Program& program, const program::Table& table) {
  std::size_t size = 2 * table.schedules.size() + table.actions.size() + table.calls.size();
  for (const program::Call& call : table.calls) {
    for (ExprId argument : call.arguments) size += static_cast<std::size_t>(program.graph.type(argument).size());
  }
  return size;
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
  for (const program::Call& call : table.calls) {
    procedure.stores.push_back(to_output(at++, flag(program.graph, call.guard), call.origin));
    for (ExprId argument : call.arguments) {
      procedure.stores.push_back(to_output(at, argument, call.origin));
      at += static_cast<std::size_t>(program.graph.type(argument).size());
    }
  }
  return procedure;
}

// Whether an event makes rows, and the condition of that, as a number; no_expr: each does.
struct Showing {
  bool at_all = false;
  ExprId when = no_expr;
};

Showing showing_of(program::Program& program, const program::Table& table, const std::vector<bool>& read) {
  std::vector<ExprId> guards;
  for (const program::Assign& assign : table.assigns) {
    if (read[assign.slot]) guards.push_back(assign.guard);
  }
  for (const program::Action& action : table.actions) {
    if (action.kind == program::ActionKind::record) guards.push_back(action.guard);
  }
  for (const program::Call& call : table.calls) {
    if (std::any_of(call.results.begin(), call.results.end(), [&](auto slot) { return read[slot]; }))
      guards.push_back(call.guard);
  }
  if (guards.empty()) return {};
  ExprId any = guards[0];
  for (const ExprId guard : guards) any = program.graph.either(any, guard);
  if (any != no_expr && program.graph.is_constant(any, 0)) return {};
  if (any == no_expr || program.graph.is_constant(any)) return {true, no_expr};
  return {true, flag(program.graph, any)};
}

// The slots that recorded signals of continuous time are computed from, directly or through signals that are held.
std::vector<bool> slots_of_continuous_probes(const program::Program& program) {
  std::vector<bool> wanted(program.slots.size(), false), read(program.slots.size(), false);
  for (const program::Probe& probe : program.probes) {
    if (probe.continuous) wanted[probe.slot] = true;
  }
  std::vector<bool> done(program.always.size(), false);
  for (bool changed = true; changed;) {
    changed = false;
    std::vector<ExprId> values;
    for (std::size_t k = 0; k < program.always.size(); ++k) {
      if (done[k] || !wanted[program.always[k].slot]) continue;
      done[k] = changed = true;
      values.insert(values.end(), {program.always[k].value, program.always[k].guard});
    }
    for (const program::SlotId slot : passes::needed_loops(program, values, program::Loop::continuous).slots) {
      wanted[slot] = read[slot] = true;
    }
  }
  return read;
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

  const passes::LoopNeeds shown =
      passes::needed_loops(program, expressions_of(program.always), program::Loop::continuous);
  always_loops_ = shown.loops;
  derivative_loops_ = passes::needed_loops(program, program.derivatives, program::Loop::continuous).loops;
  std::vector<ExprId> watched;
  for (const program::Surface& surface : program.surfaces)
    watched.insert(watched.end(), {surface.value, surface.settled});
  surface_loops_ = passes::needed_loops(program, watched, program::Loop::continuous).loops;
  const std::vector<bool> read = slots_of_continuous_probes(program);
  for (std::size_t k = 0; k < program.sources.size(); ++k) {
    const program::Table& table = program.sources[k].table;
    TableCode code;
    code.procedure = procedures_.size();
    code.critical = table.critical;
    code.quiet = table.schedules.empty() && table.actions.empty() && table.calls.empty();
    passes::LoopNeeds needs = passes::needed_loops(program, expressions_of(table), static_cast<std::int32_t>(k));
    code.reads_states = any_states(program, needs.slots);
    code.loops = std::move(needs.loops);
    const Showing showing = showing_of(program, table, read);
    code.shows = showing.at_all;
    procedures_.push_back(table_procedure(program, k));
    if (showing.when != no_expr && code.loops.empty()) {
      code.shows_when = procedures_.size();
      procedures_.push_back({fmt::format("shows{}", k), {to_output(0, showing.when, program.sources[k].origin)}});
    }
    tables_.push_back(code);
    output_size_ = std::max(output_size_, output_size_of(program, table));
  }
  continuous_probes_ =
      std::any_of(program.probes.begin(), program.probes.end(), [](const auto& p) { return p.continuous; });
}

void Machine::make_loops(program::Program& program) {
  for (std::uint32_t k = 0; k < program.loops.size(); ++k) {
    const program::Loop& loop = program.loops[k];
    LoopCode& code = loops_.emplace_back();
    if (!loop.solution.empty()) continue;
    if (loop.source == program::Loop::continuous) continuous_loops_.push_back(k);
    Procedure residual{fmt::format("loop{}", k), {}};
    std::size_t at = 0;
    for (ExprId value : loop.residuals) {
      residual.stores.push_back(to_output(at, value, loop.blocks.empty() ? 0 : loop.blocks[0]));
      at += static_cast<std::size_t>(program.graph.type(value).size());
    }
    passes::Jacobian derivatives = passes::build_jacobian(program, loop.unknowns, loop.residuals);
    code.exact = derivatives.exact;
    code.pattern = std::move(derivatives.pattern);
    code.residual = procedures_.size();
    procedures_.push_back(std::move(residual));
    if (!code.exact) continue;
    derivatives.procedure.name = fmt::format("loop{}_jacobian", k);
    code.jacobian = procedures_.size();
    procedures_.push_back(std::move(derivatives.procedure));
  }
}

void Machine::make_kept(program::Program& program) {
  std::vector<ExprId> all = program.invariants;
  if (!program.invariants.empty()) {
    Procedure invariants{"invariants", {}};
    for (ExprId id : program.invariants) {
      invariants.stores.push_back(to_output(invariant_count_, id, 0));
      invariant_count_ += static_cast<std::size_t>(program.graph.type(id).size());
    }
    invariants_ = procedures_.size();
    procedures_.push_back(std::move(invariants));
  }
  if (!program.projections.empty()) {
    Procedure moves{"projections", {}};
    std::size_t at = 0;
    for (program::SlotId state : program.states) {
      const program::Type type = program.slots[state].type;
      ExprId move = program.graph.constant(type, std::vector<double>(static_cast<std::size_t>(type.size()), 0.0));
      for (const program::Assign& projection : program.projections) {
        if (projection.slot != state) continue;
        move = program.graph.binary(program::Op::sub, projection.value, program.read(state));
        all.push_back(move);
      }
      moves.stores.push_back(to_output(at, move, program.slots[state].origin));
      at += static_cast<std::size_t>(type.size());
    }
    projections_ = procedures_.size();
    procedures_.push_back(std::move(moves));
  }
  if (!program.sensitivities.parameters.empty()) {
    Procedure tangents{"surface_tangents", {}};
    for (const program::SurfaceTangent& tangent : program.sensitivities.surfaces) {
      tangents.stores.push_back(to_output(tangents.stores.size(), tangent.rate, 0));
      for (ExprId change : tangent.change) tangents.stores.push_back(to_output(tangents.stores.size(), change, 0));
    }
    tangents_ = procedures_.size();
    procedures_.push_back(std::move(tangents));
  }
  kept_loops_ = passes::needed_loops(program, all, program::Loop::continuous).loops;
}

void Machine::make_surfaces(program::Program& program) {
  std::vector<ExprId> values;
  for (const program::Surface& surface : program.surfaces) values.push_back(surface.value);
  const std::vector<passes::Rates> rates = passes::rates_along_solution(program, values);
  if (rates.empty()) return;
  Procedure settled{"settled", {}};
  for (const program::Surface& surface : program.surfaces) {
    if (surface.settled == no_expr || std::find(held_.begin(), held_.end(), surface.mode) != held_.end()) continue;
    settled.stores.push_back(to_output(held_.size(), surface.settled, surface.origin));
    held_.push_back(surface.mode);
  }
  settled_ = procedures_.size();
  procedures_.push_back(std::move(settled));
  Procedure procedure{"surface_rates", {}};
  const ExprId unknown = program.graph.constant(std::numeric_limits<double>::quiet_NaN());
  for (std::size_t k = 0; k < rates.size(); ++k) {
    affine_.push_back(rates[k].affine);
    has_rate_.push_back(rates[k].first != no_expr);
    for (const ExprId rate : {rates[k].first, rates[k].second, rates[k].size}) {
      procedure.stores.push_back(
          to_output(procedure.stores.size(), rate == no_expr ? unknown : rate, program.surfaces[k].origin));
    }
  }
  surface_rates_ = procedures_.size();
  procedures_.push_back(std::move(procedure));
}

// Procedures and layout: everything but machine code.
void Machine::prepare(program::Program& program) {
  program_ = &program;
  make_procedures(program);
  make_loops(program);
  make_kept(program);
  make_surfaces(program);
  start_ = procedures_.size();
  for (Procedure& procedure : start_procedures(program)) procedures_.push_back(std::move(procedure));
  start_count_ = procedures_.size() - start_;
  layout_ = program::lay_out(program);
  for (std::size_t k = 0; k < program.loops.size(); ++k) {
    for (program::SlotId unknown : program.loops[k].unknowns) {
      for (std::int64_t e = 0; e < program.slots[unknown].type.size(); ++e) {
        loops_[k].offsets.push_back(layout_.offset[unknown] + static_cast<std::uint32_t>(8 * e));
      }
    }
  }
  native::reserve_workspace(program, procedures_, layout_);
}

void Machine::run_start(double t, std::byte* memory) const {
  const auto* x = reinterpret_cast<const double*>(memory);
  for (std::size_t k = 0; k < start_count_; ++k) code_->function(start_ + k)(t, x, nullptr, memory, 0);
}

std::string Machine::text_of(program::Program& program) {
  Machine machine;
  machine.prepare(program);
  return native::emit_c(program, machine.layout_, machine.procedures_);
}

std::unique_ptr<Machine> Machine::create(program::Program& program, const native::CompileOptions& options,
                                         Diagnostics& diagnostics) {
  auto machine = std::unique_ptr<Machine>(new Machine);
  machine->options_ = options;
  machine->prepare(program);
  machine->code_ = native::compile(program, machine->layout_, machine->procedures_, options, diagnostics);
  return machine->code_ ? std::move(machine) : nullptr;
}

void Machine::find_rates() {
  program::Graph& graph = program_->graph;
  const auto element = [&graph](ExprId whole, const program::Type& type, std::int64_t k) {
    return type.is_scalar() ? whole : graph.element(whole, k);
  };
  std::unordered_map<ExprId, int> unknown_of;
  int count = 0;
  for (std::uint32_t k : continuous_loops_) {
    for (const program::SlotId slot : program_->loops[k].unknowns) {
      const program::Type type = program_->slots[slot].type;
      for (std::int64_t e = 0; e < type.size(); ++e) {
        unknown_of.emplace(element(program_->read(slot), type, e), count++);
      }
    }
  }
  rates_.clear();
  for (std::size_t s = 0; s < program_->states.size(); ++s) {
    const program::Type type = program_->slots[program_->states[s]].type;
    for (std::int64_t e = 0; e < type.size(); ++e) {
      const auto found = unknown_of.find(element(program_->derivatives[s], type, e));
      rates_.push_back(found == unknown_of.end() ? -1 : found->second);
      if (found != unknown_of.end()) unknown_of.erase(found);  // the derivative of one state at most
    }
  }
}

bool Machine::add_jacobian(Diagnostics& diagnostics) {
  if (jacobian_code_ || pattern_.n > 0) return true;
  find_rates();
  std::vector<program::SlotId> columns = program_->states;
  std::vector<ExprId> rows = program_->derivatives;
  for (std::uint32_t k : continuous_loops_) {
    const program::Loop& loop = program_->loops[k];
    columns.insert(columns.end(), loop.unknowns.begin(), loop.unknowns.end());
    rows.insert(rows.end(), loop.residuals.begin(), loop.residuals.end());
  }
  passes::Jacobian derivatives = passes::build_jacobian(*program_, columns, rows);
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
