// SPDX-License-Identifier: Apache-2.0
// What solving one loop needs to remember; for the files of LoopSolver only.
#pragma once

#include <cmath>

#include "sim/loop_solver.h"

namespace orrery::sim {

constexpr double smallest_unknown = 1e-6;  // unknowns below this count as having this size: their last digits are noise

inline solve::Sparsity pattern_of(const LoopCode& code) {
  const auto n = static_cast<int>(code.offsets.size());
  return code.exact ? solve::Sparsity{n, code.pattern.column_start, code.pattern.row} : full_pattern(n);
}

struct LoopSolver::Work {
  explicit Work(const LoopCode& loop)
      : code(loop), structure(static_cast<int>(loop.offsets.size()), pattern_of(loop), {}), matrix(structure) {
    const std::size_t n = loop.offsets.size();
    for (auto* v : {&z, &guess, &next, &r, &next_r, &d, &check, &start_r}) v->resize(n);
    values.resize(loop.exact ? loop.pattern.nonzeros() : n * n);
    conditions.resize(loop.conditions.size());
  }

  double scale(std::size_t i) const { return std::fabs(z[i]) + smallest_unknown; }
  double norm(const std::vector<double>& v) const {
    double largest = 0;
    for (std::size_t i = 0; i < v.size(); ++i) {
      const double ratio = std::fabs(v[i]) / scale(i);
      if (!(ratio <= largest)) largest = ratio;  // NaN stays
    }
    return largest;
  }

  const LoopCode& code;
  solve::ShiftedStructure structure;
  solve::ShiftedMatrix<double> matrix;
  std::vector<double> z, guess, next, r, next_r, d, check, start_r, values;
  std::vector<double> conditions;  // values of Loop::modes
  std::string trouble;
  std::vector<ModeSearch::Conflict> conflicts;
  int undetermined = -1;
  int iterations = 0;
};

}  // namespace orrery::sim
