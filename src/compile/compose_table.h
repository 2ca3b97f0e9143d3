// SPDX-License-Identifier: Apache-2.0
// Composes block bodies into the expressions of one table: inputs become what their drivers compute in this table.
//
// A signal is, for its readers in the table: the new value when its block is active there (under its guard, else what
// it was); the continuous-time expression when its block is always active but not in this table, so that events see
// fresh values; its constant when it never changes; else what memory holds.
#pragma once

#include <functional>
#include <map>
#include <unordered_map>
#include <vector>

#include "base/diagnostic.h"
#include "base/number_map.h"
#include "compile/activate.h"
#include "compile/order_table.h"
#include "compile/reads.h"
#include "equations/group_equations.h"
#include "passes/visit.h"

namespace orrery::equations {
struct System;
}

namespace orrery::compile {

// Values of signals that need no memory, by slot; no_expr elsewhere.
struct SignalValues {
  // An element of a signal that is torn out of an algebraic loop is one unknown, in whichever tables the loop appears.
  std::map<std::pair<program::SlotId, std::int64_t>, program::SlotId> torn;
  // Where an equation comes from blocks that are not always active, its unknown keeps this memory of it meanwhile.
  std::map<program::SlotId, program::SlotId> kept;
  // The state that takes the place of an element of an unknown whose derivative is needed (index reduction).
  std::map<std::pair<program::SlotId, std::int64_t>, program::SlotId> promoted;
  std::vector<program::ExprId> always;    // in continuous time
  std::vector<program::ExprId> standing;  // the same with all conditions as they stand
  std::vector<bool> held;                 // active in continuous time only under a guard: memory keeps the last value
  std::vector<program::ExprId> constant;  // signals that are set once, to a constant
  // Slots of Program::sampled with what moves, by state (no_slot: the time), as it is just after the instant.
  std::map<program::SlotId, program::SlotId> after;
  passes::AnyBelow jumping, lacking;  // expressions that jump, and those that may have no value
};

// Memory of a block that is repeated within a table: a stand-in, and what it begins with.
struct Placed {
  program::ExprId placeholder = program::no_expr;
  program::ExprId start = program::no_expr;
};

class TableComposer {
 public:
  TableComposer(program::Program& program, const FlatModel& model, const Bodies& bodies, const Plan& plan, Reads& reads,
                SignalValues& values);

  // In a table of events: blocks that are always active as well evaluate their jumps just after the instant
  // (docs/semantics.md, 4.6).
  void sample_jumps(const Plan& always);

  // Groups of members that are evaluated as one, by whoever calls give() for their signals and conditions.
  using EvaluateGroup = std::function<bool(std::uint32_t group)>;
  void set_groups(std::unordered_map<std::uint32_t, std::uint32_t> group_of, std::size_t count, EvaluateGroup evaluate);
  void give(program::SlotId signal, program::ExprId value) { computed_[signal] = {value, program::no_expr}; }
  void give_pass(std::uint32_t atom, program::ExprId guard) { pass_guard_[atom] = guard; }
  // Composes the table of such a group, within that of `outer`: the memory of the members is read through stand-ins.
  void be_inside(TableComposer& outer) { outer_ = &outer; }
  const std::unordered_map<program::SlotId, Placed>& places() const { return places_; }
  program::ExprId place_of(program::SlotId slot);
  program::ExprId pass_guard(std::uint32_t atom) { return atom_guard(atom); }
  bool has_equations() const { return !equations_.empty(); }

  // Orders and evaluates all outputs. Algebraic loops are torn; linear ones are solved here, of the others equations
  // are left. False when a loop cannot be solved (reported).
  [[nodiscard]] bool evaluate_outputs(Diagnostics& diagnostics);
  // Makes loops of the program from the equations that are left and from those that blocks declare. False when these do
  // not determine their unknowns (reported).
  [[nodiscard]] bool close_loops(std::int32_t source, Diagnostics& diagnostics);

  // The derivative of a state.
  program::ExprId rate_of(std::uint32_t block, const blocks::Derivative& rule);

  // Guard of a block; with updates_only, activations that come from continuous time do not count. no_expr: true.
  program::ExprId guard(std::uint32_t block, bool updates_only = false);
  // Whether the super blocks around it let it run. no_expr: true.
  program::ExprId condition(std::uint32_t block);
  bool is_member(std::uint32_t block) const { return plan_.contains(block); }
  // A body expression in terms of this table, to be used under the given guard.
  program::ExprId rewrite(program::ExprId expr, program::ExprId guard);

  struct Value {
    program::ExprId fresh;  // valid under guard
    program::ExprId guard;
    program::ExprId after = program::no_expr;  // the same just after the instant, where blocks sample their jumps
  };
  // By signal slot, for the outputs of members.
  const std::unordered_map<program::SlotId, Value>& values() const { return computed_; }
  // What a reader without guard sees.
  program::ExprId seen(program::SlotId signal) { return lookup_signal(signal, program::no_expr); }
  const std::vector<std::uint32_t>& order() const { return order_; }

 private:
  using Memo = NumberMap;

  template <class Counts>
  program::ExprId any_guard(std::uint32_t block, const Counts& counts);
  program::ExprId port_guard(std::uint32_t block, int port);
  program::ExprId atom_guard(std::uint32_t atom);
  program::ExprId lookup(program::SlotId slot, program::ExprId guard);
  program::ExprId lookup_signal(program::SlotId slot, program::ExprId guard);
  program::ExprId outside_value(program::SlotId slot);
  program::ExprId memory_of(program::SlotId slot);
  bool is_placed(program::SlotId slot) const;
  [[nodiscard]] bool evaluate_group(const Part& part, Diagnostics& diagnostics);
  bool implies(program::ExprId guard, program::ExprId condition) const;
  void evaluate(const Task& task);
  template <class Leaf, class Node>
  program::ExprId rewrite(Memo& memo, program::ExprId root, const Leaf& leaf, const Node& node);
  program::ExprId piece_of(program::ExprId id) const;
  // sample_members.cpp
  bool samples(std::uint32_t block) const { return sampling_ != nullptr && sampling_->contains(block); }
  bool may_jump(std::uint32_t block);
  bool may_lack_value(program::ExprId root);
  program::ExprId rewrite_sampled(program::ExprId root, program::ExprId guard);
  program::ExprId rewrite_after(program::ExprId root, program::ExprId guard);
  program::ExprId leaf_after(program::ExprId id, program::ExprId guard);
  program::ExprId leaf_now(program::ExprId id, program::ExprId guard);
  program::ExprId signal_after(program::SlotId slot, program::ExprId guard);
  program::ExprId composed_after(program::ExprId root);
  program::ExprId moving_after(program::SlotId state);
  program::ExprId sampled_node(program::ExprId id, program::ExprId guard,
                               const std::vector<program::ExprId>& arguments);
  // compose_loops.cpp
  using Expanded = std::unordered_map<program::SlotId, program::ExprId>;
  struct Equation {
    program::SlotId unknown;
    program::ExprId residual;
    std::vector<program::OriginId> blocks;
  };
  [[nodiscard]] bool evaluate_elements(const Part& part, Diagnostics& diagnostics);
  void evaluate_element(const Task& task, const Expanded& expanded);
  program::ExprId without_idle_elements(program::ExprId root);
  program::ExprId element_value(const Task& task, const Expanded& expanded);
  program::SlotId unknown_for(const Task& task);
  [[nodiscard]] bool solve_loop(const Part& piece, const Expanded& expanded, Diagnostics& diagnostics);
  [[nodiscard]] bool eliminate(const Part& piece, const std::vector<Equation>& equations, Diagnostics& diagnostics);
  [[nodiscard]] bool declare_equations(Diagnostics& diagnostics);
  [[nodiscard]] bool determines_elements(const equations::EquationGroup& group);
  equations::EquationGroups group_unknowns() const;
  // reduce_equations.cpp
  [[nodiscard]] bool reduce_equations(Diagnostics& diagnostics);
  program::SlotId promoted_state(const equations::System& system, std::uint32_t variable);
  std::vector<program::ExprId> held_values(program::ExprId residual) const;
  program::ExprId kept_while_idle(std::uint32_t block, program::SlotId unknown, program::ExprId residual);

  program::Program& program_;
  const FlatModel& model_;
  const Bodies& bodies_;
  const Plan& plan_;
  Reads& reads_;
  SignalValues& signals_;
  std::unordered_map<program::SlotId, Value> computed_;
  std::unordered_map<program::SlotId, std::vector<program::ExprId>> elements_;  // outputs evaluated piece by piece
  std::unordered_map<std::uint32_t, program::ExprId> pass_guard_;               // by atom
  std::unordered_map<program::ExprId, Memo> memo_;                              // by guard
  const Plan* sampling_ = nullptr;                                              // the blocks that sample their jumps
  std::unordered_map<program::ExprId, Memo> sampled_memo_, after_memo_;         // by guard
  passes::NodeMemo<program::ExprId> composed_memo_{program::no_expr};
  std::vector<std::uint32_t> order_;
  std::vector<Equation> equations_;
  std::vector<program::Loop> eliminated_;
  std::unordered_map<std::uint32_t, std::uint32_t> group_of_;
  std::vector<bool> group_done_;
  EvaluateGroup evaluate_group_;
  TableComposer* outer_ = nullptr;
  std::unordered_map<program::SlotId, Placed> places_;
};

// Rewrites what `root` is made of, arguments first: leaf(id) for what has none and for elements of loops that fall
// apart, node(id, arguments) for everything else.
template <class Leaf, class Node>
program::ExprId TableComposer::rewrite(Memo& memo, program::ExprId root, const Leaf& leaf, const Node& node) {
  std::vector<program::ExprId> arguments;
  const auto done = [&](program::ExprId id) {
    if (memo.contains(id)) return true;
    if (piece_of(id) == program::no_expr) return false;
    memo.add(id, leaf(id));
    return true;
  };
  passes::visit_arguments_first(program_.graph, root, done, [&](program::ExprId id) {
    arguments.clear();
    for (const program::ExprId argument : program_.graph.arguments(id)) arguments.push_back(memo.find(argument));
    const program::ExprId value = arguments.empty() ? leaf(id) : node(id, arguments);
    memo.add(id, value);
  });
  return memo.find(root);
}

}  // namespace orrery::compile
