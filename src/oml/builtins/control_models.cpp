// SPDX-License-Identifier: Apache-2.0
// Linear models: making them, joining them, asking for their properties.
#include <algorithm>
#include <cmath>

#include "oml/builtins/families.h"
#include "oml/builtins/linear_model.h"
#include "oml/builtins/matrix_arguments.h"
#include "oml/builtins/polynomial_tools.h"
#include "oml/indexing.h"
#include "oml/interpreter.h"
#include "oml/operators.h"

namespace orrery::oml {
namespace {

Value times(const Value& a, const Value& b) { return to_real(apply_binary(BinaryOp::matrix_times, a, b)); }
Value plus(const Value& a, const Value& b) { return to_real(apply_binary(BinaryOp::add, a, b)); }
Value minus(const Value& a, const Value& b) { return to_real(apply_binary(BinaryOp::subtract, a, b)); }
Value beside(const Value& a, const Value& b) { return to_real(concatenate(Values{a, b}, 1)); }
Value above(const Value& a, const Value& b) { return to_real(concatenate(Values{a, b}, 0)); }
Value zero_block(Index m, Index n) { return Value::zeros(Dims(m, n)); }

double sample_time_option(const Call& c, int k) { return c.has(k) && !c[k].is_text() ? c.number(k) : 0; }

void ss(Call& c) {
  if (is_model(c[0])) {
    int used = 0;
    LinearModel m = model_argument(c, 0, 1, used);
    m.transfer = false;
    return c.ret(to_struct(m));
  }
  if (c.count() == 1) return c.ret(to_struct(state_space(Value::empty(), Value::empty(), Value::empty(), c[0], 0)));
  if (c.count() < 3) fail("ss needs A, B, C and D, or a model");
  c.ret(to_struct(state_space(c[0], c[1], c[2], c.has(3) ? c[3] : Value(0.0), sample_time_option(c, 4))));
}

void tf(Call& c) {
  if (is_model(c[0])) {
    int used = 0;
    LinearModel m = model_argument(c, 0, 1, used);
    if (!m.transfer && (m.inputs() != 1 || m.outputs() != 1)) fail("tf needs one input and one output");
    const auto [num, den] = transfer_of(c, m, 0, 0);
    return c.ret(to_struct(transfer_function(num, den, m.ts)));
  }
  c.ret(to_struct(transfer_function(c[0], c.has(1) ? c[1] : Value(1.0), sample_time_option(c, 2))));
}

void zpk(Call& c) {
  std::vector<Complex> num = polynomial_from_roots(coefficients(c[0])), den = polynomial_from_roots(coefficients(c[1]));
  const double gain = c.number(2);
  for (Complex& x : num) x *= gain;
  c.ret(to_struct(
      transfer_function(to_real(coefficient_row(num)), to_real(coefficient_row(den)), sample_time_option(c, 3))));
}

void ssdata(Call& c) {
  int used = 0;
  const LinearModel m = model_argument(c, 0, 1, used);
  for (const Value& v : {m.a, m.b, m.c, m.d}) c.ret(unboxed(v));
  c.ret(Value(m.ts));
}

void tfdata(Call& c) {
  int used = 0;
  const LinearModel m = model_argument(c, 0, 1, used);
  const auto [num, den] = transfer_of(c, m, 0, 0);
  c.ret(unboxed(num));
  c.ret(unboxed(den));
  c.ret(Value(m.ts));
}

double common_ts(const LinearModel& g, const LinearModel& h) {
  if (g.states() == 0) return h.ts;
  if (h.states() != 0 && g.ts != h.ts) fail("the models must have the same sample time");
  return g.ts;
}

LinearModel polynomial_model(const std::vector<Complex>& num, const std::vector<Complex>& den, double ts) {
  return transfer_function(to_real(coefficient_row(num)), to_real(coefficient_row(den)), ts);
}

std::vector<Complex> sum_of(std::vector<Complex> a, std::vector<Complex> b, double sign) {
  while (a.size() < b.size()) a.insert(a.begin(), 0);
  while (b.size() < a.size()) b.insert(b.begin(), 0);
  for (std::size_t k = 0; k < a.size(); ++k) a[k] += sign * b[k];
  return a;
}

struct Fractions {
  std::vector<Complex> n1, d1, n2, d2;
  Fractions(const LinearModel& g, const LinearModel& h)
      : n1(coefficients(g.num)), d1(coefficients(g.den)), n2(coefficients(h.num)), d2(coefficients(h.den)) {}
};

// A gain beside a transfer function is one too.
bool as_fractions(LinearModel& g, LinearModel& h) {
  for (LinearModel* m : {&g, &h}) {
    const LinearModel& other = m == &g ? h : g;
    if (!m->transfer && m->states() == 0 && m->d.numel() == 1 && other.transfer)
      *m = transfer_function(m->d, Value(1.0), other.ts);
  }
  return g.transfer && h.transfer;
}

LinearModel join_series(LinearModel g, LinearModel h) {
  const double ts = common_ts(g, h);
  if (as_fractions(g, h)) {
    const Fractions f(g, h);
    return polynomial_model(polynomial_product(f.n1, f.n2), polynomial_product(f.d1, f.d2), ts);
  }
  if (g.outputs() != h.inputs()) fail("the first model must have as many outputs as the second has inputs");
  const Value a = above(beside(g.a, zero_block(g.states(), h.states())), beside(times(h.b, g.c), h.a));
  return state_space(a, above(g.b, times(h.b, g.d)), beside(times(h.d, g.c), h.c), times(h.d, g.d), ts);
}

LinearModel join_parallel(LinearModel g, LinearModel h) {
  const double ts = common_ts(g, h);
  if (as_fractions(g, h)) {
    const Fractions f(g, h);
    return polynomial_model(sum_of(polynomial_product(f.n1, f.d2), polynomial_product(f.n2, f.d1), 1),
                            polynomial_product(f.d1, f.d2), ts);
  }
  if (g.inputs() != h.inputs() || g.outputs() != h.outputs()) fail("the models must have the same inputs and outputs");
  const Value a =
      above(beside(g.a, zero_block(g.states(), h.states())), beside(zero_block(h.states(), g.states()), h.a));
  return state_space(a, above(g.b, h.b), beside(g.c, h.c), plus(g.d, h.d), ts);
}

// u = r + sign h(y), y = g(u)
LinearModel join_feedback(LinearModel g, LinearModel h, double sign) {
  const double ts = common_ts(g, h);
  if (as_fractions(g, h)) {
    const Fractions f(g, h);
    return polynomial_model(polynomial_product(f.n1, f.d2),
                            sum_of(polynomial_product(f.d1, f.d2), polynomial_product(f.n1, f.n2), -sign), ts);
  }
  if (g.outputs() != h.inputs() || h.outputs() != g.inputs()) fail("the models do not fit into a loop");
  const Value s(sign), e = minus(identity(g.inputs()), times(s, times(h.d, g.d)));
  // u = e^-1 (r + sign (h.c xh + h.d g.c xg))
  const Value ec = to_real(solve_left(e, times(s, h.c))), eg = to_real(solve_left(e, times(s, times(h.d, g.c)))),
              er = to_real(solve_left(e, identity(g.inputs())));
  const Value gb = g.b, gd = g.d;
  const Value a11 = plus(g.a, times(gb, eg)), a12 = times(gb, ec);
  const Value yg = plus(g.c, times(gd, eg)), yh = times(gd, ec);
  const Value a = above(beside(a11, a12), beside(times(h.b, yg), plus(h.a, times(h.b, yh))));
  return state_space(a, above(times(gb, er), times(h.b, times(gd, er))), beside(yg, yh), times(gd, er), ts);
}

void join(Call& c, LinearModel (*f)(LinearModel, LinearModel)) {
  int used = 0;
  const LinearModel g = model_argument(c, 0, 1, used), h = model_argument(c, 1, 1, used);
  c.ret(to_struct(f(g, h)));
}

void feedback(Call& c) {
  int used = 0;
  const LinearModel g = model_argument(c, 0, 1, used);
  const LinearModel h = c.has(1)
                            ? model_argument(c, 1, 1, used)
                            : state_space(Value::empty(), Value::empty(), Value::empty(), identity(g.outputs()), 0);
  c.ret(to_struct(join_feedback(g, h, c.has(2) ? c.number(2) : -1)));
}

void pole(Call& c) {
  int used = 0;
  c.ret(poles_of(model_argument(c, 0, 4, used)));
}

void zero(Call& c) {
  int used = 0;
  c.ret(zeros_of(model_argument(c, 0, 4, used)));
}

void dcgain(Call& c) {
  int used = 0;
  const LinearModel m = model_argument(c, 0, 4, used);
  Value g = response_at(m, m.discrete() ? 1 : 0);
  for (Complex& z : g.edit_complex().data)
    z = std::isfinite(z.real()) && std::abs(z) < 1e15 ? Complex(z.real(), 0) : Complex(INFINITY, 0);
  c.ret(narrowed(g));
}

void damp(Call& c) {
  int used = 0;
  const LinearModel m = model_argument(c, 0, 4, used);
  std::vector<Complex> p = coefficients(poles_of(m));
  std::vector<double> wn, zeta;
  const auto natural = [&](Complex z) { return m.discrete() ? std::log(z) / std::abs(m.ts) : z; };
  std::stable_sort(p.begin(), p.end(),
                   [&](Complex x, Complex y) { return std::abs(natural(x)) < std::abs(natural(y)); });
  for (const Complex& z : p) {
    const Complex s = natural(z);
    wn.push_back(std::abs(s));
    zeta.push_back(std::abs(s) == 0 ? -1 : -s.real() / std::abs(s));
  }
  c.ret(unboxed(Value::column(wn)));
  c.ret(unboxed(Value::column(zeta)));
  c.ret(unboxed(transpose(boxed(coefficient_row(p)), false)));
}

void isstable(Call& c) {
  int used = 0;
  const LinearModel m = model_argument(c, 0, 4, used);
  bool stable = true;
  for (const Complex& p : coefficients(poles_of(m))) stable = stable && (m.discrete() ? std::abs(p) < 1 : p.real() < 0);
  c.ret(Value(stable));
}

void gram(Call& c) {
  int used = 0;
  const LinearModel m = model_argument(c, 0, 1, used);
  const bool controllability = c.text(1) == "c";
  if (!controllability && c.text(1) != "o") fail_argument(2, "must be 'c' or 'o'");
  const Value a = controllability ? m.a : to_real(transpose(m.a, false));
  const Value q = controllability ? times(m.b, transpose(m.b, false)) : times(transpose(m.c, false), m.c);
  c.ret(c.oml.call_named(m.discrete() ? "dlyap" : "lyap", {a, q}, 1)[0]);
}

// Rank of the controllability matrix, and an orthonormal basis of the controllable subspace.
void contr(Call& c) {
  const Value a = square_argument(c, 0);
  const Values m = c.oml.call_named("ctrb", {a, c[1]}, 1);
  c.ret(c.oml.call_named("rank", {m[0]}, 1)[0]);
  // Orthogonal: its first n columns span the controllable subspace, the others what is left (Activate, 7.4).
  const Value rest = c.oml.call_named("null", {apply_unary(UnaryOp::transpose, m[0])}, 1)[0];
  const Value parts[] = {c.oml.call_named("orth", {m[0]}, 1)[0], rest};
  c.ret(concatenate(parts, 1));
}

// s = 2/ts (z - 1)/(z + 1)
LinearModel tustin(const LinearModel& m, double ts) {
  const Index n = m.states();
  const Value left = minus(identity(n), times(Value(ts / 2), m.a)),
              right = plus(identity(n), times(Value(ts / 2), m.a));
  const Value a = to_real(solve_left(left, right)), b = to_real(solve_left(left, times(Value(ts), m.b)));
  const Value cc = to_real(apply_binary(BinaryOp::matrix_divide, m.c, left));
  return state_space(a, b, cc, plus(m.d, times(Value(ts / 2), times(cc, m.b))), ts);
}

// c2d(A, B, ts) gives two matrices, c2d(model, ts, method) a model.
void c2d(Call& c) {
  if (!is_model(c[0])) {
    if (c.count() < 3) fail("c2d needs a model and a sample time, or A, B and a sample time");
    const LinearModel m = state_space(c[0], c[1], identity(c[0].dims().rows()), Value(0.0), 0);
    const Sampled s = sampled(c, m, c.number(2));
    c.ret(unboxed(s.phi));
    return c.ret(unboxed(s.g0));
  }
  int used = 0;
  const LinearModel m = model_argument(c, 0, 1, used);
  const double ts = c.number(1);
  if (m.discrete()) fail_argument(1, "must be a continuous model");
  if (!(ts > 0)) fail_argument(2, "must be positive");
  const std::string method = c.is_text(2) ? c.text(2) : "zoh";
  LinearModel d;
  if (method == "zoh") {
    const Sampled s = sampled(c, m, ts);
    d = state_space(s.phi, s.g0, m.c, m.d, ts);
  } else if (method == "tustin" || method == "bilin") {
    d = tustin(m, ts);
  } else {
    fail_argument(3, "must be 'zoh' or 'tustin'");
  }
  if (m.transfer) {
    const auto [num, den] = transfer_of(c, d, 0, 0);
    d = transfer_function(num, den, ts);
  }
  c.ret(to_struct(d));
}

// The logarithm of [Ad Bd; 0 1] undoes the hold.
void d2c(Call& c) {
  int used = 0;
  const LinearModel m = model_argument(c, 0, 1, used);
  if (!(m.ts > 0)) fail_argument(1, "must be a discrete model");
  const Index n = m.states(), p = m.inputs();
  const Value all = above(beside(m.a, m.b), beside(zero_block(p, n), identity(p)));
  const Value e = to_complex(c.oml.call_named("logm", {all}, 1)[0]);
  Value a = zero_block(n, n), b = zero_block(n, p);
  for (Index i = 0; i < n; ++i) {
    for (Index k = 0; k < n; ++k) a.edit_real().at(i, k) = e.complex().at(i, k).real() / m.ts;
    for (Index k = 0; k < p; ++k) b.edit_real().at(i, k) = e.complex().at(i, n + k).real() / m.ts;
  }
  LinearModel d = state_space(a, b, m.c, m.d, 0);
  if (m.transfer) {
    const auto [num, den] = transfer_of(c, d, 0, 0);
    d = transfer_function(num, den, 0);
  }
  c.ret(to_struct(d));
}

constexpr Builtin table[] = {
    {"ss", 1, 5, ss, "ss(A, B, C, D, Ts): state-space model, discrete when Ts is given; ss(model) converts."},
    {"tf", 1, 3, tf, "tf(num, den, Ts): transfer function of one input and output; tf(model) converts."},
    {"zpk", 3, 4, zpk, "zpk(zeros, poles, gain, Ts): transfer function from its zeros and poles."},
    {"ssdata", 1, 1, ssdata, "[A, B, C, D, Ts] = ssdata(model): matrices of a model."},
    {"tfdata", 1, 2, tfdata, "[num, den, Ts] = tfdata(model): polynomials of a model."},
    {"series", 2, 2, [](Call& c) { join(c, join_series); }, "series(g, h): h fed by g."},
    {"parallel", 2, 2, [](Call& c) { join(c, join_parallel); }, "parallel(g, h): sum of two models."},
    {"feedback", 1, 3, feedback, "feedback(g, h, sign): g with h in its feedback path; sign -1 by default."},
    {"pole", 1, 4, pole, "pole(model): poles of a model; also pole(num, den) and pole(A, B, C, D)."},
    {"zero", 1, 4, zero, "zero(model): transmission zeros of a model."},
    {"tzero", 1, 4, zero, "tzero(model): transmission zeros of a model."},
    {"dcgain", 1, 4, dcgain, "dcgain(model): gain for constant inputs."},
    {"damp", 1, 4, damp, "[wn, zeta, p] = damp(model): natural frequencies, damping and poles."},
    {"isstable", 1, 4, isstable, "isstable(model): whether all poles are stable."},
    {"gram", 2, 2, gram, "gram(model, 'c'|'o'): controllability or observability Gramian."},
    {"contr", 2, 3, contr,
     "[n, U] = contr(A, B): dimension of the controllable subspace; the first n columns of U span it."},
    {"c2d", 2, 3, c2d,
     "c2d(model, Ts, 'zoh'|'tustin'): discrete model; [Ad, Bd] = c2d(A, B, Ts) with the input held between samples."},
    {"d2c", 1, 2, d2c, "d2c(model): continuous model whose input is held between samples."},
};

}  // namespace

BuiltinFamily control_model_builtins() { return table; }

}  // namespace orrery::oml
