// SPDX-License-Identifier: Apache-2.0
// Interpolation in one and two dimensions, and gradients.
#include <algorithm>
#include <cmath>
#include <map>

#include "math/interpolation.h"
#include "oml/builtins/complex_parts.h"
#include "oml/builtins/families.h"
#include "oml/builtins/map.h"
#include "oml/builtins/math_values.h"
#include "oml/builtins/quadrature.h"
#include "oml/indexing.h"
#include "oml/interpreter.h"
#include "oml/operators.h"

namespace orrery::oml {
namespace {

using Vec = std::vector<double>;

void interp1(Call& c) {
  std::string method = "linear";
  bool extrapolate = false;
  double outside = NAN;
  bool has_outside = false;
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
      has_outside = true;
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
  const bool reversed = std::is_sorted(x.rbegin(), x.rend());
  // Where two points have one x, the value given last counts there.
  std::map<double, Index> jumps, seen;
  for (Index k = 0; k < n; ++k) {
    const auto [it, is_new] = seen.insert_or_assign(x[static_cast<std::size_t>(k)], k);
    if (!is_new) jumps[it->first] = k;
  }
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
      const Vec given = ys;
      if (reversed) {
        std::reverse(xs.begin(), xs.end());
        std::reverse(ys.begin(), ys.end());
      }
      math::sort_together(xs, ys, method == "linear");
      const math::Curve curve(xs, ys, method);
      for (Index i = 0; i < ti.numel(); ++i) {
        const double t = ti.real()[i];
        const bool inside = t >= curve.low() && t <= curve.high();
        if (!inside && !extrapolate && !has_outside && !std::isnan(t))
          fail_argument(data >= 3 ? 3 : 2, "must lie between the points; 'extrap' goes beyond them");
        const auto jump = jumps.find(t);
        double& place = (part == 0 ? re : im).edit_real()[i + k * ti.numel()];
        if (jump != jumps.end())
          place = given[static_cast<std::size_t>(jump->second)];
        else
          place = inside || extrapolate ? curve(t) : outside;
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
    math::sort_together(xs, ys);
    slopes = math::spline_slopes(xs, ys, ends);
  } else {
    if (x.size() != y.size() || x.size() < 2) fail("x and y must have the same length");
    math::sort_together(xs, ys);
    slopes = math::spline_slopes(xs, ys, nullptr);
  }
  c.ret(map_real(c[2], [&](double t) { return math::hermite(xs, ys, slopes, t); }));
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
  math::sort_together(x, y);
  const Vec s = math::pchip_slopes(x, y);
  c.ret(map_real(c[2], [&](double t) { return math::hermite(x, y, s, t); }));
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
  const math::RealMatrix grid_values = real_matrix(z);
  Value out = Value::zeros(xi.dims());
  for (Index i = 0; i < out.numel(); ++i) {
    const double px = xi.real()[i], py = yi.real()[i];
    const bool inside = px >= x.front() && px <= x.back() && py >= y.front() && py <= y.back();
    out.edit_real()[i] = inside || extrapolate ? math::interpolate_grid(x, y, grid_values, px, py, method) : outside;
  }
  c.ret(unboxed(out));
}

Value gradient_along(const Value& v, int dim, const Vec& h) {
  const Dims d = v.dims();
  if (h.size() != 1 && static_cast<Index>(h.size()) != d[dim])
    fail("a spacing is a number, or has a place for each value");
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
  if (c[0].is_text()) fail_argument(2, "is missing: the points where the function is differentiated");
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

constexpr Builtin interpolation_table[] = {
    {"interp1", 2, 6, interp1,
     "interp1(x, y, xi, method, 'extrap'): interpolation; methods linear, nearest, previous, next, pchip, spline.",
     "data, data, data option:linear/nearest/previous/next/cubic/pchip/spline/extrap, ..."},
    {"interp2", 1, 7, interp2, "interp2(x, y, z, xi, yi, method): interpolation on a grid.",
     "real, real word:linear/nearest/cubic/spline/pchip/extrap, ..."},
    {"spline", 2, 3, spline, "spline(x, y, xi): cubic spline; two extra values of y are the slopes at the ends.",
     "data, data, data"},
    {"pchip", 3, 3, pchip, "pchip(x, y, xi): monotone cubic interpolation.", "data, data, data"},
    {"gradient", 1, -1, [](Call& c) { run_by_parts(c, 0, 1, gradient); },
     "[gx, gy, ...] = gradient(m, hx, hy, ...): central differences; gradient(y, x) of rows over x; gradient(f, "
     "points, h): "
     "of a function.",
     "number text handle, number, ..."},
    {"quad", 3, 4, quad,
     "[area, count] = quad(f, a, b, [reltol abstol]): integral of f, called with scalars; Gauss-Legendre rules of 4 "
     "and "
     "5 points on bisected intervals. a and b may be matrices or infinite.",
     "function, number, number, number"},
    {"quadl", 3, 5, quad_vectorised, "quadl(f, a, b, tol): integral of f, which takes vectors.",
     "function, number, number, any, ..."},
    {"quadgk", 3, 7, quad_vectorised, "quadgk(f, a, b, tol): integral of f, which takes vectors.",
     "function, number, number, any, ..."},
    {"quadv", 3, 4, quadv,
     "[area, count] = quadv(f, a, b, abstol): integral of f, called with scalars; Simpson's rule on bisected "
     "intervals. a "
     "and b may be matrices.",
     "function, number, number, number"},
    {"integral", 3, 7, quad_vectorised, "integral(f, a, b): integral of f, which takes vectors.",
     "function, number, number, any, ..."},
};

}  // namespace

BuiltinFamily interpolation_builtins() { return interpolation_table; }

}  // namespace orrery::oml
