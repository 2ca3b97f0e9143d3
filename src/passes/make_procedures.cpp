// SPDX-License-Identifier: Apache-2.0
// Making procedures from a Program.
#include "passes/make_procedures.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <unordered_map>
#include <unordered_set>

#include "passes/needed_loops.h"
#include "passes/rates_along_solution.h"
#include "passes/slice.h"
#include "passes/smoothing_order.h"
#include "program/evaluate.h"
#include "program/motion.h"

namespace orrery::passes {
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
  for (const program::Action& action : table.actions) {
    read.push_back(action.guard);
    read.insert(read.end(), action.values.begin(), action.values.end());
  }
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
  for (const program::Action& action : table.actions) size += action.values.size();
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
    for (ExprId value : action.values) procedure.stores.push_back(to_output(at++, value, action.origin));
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
    for (const program::SlotId slot : needed_loops(program, values, program::Loop::continuous).slots) {
      wanted[slot] = read[slot] = true;
    }
  }
  return read;
}

// The modes that belong to loops, and to nothing else.
std::unordered_set<program::SlotId> modes_of_loops(const program::Program& program) {
  std::unordered_set<program::SlotId> owned;
  for (const program::Loop& loop : program.loops) {
    for (const program::Surface& mode : loop.modes) owned.insert(mode.mode);
  }
  for (const program::Surface& surface : program.surfaces) owned.erase(surface.mode);
  return owned;
}

void make_main(program::Program& program, Procedures& cut) {
  Procedure derivatives{"derivatives", {}};
  for (std::size_t k = 0; k < program.states.size(); ++k) {
    const program::Slot& slot = program.slots[program.states[k]];
    derivatives.stores.push_back(to_output(cut.state_count, program.derivatives[k], slot.origin));
    cut.state_count += static_cast<std::size_t>(slot.type.size());
  }
  Procedure surfaces{"surfaces", {}};
  for (std::size_t k = 0; k < program.surfaces.size(); ++k) {
    surfaces.stores.push_back(to_output(k, program.surfaces[k].value, program.surfaces[k].origin));
  }
  Procedure always{"always", {}};
  add_assigns(always, program.always);
  cut.all = {std::move(derivatives), std::move(surfaces), std::move(always)};

  const LoopNeeds shown = needed_loops(program, expressions_of(program.always), program::Loop::continuous);
  cut.always_loops = shown.loops;
  cut.derivative_loops = needed_loops(program, program.derivatives, program::Loop::continuous).loops;
  std::vector<ExprId> watched;
  for (const program::Surface& surface : program.surfaces)
    watched.insert(watched.end(), {surface.value, surface.settled});
  cut.surface_loops = needed_loops(program, watched, program::Loop::continuous).loops;
  cut.mode_systems = mode_systems(program, cut.surface_loops);
  const std::vector<bool> read = slots_of_continuous_probes(program);
  const std::unordered_set<program::SlotId> owned = modes_of_loops(program);
  for (std::size_t k = 0; k < program.sources.size(); ++k) {
    const program::Table& table = program.sources[k].table;
    TableProcedure code;
    code.procedure = cut.all.size();
    code.critical = table.critical;
    code.quiet = table.schedules.empty() && table.calls.empty() &&
                 std::all_of(table.actions.begin(), table.actions.end(),
                             [](const program::Action& action) { return action.kind == program::ActionKind::record; });
    LoopNeeds needs = needed_loops(program, expressions_of(table), static_cast<std::int32_t>(k));
    code.reads_states = any_states(program, needs.slots);
    code.reads_modes = std::any_of(needs.slots.begin(), needs.slots.end(), [&](program::SlotId slot) {
      return program.slots[slot].kind == program::SlotKind::mode && !owned.contains(slot);
    });
    code.reads_sampled =
        std::any_of(program.sampled.begin(), program.sampled.end(), [&](const program::Assign& assign) {
          return std::binary_search(needs.slots.begin(), needs.slots.end(), assign.slot);
        });
    code.reads_states = code.reads_states || code.reads_sampled;
    code.loops = std::move(needs.loops);
    const Showing showing = showing_of(program, table, read);
    code.shows = showing.at_all;
    cut.all.push_back(table_procedure(program, k));
    if (showing.when != no_expr && code.loops.empty()) {
      code.shows_when = cut.all.size();
      cut.all.push_back({fmt::format("shows{}", k), {to_output(0, showing.when, program.sources[k].origin)}});
    }
    cut.tables.push_back(code);
    cut.output_size = std::max(cut.output_size, output_size_of(program, table));
  }
  cut.continuous_probes =
      std::any_of(program.probes.begin(), program.probes.end(), [](const auto& p) { return p.continuous; });
}

void make_loops(program::Program& program, Procedures& cut) {
  for (std::uint32_t k = 0; k < program.loops.size(); ++k) {
    const program::Loop& loop = program.loops[k];
    LoopProcedures& code = cut.loops.emplace_back();
    if (!loop.solution.empty()) continue;
    if (loop.source == program::Loop::continuous) cut.continuous_loops.push_back(k);
    if (loop.source == program::Loop::start) cut.start_loops.push_back(k);
    Procedure residual{fmt::format("loop{}", k), {}};
    std::size_t at = 0;
    for (ExprId value : loop.residuals) {
      residual.stores.push_back(to_output(at, value, loop.blocks.empty() ? 0 : loop.blocks[0]));
      at += static_cast<std::size_t>(program.graph.type(value).size());
    }
    Jacobian derivatives = build_jacobian(program, loop.unknowns, loop.residuals);
    code.exact = derivatives.exact;
    code.pattern = std::move(derivatives.pattern);
    code.residual = cut.all.size();
    cut.all.push_back(std::move(residual));
    if (!loop.modes.empty()) {
      Procedure modes{fmt::format("loop{}_modes", k), {}};
      for (const program::Surface& mode : loop.modes) {
        const ExprId value = mode.settled == no_expr ? mode.value : mode.settled;
        modes.stores.push_back(to_output(modes.stores.size(), value, mode.origin));
      }
      code.modes = cut.all.size();
      cut.all.push_back(std::move(modes));
    }
    if (!code.exact) continue;
    derivatives.procedure.name = fmt::format("loop{}_jacobian", k);
    code.jacobian = cut.all.size();
    cut.all.push_back(std::move(derivatives.procedure));
  }
}

void make_kept(program::Program& program, Procedures& cut) {
  std::vector<ExprId> all = program.invariants;
  if (!program.invariants.empty()) {
    Procedure invariants{"invariants", {}};
    for (ExprId id : program.invariants) {
      invariants.stores.push_back(to_output(cut.invariant_count, id, 0));
      cut.invariant_count += static_cast<std::size_t>(program.graph.type(id).size());
    }
    cut.invariants = cut.all.size();
    cut.all.push_back(std::move(invariants));
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
    cut.projections = cut.all.size();
    cut.all.push_back(std::move(moves));
  }
  if (!program.sensitivities.parameters.empty()) {
    Procedure tangents{"surface_tangents", {}};
    for (const program::SurfaceTangent& tangent : program.sensitivities.surfaces) {
      tangents.stores.push_back(to_output(tangents.stores.size(), tangent.rate, 0));
      for (ExprId change : tangent.change) tangents.stores.push_back(to_output(tangents.stores.size(), change, 0));
    }
    cut.surface_tangents = cut.all.size();
    cut.all.push_back(std::move(tangents));
  }
  cut.kept_loops = needed_loops(program, all, program::Loop::continuous).loops;
}

void make_sampled(const program::Program& program, Procedures& cut) {
  if (program.sampled.empty()) return;
  Procedure sampled{"sampled", {}};
  add_assigns(sampled, program.sampled);
  cut.sampled_loops = needed_loops(program, expressions_of(program.sampled), program::Loop::continuous).loops;
  cut.sampled = cut.all.size();
  cut.all.push_back(std::move(sampled));
}

// Whether what moves can leave an expression without a value.
bool may_lack_value(const program::Program& program, const std::vector<ExprId>& roots) {
  const std::vector<bool> moves = program::find_moving(program);
  std::vector<ExprId> given;
  std::copy_if(roots.begin(), roots.end(), std::back_inserter(given), [](ExprId id) { return id != no_expr; });
  const auto reached = program::reachable(program.graph, given);
  return std::any_of(reached.begin(), reached.end(),
                     [&](ExprId id) { return program::may_lack_value(program.graph, moves, id); });
}

void find_partial(const program::Program& program, Procedures& cut) {
  std::vector<ExprId> roots = program.derivatives;
  for (const program::Loop& loop : program.loops)
    roots.insert(roots.end(), loop.residuals.begin(), loop.residuals.end());
  cut.partial = may_lack_value(program, roots);
  cut.partial_shown = may_lack_value(program, expressions_of(program.always));
}

void make_assertions(program::Program& program, Procedures& cut) {
  if (program.assertions.empty()) return;
  Procedure hold{"assertions", {}}, tried{"tried_assertions", {}}, values{"assertion_values", {}};
  std::vector<ExprId> read;
  for (const program::Assertion& assertion : program.assertions) {
    hold.stores.push_back(to_output(hold.stores.size(), flag(program.graph, assertion.holds), assertion.origin));
    tried.stores.push_back(to_output(tried.stores.size(), flag(program.graph, assertion.tried), assertion.origin));
    read.insert(read.end(), {assertion.holds, assertion.tried});
    for (ExprId value : assertion.values) {
      values.stores.push_back(to_output(values.stores.size(), value, assertion.origin));
      read.push_back(value);
    }
  }
  cut.assertion_loops = needed_loops(program, read, program::Loop::continuous).loops;
  cut.assertions = cut.all.size();
  for (Procedure* procedure : {&hold, &tried, &values}) cut.all.push_back(std::move(*procedure));
}

void make_histories(program::Program& program, Procedures& cut) {
  if (program.histories.empty()) return;
  Procedure values{"histories", {}}, starts{"history_starts", {}}, bounds{"history_bounds", {}};
  std::vector<ExprId> read;
  for (const program::History& history : program.histories) {
    values.stores.push_back(to_output(cut.history_count, history.value, history.origin));
    starts.stores.push_back(to_output(cut.history_count, history.start, history.origin));
    for (const ExprId bound : {history.least, history.largest}) {
      bounds.stores.push_back(to_output(bounds.stores.size(), bound, history.origin));
    }
    cut.history_count += static_cast<std::size_t>(program.graph.type(history.value).size());
    read.push_back(history.value);
  }
  cut.history_loops = needed_loops(program, read, program::Loop::continuous).loops;
  cut.smoothing = smoothing_orders(program);
  cut.histories = cut.all.size();
  cut.history_starts = cut.histories + 1;
  cut.history_bounds = cut.histories + 2;
  for (Procedure* procedure : {&values, &starts, &bounds}) cut.all.push_back(std::move(*procedure));
}

void make_surfaces(program::Program& program, Procedures& cut) {
  std::vector<ExprId> values;
  for (const program::Surface& surface : program.surfaces) values.push_back(surface.value);
  const std::vector<Rates> rates = rates_along_solution(program, values);
  if (rates.empty()) return;
  Procedure settled{"settled", {}};
  for (const program::Surface& surface : program.surfaces) {
    if (surface.settled == no_expr || std::find(cut.held.begin(), cut.held.end(), surface.mode) != cut.held.end())
      continue;
    settled.stores.push_back(to_output(cut.held.size(), surface.settled, surface.origin));
    cut.held.push_back(surface.mode);
  }
  cut.settled = cut.all.size();
  cut.all.push_back(std::move(settled));
  Procedure procedure{"surface_rates", {}};
  const ExprId unknown = program.graph.constant(std::numeric_limits<double>::quiet_NaN());
  for (std::size_t k = 0; k < rates.size(); ++k) {
    cut.affine.push_back(rates[k].affine);
    cut.has_rate.push_back(rates[k].first != no_expr);
    for (const ExprId rate : {rates[k].first, rates[k].second, rates[k].size}) {
      procedure.stores.push_back(
          to_output(procedure.stores.size(), rate == no_expr ? unknown : rate, program.surfaces[k].origin));
    }
  }
  cut.surface_rates = cut.all.size();
  cut.all.push_back(std::move(procedure));
}

// Assignments as procedures, to be run in this order: within one, nothing reads what it writes.
std::size_t add_in_order(const program::Program& program, const std::vector<program::Assign>& assigns, const char* name,
                         Procedures& cut) {
  std::unordered_set<program::SlotId> written;
  std::size_t count = 0;
  for (const program::Assign& assign : assigns) {
    const ExprId read[] = {assign.value, assign.guard};
    const auto slots = slots_read(program.graph, read);
    const bool waits = std::any_of(slots.begin(), slots.end(), [&](auto slot) { return written.contains(slot); });
    if (count == 0 || waits) {
      cut.all.push_back({fmt::format("{}{}", name, count++), {}});
      written.clear();
    }
    cut.all.back().stores.push_back({Store::Target::slot, assign.slot, assign.value, assign.guard, assign.origin});
    written.insert(assign.slot);
  }
  return count;
}

void make_start(const program::Program& program, Procedures& cut) {
  const program::StartSystem& system = program.start_system;
  cut.start = cut.all.size();
  cut.start_count = add_in_order(program, program.start, "start", cut);
  cut.found = cut.all.size();
  cut.found_count = add_in_order(program, system.found, "found", cut);
  if (!system.guesses.empty()) {
    Procedure guesses{"guesses", {}};
    add_assigns(guesses, system.guesses);
    cut.guesses = cut.all.size();
    cut.all.push_back(std::move(guesses));
  }
  if (!system.checks.empty()) {
    Procedure checks{"start_checks", {}};
    for (const program::StartCheck& check : system.checks) {
      checks.stores.push_back(to_output(checks.stores.size(), check.residual, check.origin));
    }
    cut.checks = cut.all.size();
    cut.all.push_back(std::move(checks));
  }
}

// By state, the unknown of the loops of continuous time that is its derivative.
std::vector<int> find_rates(program::Program& program, const Procedures& cut) {
  program::Graph& graph = program.graph;
  const auto element = [&graph](ExprId whole, const program::Type& type, std::int64_t k) {
    return type.is_scalar() ? whole : graph.element(whole, k);
  };
  std::unordered_map<ExprId, int> unknown_of;
  int count = 0;
  for (std::uint32_t k : cut.continuous_loops) {
    for (const program::SlotId slot : program.loops[k].unknowns) {
      const program::Type type = program.slots[slot].type;
      for (std::int64_t e = 0; e < type.size(); ++e) {
        unknown_of.emplace(element(program.read(slot), type, e), count++);
      }
    }
  }
  std::vector<int> rates;
  for (std::size_t s = 0; s < program.states.size(); ++s) {
    const program::Type type = program.slots[program.states[s]].type;
    for (std::int64_t e = 0; e < type.size(); ++e) {
      const auto found = unknown_of.find(element(program.derivatives[s], type, e));
      rates.push_back(found == unknown_of.end() ? -1 : found->second);
      if (found != unknown_of.end()) unknown_of.erase(found);  // the derivative of one state at most
    }
  }
  return rates;
}

}  // namespace

Procedures make_procedures(program::Program& program) {
  Procedures cut;
  make_main(program, cut);
  make_loops(program, cut);
  make_kept(program, cut);
  make_sampled(program, cut);
  find_partial(program, cut);
  make_assertions(program, cut);
  make_histories(program, cut);
  make_surfaces(program, cut);
  make_start(program, cut);
  return cut;
}

StateJacobian make_state_jacobian(program::Program& program, const Procedures& procedures) {
  std::vector<program::SlotId> columns = program.states;
  std::vector<ExprId> rows = program.derivatives;
  for (std::uint32_t k : procedures.continuous_loops) {
    const program::Loop& loop = program.loops[k];
    columns.insert(columns.end(), loop.unknowns.begin(), loop.unknowns.end());
    rows.insert(rows.end(), loop.residuals.begin(), loop.residuals.end());
  }
  std::vector<int> rates = find_rates(program, procedures);
  return {build_jacobian(program, columns, rows), std::move(rates)};
}

}  // namespace orrery::passes
