// SPDX-License-Identifier: Apache-2.0
// The matrix of Newton's iteration and its factorisation, of the kind that suits the structure of the Jacobian.
#pragma once

#include <sundials/sundials_linearsolver.h>
#include <sundials/sundials_matrix.h>
#include <sundials/sundials_nvector.h>

#include <memory>
#include <type_traits>
#include <vector>

#include "solve/integrator.h"

namespace orrery::solve {

enum class MatrixKind { dense, band, sparse };

struct MatrixPlan {
  MatrixKind kind = MatrixKind::dense;
  int upper = 0, lower = 0;  // bandwidths
};

// Dense for few states, nearly full patterns or none at all; a band when it is narrow; KLU otherwise.
MatrixPlan plan_matrix(int n, const Sparsity& pattern);

class NewtonMatrix {
 public:
  NewtonMatrix(int n, const Sparsity& pattern, MatrixPlan plan, N_Vector like, SUNContext context);
  SUNMatrix matrix() const { return matrix_.get(); }
  SUNLinearSolver solver() const { return solver_.get(); }
  MatrixKind kind() const { return kind_; }
  // Writes the values, given in the order of the pattern, into a matrix of this kind.
  void store(const double* values, SUNMatrix into) const;

 private:
  struct Destroy {
    void operator()(SUNMatrix matrix) const { SUNMatDestroy(matrix); }
    void operator()(SUNLinearSolver solver) const { SUNLinSolFree(solver); }
  };
  void make_sparse(int n, const Sparsity& pattern, N_Vector like, SUNContext context);

  MatrixKind kind_;
  std::unique_ptr<std::remove_pointer_t<SUNMatrix>, Destroy> matrix_;
  std::unique_ptr<std::remove_pointer_t<SUNLinearSolver>, Destroy> solver_;
  std::vector<std::size_t> place_;  // of each entry of the pattern, in the data of the matrix
  std::size_t data_size_ = 0;
  std::vector<sunindextype> column_start_, row_;  // sparse: the pattern with the whole diagonal, rows in order
};

}  // namespace orrery::solve
