// SPDX-License-Identifier: Apache-2.0
// Dense elimination for small and nearly full matrices, KLU for sparse ones.
#include "solve/shifted_matrix.h"

#include <klu.h>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <complex>
#include <optional>
#include <type_traits>

#include "base/check.h"
#include "solve/newton_matrix.h"

namespace orrery::solve {

namespace {

constexpr int small = 32;  // up to here plain loops beat the blocked elimination

double size_of(double a) { return std::abs(a); }
double size_of(Complex a) { return std::abs(a.re) + std::abs(a.im); }
double inverse(double a) { return 1 / a; }
Complex inverse(Complex a) {
  const double square = a.re * a.re + a.im * a.im;
  return {a.re / square, -a.im / square};
}

}  // namespace

struct ShiftedStructure::Elimination {
  klu_common common{};
  klu_symbolic* symbolic = nullptr;

  ~Elimination() {
    if (symbolic != nullptr) klu_free_symbolic(&symbolic, &common);
  }
};

ShiftedStructure::ShiftedStructure(int n, const Sparsity& jacobian, const MassMatrix& mass)
    : n_(n), sparse_(plan_matrix(n, jacobian).kind != MatrixKind::dense), mass_value_(mass.values) {
  Sparsity diagonal;
  if (mass.pattern.n == 0) {
    diagonal.n = n;
    for (int j = 0; j < n; ++j) {
      diagonal.column_start.push_back(j);
      diagonal.row.push_back(j);
    }
    diagonal.column_start.push_back(n);
    mass_value_.assign(static_cast<std::size_t>(n), 1.0);
  }
  const Sparsity& mass_pattern = mass.pattern.n == 0 ? diagonal : mass.pattern;
  if (sparse_) {
    place_sparse(jacobian, mass_pattern);
  } else {
    place_dense(jacobian, mass_pattern);
  }
}

ShiftedStructure::~ShiftedStructure() = default;

void ShiftedStructure::place_dense(const Sparsity& jacobian, const Sparsity& mass) {
  size_ = static_cast<std::size_t>(n_) * static_cast<std::size_t>(n_);
  const auto place = [&](const Sparsity& pattern, std::vector<std::size_t>& places) {
    for (int j = 0; j < n_; ++j) {
      for (int e = pattern.column_start[j]; e < pattern.column_start[j + 1]; ++e) {
        places.push_back(static_cast<std::size_t>(j) * static_cast<std::size_t>(n_) + pattern.row[e]);
      }
    }
  };
  place(mass, mass_place_);
  if (jacobian.n > 0) {
    place(jacobian, jacobian_place_);
    return;
  }
  for (std::size_t e = 0; e < size_; ++e) jacobian_place_.push_back(e);
}

void ShiftedStructure::place_sparse(const Sparsity& jacobian, const Sparsity& mass) {
  column_start_.push_back(0);
  std::vector<int> rows;
  for (int j = 0; j < n_; ++j) {
    rows.clear();
    for (const Sparsity* pattern : {&jacobian, &mass}) {
      rows.insert(rows.end(), pattern->row.begin() + pattern->column_start[j],
                  pattern->row.begin() + pattern->column_start[j + 1]);
    }
    std::sort(rows.begin(), rows.end());
    rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
    const auto place = [&](const Sparsity& pattern, std::vector<std::size_t>& places) {
      for (int e = pattern.column_start[j]; e < pattern.column_start[j + 1]; ++e) {
        const auto at = std::lower_bound(rows.begin(), rows.end(), pattern.row[e]);
        places.push_back(row_.size() + static_cast<std::size_t>(at - rows.begin()));
      }
    };
    place(jacobian, jacobian_place_);
    place(mass, mass_place_);
    row_.insert(row_.end(), rows.begin(), rows.end());
    column_start_.push_back(static_cast<int>(row_.size()));
  }
  size_ = row_.size();
  elimination_ = std::make_unique<Elimination>();
  klu_defaults(&elimination_->common);
  elimination_->symbolic = klu_analyze(n_, column_start_.data(), row_.data(), &elimination_->common);
}

template <class T>
struct ShiftedMatrix<T>::Factors {
  static constexpr bool real = std::is_same_v<T, double>;
  using Number = std::conditional_t<real, double, std::complex<double>>;
  using Dense = Eigen::Matrix<Number, Eigen::Dynamic, Eigen::Dynamic>;

  klu_common common{};
  klu_numeric* numeric = nullptr;
  std::optional<Eigen::PartialPivLU<Dense>> dense;

  void free_numeric() {
    if (numeric == nullptr) return;
    if constexpr (real) {
      klu_free_numeric(&numeric, &common);
    } else {
      klu_z_free_numeric(&numeric, &common);
    }
  }
  ~Factors() { free_numeric(); }
};

template <class T>
ShiftedMatrix<T>::ShiftedMatrix(const ShiftedStructure& structure) : structure_(structure), values_(structure.size_) {
  if (!structure.sparse_ && structure.n_ <= small) {
    pivot_.resize(static_cast<std::size_t>(structure.n_));
    inverse_diagonal_.resize(static_cast<std::size_t>(structure.n_));
    return;
  }
  factors_ = std::make_unique<Factors>();
  if (structure.sparse_) klu_defaults(&factors_->common);
}

template <class T>
ShiftedMatrix<T>::~ShiftedMatrix() = default;

template <class T>
bool ShiftedMatrix<T>::factor(T shift, const double* jacobian) {
  std::fill(values_.begin(), values_.end(), T{});
  const ShiftedStructure& s = structure_;
  for (std::size_t e = 0; e < s.jacobian_place_.size(); ++e) {
    if constexpr (std::is_same_v<T, double>) {
      values_[s.jacobian_place_[e]] -= jacobian[e];
    } else {
      values_[s.jacobian_place_[e]].re -= jacobian[e];
    }
  }
  for (std::size_t e = 0; e < s.mass_place_.size(); ++e) values_[s.mass_place_[e]] += shift * s.mass_value_[e];
  singular_column_ = -1;
  if (factors_ == nullptr) return factor_small();
  double* raw = reinterpret_cast<double*>(values_.data());
  if (s.sparse_) {
    // A new choice of pivots every time: the factors then depend on the values alone, not on what came before.
    factors_->free_numeric();
    if (s.elimination_->symbolic == nullptr) return false;
    int* starts = const_cast<int*>(s.column_start_.data());
    int* rows = const_cast<int*>(s.row_.data());
    if constexpr (std::is_same_v<T, double>) {
      factors_->numeric = klu_factor(starts, rows, raw, s.elimination_->symbolic, &factors_->common);
    } else {
      factors_->numeric = klu_z_factor(starts, rows, raw, s.elimination_->symbolic, &factors_->common);
    }
    if (factors_->numeric != nullptr && factors_->common.status == KLU_OK) return true;
    singular_column_ = factors_->common.singular_col;
    return false;
  }
  using Dense = typename Factors::Dense;
  const Eigen::Map<const Dense> full(reinterpret_cast<const typename Factors::Number*>(raw), s.n_, s.n_);
  if (!factors_->dense) factors_->dense.emplace(s.n_);
  factors_->dense->compute(full);
  for (int i = 0; i < s.n_; ++i) {
    const double size = std::abs(factors_->dense->matrixLU()(i, i));
    if (size > 0 && std::isfinite(size)) continue;
    singular_column_ = i;
    return false;
  }
  return true;
}

template <class T>
bool ShiftedMatrix<T>::factor_small() {
  const int n = structure_.n_;
  T* a = values_.data();
  for (int k = 0; k < n; ++k) {
    T* column = a + static_cast<std::ptrdiff_t>(k) * n;
    int p = k;
    double largest = size_of(column[k]);
    for (int i = k + 1; i < n; ++i) {
      const double size = size_of(column[i]);
      if (size > largest) {
        largest = size;
        p = i;
      }
    }
    pivot_[k] = p;
    if (!(largest > 0) || !std::isfinite(largest)) {
      singular_column_ = k;
      return false;
    }
    if (p != k) std::swap(column[k], column[p]);
    const T over = inverse(column[k]);
    inverse_diagonal_[k] = over;
    for (int i = k + 1; i < n; ++i) column[i] = column[i] * over;
    for (int j = k + 1; j < n; ++j) {
      T* other = a + static_cast<std::ptrdiff_t>(j) * n;
      if (p != k) std::swap(other[k], other[p]);
      const T factor = other[k];
      if (size_of(factor) == 0) continue;
      for (int i = k + 1; i < n; ++i) other[i] -= column[i] * factor;
    }
  }
  return true;
}

template <class T>
void ShiftedMatrix<T>::solve_small(T* b) const {
  const int n = structure_.n_;
  const T* a = values_.data();
  for (int k = 0; k < n; ++k) {
    if (pivot_[k] != k) std::swap(b[k], b[pivot_[k]]);
    const T* column = a + static_cast<std::ptrdiff_t>(k) * n;
    for (int i = k + 1; i < n; ++i) b[i] -= column[i] * b[k];
  }
  for (int k = n - 1; k >= 0; --k) {
    const T* column = a + static_cast<std::ptrdiff_t>(k) * n;
    b[k] = b[k] * inverse_diagonal_[k];
    for (int i = 0; i < k; ++i) b[i] -= column[i] * b[k];
  }
}

template <class T>
void ShiftedMatrix<T>::solve(T* b) {
  if (factors_ == nullptr) {
    solve_small(b);
    return;
  }
  const int n = structure_.n_;
  if (structure_.sparse_) {
    double* raw = reinterpret_cast<double*>(b);
    klu_symbolic* symbolic = structure_.elimination_->symbolic;
    const int ok = std::is_same_v<T, double> ? klu_solve(symbolic, factors_->numeric, n, 1, raw, &factors_->common)
                                             : klu_z_solve(symbolic, factors_->numeric, n, 1, raw, &factors_->common);
    ORRERY_CHECK(ok == 1);
    return;
  }
  using Vector = Eigen::Matrix<typename Factors::Number, Eigen::Dynamic, 1>;
  Eigen::Map<Vector> right(reinterpret_cast<typename Factors::Number*>(b), n);
  right = factors_->dense->solve(Vector(right));
}

template class ShiftedMatrix<double>;
template class ShiftedMatrix<Complex>;

}  // namespace orrery::solve
