// SPDX-License-Identifier: Apache-2.0
// Pow, Exponential, Log, Atan2, Hypot, Negate, Round, Modulo, Horner: one function, element by element.
#include <cmath>

#include "blocks/integer_overflow.h"
#include "blocks/math_operations/math_operations.h"

namespace orrery::blocks {
namespace {

void numbers_with_order(Ports& p) {
  only_numbers(p);
  only_ordered(p);
}

void floating_of_common_size(Ports& p) {
  only_floating(p);
  p.broadcast_to_output();
}

// The base of a power or logarithm: positive, and not 1 where one divides by its logarithm.
Expr logarithm_of_base(Block& b, bool divides) {
  const double now = b.parameters().now_number("base");
  if (!(now > 0) || std::isinf(now)) b.fail("base", "must be greater than 0 and finite");
  if (divides && now == 1) b.fail("base", "must not be 1");
  if (!b.parameters().has_formula("base")) return b.constant(std::log(now));
  return apply(Op::log, b.real("base"));
}

bool base_is_e(const Block& b) {
  return !b.parameters().has_formula("base") && b.parameters().now_number("base") == std::exp(1.0);
}

Expr rounded_by(const std::string& method, Expr u) {
  return apply(method == "floor"  ? Op::floor
               : method == "ceil" ? Op::ceil
               : method == "fix"  ? Op::trunc
                                  : Op::round,
               u);
}

}  // namespace

const BlockType pow_block = {
    .name = "Pow",
    .palette = "MathOperations",
    .summary = "Input 1 to the power of input 2, element by element.",
    .description = "Doubles or complex numbers; a negative double to a power that is no whole number is not a number.",
    .icon = {.text = "u₁^u₂"},
    .ports = [](Ports& p) { p.input_each(2, "u").output("y"); },
    .refine = floating_of_common_size,
    .build = [](Block& b) { b.out(1, apply(Op::pow, b.in(1), b.in(2))); },
};

const BlockType exponential = {
    .name = "Exponential",
    .palette = "MathOperations",
    .summary = "A constant to the power of its input, element by element.",
    .icon = {.text = "{base}ᵘ"},
    .parameters = {{"base", "2.718281828459045", "base of the power, greater than 0"}},
    .ports = [](Ports& p) { p.input("u").output("y"); },
    .refine = only_floating,
    .build =
        [](Block& b) {
          const Expr factor = logarithm_of_base(b, false);
          if (base_is_e(b)) return b.out(1, apply(Op::exp, b.in()));
          if (b.in().scalar_type() == Scalar::c128) return b.out(1, apply(Op::exp, factor * b.in()));
          b.out(1, apply(Op::pow, b.parameter("base", b.in().type()), b.in()));
        },
};

const BlockType log_block = {
    .name = "Log",
    .palette = "MathOperations",
    .summary = "The logarithm of its input to a constant base, element by element.",
    .description = "Of a negative double it is not a number.",
    .icon = {.text = "log u"},
    .parameters = {{"base", "2.718281828459045", "base of the logarithm, greater than 0 and not 1"}},
    .ports = [](Ports& p) { p.input("u").output("y"); },
    .refine = only_floating,
    .build =
        [](Block& b) {
          const Expr factor = logarithm_of_base(b, true);
          const bool ten = !b.parameters().has_formula("base") && b.parameters().now_number("base") == 10;
          if (base_is_e(b)) return b.out(1, apply(Op::log, b.in()));
          b.out(1, ten ? apply(Op::log10, b.in()) : apply(Op::log, b.in()) / factor);
        },
};

const BlockType atan2_block = {
    .name = "Atan2",
    .palette = "MathOperations",
    .summary = "The angle of the point (u2, u1) in radians, from -pi to pi, element by element.",
    .icon = {.text = "atan2"},
    .ports = [](Ports& p) { p.input_each(2, "u", Scalar::f64).output("y", {}, Scalar::f64); },
    .refine = floating_of_common_size,
    .build = [](Block& b) { b.out(1, apply(Op::atan2, b.in(1), b.in(2))); },
};

const BlockType hypot_block = {
    .name = "Hypot",
    .palette = "MathOperations",
    .summary = "The square root of u1^2 + u2^2, element by element.",
    .icon = {.text = "√u₁²+u₂²"},
    .ports = [](Ports& p) { p.input_each(2, "u", Scalar::f64).output("y", {}, Scalar::f64); },
    .refine = floating_of_common_size,
    .build = [](Block& b) { b.out(1, apply(Op::hypot, b.in(1), b.in(2))); },
};

const BlockType negate = {
    .name = "Negate",
    .palette = "MathOperations",
    .summary = "Minus its input.",
    .icon = {.text = "−u"},
    .parameters = {overflow_spec()},
    .ports = [](Ports& p) { p.input("u").output("y"); },
    .refine = only_numbers,
    .build = [](Block& b) { b.out(1, Arithmetic(b).negate(b.in())); },
};

const BlockType round_block = {
    .name = "Round",
    .palette = "MathOperations",
    .summary = "Its input as whole numbers, element by element.",
    .description =
        "round takes halves away from zero, floor the number below, ceil the one above, fix the one towards zero. In "
        "continuous time the jumps are located.",
    .icon = {.text = "{method}"},
    .parameters = {{"method", "'round'", "which whole number", {"round", "floor", "ceil", "fix"}}},
    .ports = [](Ports& p) { p.input("u").output("y"); },
    .refine = numbers_with_order,
    .build =
        [](Block& b) {
          const bool is_whole = is_integer(b.in().scalar_type());
          b.out(1, is_whole ? b.in() : rounded_by(b.text("method"), b.in()));
        },
};

const BlockType modulo = {
    .name = "Modulo",
    .palette = "MathOperations",
    .summary = "What remains of its input when it is divided, element by element.",
    .description =
        "mod has the sign of the divisor, rem that of the input. The divisor is the parameter, or input 2. Divided by "
        "0, doubles stay as they are and integers give 0. In continuous time the jumps are located.",
    .icon = {.text = "{method} {base}"},
    .parameters = {{"base", "1", "divisor; [] to have it as input 2"},
                   {"method", "'mod'", "whose sign the result has", {"mod", "rem"}}},
    .ports = [](Ports& p) { p.input_each(p.parameters().given("base") ? 1 : 2, "u").output("y"); },
    .refine =
        [](Ports& p) {
          numbers_with_order(p);
          p.broadcast_to_output();
        },
    .build =
        [](Block& b) {
          const Expr divisor = b.input_count() == 2 ? b.in(2) : b.parameter("base", b.in().type());
          b.out(1, apply(b.text("method") == "mod" ? Op::mod : Op::rem, b.in(1), divisor));
        },
};

const BlockType horner = {
    .name = "Horner",
    .palette = "MathOperations",
    .summary = "A polynomial of its input, element by element.",
    .icon = {.text = "p(u)"},
    .parameters = {{"coefficients", "[1 0]", "highest power first; [] to have them as input 2"}},
    .ports =
        [](Ports& p) {
          p.input("u").output("y");
          if (!p.parameters().given("coefficients")) p.input("p", {-3, -4});
        },
    .refine = only_numbers,
    .build =
        [](Block& b) {
          const Scalar scalar = b.in().scalar_type();
          Expr coefficients;
          if (b.input_count() == 2) {
            coefficients = b.in(2);
          } else {
            const Value& given = b.parameters().matrix("coefficients");
            coefficients = b.parameter("coefficients", {scalar, given.rows, given.cols});
          }
          Expr y = coefficients[0];
          for (std::int64_t k = 1; k < coefficients.size(); ++k) y = y * b.in() + coefficients[k];
          b.out(1, y);
        },
};

}  // namespace orrery::blocks
