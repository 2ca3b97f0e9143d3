// SPDX-License-Identifier: Apache-2.0
// Linear models: making them, joining them, asking for their properties.
#include <algorithm>
#include <cmath>

#include "oml/builtins/families.h"
#include "oml/builtins/linear_model.h"
#include "oml/builtins/math_values.h"
#include "oml/builtins/matrix_arguments.h"
#include "oml/builtins/polynomial_tools.h"
#include "oml/indexing.h"
#include "oml/interpreter.h"
#include "oml/operators.h"

namespace orrery::oml {
namespace {

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
    const math::Fraction f = math::transfer_of(m, 0, 0);
    return c.ret(to_struct(math::transfer_function(f.num, f.den, m.ts)));
  }
  c.ret(to_struct(transfer_function(c[0], c.has(1) ? c[1] : Value(1.0), sample_time_option(c, 2))));
}

void zpk(Call& c) {
  std::vector<Complex> num = math::polynomial_from_roots(coefficients(c[0])),
                       den = math::polynomial_from_roots(coefficients(c[1]));
  const double gain = c.number(2);
  for (Complex& x : num) x *= gain;
  // The conversion refuses complex coefficients.
  c.ret(to_struct(
      transfer_function(to_real(coefficient_row(num)), to_real(coefficient_row(den)), sample_time_option(c, 3))));
}

void ssdata(Call& c) {
  int used = 0;
  const LinearModel m = model_argument(c, 0, 1, used);
  for (const math::RealMatrix* v : {&m.a, &m.b, &m.c, &m.d}) c.ret(result(*v));
  c.ret(Value(m.ts));
}

void tfdata(Call& c) {
  int used = 0;
  const LinearModel m = model_argument(c, 0, 1, used);
  const math::Fraction f = math::transfer_of(m, 0, 0);
  c.ret(unboxed(Value::row(f.num)));
  c.ret(unboxed(Value::row(f.den)));
  c.ret(Value(m.ts));
}

// What the builtins below give back.
void give(Call& c, const LinearModel& m) {
  warn_if_singular(m.singular);
  c.ret(to_struct(m));
}

void join(Call& c, LinearModel (*f)(LinearModel, LinearModel)) {
  int used = 0;
  const LinearModel g = model_argument(c, 0, 1, used), h = model_argument(c, 1, 1, used);
  give(c, f(g, h));
}

void feedback(Call& c) {
  int used = 0;
  const LinearModel g = model_argument(c, 0, 1, used);
  const LinearModel h =
      c.has(1) ? model_argument(c, 1, 1, used) : math::gain_model(math::RealMatrix::identity(g.outputs()));
  give(c, math::join_feedback(g, h, c.has(2) ? c.number(2) : -1));
}

Value column_or_empty(const std::vector<Complex>& z) { return z.empty() ? Value::empty() : coefficient_column(z); }

// The model that all arguments together describe.
LinearModel only_model(const Call& c) {
  int used = 0;
  LinearModel m = model_argument(c, 0, 4, used);
  if (c.count() > used) fail_argument(used + 1, "is one too many behind the model");
  return m;
}

void pole(Call& c) { c.ret(column_or_empty(math::poles_of(only_model(c)))); }

void zero(Call& c) { c.ret(column_or_empty(math::zeros_of(only_model(c)))); }

void dcgain(Call& c) {
  const LinearModel m = only_model(c);
  bool singular = false;
  math::ComplexMatrix g = math::response_at(m, m.discrete() ? 1 : 0, singular);
  warn_if_singular(singular);
  for (Complex& z : g.data)
    z = std::isfinite(z.real()) && std::abs(z) < 1e15 ? Complex(z.real(), 0) : Complex(INFINITY, 0);
  c.ret(result(g));
}

void damp(Call& c) {
  const LinearModel m = only_model(c);
  std::vector<Complex> p = math::poles_of(m);
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
  c.ret(unboxed(coefficient_column(p)));
}

void isstable(Call& c) {
  const LinearModel m = only_model(c);
  bool stable = true;
  for (const Complex& p : math::poles_of(m)) stable = stable && (m.discrete() ? std::abs(p) < 1 : p.real() < 0);
  c.ret(Value(stable));
}

void gram(Call& c) {
  int used = 0;
  const LinearModel m = model_argument(c, 0, 1, used);
  const bool controllability = c.text(1) == "c";
  if (!controllability && c.text(1) != "o") fail_argument(2, "must be 'c' or 'o'");
  const math::RealMatrix a = controllability ? m.a : math::transpose(m.a);
  const math::RealMatrix q = controllability ? m.b * math::transpose(m.b) : math::transpose(m.c) * m.c;
  c.ret(c.oml.call_named(m.discrete() ? "dlyap" : "lyap", {matrix_value(a), matrix_value(q)}, 1)[0]);
}

// Rank of the controllability matrix, and an orthonormal basis of the controllable subspace.
void contr(Call& c) {
  const Value a = square_argument(c, 0);
  const Values m = c.oml.call_named("ctrb", {a, c[1]}, 1);
  // The tolerance of the rank is that of the two subspaces.
  const auto with_tolerance = [&](Value matrix) {
    Values args = {std::move(matrix)};
    if (c.has(2)) args.push_back(c[2]);
    return args;
  };
  c.ret(c.oml.call_named("rank", with_tolerance(m[0]), 1)[0]);
  // Orthogonal: its first n columns span the controllable subspace, the others what is left (Activate, 7.4).
  const Value rest = c.oml.call_named("null", with_tolerance(apply_unary(UnaryOp::transpose, m[0])), 1)[0];
  const Value parts[] = {c.oml.call_named("orth", with_tolerance(m[0]), 1)[0], rest};
  c.ret(concatenate(parts, 1));
}

LinearModel as_transfer(const LinearModel& m) {
  const math::Fraction f = math::transfer_of(m, 0, 0);
  LinearModel out = math::transfer_function(f.num, f.den, m.ts);
  out.singular = m.singular;
  return out;
}

// c2d(A, B, ts) gives two matrices, c2d(model, ts, method) a model.
void c2d(Call& c) {
  if (!is_model(c[0])) {
    if (c.count() < 3) fail("c2d needs a model and a sample time, or A, B and a sample time");
    const LinearModel m = state_space(c[0], c[1], identity(c[0].dims().rows()), Value(0.0), 0);
    const math::Sampled s = math::sampled(m, c.number(2));
    c.ret(result(s.phi));
    return c.ret(result(s.g0));
  }
  int used = 0;
  const LinearModel m = model_argument(c, 0, 1, used);
  const double ts = c.number(1);
  if (m.discrete()) fail_argument(1, "must be a continuous model");
  if (!(ts > 0)) fail_argument(2, "must be positive");
  const std::string method = c.is_text(2) ? c.text(2) : "zoh";
  LinearModel d;
  if (method == "zoh") {
    const math::Sampled s = math::sampled(m, ts);
    d = math::state_space(s.phi, s.g0, m.c, m.d, ts);
  } else if (method == "tustin" || method == "bilin") {
    d = math::tustin(m, ts);
  } else {
    fail_argument(3, "must be 'zoh' or 'tustin'");
  }
  give(c, m.transfer ? as_transfer(d) : d);
}

void d2c(Call& c) {
  int used = 0;
  const LinearModel m = model_argument(c, 0, 1, used);
  if (!(m.ts > 0)) fail_argument(1, "must be a discrete model");
  const LinearModel d = math::continuous_of(m);
  give(c, m.transfer ? as_transfer(d) : d);
}

constexpr Builtin control_model_table[] = {
    {"ss", 1, 5, ss, "ss(A, B, C, D, Ts): state-space model, discrete when Ts is given; ss(model) converts.",
     "real struct, real, ..."},
    {"tf", 1, 3, tf, "tf(num, den, Ts): transfer function of one input and output; tf(model) converts.",
     "real struct, real, real scalar"},
    {"zpk", 3, 4, zpk, "zpk(zeros, poles, gain, Ts): transfer function from its zeros and poles.",
     "number, number, number scalar, real scalar"},
    {"ssdata", 1, 1, ssdata, "[A, B, C, D, Ts] = ssdata(model): matrices of a model.", "real struct"},
    {"tfdata", 1, 2, tfdata, "[num, den, Ts] = tfdata(model): polynomials of a model.", "real struct, word:vector/v"},
    {"series", 2, 2, [](Call& c) { join(c, math::join_series); }, "series(g, h): h fed by g.",
     "real struct, real struct"},
    {"parallel", 2, 2, [](Call& c) { join(c, math::join_parallel); }, "parallel(g, h): sum of two models.",
     "real struct, real struct"},
    {"feedback", 1, 3, feedback, "feedback(g, h, sign): g with h in its feedback path; sign -1 by default.",
     "real struct, real struct, real scalar"},
    {"pole", 1, 4, pole, "pole(model): poles of a model; also pole(num, den) and pole(A, B, C, D).",
     "real struct, real, ..."},
    {"zero", 1, 4, zero, "zero(model): transmission zeros of a model.", "real struct, real, ..."},
    {"tzero", 1, 4, zero, "tzero(model): transmission zeros of a model.", "real struct, real, ..."},
    {"dcgain", 1, 4, dcgain, "dcgain(model): gain for constant inputs.", "real struct, real, ..."},
    {"damp", 1, 4, damp, "[wn, zeta, p] = damp(model): natural frequencies, damping and poles.",
     "real struct, real, ..."},
    {"isstable", 1, 4, isstable, "isstable(model): whether all poles are stable.", "real struct, real, ..."},
    {"gram", 2, 2, gram, "gram(model, 'c'|'o'): controllability or observability Gramian.", "struct, word:c/o"},
    {"contr", 2, 3, contr,
     "[n, U] = contr(A, B, tolerance): dimension of the controllable subspace; the first n columns of U span it.",
     "number, number, real scalar"},
    {"c2d", 2, 3, c2d,
     "c2d(model, Ts, 'zoh'|'tustin'): discrete model; [Ad, Bd] = c2d(A, B, Ts) with the input held between samples.",
     "real struct, real, real word:zoh/tustin/bilin"},
    {"d2c", 1, 2, d2c, "d2c(model): continuous model whose input is held between samples.", "struct, word:zoh"},
};

}  // namespace

BuiltinFamily control_model_builtins() { return control_model_table; }

}  // namespace orrery::oml
