// SPDX-License-Identifier: Apache-2.0
// MathFunc and TrigFunc: one elementary function, chosen by its name.
#include <numbers>

#include "blocks/math_operations/math_operations.h"

namespace orrery::blocks {
namespace {

struct Function {
  const char* name;
  Op op;
  int inputs = 1;
  bool real_result = false;  // a double, also of a complex number
};

constexpr Function math_functions[] = {
    {"exp", Op::exp},
    {"log", Op::log},
    {"log10", Op::log10},
    {"sqrt", Op::sqrt},
    {"square", Op::mul},
    {"reciprocal", Op::div},
    {"floor", Op::floor},
    {"ceil", Op::ceil},
    {"round", Op::round},
    {"trunc", Op::trunc},
    {"conj", Op::conj},
    {"real", Op::real, 1, true},
    {"imag", Op::imag, 1, true},
    {"magnitude", Op::abs, 1, true},
    {"angle", Op::arg, 1, true},
    {"pow", Op::pow, 2},
    {"mod", Op::mod, 2},
    {"rem", Op::rem, 2},
    {"hypot", Op::hypot, 2},
};

// Of a real number a jump, which is located and has a slope.
Expr angle_of(Expr a) {
  if (a.scalar_type() == Scalar::c128) return apply(Op::arg, a);
  a = a.as(Scalar::f64);
  const auto number = [&a](double value) { return Expr{a.graph(), a.graph()->constant(value)}; };
  return select(apply(Op::is_nan, a), a, select(a < 0.0, number(std::numbers::pi), number(0)));
}

constexpr Function trig_functions[] = {
    {"sin", Op::sin},     {"cos", Op::cos},     {"tan", Op::tan},        {"asin", Op::asin}, {"acos", Op::acos},
    {"atan", Op::atan},   {"sinh", Op::sinh},   {"cosh", Op::cosh},      {"tanh", Op::tanh}, {"asinh", Op::asinh},
    {"acosh", Op::acosh}, {"atanh", Op::atanh}, {"atan2", Op::atan2, 2},
};

template <std::size_t count>
std::vector<std::string> names_of(const Function (&functions)[count]) {
  std::vector<std::string> names;
  for (const Function& f : functions) names.push_back(f.name);
  return names;
}

template <std::size_t count>
const Function& chosen(const Function (&functions)[count], const Parameters& parameters) {
  const std::string& name = parameters.text("function");
  for (const Function& f : functions) {
    if (f.name == name) return f;
  }
  parameters.fail("function", "'" + name + "' is not one of the functions of this block");
}

void declare(const Function& f, Ports& p) {
  const bool real_only = f.op == Op::atan2 || f.op == Op::hypot || f.op == Op::mod || f.op == Op::rem;
  const ElementType type = real_only ? ElementType(Scalar::f64) : same_type;
  p.input_each(f.inputs, "u", type).output("y", {}, f.real_result ? ElementType(Scalar::f64) : type);
}

void floating_and_broadcast(Ports& p) {
  only_floating(p);
  p.broadcast_to_output();
}

}  // namespace

const BlockType math_func = {
    .name = "MathFunc",
    .palette = "MathOperations",
    .summary = "An elementary function of its input, element by element.",
    .description =
        "pow, mod, rem and hypot have two inputs. mod takes the sign of the second input, rem that of the "
        "first; round takes halves away from zero.\n\n"
        "The jumps of floor, ceil, round, trunc, mod and rem are located in continuous time.",
    .icon = {.text = "{function}"},
    .parameters = {{"function", "'exp'", "name of the function", names_of(math_functions)}},
    .ports = [](Ports& p) { declare(chosen(math_functions, p.parameters()), p); },
    .refine = floating_and_broadcast,
    .build =
        [](Block& b) {
          const Function& f = chosen(math_functions, b.parameters());
          const Expr u = b.in();
          if (f.op == Op::mul) return b.out(1, u * u);
          if (f.op == Op::div) return b.out(1, 1.0 / u);
          if (f.op == Op::conj && u.scalar_type() == Scalar::f64) return b.out(1, u);
          b.out(1, f.inputs == 2 ? apply(f.op, u, b.in(2)) : f.op == Op::arg ? angle_of(u) : apply(f.op, u));
        },
};

const BlockType trig_func = {
    .name = "TrigFunc",
    .palette = "MathOperations",
    .summary = "A trigonometric or hyperbolic function, or an inverse of one, element by element.",
    .description = "Angles are in radians. atan2 has two inputs, y and x, and takes doubles only.",
    .icon = {.text = "{function}"},
    .parameters = {{"function", "'sin'", "name of the function", names_of(trig_functions)}},
    .ports = [](Ports& p) { declare(chosen(trig_functions, p.parameters()), p); },
    .refine = floating_and_broadcast,
    .build =
        [](Block& b) {
          const Function& f = chosen(trig_functions, b.parameters());
          b.out(1, f.inputs == 2 ? apply(f.op, b.in(1), b.in(2)) : apply(f.op, b.in()));
        },
};

}  // namespace orrery::blocks
