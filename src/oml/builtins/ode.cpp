// SPDX-License-Identifier: Apache-2.0
// Front ends of ordinary differential equations: ode45 and ode113 explicit, ode15s and ode23s for stiff systems.
#include <algorithm>
#include <cmath>

#include "oml/builtins/families.h"
#include "oml/builtins/map.h"
#include "oml/interpreter.h"
#include "oml/operators.h"

namespace orrery::oml {
namespace {

using Vec = std::vector<double>;

struct Problem {
  Call& c;
  Value f;
  Values extra;
  Vec span, y0;
  double rel = 1e-3, first_step = 0, max_step = INFINITY;
  Vec abs;
  Value jacobian;

  Vec rate(double t, const Vec& y) {
    c.oml.tick();
    Values args = {Value(t), Value::column(y)};
    args.insert(args.end(), extra.begin(), extra.end());
    Vec d = to_vector(c.oml.call1(f, args));
    if (d.size() != y.size()) fail("the function must return as many derivatives as there are states");
    return d;
  }
  double weight(std::size_t i, double a, double b) const {
    return abs[abs.size() == 1 ? 0 : i] + rel * std::max(std::abs(a), std::abs(b));
  }
};

Problem problem_of(Call& c) {
  Problem p{c, c.oml.to_handle(c[0]), {}, to_vector(c[1]), to_vector(c[2]), 1e-3, 0, INFINITY, {1e-6}, Value()};
  if (p.span.size() < 2) fail_argument(2, "must have at least two times");
  if (c.has(3) && c[3].is_struct()) {
    const auto get = [&](const char* name) -> const Value* {
      const Value* v = c[3].structure_ref().get(name);
      return v != nullptr && !v->is_empty() ? v : nullptr;
    };
    if (const Value* v = get("RelTol")) p.rel = to_double(*v);
    if (const Value* v = get("AbsTol")) p.abs = to_vector(*v);
    if (const Value* v = get("InitialStep")) p.first_step = to_double(*v);
    if (const Value* v = get("MaxStep")) p.max_step = to_double(*v);
    if (const Value* v = get("Jacobian")) p.jacobian = *v;
  }
  for (int k = 4; k < c.count(); ++k) p.extra.push_back(c[k]);
  return p;
}

// Accepted points, or interpolated ones where the user names more than two times.
class Recorder {
 public:
  explicit Recorder(const Problem& p) : fixed_(p.span.size() > 2), wanted_(p.span) {
    times.push_back(p.span[0]);
    states.push_back(p.y0);
  }
  // Cubic Hermite interpolation between accepted points; `dense` overrides it.
  template <class Dense>
  void accept(double t0, double t1, const Vec& y1, Dense dense) {
    if (!fixed_) {
      times.push_back(t1);
      states.push_back(y1);
      return;
    }
    const double sign = t1 > t0 ? 1 : -1;
    while (next_ < wanted_.size() && (t1 - wanted_[next_]) * sign >= -1e-14 * std::abs(t1)) {
      times.push_back(wanted_[next_]);
      states.push_back(dense((wanted_[next_] - t0) / (t1 - t0)));
      ++next_;
    }
  }
  std::vector<double> times;
  std::vector<Vec> states;

 private:
  bool fixed_;
  Vec wanted_;
  std::size_t next_ = 1;
};

void give(Call& c, const Recorder& r) {
  const auto n = static_cast<Index>(r.times.size()), m = static_cast<Index>(r.states[0].size());
  Value y = Value::zeros(Dims(n, m));
  for (Index i = 0; i < n; ++i)
    for (Index k = 0; k < m; ++k)
      y.edit_real().at(i, k) = r.states[static_cast<std::size_t>(i)][static_cast<std::size_t>(k)];
  if (c.nargout <= 1) {
    Value s = Value::structure();
    s.edit_structure().set("x", Value::row(r.times));
    s.edit_structure().set("y", transpose(y, false));
    return c.ret(s);
  }
  c.ret(Value::column(r.times));
  c.ret(y);
}

double starting_step(Problem& p, const Vec& f0, double length) {
  if (p.first_step > 0) return std::min(p.first_step, std::abs(length));
  double d0 = 0, d1 = 0;
  for (std::size_t i = 0; i < p.y0.size(); ++i) {
    const double w = p.weight(i, p.y0[i], p.y0[i]);
    d0 = std::max(d0, std::abs(p.y0[i]) / w), d1 = std::max(d1, std::abs(f0[i]) / w);
  }
  const double h = d0 < 1e-5 || d1 < 1e-5 ? 1e-6 : 0.01 * d0 / d1;
  return std::min({h * 10, std::abs(length), p.max_step});
}

// Dormand and Prince 5(4) with their fourth-order dense output (Hairer, Norsett, Wanner, II.5-6).
void dormand_prince(Problem& p, double tighter, Recorder& out) {
  static constexpr double a[7][6] = {{},
                                     {1.0 / 5},
                                     {3.0 / 40, 9.0 / 40},
                                     {44.0 / 45, -56.0 / 15, 32.0 / 9},
                                     {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
                                     {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
                                     {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84}};
  static constexpr double nodes[] = {0, 0.2, 0.3, 0.8, 8.0 / 9, 1, 1};
  static constexpr double e[] = {71.0 / 57600, 0, -71.0 / 16695, 71.0 / 1920, -17253.0 / 339200, 22.0 / 525, -1.0 / 40};
  static constexpr double d[] = {-12715105075.0 / 11282082432.0,  0,
                                 87487479700.0 / 32700410799.0,   -10690763975.0 / 1880347072.0,
                                 701980252875.0 / 199316789632.0, -1453857185.0 / 822651844.0,
                                 69997945.0 / 29380423.0};
  p.rel *= tighter;
  for (double& x : p.abs) x *= tighter;
  const double t_end = p.span.back(), sign = t_end > p.span[0] ? 1 : -1;
  const std::size_t n = p.y0.size();
  double t = p.span[0];
  Vec y = p.y0;
  std::vector<Vec> k(7);
  k[0] = p.rate(t, y);
  double h = starting_step(p, k[0], t_end - t);
  while ((t_end - t) * sign > 0) {
    h = std::min({h, p.max_step, std::abs(t_end - t)});
    if (h < 1e-15 * std::max(std::abs(t), 1e-300))
      fail("the step size became too small; the problem may be stiff or singular");
    const double hs = sign * h;
    Vec stage(n);
    for (int s = 1; s < 7; ++s) {
      for (std::size_t i = 0; i < n; ++i) {
        double sum = 0;
        for (int q = 0; q < s; ++q) sum += a[s][q] * k[static_cast<std::size_t>(q)][i];
        stage[i] = y[i] + hs * sum;
      }
      k[static_cast<std::size_t>(s)] = p.rate(t + nodes[s] * hs, stage);
    }
    double error = 0;
    for (std::size_t i = 0; i < n; ++i) {
      double sum = 0;
      for (int q = 0; q < 7; ++q) sum += e[q] * k[static_cast<std::size_t>(q)][i];
      error = std::max(error, std::abs(hs * sum) / p.weight(i, y[i], stage[i]));
    }
    if (!(error <= 1)) {
      h *= std::isfinite(error) ? std::max(0.2, 0.9 * std::pow(error, -0.2)) : 0.1;
      continue;
    }
    const double t1 = h == std::abs(t_end - t) ? t_end : t + hs;
    out.accept(t, t1, stage, [&](double u) {
      Vec v(n);
      for (std::size_t i = 0; i < n; ++i) {
        const double dy = stage[i] - y[i], b = hs * k[0][i] - dy, c4 = dy - hs * k[6][i] - b;
        double c5 = 0;
        for (int q = 0; q < 7; ++q) c5 += d[q] * k[static_cast<std::size_t>(q)][i];
        v[i] = y[i] + u * (dy + (1 - u) * (b + u * (c4 + (1 - u) * hs * c5)));
      }
      return v;
    });
    t = t1;
    y = stage;
    k[0] = k[6];
    h *= std::min(5.0, std::max(0.2, 0.9 * std::pow(std::max(error, 1e-10), -0.2)));
  }
}

Value jacobian_of(Problem& p, double t, const Vec& y, const Vec& f) {
  if (!p.jacobian.is_none()) {
    return p.jacobian.kind() == Kind::handle ? to_real(full(p.c.oml.call1(p.jacobian, {Value(t), Value::column(y)})))
                                             : to_real(full(p.jacobian));
  }
  const auto n = static_cast<Index>(y.size());
  Value j = Value::zeros(Dims(n, n));
  for (Index k = 0; k < n; ++k) {
    Vec z = y;
    const auto kk = static_cast<std::size_t>(k);
    const double h = std::sqrt(2.2e-16) * std::max(std::abs(y[kk]), 1e-5);
    z[kk] += h;
    const Vec g = p.rate(t, z);
    for (Index i = 0; i < n; ++i)
      j.edit_real().at(i, k) = (g[static_cast<std::size_t>(i)] - f[static_cast<std::size_t>(i)]) / h;
  }
  return j;
}

// The linearly implicit extrapolation of Euler's method (Deuflhard 1985), order chosen by the error: accurate and
// A(alpha)-stable.
void extrapolated_euler(Problem& p, Recorder& out) {
  p.rel *= 0.1;
  for (double& x : p.abs) x *= 0.1;
  constexpr int columns = 6;
  const double t_end = p.span.back(), sign = t_end > p.span[0] ? 1 : -1;
  const std::size_t n = p.y0.size();
  double t = p.span[0];
  Vec y = p.y0, f = p.rate(t, y);
  double h = starting_step(p, f, t_end - t);
  while ((t_end - t) * sign > 0) {
    h = std::min({h, p.max_step, std::abs(t_end - t)});
    if (h < 1e-15 * std::max(std::abs(t), 1e-300)) fail("the step size became too small; the problem may be singular");
    const Value j = jacobian_of(p, t, y, f);
    const double hs = sign * h;
    // Explicit dependence on time enters the linear systems through df/dt.
    const double dt = std::sqrt(2.2e-16) * std::max(std::abs(t), std::abs(hs));
    const Vec ft = p.rate(t + dt, y);
    Vec slope(n);
    for (std::size_t i = 0; i < n; ++i) slope[i] = (ft[i] - f[i]) / dt;
    std::vector<Vec> table;
    double error = INFINITY;
    bool accepted = false;
    Vec result;
    int used = 0;
    for (int row = 0; row < columns && !accepted; ++row) {
      const int steps = row + 1;
      const double step = hs / steps;
      Value m = apply_binary(BinaryOp::times, Value(-step), j);
      m = to_real(m);
      for (std::size_t i = 0; i < n; ++i) m.edit_real().at(static_cast<Index>(i), static_cast<Index>(i)) += 1;
      Vec z = y;
      bool broken = false;
      for (int s = 0; s < steps && !broken; ++s) {
        Vec g = s == 0 ? f : p.rate(t + s * step, z);
        for (std::size_t i = 0; i < n; ++i) g[i] = step * (g[i] + step * slope[i]);
        const Vec dz = to_vector(solve_left(m, Value::column(g)));
        for (std::size_t i = 0; i < n; ++i) z[i] += dz[i], broken = broken || !std::isfinite(z[i]);
      }
      if (broken) break;
      std::vector<Vec> line = {z};
      for (int q = 1; q <= row; ++q) {
        const double ratio = static_cast<double>(steps) / (steps - q);
        Vec v(n);
        for (std::size_t i = 0; i < n; ++i)
          v[i] = line.back()[i] + (line.back()[i] - table[static_cast<std::size_t>(q - 1)][i]) / (ratio - 1);
        line.push_back(v);
      }
      if (row > 0) {
        error = 0;
        for (std::size_t i = 0; i < n; ++i)
          error = std::max(
              error, std::abs(line[static_cast<std::size_t>(row)][i] - line[static_cast<std::size_t>(row - 1)][i]) /
                         p.weight(i, y[i], line.back()[i]));
        accepted = error <= 1;
      }
      table = line;
      result = line.back();
      used = row;
    }
    if (!accepted) {
      h *= std::isfinite(error) ? std::max(0.2, 0.8 * std::pow(error, -1.0 / columns)) : 0.2;
      continue;
    }
    const double t1 = h == std::abs(t_end - t) ? t_end : t + hs;
    const Vec f1 = p.rate(t1, result);
    out.accept(t, t1, result, [&](double u) {
      Vec v(n);
      const double w = 1 - u;
      for (std::size_t i = 0; i < n; ++i)
        v[i] = w * w * (1 + 2 * u) * y[i] + u * u * (1 + 2 * w) * result[i] + hs * u * w * (w * f[i] - u * f1[i]);
      return v;
    });
    t = t1;
    y = result;
    f = f1;
    h *= std::min(4.0, std::max(0.3, 0.8 * std::pow(std::max(error, 1e-8), -1.0 / (used + 1))));
  }
}

void explicit_solver(Call& c, double tighter) {
  Problem p = problem_of(c);
  Recorder r(p);
  dormand_prince(p, tighter, r);
  give(c, r);
}

void stiff_solver(Call& c) {
  Problem p = problem_of(c);
  Recorder r(p);
  // Hermite output between long stiff steps needs points closer together.
  if (p.span.size() > 2)
    for (std::size_t k = 1; k < p.span.size(); ++k)
      p.max_step =
          std::min(p.max_step, 2 * std::abs(p.span[k] - p.span[k - 1]) + std::abs(p.span.back() - p.span[0]) / 50);
  extrapolated_euler(p, r);
  give(c, r);
}

// F(t, y, y') = 0 by implicit Euler steps, extrapolated; `rate` of the problem is the residual with y' appended.
struct Implicit {
  Problem& p;
  Vec residual(double t, const Vec& y, const Vec& yp) {
    p.c.oml.tick();
    Values args = {Value(t), Value::column(y), Value::column(yp)};
    args.insert(args.end(), p.extra.begin(), p.extra.end());
    Vec r = to_vector(p.c.oml.call1(p.f, args));
    if (r.size() != y.size()) fail("the function must return as many residuals as there are states");
    return r;
  }
  // One step of length h from y; false when Newton's method does not converge.
  bool step(double t1, double h, Vec& y) {
    const std::size_t n = y.size();
    const Vec old = y;
    Vec z = y;
    const auto at = [&](const Vec& x) {
      Vec yp(n);
      for (std::size_t i = 0; i < n; ++i) yp[i] = (x[i] - old[i]) / h;
      return residual(t1, x, yp);
    };
    double last = INFINITY;
    for (int turn = 0; turn < 12; ++turn) {
      const Vec r = at(z);
      Value j = Value::zeros(Dims(static_cast<Index>(n), static_cast<Index>(n)));
      for (std::size_t k = 0; k < n; ++k) {
        Vec x = z;
        const double d = 1.5e-8 * std::max(std::abs(z[k]), 1e-6);
        x[k] += d;
        const Vec g = at(x);
        for (std::size_t i = 0; i < n; ++i)
          j.edit_real().at(static_cast<Index>(i), static_cast<Index>(k)) = (g[i] - r[i]) / d;
      }
      const Vec dz = to_vector(solve_left(j, Value::column(r)));
      double size = 0;
      for (std::size_t i = 0; i < n; ++i)
        z[i] -= dz[i], size = std::max(size, std::abs(dz[i]) / p.weight(i, z[i], old[i]));
      if (!std::isfinite(size)) return false;
      if (size < 1e-4) {
        y = z;
        return true;
      }
      if (turn > 4 && size > last) return false;
      last = size;
    }
    return false;
  }
};

// The extrapolation table of one basic step; the error compares its last two columns.
bool extrapolate(Implicit& f, double t, double hs, const Vec& y, Vec& result, double& error, int& used) {
  constexpr int columns = 5;
  std::vector<Vec> table;
  error = INFINITY;
  for (int row = 0; row < columns; ++row) {
    const int steps = row + 1;
    Vec z = y;
    for (int s = 1; s <= steps; ++s)
      if (!f.step(t + hs * s / steps, hs / steps, z)) return false;
    std::vector<Vec> line = {z};
    for (int q = 1; q <= row; ++q) {
      const double ratio = static_cast<double>(steps) / (steps - q);
      Vec v = line.back();
      for (std::size_t i = 0; i < v.size(); ++i)
        v[i] += (v[i] - table[static_cast<std::size_t>(q - 1)][i]) / (ratio - 1);
      line.push_back(v);
    }
    if (row > 0) {
      error = 0;
      for (std::size_t i = 0; i < y.size(); ++i)
        error =
            std::max(error, std::abs(line.back()[i] - line[line.size() - 2][i]) / f.p.weight(i, y[i], line.back()[i]));
    }
    table = line;
    result = line.back();
    used = row;
    if (error <= 1) return true;
  }
  return false;
}

void implicit_solver(Call& c) {
  // ode15i(f, times, y0, yp0, options): the start slopes are not needed by one-step methods.
  Values args = {c[0], c[1], c[2]};
  if (c.has(4)) args.push_back(c[4]);
  for (int k = 5; k < c.count(); ++k) args.push_back(c[k]);
  Call inner{c.oml, c.name, args, c.nargout, c.out};
  Problem p = problem_of(inner);
  p.rel *= 0.1;
  for (double& x : p.abs) x *= 0.1;
  Recorder out(p);
  Implicit f{p};
  const double sign = p.span.back() > p.span[0] ? 1 : -1, length = std::abs(p.span.back() - p.span[0]);
  double t = p.span[0], h = p.first_step > 0 ? p.first_step : 1e-4 * length;
  Vec y = p.y0;
  for (std::size_t k = 1; k < p.span.size(); ++k) {
    while ((p.span[k] - t) * sign > 0) {
      const double left = std::abs(p.span[k] - t), use = std::min({h, left, p.max_step});
      if (use < 1e-15 * std::max(std::abs(t), 1e-10))
        fail("the step size became too small; the problem may be singular");
      Vec next;
      double error = INFINITY;
      int used = 0;
      if (!extrapolate(f, t, sign * use, y, next, error, used)) {
        h = use * (std::isfinite(error) ? std::max(0.2, 0.8 * std::pow(error, -0.2)) : 0.25);
        continue;
      }
      const double t1 = use == left ? p.span[k] : t + sign * use;
      y = next;
      if (p.span.size() == 2 || t1 == p.span[k]) out.times.push_back(t1), out.states.push_back(y);
      t = t1;
      h = std::max(h, use) * std::min(4.0, std::max(0.3, 0.8 * std::pow(std::max(error, 1e-6), -1.0 / (used + 1))));
    }
  }
  give(c, out);
}

// odeset('name', value, ...), odeset(old, 'name', value, ...): a struct of options.
void options(Call& c) {
  Value out = Value::structure();
  int k = 0;
  for (; k < c.count() && c[k].is_struct(); ++k) {
    const StructArray& s = c[k].structure_ref();
    for (std::size_t f = 0; f < s.keys.size(); ++f) out.edit_structure().set(s.keys[f], s.columns[f].at(0));
  }
  if ((c.count() - k) % 2 != 0) fail("options come in pairs of names and values");
  for (; k + 1 < c.count(); k += 2) out.edit_structure().set(c.text(k), c[k + 1]);
  c.ret(out);
}

void option_value(Call& c) {
  if (c[0].is_struct()) {
    const Value* v = c[0].structure_ref().get(c.text(1));
    if (v != nullptr && !v->is_empty()) return c.ret(*v);
  }
  c.ret(c.has(2) ? c[2] : Value::empty());
}

constexpr Builtin table[] = {
    {"ode45", 3, -1, [](Call& c) { explicit_solver(c, 1); },
     "[t, y] = ode45(f, times, y0, options, ...): solves y' = f(t, y) by Dormand and Prince's method."},
    {"ode23", 3, -1, [](Call& c) { explicit_solver(c, 1); },
     "[t, y] = ode23(f, times, y0, options, ...): solves y' = f(t, y); the method is that of ode45."},
    {"ode113", 3, -1, [](Call& c) { explicit_solver(c, 0.1); },
     "[t, y] = ode113(f, times, y0, options, ...): solves y' = f(t, y) with tight tolerances."},
    {"ode15s", 3, -1, stiff_solver,
     "[t, y] = ode15s(f, times, y0, options, ...): solves stiff y' = f(t, y) by an implicit extrapolation method."},
    {"ode23s", 3, -1, stiff_solver, "[t, y] = ode23s(f, times, y0, options, ...): solves stiff y' = f(t, y)."},
    {"ode15i", 4, -1, implicit_solver,
     "[t, y] = ode15i(f, times, y0, yp0, options, ...): solves f(t, y, y') = 0, algebraic equations of index 1 "
     "included."},
    {"odeset", 0, -1, options,
     "odeset('RelTol', r, 'AbsTol', a, 'MaxStep', h, 'InitialStep', h, 'Jacobian', J): options of the ode functions."},
    {"odeget", 2, 3, option_value, "odeget(options, name, default): one option."},
    {"optimset", 0, -1, options,
     "optimset('TolX', x, 'TolFun', f, 'MaxIter', n, ...): options of the optimisation functions."},
    {"optimget", 2, 3, option_value, "optimget(options, name, default): one option."},
};

}  // namespace

BuiltinFamily ode_builtins() { return table; }

}  // namespace orrery::oml
