// SPDX-License-Identifier: Apache-2.0
// Gain, MatrixGain, Sum, Product, Bias, Power: arithmetic of any element type but boolean.
#include <fmt/format.h>

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
    .summary = "Multiplies its input by a constant matrix from the left.",
    .parameters = {{"K", "[1 0; 0 1]", "matrix; a scalar multiplies every element"}},
    .ports =
        [](Ports& p) {
          const Value& k = p.parameters().matrix("K");
          p.input("u", k.is_scalar() ? Size{} : Size{k.cols, -2})
              .output("y", k.is_scalar() ? Size{} : Size{k.rows, -2});
        },
    .refine = only_floating,
    .build =
        [](Block& b) {
          const Value& k = b.parameters().matrix("K");
          b.out(1, matmul(b.parameter("K", {b.in().scalar_type(), k.rows, k.cols}), b.in()));
        },
};

const BlockType sum = {
    .name = "Sum",
    .palette = "MathOperations",
    .summary = "Adds and subtracts its inputs, element by element.",
    .description = "A scalar input counts for every element of the others.",
    .icon = {.text = "Σ", .inputs = {"{signs#}"}},
    .parameters = {{"signs", "'++'", "'+' or '-' for each input, or the number of inputs to add"}},
    .ports =
        [](Ports& p) {
          p.input_each(static_cast<int>(signs_of(p.parameters(), "+-").size()), "u");
          p.output("y");
        },
    .refine = broadcast_numbers,
    .build =
        [](Block& b) {
          const std::string signs = signs_of(b.parameters(), "+-");
          Expr y = signs[0] == '+' ? b.in(1) : -b.in(1);
          for (int k = 2; k <= b.input_count(); ++k) {
            y = signs[static_cast<std::size_t>(k - 1)] == '+' ? y + b.in(k) : y - b.in(k);
          }
          b.out(1, y);
        },
};

const BlockType product = {
    .name = "Product",
    .palette = "MathOperations",
    .summary = "Multiplies and divides its inputs, element by element.",
    .description =
        "A scalar input counts for every element of the others. Integers divide towards zero, and by zero "
        "give zero.",
    .parameters = {{"signs", "'**'", "'*' or '/' for each input, or the number of inputs to multiply"}},
    .ports =
        [](Ports& p) {
          p.input_each(static_cast<int>(signs_of(p.parameters(), "*/").size()), "u");
          p.output("y");
        },
    .refine = broadcast_numbers,
    .build =
        [](Block& b) {
          const std::string signs = signs_of(b.parameters(), "*/");
          Expr y = signs[0] == '*' ? b.in(1) : 1.0 / b.in(1);
          for (int k = 2; k <= b.input_count(); ++k) {
            y = signs[static_cast<std::size_t>(k - 1)] == '*' ? y * b.in(k) : y / b.in(k);
          }
          b.out(1, y);
        },
};

const BlockType bias = {
    .name = "Bias",
    .palette = "MathOperations",
    .summary = "Adds a constant to its input.",
    .parameters = {{"bias", "0", "value added; a scalar, or of the size of the input"}},
    .ports = [](Ports& p) { p.input("u").output("y"); },
    .refine = only_numbers,
    .build = [](Block& b) { b.out(1, b.in() + b.parameter("bias", b.in().type())); },
};

const BlockType power = {
    .name = "Power",
    .palette = "MathOperations",
    .summary = "Raises its input to a constant power, element by element.",
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
