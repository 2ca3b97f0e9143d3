// SPDX-License-Identifier: Apache-2.0
// Zeros and minima of user functions.
#include <algorithm>
#include <cmath>

#include "oml/builtins/differences.h"
#include "oml/builtins/families.h"
#include "oml/builtins/target_function.h"
#include "oml/interpreter.h"
#include "oml/operators.h"

namespace orrery::oml {
namespace {

// Brent's method (Brent 1973, chapter 4) after widening a single start value to a bracket.
void fzero(Call& c) {
  Target g{c, c.oml.to_handle(c[0]), Dims(1, 1)};
  const double tol = option(c, 2, "TolX", 2.2e-16);
  const Vec start = to_vector(c[1]);
  const auto f = [&](double x) { return g.scalar({x}); };
  double a = start.at(0), fa = f(a), b = start.size() > 1 ? start[1] : a, fb = start.size() > 1 ? f(b) : fa;
  if (start.size() == 1 && fa != 0) {
    static constexpr double widths[] = {0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 50, 100, 1000};
    for (double w : widths) {
      bool found = false;
      for (double s : {-1.0, 1.0}) {
        const double trial = a == 0 ? s * w : a + s * w * std::abs(a), ft = f(trial);
        if ((ft > 0) != (fa > 0) || ft == 0) {
          b = trial, fb = ft, found = true;
          break;
        }
      }
      if (found) break;
    }
  }
  if (fa != 0 && fb != 0 && (fa > 0) == (fb > 0)) fail("the function has the same sign at both ends of the interval");
  double cc = a, fc = fa, d = b - a, e = d;
  int turns = 0;
  for (; turns < 500 && fb != 0; ++turns) {
    if ((fb > 0) == (fc > 0)) cc = a, fc = fa, d = e = b - a;
    if (std::abs(fc) < std::abs(fb)) a = b, b = cc, cc = a, fa = fb, fb = fc, fc = fa;
    const double t = 2 * 2.2e-16 * std::abs(b) + tol / 2, m = (cc - b) / 2;
    if (std::abs(m) <= t || fb == 0) break;
    if (std::abs(e) >= t && std::abs(fa) > std::abs(fb)) {
      const double s = fb / fa;
      double p, q;
      if (a == cc)
        p = 2 * m * s, q = 1 - s;
      else {
        const double r1 = fa / fc, r2 = fb / fc;
        p = s * (2 * m * r1 * (r1 - r2) - (b - a) * (r2 - 1)), q = (r1 - 1) * (r2 - 1) * (s - 1);
      }
      if (p > 0) q = -q;
      p = std::abs(p);
      if (2 * p < std::min(3 * m * q - std::abs(t * q), std::abs(e * q)))
        e = d, d = p / q;
      else
        d = e = m;
    } else {
      d = e = m;
    }
    a = b, fa = fb;
    b += std::abs(d) > t ? d : std::copysign(t, m);
    fb = f(b);
  }
  if (fa == 0) b = a, fb = fa;
  c.ret(Value(b));
  c.ret(Value(fb));
  c.ret(Value(1));
  c.ret(search_details(turns, g));
}

// Golden section with parabolic steps (Brent 1973, chapter 5).
void fminbnd(Call& c) {
  Target g{c, c.oml.to_handle(c[0]), Dims(1, 1)};
  const Vec interval = to_vector(c[1]);
  const bool together = interval.size() == 2;
  if (!together && !c.has(2)) fail_argument(2, "must be an interval [a b]");
  double a = together ? interval[0] : c.number(1), b = together ? interval[1] : c.number(2);
  const double tol = option(c, together ? 2 : 3, "TolX", 1e-8);
  if (a > b) fail("the lower bound must not exceed the upper one");
  const double golden = (3 - std::sqrt(5.0)) / 2;
  double x = a + golden * (b - a), w = x, v = x, d = 0, e = 0, fx = g.scalar({x}), fw = fx, fv = fx;
  int iterations = 0;
  for (; iterations < 500; ++iterations) {
    const double m = (a + b) / 2, t1 = std::sqrt(2.2e-16) * std::abs(x) + tol / 3, t2 = 2 * t1;
    if (std::abs(x - m) <= t2 - (b - a) / 2) break;
    bool parabola = false;
    if (std::abs(e) > t1) {
      double r = (x - w) * (fx - fv), q = (x - v) * (fx - fw), p = (x - v) * q - (x - w) * r;
      q = 2 * (q - r);
      if (q > 0) p = -p;
      q = std::abs(q);
      if (std::abs(p) < std::abs(q * e / 2) && p > q * (a - x) && p < q * (b - x)) {
        e = d, d = p / q;
        const double u = x + d;
        if (u - a < t2 || b - u < t2) d = std::copysign(t1, m - x);
        parabola = true;
      }
    }
    if (!parabola) e = x < m ? b - x : a - x, d = golden * e;
    const double u = x + (std::abs(d) >= t1 ? d : std::copysign(t1, d)), fu = g.scalar({u});
    if (fu <= fx) {
      (u < x ? b : a) = x;
      v = w, fv = fw, w = x, fw = fx, x = u, fx = fu;
    } else {
      (u < x ? a : b) = u;
      if (fu <= fw || w == x)
        v = w, fv = fw, w = u, fw = fu;
      else if (fu <= fv || v == x || v == w)
        v = u, fv = fu;
    }
  }
  c.ret(Value(x));
  c.ret(Value(fx));
  c.ret(Value(1));
  c.ret(search_details(iterations, g));
}

// Nelder and Mead's simplex method.
void fminsearch(Call& c) {
  Vec x0 = to_vector(c[1]);
  Target g{c, c.oml.to_handle(c[0]), c[1].dims()};
  const std::size_t n = x0.size();
  const double tol_x = option(c, 2, "TolX", 1e-7), tol_f = option(c, 2, "TolFun", 1e-7);
  const auto limit = static_cast<int>(option(c, 2, "MaxIter", 400.0 * static_cast<double>(n)));
  std::vector<std::pair<double, Vec>> s = {{g.scalar(x0), x0}};
  for (std::size_t k = 0; k < n; ++k) {
    Vec x = x0;
    x[k] = x[k] == 0 ? 0.00025 : 1.05 * x[k];
    s.emplace_back(g.scalar(x), x);
  }
  const auto by_value = [](const auto& p, const auto& q) { return p.first < q.first; };
  int flag = 0, turns = 0;
  for (; turns < limit; ++turns) {
    std::stable_sort(s.begin(), s.end(), by_value);
    double spread = 0;
    for (std::size_t i = 1; i <= n; ++i)
      for (std::size_t q = 0; q < n; ++q) spread = std::max(spread, std::abs(s[i].second[q] - s[0].second[q]));
    if (spread <= tol_x && std::abs(s[n].first - s[0].first) <= tol_f) {
      flag = 1;
      break;
    }
    Vec centre(n, 0.0);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t q = 0; q < n; ++q) centre[q] += s[i].second[q] / static_cast<double>(n);
    const auto at = [&](double t) {
      Vec x(n);
      for (std::size_t q = 0; q < n; ++q) x[q] = centre[q] + t * (s[n].second[q] - centre[q]);
      return std::pair(g.scalar(x), x);
    };
    const auto reflected = at(-1);
    if (reflected.first < s[0].first) {
      const auto expanded = at(-2);
      s[n] = expanded.first < reflected.first ? expanded : reflected;
    } else if (reflected.first < s[n - 1].first || n == 1) {
      if (reflected.first < s[n].first)
        s[n] = reflected;
      else {
        const auto inner = at(0.5);
        s[n] = inner.first < s[n].first ? inner : s[n];
        if (inner.first >= s[n].first && n == 1)
          for (double& x : s[1].second) x = (x + s[0].second[0]) / 2, s[1].first = g.scalar(s[1].second);
      }
    } else {
      const auto contracted = reflected.first < s[n].first ? at(-0.5) : at(0.5);
      if (contracted.first < std::min(reflected.first, s[n].first)) {
        s[n] = contracted;
      } else {
        for (std::size_t i = 1; i <= n; ++i) {
          for (std::size_t q = 0; q < n; ++q) s[i].second[q] = s[0].second[q] + 0.5 * (s[i].second[q] - s[0].second[q]);
          s[i].first = g.scalar(s[i].second);
        }
      }
    }
  }
  std::stable_sort(s.begin(), s.end(), by_value);
  c.ret(g.shaped(s[0].second));
  c.ret(Value(s[0].first));
  c.ret(Value(flag));
  c.ret(search_details(turns, g));
}

struct Minimum {
  Vec x, gradient;
  double f = 0;
  int flag = 0, iterations = 0;
};

using Matrix = std::vector<Vec>;

// The BFGS update of an inverse Hessian with step s and change of gradient y.
void update_inverse(Matrix& h, const Vec& s, const Vec& y) {
  const std::size_t n = s.size();
  double sy = 0, yhy = 0;
  for (std::size_t i = 0; i < n; ++i) sy += s[i] * y[i];
  if (sy <= 1e-14 * norm(s) * norm(y)) return;
  Vec hy(n, 0.0);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t k = 0; k < n; ++k) hy[i] += h[i][k] * y[k];
  for (std::size_t i = 0; i < n; ++i) yhy += y[i] * hy[i];
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < n; ++k)
      h[i][k] += (1 + yhy / sy) * s[i] * s[k] / sy - (hy[i] * s[k] + s[i] * hy[k]) / sy;
  }
}

Matrix unit_matrix(std::size_t n) {
  Matrix h(n, Vec(n, 0.0));
  for (std::size_t i = 0; i < n; ++i) h[i][i] = 1;
  return h;
}

// Quasi-Newton: BFGS with a backtracking line search.
template <class F, class G>
Minimum minimise(F f, G gradient, Vec start, double tol_f, double tol_x, int limit) {
  Minimum m;
  m.x = std::move(start);
  const std::size_t n = m.x.size();
  Matrix h = unit_matrix(n);
  m.f = f(m.x);
  m.gradient = gradient(m.x);
  for (; m.iterations < limit; ++m.iterations) {
    const Vec& d = m.gradient;
    if (norm(d) <= tol_f * (1 + std::abs(m.f))) {
      m.flag = 1;
      return m;
    }
    Vec p(n, 0.0);
    double slope = 0;
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t k = 0; k < n; ++k) p[i] -= h[i][k] * d[k];
    for (std::size_t i = 0; i < n; ++i) slope += p[i] * d[i];
    if (slope >= 0) {
      h = unit_matrix(n);
      for (std::size_t i = 0; i < n; ++i) p[i] = -d[i];
      slope = -norm(d) * norm(d);
    }
    double t = 1, fn = m.f;
    Vec xn = m.x;
    for (int k = 0; k < 60; ++k, t /= 2) {
      for (std::size_t i = 0; i < n; ++i) xn[i] = m.x[i] + t * p[i];
      fn = f(xn);
      if (fn <= m.f + 1e-4 * t * slope) break;
    }
    if (!(fn < m.f)) {
      m.flag = 2;
      return m;
    }
    const Vec dn = gradient(xn);
    Vec s(n), y(n);
    for (std::size_t i = 0; i < n; ++i) s[i] = xn[i] - m.x[i], y[i] = dn[i] - d[i];
    update_inverse(h, s, y);
    const bool small = norm(s) <= tol_x * (1 + norm(m.x));
    m.x = xn, m.f = fn, m.gradient = dn;
    if (small) {
      m.flag = 3;
      return m;
    }
  }
  return m;
}

void fminunc(Call& c) {
  Differencing::begin_search(c.oml);
  Target g{c, c.oml.to_handle(c[0]), c[1].dims()};
  const auto f = [&](const Vec& x) { return g.scalar(x); };
  const auto gradient = [&](const Vec& x) {
    return differences(
               c.oml, [&](const Vec& at) { return Vec{f(at)}; }, x)
        .data;
  };
  const Minimum m = minimise(f, gradient, to_vector(c[1]), option(c, 2, "TolFun", 1e-8), option(c, 2, "TolX", 1e-10),
                             static_cast<int>(option(c, 2, "MaxIter", 400)));
  c.ret(g.shaped(m.x));
  c.ret(Value(m.f));
  c.ret(Value(m.flag));
  c.ret(search_details(m.iterations, g));
  c.ret(Value::column(m.gradient));
}

constexpr Builtin optimise_table[] = {
    {"fzero", 2, 3, fzero, "[x, f, flag, info] = fzero(f, x0, options): zero of a function near x0 or in [a b].",
     "function, number, struct []"},
    {"fminbnd", 2, 4, fminbnd, "[x, f, flag, info] = fminbnd(f, [a b], options): minimum between a and b.",
     "function, number, any, any"},
    {"fminsearch", 2, 3, fminsearch, "[x, f, flag, info] = fminsearch(f, x0, options): minimum by the simplex method.",
     "function, number, struct []"},
    {"fminunc", 2, 3, fminunc,
     "[x, f, flag, info, gradient] = fminunc(f, x0, options): minimum by a quasi-Newton method.",
     "function, number, struct []"},
};

}  // namespace

BuiltinFamily optimise_builtins() { return optimise_table; }

}  // namespace orrery::oml
