// SPDX-License-Identifier: Apache-2.0
// Matching of initial equations, with those that keep their start values chosen by rank (a greedy algorithm on a
// transversal matroid is exact), then strong components as loops.
#include "equations/add_start.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <unordered_map>

#include "equations/match.h"
#include "passes/expand_small.h"
#include "passes/own_modes.h"
#include "passes/slice.h"
#include "passes/substitute.h"
#include "program/print.h"

namespace orrery::equations {
namespace {

using program::ExprId;
using program::no_expr;
using program::no_slot;
using program::SlotId;
using program::SlotKind;

// What is sought: the slot it belongs to, and the unknown that stands for it while it is.
struct Sought {
  SlotId slot = no_slot;
  std::int64_t element = 0;
  SlotId unknown = no_slot;
  int rank = 0;
  bool required = true;
};

class Starting {
 public:
  Starting(program::Program& program, const StartProblem& problem, Diagnostics& diagnostics)
      : program_(program),
        graph_(program.graph),
        problem_(problem),
        diagnostics_(diagnostics),
        from_table_(graph_),
        to_unknowns_(graph_),
        expansion_(graph_, any_size) {}

  bool run() {
    if (!check_free()) return false;
    read_initial_table();
    gather();
    name_unknowns();
    substitute_start();
    take_equations();
    pair();
    if (!check_required()) return false;
    write_loops();
    write_rest();
    return true;
  }

 private:
  static constexpr std::int64_t any_size = INT64_MAX;

  // A state that its block sets in the initial table has no choice.
  bool check_free() {
    std::set<SlotId> set;
    if (!program_.sources.empty()) {
      for (const program::Assign& assign : program_.sources[0].table.assigns) set.insert(assign.slot);
    }
    for (const FreeStart& free : problem_.free) {
      if (!set.contains(free.slot)) continue;
      diagnostics_.error("start-not-free", place_of(program_, program_.slots[free.slot].origin),
                         fmt::format("{} cannot be free at the start: its block sets it then",
                                     program::slot_name(program_, free.slot)),
                         "leave it out of the initial conditions, or choose a block that takes an initial value");
      return false;
    }
    return true;
  }

  // What tables have computed when continuous time begins: in terms of what was there before.
  void read_initial_table() {
    if (program_.sources.empty()) return;
    std::map<SlotId, ExprId> value;
    for (const program::Assign& assign : program_.sources[0].table.assigns) {
      const SlotKind kind = program_.slots[assign.slot].kind;
      if (kind != SlotKind::signal && kind != SlotKind::discrete) continue;
      const auto [at, fresh] = value.try_emplace(assign.slot, program_.read(assign.slot));
      at->second = assign.guard == no_expr ? assign.value : graph_.select(assign.guard, assign.value, at->second);
    }
    for (const auto& [slot, expression] : value) from_table_.set(slot, expression);
  }

  // Equations, and the loops and conditions that they read, and so on.
  void gather() {
    std::unordered_map<SlotId, std::uint32_t> loop_of;
    std::unordered_map<SlotId, std::vector<std::uint32_t>> surfaces_of;
    for (std::uint32_t k = 0; k < program_.loops.size(); ++k) {
      const program::Loop& loop = program_.loops[k];
      if (loop.source != program::Loop::continuous && loop.source != 0) continue;
      for (const SlotId unknown : loop.unknowns) {
        if (!loop_of.emplace(unknown, k).second && loop.source == program::Loop::continuous) loop_of[unknown] = k;
      }
    }
    for (std::uint32_t k = 0; k < program_.surfaces.size(); ++k) {
      if (program_.surfaces[k].mode != no_slot) surfaces_of[program_.surfaces[k].mode].push_back(k);
    }
    for (const Equation& equation : problem_.equations) add_equation(equation.residual, equation.origin, equation.text);
    // Where only loops are continued the run moves states to the invariants, if they are not there.
    const bool begins = !problem_.equations.empty() || !problem_.free.empty();
    for (const ExprId invariant : program_.invariants) {
      if (begins) add_equation(invariant, 0, {});
    }
    const SlotId homotopy = program_.start_system.homotopy;
    for (std::uint32_t k = 0; homotopy != no_slot && k < program_.loops.size(); ++k) {
      const auto reads = passes::slots_read(graph_, program_.loops[k].residuals);
      const bool continued = std::binary_search(reads.begin(), reads.end(), homotopy);
      if (continued && program_.loops[k].source == program::Loop::continuous) add_loop(k);
    }
    for (std::size_t next = 0; next < waiting_.size(); ++next) {
      const ExprId expression = waiting_[next];
      for (const SlotId slot : passes::slots_read(graph_, {&expression, 1})) {
        if (const auto loop = loop_of.find(slot); loop != loop_of.end()) add_loop(loop->second);
        const auto surfaces = surfaces_of.find(slot);
        if (surfaces == surfaces_of.end() || !conditions_of_.try_emplace(slot).second) continue;
        for (const std::uint32_t k : surfaces->second) add_condition(slot, program_.surfaces[k]);
      }
    }
  }

  void add_equation(ExprId residual, program::OriginId origin, const std::string& text) {
    residual = from_table_.apply(residual);
    const program::Type type = graph_.type(residual);
    if (!type.is_scalar()) residual = expansion_.apply(residual);
    for (std::int64_t k = 0; k < type.size(); ++k) {
      const ExprId one = type.is_scalar() ? residual : graph_.element(residual, k);
      equations_.push_back({one, origin, 0, text});
      waiting_.push_back(one);
    }
  }

  void add_loop(std::uint32_t k) {
    if (!loops_.insert(k).second) return;
    const program::Loop loop = program_.loops[k];
    if (!loop.solution.empty()) return;
    for (const SlotId slot : loop.unknowns) {
      for (std::int64_t e = 0; e < program_.slots[slot].type.size(); ++e) sought_.push_back({slot, e});
    }
    for (const ExprId residual : loop.residuals) add_equation(residual, loop.blocks.empty() ? 0 : loop.blocks[0], {});
    for (const program::Surface& mode : loop.modes) add_condition(mode.mode, mode);
  }

  void add_condition(SlotId mode, program::Surface surface) {
    surface.value = from_table_.apply(surface.value);
    surface.settled = from_table_.apply(surface.settled);
    waiting_.push_back(surface.value);
    if (surface.settled != no_expr) waiting_.push_back(surface.settled);
    conditions_of_[mode].push_back(std::move(surface));
  }

  // Scalar unknowns of loops stand for themselves, everything else has an unknown of its own.
  void name_unknowns() {
    for (const FreeStart& free : problem_.free) {
      sought_.push_back({free.slot, free.element, no_slot, free.rank, free.required});
    }
    for (Sought& one : sought_) {
      const program::Slot own = program_.slots[one.slot];
      if (own.kind == SlotKind::unknown && own.type.is_scalar()) {
        one.unknown = one.slot;
        continue;
      }
      const std::string index = own.type.is_scalar() ? "" : fmt::format("[{}]", one.element + 1);
      one.unknown = program_.add_slot({own.name + index, program::Type{}, SlotKind::unknown, own.origin});
      if (own.type.is_scalar()) {
        to_unknowns_.set(one.slot, program_.read(one.unknown));
      } else {
        to_unknowns_.set_element(one.slot, one.element, program_.read(one.unknown));
      }
      program_.start_system.guesses.push_back({one.unknown, element_of(one)});
    }
    for (std::uint32_t k = 0; k < sought_.size(); ++k) column_of_.emplace(sought_[k].unknown, k);
  }

  ExprId element_of(const Sought& one) {
    const ExprId whole = program_.read(one.slot);
    return program_.slots[one.slot].type.is_scalar() ? whole : graph_.element(whole, one.element);
  }

  bool reads_unknowns(ExprId expression) const {
    const auto slots = passes::slots_read(graph_, {&expression, 1});
    return std::any_of(slots.begin(), slots.end(), [&](SlotId slot) { return column_of_.contains(slot); });
  }

  // What Program::start computes from what is sought now follows from the unknowns; it is computed once more behind
  // them.
  void substitute_start() {
    std::set<SlotId> free;
    for (const FreeStart& one : problem_.free) free.insert(one.slot);
    for (const program::Assign& assign : program_.start) {
      if (free.contains(assign.slot)) continue;
      const ExprId value = to_unknowns_.apply(assign.value);
      if (!reads_unknowns(value)) continue;
      const ExprId before = program_.read(assign.slot);
      to_unknowns_.set(assign.slot, assign.guard == no_expr
                                        ? value
                                        : graph_.select(to_unknowns_.apply(assign.guard), value, before));
      again_.push_back(assign);
    }
  }

  void take_equations() {
    for (Equation& equation : equations_) equation.residual = to_unknowns_.apply(equation.residual);
    for (auto& [mode, surfaces] : conditions_of_) {
      for (program::Surface& surface : surfaces) {
        surface.value = to_unknowns_.apply(surface.value);
        surface.settled = to_unknowns_.apply(surface.settled);
      }
    }
    for (const Equation& equation : equations_) {
      const auto reads = passes::slots_read(graph_, {&equation.residual, 1});
      std::vector<std::uint32_t> row;
      auto& modes = modes_of_.emplace_back();
      for (const SlotId slot : reads) {
        if (const auto found = column_of_.find(slot); found != column_of_.end()) row.push_back(found->second);
        if (conditions_of_.contains(slot)) modes.push_back(slot);
      }
      std::sort(row.begin(), row.end());
      occurs_.add_row(row);
    }
  }

  // Unknowns of loops first, then what must be determined, then the free values of lowest rank, the last listed first:
  // whatever finds no equation of its own keeps its start value.
  void pair() {
    matching_ = empty_matching(occurs_.rows(), static_cast<std::uint32_t>(sought_.size()));
    places_ = transposed(occurs_, static_cast<std::uint32_t>(sought_.size()));
    std::vector<std::uint32_t> order(sought_.size());
    std::iota(order.begin(), order.end(), 0u);
    const auto eager = [&](std::uint32_t v) {
      const Sought& one = sought_[v];
      const int group = program_.slots[one.slot].kind == SlotKind::unknown ? 0 : one.required ? 1 : 2;
      return std::tuple{group, one.rank, -static_cast<std::int64_t>(v)};
    };
    std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return eager(a) < eager(b); });
    stamp_.assign(occurs_.rows(), 0);
    found_by_.assign(occurs_.rows(), none);
    for (std::uint32_t k = 0; k < order.size(); ++k) augment(order[k], k + 1);
  }

  // A path from the unknown to an equation that has none; those on it give way.
  void augment(std::uint32_t unknown, std::uint32_t stamp) {
    std::vector<std::uint32_t> reached{unknown};
    for (std::size_t at = 0; at < reached.size(); ++at) {
      for (const std::uint32_t e : places_[reached[at]]) {
        if (stamp_[e] == stamp) continue;
        stamp_[e] = stamp;
        found_by_[e] = reached[at];
        const std::uint32_t owner = matching_.unknown_of[e];
        if (owner != none) {
          reached.push_back(owner);
          continue;
        }
        for (std::uint32_t equation = e; equation != none;) {
          const std::uint32_t u = found_by_[equation];
          const std::uint32_t before = matching_.equation_of[u];
          matching_.pair(equation, u);
          equation = u == unknown ? none : before;
        }
        return;
      }
    }
  }

  // By Dulmage and Mendelsohn: the part around those that nothing determines.
  bool check_required() {
    bool all = true;
    for (std::uint32_t v = 0; v < sought_.size(); ++v) all = all && (!sought_[v].required || is_paired(v));
    if (all) return true;
    for (const Part& part : find_misfits(occurs_, matching_).under) {
      const bool concerned = std::any_of(part.unknowns.begin(), part.unknowns.end(),
                                         [&](std::uint32_t v) { return sought_[v].required && !is_paired(v); });
      if (!concerned) continue;
      std::string names;
      for (const std::uint32_t v : part.unknowns) names += (names.empty() ? "" : ", ") + name_of(v);
      Diagnostic& d = diagnostics_.error("start-not-determined",
                                         place_of(program_, program_.slots[sought_[part.unknowns[0]].slot].origin),
                                         fmt::format("{} equations of the start for {} unknowns: {}",
                                                     part.equations.size(), part.unknowns.size(), names),
                                         "give as many of them a fixed start value, or as many initial equations more");
      for (const std::uint32_t e : part.equations) d.notes.push_back(describe(e));
    }
    return false;
  }

  bool is_paired(std::uint32_t v) const { return matching_.equation_of[v] != none; }
  std::string name_of(std::uint32_t v) const { return program::slot_name(program_, sought_[v].unknown); }
  std::string describe(std::uint32_t e) const {
    const Equation& equation = equations_[e];
    return equation.text.empty() ? "0 = " + program::to_text(program_, equation.residual) : equation.text;
  }

  // Which modes an equation needs settled, through conditions that read other modes.
  std::vector<SlotId> all_modes(const std::vector<SlotId>& direct) const {
    std::vector<SlotId> all = direct;
    for (std::size_t k = 0; k < all.size(); ++k) {
      for (const program::Surface& surface : conditions_of_.at(all[k])) {
        const ExprId reads[] = {surface.value, surface.settled};
        for (const SlotId slot : passes::slots_read(graph_, reads)) {
          if (conditions_of_.contains(slot) && std::find(all.begin(), all.end(), slot) == all.end()) {
            all.push_back(slot);
          }
        }
      }
    }
    return all;
  }

  // An equation needs the unknowns that it reads, and those that its conditions read.
  void write_loops() {
    Adjacency needs;
    std::vector<std::uint32_t> rows;  // equations with an unknown of their own
    std::vector<std::uint32_t> row_of(equations_.size(), none);
    for (std::uint32_t e = 0; e < equations_.size(); ++e) {
      if (matching_.unknown_of[e] == none) continue;
      row_of[e] = static_cast<std::uint32_t>(rows.size());
      rows.push_back(e);
    }
    for (const std::uint32_t e : rows) {
      modes_of_[e] = all_modes(modes_of_[e]);
      std::set<std::uint32_t> needed(occurs_[e].begin(), occurs_[e].end());
      for (const SlotId mode : modes_of_[e]) {
        for (const program::Surface& surface : conditions_of_.at(mode)) {
          const ExprId reads[] = {surface.value, surface.settled};
          for (const SlotId slot : passes::slots_read(graph_, reads)) {
            if (const auto found = column_of_.find(slot); found != column_of_.end()) needed.insert(found->second);
          }
        }
      }
      for (const std::uint32_t v : needed) {
        if (is_paired(v)) needs.target.push_back(row_of[matching_.equation_of[v]]);
      }
      needs.end_row();
    }
    const Adjacency groups = strong_components(needs);
    for (std::uint32_t g = 0; g < groups.rows(); ++g) {
      program::Loop loop;
      loop.source = program::Loop::start;
      std::vector<std::uint32_t> members(groups[g].begin(), groups[g].end());
      std::sort(members.begin(), members.end());
      for (const std::uint32_t row : members) add_to(loop, rows[row]);
      passes::own_modes(program_, loop);
      program_.loops.push_back(std::move(loop));
    }
  }

  void add_to(program::Loop& loop, std::uint32_t e) {
    const Equation& equation = equations_[e];
    loop.unknowns.push_back(sought_[matching_.unknown_of[e]].unknown);
    loop.residuals.push_back(equation.residual);
    if (std::find(loop.blocks.begin(), loop.blocks.end(), equation.origin) == loop.blocks.end())
      loop.blocks.push_back(equation.origin);
    for (const SlotId mode : modes_of_[e]) {
      if (!settled_.insert(mode).second) continue;
      const auto& surfaces = conditions_of_.at(mode);
      loop.modes.insert(loop.modes.end(), surfaces.begin(), surfaces.end());
    }
  }

  // States take what was found; so does what Program::start computes from it.
  void write_rest() {
    std::map<SlotId, std::vector<ExprId>> elements;
    for (std::uint32_t v = 0; v < sought_.size(); ++v) {
      const Sought& one = sought_[v];
      if (!is_paired(v)) program_.start_system.given.push_back(name_of(v));
      if (one.unknown == one.slot) continue;
      auto& own = elements[one.slot];
      const program::Type type = program_.slots[one.slot].type;
      for (std::int64_t k = static_cast<std::int64_t>(own.size()); k < type.size(); ++k) {
        own.push_back(type.is_scalar() ? program_.read(one.slot) : graph_.element(program_.read(one.slot), k));
      }
      own[static_cast<std::size_t>(one.element)] = program_.read(one.unknown);
    }
    auto& found = program_.start_system.found;
    for (const auto& [slot, values] : elements) {
      const program::Type type = program_.slots[slot].type;
      found.push_back(
          {slot, type.is_scalar() ? values[0] : graph_.stack(type, values), no_expr, program_.slots[slot].origin});
    }
    found.insert(found.end(), again_.begin(), again_.end());
    for (std::uint32_t e = 0; e < equations_.size(); ++e) {
      if (matching_.unknown_of[e] != none) continue;
      program_.start_system.checks.push_back({equations_[e].residual, equations_[e].origin, describe(e)});
    }
  }

  program::Program& program_;
  program::Graph& graph_;
  const StartProblem& problem_;
  Diagnostics& diagnostics_;
  passes::Substitution from_table_, to_unknowns_;
  passes::SmallExpansion expansion_;
  std::vector<Equation> equations_;
  std::vector<ExprId> waiting_;  // expressions whose reads are to be looked at
  std::set<std::uint32_t> loops_;
  std::map<SlotId, std::vector<program::Surface>> conditions_of_;  // by mode
  std::vector<Sought> sought_;
  std::unordered_map<SlotId, std::uint32_t> column_of_;  // by unknown
  std::vector<program::Assign> again_;
  std::vector<std::vector<SlotId>> modes_of_;  // by equation
  Adjacency occurs_, places_;
  Matching matching_;
  std::vector<std::uint32_t> stamp_, found_by_;  // by equation, for augment()
  std::set<SlotId> settled_;                     // modes that a loop has
};

}  // namespace

bool add_start(program::Program& program, const StartProblem& problem, Diagnostics& diagnostics) {
  return Starting(program, problem, diagnostics).run();
}

}  // namespace orrery::equations
