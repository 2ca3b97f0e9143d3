// SPDX-License-Identifier: Apache-2.0
// Matrix product, division, power and transpose on BLAS and LAPACK.
#include <algorithm>
#include <cmath>

#include "oml/convert.h"
#include "oml/error.h"
#include "oml/lapack.h"
#include "oml/operators.h"
#include "oml/warnings.h"

namespace orrery::oml {

namespace {

void require_matrix(const Value& v, const char* op) {
  if (!v.is_arithmetic()) fail(std::string("operator '") + op + "' is not defined for a " + v.class_name());
  if (v.dims().count() > 2) fail(std::string("operator '") + op + "' needs matrices, not N-d arrays");
}

template <class T>
void transpose_into(const Array<T>& a, Array<T>& out) {
  const Index m = a.dims.rows(), n = a.dims.cols();
  if (m == 1 || n == 1) {
    out.data = a.data;
    return;
  }
  constexpr Index block = 32;
  for (Index c0 = 0; c0 < n; c0 += block) {
    for (Index r0 = 0; r0 < m; r0 += block) {
      for (Index c = c0; c < std::min(c0 + block, n); ++c) {
        for (Index r = r0; r < std::min(r0 + block, m); ++r) out[c + r * n] = a[r + c * m];
      }
    }
  }
}

template <class T>
Value transposed(const Value& v, const Array<T>& a) {
  auto* out = new Array<T>(v.kind(), Dims(a.dims.cols(), a.dims.rows()));
  Value result(out);
  out->cls = a.cls;
  transpose_into(a, *out);
  return result;
}

}  // namespace

Value transpose(const Value& v, bool conjugate) {
  if (v.dims().count() > 2) fail("transpose is not defined for N-d arrays");
  switch (v.kind()) {
    case Kind::number:
    case Kind::boolean: return v;
    case Kind::range: return transpose(stored(v), conjugate);
    case Kind::real: return transposed(v, v.real());
    case Kind::logical:
    case Kind::chars: return transposed(v, v.bytes());
    case Kind::cell: return transposed(v, v.cell());
    case Kind::complex: {
      Value out = transposed(v, v.complex());
      if (conjugate)
        for (Complex& z : out.edit_complex().data) z = std::conj(z);
      return out;
    }
    case Kind::sparse: {
      const SparseMatrix& s = v.sparse();
      auto* t = new SparseMatrix();
      Value out(t);
      t->rows = s.cols;
      t->cols = s.rows;
      t->starts.assign(s.rows + 1, 0);
      t->row_of.resize(s.row_of.size());
      t->re.resize(s.re.size());
      t->im.resize(s.im.size());
      for (Index r : s.row_of) ++t->starts[r + 1];
      for (Index r = 0; r < s.rows; ++r) t->starts[r + 1] += t->starts[r];
      Buffer<Index> next(t->starts.begin(), t->starts.end());
      for (Index c = 0; c < s.cols; ++c) {
        for (Index k = s.starts[c]; k < s.starts[c + 1]; ++k) {
          const Index at = next[s.row_of[k]]++;
          t->row_of[at] = c;
          t->re[at] = s.re[k];
          if (s.is_complex()) t->im[at] = conjugate ? -s.im[k] : s.im[k];
        }
      }
      return out;
    }
    case Kind::structure: {
      Value out = v;
      const Dims d = v.dims();
      if (!d.is_vector()) fail("transpose of a struct matrix is not defined");
      out.edit_structure().dims = Dims(d.cols(), d.rows());
      return out;
    }
    default: fail("transpose is not defined for a " + v.class_name());
  }
}

Value matrix_product(const Value& a, const Value& b) {
  require_matrix(a, "*");
  require_matrix(b, "*");
  const Dims da = a.dims(), db = b.dims();
  if (da.cols() != db.rows()) {
    fail("operator '*': inner sizes do not match, " + da.text() + " and " + db.text());
  }
  const int m = static_cast<int>(da.rows()), n = static_cast<int>(db.cols()), k = static_cast<int>(da.cols());
  if (a.is_complex() || b.is_complex()) {
    const Value x = to_complex(a), y = to_complex(b);
    Value out = Value::complex_zeros(Dims(m, n));
    if (m > 0 && n > 0 && k > 0) {
      const Complex one = 1, zero = 0;
      zgemm_("N", "N", &m, &n, &k, &one, x.complex().data.data(), &m, y.complex().data.data(), &k, &zero,
             out.edit_complex().data.data(), &m);
    }
    return narrowed(std::move(out));
  }
  const Value x = to_real(a), y = to_real(b);
  Value out = Value::zeros(Dims(m, n));
  if (m > 0 && n > 0 && k > 0) {
    const double one = 1, zero = 0;
    const int inc = 1;
    double* z = out.edit_real().data.data();
    if (m == 1 && n == 1) {
      z[0] = ddot_(&k, x.real().data.data(), &inc, y.real().data.data(), &inc);
    } else if (n == 1) {
      dgemv_("N", &m, &k, &one, x.real().data.data(), &m, y.real().data.data(), &inc, &zero, z, &inc);
    } else {
      dgemm_("N", "N", &m, &n, &k, &one, x.real().data.data(), &m, y.real().data.data(), &k, &zero, z, &m);
    }
  }
  return unboxed(std::move(out));
}

namespace {

// Least squares of smallest norm for systems that are not square or are singular.
template <class T>
Value least_squares(const Array<T>& a, const Array<T>& b, Kind kind) {
  const int m = static_cast<int>(a.dims.rows()), n = static_cast<int>(a.dims.cols());
  const int nrhs = static_cast<int>(b.dims.cols());
  Buffer<T> matrix = a.data;
  const int ldb = std::max({m, n, 1});
  Buffer<T> rhs(static_cast<std::size_t>(ldb) * static_cast<std::size_t>(std::max(nrhs, 1)));
  std::fill(rhs.begin(), rhs.end(), T(0));
  for (int c = 0; c < nrhs; ++c) {
    for (int r = 0; r < m; ++r) rhs[r + static_cast<Index>(c) * ldb] = b.at(r, c);
  }
  lapack_least_squares(m, n, nrhs, matrix.data(), rhs.data(), ldb);
  auto* out = new Array<T>(kind, Dims(n, nrhs));
  Value result(out);
  for (int c = 0; c < nrhs; ++c) {
    for (int r = 0; r < n; ++r) out->at(r, c) = rhs[r + static_cast<Index>(c) * ldb];
  }
  return result;
}

template <class T>
bool is_upper(const Array<T>& a) {
  const Index n = a.dims.rows();
  for (Index c = 0; c < n; ++c) {
    for (Index r = c + 1; r < n; ++r)
      if (a.at(r, c) != T(0)) return false;
  }
  return true;
}

template <class T>
Value solve_dense(const Array<T>& a, const Array<T>& b, Kind kind) {
  const int n = static_cast<int>(a.dims.rows()), nrhs = static_cast<int>(b.dims.cols());
  if (a.dims.rows() != a.dims.cols()) return least_squares(a, b, kind);
  if (n == 0 || nrhs == 0) {
    Value v(new Array<T>(kind, Dims(n, nrhs)));
    return v;
  }
  if (is_upper(a)) {
    bool singular = false;
    for (int i = 0; i < n; ++i) singular = singular || a.at(i, i) == T(0);
    if (!singular) {
      auto* out = new Array<T>(b);
      out->references = 0;
      Value result(out);
      lapack_solve_upper(n, nrhs, a.data.data(), out->data.data());
      return result;
    }
  }
  Buffer<T> lu = a.data;
  Buffer<int> pivots(static_cast<std::size_t>(n));
  const double norm = lapack_norm1(n, a.data.data());
  const int info = lapack_lu(n, n, lu.data(), pivots.data());
  const double rcond = info > 0 ? 0.0 : lapack_rcond(n, lu.data(), norm);
  if (rcond < 2.2e-16) {
    emit_warning("matrix is singular to working precision");
    return least_squares(a, b, kind);
  }
  auto* out = new Array<T>(b);
  out->references = 0;
  Value result(out);
  lapack_lu_solve(n, nrhs, lu.data(), pivots.data(), out->data.data());
  return result;
}

}  // namespace

Value solve_left(const Value& a, const Value& b) {
  require_matrix(a, "\\");
  require_matrix(b, "\\");
  if (a.dims().rows() != b.dims().rows()) {
    fail("operator '\\': numbers of rows do not match, " + a.dims().text() + " and " + b.dims().text());
  }
  if (a.is_complex() || b.is_complex()) {
    return narrowed(solve_dense(to_complex(a).complex(), to_complex(b).complex(), Kind::complex));
  }
  return unboxed(solve_dense(to_real(a).real(), to_real(b).real(), Kind::real));
}

namespace {

Value identity(Index n) {
  Value v = Value::zeros(Dims(n, n));
  RealArray& a = v.edit_real();
  for (Index i = 0; i < n; ++i) a.at(i, i) = 1;
  return v;
}

Value whole_power(Value base, Index exponent) {
  Value result = identity(base.dims().rows());
  if (exponent < 0) {
    base = solve_left(base, result);
    exponent = -exponent;
  }
  bool started = false;
  for (; exponent > 0; exponent >>= 1) {
    if (exponent & 1) {
      result = started ? matrix_product(result, base) : base;
      started = true;
    }
    if (exponent > 1) base = matrix_product(base, base);
  }
  return result;
}

}  // namespace

Value matrix_power(const Value& a, const Value& b) {
  require_matrix(a, "^");
  require_matrix(b, "^");
  const Dims da = a.dims(), db = b.dims();
  if (b.is_scalar() && da.rows() == da.cols()) {
    const Complex p = to_complex_scalar(b);
    if (p.imag() == 0 && p.real() == std::floor(p.real()) && std::abs(p.real()) < 1e9) {
      return whole_power(to_numeric(a), static_cast<Index>(p.real()));
    }
    // V * diag(d.^p) / V
    Value d, v;
    eigen_decomposition(a, d, v);
    const Value powers = to_complex(elementwise(BinaryOp::power, to_complex(d), b));
    Value scaled = to_complex(v);
    ComplexArray& s = scaled.edit_complex();
    for (Index c = 0; c < da.rows(); ++c) {
      for (Index r = 0; r < da.rows(); ++r) s.at(r, c) *= powers.complex()[c];
    }
    return narrowed(apply_binary(BinaryOp::matrix_divide, scaled, v));
  }
  if (a.is_scalar() && db.rows() == db.cols()) {
    Value d, v;
    eigen_decomposition(b, d, v);
    const Value powers = to_complex(elementwise(BinaryOp::power, a, d));
    Value scaled = to_complex(v);
    ComplexArray& s = scaled.edit_complex();
    for (Index c = 0; c < db.rows(); ++c) {
      for (Index r = 0; r < db.rows(); ++r) s.at(r, c) *= powers.complex()[c];
    }
    return narrowed(apply_binary(BinaryOp::matrix_divide, scaled, v));
  }
  fail("operator '^' needs a square matrix and a scalar");
}

}  // namespace orrery::oml
