// SPDX-License-Identifier: Apache-2.0
// LAPACKE allocates the work space; here are the overloads, and what LAPACK leaves to its callers.
#include "math/lapack.h"

#define lapack_complex_float std::complex<float>
#define lapack_complex_double std::complex<double>
#include <lapacke.h>

#include <algorithm>
#include <cmath>

extern "C" __attribute__((weak)) int blas_thread_shutdown_();  // OpenBLAS with threads has it

namespace orrery::math {
namespace {

constexpr int column_major = LAPACK_COL_MAJOR;

[[maybe_unused]] const bool prepared = [] {
  // OpenBLAS starts its threads when it is loaded, and they spin for a tenth of a second although most runs never
  // multiply a matrix. They come back by themselves with the first large operation.
  if (blas_thread_shutdown_ != nullptr) blas_thread_shutdown_();
  LAPACKE_set_nancheck(0);  // a NaN in a system of equations gives NaN, not an error
  return true;
}();

template <class T>
double norm1(int n, const T* a) {
  double worst = 0;
  for (int c = 0; c < n; ++c) {
    double s = 0;
    for (int r = 0; r < n; ++r) s += std::abs(a[r + static_cast<std::size_t>(c) * static_cast<std::size_t>(n)]);
    worst = std::max(worst, s);
  }
  return worst;
}

std::size_t square(int n) { return static_cast<std::size_t>(n) * static_cast<std::size_t>(n); }

// Iterations on Inf or NaN would not end.
template <class T>
void require_finite(int n, const T* a) {
  for (std::size_t k = 0; k < square(n); ++k) {
    if (!std::isfinite(std::abs(a[k]))) throw Error("the matrix contains Inf or NaN");
  }
}

}  // namespace

double lapack_norm1(int n, const double* a) { return norm1(n, a); }
double lapack_norm1(int n, const Complex* a) { return norm1(n, a); }

int lapack_lu(int m, int n, double* a, int* pivots) {
  return LAPACKE_dgetrf(column_major, m, n, a, std::max(1, m), pivots);
}
int lapack_lu(int m, int n, Complex* a, int* pivots) {
  return LAPACKE_zgetrf(column_major, m, n, a, std::max(1, m), pivots);
}

double lapack_rcond(int n, const double* lu, double norm) {
  double rcond = 0;
  LAPACKE_dgecon(column_major, '1', n, lu, n, norm, &rcond);
  return rcond;
}
double lapack_rcond(int n, const Complex* lu, double norm) {
  double rcond = 0;
  LAPACKE_zgecon(column_major, '1', n, lu, n, norm, &rcond);
  return rcond;
}

void lapack_lu_solve(int n, int nrhs, const double* lu, const int* pivots, double* b) {
  LAPACKE_dgetrs(column_major, 'N', n, nrhs, lu, n, pivots, b, n);
}
void lapack_lu_solve(int n, int nrhs, const Complex* lu, const int* pivots, Complex* b) {
  LAPACKE_zgetrs(column_major, 'N', n, nrhs, lu, n, pivots, b, n);
}

void lapack_solve_upper(int n, int nrhs, const double* u, double* b) {
  LAPACKE_dtrtrs(column_major, 'U', 'N', 'N', n, nrhs, u, n, b, n);
}
void lapack_solve_upper(int n, int nrhs, const Complex* u, Complex* b) {
  LAPACKE_ztrtrs(column_major, 'U', 'N', 'N', n, nrhs, u, n, b, n);
}

void lapack_least_squares(int m, int n, int nrhs, double* a, double* b, int ldb) {
  if (m == 0 || n == 0 || nrhs == 0) return;
  std::vector<double> s(static_cast<std::size_t>(std::min(m, n)));
  int rank = 0;
  LAPACKE_dgelsd(column_major, m, n, nrhs, a, m, b, ldb, s.data(), -1, &rank);
}
void lapack_least_squares(int m, int n, int nrhs, Complex* a, Complex* b, int ldb) {
  if (m == 0 || n == 0 || nrhs == 0) return;
  std::vector<double> s(static_cast<std::size_t>(std::min(m, n)));
  int rank = 0;
  LAPACKE_zgelsd(column_major, m, n, nrhs, a, m, b, ldb, s.data(), -1, &rank);
}

int lapack_cholesky(int n, double* a) { return LAPACKE_dpotrf(column_major, 'U', n, a, n); }
int lapack_cholesky(int n, Complex* a) { return LAPACKE_zpotrf(column_major, 'U', n, a, n); }

int lapack_bunch_kaufman(int n, double* a, int* pivots) { return LAPACKE_dsytrf(column_major, 'U', n, a, n, pivots); }
int lapack_bunch_kaufman(int n, Complex* a, int* pivots) { return LAPACKE_zhetrf(column_major, 'U', n, a, n, pivots); }

void lapack_qr(int m, int n, double* a, std::vector<double>& tau, std::vector<int>* order) {
  tau.assign(static_cast<std::size_t>(std::max(1, std::min(m, n))), 0);
  if (order != nullptr) order->assign(static_cast<std::size_t>(n), 0);
  if (order == nullptr)
    LAPACKE_dgeqrf(column_major, m, n, a, std::max(1, m), tau.data());
  else
    LAPACKE_dgeqp3(column_major, m, n, a, std::max(1, m), order->data(), tau.data());
}
void lapack_qr(int m, int n, Complex* a, std::vector<Complex>& tau, std::vector<int>* order) {
  tau.assign(static_cast<std::size_t>(std::max(1, std::min(m, n))), 0);
  if (order != nullptr) order->assign(static_cast<std::size_t>(n), 0);
  if (order == nullptr)
    LAPACKE_zgeqrf(column_major, m, n, a, std::max(1, m), tau.data());
  else
    LAPACKE_zgeqp3(column_major, m, n, a, std::max(1, m), order->data(), tau.data());
}

void lapack_form_q(int m, int width, int reflectors, double* a, std::vector<double>& tau) {
  LAPACKE_dorgqr(column_major, m, width, reflectors, a, std::max(1, m), tau.data());
}
void lapack_form_q(int m, int width, int reflectors, Complex* a, std::vector<Complex>& tau) {
  LAPACKE_zungqr(column_major, m, width, reflectors, a, std::max(1, m), tau.data());
}

int lapack_svd(char job, int m, int n, double* a, double* s, double* u, int ldu, double* vt, int ldvt) {
  std::vector<double> unconverged(static_cast<std::size_t>(std::max(1, std::min(m, n))));
  return LAPACKE_dgesvd(column_major, job, job, m, n, a, m, s, u, ldu, vt, ldvt, unconverged.data());
}
int lapack_svd(char job, int m, int n, Complex* a, double* s, Complex* u, int ldu, Complex* vt, int ldvt) {
  std::vector<double> unconverged(static_cast<std::size_t>(std::max(1, std::min(m, n))));
  return LAPACKE_zgesvd(column_major, job, job, m, n, a, m, s, u, ldu, vt, ldvt, unconverged.data());
}

int lapack_symmetric_eigen(bool vectors, int n, double* a, double* w) {
  require_finite(n, a);
  return LAPACKE_dsyev(column_major, vectors ? 'V' : 'N', 'U', n, a, std::max(1, n), w);
}
int lapack_symmetric_eigen(bool vectors, int n, Complex* a, double* w) {
  require_finite(n, a);
  return LAPACKE_zheev(column_major, vectors ? 'V' : 'N', 'U', n, a, std::max(1, n), w);
}

namespace {

// LAPACK packs a conjugate pair of real-matrix eigenvectors into two real column_major.
void unpack_vectors(int n, const double* imag_parts, const std::vector<double>& packed, Complex* out) {
  const auto at = [n](int r, int c) {
    return static_cast<std::size_t>(r) + static_cast<std::size_t>(c) * static_cast<std::size_t>(n);
  };
  for (int c = 0; c < n; ++c) {
    if (imag_parts[c] == 0) {
      for (int r = 0; r < n; ++r) out[at(r, c)] = packed[at(r, c)];
      continue;
    }
    for (int r = 0; r < n; ++r) {
      out[at(r, c)] = Complex(packed[at(r, c)], packed[at(r, c + 1)]);
      out[at(r, c + 1)] = std::conj(out[at(r, c)]);
    }
    ++c;
  }
}

}  // namespace

int lapack_eigen(int n, double* a, Complex* w, Complex* left, Complex* right) {
  require_finite(n, a);
  const int ld = std::max(1, n);
  std::vector<double> re(static_cast<std::size_t>(ld)), im(re);
  std::vector<double> vl(left ? square(n) : 1), vr(right ? square(n) : 1);
  const int info = LAPACKE_dgeev(column_major, left ? 'V' : 'N', right ? 'V' : 'N', n, a, ld, re.data(), im.data(),
                                 vl.data(), ld, vr.data(), ld);
  for (int k = 0; k < n; ++k) w[k] = Complex(re[static_cast<std::size_t>(k)], im[static_cast<std::size_t>(k)]);
  if (left) unpack_vectors(n, im.data(), vl, left);
  if (right) unpack_vectors(n, im.data(), vr, right);
  return info;
}
int lapack_eigen(int n, Complex* a, Complex* w, Complex* left, Complex* right) {
  require_finite(n, a);
  Complex none[1];
  const int ld = std::max(1, n);
  return LAPACKE_zgeev(column_major, left ? 'V' : 'N', right ? 'V' : 'N', n, a, ld, w, left ? left : none, ld,
                       right ? right : none, ld);
}

int lapack_generalised_eigen(int n, double* a, double* b, Complex* w, Complex* right) {
  require_finite(n, a);
  require_finite(n, b);
  const auto count = static_cast<std::size_t>(n);
  std::vector<double> re(count), im(count), beta(count), vr(right ? square(n) : 1), vl(1);
  const int ld = std::max(1, n);
  const int info = LAPACKE_dggev(column_major, 'N', right ? 'V' : 'N', n, a, ld, b, ld, re.data(), im.data(),
                                 beta.data(), vl.data(), ld, vr.data(), ld);
  for (std::size_t k = 0; k < count; ++k) {
    w[k] = beta[k] == 0 ? Complex(re[k] == 0 ? NAN : INFINITY, 0) : Complex(re[k], im[k]) / beta[k];
  }
  if (right) unpack_vectors(n, im.data(), vr, right);
  return info;
}
int lapack_generalised_eigen(int n, Complex* a, Complex* b, Complex* w, Complex* right) {
  require_finite(n, a);
  require_finite(n, b);
  const auto count = static_cast<std::size_t>(n);
  std::vector<Complex> alpha(count), beta(count);
  Complex none[1];
  const int ld = std::max(1, n);
  const int info = LAPACKE_zggev(column_major, 'N', right ? 'V' : 'N', n, a, ld, b, ld, alpha.data(), beta.data(), none,
                                 ld, right ? right : none, ld);
  for (std::size_t k = 0; k < count; ++k) w[k] = beta[k] == Complex(0) ? Complex(INFINITY) : alpha[k] / beta[k];
  return info;
}

namespace {

int left_half(const double* re, const double*) { return *re < 0; }
int inside_circle(const double* re, const double* im) { return *re * *re + *im * *im < 1; }
int left_half_z(const Complex* z) { return z->real() < 0; }
int inside_circle_z(const Complex* z) { return std::abs(*z) < 1; }
int inside_circle_pencil(const double* re, const double* im, const double* beta) {
  return std::hypot(*re, *im) < std::abs(*beta);
}

}  // namespace

int lapack_schur(int n, double* a, Complex* w, double* v, int stable) {
  require_finite(n, a);
  const auto count = static_cast<std::size_t>(n);
  std::vector<double> re(count), im(count);
  int sorted = 0;
  const int ld = std::max(1, n);
  const int info = LAPACKE_dgees(column_major, 'V', stable == 0 ? 'N' : 'S', stable > 0 ? inside_circle : left_half, n,
                                 a, ld, &sorted, re.data(), im.data(), v, ld);
  for (std::size_t k = 0; k < count; ++k) w[k] = Complex(re[k], im[k]);
  return info;
}
int lapack_schur(int n, Complex* a, Complex* w, Complex* v, int stable) {
  require_finite(n, a);
  int sorted = 0;
  const int ld = std::max(1, n);
  return LAPACKE_zgees(column_major, 'V', stable == 0 ? 'N' : 'S', stable > 0 ? inside_circle_z : left_half_z, n, a, ld,
                       &sorted, w, v, ld);
}

int lapack_generalised_schur(int n, double* a, double* b, double* z, int& inside) {
  require_finite(n, a);
  require_finite(n, b);
  const auto count = static_cast<std::size_t>(n);
  std::vector<double> re(count), im(count), beta(count), q(1);
  const int ld = std::max(1, n);
  return LAPACKE_dgges(column_major, 'N', 'V', 'S', inside_circle_pencil, n, a, ld, b, ld, &inside, re.data(),
                       im.data(), beta.data(), q.data(), ld, z, ld);
}

int lapack_hessenberg(int n, double* a, double* q) {
  require_finite(n, a);
  std::vector<double> tau(static_cast<std::size_t>(std::max(1, n - 1)));
  LAPACKE_dgehrd(column_major, n, 1, n, a, n, tau.data());
  std::copy_n(a, square(n), q);
  const int info = LAPACKE_dorghr(column_major, n, 1, n, q, n, tau.data());
  for (int c = 0; c < n; ++c) {
    for (int r = c + 2; r < n; ++r)
      a[static_cast<std::size_t>(r) + static_cast<std::size_t>(c) * static_cast<std::size_t>(n)] = 0;
  }
  return info;
}

double lapack_sylvester(int m, int n, const double* a, const double* b, double* c) {
  double scale = 1;
  LAPACKE_dtrsyl(column_major, 'N', 'N', 1, m, n, a, m, b, n, c, m, &scale);
  return scale;
}
double lapack_sylvester(int m, int n, const Complex* a, const Complex* b, Complex* c) {
  double scale = 1;
  LAPACKE_ztrsyl(column_major, 'N', 'N', 1, m, n, a, m, b, n, c, m, &scale);
  return scale;
}

}  // namespace orrery::math
