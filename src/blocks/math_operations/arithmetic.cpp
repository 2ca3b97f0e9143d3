// SPDX-License-Identifier: Apache-2.0
// Gain, MatrixGain, Sum, Product, Bias, Power: arithmetic of any element type but boolean.
#include <fmt/format.h>

#include "blocks/integer_overflow.h"
#include "blocks/math_operations/math_operations.h"

namespace orrery::blocks {
namespace {

// One sign for each input: a text such as '+-+', or the number of inputs, which all get the first of the allowed signs.
std::string signs_of(const Parameters& parameters, const std::string& allowed) {
  if (!parameters.value("signs").is_text()) {
    return std::string(static_cast<std::size_t>(parameters.count("signs")), allowed[0]);
  }
  const std::string& text = parameters.text("signs");
  if (text.empty() || text.find_first_not_of(allowed) != std::string::npos) {
    parameters.fail(
        "signs", fmt::format("'{}' must hold one of the signs {} and {} for each input", text, allowed[0], allowed[1]));
  }
  return text;
}

void signed_ports(Ports& p, const char* signs) {
  const auto count = static_cast<int>(signs_of(p.parameters(), signs).size());
  p.input_each(count, "u").output("y", count == 1 ? scalar_size : Size{});
}

void refine_signed(Ports& p) {
  only_numbers(p);
  if (p.input_count() > 1) p.broadcast_to_output();
}

std::vector<Expr> elements_of(Expr u) {
  std::vector<Expr> elements;
  for (std::int64_t k = 0; k < u.size(); ++k) elements.push_back(u[k]);
  return elements;
}

// Which sizes fit a constant matrix, by how it multiplies.
void matrix_gain_ports(Ports& p) {
  const Value& k = p.parameters().matrix("K");
  const std::string& method = p.parameters().text("method");
  if (k.is_scalar() || method == "elements") {
    const Size size = k.is_scalar() ? Size{} : Size{k.rows, k.cols};
    p.input("u", size).output("y", size);
  } else if (method == "left") {
    p.input("u", {k.cols, -2}).output("y", {k.rows, -2});
  } else {
    p.input("u", {-1, k.rows}).output("y", {-1, k.cols});
  }
}

}  // namespace

const BlockType gain = {
    .name = "Gain",
    .palette = "MathOperations",
    .summary = "Multiplies its input by a constant, element by element.",
    .icon = {.text = "{k}"},
    .parameters = {{"k", "1", "factor; a scalar, or of the size of the input"}},
    .ports = [](Ports& p) { p.input("u").output("y"); },
    .refine = only_numbers,
    .build = [](Block& b) { b.out(1, b.parameter("k", b.in().type()) * b.in()); },
};

const BlockType matrix_gain = {
    .name = "MatrixGain",
    .palette = "MathOperations",
    .summary = "Multiplies its input by a constant matrix.",
    .icon = {.text = "K u"},
    .parameters = {{"K", "[1 0; 0 1]", "matrix; a scalar multiplies every element"},
                   {"method", "'left'", "the product: K*u, u*K, or element by element", {"left", "right", "elements"}},
                   overflow_spec()},
    .ports = matrix_gain_ports,
    .refine = only_numbers,
    .build =
        [](Block& b) {
          const Value& given = b.parameters().matrix("K");
          const Expr k = b.parameter("K", {b.in().scalar_type(), given.rows, given.cols});
          const std::string& method = b.text("method");
          Arithmetic arithmetic(b);
          if (given.is_scalar() || method == "elements") return b.out(1, arithmetic.multiply(k, b.in()));
          b.out(1, method == "left" ? arithmetic.matrix_product(k, b.in()) : arithmetic.matrix_product(b.in(), k));
        },
};

const BlockType sum = {
    .name = "Sum",
    .palette = "MathOperations",
    .summary = "Adds and subtracts its inputs, element by element.",
    .description =
        "A scalar input counts for every element of the others. With one input the output is the sum of its elements.",
    .icon = {.text = "Σ", .inputs = {"{signs#}"}},
    .parameters = {{"signs", "'++'", "'+' or '-' for each input, or the number of inputs to add"}, overflow_spec()},
    .ports = [](Ports& p) { signed_ports(p, "+-"); },
    .refine = refine_signed,
    .build =
        [](Block& b) {
          Arithmetic arithmetic(b);
          const std::string signs = signs_of(b.parameters(), "+-");
          if (signs.size() > 1) return b.out(1, arithmetic.sum(b.inputs(), signs));
          const std::vector<Expr> elements = elements_of(b.in(1));
          b.out(1, arithmetic.sum(elements, std::string(elements.size(), signs[0])));
        },
};

const BlockType product = {
    .name = "Product",
    .palette = "MathOperations",
    .summary = "Multiplies and divides its inputs, element by element.",
    .description =
        "A scalar input counts for every element of the others. Integers divide towards zero, and by zero "
        "give zero. With one input the output is the product of its elements, or one divided by it.",
    .icon = {.text = "Π", .inputs = {"{signs#}"}},
    .parameters = {{"signs", "'**'", "'*' or '/' for each input, or the number of inputs to multiply"},
                   overflow_spec()},
    .ports = [](Ports& p) { signed_ports(p, "*/"); },
    .refine = refine_signed,
    .build =
        [](Block& b) {
          Arithmetic arithmetic(b);
          const std::string signs = signs_of(b.parameters(), "*/");
          if (signs.size() > 1) return b.out(1, arithmetic.product(b.inputs(), signs));
          const std::vector<Expr> elements = elements_of(b.in(1));
          const Expr product = arithmetic.product(elements, std::string(elements.size(), '*'));
          b.out(1, signs[0] == '*' ? product : 1.0 / product);
        },
};

const BlockType bias = {
    .name = "Bias",
    .palette = "MathOperations",
    .summary = "Adds a constant to its input.",
    .icon = {.text = "u + {bias}"},
    .parameters = {{"bias", "0", "value added; a scalar, or of the size of the input"}},
    .ports = [](Ports& p) { p.input("u").output("y"); },
    .refine = only_numbers,
    .build = [](Block& b) { b.out(1, b.in() + b.parameter("bias", b.in().type())); },
};

const BlockType power = {
    .name = "Power",
    .palette = "MathOperations",
    .summary = "Raises its input to a constant power, element by element.",
    .icon = {.text = "u^{power}"},
    .parameters = {{"power", "2", "exponent; a scalar, or of the size of the input"}},
    .ports = [](Ports& p) { p.input("u").output("y"); },
    .refine = only_numbers,
    .build =
        [](Block& b) {
          const Value& exponent = b.parameters().matrix("power");
          const bool square =
              !exponent.has_formula() && exponent.is_scalar() && !exponent.is_complex() && exponent.scalar() == 2;
          b.out(1, square ? b.in() * b.in() : apply(Op::pow, b.in(), b.parameter("power", b.in().type())));
        },
};

}  // namespace orrery::blocks
