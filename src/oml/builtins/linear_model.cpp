// SPDX-License-Identifier: Apache-2.0
// Linear models out of arguments, and structs of them.
#include "oml/builtins/linear_model.h"

#include "oml/builtins/map.h"
#include "oml/builtins/math_values.h"

namespace orrery::oml {
namespace {

double sample_time(const StructArray& s) {
  const Value* v = s.get("Ts");
  return v == nullptr || v->is_empty() ? 0 : to_double(*v);
}

LinearModel from_struct(const StructArray& s) {
  if (s.find("num") >= 0) return transfer_function(*s.get("num"), *s.get("den"), sample_time(s));
  return state_space(*s.get("A"), *s.get("B"), *s.get("C"), *s.get("D"), sample_time(s));
}

math::RealMatrix model_matrix(const Value& given) {
  const Value v = to_real(full(given));
  if (v.dims().count() > 2) fail("the matrices of a model have two dimensions");
  return real_matrix(v);
}

}  // namespace

LinearModel state_space(const Value& a, const Value& b, const Value& c, const Value& d, double ts) {
  return math::state_space(model_matrix(a), model_matrix(b), model_matrix(c), model_matrix(d), ts);
}

LinearModel transfer_function(const Value& num, const Value& den, double ts) {
  require_memory(den.numel() * den.numel(), 8);
  return math::transfer_function(to_vector(num), to_vector(den), ts);
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
  if (matrices == 1) return math::gain_model(model_matrix(c[k]));
  fail_argument(k + 1, "must be a model of ss or tf, num and den, or A, B, C and D");
}

Value to_struct(const LinearModel& m) {
  Value s = Value::structure();
  StructArray& f = s.edit_structure();
  if (m.transfer) {
    f.set("num", unboxed(Value::row(m.num)));
    f.set("den", unboxed(Value::row(m.den)));
  } else {
    f.set("A", result(m.a));
    f.set("B", result(m.b));
    f.set("C", result(m.c));
    f.set("D", result(m.d));
  }
  f.set("Ts", Value(m.ts));
  return s;
}

}  // namespace orrery::oml
