// SPDX-License-Identifier: Apache-2.0
// Explicit equations first, from those that need nothing on; then derivatives.
#include "equations/presolve.h"

#include <algorithm>

#include "equations/linear_terms.h"

namespace orrery::equations {
namespace {

using program::ExprId;
using program::no_expr;
using program::Op;

class Presolving {
 public:
  Presolving(System& system, Unfolding& values)
      : system_(system), graph_(system.program->graph), values_(values), index_(system) {
    const std::size_t count = system.variables.size();
    is_given_.assign(count, false);
    is_rate_.assign(count, false);
    places_.resize(count);
    for (const Variable& v : system.variables) {
      if (v.derivative != none) is_rate_[v.derivative] = true;
      if (v.rate == no_expr) continue;
      const auto reads = index_.read_by(v.rate);
      if (reads.size() != 1) continue;
      const ExprId read = system_.read(reads[0]);
      if (v.rate == read || v.rate == graph_.unary(Op::neg, read)) is_rate_[reads[0]] = true;
    }
    for (std::uint32_t e = 0; e < system.equations.size(); ++e) {
      auto& row = occurs_.emplace_back();
      for (const VariableId v : index_.read_by(system.equations[e].residual)) {
        if (system.variables[v].is_state()) continue;
        row.push_back(v);
        places_[v].push_back(e);
      }
    }
    left_.resize(occurs_.size());
    used_.assign(occurs_.size(), false);
  }

  std::vector<Given> run() {
    std::vector<std::uint32_t> queue;
    for (std::uint32_t e = 0; e < occurs_.size(); ++e) {
      left_[e] = static_cast<std::uint32_t>(occurs_[e].size());
      if (left_[e] == 1) queue.push_back(e);
    }
    for (std::size_t next = 0; next < queue.size(); ++next) {
      const std::uint32_t e = queue[next];
      const auto v = std::find_if(occurs_[e].begin(), occurs_[e].end(), [&](VariableId u) { return !is_given_[u]; });
      if (v == occurs_[e].end() || !give(e, *v)) continue;
      for (const std::uint32_t other : places_[*v]) {
        if (--left_[other] == 1 && !used_[other]) queue.push_back(other);
      }
    }
    for (std::uint32_t e = 0; e < occurs_.size(); ++e) {
      if (used_[e]) continue;
      VariableId rate = none;
      int rates = 0;
      for (const VariableId v : occurs_[e]) {
        if (!is_rate_[v] || is_given_[v]) continue;
        rate = v;
        ++rates;
      }
      if (rates == 1 && !needs_given_rate(e)) give(e, rate);
    }
    return std::move(given_);
  }

 private:
  // A derivative that was given in the second round reads unknowns of any kind: what needs it must not be given.
  bool needs_given_rate(std::uint32_t e) const {
    return std::any_of(occurs_[e].begin(), occurs_[e].end(),
                       [&](VariableId v) { return is_given_[v] && late_.size() > v && late_[v]; });
  }

  bool give(std::uint32_t e, VariableId v) {
    const Variable& variable = system_.variables[v];
    const ExprId value = solve_for(system_, index_, linear_terms(*system_.program, system_.equations[e].residual), v);
    if (value == no_expr) return false;
    values_.set(variable.slot, variable.element, value);
    is_given_[v] = used_[e] = true;
    if (left_[e] != 1) {
      late_.resize(system_.variables.size(), false);
      late_[v] = true;
    }
    given_.push_back({e, v});
    return true;
  }

  System& system_;
  program::Graph& graph_;
  Unfolding& values_;
  VariableIndex index_;
  std::vector<bool> is_given_, is_rate_, used_, late_;
  std::vector<std::vector<VariableId>> occurs_;
  std::vector<std::vector<std::uint32_t>> places_;
  std::vector<std::uint32_t> left_;
  std::vector<Given> given_;
};

}  // namespace

std::vector<Given> presolve(System& system, Unfolding& values) { return Presolving(system, values).run(); }

}  // namespace orrery::equations
