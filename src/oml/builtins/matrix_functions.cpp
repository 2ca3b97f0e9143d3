// SPDX-License-Identifier: Apache-2.0
// Functions of matrices: exponential, logarithm, roots, products and solutions of systems.
#include <algorithm>
#include <cmath>

#include "math/matrix_functions.h"
#include "oml/builtins/families.h"
#include "oml/builtins/map.h"
#include "oml/builtins/math_values.h"
#include "oml/builtins/matrix_arguments.h"
#include "oml/interpreter.h"
#include "oml/operators.h"
#include "oml/run_aside.h"
#include "oml/sparse.h"

namespace orrery::oml {
namespace {

// Of sparse matrices only the products of stored elements.
Value sparse_kron(const Value& a, const Value& b) {
  const Value x = to_sparse(a), y = to_sparse(b);
  std::vector<Triplet> all;
  const std::vector<Triplet> left = triplets_of(x.sparse()), right = triplets_of(y.sparse());
  const Index rows = y.sparse().rows, cols = y.sparse().cols;
  require_memory(static_cast<Index>(left.size() * right.size()), static_cast<Index>(2 * sizeof(Triplet)));
  for (const Triplet& s : left) {
    for (const Triplet& t : right) {
      Triplet product = t;
      product.row = s.row * rows + t.row;
      product.col = s.col * cols + t.col;
      product.value = s.value * t.value;
      all.push_back(product);
    }
  }
  return sparse_from_triplets(x.sparse().rows * rows, x.sparse().cols * cols, std::move(all));
}

void kron(Call& c) {
  const bool sparse =
      std::any_of(c.args.begin(), c.args.end(), [](const Value& v) { return v.kind() == Kind::sparse; });
  if (sparse) {
    Value product = c[0];
    for (int k = 1; k < c.count(); ++k) product = sparse_kron(product, c[k]);
    return c.ret(product);
  }
  Value out = to_numeric(full(c[0]));
  for (int k = 1; k < c.count(); ++k) {
    const Value a = to_complex(out), b = to_complex(full(c[k]));
    const Index m = a.dims().rows(), n = a.dims().cols(), p = b.dims().rows(), q = b.dims().cols();
    Value z = Value::complex_zeros(Dims(m * p, n * q));
    ComplexArray& d = z.edit_complex();
    for (Index j = 0; j < n; ++j)
      for (Index l = 0; l < q; ++l)
        for (Index i = 0; i < m; ++i)
          for (Index r = 0; r < p; ++r) {
            d.at(i * p + r, j * q + l) = a.complex().at(i, j) * b.complex().at(r, l);
          }
    out = narrowed(z);
  }
  c.ret(out);
}

// f of a square matrix, which Ctrl-C need not wait for: a product or a solution for each of so many terms.
template <class T, class F>
auto function_of(math::Matrix<T> a, F f) {
  const auto n = static_cast<double>(a.rows);
  return run_aside(20 * n * n * n, [f, a = std::move(a)]() mutable { return f(std::move(a)); });
}

void expm(Call& c) {
  const Value a = square_argument(c, 0);
  if (a.dims().rows() == 0) return c.ret(a);
  const auto exponential = [](auto m) { return math::exponential(std::move(m)); };
  c.ret(a.kind() == Kind::complex ? result(function_of(complex_matrix(a), exponential))
                                  : result(function_of(real_matrix(a), exponential)));
}

// f(A) = V f(D) / V, refined by nothing: for matrices with a full set of eigenvectors.
template <class F>
Value through_eigenvalues(const Value& a, F f) {
  Value d, v;
  eigen_decomposition(a, d, v);
  Value scaled = to_complex(v);
  const Index n = a.dims().rows();
  for (Index k = 0; k < n; ++k) {
    const Complex x = f(d.complex()[k]);
    for (Index r = 0; r < n; ++r) scaled.edit_complex().at(r, k) *= x;
  }
  return to_complex(apply_binary(BinaryOp::matrix_divide, scaled, v));
}

Value cleaned(const Value& v) {
  math::ComplexMatrix z = complex_matrix(v);
  math::drop_imaginary_noise(z);
  return result(z);
}

void sqrtm(Call& c) {
  const Value a = square_argument(c, 0);
  if (a.dims().rows() == 0) return c.ret(a);
  math::ComplexMatrix r = function_of(complex_matrix(a), [](auto m) { return math::square_root(std::move(m)); });
  math::drop_imaginary_noise(r);
  c.ret(result(r));
}

void logm(Call& c) {
  const Value a = square_argument(c, 0);
  if (a.dims().rows() == 0) return c.ret(a);
  c.ret(result(function_of(complex_matrix(a), [](auto m) { return math::logarithm(std::move(m)); })));
}

void funm(Call& c) {
  const Value a = square_argument(c, 0);
  const Value f = c.oml.to_handle(c[1]);
  c.ret(cleaned(through_eigenvalues(a, [&](Complex z) { return to_complex_scalar(c.oml.call1(f, {Value(z)})); })));
}

void linsolve(Call& c) {
  Value a = matrix_argument(c, 0);
  if (c.has(2) && c[2].is_struct()) {
    const Value* t = c[2].structure_ref().get("TRANSA");
    if (t != nullptr && is_true(*t)) a = transpose(a, true);
  }
  c.ret(solve_left(a, matrix_argument(c, 1)));
  if (c.nargout > 1) c.ret(c.oml.call_named("rcond", {a}, 1)[0]);
}

void lsqminnorm(Call& c) {
  const Values p = c.oml.call_named("pinv", {c[0]}, 1);
  c.ret(apply_binary(BinaryOp::matrix_times, p[0], c[1]));
}

void rref(Call& c) {
  math::RealMatrix a = real_matrix(to_real(c[0]));
  math::reduce_rows(a);
  c.ret(result(a));
}

void balance(Call& c) {
  const Value v = square_argument(c, 0);
  const Index n = v.dims().rows();
  const std::string option = c.has(1) ? c.text(1) : "";
  const bool permute = option != "noperm" && option != "s", scale = option != "noscal" && option != "p";
  math::Balance b;
  Value similar;
  if (v.kind() == Kind::complex) {
    math::ComplexMatrix a = complex_matrix(v);
    b = math::balance(a, permute, scale);
    similar = result(a);
  } else {
    math::RealMatrix a = real_matrix(v);
    b = math::balance(a, permute, scale);
    similar = result(a);
  }
  if (c.nargout <= 1) return c.ret(similar);
  std::vector<double> order;
  for (Index i = 0; i < n; ++i) order.push_back(static_cast<double>(i + 1));
  for (const auto& [j, m] : b.swaps) std::swap(order[static_cast<std::size_t>(j)], order[static_cast<std::size_t>(m)]);
  if (c.nargout == 2) {
    Value t = Value::zeros(Dims(n, n));
    for (Index i = 0; i < n; ++i) {
      const auto k = static_cast<std::size_t>(i);
      t.edit_real().at(static_cast<Index>(order[k]) - 1, i) = b.scale[k];
    }
    c.ret(unboxed(t));
  } else {
    c.ret(unboxed(Value::column(b.scale)));
    c.ret(unboxed(Value::column(order)));
  }
  c.ret(similar);
}

constexpr Builtin matrix_function_table[] = {
    {"balance", 1, 2, balance,
     "[T, B] = balance(A, 'noperm'|'noscal'): similar matrix B = T \\ A * T with rows and columns of like size; [s, p, "
     "B] gives the scale and the permutation as vectors.",
     "number square, word:noperm/noscal/s/p"},
    {"kron", 2, -1, kron, "kron(A, B, ...): Kronecker product.", "number matrix, number matrix, ..."},
    {"expm", 1, 1, expm, "expm(A): matrix exponential.", "number square"},
    {"logm", 1, 1, logm, "logm(A): matrix logarithm.", "number square"},
    {"sqrtm", 1, 1, sqrtm, "sqrtm(A): matrix square root.", "number square"},
    {"funm", 2, 2, funm, "funm(A, f): function of a matrix through its eigenvalues.", "number square, function"},
    {"linsolve", 2, 3, linsolve, "[x, r] = linsolve(A, b, opts): A \\ b, or A' \\ b with opts.TRANSA.",
     "number matrix, number matrix, struct"},
    {"lsqminnorm", 2, 2, lsqminnorm, "lsqminnorm(A, b): least-squares solution of smallest norm.",
     "number matrix, number matrix"},
    {"rref", 1, 1, rref, "rref(A): reduced row echelon form.", "number matrix"},
};

}  // namespace

BuiltinFamily matrix_function_builtins() { return matrix_function_table; }

}  // namespace orrery::oml
