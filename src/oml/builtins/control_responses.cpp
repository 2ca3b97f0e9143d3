// SPDX-License-Identifier: Apache-2.0
// Responses of linear models in time and frequency.
#include <algorithm>
#include <cmath>

#include "oml/builtins/families.h"
#include "oml/builtins/linear_model.h"
#include "oml/builtins/map.h"
#include "oml/builtins/polynomial_tools.h"
#include "oml/interpreter.h"
#include "oml/operators.h"

namespace orrery::oml {
namespace {

constexpr double pi = 3.14159265358979323846;
using Vec = std::vector<double>;

Value times(const Value& a, const Value& b) { return to_real(apply_binary(BinaryOp::matrix_times, a, b)); }
Value plus(const Value& a, const Value& b) { return to_real(apply_binary(BinaryOp::add, a, b)); }

// A horizon in which the slowest mode settles, in about a hundred points; samples for discrete models.
Vec default_times(const LinearModel& m, double last) {
  Vec t;
  if (m.discrete()) {
    const double ts = std::abs(m.ts), n = last > 0 ? std::floor(last / ts) : 100;
    for (double k = 0; k <= std::min(n, 1e6); ++k) t.push_back(k * ts);
    return t;
  }
  if (!(last > 0)) {
    double slowest = INFINITY, fastest = 0;
    for (const Complex& p : coefficients(poles_of(m))) {
      if (std::abs(p.real()) > 1e-9) slowest = std::min(slowest, std::abs(p.real()));
      fastest = std::max(fastest, std::abs(p));
    }
    last = std::isfinite(slowest) ? 7 / slowest : fastest > 0 ? 20 * pi / fastest : 10;
  }
  for (int k = 0; k <= 100; ++k) t.push_back(last * k / 100);
  return t;
}

Vec times_argument(const Call& c, int k, const LinearModel& m) {
  if (!c.has(k) || c[k].is_empty()) return default_times(m, 0);
  if (c[k].numel() == 1) return default_times(m, c.number(k));
  return to_vector(c[k]);
}

Value column_of(const Value& v, Index k) {
  Value out = Value::zeros(Dims(v.dims().rows(), 1));
  for (Index i = 0; i < out.numel(); ++i) out.edit_real()[i] = v.real().at(i, k);
  return out;
}

// Rows of outputs and states along the times.
struct Trajectory {
  Value y, x;
  Trajectory(Index points, const LinearModel& m)
      : y(Value::zeros(Dims(points, m.outputs()))), x(Value::zeros(Dims(points, m.states()))) {}
  void set(Index i, const Value& state, const Value& output) {
    for (Index k = 0; k < state.numel(); ++k) x.edit_real().at(i, k) = state.real()[k];
    for (Index k = 0; k < output.numel(); ++k) y.edit_real().at(i, k) = output.real()[k];
  }
};

// Inputs as rows of u, linear (or held) between the times.
Trajectory simulate(Call& c, const LinearModel& m, const Vec& t, const Value& u, Value x, bool held) {
  const auto n = static_cast<Index>(t.size());
  Trajectory out(n, m);
  Sampled s;
  double last_dt = -1;
  const auto input = [&](Index i) {
    Value v = Value::zeros(Dims(m.inputs(), 1));
    for (Index k = 0; k < m.inputs(); ++k) v.edit_real()[k] = u.real().at(i, k);
    return v;
  };
  for (Index i = 0; i < n; ++i) {
    c.oml.tick();
    const Value now = input(i);
    out.set(i, x, plus(times(m.c, x), times(m.d, now)));
    if (i + 1 == n || m.states() == 0) continue;
    if (m.discrete()) {
      x = plus(times(m.a, x), times(m.b, now));
      continue;
    }
    const double dt = t[static_cast<std::size_t>(i + 1)] - t[static_cast<std::size_t>(i)];
    if (!(dt > 0)) fail("the times must ascend");
    if (std::abs(dt - last_dt) > 1e-12 * dt) s = sampled(c, m, dt), last_dt = dt;
    x = plus(times(s.phi, x), times(s.g0, now));
    if (!held) x = plus(x, times(s.g1, to_real(apply_binary(BinaryOp::subtract, input(i + 1), now))));
  }
  return out;
}

void give(Call& c, const Vec& t, const std::vector<Trajectory>& runs) {
  Values y, x;
  for (const Trajectory& r : runs) y.push_back(r.y), x.push_back(r.x);
  const auto joined = [](const Values& v) {
    return v.size() == 1 ? unboxed(v[0]) : apply_binary(BinaryOp::add, Value(0.0), v[0]);
  };
  if (runs.size() == 1) {
    c.ret(joined(y));
    c.ret(Value::column(t));
    return c.ret(joined(x));
  }
  // Several inputs: one page each.
  const auto pages = [](const Values& v) {
    const Index rows = v[0].dims().rows(), cols = v[0].dims().cols();
    Value out = Value::zeros(Dims(std::vector<Index>{rows, cols, static_cast<Index>(v.size())}));
    for (std::size_t k = 0; k < v.size(); ++k)
      std::copy(v[k].real().data.begin(), v[k].real().data.end(),
                out.edit_real().data.begin() + static_cast<std::ptrdiff_t>(k) * rows * cols);
    return out;
  };
  c.ret(pages(y));
  c.ret(Value::column(t));
  c.ret(pages(x));
}

void step(Call& c) {
  int used = 0;
  const LinearModel m = model_argument(c, 0, 4, used);
  const Vec t = times_argument(c, used, m);
  std::vector<Trajectory> runs;
  for (Index k = 0; k < m.inputs(); ++k) {
    Value u = Value::zeros(Dims(static_cast<Index>(t.size()), m.inputs()));
    for (Index i = 0; i < u.dims().rows(); ++i) u.edit_real().at(i, k) = 1;
    runs.push_back(simulate(c, m, t, u, Value::zeros(Dims(m.states(), 1)), true));
  }
  give(c, t, runs);
}

// The free motion from x = b; in discrete time the response to a first sample of 1/Ts.
void impulse(Call& c) {
  int used = 0;
  const LinearModel m = model_argument(c, 0, 4, used);
  const Vec t = times_argument(c, used, m);
  std::vector<Trajectory> runs;
  for (Index k = 0; k < m.inputs(); ++k) {
    Value u = Value::zeros(Dims(static_cast<Index>(t.size()), m.inputs()));
    Value x = Value::zeros(Dims(m.states(), 1));
    if (m.discrete())
      u.edit_real().at(0, k) = 1 / std::abs(m.ts);
    else if (m.states() > 0)
      x = column_of(m.b, k);
    runs.push_back(simulate(c, m, t, u, x, true));
  }
  give(c, t, runs);
}

void initial(Call& c) {
  int used = 0;
  const LinearModel m = model_argument(c, 0, 1, used);
  const Vec x0 = to_vector(c[1]), t = times_argument(c, 2, m);
  if (static_cast<Index>(x0.size()) != m.states()) fail_argument(2, "must have one value for each state");
  give(c, t,
       {simulate(c, m, t, Value::zeros(Dims(static_cast<Index>(t.size()), m.inputs())), Value::column(x0), true)});
}

// lsim(model, u, t, x0)
void lsim(Call& c) {
  int used = 0;
  const LinearModel m = model_argument(c, 0, 1, used);
  Value u = to_real(c[1]);
  if (u.dims().rows() == 1 && m.inputs() == 1) u = to_real(transpose(u, false));
  Vec t;
  if (c.has(2) && !c[2].is_empty())
    t = to_vector(c[2]);
  else if (m.discrete())
    for (Index i = 0; i < u.dims().rows(); ++i) t.push_back(static_cast<double>(i) * std::abs(m.ts));
  else
    fail("a continuous model needs the times of its input");
  if (u.dims().rows() != static_cast<Index>(t.size()) || u.dims().cols() != m.inputs())
    fail_argument(2, "must have a row for each time and a column for each input");
  const Value x0 = c.has(3) ? Value::column(to_vector(c[3])) : Value::zeros(Dims(m.states(), 1));
  if (x0.numel() != m.states()) fail_argument(4, "must have one value for each state");
  give(c, t, {simulate(c, m, t, u, x0, false)});
}

// Two decades around the poles and zeros.
Vec default_frequencies(const LinearModel& m) {
  double low = INFINITY, high = 0;
  Vec sizes;
  for (const Complex& p : coefficients(poles_of(m))) sizes.push_back(std::abs(m.discrete() ? std::log(p) / m.ts : p));
  if (m.inputs() == m.outputs())
    for (const Complex& z : coefficients(zeros_of(m))) sizes.push_back(std::abs(m.discrete() ? std::log(z) / m.ts : z));
  for (double s : sizes)
    if (s > 1e-9 && std::isfinite(s)) low = std::min(low, s), high = std::max(high, s);
  if (high == 0) low = high = 1;
  double from = std::floor(std::log10(low)) - 1, to = std::ceil(std::log10(high)) + 1;
  if (m.discrete()) to = std::min(to, std::log10(pi / std::abs(m.ts)));
  Vec w;
  const int n = 200;
  for (int k = 0; k < n; ++k) w.push_back(std::pow(10.0, from + (to - from) * k / (n - 1)));
  return w;
}

Complex point_of(const LinearModel& m, double w) {
  return m.discrete() ? std::exp(Complex(0, w * std::abs(m.ts))) : Complex(0, w);
}

Vec frequencies_argument(const Call& c, int k, const LinearModel& m) {
  return c.has(k) && !c[k].is_empty() ? to_vector(c[k]) : default_frequencies(m);
}

std::vector<Complex> scalar_response(const LinearModel& m, const Vec& w) {
  if (m.inputs() != 1 || m.outputs() != 1) fail("the model must have one input and one output");
  std::vector<Complex> h;
  for (double x : w) h.push_back(response_at(m, point_of(m, x)).complex()[0]);
  return h;
}

// Phases in degrees without jumps.
Vec phases_of(const std::vector<Complex>& h) {
  Vec p;
  for (const Complex& z : h) {
    double a = std::arg(z) * 180 / pi;
    if (!p.empty()) a -= 360 * std::round((a - p.back()) / 360);
    p.push_back(a);
  }
  return p;
}

void bode(Call& c) {
  int used = 0;
  const LinearModel m = model_argument(c, 0, 4, used);
  const Vec w = frequencies_argument(c, used, m);
  const std::vector<Complex> h = scalar_response(m, w);
  Vec magnitude;
  for (const Complex& z : h) magnitude.push_back(std::abs(z));
  c.ret(unboxed(Value::column(magnitude)));
  c.ret(unboxed(Value::column(phases_of(h))));
  c.ret(unboxed(Value::column(w)));
}

void nyquist(Call& c) {
  int used = 0;
  const LinearModel m = model_argument(c, 0, 4, used);
  const Vec w = frequencies_argument(c, used, m);
  Vec re, im;
  for (const Complex& z : scalar_response(m, w)) re.push_back(z.real()), im.push_back(z.imag());
  c.ret(unboxed(Value::column(re)));
  c.ret(unboxed(Value::column(im)));
  c.ret(unboxed(Value::column(w)));
}

void freqresp(Call& c) {
  int used = 0;
  const LinearModel m = model_argument(c, 0, 1, used);
  const Vec w = frequencies_argument(c, 1, m);
  Value out = Value::complex_zeros(Dims(std::vector<Index>{m.outputs(), m.inputs(), static_cast<Index>(w.size())}));
  Index at = 0;
  for (double x : w) {
    const Value h = response_at(m, point_of(m, x));
    for (const Complex& z : h.complex().data) out.edit_complex()[at++] = z;
  }
  c.ret(narrowed(out));
  c.ret(unboxed(Value::column(w)));
}

void evalfr(Call& c) {
  int used = 0;
  c.ret(narrowed(response_at(model_argument(c, 0, 1, used), to_complex_scalar(c[1]))));
}

// Where f changes sign between neighbours of the grid, refined by bisection on a logarithmic axis.
template <class F>
Vec crossings(const Vec& w, F f) {
  Vec out;
  double before = f(w[0]);
  for (std::size_t k = 1; k < w.size(); ++k) {
    const double now = f(w[k]);
    if ((before < 0) != (now < 0) && std::abs(now - before) < 180) {
      double low = w[k - 1], high = w[k];
      for (int i = 0; i < 80; ++i) {
        const double middle = std::sqrt(low * high);
        ((f(middle) < 0) == (before < 0) ? low : high) = middle;
      }
      out.push_back(std::sqrt(low * high));
    }
    before = now;
  }
  return out;
}

void margin(Call& c) {
  int used = 0;
  const LinearModel m = model_argument(c, 0, 4, used);
  Vec grid = frequencies_argument(c, used, m);
  if (!c.has(used)) {
    const double from = std::log10(grid.front()) - 2, to = std::log10(grid.back()) + (m.discrete() ? 0 : 2);
    grid.clear();
    for (int k = 0; k < 3000; ++k) grid.push_back(std::pow(10.0, from + (to - from) * k / 2999));
  }
  const auto at = [&](double w) { return response_at(m, point_of(m, w)).complex()[0]; };
  if (m.inputs() != 1 || m.outputs() != 1) fail("the model must have one input and one output");
  // Degrees from the negative real axis, and decibels.
  const auto phase = [&](double w) { return std::arg(-at(w)) * 180 / pi; };
  double gm = INFINITY, pm = INFINITY, wg = NAN, wp = NAN;
  for (double w : crossings(grid, phase)) {
    const double g = 1 / std::abs(at(w));
    if (at(w).real() < 0 && std::abs(std::log(g)) < std::abs(std::log(gm))) gm = g, wg = w;
  }
  for (double w : crossings(grid, [&](double x) { return std::log(std::abs(at(x))); })) {
    const double p = phase(w);
    if (std::abs(p) < std::abs(pm)) pm = p, wp = w;
  }
  for (double v : {gm, pm, wg, wp}) c.ret(Value(v));
}

constexpr Builtin table[] = {
    {"step", 1, 6, step, "[y, t, x] = step(model, t): response to a unit step; t is a horizon or the times."},
    {"impulse", 1, 6, impulse, "[y, t, x] = impulse(model, t): response to an impulse."},
    {"initial", 2, 3, initial, "[y, t, x] = initial(model, x0, t): free motion from x0."},
    {"lsim", 2, 4, lsim, "[y, t, x] = lsim(model, u, t, x0): response to the input u, linear between the times t."},
    {"bode", 1, 6, bode, "[magnitude, phase, w] = bode(model, w): frequency response, phase in degrees."},
    {"nyquist", 1, 6, nyquist, "[re, im, w] = nyquist(model, w): real and imaginary part of the frequency response."},
    {"freqresp", 1, 2, freqresp, "[h, w] = freqresp(model, w): complex frequency response, a page for each frequency."},
    {"evalfr", 2, 2, evalfr, "evalfr(model, s): transfer function at the complex number s."},
    {"margin", 1, 6, margin, "[gm, pm, wcg, wcp] = margin(model): gain and phase margin and where they are read."},
};

}  // namespace

BuiltinFamily control_response_builtins() { return table; }

}  // namespace orrery::oml
