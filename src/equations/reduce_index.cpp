// SPDX-License-Identifier: Apache-2.0
// Pantelides' algorithm, with symbolic differentiation as it goes.
#include "equations/reduce_index.h"

#include <fmt/format.h>

#include <algorithm>

#include "equations/match.h"
#include "equations/presolve.h"
#include "equations/time_derivative.h"
#include "equations/unfold.h"

namespace orrery::equations {
namespace {

using program::ExprId;
using program::no_expr;

constexpr std::uint32_t most_differentiations = 12;  // mechanisms need two, controlled ones a few more

class Reduction {
 public:
  Reduction(System& system, Diagnostics& diagnostics, const std::function<bool()>& interrupted)
      : system_(system),
        diagnostics_(diagnostics),
        interrupted_(interrupted),
        values_(*system.program),
        index_(system),
        derivative_(system, [this](VariableId v) { return rate_of(v); }) {}

  bool run() {
    if (is_determined()) return true;
    gather();
    // What differentiation cancels leaves an equation without its unknown: then once more.
    for (bool complete = false; !complete;) {
      complete = true;
      for (std::uint32_t e = 0; e < equations_.size(); ++e) {
        if (unknown_of_[e] != none) continue;
        complete = false;
        while (!augment(e)) {
          if (interrupted_ && interrupted_()) return false;
          if (!differentiate()) return false;
        }
      }
    }
    return true;
  }

 private:
  // Whether the equations determine the unknowns as they are.
  bool is_determined() {
    Adjacency occurs;
    for (const Equation& equation : system_.equations) {
      for (const VariableId v : index_.read_by(equation.residual)) {
        if (!system_.variables[v].is_state()) occurs.target.push_back(v);
      }
      occurs.end_row();
    }
    return match(occurs, static_cast<std::uint32_t>(system_.variables.size())).size() == occurs.rows();
  }

  // What is given as it stands never has to be differentiated: its value takes its place. Of the others the largest
  // matching is the start.
  void gather() {
    std::vector<bool> gives(system_.equations.size(), false);
    for (const Given& given : presolve(system_, values_)) gives[given.equation] = true;
    Adjacency occurs;
    for (std::uint32_t e = 0; e < system_.equations.size(); ++e) {
      if (gives[e]) continue;
      equations_.push_back(e);
      residual_.push_back(values_.apply(system_.equations[e].residual));
      occurs_.push_back(unknowns_in(residual_.back()));
      occurs.add_row(occurs_.back());
    }
    Matching matching = match(occurs, static_cast<std::uint32_t>(system_.variables.size()));
    unknown_of_ = std::move(matching.unknown_of);
    equation_of_ = std::move(matching.equation_of);
    equation_stamp_.assign(equations_.size(), 0);
  }

  std::vector<VariableId> unknowns_in(ExprId residual) {
    std::vector<VariableId> result = index_.read_by(residual);
    std::erase_if(result, [&](VariableId v) { return system_.variables[v].is_state(); });
    return result;
  }

  // Searches a free unknown for equation e; what was reached in vain is left in reached_.
  bool augment(std::uint32_t e) {
    ++stamp_;
    reached_.assign(1, e);
    equation_stamp_[e] = stamp_;
    unknown_stamp_.resize(system_.variables.size(), 0);
    found_by_.resize(system_.variables.size(), none);
    for (std::size_t at = 0; at < reached_.size(); ++at) {
      for (const VariableId v : occurs_[reached_[at]]) {
        if (system_.variables[v].is_state() || unknown_stamp_[v] == stamp_) continue;
        unknown_stamp_[v] = stamp_;
        found_by_[v] = reached_[at];
        const std::uint32_t owner = equation_of_[v];
        if (owner == none) {
          give_way(v);
          return true;
        }
        if (equation_stamp_[owner] == stamp_) continue;
        equation_stamp_[owner] = stamp_;
        reached_.push_back(owner);
      }
    }
    return false;
  }

  void give_way(VariableId v) {
    while (v != none) {
      const std::uint32_t e = found_by_[v];
      equation_of_[v] = e;
      std::swap(v, unknown_of_[e]);
    }
  }

  // The derivative of a variable; that of an unknown is a new unknown, which the variable's equation now determines.
  ExprId rate_of(VariableId v) {
    if (system_.variables[v].rate != no_expr) return values_.apply(system_.variables[v].rate);
    if (system_.variables[v].derivative == none) {
      const VariableId rate = system_.derivative_of(v);
      index_.add(rate, system_.variables[rate]);
      equation_of_.resize(system_.variables.size(), none);
      const std::uint32_t owner = equation_of_[v];
      equation_of_[v] = none;
      equation_of_[rate] = owner;
      if (owner != none) unknown_of_[owner] = rate;
    }
    return values_.apply(system_.read(system_.variables[v].derivative));
  }

  // More equations than unknowns were reached: all of these are differentiated.
  bool differentiate() {
    std::sort(reached_.begin(), reached_.end());
    for (const std::uint32_t k : reached_) {
      Equation& equation = system_.equations[equations_[k]];
      if (equation.differentiated >= most_differentiations) return give_up(equation, "no end comes");
      const ExprId derivative = derivative_.of(residual_[k]);
      Equation& own = system_.equations[equations_[k]];
      if (derivative == no_expr) return give_up(own, "it has no derivative");
      system_.invariants.push_back({residual_[k], own.origin, own.differentiated, own.text});
      own.residual = residual_[k] = derivative;
      ++own.differentiated;
    }
    for (const std::uint32_t k : reached_) {
      occurs_[k] = unknowns_in(residual_[k]);
      const std::uint32_t own = unknown_of_[k];
      if (own == none || std::find(occurs_[k].begin(), occurs_[k].end(), own) != occurs_[k].end()) continue;
      unknown_of_[k] = equation_of_[own] = none;
    }
    return true;
  }

  bool give_up(const Equation& equation, const char* why) {
    auto& d = diagnostics_.error(
        "index-not-reduced", place_of(*system_.program, equation.origin),
        fmt::format("this equation constrains states and has to be differentiated, but {}: {}", why,
                    text_of(system_, equation)),
        "write the constraint in terms that have a derivative, or differentiate it by hand until every unknown is "
        "determined");
    for (const std::uint32_t k : reached_) {
      const Equation& other = system_.equations[equations_[k]];
      d.notes.push_back(fmt::format("differentiated {} times: {}", other.differentiated, text_of(system_, other)));
    }
    return false;
  }

  System& system_;
  Diagnostics& diagnostics_;
  const std::function<bool()>& interrupted_;
  Unfolding values_;
  VariableIndex index_;
  TimeDerivative derivative_;
  // By equation that is not given as it stands:
  std::vector<std::uint32_t> equations_;
  std::vector<ExprId> residual_;
  std::vector<std::vector<VariableId>> occurs_;
  Indices unknown_of_, equation_stamp_;
  Indices equation_of_, unknown_stamp_, found_by_;  // by variable
  std::vector<std::uint32_t> reached_;
  std::uint32_t stamp_ = 0;
};

}  // namespace

bool reduce_index(System& system, Diagnostics& diagnostics, const std::function<bool()>& interrupted) {
  return Reduction(system, diagnostics, interrupted).run();
}

}  // namespace orrery::equations
