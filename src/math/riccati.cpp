// SPDX-License-Identifier: Apache-2.0
// Riccati equations through invariant and deflating subspaces (Laub, IEEE Trans. AC 24, 1979; Van Dooren, SIAM J. Sci.
// Stat. Comput. 2, 1981).
#include "math/riccati.h"

#include <algorithm>
#include <cmath>

#include "math/lapack.h"

namespace orrery::math {
namespace {

[[noreturn]] void fail_stabilising() { throw Error("the Riccati equation has no stabilising solution"); }

// x = u2 / u1 of the subspace that the first half of the columns of u spans.
RealMatrix solution_of(const RealMatrix& u, bool& singular) {
  const Index n = u.rows / 2;
  const RealMatrix x = divide(block(u, n, n, 0, n), block(u, 0, n, 0, n), singular);
  return 0.5 * (x + transpose(x));
}

// x = q + a' q a + a'^2 q a^2 + ... of a stable a, twice as many terms with each step (Smith, SIAM J. Appl. Math. 16,
// 1968).
RealMatrix sum_of_powers(RealMatrix a, RealMatrix x) {
  for (int step = 0; step < 60; ++step) {
    const RealMatrix more = transpose(a) * (x * a);
    const auto size = [](const RealMatrix& m) {
      double s = 0;
      for (double v : m.data) s = std::max(s, std::abs(v));
      return s;
    };
    const bool last = size(more) <= 1e-17 * size(x);
    x = x + more;
    if (last) break;
    a = a * a;
  }
  return 0.5 * (x + transpose(x));
}

}  // namespace

RiccatiSolution solve_care(const RealMatrix& a, const RealMatrix& b, const RealMatrix& q, const RealMatrix& r) {
  RiccatiSolution out;
  const RealMatrix bt = transpose(b), g = b * solve(r, bt, out.singular);
  RealMatrix h = above(beside(a, -1.0 * g), beside(-1.0 * q, -1.0 * transpose(a)));
  RealMatrix u(h.rows, h.rows);
  std::vector<Complex> w(static_cast<std::size_t>(h.rows));
  const Index n = a.rows;
  if (lapack_schur(checked_int(h.rows), h.data.data(), w.data(), u.data.data(), -1) != 0) fail_stabilising();
  if (std::any_of(w.begin(), w.begin() + n, [](const Complex& z) { return !(z.real() < 0); })) fail_stabilising();
  out.x = solution_of(u, out.singular);
  out.k = solve(r, bt * out.x, out.singular);
  return out;
}

// The pencil of the optimality conditions,
//   [a 0 b; -q 1 0; 0 0 r] - z [1 0 0; 0 a' 0; 0 -b' 0],
// needs no inverse. Its last columns are compressed away by an orthogonal matrix; what is left has the stabilising
// solution in its deflating subspace inside the unit circle. A pole of the plant at zero is an infinite eigenvalue.
RiccatiSolution solve_dare(const RealMatrix& a, const RealMatrix& b, const RealMatrix& q, const RealMatrix& r) {
  const Index n = a.rows, m = b.cols, all = 2 * n + m;
  RealMatrix last(all, all), left(all, 2 * n), right(all, 2 * n);
  for (Index i = 0; i < n; ++i) {
    left(n + i, n + i) = right(i, i) = 1;
    for (Index k = 0; k < n; ++k) {
      left(i, k) = a(i, k);
      left(n + i, k) = -q(i, k);
      right(n + i, n + k) = a(k, i);
    }
    for (Index k = 0; k < m; ++k) {
      last(i, k) = b(i, k);
      right(2 * n + k, n + i) = -b(i, k);
    }
  }
  for (Index i = 0; i < m; ++i)
    for (Index k = 0; k < m; ++k) last(2 * n + i, k) = r(i, k);
  // The rows of the orthogonal matrix that annul the columns of `last` are the rest of the columns of its Q.
  std::vector<double> tau;
  lapack_qr(checked_int(all), checked_int(m), last.data.data(), tau, nullptr);
  lapack_form_q(checked_int(all), checked_int(all), checked_int(m), last.data.data(), tau);
  const RealMatrix compress = transpose(block(last, 0, all, m, 2 * n));
  left = compress * left;
  right = compress * right;
  RealMatrix z(2 * n, 2 * n);
  int inside = 0;
  const int size = checked_int(2 * n);
  const int info = lapack_generalised_schur(size, left.data.data(), right.data.data(), z.data.data(), inside);
  // size + 2: an eigenvalue on the edge moved by a rounding when the others were brought to the front.
  if ((info != 0 && info != size + 2) || inside != n) fail_stabilising();
  RiccatiSolution out;
  out.x = solution_of(z, out.singular);
  if (out.singular) fail_stabilising();
  const RealMatrix bt = transpose(b);
  const auto feedback = [&] {
    const RealMatrix bx = bt * out.x;
    out.k = solve(r + bx * b, bx * a, out.singular);
  };
  feedback();
  // Newton's method (Hewer, IEEE Trans. AC 16, 1971) removes what the basis of the subspace lost.
  for (int step = 0; step < 2; ++step) {
    out.x = sum_of_powers(a - b * out.k, q + transpose(out.k) * (r * out.k));
    feedback();
  }
  return out;
}

// Through complex Schur forms.
ComplexMatrix solve_sylvester(const ComplexMatrix& a, const ComplexMatrix& b, const ComplexMatrix& q) {
  const int m = checked_int(a.rows), n = checked_int(b.rows);
  ComplexMatrix ta = a, tb = b, ua(m, m), ub(n, n);
  std::vector<Complex> w(static_cast<std::size_t>(std::max(m, n)));
  lapack_schur(m, ta.data.data(), w.data(), ua.data.data(), 0);
  lapack_schur(n, tb.data.data(), w.data(), ub.data.data(), 0);
  ComplexMatrix y = (adjoint(ua) * (-1.0 * q)) * ub;
  const double scale = lapack_sylvester(m, n, ta.data.data(), tb.data.data(), y.data.data());
  ComplexMatrix x = (ua * y) * adjoint(ub);
  for (Complex& z : x.data) z /= scale;
  return x;
}

RealMatrix solve_discrete_lyapunov(const RealMatrix& a, const RealMatrix& q, bool& singular) {
  const Index n = a.rows;
  RealMatrix column(n * n, 1);
  column.data = q.data;
  RealMatrix x = solve(RealMatrix::identity(n * n) - kron(a, a), column, singular);
  x.rows = x.cols = n;
  return x;
}

}  // namespace orrery::math
