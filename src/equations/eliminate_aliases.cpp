// SPDX-License-Identifier: Apache-2.0
// Union and find with signs.
#include "equations/eliminate_aliases.h"

#include <algorithm>
#include <optional>
#include <tuple>

#include "equations/unfold.h"

namespace orrery::equations {
namespace {

using program::ExprId;
using program::no_expr;
using program::Op;

struct Signed {
  VariableId variable;
  bool negated;
};

class Aliases {
 public:
  explicit Aliases(System& system) : system_(system), graph_(system.program->graph), index_(system) {
    for (VariableId v = 0; v < system.variables.size(); ++v) parent_.push_back({v, false});
  }

  void run() {
    std::vector<Equation> kept;
    for (Equation& equation : system_.equations) {
      const auto pair = as_pair(equation.residual);
      if (!pair || !unite(pair->first, pair->second)) kept.push_back(std::move(equation));
    }
    system_.equations = std::move(kept);
    rewrite();
  }

 private:
  // A variable or its negative.
  std::optional<Signed> as_variable(ExprId id) const {
    bool negated = false;
    while (graph_[id].op == Op::neg) {
      negated = !negated;
      id = graph_.arguments(id)[0];
    }
    std::int64_t element = 0;
    if (graph_[id].op == Op::element) {
      element = static_cast<std::int64_t>(graph_[id].payload);
      id = graph_.arguments(id)[0];
    } else if (!graph_.type(id).is_scalar()) {
      return std::nullopt;
    }
    if (graph_[id].op != Op::read) return std::nullopt;
    const VariableId v = index_.find(static_cast<program::SlotId>(graph_[id].payload), element);
    if (v == none) return std::nullopt;
    return Signed{v, negated};
  }

  // The residual says first = second.
  std::optional<std::pair<Signed, Signed>> as_pair(ExprId id) const {
    while (graph_[id].op == Op::neg) id = graph_.arguments(id)[0];
    if (graph_[id].op != Op::add && graph_[id].op != Op::sub) return std::nullopt;
    const auto a = as_variable(graph_.arguments(id)[0]);
    auto b = as_variable(graph_.arguments(id)[1]);
    if (!a || !b) return std::nullopt;
    if (graph_[id].op == Op::add) b->negated = !b->negated;
    return std::pair{*a, *b};
  }

  Signed find(VariableId v) {
    Signed at{v, false};
    std::vector<VariableId> path;
    while (parent_[at.variable].variable != at.variable) {
      path.push_back(at.variable);
      at = {parent_[at.variable].variable, at.negated != parent_[at.variable].negated};
    }
    bool negated = at.negated;
    for (const VariableId step : path) {  // shorten
      const bool own = parent_[step].negated;
      parent_[step] = {at.variable, negated};
      negated = negated != own;
    }
    return at;
  }

  std::tuple<bool, bool, StateSelect, bool> rank(VariableId v) const {
    const Variable& x = system_.variables[v];
    return {x.is_state(), x.fixed, x.select, system_.program->graph.is_constant(start_of(x), 0)};
  }
  ExprId start_of(const Variable& v) const {
    const ExprId initial = system_.program->slots[v.slot].initial;
    return initial == no_expr ? system_.program->graph.constant(0) : initial;
  }

  // False: this says more than that one is the other.
  bool unite(Signed a, Signed b) {
    Signed ra = find(a.variable), rb = find(b.variable);
    const bool negated = (a.negated != ra.negated) != (b.negated != rb.negated);
    if (ra.variable == rb.variable) return false;  // x = -x, or a law that is there already
    Variable& x = system_.variables[ra.variable];
    Variable& y = system_.variables[rb.variable];
    if (x.rate != no_expr && y.rate != no_expr) return false;  // two motions: a constraint between them
    if ((x.rate != no_expr && y.derivative != none) || (y.rate != no_expr && x.derivative != none)) return false;
    if (x.fixed && y.fixed) return false;  // the start has to decide
    const bool keeps_first = rank(ra.variable) >= rank(rb.variable);
    const VariableId kept = keeps_first ? ra.variable : rb.variable, gone = keeps_first ? rb.variable : ra.variable;
    const VariableId kept_rate = system_.variables[kept].derivative, gone_rate = system_.variables[gone].derivative;
    if (kept_rate != none && gone_rate != none && !can_join(kept_rate, gone_rate)) return false;
    parent_[gone] = {kept, negated};
    if (kept_rate != none && gone_rate != none) join(kept_rate, gone_rate, negated);
    return true;
  }

  // The derivatives of aliases are aliases, too; both are unknowns as a rule.
  bool can_join(VariableId a, VariableId b) {
    const Variable &x = system_.variables[find(a).variable], &y = system_.variables[find(b).variable];
    return !x.is_state() || !y.is_state();
  }
  void join(VariableId a, VariableId b, bool negated) {
    const Signed ra = find(a), rb = find(b);
    if (ra.variable == rb.variable) return;
    const bool sign = (ra.negated != rb.negated) != negated;
    const bool keeps_first = rank(ra.variable) >= rank(rb.variable);
    parent_[keeps_first ? rb.variable : ra.variable] = {keeps_first ? ra.variable : rb.variable, sign};
  }

  void rewrite() {
    Unfolding unfolding(*system_.program);
    for (VariableId v = 0; v < parent_.size(); ++v) {
      const Signed root = find(v);
      if (root.variable == v) continue;
      system_.aliases.push_back({v, root.variable, root.negated});
      const ExprId read = system_.read(root.variable);
      const Variable& own = system_.variables[v];
      unfolding.set(own.slot, own.element, root.negated ? graph_.unary(Op::neg, read) : read);
    }
    if (system_.aliases.empty()) return;
    for (VariableId v = 0; v < parent_.size(); ++v) {
      Variable& x = system_.variables[v];
      if (find(v).variable != v) {
        x.derivative = none;
        x.rate = no_expr;
        continue;
      }
      if (x.derivative != none && find(x.derivative).variable != x.derivative) {
        x.rate = unfolding.apply(system_.read(x.derivative));
        x.derivative = none;
      } else {
        x.rate = unfolding.apply(x.rate);
      }
    }
    for (auto* list : {&system_.equations, &system_.initial}) {
      for (Equation& equation : *list) equation.residual = unfolding.apply(equation.residual);
    }
  }

  System& system_;
  program::Graph& graph_;
  VariableIndex index_;
  std::vector<Signed> parent_;
};

}  // namespace

void eliminate_aliases(System& system) { Aliases(system).run(); }

}  // namespace orrery::equations
