// SPDX-License-Identifier: Apache-2.0
// Reading, converting and evaluating linear models.
#include "oml/builtins/linear_model.h"

#include <algorithm>
#include <cmath>

#include "oml/builtins/matrix_arguments.h"
#include "oml/builtins/polynomial_tools.h"
#include "oml/indexing.h"
#include "oml/interpreter.h"
#include "oml/lapack.h"
#include "oml/operators.h"

namespace orrery::oml {
namespace {

// Leading zeros removed; at least one coefficient stays.
std::vector<double> trimmed(const Value& v) {
  std::vector<double> p = to_vector(v);
  while (p.size() > 1 && p[0] == 0) p.erase(p.begin());
  return p;
}

double sample_time(const StructArray& s) {
  const Value* v = s.get("Ts");
  return v == nullptr || v->is_empty() ? 0 : to_double(*v);
}

LinearModel from_struct(const StructArray& s) {
  if (s.find("num") >= 0) return transfer_function(*s.get("num"), *s.get("den"), sample_time(s));
  return state_space(*s.get("A"), *s.get("B"), *s.get("C"), *s.get("D"), sample_time(s));
}

}  // namespace

LinearModel state_space(const Value& a, const Value& b, const Value& c, const Value& d, double ts) {
  LinearModel m;
  m.a = to_real(full(a));
  m.b = to_real(full(b));
  m.c = to_real(full(c));
  m.d = to_real(full(d));
  m.ts = ts;
  for (const Value* v : {&m.a, &m.b, &m.c, &m.d})
    if (v->dims().count() > 2) fail("the matrices of a model have two dimensions");
  const Index n = m.a.dims().rows();
  if (n != m.a.dims().cols()) fail("A must be a square matrix");
  if (n > 0 && m.b.dims().rows() != n) fail("B must have as many rows as A");
  if (n > 0 && m.c.dims().cols() != n) fail("C must have as many columns as A");
  // A missing or scalar zero D stands for zeros of the right size.
  if (n > 0 && (m.d.is_empty() || (m.d.numel() == 1 && m.d.real()[0] == 0)))
    m.d = Value::zeros(Dims(m.c.dims().rows(), m.b.dims().cols()));
  if (n > 0 && (m.d.dims().rows() != m.c.dims().rows() || m.d.dims().cols() != m.b.dims().cols()))
    fail("D must have as many rows as C and as many columns as B");
  if (n == 0 && m.d.is_empty()) fail("a model without states needs a gain D");
  if (n == 0) {
    m.a = Value::zeros(Dims(0, 0));
    m.b = Value::zeros(Dims(0, m.d.dims().cols()));
    m.c = Value::zeros(Dims(m.d.dims().rows(), 0));
  }
  return m;
}

// The controllable canonical form.
LinearModel transfer_function(const Value& num_value, const Value& den_value, double ts) {
  std::vector<double> num = trimmed(num_value), den = trimmed(den_value);
  if (num.empty() || den.empty() || den[0] == 0) fail("numerator and denominator must not be empty or zero");
  if (num.size() > den.size()) fail("the transfer function is not proper: its numerator has the higher degree");
  const auto n = static_cast<Index>(den.size()) - 1;
  std::vector<double> padded(den.size() - num.size(), 0.0);
  padded.insert(padded.end(), num.begin(), num.end());
  Value a = Value::zeros(Dims(n, n)), b = Value::zeros(Dims(n, n > 0 ? 1 : 0)),
        c = Value::zeros(Dims(n > 0 ? 1 : 0, n));
  const double d = padded[0] / den[0];
  for (Index k = 0; k < n; ++k) {
    const double p = den[static_cast<std::size_t>(k + 1)] / den[0];
    a.edit_real().at(0, k) = -p;
    if (k > 0) a.edit_real().at(k, k - 1) = 1;
    c.edit_real()[k] = padded[static_cast<std::size_t>(k + 1)] / den[0] - d * p;
  }
  if (n > 0) b.edit_real()[0] = 1;
  LinearModel m = state_space(a, b, c, Value(d), ts);
  if (n > 0 && d != 0) m.d = to_real(Value(d));
  m.transfer = true;
  m.num = Value::row(num);
  m.den = Value::row(den);
  return m;
}

bool is_model(const Value& v) {
  if (!v.is_struct() || v.numel() != 1) return false;
  const StructArray& s = v.structure_ref();
  return (s.find("num") >= 0 && s.find("den") >= 0) ||
         (s.find("A") >= 0 && s.find("B") >= 0 && s.find("C") >= 0 && s.find("D") >= 0);
}

LinearModel model_argument(const Call& c, int k, int limit, int& used) {
  used = 1;
  if (is_model(c[k])) return from_struct(c[k].structure_ref());
  int matrices = 0;
  while (matrices < limit && c.has(k + matrices) && c[k + matrices].is_arithmetic() && !c.is_text(k + matrices))
    ++matrices;
  if (matrices >= 4) {
    used = 4;
    return state_space(c[k], c[k + 1], c[k + 2], c[k + 3], 0);
  }
  if (matrices >= 2 && limit >= 2) {
    used = 2;
    return transfer_function(c[k], c[k + 1], 0);
  }
  if (matrices == 1) return state_space(Value::empty(), Value::empty(), Value::empty(), c[k], 0);
  fail_argument(k + 1, "must be a model of ss or tf, num and den, or A, B, C and D");
}

Value to_struct(const LinearModel& m) {
  Value s = Value::structure();
  StructArray& f = s.edit_structure();
  if (m.transfer) {
    f.set("num", unboxed(m.num));
    f.set("den", unboxed(m.den));
  } else {
    f.set("A", unboxed(m.a));
    f.set("B", unboxed(m.b));
    f.set("C", unboxed(m.c));
    f.set("D", unboxed(m.d));
  }
  f.set("Ts", Value(m.ts));
  return s;
}

std::pair<Value, Value> transfer_of(Call& c, const LinearModel& m, Index output, Index input) {
  if (m.transfer) return {m.num, m.den};
  if (m.states() == 0) return {Value(m.d.real().at(output, input)), Value(1.0)};
  const Values subs = {Value(output + 1), Value::colon()};
  const Values column = {Value::colon(), Value(input + 1)};
  const Values r = c.oml.call_named(
      "ss2tf", {m.a, index_value(m.b, column), index_value(m.c, subs), Value(m.d.real().at(output, input))}, 2);
  return {boxed(r[0]), boxed(r[1])};
}

Value poles_of(const LinearModel& m) {
  if (m.states() == 0) return Value::empty();
  Value d, v;
  eigen_decomposition(m.a, d, v);
  return narrowed(d);
}

// Finite generalised eigenvalues of the Rosenbrock pencil.
Value zeros_of(const LinearModel& m) {
  if (m.transfer) {
    const std::vector<Complex> z = polynomial_roots(coefficients(m.num));
    return z.empty() ? Value::empty() : unboxed(transpose(boxed(coefficient_row(z)), false));
  }
  if (m.inputs() != m.outputs()) fail("zeros need as many inputs as outputs");
  const Index n = m.states() + m.inputs();
  Value p = Value::zeros(Dims(n, n)), q = p;
  for (Index i = 0; i < m.states(); ++i) {
    q.edit_real().at(i, i) = 1;
    for (Index k = 0; k < m.states(); ++k) p.edit_real().at(i, k) = m.a.real().at(i, k);
    for (Index k = 0; k < m.inputs(); ++k) p.edit_real().at(i, m.states() + k) = m.b.real().at(i, k);
  }
  for (Index i = 0; i < m.outputs(); ++i) {
    for (Index k = 0; k < m.states(); ++k) p.edit_real().at(m.states() + i, k) = m.c.real().at(i, k);
    for (Index k = 0; k < m.inputs(); ++k) p.edit_real().at(m.states() + i, m.states() + k) = m.d.real().at(i, k);
  }
  std::vector<Complex> w(static_cast<std::size_t>(n)), finite;
  lapack_generalised_eigen(static_cast<int>(n), p.edit_real().data.data(), q.edit_real().data.data(), w.data(),
                           nullptr);
  for (const Complex& z : w)
    if (std::isfinite(z.real()) && std::isfinite(z.imag()) && std::abs(z) < 1e8) finite.push_back(z);
  return finite.empty() ? Value::empty() : unboxed(transpose(boxed(coefficient_row(finite)), false));
}

Value response_at(const LinearModel& m, Complex s) {
  if (m.states() == 0) return to_complex(m.d);
  Value pencil = to_complex(m.a);
  for (Complex& z : pencil.edit_complex().data) z = -z;
  for (Index i = 0; i < m.states(); ++i) pencil.edit_complex().at(i, i) += s;
  const Value x = solve_left(pencil, to_complex(m.b));
  return to_complex(apply_binary(BinaryOp::add, apply_binary(BinaryOp::matrix_times, m.c, x), m.d));
}

// The exponential of [a b 0; 0 0 1; 0 0 0] dt holds all three matrices (Van Loan 1978).
Sampled sampled(Call& c, const LinearModel& m, double dt) {
  const Index n = m.states(), p = m.inputs();
  Value all = Value::zeros(Dims(n + 2 * p, n + 2 * p));
  for (Index i = 0; i < n; ++i) {
    for (Index k = 0; k < n; ++k) all.edit_real().at(i, k) = m.a.real().at(i, k) * dt;
    for (Index k = 0; k < p; ++k) all.edit_real().at(i, n + k) = m.b.real().at(i, k) * dt;
  }
  for (Index k = 0; k < p; ++k) all.edit_real().at(n + k, n + p + k) = 1;
  const Value e = to_real(c.oml.call_named("expm", {all}, 1)[0]);
  const auto part = [&](Index column, Index width) {
    Value v = Value::zeros(Dims(n, width));
    for (Index i = 0; i < n; ++i)
      for (Index k = 0; k < width; ++k) v.edit_real().at(i, k) = e.real().at(i, column + k);
    return v;
  };
  return {part(0, n), part(n, p), part(n + p, p)};
}

}  // namespace orrery::oml
