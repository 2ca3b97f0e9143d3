// SPDX-License-Identifier: Apache-2.0
// Sparse matrices in compressed columns, with Eigen's sparse LU behind division.
#include "oml/sparse.h"

#include <Eigen/SparseCore>
#include <Eigen/SparseLU>
#include <algorithm>
#include <cmath>

#include "oml/convert.h"
#include "oml/error.h"
#include "oml/indexing.h"
#include "oml/operators.h"

namespace orrery::oml {

Value sparse_from_triplets(Index rows, Index cols, std::vector<Triplet> triplets) {
  if (rows < 0 || cols < 0 || cols > (Index{1} << 40)) fail("negative or too large size of a sparse matrix");
  std::stable_sort(triplets.begin(), triplets.end(),
                   [](const Triplet& a, const Triplet& b) { return a.col != b.col ? a.col < b.col : a.row < b.row; });
  auto* s = new SparseMatrix();
  Value out(s);
  s->rows = rows;
  s->cols = cols;
  s->starts.assign(cols + 1, 0);
  std::vector<Triplet> merged;
  for (const Triplet& t : triplets) {
    if (t.row < 0 || t.col < 0 || t.row >= rows || t.col >= cols) fail("index out of bounds of the sparse matrix");
    if (!merged.empty() && merged.back().row == t.row && merged.back().col == t.col)
      merged.back().value += t.value;
    else
      merged.push_back(t);
  }
  std::erase_if(merged, [](const Triplet& t) { return t.value == Complex(0, 0); });
  const bool complex = std::any_of(merged.begin(), merged.end(), [](const Triplet& t) { return t.value.imag() != 0; });
  for (const Triplet& t : merged) {
    ++s->starts[t.col + 1];
    s->row_of.push_back(t.row);
    s->re.push_back(t.value.real());
    if (complex) s->im.push_back(t.value.imag());
  }
  for (Index c = 0; c < cols; ++c) s->starts[c + 1] += s->starts[c];
  return out;
}

std::vector<Triplet> triplets_of(const SparseMatrix& s) {
  std::vector<Triplet> out;
  for (Index c = 0; c < s.cols; ++c) {
    for (Index k = s.starts[c]; k < s.starts[c + 1]; ++k) {
      out.push_back({s.row_of[k], c, Complex(s.re[k], s.is_complex() ? s.im[k] : 0)});
    }
  }
  return out;
}

Value to_sparse(const Value& dense) {
  if (dense.kind() == Kind::sparse) return dense;
  if (dense.dims().count() > 2) fail("a sparse matrix has two dimensions");
  const Value v = to_numeric(dense);
  std::vector<Triplet> t;
  const Dims d = v.dims();
  for (Index i = 0; i < d.numel(); ++i) {
    const Complex x = v.kind() == Kind::complex ? v.complex()[i] : Complex(v.real()[i], 0);
    if (x != Complex(0, 0)) t.push_back({i % d.rows(), i / d.rows(), x});
  }
  Value out = sparse_from_triplets(d.rows(), d.cols(), std::move(t));
  static_cast<SparseMatrix*>(out.heap())->logical = dense.is_logical();
  return out;
}

Value sparse_index(const Value& v, std::span<const Value> subscripts) {
  const SparseMatrix& s = v.sparse();
  const Dims d(s.rows, s.cols);
  std::vector<Triplet> out;
  Dims shape;
  if (subscripts.size() == 1) {
    const Subscript sub(subscripts[0], d.numel());
    if (sub.highest() > d.numel()) fail("index out of bounds: index " + std::to_string(sub.highest()));
    shape = sub.shape();
    if (d.is_vector() && sub.shape().is_vector()) {
      shape = s.rows == 1 && !sub.is_colon() ? Dims(1, sub.count()) : Dims(sub.count(), 1);
    }
    for (Index i = 0; i < sub.count(); ++i) {
      const Index r = sub[i] % s.rows, c = sub[i] / s.rows;
      const auto* begin = s.row_of.data() + s.starts[c];
      const auto* end = s.row_of.data() + s.starts[c + 1];
      const auto* at = std::lower_bound(begin, end, r);
      if (at == end || *at != r) continue;
      const Index k = at - s.row_of.data();
      out.push_back({i % std::max<Index>(shape.rows(), 1), i / std::max<Index>(shape.rows(), 1),
                     Complex(s.re[k], s.is_complex() ? s.im[k] : 0)});
    }
  } else if (subscripts.size() == 2) {
    const Subscript rows(subscripts[0], s.rows), cols(subscripts[1], s.cols);
    if (rows.highest() > s.rows || cols.highest() > s.cols) fail("index out of bounds of the sparse matrix");
    std::vector<std::vector<Index>> places(static_cast<std::size_t>(s.rows));
    for (Index i = 0; i < rows.count(); ++i) places[static_cast<std::size_t>(rows[i])].push_back(i);
    shape = Dims(rows.count(), cols.count());
    for (Index j = 0; j < cols.count(); ++j) {
      const Index c = cols[j];
      for (Index k = s.starts[c]; k < s.starts[c + 1]; ++k) {
        for (Index i : places[static_cast<std::size_t>(s.row_of[k])]) {
          out.push_back({i, j, Complex(s.re[k], s.is_complex() ? s.im[k] : 0)});
        }
      }
    }
  } else {
    fail("a sparse matrix takes one or two subscripts");
  }
  if (shape.numel() == 1) {
    const Complex x = out.empty() ? Complex(0, 0) : out[0].value;
    if (s.logical) return Value(x != Complex(0, 0));
    return x.imag() == 0 ? Value(x.real()) : Value(x);
  }
  Value part = sparse_from_triplets(shape.rows(), shape.cols(), std::move(out));
  static_cast<SparseMatrix*>(part.heap())->logical = s.logical;
  return part;
}

namespace {

using EigenSparse = Eigen::SparseMatrix<Complex>;
using EigenReal = Eigen::SparseMatrix<double>;

template <class T>
Eigen::SparseMatrix<T> to_eigen(const Value& v) {
  const Value sv = to_sparse(v);
  const SparseMatrix& s = sv.sparse();
  std::vector<Eigen::Triplet<T>> list;
  for (const Triplet& t : triplets_of(s)) {
    if constexpr (std::is_same_v<T, double>) {
      list.emplace_back(static_cast<int>(t.row), static_cast<int>(t.col), t.value.real());
    } else {
      list.emplace_back(static_cast<int>(t.row), static_cast<int>(t.col), t.value);
    }
  }
  Eigen::SparseMatrix<T> m(s.rows, s.cols);
  m.setFromTriplets(list.begin(), list.end());
  return m;
}

template <class T>
Value from_eigen(const Eigen::SparseMatrix<T>& m) {
  std::vector<Triplet> list;
  for (int c = 0; c < m.outerSize(); ++c) {
    for (typename Eigen::SparseMatrix<T>::InnerIterator it(m, c); it; ++it) list.push_back({it.row(), c, it.value()});
  }
  return sparse_from_triplets(m.rows(), m.cols(), std::move(list));
}

Value sparse_product(const Value& a, const Value& b) {
  if (a.dims().cols() != b.dims().rows()) {
    fail("operator '*': inner sizes do not match, " + a.dims().text() + " and " + b.dims().text());
  }
  const bool both = a.kind() == Kind::sparse && b.kind() == Kind::sparse;
  if (!both) return matrix_product(full(a), full(b));
  if (a.is_complex() || b.is_complex()) {
    return from_eigen<Complex>(EigenSparse(to_eigen<Complex>(a) * to_eigen<Complex>(b)));
  }
  return from_eigen<double>(EigenReal(to_eigen<double>(a) * to_eigen<double>(b)));
}

}  // namespace

Value sparse_solve(const Value& a, const Value& b) {
  if (a.dims().rows() != a.dims().cols() || a.is_complex() || b.is_complex()) return solve_left(full(a), full(b));
  if (a.dims().rows() != b.dims().rows()) fail("operator '\\': numbers of rows do not match");
  Eigen::SparseLU<EigenReal> lu(to_eigen<double>(a));
  if (lu.info() != Eigen::Success) return solve_left(full(a), full(b));
  const Value rhs = to_real(full(b));
  Value out = Value::zeros(rhs.real().dims);
  const Eigen::Map<const Eigen::MatrixXd> r(rhs.real().data.data(), rhs.dims().rows(), rhs.dims().cols());
  Eigen::Map<Eigen::MatrixXd>(out.edit_real().data.data(), rhs.dims().rows(), rhs.dims().cols()) = lu.solve(r);
  return b.kind() == Kind::sparse ? to_sparse(out) : unboxed(out);
}

namespace {

// f of every element that is stored; zeros stay zeros.
template <class F>
Value map_stored(const Value& v, F f) {
  std::vector<Triplet> list = triplets_of(v.sparse());
  for (Triplet& t : list) t.value = f(t);
  return sparse_from_triplets(v.sparse().rows, v.sparse().cols, std::move(list));
}

Value sparse_sum(const Value& a, const Value& b, double sign) {
  if (!(a.dims() == b.dims()))
    return to_sparse(apply_binary(sign > 0 ? BinaryOp::add : BinaryOp::subtract, full(a), full(b)));
  std::vector<Triplet> list = triplets_of(a.sparse());
  for (const Triplet& t : triplets_of(b.sparse())) list.push_back({t.row, t.col, sign * t.value});
  return sparse_from_triplets(a.sparse().rows, a.sparse().cols, std::move(list));
}

// Products where an operand is a scalar or a full matrix touch only what is stored.
Value sparse_times(const Value& a, const Value& b) {
  const Value& s = a.kind() == Kind::sparse ? a : b;
  const Value& other = a.kind() == Kind::sparse ? b : a;
  if (other.kind() == Kind::sparse || !(other.is_scalar() || other.dims() == s.dims()))
    return to_sparse(elementwise(BinaryOp::times, full(a), full(b)));
  const Value z = to_complex(other);
  for (const Complex& x : z.complex().data)
    if (!std::isfinite(x.real()) || !std::isfinite(x.imag()))
      return to_sparse(elementwise(BinaryOp::times, full(a), full(b)));
  const bool scalar = other.is_scalar();
  return map_stored(
      s, [&](const Triplet& t) { return t.value * z.complex()[scalar ? 0 : t.row + t.col * s.dims().rows()]; });
}

}  // namespace

Value sparse_binary(BinaryOp op, const Value& a, const Value& b) {
  const bool both = a.kind() == Kind::sparse && b.kind() == Kind::sparse;
  const bool scalar = a.is_scalar() || b.is_scalar();
  switch (op) {
    case BinaryOp::matrix_times: return scalar ? sparse_times(a, b) : sparse_product(a, b);
    case BinaryOp::times: return sparse_times(a, b);
    case BinaryOp::divide:
    case BinaryOp::matrix_divide:
      if (b.is_scalar()) return to_sparse(elementwise(BinaryOp::divide, full(a), full(b)));
      if (op == BinaryOp::divide) return to_sparse(elementwise(op, full(a), full(b)));
      return transpose(sparse_solve(transpose(b, true), transpose(a, true)), true);
    case BinaryOp::matrix_left_divide:
      if (a.is_scalar()) return to_sparse(elementwise(BinaryOp::left_divide, full(a), full(b)));
      return sparse_solve(a, b);
    case BinaryOp::add:
    case BinaryOp::subtract:
      return both ? sparse_sum(a, b, op == BinaryOp::add ? 1 : -1) : apply_binary(op, full(a), full(b));
    case BinaryOp::matrix_power:
    case BinaryOp::power: return to_sparse(apply_binary(op, full(a), full(b)));
    default: {
      // Comparisons and logic: a sparse matrix of truth values.
      const Value r = apply_binary(op, full(a), full(b));
      return r.is_scalar() ? r : to_sparse(r);
    }
  }
}

}  // namespace orrery::oml
