// SPDX-License-Identifier: Apache-2.0
// Robust pole placement: Kautsky, Nichols and Van Dooren, Int. J. Control 41, 1985, with the updates of two
// eigenvectors at a time of Tits and Yang, IEEE Trans. AC 41, 1996, which also treat conjugate pairs.
#include "math/pole_placement.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "math/decompositions.h"
#include "math/lapack.h"
#include "math/polynomials.h"

namespace orrery::math {

RealMatrix controllability(const RealMatrix& a, const RealMatrix& b) {
  RealMatrix out = b, part = b;
  for (Index k = 1; k < a.rows; ++k) {
    part = a * part;
    out = beside(out, part);
  }
  return out;
}

namespace {

bool is_real(const Complex& z) { return z.imag() == 0; }

// Ackermann's formula for one input.
RealMatrix ackermann(const RealMatrix& a, const RealMatrix& b, const std::vector<Complex>& poles, bool& singular) {
  const Index n = a.rows;
  RealMatrix phi(n, n);
  const RealMatrix one = RealMatrix::identity(n);
  for (const Complex& k : polynomial_from_roots(poles)) phi = phi * a + k.real() * one;
  RealMatrix last(n, 1);
  last(n - 1, 0) = 1;
  // k = e_n' * M^-1 * phi(A)
  return transpose(solve(transpose(controllability(a, b)), last, singular)) * phi;
}

// A random feedback and input direction reduce the pair to one input (Heymann's lemma).
Placement place_by_one_input(const RealMatrix& a, const RealMatrix& b, const std::vector<Complex>& poles) {
  const Index n = a.rows, m = b.cols;
  std::mt19937 random(1);
  Placement best;
  double best_size = INFINITY;
  const double scale = std::max(1e-3, lapack_norm1(checked_int(n), a.data.data())) / 10;
  for (int attempt = 0; attempt < 20; ++attempt) {
    const auto draw = [&] { return 2.0 * static_cast<double>(random()) / 4294967296.0 - 1; };
    RealMatrix g(m, 1), f(m, n);
    for (double& x : g.data) x = draw();
    for (double& x : f.data) x = attempt == 0 ? 0 : scale * draw();
    const RealMatrix closed = a - b * f, input = b * g;
    if (rank(controllability(closed, input)) < n) continue;
    bool singular = false;
    const RealMatrix k = f + g * ackermann(closed, input, poles, singular);
    double size = 0;
    for (double x : k.data) size += x * x;
    if (size < best_size) best_size = size, best = {k, singular};
  }
  if (best.k.is_empty()) throw Error("no feedback was found; the pair (A, B) is close to uncontrollable");
  return best;
}

// All columns of the orthogonal factor: the last ones are orthogonal to the columns of a.
template <class T>
Matrix<T> full_q(Matrix<T> a) {
  Matrix<T> q(a.rows, a.rows);
  const Index reflectors = std::min(a.rows, a.cols);
  if (reflectors == 0) return Matrix<T>::identity(a.rows);
  std::vector<T> tau;
  lapack_qr(checked_int(a.rows), checked_int(a.cols), a.data.data(), tau, nullptr);
  std::copy_n(a.data.begin(), static_cast<std::size_t>(a.rows * reflectors), q.data.begin());
  lapack_form_q(checked_int(a.rows), checked_int(a.rows), checked_int(reflectors), q.data.data(), tau);
  return q;
}

ComplexMatrix columns_of(const ComplexMatrix& a, Index first) {
  ComplexMatrix out(a.rows, a.cols - first);
  std::copy(a.data.begin() + static_cast<std::ptrdiff_t>(a.rows * first), a.data.end(), out.data.begin());
  return out;
}

double length_of(const ComplexMatrix& v) {
  double s = 0;
  for (const Complex& z : v.data) s += std::norm(z);
  return std::sqrt(s);
}

// The eigenvectors of the closed loop, as real columns: a conjugate pair is its real and its imaginary part. Column k
// must lie in the space of those x for which (a - pole x) is in the range of b.
class Eigenvectors {
 public:
  Eigenvectors(std::vector<ComplexMatrix> spaces, const std::vector<Complex>& poles)
      : n_(static_cast<Index>(poles.size())), poles_(poles), spaces_(std::move(spaces)), x_(n_, n_) {
    // The first vectors: each as far as possible from those before it.
    for (Index k = 0; k < n_; k += is_real(pole(k)) ? 1 : 2) {
      const RealMatrix q = full_q(block(x_, 0, n_, 0, k));
      ComplexMatrix away(n_, 1);
      for (Index c = k; c < n_; ++c)
        for (Index i = 0; i < n_; ++i)
          away(i, 0) += q(i, c) * (is_real(pole(k)) ? Complex(1) : Complex(1, static_cast<double>(c - k + 1)));
      ComplexMatrix v = space(k) * (adjoint(space(k)) * away);
      if (length_of(v) < 1e-8) v = space(k) * ones(space(k).cols);
      set(k, v);
    }
  }

  // Sweeps until the volume that the vectors span no longer grows.
  void improve() {
    std::vector<Index> real, pairs;
    for (Index k = 0; k < n_; ++k) {
      if (is_real(pole(k)))
        real.push_back(k);
      else
        pairs.push_back(k++);
    }
    double volume = log_volume();
    for (int sweep = 0; sweep < 100; ++sweep) {
      if (real.size() == 1) turn_one(real[0]);
      // Every vector meets every other one in the course of the sweeps.
      const std::size_t distance = 1 + static_cast<std::size_t>(sweep) % std::max<std::size_t>(1, real.size() - 1);
      for (std::size_t k = 0; k < real.size() && real.size() > 1; ++k) {
        const std::size_t other = (k + distance) % real.size();
        if (k != other) turn_two(real[k], real[other]);
      }
      for (Index k : pairs) turn_pair(k);
      const double now = log_volume();
      if (sweep > static_cast<int>(real.size()) && std::abs(now - volume) < 1e-6) break;
      volume = now;
    }
  }

  // Lowers the norm of the inverse, which bounds the condition number: for one vector x, with the others fixed, it is
  // least for (1 + s' g' g s) y = s' q, x = s y, where s spans the space of x, q is the normal of the others and g
  // their pseudo-inverse (the measure of Byers and Nash, Int. J. Control 49, 1989).
  void polish() {
    ComplexMatrix inverse;
    double size = inverse_norm(inverse);
    for (int sweep = 0; sweep < 50; ++sweep) {
      const double before = size;
      for (Index k = 0; k < n_; k += is_real(pole(k)) ? 1 : 2) {
        const RealMatrix old = x_;
        set(k, best_alone(k, inverse));
        ComplexMatrix changed;
        const double now = inverse_norm(changed);
        if (now < size)
          size = now, inverse = std::move(changed);
        else
          x_ = old;
      }
      if (!(size < before * (1 - 1e-4))) break;
    }
  }

  ComplexMatrix as_complex() const {
    ComplexMatrix out = to_complex(x_);
    for (Index k = 0; k < n_; ++k) {
      if (is_real(pole(k))) continue;
      for (Index i = 0; i < n_; ++i) {
        out(i, k) = Complex(x_(i, k), x_(i, k + 1));
        out(i, k + 1) = std::conj(out(i, k));
      }
      ++k;
    }
    return out;
  }

 private:
  const Complex& pole(Index k) const { return poles_[static_cast<std::size_t>(k)]; }
  const ComplexMatrix& space(Index k) const { return spaces_[static_cast<std::size_t>(k)]; }
  static ComplexMatrix ones(Index n) {
    ComplexMatrix v(n, 1);
    std::fill(v.data.begin(), v.data.end(), Complex(1));
    return v;
  }

  // Two orthonormal directions (or one, for j < 0) orthogonal to all other vectors.
  RealMatrix normals(Index i, Index j) const {
    RealMatrix rest(n_, n_ - (j < 0 ? 1 : 2));
    Index at = 0;
    for (Index k = 0; k < n_; ++k) {
      if (k == i || k == j) continue;
      for (Index r = 0; r < n_; ++r) rest(r, at) = x_(r, k);
      ++at;
    }
    return block(full_q(rest), 0, n_, rest.cols, n_ - rest.cols);
  }

  // Column k, and k + 1 for a pair, from a vector that is scaled to length one.
  void set(Index k, const ComplexMatrix& v) {
    const double length = length_of(v);
    for (Index i = 0; i < n_; ++i) {
      x_(i, k) = v(i, 0).real() / length;
      if (!is_real(pole(k))) x_(i, k + 1) = v(i, 0).imag() / length;
    }
  }

  // KNV's method 0: the projection of the normal of the others.
  void turn_one(Index i) {
    const ComplexMatrix normal = to_complex(normals(i, -1));
    const ComplexMatrix v = space(i) * (adjoint(space(i)) * normal);
    if (length_of(v) > 1e-8) set(i, v);
  }

  // Tits and Yang, section 6.2, real poles: the largest singular value of a skew form on the two spaces.
  void turn_two(Index i, Index j) {
    const RealMatrix q = normals(i, j), u = block(q, 0, n_, 0, 1), v = block(q, 0, n_, 1, 1);
    const RealMatrix si = real_part(space(i)), sj = real_part(space(j));
    RealMatrix m = transpose(si) * (u * transpose(v) - v * transpose(u)) * sj;
    const int r = checked_int(m.rows);
    std::vector<double> s(static_cast<std::size_t>(r));
    RealMatrix left(r, r), right(r, r);
    if (lapack_svd('A', r, r, m.data.data(), s.data(), left.data.data(), r, right.data.data(), r) != 0) return;
    // Several best choices: the one closest to where the vectors are.
    const Index choices = r > 1 && s[1] > s[0] * (1 - 1e-5) ? 2 : 1;
    const RealMatrix a = si * block(left, 0, r, 0, choices), b = sj * transpose(block(right, 0, choices, 0, r));
    const RealMatrix xi = block(x_, 0, n_, i, 1), xj = block(x_, 0, n_, j, 1);
    const RealMatrix weights = transpose(a) * xi + transpose(b) * xj;
    RealMatrix yi = a * weights, yj = b * weights;
    double length = 0;
    for (double x : yi.data) length += x * x;
    if (std::sqrt(length) < 1e-8) yi = block(a, 0, n_, 0, 1), yj = block(b, 0, n_, 0, 1);
    set(i, to_complex(yi));
    set(j, to_complex(yj));
  }

  // The same for a conjugate pair: the eigenvalue of largest modulus of a Hermitian form.
  void turn_pair(Index i) {
    const RealMatrix q = normals(i, i + 1);
    ComplexMatrix u(n_, 1);
    for (Index r = 0; r < n_; ++r) u(r, 0) = Complex(q(r, 0), q(r, 1));
    ComplexMatrix conjugate = u;
    for (Complex& z : conjugate.data) z = std::conj(z);
    ComplexMatrix m = adjoint(space(i)) * (u * adjoint(u) - conjugate * transpose(u)) * space(i);
    const int r = checked_int(m.rows);
    std::vector<double> w(static_cast<std::size_t>(r));
    if (lapack_symmetric_eigen(true, r, m.data.data(), w.data()) != 0) return;
    // Ascending: the largest modulus is at one of the ends; of two equally good ones, the one closer to the vector.
    const double low = std::abs(w.front()), high = std::abs(w.back());
    ComplexMatrix now(n_, 1);
    for (Index k = 0; k < n_; ++k) now(k, 0) = Complex(x_(k, i), x_(k, i + 1));
    const auto column = [&](Index c) {
      ComplexMatrix v(r, 1);
      for (Index k = 0; k < r; ++k) v(k, 0) = m(k, c);
      return space(i) * v;
    };
    const ComplexMatrix first = column(0), last = column(r - 1);
    const bool tie = std::abs(high - low) < 1e-5 * high;
    const bool take_last = tie ? length_of(adjoint(last) * now) >= length_of(adjoint(first) * now) : high > low;
    set(i, take_last ? last : first);
  }

  double inverse_norm(ComplexMatrix& inverse) const {
    bool singular = false;
    inverse = solve(as_complex(), ComplexMatrix::identity(n_), singular);
    return singular ? INFINITY : length_of(inverse);
  }

  ComplexMatrix best_alone(Index k, const ComplexMatrix& inverse) const {
    ComplexMatrix normal(n_, 1);
    for (Index c = 0; c < n_; ++c) normal(c, 0) = std::conj(inverse(k, c));
    normal = (1 / length_of(normal)) * normal;
    ComplexMatrix rest = inverse - (inverse * normal) * adjoint(normal);
    for (Index c = 0; c < n_; ++c) rest(k, c) = 0;
    const ComplexMatrix& s = space(k);
    const ComplexMatrix gs = rest * s;
    bool singular = false;
    return s * solve(ComplexMatrix::identity(s.cols) + adjoint(gs) * gs, adjoint(s) * normal, singular);
  }

  double log_volume() const {
    RealMatrix lu = x_;
    std::vector<int> pivots(static_cast<std::size_t>(n_));
    lapack_lu(checked_int(n_), checked_int(n_), lu.data.data(), pivots.data());
    double sum = 0;
    for (Index k = 0; k < n_; ++k) sum += std::log(std::max(std::abs(lu(k, k)), 1e-300));
    return sum;
  }

  Index n_;
  const std::vector<Complex>& poles_;
  std::vector<ComplexMatrix> spaces_;  // orthonormal bases, for a pair the same one twice
  RealMatrix x_;
};

// Real poles first, then pairs, the one with the positive imaginary part before its conjugate.
std::vector<Complex> ordered(std::vector<Complex> poles) {
  std::vector<Complex> out;
  std::sort(poles.begin(), poles.end(), [](const Complex& x, const Complex& y) {
    return x.real() != y.real() ? x.real() < y.real() : x.imag() < y.imag();
  });
  for (const Complex& z : poles)
    if (is_real(z)) out.push_back(z);
  for (const Complex& z : poles)
    if (z.imag() > 0) out.push_back(z), out.push_back(std::conj(z));
  return out;
}

std::size_t highest_multiplicity(const std::vector<Complex>& poles) {
  std::size_t highest = 0;
  for (const Complex& z : poles)
    highest = std::max(highest, static_cast<std::size_t>(std::count(poles.begin(), poles.end(), z)));
  return highest;
}

// b has full column rank and more than one column.
Placement place_robustly(const RealMatrix& a, const RealMatrix& b, const std::vector<Complex>& poles) {
  const Index n = a.rows, m = b.cols;
  const RealMatrix rest = block(full_q(b), 0, n, m, n - m);  // orthogonal to the range of b
  std::vector<ComplexMatrix> spaces;
  for (const Complex& z : poles) {
    if (z.imag() < 0) {
      spaces.push_back(spaces.back());
      continue;
    }
    ComplexMatrix shifted = to_complex(a);
    for (Index i = 0; i < n; ++i) shifted(i, i) -= z;
    // x with rest' (a - z) x = 0
    spaces.push_back(columns_of(full_q(adjoint(to_complex(transpose(rest)) * shifted)), n - m));
  }
  Eigenvectors vectors(std::move(spaces), poles);
  vectors.improve();
  vectors.polish();
  // a - b k = x diag(poles) x^-1
  const ComplexMatrix x = vectors.as_complex();
  ComplexMatrix scaled = x;
  for (Index k = 0; k < n; ++k)
    for (Index i = 0; i < n; ++i) scaled(i, k) *= poles[static_cast<std::size_t>(k)];
  Placement out;
  const RealMatrix closed = real_part(divide(scaled, x, out.singular));
  out.k = solve(b, a - closed, out.singular);
  return out;
}

// As many as the rank, chosen by a QR factorisation with pivoting, ascending.
std::vector<Index> independent_columns(RealMatrix b) {
  const Index count = rank(b);
  std::vector<double> tau;
  std::vector<int> order;
  lapack_qr(checked_int(b.rows), checked_int(b.cols), b.data.data(), tau, &order);
  std::vector<Index> out;
  for (Index k = 0; k < count; ++k) out.push_back(order[static_cast<std::size_t>(k)] - 1);
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace

Placement place_poles(const RealMatrix& a, const RealMatrix& b, const std::vector<Complex>& poles) {
  const Index n = a.rows;
  if (static_cast<Index>(poles.size()) != n) throw Error("as many poles as states are needed");
  for (const Complex& x : polynomial_from_roots(poles))
    if (std::abs(x.imag()) > 1e-9 * (1 + std::abs(x.real()))) throw Error("complex poles must come in conjugate pairs");
  if (rank(controllability(a, b)) < n) throw Error("the pair (A, B) is not controllable");
  if (b.cols == 1) {
    Placement out;
    out.k = ackermann(a, b, poles, out.singular);
    return out;
  }
  const std::vector<Index> independent = independent_columns(b);
  if (static_cast<Index>(independent.size()) < b.cols) {
    // Inputs that add no direction stay unused.
    RealMatrix fewer(n, 0);
    for (Index k : independent) fewer = beside(fewer, block(b, 0, n, k, 1));
    const Placement part = place_poles(a, fewer, poles);
    Placement out{RealMatrix(b.cols, n), part.singular};
    for (std::size_t r = 0; r < independent.size(); ++r)
      for (Index c = 0; c < n; ++c) out.k(independent[r], c) = part.k(static_cast<Index>(r), c);
    return out;
  }
  const std::vector<Complex> sorted = ordered(poles);
  if (static_cast<Index>(sorted.size()) != n || highest_multiplicity(sorted) > independent.size())
    return place_by_one_input(a, b, poles);
  return place_robustly(a, b, sorted);
}

}  // namespace orrery::math
