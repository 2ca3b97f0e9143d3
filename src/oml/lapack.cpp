// SPDX-License-Identifier: Apache-2.0
// Overloads over LAPACK's Fortran interface.
#include "oml/lapack.h"

#include <algorithm>
#include <cmath>

#include "oml/convert.h"
#include "oml/error.h"

using Z = std::complex<double>;
extern "C" {
void dgetrf_(const int*, const int*, double*, const int*, int*, int*);
void zgetrf_(const int*, const int*, Z*, const int*, int*, int*);
void dgecon_(const char*, const int*, const double*, const int*, const double*, double*, double*, int*, int*);
void zgecon_(const char*, const int*, const Z*, const int*, const double*, double*, Z*, double*, int*);
void dgetrs_(const char*, const int*, const int*, const double*, const int*, const int*, double*, const int*, int*);
void zgetrs_(const char*, const int*, const int*, const Z*, const int*, const int*, Z*, const int*, int*);
void dtrtrs_(const char*, const char*, const char*, const int*, const int*, const double*, const int*, double*,
             const int*, int*);
void ztrtrs_(const char*, const char*, const char*, const int*, const int*, const Z*, const int*, Z*, const int*, int*);
void dgelsd_(const int*, const int*, const int*, double*, const int*, double*, const int*, double*, const double*, int*,
             double*, const int*, int*, int*);
void zgelsd_(const int*, const int*, const int*, Z*, const int*, Z*, const int*, double*, const double*, int*, Z*,
             const int*, double*, int*, int*);
void dpotrf_(const char*, const int*, double*, const int*, int*);
void zpotrf_(const char*, const int*, Z*, const int*, int*);
void dgeqrf_(const int*, const int*, double*, const int*, double*, double*, const int*, int*);
void zgeqrf_(const int*, const int*, Z*, const int*, Z*, Z*, const int*, int*);
void dgeqp3_(const int*, const int*, double*, const int*, int*, double*, double*, const int*, int*);
void zgeqp3_(const int*, const int*, Z*, const int*, int*, Z*, Z*, const int*, double*, int*);
void dorgqr_(const int*, const int*, const int*, double*, const int*, const double*, double*, const int*, int*);
void zungqr_(const int*, const int*, const int*, Z*, const int*, const Z*, Z*, const int*, int*);
void dgesvd_(const char*, const char*, const int*, const int*, double*, const int*, double*, double*, const int*,
             double*, const int*, double*, const int*, int*);
void zgesvd_(const char*, const char*, const int*, const int*, Z*, const int*, double*, Z*, const int*, Z*, const int*,
             Z*, const int*, double*, int*);
void dsyev_(const char*, const char*, const int*, double*, const int*, double*, double*, const int*, int*);
void zheev_(const char*, const char*, const int*, Z*, const int*, double*, Z*, const int*, double*, int*);
void dgeev_(const char*, const char*, const int*, double*, const int*, double*, double*, double*, const int*, double*,
            const int*, double*, const int*, int*);
void zgeev_(const char*, const char*, const int*, Z*, const int*, Z*, Z*, const int*, Z*, const int*, Z*, const int*,
            double*, int*);
void dggev_(const char*, const char*, const int*, double*, const int*, double*, const int*, double*, double*, double*,
            double*, const int*, double*, const int*, double*, const int*, int*);
void zggev_(const char*, const char*, const int*, Z*, const int*, Z*, const int*, Z*, Z*, Z*, const int*, Z*,
            const int*, Z*, const int*, double*, int*);
void dgees_(const char*, const char*, int (*)(const double*, const double*), const int*, double*, const int*, int*,
            double*, double*, double*, const int*, double*, const int*, int*, int*);
void zgees_(const char*, const char*, int (*)(const Z*), const int*, Z*, const int*, int*, Z*, Z*, const int*, Z*,
            const int*, double*, int*, int*);
void dgehrd_(const int*, const int*, const int*, double*, const int*, double*, double*, const int*, int*);
void dorghr_(const int*, const int*, const int*, double*, const int*, const double*, double*, const int*, int*);
void dtrsyl_(const char*, const char*, const int*, const int*, const int*, const double*, const int*, const double*,
             const int*, double*, const int*, double*, int*);
void ztrsyl_(const char*, const char*, const int*, const int*, const int*, const Z*, const int*, const Z*, const int*,
             Z*, const int*, double*, int*);
}

extern "C" __attribute__((weak)) int blas_thread_shutdown_();  // OpenBLAS with threads has it

namespace orrery::oml {
namespace {

// OpenBLAS starts its threads when it is loaded, and they spin for a tenth of a second although most runs never
// multiply a matrix. They come back by themselves with the first large operation.
[[maybe_unused]] const bool threads_rest = [] {
  if (blas_thread_shutdown_ != nullptr) blas_thread_shutdown_();
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
template <class T>
int work_size(T query) {
  return std::max(1, static_cast<int>(std::real(query)));
}

// Iterations on Inf or NaN would not end.
template <class T>
void require_finite(int n, const T* a) {
  for (std::size_t k = 0; k < square(n); ++k) {
    if (!std::isfinite(std::abs(a[k]))) fail("the matrix contains Inf or NaN");
  }
}

}  // namespace

double lapack_norm1(int n, const double* a) { return norm1(n, a); }
double lapack_norm1(int n, const Complex* a) { return norm1(n, a); }

int lapack_lu(int m, int n, double* a, int* pivots) {
  int info = 0;
  const int lda = std::max(1, m);
  dgetrf_(&m, &n, a, &lda, pivots, &info);
  return info;
}
int lapack_lu(int m, int n, Complex* a, int* pivots) {
  int info = 0;
  const int lda = std::max(1, m);
  zgetrf_(&m, &n, a, &lda, pivots, &info);
  return info;
}

double lapack_rcond(int n, const double* lu, double norm) {
  double rcond = 0;
  int info = 0;
  std::vector<double> work(4 * static_cast<std::size_t>(n));
  std::vector<int> iwork(static_cast<std::size_t>(n));
  dgecon_("1", &n, lu, &n, &norm, &rcond, work.data(), iwork.data(), &info);
  return rcond;
}
double lapack_rcond(int n, const Complex* lu, double norm) {
  double rcond = 0;
  int info = 0;
  std::vector<Z> work(2 * static_cast<std::size_t>(n));
  std::vector<double> rwork(2 * static_cast<std::size_t>(n));
  zgecon_("1", &n, lu, &n, &norm, &rcond, work.data(), rwork.data(), &info);
  return rcond;
}

void lapack_lu_solve(int n, int nrhs, const double* lu, const int* pivots, double* b) {
  int info = 0;
  dgetrs_("N", &n, &nrhs, lu, &n, pivots, b, &n, &info);
}
void lapack_lu_solve(int n, int nrhs, const Complex* lu, const int* pivots, Complex* b) {
  int info = 0;
  zgetrs_("N", &n, &nrhs, lu, &n, pivots, b, &n, &info);
}

void lapack_solve_upper(int n, int nrhs, const double* u, double* b) {
  int info = 0;
  dtrtrs_("U", "N", "N", &n, &nrhs, u, &n, b, &n, &info);
}
void lapack_solve_upper(int n, int nrhs, const Complex* u, Complex* b) {
  int info = 0;
  ztrtrs_("U", "N", "N", &n, &nrhs, u, &n, b, &n, &info);
}

void lapack_least_squares(int m, int n, int nrhs, double* a, double* b, int ldb) {
  if (m == 0 || n == 0 || nrhs == 0) return;
  std::vector<double> s(static_cast<std::size_t>(std::min(m, n)));
  const double rcond = -1;
  int rank = 0, info = 0, query = -1, isize = 0;
  double size = 0;
  dgelsd_(&m, &n, &nrhs, a, &m, b, &ldb, s.data(), &rcond, &rank, &size, &query, &isize, &info);
  const int lwork = work_size(size);
  std::vector<double> work(static_cast<std::size_t>(lwork));
  std::vector<int> iwork(static_cast<std::size_t>(std::max(1, isize)));
  dgelsd_(&m, &n, &nrhs, a, &m, b, &ldb, s.data(), &rcond, &rank, work.data(), &lwork, iwork.data(), &info);
}
void lapack_least_squares(int m, int n, int nrhs, Complex* a, Complex* b, int ldb) {
  if (m == 0 || n == 0 || nrhs == 0) return;
  std::vector<double> s(static_cast<std::size_t>(std::min(m, n)));
  const double rcond = -1;
  int rank = 0, info = 0, query = -1, isize = 0;
  double rsize = 0;
  Z size = 0;
  zgelsd_(&m, &n, &nrhs, a, &m, b, &ldb, s.data(), &rcond, &rank, &size, &query, &rsize, &isize, &info);
  const int lwork = work_size(size);
  std::vector<Z> work(static_cast<std::size_t>(lwork));
  std::vector<double> rwork(static_cast<std::size_t>(std::max(1.0, rsize)));
  std::vector<int> iwork(static_cast<std::size_t>(std::max(1, isize)));
  zgelsd_(&m, &n, &nrhs, a, &m, b, &ldb, s.data(), &rcond, &rank, work.data(), &lwork, rwork.data(), iwork.data(),
          &info);
}

int lapack_cholesky(int n, double* a) {
  int info = 0;
  dpotrf_("U", &n, a, &n, &info);
  return info;
}
int lapack_cholesky(int n, Complex* a) {
  int info = 0;
  zpotrf_("U", &n, a, &n, &info);
  return info;
}

void lapack_qr(int m, int n, double* a, std::vector<double>& tau, std::vector<int>* order) {
  tau.assign(static_cast<std::size_t>(std::max(1, std::min(m, n))), 0);
  int info = 0;
  const int lwork = std::max(1, 64 * (n + 1) + 2 * n);
  std::vector<double> work(static_cast<std::size_t>(lwork));
  if (order == nullptr) {
    dgeqrf_(&m, &n, a, &m, tau.data(), work.data(), &lwork, &info);
    return;
  }
  order->assign(static_cast<std::size_t>(n), 0);
  dgeqp3_(&m, &n, a, &m, order->data(), tau.data(), work.data(), &lwork, &info);
}
void lapack_qr(int m, int n, Complex* a, std::vector<Complex>& tau, std::vector<int>* order) {
  tau.assign(static_cast<std::size_t>(std::max(1, std::min(m, n))), 0);
  int info = 0;
  const int lwork = std::max(1, 64 * (n + 1));
  std::vector<Z> work(static_cast<std::size_t>(lwork));
  if (order == nullptr) {
    zgeqrf_(&m, &n, a, &m, tau.data(), work.data(), &lwork, &info);
    return;
  }
  order->assign(static_cast<std::size_t>(n), 0);
  std::vector<double> rwork(2 * static_cast<std::size_t>(n) + 1);
  zgeqp3_(&m, &n, a, &m, order->data(), tau.data(), work.data(), &lwork, rwork.data(), &info);
}

void lapack_form_q(int m, int columns, int reflectors, double* a, std::vector<double>& tau) {
  int info = 0;
  const int lwork = std::max(1, 64 * columns);
  std::vector<double> work(static_cast<std::size_t>(lwork));
  dorgqr_(&m, &columns, &reflectors, a, &m, tau.data(), work.data(), &lwork, &info);
}
void lapack_form_q(int m, int columns, int reflectors, Complex* a, std::vector<Complex>& tau) {
  int info = 0;
  const int lwork = std::max(1, 64 * columns);
  std::vector<Z> work(static_cast<std::size_t>(lwork));
  zungqr_(&m, &columns, &reflectors, a, &m, tau.data(), work.data(), &lwork, &info);
}

int lapack_svd(char job, int m, int n, double* a, double* s, double* u, int ldu, double* vt, int ldvt) {
  int info = 0, query = -1;
  double size = 0;
  dgesvd_(&job, &job, &m, &n, a, &m, s, u, &ldu, vt, &ldvt, &size, &query, &info);
  const int lwork = work_size(size);
  std::vector<double> work(static_cast<std::size_t>(lwork));
  dgesvd_(&job, &job, &m, &n, a, &m, s, u, &ldu, vt, &ldvt, work.data(), &lwork, &info);
  return info;
}
int lapack_svd(char job, int m, int n, Complex* a, double* s, Complex* u, int ldu, Complex* vt, int ldvt) {
  int info = 0, query = -1;
  Z size = 0;
  std::vector<double> rwork(5 * static_cast<std::size_t>(std::max(1, std::min(m, n))));
  zgesvd_(&job, &job, &m, &n, a, &m, s, u, &ldu, vt, &ldvt, &size, &query, rwork.data(), &info);
  const int lwork = work_size(size);
  std::vector<Z> work(static_cast<std::size_t>(lwork));
  zgesvd_(&job, &job, &m, &n, a, &m, s, u, &ldu, vt, &ldvt, work.data(), &lwork, rwork.data(), &info);
  return info;
}

int lapack_symmetric_eigen(bool vectors, int n, double* a, double* w) {
  require_finite(n, a);
  int info = 0;
  const int lwork = std::max(1, 66 * n);
  std::vector<double> work(static_cast<std::size_t>(lwork));
  dsyev_(vectors ? "V" : "N", "U", &n, a, &n, w, work.data(), &lwork, &info);
  return info;
}
int lapack_symmetric_eigen(bool vectors, int n, Complex* a, double* w) {
  require_finite(n, a);
  int info = 0;
  const int lwork = std::max(1, 66 * n);
  std::vector<Z> work(static_cast<std::size_t>(lwork));
  std::vector<double> rwork(3 * static_cast<std::size_t>(n) + 1);
  zheev_(vectors ? "V" : "N", "U", &n, a, &n, w, work.data(), &lwork, rwork.data(), &info);
  return info;
}

namespace {

// LAPACK packs a conjugate pair of real-matrix eigenvectors into two real columns.
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
  std::vector<double> re(static_cast<std::size_t>(n)), im(re);
  std::vector<double> vl(left ? square(n) : 1), vr(right ? square(n) : 1);
  int info = 0;
  const int lwork = std::max(1, 66 * n), one = std::max(1, n);
  std::vector<double> work(static_cast<std::size_t>(lwork));
  dgeev_(left ? "V" : "N", right ? "V" : "N", &n, a, &one, re.data(), im.data(), vl.data(), &one, vr.data(), &one,
         work.data(), &lwork, &info);
  for (int k = 0; k < n; ++k) w[k] = Complex(re[static_cast<std::size_t>(k)], im[static_cast<std::size_t>(k)]);
  if (left) unpack_vectors(n, im.data(), vl, left);
  if (right) unpack_vectors(n, im.data(), vr, right);
  return info;
}
int lapack_eigen(int n, Complex* a, Complex* w, Complex* left, Complex* right) {
  require_finite(n, a);
  Z none[1];
  int info = 0;
  const int lwork = std::max(1, 66 * n), ld = std::max(1, n);
  std::vector<Z> work(static_cast<std::size_t>(lwork));
  std::vector<double> rwork(2 * static_cast<std::size_t>(ld));
  zgeev_(left ? "V" : "N", right ? "V" : "N", &n, a, &ld, w, left ? left : none, &ld, right ? right : none, &ld,
         work.data(), &lwork, rwork.data(), &info);
  return info;
}

int lapack_generalised_eigen(int n, double* a, double* b, Complex* w, Complex* right) {
  require_finite(n, a);
  require_finite(n, b);
  const auto count = static_cast<std::size_t>(n);
  std::vector<double> re(count), im(count), beta(count), vr(right ? square(n) : 1), vl(1);
  int info = 0;
  const int lwork = std::max(1, 66 * n), ld = std::max(1, n);
  std::vector<double> work(static_cast<std::size_t>(lwork));
  dggev_("N", right ? "V" : "N", &n, a, &ld, b, &ld, re.data(), im.data(), beta.data(), vl.data(), &ld, vr.data(), &ld,
         work.data(), &lwork, &info);
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
  std::vector<Z> alpha(count), beta(count);
  Z none[1];
  int info = 0;
  const int lwork = std::max(1, 66 * n), ld = std::max(1, n);
  std::vector<Z> work(static_cast<std::size_t>(lwork));
  std::vector<double> rwork(8 * count + 1);
  zggev_("N", right ? "V" : "N", &n, a, &ld, b, &ld, alpha.data(), beta.data(), none, &ld, right ? right : none, &ld,
         work.data(), &lwork, rwork.data(), &info);
  for (std::size_t k = 0; k < count; ++k) w[k] = beta[k] == Z(0) ? Z(INFINITY) : alpha[k] / beta[k];
  return info;
}

namespace {

int left_half(const double* re, const double*) { return *re < 0; }
int inside_circle(const double* re, const double* im) { return *re * *re + *im * *im < 1; }
int left_half_z(const Z* z) { return z->real() < 0; }
int inside_circle_z(const Z* z) { return std::abs(*z) < 1; }

}  // namespace

int lapack_schur(int n, double* a, Complex* w, double* v, int stable) {
  require_finite(n, a);
  const auto count = static_cast<std::size_t>(n);
  std::vector<double> re(count), im(count);
  std::vector<int> flags(count + 1);
  int info = 0, sorted = 0;
  const int lwork = std::max(1, 66 * n), ld = std::max(1, n);
  std::vector<double> work(static_cast<std::size_t>(lwork));
  dgees_("V", stable == 0 ? "N" : "S", stable > 0 ? inside_circle : left_half, &n, a, &ld, &sorted, re.data(),
         im.data(), v, &ld, work.data(), &lwork, flags.data(), &info);
  for (std::size_t k = 0; k < count; ++k) w[k] = Complex(re[k], im[k]);
  return info;
}
int lapack_schur(int n, Complex* a, Complex* w, Complex* v, int stable) {
  require_finite(n, a);
  const auto count = static_cast<std::size_t>(n);
  std::vector<int> flags(count + 1);
  std::vector<double> rwork(count + 1);
  int info = 0, sorted = 0;
  const int lwork = std::max(1, 66 * n), ld = std::max(1, n);
  std::vector<Z> work(static_cast<std::size_t>(lwork));
  zgees_("V", stable == 0 ? "N" : "S", stable > 0 ? inside_circle_z : left_half_z, &n, a, &ld, &sorted, w, v, &ld,
         work.data(), &lwork, rwork.data(), flags.data(), &info);
  return info;
}

int lapack_hessenberg(int n, double* a, double* q) {
  require_finite(n, a);
  const int one = 1, lwork = std::max(1, 64 * n);
  int info = 0;
  std::vector<double> tau(static_cast<std::size_t>(std::max(1, n - 1))), work(static_cast<std::size_t>(lwork));
  dgehrd_(&n, &one, &n, a, &n, tau.data(), work.data(), &lwork, &info);
  std::copy_n(a, square(n), q);
  dorghr_(&n, &one, &n, q, &n, tau.data(), work.data(), &lwork, &info);
  for (int c = 0; c < n; ++c) {
    for (int r = c + 2; r < n; ++r)
      a[static_cast<std::size_t>(r) + static_cast<std::size_t>(c) * static_cast<std::size_t>(n)] = 0;
  }
  return info;
}

double lapack_sylvester(int m, int n, const double* a, const double* b, double* c) {
  double scale = 1;
  const int plus = 1;
  int info = 0;
  dtrsyl_("N", "N", &plus, &m, &n, a, &m, b, &n, c, &m, &scale, &info);
  return scale;
}
double lapack_sylvester(int m, int n, const Complex* a, const Complex* b, Complex* c) {
  double scale = 1;
  const int plus = 1;
  int info = 0;
  ztrsyl_("N", "N", &plus, &m, &n, a, &m, b, &n, c, &m, &scale, &info);
  return scale;
}

void eigen_decomposition(const Value& a, Value& d, Value& v) {
  Value m = to_numeric(a);
  const int n = static_cast<int>(m.dims().rows());
  if (m.dims().rows() != m.dims().cols()) fail("the matrix must be square");
  d = Value::complex_zeros(Dims(n, 1));
  v = Value::complex_zeros(Dims(n, n));
  if (n == 0) return;
  bool hermitian = true;
  const Value z = to_complex(m);
  for (int r = 0; r < n && hermitian; ++r) {
    for (int c = 0; c <= r; ++c) hermitian = hermitian && z.complex().at(r, c) == std::conj(z.complex().at(c, r));
  }
  if (hermitian) {
    std::vector<double> w(static_cast<std::size_t>(n));
    v = z;
    if (m.kind() == Kind::real) {
      lapack_symmetric_eigen(true, n, m.edit_real().data.data(), w.data());
      v = to_complex(m);
    } else {
      lapack_symmetric_eigen(true, n, v.edit_complex().data.data(), w.data());
    }
    for (int k = 0; k < n; ++k) d.edit_complex()[k] = w[static_cast<std::size_t>(k)];
  } else if (m.kind() == Kind::real) {
    lapack_eigen(n, m.edit_real().data.data(), d.edit_complex().data.data(), nullptr, v.edit_complex().data.data());
  } else {
    lapack_eigen(n, m.edit_complex().data.data(), d.edit_complex().data.data(), nullptr, v.edit_complex().data.data());
  }
}

}  // namespace orrery::oml
