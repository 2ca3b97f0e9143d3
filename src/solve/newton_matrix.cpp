// SPDX-License-Identifier: Apache-2.0
// Choice and filling of SUNDIALS' dense, band and sparse matrices.
#include "solve/newton_matrix.h"

#include <sunlinsol/sunlinsol_band.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunlinsol/sunlinsol_klu.h>
#include <sunmatrix/sunmatrix_band.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunmatrix/sunmatrix_sparse.h>

#include <algorithm>

#include "base/check.h"

namespace orrery::solve {

namespace {

constexpr int few_states = 30;
constexpr int narrow_band = 16;
constexpr double nearly_full = 0.25;

double* data_of(SUNMatrix matrix, MatrixKind kind) {
  switch (kind) {
    case MatrixKind::dense: return SUNDenseMatrix_Data(matrix);
    case MatrixKind::band: return SUNBandMatrix_Data(matrix);
    case MatrixKind::sparse: return SUNSparseMatrix_Data(matrix);
  }
  return nullptr;
}

}  // namespace

MatrixPlan plan_matrix(int n, const Sparsity& pattern) {
  if (pattern.n == 0 || n < few_states) return {};
  MatrixPlan plan;
  for (int j = 0; j < n; ++j) {
    for (int e = pattern.column_start[j]; e < pattern.column_start[j + 1]; ++e) {
      plan.upper = std::max(plan.upper, j - pattern.row[e]);
      plan.lower = std::max(plan.lower, pattern.row[e] - j);
    }
  }
  const double full = static_cast<double>(n) * n;
  if (plan.upper + plan.lower <= narrow_band) {
    plan.kind = MatrixKind::band;
  } else if (static_cast<double>(pattern.row.size()) < nearly_full * full) {
    plan.kind = MatrixKind::sparse;
  }
  return plan;
}

NewtonMatrix::NewtonMatrix(int n, const Sparsity& pattern, MatrixPlan plan, N_Vector like, SUNContext context)
    : kind_(plan.kind), place_(pattern.row.size()) {
  if (kind_ == MatrixKind::sparse) {
    make_sparse(n, pattern, like, context);
    return;
  }
  const bool band = kind_ == MatrixKind::band;
  matrix_.reset(band ? SUNBandMatrix(n, plan.upper, plan.lower, context) : SUNDenseMatrix(n, n, context));
  ORRERY_CHECK(matrix_ != nullptr);
  solver_.reset(band ? SUNLinSol_Band(like, matrix_.get(), context) : SUNLinSol_Dense(like, matrix_.get(), context));
  ORRERY_CHECK(solver_ != nullptr);
  const sunindextype column = band ? SUNBandMatrix_LDim(matrix_.get()) : n;
  const sunindextype diagonal = band ? SUNBandMatrix_StoredUpperBandwidth(matrix_.get()) : 0;
  data_size_ = static_cast<std::size_t>(column) * static_cast<std::size_t>(n);
  for (int j = 0; j < pattern.n; ++j) {
    for (int e = pattern.column_start[j]; e < pattern.column_start[j + 1]; ++e) {
      const sunindextype within = pattern.row[e] - (band ? j : 0) + diagonal;
      place_[e] = static_cast<std::size_t>(j * static_cast<std::ptrdiff_t>(column) + within);
    }
  }
}

// I - gamma J needs the whole diagonal; without it SUNDIALS would rebuild the structure at every setup.
void NewtonMatrix::make_sparse(int n, const Sparsity& pattern, N_Vector like, SUNContext context) {
  column_start_.push_back(0);
  std::vector<int> rows;
  for (int j = 0; j < n; ++j) {
    const auto first = pattern.row.begin() + pattern.column_start[j];
    const auto last = pattern.row.begin() + pattern.column_start[j + 1];
    rows.assign(first, last);
    rows.push_back(j);
    std::sort(rows.begin(), rows.end());
    rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
    for (int e = pattern.column_start[j]; e < pattern.column_start[j + 1]; ++e) {
      const auto at = std::lower_bound(rows.begin(), rows.end(), pattern.row[e]);
      place_[e] = row_.size() + static_cast<std::size_t>(at - rows.begin());
    }
    row_.insert(row_.end(), rows.begin(), rows.end());
    column_start_.push_back(static_cast<sunindextype>(row_.size()));
  }
  data_size_ = row_.size();
  matrix_.reset(SUNSparseMatrix(n, n, static_cast<sunindextype>(row_.size()), CSC_MAT, context));
  ORRERY_CHECK(matrix_ != nullptr);
  // KLU analyses the structure when it is made, so it must be there already.
  std::copy(column_start_.begin(), column_start_.end(), SUNSparseMatrix_IndexPointers(matrix_.get()));
  std::copy(row_.begin(), row_.end(), SUNSparseMatrix_IndexValues(matrix_.get()));
  solver_.reset(SUNLinSol_KLU(like, matrix_.get(), context));
  ORRERY_CHECK(solver_ != nullptr);
}

void NewtonMatrix::store(const double* values, SUNMatrix into) const {
  double* data = data_of(into, kind_);
  std::fill_n(data, data_size_, 0.0);
  for (std::size_t e = 0; e < place_.size(); ++e) data[place_[e]] = values[e];
  if (kind_ != MatrixKind::sparse) return;
  // SUNMatZero clears the structure too.
  std::copy(column_start_.begin(), column_start_.end(), SUNSparseMatrix_IndexPointers(into));
  std::copy(row_.begin(), row_.end(), SUNSparseMatrix_IndexValues(into));
}

}  // namespace orrery::solve
