// SPDX-License-Identifier: Apache-2.0
// df/dx - df/dz (dg/dz)^-1 dg/dx, sparse: what a solver sees of a model whose loops are solved within its derivative.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "passes/sparsity.h"
#include "solve/shifted_matrix.h"

namespace orrery::sim {

// Entries are where a derivative reads a state, itself or through loops. Columns that reach different loops are
// eliminated together, so memory grows with the entries and time with the states that one loop depends on.
class CondensedJacobian {
 public:
  // The model's matrix: derivatives and then residuals by states and then unknowns; by loop, how many unknowns it has.
  // A loop reads unknowns of its own and of loops before it.
  CondensedJacobian(const passes::Sparsity& model, std::size_t states, std::span<const std::size_t> loops);

  const solve::Sparsity& pattern() const { return pattern_; }
  // Values of the model's matrix to values of this one. False: the unknowns are not determined here.
  bool evaluate(const double* model, double* values);

 private:
  void find_reach(std::span<const std::size_t> loops);
  void find_pattern();
  void colour_columns();

  passes::Sparsity model_;
  std::size_t states_;
  std::vector<std::size_t> first_;                    // by loop: its first unknown; and the end
  std::vector<std::vector<std::uint32_t>> reached_;   // by state: the loops that depend on it
  std::vector<std::vector<std::uint32_t>> sources_;   // by loop: the states it depends on
  std::vector<std::vector<std::uint32_t>> together_;  // states by colour
  solve::Sparsity pattern_, inner_;
  std::vector<std::size_t> inner_from_;                      // by entry of inner_: the model's
  std::vector<std::pair<std::size_t, std::size_t>> direct_;  // entries of the model that are entries here
  std::unique_ptr<solve::ShiftedStructure> structure_;
  std::unique_ptr<solve::ShiftedMatrix<double>> matrix_;
  std::vector<double> inner_values_, right_;
};

}  // namespace orrery::sim
