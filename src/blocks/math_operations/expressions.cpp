// SPDX-License-Identifier: Apache-2.0
// MathExpression, MatrixExpression, MathExpressions, OmlExpression, IfExpressions: formulas in OML, run once on
// signals; what it computes becomes native code.
#include <fmt/format.h>

#include "blocks/activation_operations/activation_operations.h"
#include "blocks/math_operations/math_operations.h"
#include "blocks/math_operations/refuse_nan.h"
#include "blocks/tracer.h"

namespace orrery::blocks {
namespace {

// A list of texts, or one text.
std::vector<std::string> expression_texts(const Parameters& p) {
  const Value& given = p.value("expressions");
  const std::vector<Value> items = given.is_list() ? given.items : std::vector<Value>{given};
  std::vector<std::string> texts;
  for (const Value& item : items) {
    if (!item.is_text()) p.fail("expressions", "must be a list of texts: {'u1 > 0', 'u2 < 1'}");
    texts.push_back(item.text);
  }
  if (texts.empty()) p.fail("expressions", "must have at least one");
  return texts;
}

// The formula on inputs named u1, u2, … (Activate, chapter 2: these names win over names of the context).
Expr traced(const Parameters& parameters, const std::vector<Expr>& inputs, program::Graph& graph) {
  if (parameters.tracer() == nullptr) parameters.fail("expression", "can only be evaluated inside a model");
  std::vector<NamedSignal> signals;
  for (const Expr& input : inputs) signals.push_back({fmt::format("u{}", signals.size() + 1), input});
  try {
    const Expr value = parameters.tracer()->trace(parameters.text("expression"), signals, graph);
    return value.scalar_type() == Scalar::boolean ? value.as(Scalar::f64) : value;
  } catch (const ParameterError& error) {
    parameters.fail("expression", error);
  }
}

// One formula for each item of `expressions`, on the elements of input 1, which are called u1, u2, …
std::vector<Expr> traced_each(Block& b) {
  const Parameters& p = b.parameters();
  if (p.tracer() == nullptr) p.fail("expressions", "can only be evaluated inside a model");
  std::vector<NamedSignal> signals;
  for (std::int64_t k = 0; k < b.in().size(); ++k) signals.push_back({fmt::format("u{}", k + 1), b.in()[k]});
  std::vector<Expr> results;
  for (const std::string& text : expression_texts(p)) {
    try {
      const Expr value = p.tracer()->trace(text, signals, b.graph());
      if (!value.type().is_scalar() || value.scalar_type() == Scalar::c128) {
        p.fail("expressions", fmt::format("'{}' gives {}, but must give one real number", text, to_text(value.type())));
      }
      results.push_back(value.as(Scalar::f64));
    } catch (const ParameterError& error) {
      p.fail("expressions", error, error.parameter.empty() ? fmt::format("'{}': ", text) : "");
    }
  }
  return results;
}

// The size of the output is that of the formula on inputs of the sizes known by then.
void refine_by_tracing(Ports& p) {
  program::Graph scratch;
  std::vector<Expr> inputs;
  for (int k = 1; k <= p.input_count(); ++k) {
    if (p.in(k).rows <= 0 || p.in(k).cols <= 0) return;
    inputs.emplace_back(&scratch, scratch.read(static_cast<program::SlotId>(k),
                                               Type{Scalar(p.in(k).type), p.in(k).rows, p.in(k).cols}));
  }
  const Expr value = traced(p.parameters(), inputs, scratch);
  p.set_output_size(1, value.rows(), value.cols());
}

void build_by_tracing(Block& b) {
  Expr value = traced(b.parameters(), b.inputs(), b.graph());
  if (value.scalar_type() != Scalar::c128 && b.out_type().scalar == Scalar::c128) value = value.as(Scalar::c128);
  if (value.type() != b.out_type()) {
    b.fail("expression", fmt::format("gives {}, but the output is {}", to_text(value.type()), to_text(b.out_type())));
  }
  b.out(1, value);
  refuse_nan(b, value);
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
    .icon = {.text = "{expression}"},
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
    .icon = {.text = "{expression}"},
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

const BlockType math_expressions = {
    .name = "MathExpressions",
    .palette = "MathOperations",
    .summary = "Formulas of the elements of its input, written in OML: one for each element of the output.",
    .description =
        "The elements of the input are called u1, u2 and so on. Formulas are written as those of a MathExpression.",
    .icon = {.text = "f(u)"},
    .parameters = {{"expressions", "{'u1'}", "list of OML texts: {'u1+u2', 'sin(u1)'}"}},
    .ports =
        [](Ports& p) {
          const auto count = static_cast<int>(expression_texts(p.parameters()).size());
          p.input("u", {-1, -2}, Scalar::f64).output("y", {count, 1}, Scalar::f64);
        },
    .build =
        [](Block& b) {
          const Expr value = stack(b.out_type(), traced_each(b));
          b.out(1, value);
          refuse_nan(b, value);
        },
    .traces = true,
};

const BlockType oml_expression = {
    .name = "OmlExpression",
    .palette = "MathOperations",
    .summary = "A formula of its inputs in OML, for doubles or complex numbers.",
    .description =
        "As MatrixExpression, and compiled as it is. With type 'complex' the inputs are complex numbers too.",
    .icon = {.text = "{expression}"},
    .parameters = {{"expression", "'u1'", "OML text"},
                   {"inputs", "1", "number of inputs"},
                   {"type", "'double'", "element type of inputs and output", {"double", "complex"}}},
    .ports =
        [](Ports& p) {
          const int count = p.parameters().count("inputs");
          const Scalar type = p.parameters().text("type") == "complex" ? Scalar::c128 : Scalar::f64;
          for (int k = 1; k <= count; ++k) p.input(fmt::format("u{}", k), {-2 * k, -2 * k - 1}, type);
          p.output("y", {-1000, -1001}, type);
        },
    .refine = refine_by_tracing,
    .build = build_by_tracing,
    .traces = true,
};

const BlockType if_expressions = {
    .name = "IfExpressions",
    .palette = "ActivationOperations",
    .summary =
        "Passes its activation on through the output of the first formula that is positive, else the last output.",
    .description =
        "The elements of the input are called u1, u2 and so on; formulas are written as those of a MathExpression. "
        "There is an activation output for each, and one for when none is positive. The outputs are synchronous with "
        "the activation that reaches the block.",
    .icon = {.text = "if … elseif"},
    .parameters = {{"expressions", "{'u1'}", "list of OML texts: {'u1 > 0', 'u2 < 1'}"}},
    .ports =
        [](Ports& p) {
          const auto count = static_cast<int>(expression_texts(p.parameters()).size());
          p.input("u", {-1, -2}, Scalar::f64).activation_outputs(count + 1);
        },
    .build =
        [](Block& b) {
          Expr open = b.constant(1, Scalar::boolean);
          int port = 0;
          for (const Expr& value : traced_each(b)) {
            const Expr holds = value > 0.0;
            refuse_nan_in_condition(b, value, open);
            b.pass(++port, open && holds);
            open = open && !holds;
          }
          b.pass(port + 1, open);
        },
    .traces = true,
};

}  // namespace orrery::blocks
