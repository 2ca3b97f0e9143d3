// SPDX-License-Identifier: Apache-2.0
// Interpolation in one and two dimensions, and gradients.
#include <algorithm>
#include <cmath>

#include "oml/builtins/families.h"
#include "oml/builtins/map.h"
#include "oml/builtins/quadrature.h"
#include "oml/indexing.h"
#include "oml/interpreter.h"
#include "oml/operators.h"

namespace orrery::oml {
namespace {

using Vec = std::vector<double>;

std::size_t interval_of(const Vec& x, double t) {
  const auto it = std::upper_bound(x.begin(), x.end(), t);
  const auto k = static_cast<std::size_t>(std::max<std::ptrdiff_t>(0, it - x.begin() - 1));
  return std::min(k, x.size() - 2);
}

// Slopes at the knots for a cubic Hermite interpolant.
Vec spline_slopes(const Vec& x, const Vec& y, const double* end_slopes) {
  // Not-a-knot conditions unless the end slopes are given; tridiagonal after elimination (de Boor, chapter IV).
  const std::size_t n = x.size();
  if (n == 2) {
    const double s = (y[1] - y[0]) / (x[1] - x[0]);
    return end_slopes ? Vec{end_slopes[0], end_slopes[1]} : Vec{s, s};
  }
  Vec h(n - 1), d(n - 1), a(n), b(n), c(n), r(n);
  for (std::size_t k = 0; k + 1 < n; ++k) h[k] = x[k + 1] - x[k], d[k] = (y[k + 1] - y[k]) / h[k];
  if (n == 3 && !end_slopes) {
    // The parabola through three points.
    const double curve = (d[1] - d[0]) / (h[0] + h[1]);
    return {d[0] - curve * h[0], d[0] + curve * h[0], d[1] + curve * h[1]};
  }
  for (std::size_t k = 1; k + 1 < n; ++k) {
    a[k] = h[k];
    b[k] = 2 * (h[k - 1] + h[k]);
    c[k] = h[k - 1];
    r[k] = 3 * (h[k] * d[k - 1] + h[k - 1] * d[k]);
  }
  if (end_slopes) {
    b[0] = b[n - 1] = 1;
    c[0] = a[n - 1] = 0;
    r[0] = end_slopes[0], r[n - 1] = end_slopes[1];
  } else {
    b[0] = h[1];
    c[0] = h[0] + h[1];
    r[0] = ((h[0] + 2 * c[0]) * h[1] * d[0] + h[0] * h[0] * d[1]) / c[0];
    const double e = h[n - 2] + h[n - 3];
    b[n - 1] = h[n - 3];
    a[n - 1] = e;
    r[n - 1] = (h[n - 2] * h[n - 2] * d[n - 3] + (2 * e + h[n - 2]) * h[n - 3] * d[n - 2]) / e;
  }
  for (std::size_t k = 1; k < n; ++k) {
    const double f = a[k] / b[k - 1];
    b[k] -= f * c[k - 1];
    r[k] -= f * r[k - 1];
  }
  Vec s(n);
  s[n - 1] = r[n - 1] / b[n - 1];
  for (std::size_t k = n - 1; k-- > 0;) s[k] = (r[k] - c[k] * s[k + 1]) / b[k];
  return s;
}

// Fritsch and Carlson's monotone slopes with weighted harmonic means.
Vec pchip_slopes(const Vec& x, const Vec& y) {
  const std::size_t n = x.size();
  Vec h(n - 1), d(n - 1), s(n, 0.0);
  for (std::size_t k = 0; k + 1 < n; ++k) h[k] = x[k + 1] - x[k], d[k] = (y[k + 1] - y[k]) / h[k];
  if (n == 2) return {d[0], d[0]};
  for (std::size_t k = 1; k + 1 < n; ++k) {
    if (d[k - 1] * d[k] <= 0) continue;
    const double w1 = 2 * h[k] + h[k - 1], w2 = h[k] + 2 * h[k - 1];
    s[k] = (w1 + w2) / (w1 / d[k - 1] + w2 / d[k]);
  }
  const auto end = [](double h0, double h1, double d0, double d1) {
    double v = ((2 * h0 + h1) * d0 - h0 * d1) / (h0 + h1);
    if (v * d0 <= 0)
      v = 0;
    else if (d0 * d1 <= 0 && std::abs(v) > 3 * std::abs(d0))
      v = 3 * d0;
    return v;
  };
  s[0] = end(h[0], h[1], d[0], d[1]);
  s[n - 1] = end(h[n - 2], h[n - 3], d[n - 2], d[n - 3]);
  return s;
}

double hermite(const Vec& x, const Vec& y, const Vec& s, double t) {
  const std::size_t k = interval_of(x, t);
  const double h = x[k + 1] - x[k], u = (t - x[k]) / h, v = 1 - u;
  return v * v * (1 + 2 * u) * y[k] + u * u * (1 + 2 * v) * y[k + 1] + h * u * v * (v * s[k] - u * s[k + 1]);
}

// An interpolant of one column of data.
class Curve {
 public:
  Curve(Vec x, Vec y, std::string method) : x_(std::move(x)), y_(std::move(y)), method_(std::move(method)) {
    if (method_ == "spline" || method_ == "cubicspline")
      slopes_ = spline_slopes(x_, y_, nullptr);
    else if (method_ == "pchip" || method_ == "cubic")
      slopes_ = pchip_slopes(x_, y_);
    else if (method_ != "linear" && method_ != "nearest" && method_ != "previous" && method_ != "next")
      fail("unknown interpolation method " + method_);
  }
  double operator()(double t) const {
    if (std::isnan(t)) return NAN;
    const std::size_t k = interval_of(x_, t);
    if (!slopes_.empty()) return hermite(x_, y_, slopes_, t);
    const double u = (t - x_[k]) / (x_[k + 1] - x_[k]);
    if (method_ == "linear") return u == 0 ? y_[k] : u == 1 ? y_[k + 1] : y_[k] + u * (y_[k + 1] - y_[k]);
    if (method_ == "nearest") return u < 0.5 ? y_[k] : y_[k + 1];
    if (method_ == "previous") return u >= 1 ? y_[k + 1] : y_[k];
    return u <= 0 ? y_[k] : y_[k + 1];
  }
  double low() const { return x_.front(); }
  double high() const { return x_.back(); }

 private:
  Vec x_, y_, slopes_;
  std::string method_;
};

// With jumps two equal values of x are a step, whose value is that on the right.
void sort_together(Vec& x, Vec& y, bool jumps = false) {
  std::vector<std::size_t> order(x.size());
  for (std::size_t k = 0; k < order.size(); ++k) order[k] = k;
  std::stable_sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) { return x[i] < x[j]; });
  Vec sx, sy;
  for (std::size_t k : order) sx.push_back(x[k]), sy.push_back(y[k]);
  for (std::size_t k = 1; k < sx.size(); ++k)
    if (sx[k] == sx[k - 1] && !jumps) fail("the values of x must be distinct");
  x = std::move(sx);
  y = std::move(sy);
}

void interp1(Call& c) {
  std::string method = "linear";
  bool extrapolate = false;
  double outside = NAN;
  int data = 0;
  while (data < c.count() && !c[data].is_text() && data < 3) ++data;
  for (int k = data; k < c.count(); ++k) {
    if (c[k].is_text()) {
      std::string s = c.text(k);
      for (char& ch : s) ch = static_cast<char>(std::tolower(ch));
      if (s == "extrap")
        extrapolate = true;
      else if (s == "noextrap" || s == "left" || s == "right")
        continue;
      else
        method = s;
    } else {
      outside = c.number(k);
    }
  }
  Value yv = to_numeric(c[data >= 3 ? 1 : 0]);
  const Value& at = c[data >= 3 ? 2 : 1];
  const bool column_data = yv.dims().is_vector();
  const Index n = column_data ? yv.numel() : yv.dims().rows(), columns = n == 0 ? 0 : yv.numel() / n;
  Vec x;
  if (data >= 3)
    x = to_vector(c[0]);
  else
    for (Index k = 1; k <= n; ++k) x.push_back(static_cast<double>(k));
  if (static_cast<Index>(x.size()) != n) fail("x and y must have the same length");
  if (n < 2) fail("at least two points are needed");
  const Value ti = to_real(at);
  const Dims shape = columns == 1 ? ti.dims() : Dims(ti.numel(), columns);
  Value re = Value::zeros(shape), im = re;
  const bool complex = yv.kind() == Kind::complex;
  for (int part = 0; part < (complex ? 2 : 1); ++part) {
    for (Index k = 0; k < columns; ++k) {
      Vec xs = x, ys;
      for (Index i = 0; i < n; ++i)
        ys.push_back(!complex    ? yv.real()[i + k * n]
                     : part == 0 ? yv.complex()[i + k * n].real()
                                 : yv.complex()[i + k * n].imag());
      sort_together(xs, ys, method == "linear");
      const Curve curve(xs, ys, method);
      for (Index i = 0; i < ti.numel(); ++i) {
        const double t = ti.real()[i];
        const bool inside = t >= curve.low() && t <= curve.high();
        (part == 0 ? re : im).edit_real()[i + k * ti.numel()] = inside || extrapolate ? curve(t) : outside;
      }
    }
  }
  if (!complex) return c.ret(unboxed(re));
  for (Value& v : c.oml.call_named("complex", {re, im}, 1)) c.ret(v);
}

void spline_curve(Call& c, const Vec& x, const Vec& y) {
  Vec xs = x, ys = y;
  Vec slopes;
  if (y.size() == x.size() + 2) {
    const double ends[] = {y.front(), y.back()};
    ys = Vec(y.begin() + 1, y.end() - 1);
    sort_together(xs, ys);
    slopes = spline_slopes(xs, ys, ends);
  } else {
    if (x.size() != y.size() || x.size() < 2) fail("x and y must have the same length");
    sort_together(xs, ys);
    slopes = spline_slopes(xs, ys, nullptr);
  }
  c.ret(map_real(c[2], [&](double t) { return hermite(xs, ys, slopes, t); }));
}

// Each row of a matrix is a curve.
void spline(Call& c) {
  if (!c.has(2)) fail("the piecewise form is not available; give the points as third argument");
  const Vec x = to_vector(c[0]);
  const Value y = to_real(c[1]);
  const Index rows = y.dims().rows(), columns = y.dims().cols();
  if (y.dims().is_vector() || y.dims().count() > 2) return spline_curve(c, x, to_vector(y));
  Values curves;
  for (Index r = 0; r < rows; ++r) {
    Vec row;
    for (Index k = 0; k < columns; ++k) row.push_back(y.real().at(r, k));
    spline_curve(c, x, row);
    curves.push_back(Value::row(to_vector(c.out.back())));
    c.out.pop_back();
  }
  c.ret(concatenate(curves, 0));
}

void pchip(Call& c) {
  Vec x = to_vector(c[0]), y = to_vector(c[1]);
  if (x.size() != y.size() || x.size() < 2) fail("x and y must have the same length");
  sort_together(x, y);
  const Vec s = pchip_slopes(x, y);
  c.ret(map_real(c[2], [&](double t) { return hermite(x, y, s, t); }));
}

// Grid vectors from vectors or from the matrices of meshgrid.
Vec axis_of(const Value& v, bool along_columns) {
  const Value r = to_real(v);
  if (r.dims().is_vector()) return to_vector(r);
  Vec out;
  for (Index k = 0; k < (along_columns ? r.dims().cols() : r.dims().rows()); ++k)
    out.push_back(along_columns ? r.real().at(0, k) : r.real().at(k, 0));
  return out;
}

void interp2(Call& c) {
  std::string method = "linear";
  double outside = NAN;
  int data = 0;
  while (data < c.count() && !c[data].is_text() && data < 5) ++data;
  bool extrapolate = false;
  for (int k = data; k < c.count(); ++k) {
    if (c[k].is_text()) {
      if (c.text(k) == "extrap")
        extrapolate = true;
      else
        method = c.text(k);
    } else {
      outside = c.number(k);
    }
  }
  const Value z = to_real(c[data >= 5 ? 2 : 0]);
  Vec x, y;
  if (data >= 5) {
    x = axis_of(c[0], true), y = axis_of(c[1], false);
  } else {
    for (Index k = 1; k <= z.dims().cols(); ++k) x.push_back(static_cast<double>(k));
    for (Index k = 1; k <= z.dims().rows(); ++k) y.push_back(static_cast<double>(k));
  }
  Value xi, yi;
  if (data <= 2) {
    // interp2(z, n): every interval halved n times.
    const Index n = data == 2 ? c.whole(1) : 1;
    if (n < 0 || n > 20) fail_argument(2, "must be from 0 to 20");
    const double parts = std::ldexp(1.0, static_cast<int>(n));
    const auto refined = [&](const Vec& axis) {
      return Value(new Range(1, 1 / parts, static_cast<Index>((static_cast<double>(axis.size()) - 1) * parts) + 1));
    };
    xi = to_real(stored(refined(x)));
    yi = to_real(transpose(stored(refined(y)), false));
  } else {
    xi = to_real(c[data >= 5 ? 3 : 1]), yi = to_real(c[data >= 5 ? 4 : 2]);
  }
  if (static_cast<Index>(x.size()) != z.dims().cols() || static_cast<Index>(y.size()) != z.dims().rows() ||
      x.size() < 2 || y.size() < 2) {
    fail("sizes of the grid and the data do not match");
  }
  if (xi.is_empty() || yi.is_empty()) return c.ret(Value::empty());
  if (!(xi.dims() == yi.dims()) && !(xi.dims().is_vector() && yi.dims().is_vector()))
    fail("the points must have the same size, or be vectors that span a grid");
  // A row of x with a column of y spans a grid.
  if (!(xi.dims() == yi.dims()) && xi.dims().is_vector() && yi.dims().is_vector()) {
    Values grid = c.oml.call_named("meshgrid", {xi, yi}, 2);
    xi = to_real(grid[0]), yi = to_real(grid[1]);
  }
  Value out = Value::zeros(xi.dims());
  for (Index i = 0; i < out.numel(); ++i) {
    const double px = xi.real()[i], py = yi.real()[i];
    const bool inside = px >= x.front() && px <= x.back() && py >= y.front() && py <= y.back();
    double value = outside;
    if (inside || extrapolate) {
      if (method == "linear" || method == "nearest") {
        const std::size_t k = interval_of(x, px), j = interval_of(y, py);
        double u = (px - x[k]) / (x[k + 1] - x[k]), v = (py - y[j]) / (y[j + 1] - y[j]);
        if (method == "nearest") u = u < 0.5 ? 0 : 1, v = v < 0.5 ? 0 : 1;
        const auto at = [&](std::size_t r, std::size_t q) {
          return z.real().at(static_cast<Index>(r), static_cast<Index>(q));
        };
        value = (1 - v) * ((1 - u) * at(j, k) + u * at(j, k + 1)) + v * ((1 - u) * at(j + 1, k) + u * at(j + 1, k + 1));
      } else {
        Vec column;
        for (std::size_t r = 0; r < y.size(); ++r) {
          Vec row;
          for (std::size_t q = 0; q < x.size(); ++q)
            row.push_back(z.real().at(static_cast<Index>(r), static_cast<Index>(q)));
          column.push_back(Curve(x, row, method)(px));
        }
        value = Curve(y, column, method)(py);
      }
    }
    out.edit_real()[i] = value;
  }
  c.ret(unboxed(out));
}

Value gradient_along(const Value& v, int dim, const Vec& h) {
  const Dims d = v.dims();
  Value out = Value::zeros(d);
  for_each_vector(d, dim, [&](Index at, Index s, Index n) {
    const auto x = [&](Index i) {
      return h.size() == 1 ? static_cast<double>(i) * h[0] : h.at(static_cast<std::size_t>(i));
    };
    const auto y = [&](Index i) { return v.real()[at + i * s]; };
    for (Index i = 0; i < n && n > 1; ++i) {
      const Index a = std::max<Index>(0, i - 1), b = std::min(n - 1, i + 1);
      out.edit_real()[at + i * s] = (y(b) - y(a)) / (x(b) - x(a));
    }
  });
  return out;
}

// Central differences of a function of as many vectors as the points have columns; one coordinate may be a row.
void gradient_of_function(Call& c) {
  const Value f = c.oml.to_handle(c[0]), points = to_real(c[1]);
  const auto inputs = static_cast<Index>(to_double(c.oml.call_named("nargin", {f}, 1)[0]));
  const bool single = inputs == 1 || (inputs < 1 && points.dims().is_vector());
  if (points.dims().count() > 2 || (!single && inputs > 0 && inputs != points.dims().cols()))
    fail_argument(2, "must have a column for each input of the function");
  const Index columns = single ? 1 : points.dims().cols(), n = single ? points.numel() : points.dims().rows();
  for (int k = 0; k < std::max(c.nargout, 1); ++k) {
    if (k >= columns) fail("the function has fewer inputs than components are wanted");
    const double h = c.count() == 3 ? c.number(2) : c.has(k + 2) ? c.number(k + 2) : 1;
    const auto value_at = [&](double shift) {
      Values arguments;
      for (Index j = 0; j < columns; ++j) {
        Value x = single ? points : Value::zeros(Dims(n, 1));
        for (Index i = 0; i < n; ++i) x.edit_real()[i] = points.real()[i + j * n] + (j == k ? shift : 0);
        arguments.push_back(unboxed(x));
      }
      return c.oml.call1(f, std::move(arguments));
    };
    const Value difference = apply_binary(BinaryOp::subtract, value_at(h), value_at(-h));
    c.ret(apply_binary(BinaryOp::divide, difference, Value(2 * h)));
  }
}

// Rows of y over rows of x.
Value gradient_over(const Value& y, const Value& x) {
  Value out = y;
  const Index columns = y.dims().cols();
  for (Index r = 0; r < y.dims().rows(); ++r) {
    for (Index k = 0; k < columns && columns > 1; ++k) {
      const Index a = std::max<Index>(0, k - 1), b = std::min(columns - 1, k + 1);
      out.edit_real().at(r, k) = (y.real().at(r, b) - y.real().at(r, a)) / (x.real().at(r, b) - x.real().at(r, a));
    }
  }
  return out;
}

void gradient(Call& c) {
  if (c[0].kind() == Kind::handle || (c[0].is_text() && c.has(1))) return gradient_of_function(c);
  const Value v = to_real(c[0]);
  const Dims d = v.dims();
  if (c.count() == 2 && !d.is_vector() && d.count() == 2 && c[1].dims() == d)
    return c.ret(gradient_over(v, to_real(c[1])));
  if (d.is_vector())
    return c.ret(unboxed(gradient_along(v, d.first_non_singleton(), c.has(1) ? to_vector(c[1]) : Vec{1})));
  for (int k = 0; k < std::max(c.nargout, 1); ++k) {
    const int dim = k == 0 ? 1 : k == 1 ? 0 : k;
    const Vec h = c.count() == 2 ? to_vector(c[1]) : c.has(k + 1) ? to_vector(c[k + 1]) : Vec{1};
    c.ret(gradient_along(v, dim, h));
  }
}

constexpr Builtin table[] = {
    {"interp1", 2, 6, interp1,
     "interp1(x, y, xi, method, 'extrap'): interpolation; methods linear, nearest, previous, next, pchip, spline."},
    {"interp2", 1, 7, interp2, "interp2(x, y, z, xi, yi, method): interpolation on a grid."},
    {"spline", 2, 3, spline, "spline(x, y, xi): cubic spline; two extra values of y are the slopes at the ends."},
    {"pchip", 3, 3, pchip, "pchip(x, y, xi): monotone cubic interpolation."},
    {"gradient", 1, -1, gradient,
     "[gx, gy, ...] = gradient(m, hx, hy, ...): central differences; gradient(y, x) of rows over x; gradient(f, "
     "points, h): "
     "of a function."},
    {"quad", 3, 4, quad,
     "[area, count] = quad(f, a, b, [reltol abstol]): integral of f, called with scalars; Gauss-Legendre rules of 4 "
     "and "
     "5 points on bisected intervals. a and b may be matrices or infinite."},
    {"quadl", 3, 5, quad_vectorised, "quadl(f, a, b, tol): integral of f, which takes vectors."},
    {"quadgk", 3, 7, quad_vectorised, "quadgk(f, a, b, tol): integral of f, which takes vectors."},
    {"quadv", 3, 4, quadv,
     "[area, count] = quadv(f, a, b, abstol): integral of f, called with scalars; Simpson's rule on bisected "
     "intervals. a "
     "and b may be matrices."},
    {"integral", 3, 7, quad_vectorised, "integral(f, a, b): integral of f, which takes vectors."},
};

}  // namespace

BuiltinFamily interpolation_builtins() { return table; }

}  // namespace orrery::oml
