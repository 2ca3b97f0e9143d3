// SPDX-License-Identifier: Apache-2.0
// Responses of linear models in time and frequency.
#include <algorithm>
#include <cmath>

#include "math/linear_response.h"
#include "oml/builtins/families.h"
#include "oml/builtins/linear_model.h"
#include "oml/builtins/map.h"
#include "oml/builtins/math_values.h"
#include "oml/interpreter.h"
#include "oml/operators.h"

namespace orrery::oml {
namespace {

using math::RealMatrix;
using Vec = std::vector<double>;

// A model is one, two or four arguments, so the table of arguments cannot say how many may follow.
void expect_at_most(const Call& c, int count) {
  if (c.count() > count) fail_argument(count + 1, "is one too many behind the model");
}

Vec times_argument(const Call& c, int k, const LinearModel& m) {
  if (!c.has(k) || c[k].is_empty()) return math::default_times(m, 0);
  if (c[k].numel() == 1) return math::default_times(m, c.number(k));
  return to_vector(c[k]);
}

math::Trajectory simulate(Call& c, const LinearModel& m, const Vec& t, const RealMatrix& u, const RealMatrix& x,
                          bool held) {
  return math::simulate(m, t, u, x, held, [&] { c.oml.tick(); });
}

// Several inputs have one page each.
Value pages(const std::vector<math::Trajectory>& runs, RealMatrix math::Trajectory::*part) {
  const RealMatrix& first = runs[0].*part;
  if (runs.size() == 1) return result(first);
  Value out = Value::zeros(Dims(std::vector<Index>{first.rows, first.cols, static_cast<Index>(runs.size())}));
  auto at = out.edit_real().data.begin();
  for (const math::Trajectory& r : runs) at = std::copy((r.*part).data.begin(), (r.*part).data.end(), at);
  return out;
}

void give(Call& c, const Vec& t, const std::vector<math::Trajectory>& runs) {
  c.ret(pages(runs, &math::Trajectory::y));
  c.ret(Value::column(t));
  c.ret(pages(runs, &math::Trajectory::x));
}

void step(Call& c) {
  int used = 0;
  const LinearModel m = model_argument(c, 0, 4, used);
  expect_at_most(c, used + 1);
  const Vec t = times_argument(c, used, m);
  std::vector<math::Trajectory> runs;
  for (Index k = 0; k < m.inputs(); ++k) {
    RealMatrix u(static_cast<Index>(t.size()), m.inputs());
    for (Index i = 0; i < u.rows; ++i) u(i, k) = 1;
    runs.push_back(simulate(c, m, t, u, RealMatrix(m.states(), 1), true));
  }
  give(c, t, runs);
}

// The free motion from x = b; in discrete time the response to a first sample of 1/Ts.
void impulse(Call& c) {
  int used = 0;
  const LinearModel m = model_argument(c, 0, 4, used);
  expect_at_most(c, used + 1);
  const Vec t = times_argument(c, used, m);
  std::vector<math::Trajectory> runs;
  for (Index k = 0; k < m.inputs(); ++k) {
    RealMatrix u(static_cast<Index>(t.size()), m.inputs()), x(m.states(), 1);
    if (m.discrete())
      u(0, k) = 1 / std::abs(m.ts);
    else if (m.states() > 0)
      x = math::block(m.b, 0, m.states(), k, 1);
    runs.push_back(simulate(c, m, t, u, x, true));
  }
  give(c, t, runs);
}

void initial(Call& c) {
  int used = 0;
  const LinearModel m = model_argument(c, 0, 1, used);
  const Vec x0 = to_vector(c[1]), t = times_argument(c, 2, m);
  if (static_cast<Index>(x0.size()) != m.states()) fail_argument(2, "must have one value for each state");
  const RealMatrix u(static_cast<Index>(t.size()), m.inputs());
  give(c, t, {simulate(c, m, t, u, real_matrix(Value::column(x0)), true)});
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
  give(c, t, {simulate(c, m, t, real_matrix(u), real_matrix(x0), false)});
}

Vec frequencies_argument(const Call& c, int k, const LinearModel& m) {
  return c.has(k) && !c[k].is_empty() ? to_vector(c[k]) : math::default_frequencies(m);
}

std::vector<Complex> scalar_response(const LinearModel& m, const Vec& w) {
  bool singular = false;
  std::vector<Complex> h = math::frequency_response(m, w, singular);
  warn_if_singular(singular);
  return h;
}

void bode(Call& c) {
  int used = 0;
  const LinearModel m = model_argument(c, 0, 4, used);
  expect_at_most(c, used + 1);
  const Vec w = frequencies_argument(c, used, m);
  const std::vector<Complex> h = scalar_response(m, w);
  Vec magnitude;
  for (const Complex& z : h) magnitude.push_back(std::abs(z));
  c.ret(unboxed(Value::column(magnitude)));
  c.ret(unboxed(Value::column(math::phases_of(h))));
  c.ret(unboxed(Value::column(w)));
}

void nyquist(Call& c) {
  int used = 0;
  const LinearModel m = model_argument(c, 0, 4, used);
  expect_at_most(c, used + 1);
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
  bool singular = false;
  for (double x : w)
    for (const Complex& z : math::response_at(m, math::point_of(m, x), singular).data) out.edit_complex()[at++] = z;
  warn_if_singular(singular);
  c.ret(narrowed(out));
  c.ret(unboxed(Value::column(w)));
}

void evalfr(Call& c) {
  int used = 0;
  bool singular = false;
  const math::ComplexMatrix h = math::response_at(model_argument(c, 0, 1, used), to_complex_scalar(c[1]), singular);
  warn_if_singular(singular);
  c.ret(result(h));
}

void margin(Call& c) {
  int used = 0;
  const LinearModel m = model_argument(c, 0, 4, used);
  expect_at_most(c, used + 1);
  Vec grid = frequencies_argument(c, used, m);
  if (!c.has(used)) {
    const double from = std::log10(grid.front()) - 2, to = std::log10(grid.back()) + (m.discrete() ? 0 : 2);
    grid.clear();
    for (int k = 0; k < 3000; ++k) grid.push_back(std::pow(10.0, from + (to - from) * k / 2999));
  }
  bool singular = false;
  const math::Margins r = math::margins(m, grid, singular);
  warn_if_singular(singular);
  for (double v : {r.gain, r.phase, r.gain_crossing, r.phase_crossing}) c.ret(Value(v));
}

constexpr Builtin control_response_table[] = {
    {"step", 1, 6, step, "[y, t, x] = step(model, t): response to a unit step; t is a horizon or the times.",
     "real struct, real, ..."},
    {"impulse", 1, 6, impulse, "[y, t, x] = impulse(model, t): response to an impulse.", "real struct, real, ..."},
    {"initial", 2, 3, initial, "[y, t, x] = initial(model, x0, t): free motion from x0.", "real struct, real, real"},
    {"lsim", 2, 4, lsim, "[y, t, x] = lsim(model, u, t, x0): response to the input u, linear between the times t.",
     "real struct, real, real, real"},
    {"bode", 1, 6, bode, "[magnitude, phase, w] = bode(model, w): frequency response, phase in degrees.",
     "real struct, real, ..."},
    {"nyquist", 1, 6, nyquist, "[re, im, w] = nyquist(model, w): real and imaginary part of the frequency response.",
     "real struct, real, ..."},
    {"freqresp", 1, 2, freqresp, "[h, w] = freqresp(model, w): complex frequency response, a page for each frequency.",
     "real struct, real"},
    {"evalfr", 2, 2, evalfr, "evalfr(model, s): transfer function at the complex number s.",
     "real struct, number scalar"},
    {"margin", 1, 6, margin, "[gm, pm, wcg, wcp] = margin(model): gain and phase margin and where they are read.",
     "real struct, real, ..."},
};

}  // namespace

BuiltinFamily control_response_builtins() { return control_response_table; }

}  // namespace orrery::oml
