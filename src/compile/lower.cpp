// SPDX-License-Identifier: Apache-2.0
// Lowering: first what never changes, then continuous time, then one table per source.
#include "compile/lower.h"

#include <unordered_set>

#include "blocks/guard_body.h"
#include "compile/declare_interface.h"
#include "compile/declare_probes.h"
#include "compile/describe_probes.h"
#include "compile/lower_continuous.h"
#include "compile/lower_table.h"
#include "compile/mark_critical.h"
#include "compile/repeat_unit.h"
#include "compile/sample_conditions.h"
#include "compile/watch_signals.h"
#include "passes/expand_small.h"
#include "passes/remove_dead.h"
#include "program/parameter_space.h"

namespace orrery::compile {
namespace {

using program::ExprId;
using program::no_expr;

// Signals of blocks that run only at the start and compute a constant, or what follows from parameters: their readers
// use that.
void find_constants(const FlatModel& model, const Bodies& bodies, const Activations& activations,
                    TableComposer& initial, const program::Program& program, SignalValues& values) {
  const std::vector<bool> repeated = find_repeated_blocks(model, bodies);
  std::vector<int> plans(bodies.of_block.size(), 0);
  for (std::uint32_t b : activations.always.members) ++plans[b];
  for (const Plan& plan : activations.sources) {
    for (std::uint32_t b : plan.members) ++plans[b];
  }
  for (const auto& [slot, value] : initial.values()) {
    if (plans[bodies.owner[slot]] != 1 || value.guard != no_expr || repeated[bodies.owner[slot]]) continue;
    const bool constant = program.graph.is_constant(value.fresh) ||
                          (!program.parameters.empty() && program::is_start_value(program, value.fresh));
    if (constant) values.constant[slot] = value.fresh;
  }
}

// The bodies as continuous time sees them, for the blocks that it reaches.
Bodies guard_bodies(const Bodies& bodies, const Activations& activations, program::Program& program) {
  Bodies guarded = bodies;
  for (std::uint32_t b : activations.always.members) {
    if (!blocks::needs_guard(bodies.of_block[b], program.graph)) continue;
    guarded.of_block.set(b, blocks::guard_body(bodies.of_block[b], program, b + 1));
  }
  for (std::size_t s = guarded.owner.size(); s < program.slots.size(); ++s) {
    guarded.owner.push_back(program.slots[s].origin - 1);
  }
  return guarded;
}

Bodies bodies_of_fixed_steps(const Bodies& bodies, const Activations& activations, program::Program& program) {
  Bodies result = bodies;
  for (std::uint32_t b : activations.always.members) {
    if (!blocks::reads_memories(bodies.of_block[b])) continue;
    result.of_block.set(b, blocks::body_of_fixed_steps(bodies.of_block[b], program));
  }
  return result;
}

// What is remembered on the left of instants; after every step where surfaces that would end steps in time could not be
// made.
void add_left(const FlatModel& model, const ContinuousTime& time, program::Program& program, Diagnostics& diagnostics) {
  if (time.left.empty()) return;
  program::Source source;
  source.kind = program::SourceKind::left;
  source.table.assigns = time.left;
  std::unordered_set<std::uint32_t> told;
  for (const SignalRate& rate : time.rates) {
    if (rate.known) continue;
    source.kind = program::SourceKind::step;
    if (!told.insert(rate.block).second) continue;
    diagnostics.warning("reversal-not-located", model.place(model.blocks[rate.block]),
                        "there is no formula for the rate of its input, which comes from an algebraic loop "
                        "or foreign code: where the input turns back is noticed at the end of a step only",
                        "bound the step with hmax, or put an Integral or a ContTransFunc of a short time constant "
                        "before it");
  }
  program.sources.push_back(std::move(source));
}

}  // namespace

bool lower(const FlatModel& model, const Bodies& bodies, const Activations& activations, const CompileOptions& options,
           program::Program& program, Diagnostics& diagnostics) {
  const int errors = diagnostics.error_count();
  const ProbeIndex probes = declare_probes(bodies, activations, program);
  std::vector<std::string> names = options.watch;
  if (options.watch_more) {
    const std::vector<std::string> more = options.watch_more(program);
    names.insert(names.end(), more.begin(), more.end());
  }
  const std::vector<WatchedSignal> watched = find_watched(model, bodies, names, program, diagnostics);
  if (diagnostics.error_count() > errors) return false;
  std::vector<program::SlotId> shown;
  for (const WatchedSignal& signal : watched) shown.push_back(signal.slot);
  // With a fixed step conditions are evaluated as they stand, as in events.
  const Bodies continuous = options.fixed_step ? bodies_of_fixed_steps(bodies, activations, program)
                                               : guard_bodies(bodies, activations, program);

  Reads reads(program);
  SignalValues values;
  values.always.assign(program.slots.size(), no_expr);
  values.held.assign(program.slots.size(), false);
  values.constant.assign(program.slots.size(), no_expr);

  TableComposer initial(program, model, bodies, activations.sources[0], reads, values);
  if (!initial.evaluate_outputs(diagnostics)) return false;
  find_constants(model, bodies, activations, initial, program, values);
  if (options.interrupted()) return false;

  TableComposer always(program, model, continuous, activations.always, reads, values);
  if (!always.evaluate_outputs(diagnostics) || !always.close_loops(program::Loop::continuous, diagnostics))
    return false;
  if (options.interrupted()) return false;
  program.fixed_step = options.fixed_step;
  const ContinuousTime time = lower_continuous(continuous, activations, always, shown, program, values);
  if (activations.sources.size() > 1) sample_conditions(program, values);

  bool ok = true;
  for (std::size_t k = 0; k < activations.sources.size(); ++k) {
    if (options.interrupted()) return false;
    program.sources.push_back(lower_table(model, bodies, activations, activations.sources[k], reads, values, probes,
                                          program, diagnostics, ok));
  }
  if (!ok) return false;
  add_left(model, time, program, diagnostics);
  add_probes(watched, values, program);
  declare_interface(model, bodies, activations, probes, program);
  declare_variables(bodies, values, options.keep_signals, program);
  if (options.interrupted()) return false;
  passes::expand_small(program);
  passes::remove_dead(program);
  describe_probes(program);
  mark_critical(program);
  return true;
}

}  // namespace orrery::compile
