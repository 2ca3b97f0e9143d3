// SPDX-License-Identifier: Apache-2.0
// Matrix product, division, power and transpose on BLAS and LAPACK.
#include <algorithm>
#include <array>
#include <cmath>

#include "math/decompositions.h"
#include "oml/convert.h"
#include "oml/error.h"
#include "oml/operators.h"
#include "oml/run_aside.h"
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
      t->logical = s.logical;
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

namespace {

// out = x y; Ctrl-C need not wait for it.
template <class T>
void multiply(const Value& x, const Value& y, Value& out, const T* left, const T* right, T* product) {
  const int m = static_cast<int>(out.dims().rows()), n = static_cast<int>(out.dims().cols());
  const int k = static_cast<int>(x.dims().cols());
  const double size = static_cast<double>(m) * n * k;
  run_aside(size, [=, kept = std::array{x, y, out}] {
    math::multiply(m, n, k, left, right, product);
    return true;
  });
}

}  // namespace

Value matrix_product(const Value& a, const Value& b) {
  require_matrix(a, "*");
  require_matrix(b, "*");
  const Dims da = a.dims(), db = b.dims();
  if (da.cols() != db.rows()) {
    fail("operator '*': inner sizes do not match, " + da.text() + " and " + db.text());
  }
  const Dims size(da.rows(), db.cols());
  if (a.is_complex() || b.is_complex()) {
    const Value x = to_complex(a), y = to_complex(b);
    Value out = Value::complex_zeros(size);
    multiply(x, y, out, x.complex().data.data(), y.complex().data.data(), out.edit_complex().data.data());
    return narrowed(std::move(out));
  }
  const Value x = to_real(a), y = to_real(b);
  Value out = Value::zeros(size);
  multiply(x, y, out, x.real().data.data(), y.real().data.data(), out.edit_real().data.data());
  return unboxed(std::move(out));
}

namespace {

// `left` and `right` own a and b.
template <class T>
Value solve_dense(const Value& left, const Value& right, const Array<T>& a, const Array<T>& b, Kind kind) {
  auto* out = new Array<T>(kind, Dims(a.dims.cols(), b.dims.cols()));
  Value result(out);
  const int m = static_cast<int>(a.dims.rows()), n = static_cast<int>(a.dims.cols());
  const int columns = static_cast<int>(b.dims.cols());
  const double size = static_cast<double>(m) * n * (std::min(m, n) + columns);
  const bool singular =
      run_aside(size, [=, kept = std::array{left, right, result}, x = a.data.data(), y = b.data.data(),
                       z = out->data.data()] { return math::solve(m, n, columns, x, y, z); });
  if (singular)
    emit_warning("matrix is singular to working precision");
  else if (a.dims.rows() == a.dims.cols())
    out->cls = b.cls;
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
    const Value left = to_complex(a), right = to_complex(b);
    return narrowed(solve_dense(left, right, left.complex(), right.complex(), Kind::complex));
  }
  const Value left = to_real(a), right = to_real(b);
  return unboxed(solve_dense(left, right, left.real(), right.real(), Kind::real));
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

void eigen_decomposition(const Value& a, Value& d, Value& v) {
  Value m = to_numeric(a);
  const int n = static_cast<int>(m.dims().rows());
  if (m.dims().rows() != m.dims().cols()) fail("the matrix must be square");
  d = Value::complex_zeros(Dims(n, 1));
  v = Value::complex_zeros(Dims(n, n));
  if (n == 0) return;
  Complex* values = d.edit_complex().data.data();
  Complex* vectors = v.edit_complex().data.data();
  const auto decompose = [&](auto* elements) {
    run_aside(25.0 * n * n * n, [=, kept = std::array{m, d, v}] {
      math::eigen(n, elements, values, vectors);
      return true;
    });
  };
  try {
    if (m.kind() == Kind::real)
      decompose(m.edit_real().data.data());
    else
      decompose(m.edit_complex().data.data());
  } catch (const math::Error& error) {
    fail(error.what());
  }
}

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
