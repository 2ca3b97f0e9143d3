// SPDX-License-Identifier: Apache-2.0
// The matrices c M - J of implicit one-step methods, for real and complex shifts c: filled, factored, solved.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "solve/integrator.h"

namespace orrery::solve {

// std::complex tests every product for infinities; the inner loops here cannot afford that.
struct Complex {
  double re = 0, im = 0;
};
inline Complex operator+(Complex a, Complex b) { return {a.re + b.re, a.im + b.im}; }
inline Complex operator-(Complex a, Complex b) { return {a.re - b.re, a.im - b.im}; }
inline Complex operator*(Complex a, Complex b) { return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; }
inline Complex operator*(Complex a, double b) { return {a.re * b, a.im * b}; }
inline Complex& operator+=(Complex& a, Complex b) { return a = a + b; }
inline Complex& operator-=(Complex& a, Complex b) { return a = a - b; }

// A constant matrix M of M x' = f(t, x), possibly singular; without a pattern (n = 0) it is the identity.
struct MassMatrix {
  Sparsity pattern = {};
  std::vector<double> values = {};
};

// Where the entries of M and J go, and the order of elimination: what all matrices of one problem share.
class ShiftedStructure {
 public:
  // A Jacobian pattern without columns stands for a full one, column after column.
  ShiftedStructure(int n, const Sparsity& jacobian, const MassMatrix& mass);
  ~ShiftedStructure();
  ShiftedStructure(const ShiftedStructure&) = delete;
  ShiftedStructure& operator=(const ShiftedStructure&) = delete;

  int n() const { return n_; }
  bool sparse() const { return sparse_; }

 private:
  template <class T>
  friend class ShiftedMatrix;
  struct Elimination;

  void place_sparse(const Sparsity& jacobian, const Sparsity& mass);
  void place_dense(const Sparsity& jacobian, const Sparsity& mass);

  int n_;
  bool sparse_;
  std::size_t size_ = 0;
  std::vector<int> column_start_, row_;
  std::vector<std::size_t> jacobian_place_, mass_place_;
  std::vector<double> mass_value_;
  std::unique_ptr<Elimination> elimination_;
};

// T is double or Complex.
template <class T>
class ShiftedMatrix {
 public:
  explicit ShiftedMatrix(const ShiftedStructure& structure);
  ~ShiftedMatrix();
  // shift * M - J, the values of J in the order of its pattern. False: singular, see singular_column().
  bool factor(T shift, const double* jacobian);
  void solve(T* b);
  int singular_column() const { return singular_column_; }

 private:
  struct Factors;
  bool factor_small();
  void solve_small(T* b) const;

  const ShiftedStructure& structure_;
  std::vector<T> values_;
  std::vector<int> pivot_;
  std::vector<T> inverse_diagonal_;
  std::unique_ptr<Factors> factors_;  // of KLU or of the blocked dense elimination
  int singular_column_ = -1;
};

extern template class ShiftedMatrix<double>;
extern template class ShiftedMatrix<Complex>;

}  // namespace orrery::solve
