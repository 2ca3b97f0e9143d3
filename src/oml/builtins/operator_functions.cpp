// SPDX-License-Identifier: Apache-2.0
// Operators as functions: plus(a, b) and so on.
#include <cmath>

#include "oml/builtins/families.h"
#include "oml/interpreter.h"
#include "oml/operators.h"

namespace orrery::oml {
namespace {

template <BinaryOp op>
void binary(Call& c) {
  c.ret(apply_binary(op, c[0], c[1]));
}

// plus, times, and, or take any number of arguments.
template <BinaryOp op>
void chain(Call& c) {
  Value v = apply_binary(op, c[0], c[1]);
  for (int k = 2; k < c.count(); ++k) v = apply_binary(op, v, c[k]);
  c.ret(v);
}

template <UnaryOp op>
void unary(Call& c) {
  c.ret(apply_unary(op, c[0]));
}

void exclusive_or(Call& c) {
  const Value a = apply_unary(UnaryOp::logical_not, c[0]), b = apply_unary(UnaryOp::logical_not, c[1]);
  c.ret(apply_binary(BinaryOp::not_equal, a, b));
}

void bsxfun(Call& c) {
  const Value f = c.oml.to_handle(c[0]);
  c.ret(c.oml.call1(f, {full(c[1]), full(c[2])}));
}

// A complex scalar is no base for a complex scalar or a matrix.
void matrix_power_of(Call& c) {
  const bool complex_base = c[0].numel() == 1 && c[0].is_complex();
  if (complex_base && c[1].numel() == 1 && c[1].is_complex()) fail_argument(2, "must be real");
  if (complex_base && c[1].numel() != 1) fail_argument(1, "must be real when the exponent is a matrix");
  c.ret(apply_binary(BinaryOp::matrix_power, c[0], c[1]));
}

void negation(Call& c) {
  if (c[0].is_cell() && c[0].is_empty()) return c.ret(Value(false));
  c.ret(apply_unary(UnaryOp::logical_not, c[0]));
}

// A choice that is an expression, element by element; scalars go with any size.
void homotopy(Call& c) { c.ret(c[0]); }

void if_exp(Call& c) {
  const Value condition = boxed(to_logical(c[0]));
  const Dims* dims = nullptr;
  Dims sizes[3] = {condition.dims(), c[1].dims(), c[2].dims()};
  for (const Dims& d : sizes) {
    if (d.numel() == 1) continue;
    if (dims != nullptr && !(*dims == d)) fail("the sizes of the condition and of both values must agree");
    dims = &d;
  }
  const bool simple = condition.numel() == 1;
  const Value& chosen = simple && is_true(condition) ? c[1] : c[2];
  if (dims == nullptr || (simple && chosen.dims() == *dims)) return c.ret(chosen);
  const Value yes = boxed(full(to_numeric(c[1]))), no = boxed(full(to_numeric(c[2])));
  if (yes.kind() != Kind::real || no.kind() != Kind::real) fail("the values must be real");
  Value out = Value::zeros(*dims);
  for (Index i = 0; i < out.numel(); ++i) {
    const Value& from = condition.bytes()[simple ? 0 : i] != 0 ? yes : no;
    out.edit_real()[i] = from.real()[from.numel() == 1 ? 0 : i];
  }
  c.ret(out);
}

void colon(Call& c) {
  const double base = c.number(0), step = c.has(2) ? c.number(1) : 1, limit = c.number(c.has(2) ? 2 : 1);
  const double count = std::floor((limit - base) / step * (1 + 1e-15) + 1e-10) + 1;
  if (std::isnan(count) || std::isinf(count)) {
    if (step == 0) return c.ret(Value::zeros(Dims(1, 0)));
    fail("a range needs finite limits");
  }
  c.ret(unboxed(stored(Value(new Range(base, step, count > 0 ? static_cast<Index>(count) : 0)))));
}

constexpr Builtin operator_table[] = {
    {"colon", 2, 3, colon, "colon(a, b), colon(a, step, b): the range a:b or a:step:b.", "data, data, data"},
    {"plus", 2, -1, chain<BinaryOp::add>, "plus(a, b, ...): a + b.", "any, any, ..."},
    {"minus", 2, 2, binary<BinaryOp::subtract>, "minus(a, b): a - b.", "any, any"},
    {"times", 2, -1, chain<BinaryOp::times>, "times(a, b, ...): a .* b.", "any, any, ..."},
    {"mtimes", 2, -1, chain<BinaryOp::matrix_times>, "mtimes(a, b, ...): a * b.", "any, any, ..."},
    {"rdivide", 2, 2, binary<BinaryOp::divide>, "rdivide(a, b): a ./ b.", "any, any"},
    {"ldivide", 2, 2, binary<BinaryOp::left_divide>, "ldivide(a, b): a .\\ b.", "any, any"},
    {"mrdivide", 2, 2, binary<BinaryOp::matrix_divide>, "mrdivide(a, b): a / b.", "any, any"},
    {"mldivide", 2, 2, binary<BinaryOp::matrix_left_divide>, "mldivide(a, b): a \\ b.", "any, any"},
    {"power", 2, 2, binary<BinaryOp::power>, "power(a, b): a .^ b.", "any, any"},
    {"mpower", 2, 2, matrix_power_of, "mpower(a, b): a ^ b.", "any, any"},
    {"lt", 2, 2, binary<BinaryOp::less>, "lt(a, b): a < b.", "any, any"},
    {"le", 2, 2, binary<BinaryOp::less_equal>, "le(a, b): a <= b.", "any, any"},
    {"gt", 2, 2, binary<BinaryOp::greater>, "gt(a, b): a > b.", "any, any"},
    {"ge", 2, 2, binary<BinaryOp::greater_equal>, "ge(a, b): a >= b.", "any, any"},
    {"eq", 2, 2, binary<BinaryOp::equal>, "eq(a, b): a == b.", "any, any"},
    {"ne", 2, 2, binary<BinaryOp::not_equal>, "ne(a, b): a ~= b.", "any, any"},
    {"and", 2, -1, chain<BinaryOp::logical_and>, "and(a, b, ...): a & b.", "any, any, ..."},
    {"or", 2, -1, chain<BinaryOp::logical_or>, "or(a, b, ...): a | b.", "any, any, ..."},
    {"xor", 2, 2, exclusive_or, "xor(a, b): true where exactly one is nonzero.", "any, any"},
    {"not", 1, 1, negation, "not(a): ~a.", "any"},
    {"uminus", 1, 1, unary<UnaryOp::minus>, "uminus(a): -a.", "any"},
    {"uplus", 1, 1, unary<UnaryOp::plus>, "uplus(a): +a.", "any"},
    {"transpose", 1, 1, unary<UnaryOp::transpose>, "transpose(a): a.'.", "any"},
    {"ctranspose", 1, 1, unary<UnaryOp::conjugate_transpose>, "ctranspose(a): a'.", "any"},
    {"If_exp", 3, 3, if_exp, "If_exp(c, a, b): a where c is true, b elsewhere; also of signals in expression blocks.",
     "any, any, any"},
    {"homotopy", 2, 2, homotopy,
     "homotopy(actual, simplified): actual; of signals, the start of a run may be continued to it from simplified.",
     "any, any"},
    {"bsxfun", 3, 3, bsxfun, "bsxfun(f, a, b): f applied with singleton dimensions repeated.", "function, data, data"},
};

}  // namespace

BuiltinFamily operator_builtins() { return operator_table; }

}  // namespace orrery::oml
