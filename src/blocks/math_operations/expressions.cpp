// SPDX-License-Identifier: Apache-2.0
// MathExpression and MatrixExpression: a formula in OML, run once on signals; what it computes becomes native code.
#include <fmt/format.h>

#include "blocks/math_operations/math_operations.h"
#include "blocks/tracer.h"

namespace orrery::blocks {
namespace {

// The formula on inputs named u1, u2, … (Activate, chapter 2: these names win over names of the context).
Expr traced(const Parameters& parameters, const std::vector<Expr>& inputs, program::Graph& graph) {
  if (parameters.tracer() == nullptr) parameters.fail("expression", "can only be evaluated inside a model");
  std::vector<NamedSignal> signals;
  for (const Expr& input : inputs) signals.push_back({fmt::format("u{}", signals.size() + 1), input});
  try {
    const Expr value = parameters.tracer()->trace(parameters.text("expression"), signals, graph);
    return value.scalar_type() == Scalar::boolean ? value.as(Scalar::f64) : value;
  } catch (const ParameterError& error) {
    parameters.fail("expression", error.message, error.help);
  }
}

// The size of the output is that of the formula on inputs of the sizes known by then.
void refine_by_tracing(Ports& p) {
  program::Graph scratch;
  std::vector<Expr> inputs;
  for (int k = 1; k <= p.input_count(); ++k) {
    if (p.in(k).rows <= 0 || p.in(k).cols <= 0) return;
    inputs.emplace_back(&scratch,
                        scratch.read(static_cast<program::SlotId>(k), Type{Scalar::f64, p.in(k).rows, p.in(k).cols}));
  }
  const Expr value = traced(p.parameters(), inputs, scratch);
  p.set_output_size(1, value.rows(), value.cols());
}

void build_by_tracing(Block& b) {
  const Expr value = traced(b.parameters(), b.inputs(), b.graph());
  if (value.type() != b.out_type()) {
    b.fail("expression", fmt::format("gives {}, but the output is {}", to_text(value.type()), to_text(b.out_type())));
  }
  b.out(1, value);
}

}  // namespace

const BlockType math_expression = {
    .name = "MathExpression",
    .palette = "MathOperations",
    .summary = "A formula of its scalar inputs, written in OML.",
    .description =
        "The inputs are called u1, u2 and so on; names of the context and functions may be used, and If_exp(condition, "
        "a, b) "
        "or .if condition .then a .else b .end for choices. Where the formula is not smooth, the instant is located.",
    .parameters = {{"expression", "'u1'", "OML text: u1^2 + sin(u2)"}, {"inputs", "1", "number of inputs"}},
    .ports =
        [](Ports& p) {
          const int count = p.parameters().count("inputs");
          for (int k = 1; k <= count; ++k) p.input(fmt::format("u{}", k), scalar_size, Scalar::f64);
          p.output("y", scalar_size, Scalar::f64);
        },
    .build = build_by_tracing,
    .traces = true,
};

const BlockType matrix_expression = {
    .name = "MatrixExpression",
    .palette = "MathOperations",
    .summary = "A matrix formula of its inputs, written in OML.",
    .description =
        "The inputs are called u1, u2 and so on. * and / are matrix operations, .* and ./ work element by element; "
        "parts of "
        "matrices, concatenation and size functions work as in OML as long as no size depends on a signal.",
    .parameters = {{"expression", "'u1'", "OML text: A*u1 + u2(1:2)"}, {"inputs", "1", "number of inputs"}},
    .ports =
        [](Ports& p) {
          const int count = p.parameters().count("inputs");
          for (int k = 1; k <= count; ++k) p.input(fmt::format("u{}", k), {-2 * k, -2 * k - 1}, Scalar::f64);
          p.output("y", {-1000, -1001}, Scalar::f64);
        },
    .refine = refine_by_tracing,
    .build = build_by_tracing,
    .traces = true,
};

}  // namespace orrery::blocks
