// SPDX-License-Identifier: Apache-2.0
// Nonlinear equations and curve fitting by damped least squares.
#include <algorithm>
#include <cmath>

#include "oml/builtins/families.h"
#include "oml/builtins/target_function.h"
#include "oml/interpreter.h"
#include "oml/operators.h"

namespace orrery::oml {
namespace {

struct LeastSquares {
  Vec x, residual;
  Value jacobian;
  int flag = 0, iterations = 0;
};

// Levenberg-Marquardt with bounds kept by projection.
template <class Residual>
LeastSquares levenberg_marquardt(Residual residual, Vec x, const Vec& low, const Vec& high, double tol_f, double tol_x,
                                 int limit) {
  LeastSquares r;
  const std::size_t n = x.size();
  const auto project = [&](Vec& v) {
    for (std::size_t k = 0; k < n; ++k) {
      if (k < low.size()) v[k] = std::max(v[k], low[k]);
      if (k < high.size()) v[k] = std::min(v[k], high[k]);
    }
  };
  project(x);
  Vec f = residual(x);
  const auto m = static_cast<Index>(f.size());
  double cost = norm(f), lambda = 1e-3;
  for (; r.iterations < limit; ++r.iterations) {
    Value j = Value::zeros(Dims(m, static_cast<Index>(n)));
    for (std::size_t k = 0; k < n; ++k) {
      Vec z = x;
      const double h = 1.5e-8 * std::max(std::abs(x[k]), 1e-4);
      z[k] += h;
      if (k < high.size() && z[k] > high[k]) z[k] = x[k] - h;
      const Vec g = residual(z);
      for (Index i = 0; i < m; ++i)
        j.edit_real().at(i, static_cast<Index>(k)) =
            (g[static_cast<std::size_t>(i)] - f[static_cast<std::size_t>(i)]) / (z[k] - x[k]);
    }
    r.jacobian = j;
    if (cost <= tol_f * 1e-4) {
      r.flag = 1;
      break;
    }
    const Value jt = transpose(j, false);
    const Value a = to_real(apply_binary(BinaryOp::matrix_times, jt, j)),
                b = to_real(apply_binary(BinaryOp::matrix_times, jt, Value::column(f)));
    bool better = false;
    double step = 0, gain = 0;
    for (int k = 0; k < 40 && !better; ++k) {
      Value damped = a;
      for (std::size_t i = 0; i < n; ++i) {
        const auto ii = static_cast<Index>(i);
        damped.edit_real().at(ii, ii) += lambda * std::max(a.real().at(ii, ii), 1e-12);
      }
      const Vec d = to_vector(solve_left(damped, b));
      Vec xn = x;
      for (std::size_t i = 0; i < n; ++i) xn[i] -= d[i];
      project(xn);
      const Vec fn = residual(xn);
      const double cn = norm(fn);
      if (cn < cost) {
        step = 0;
        for (std::size_t i = 0; i < n; ++i) step = std::max(step, std::abs(xn[i] - x[i]) / (1 + std::abs(x[i])));
        gain = (cost - cn) / std::max(cost, 1e-300);
        x = xn, f = fn, cost = cn;
        lambda = std::max(lambda / 10, 1e-15);
        better = true;
      } else {
        lambda *= 10;
      }
    }
    if (!better || (step < tol_x && gain < tol_f)) {
      r.flag = 1;
      break;
    }
  }
  r.x = x;
  r.residual = f;
  return r;
}

void fsolve(Call& c) {
  Target g{c, c.oml.to_handle(c[0]), c[1].dims()};
  Dims shape(1, 1);
  const auto residual = [&](const Vec& x) {
    c.oml.tick();
    ++g.evaluations;
    const Value y = c.oml.call1(g.f, {g.shaped(x)});
    shape = y.dims();
    return to_vector(y);
  };
  const LeastSquares r =
      levenberg_marquardt(residual, to_vector(c[1]), {}, {}, option(c, 2, "TolFun", 1e-12), option(c, 2, "TolX", 1e-12),
                          static_cast<int>(option(c, 2, "MaxIter", 400)));
  c.ret(g.shaped(r.x));
  Value f = Value::column(r.residual);
  f.edit_real().dims = shape;
  c.ret(unboxed(f));
  c.ret(Value(norm(r.residual) < 1e-4 ? 1 : -2));
  c.ret(search_details(r.iterations, g));
  c.ret(r.jacobian.is_none() ? Value::empty() : r.jacobian);
}

void lsqcurvefit(Call& c) {
  Target g{c, c.oml.to_handle(c[0]), c[1].dims()};
  const Vec data = to_vector(c[3]);
  const auto residual = [&](const Vec& p) {
    c.oml.tick();
    ++g.evaluations;
    Vec y = to_vector(c.oml.call1(g.f, {g.shaped(p), c[2]}));
    if (y.size() != data.size()) fail("the function must return as many values as there are data");
    for (std::size_t k = 0; k < y.size(); ++k) y[k] -= data[k];
    return y;
  };
  const Vec low = c.has(4) && !c[4].is_struct() && !c[4].is_empty() ? to_vector(c[4]) : Vec();
  const Vec high = c.has(5) && !c[5].is_struct() && !c[5].is_empty() ? to_vector(c[5]) : Vec();
  const int o = c.count() - 1;
  const LeastSquares r =
      levenberg_marquardt(residual, to_vector(c[1]), low, high, option(c, o, "TolFun", 1e-12),
                          option(c, o, "TolX", 1e-12), static_cast<int>(option(c, o, "MaxIter", 400)));
  c.ret(g.shaped(r.x));
  c.ret(Value(norm(r.residual) * norm(r.residual)));
  Value left = Value::column(r.residual);  // data minus model
  for (double& x : left.edit_real().data) x = -x;
  c.ret(unboxed(left));
  c.ret(Value(r.flag));
  c.ret(search_details(r.iterations, g));
}

constexpr Builtin least_squares_table[] = {
    {"fsolve", 2, 3, fsolve, "[x, f, flag, info, J] = fsolve(f, x0, options): solution of f(x) = 0."},
    {"lsqcurvefit", 4, 7, lsqcurvefit,
     "[p, resnorm, residual, flag, info] = lsqcurvefit(f, p0, x, y, low, high, options): parameters that fit f(p, x) "
     "to y."},
};

}  // namespace

BuiltinFamily least_squares_builtins() { return least_squares_table; }

}  // namespace orrery::oml
