// SPDX-License-Identifier: Apache-2.0
// A matching of equations with variables; where it is not complete its over- and under-determined parts are named.
#include "equations/check_structure.h"

#include <fmt/format.h>

#include <algorithm>

#include "equations/match.h"

namespace orrery::equations {
namespace {

constexpr std::size_t shown = 8;

class Structure {
 public:
  explicit Structure(const System& system) : system_(system), index_(system) {
    const auto count = static_cast<VariableId>(system.variables.size());
    column_of_.assign(count, none);
    std::vector<VariableId> integral(count, none);
    for (VariableId v = 0; v < count; ++v) {
      if (system.variables[v].derivative != none) integral[system.variables[v].derivative] = v;
    }
    for (const Alias& alias : system.aliases) column_of_[alias.variable] = none - 1;
    for (VariableId v = 0; v < count; ++v) {
      if (column_of_[v] == none - 1 || integral[v] != none) continue;
      for (VariableId at = v; at != none; at = system.variables[at].derivative) {
        column_of_[at] = static_cast<std::uint32_t>(columns_.size());
      }
      columns_.push_back(v);
    }
  }

  bool check(Diagnostics& diagnostics) {
    Matching begin = empty_matching(0, static_cast<std::uint32_t>(columns_.size()));
    for (std::uint32_t e = 0; e < system_.equations.size(); ++e) add_row(system_.equations[e].residual, none);
    for (VariableId v = 0; v < system_.variables.size(); ++v) {
      if (system_.variables[v].rate == program::no_expr) continue;
      known_rates_.push_back(v);
      add_row(system_.variables[v].rate, column_of_[v]);
    }
    begin.unknown_of.assign(occurs_.rows(), none);
    for (std::size_t k = 0; k < known_rates_.size(); ++k) {
      begin.pair(static_cast<std::uint32_t>(system_.equations.size() + k), column_of_[known_rates_[k]]);
    }
    const Matching matching = match(occurs_, std::move(begin));
    if (matching.size() == occurs_.rows() && matching.size() == columns_.size()) return true;
    report(find_misfits(occurs_, matching), diagnostics);
    return false;
  }

 private:
  void add_row(program::ExprId expression, std::uint32_t own) {
    std::vector<std::uint32_t> row;
    if (own != none) row.push_back(own);
    for (const VariableId v : index_.read_by(expression)) {
      if (column_of_[v] < none - 1) row.push_back(column_of_[v]);
    }
    std::sort(row.begin(), row.end());
    row.erase(std::unique(row.begin(), row.end()), row.end());
    occurs_.add_row(row);
  }

  std::string names(const Part& part) const {
    std::string text;
    for (std::size_t k = 0; k < std::min(part.unknowns.size(), shown); ++k) {
      text += (k == 0 ? "" : ", ") + name_of(system_, columns_[part.unknowns[k]]);
    }
    if (part.unknowns.size() > shown) text += fmt::format(" and {} more", part.unknowns.size() - shown);
    return text;
  }

  // "/Source: 0 = u - 3"; a state whose derivative is given counts as an equation.
  std::string describe(std::uint32_t row) const {
    if (row >= system_.equations.size()) {
      const VariableId v = known_rates_[row - system_.equations.size()];
      return fmt::format("the derivative of {} is given", name_of(system_, v));
    }
    const Equation& equation = system_.equations[row];
    const Place place = place_of(*system_.program, equation.origin);
    return (place.block.empty() ? "" : place.block + ": ") + text_of(system_, equation);
  }

  void add_equations(Diagnostic& d, const Part& part) const {
    for (std::size_t k = 0; k < std::min(part.equations.size(), shown); ++k) {
      d.notes.push_back(describe(part.equations[k]));
    }
    if (part.equations.size() > shown) {
      d.notes.push_back(fmt::format("and {} more equations", part.equations.size() - shown));
    }
  }

  program::OriginId origin_of(const Part& part) const {
    for (const std::uint32_t row : part.equations) {
      if (row < system_.equations.size()) return system_.equations[row].origin;
    }
    return part.unknowns.empty() ? 0 : system_.variables[columns_[part.unknowns[0]]].origin;
  }

  static std::string counted(std::size_t count, const char* what) {
    return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
  }

  std::string lacking(const Part& part) const {
    const std::size_t lack = part.unknowns.size() - part.equations.size();
    if (part.equations.empty()) return "nothing determines " + names(part);
    return fmt::format("{} for {}, {}: {} more {} needed", counted(part.equations.size(), "equation"),
                       counted(part.unknowns.size(), "unknown"), names(part), lack, lack == 1 ? "is" : "are");
  }

  std::string surplus(const Part& part) const {
    if (part.equations.size() == 1) return "no unknown is left for its equation " + describe_plain(part.equations[0]);
    const std::size_t excess = part.equations.size() - part.unknowns.size();
    if (part.unknowns.empty()) return fmt::format("no unknown is left for {} equations", part.equations.size());
    return fmt::format("{} for {}, {}: {} {} too many", counted(part.equations.size(), "equation"),
                       counted(part.unknowns.size(), "unknown"), names(part), excess, excess == 1 ? "is" : "are");
  }

  std::string describe_plain(std::uint32_t row) const {
    return row < system_.equations.size() ? text_of(system_, system_.equations[row]) : describe(row);
  }

  void report(const Misfits& misfits, Diagnostics& diagnostics) const {
    const bool both = !misfits.over.empty() && !misfits.under.empty();
    for (const Part& part : misfits.over) {
      Diagnostic& d = diagnostics.error(
          both ? "singular-system" : "too-many-equations", place_of(*system_.program, origin_of(part)), surplus(part),
          both ? "check which signal should be zero: an equation must contain something that can still make it true"
               : "take away what is said twice: a value given in two places, or a law that follows from others");
      if (part.equations.size() > 1) add_equations(d, part);
      for (const Part& other : misfits.under) d.notes.push_back(lacking(other));
    }
    if (both) return;
    for (const Part& part : misfits.under) {
      Diagnostic& d = diagnostics.error("too-few-equations", place_of(*system_.program, origin_of(part)), lacking(part),
                                        "say what determines it: a source, a connection or a law is missing");
      add_equations(d, part);
    }
  }

  const System& system_;
  VariableIndex index_;
  std::vector<std::uint32_t> column_of_;  // by variable
  std::vector<VariableId> columns_, known_rates_;
  Adjacency occurs_;
};

}  // namespace

bool check_structure(const System& system, Diagnostics& diagnostics) { return Structure(system).check(diagnostics); }

}  // namespace orrery::equations
