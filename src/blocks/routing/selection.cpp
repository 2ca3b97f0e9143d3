// SPDX-License-Identifier: Apache-2.0
// Extractor, SelectOutput, ConditionalSelect, ConditionalNSelect, SwitchN, Switch: which signal goes
// where.
#include <fmt/format.h>

#include <cmath>

#include "blocks/routing/routing.h"

namespace orrery::blocks {
namespace {

// The positions, from 0, that output k takes; a matrix is one output, a list one for each item.
std::vector<std::vector<int>> positions_of(const Parameters& p) {
  const Value& given = p.value("indices");
  const std::vector<Value> items = given.is_list() ? given.items : std::vector<Value>{given};
  std::vector<std::vector<int>> result;
  for (const Value& item : items) {
    result.emplace_back();
    if (!item.is_number() || item.is_empty() || item.is_complex()) {
      p.fail("indices", "must be positions, or a list of them: {[1 2], 3}");
    }
    for (const double x : item.real) {
      if (!(x >= 1 && x <= 1e9) || x != std::floor(x)) p.fail("indices", "must be whole numbers from 1 on");
      result.back().push_back(static_cast<int>(x) - 1);
    }
  }
  if (result.empty()) p.fail("indices", "must give at least one output");
  p.settle("indices", "they decide the structure of the block");
  return result;
}

Size shape_of_output(const Parameters& p, std::size_t k) {
  const Value& given = p.value("indices");
  const Value& item = given.is_list() ? given.items[k] : given;
  return {item.rows, item.cols};
}

Expr meets_rule(Block& b, Expr u) {
  const std::string& rule = b.text("rule");
  if (u.scalar_type() == Scalar::boolean || rule == "true") return to_boolean(u);
  if (std::isnan(b.parameters().now_number("threshold"))) b.fail("threshold", "must not be nan");
  const Expr a = b.parameter("threshold", Type{});
  u = u.as(Scalar::f64);
  if (rule == ">=") return u >= a;
  if (rule == ">") return u > a;
  if (rule == "<=") return u <= a;
  if (rule == "<") return u < a;
  return rule == "==" ? u == a : u != a;
}

void n_select_ports(Ports& p) {
  const int count = p.parameters().count("inputs");
  p.input("control", scalar_size, ElementType(-2));
  for (int k = 1; k <= count; ++k) p.input("u" + std::to_string(k));
  p.output("y");
}

void refine_n_select(Ports& p) {
  if (p.in(1).type == static_cast<int>(Scalar::c128)) p.fail("the control (input 1) is complex, which has no order");
}

// The control rounded to a whole number; what is below the first input chooses the first, above the last the last.
void build_n_select(Block& b) {
  const int base = b.integer("base");
  if (base != 0 && base != 1) b.fail("base", "must be 0 or 1: the number of the first input");
  Expr control = b.in(1);
  if (control.scalar_type() == Scalar::boolean) control = control.as(Scalar::i8);
  if (!is_integer(control.scalar_type())) {
    const std::string& rule = b.text("rounding");
    control = apply(rule == "floor"   ? Op::floor
                    : rule == "ceil"  ? Op::ceil
                    : rule == "round" ? Op::round
                                      : Op::trunc,
                    control);
  }
  control = control.as(Scalar::f64);
  Expr y = b.in(2);
  for (int k = 1; k < b.input_count() - 1; ++k) {
    y = select(control >= static_cast<double>(base + k), b.in(k + 2), y);
  }
  b.out(1, y);
}

std::vector<ParameterSpec> n_select_specs() {
  return {{"inputs", "2", "number of inputs to choose from"},
          {"base", "1", "value of the control that chooses the first of them, 0 or 1"},
          {"rounding", "'fix'", "how the control becomes a whole number", {"fix", "floor", "ceil", "round"}}};
}

}  // namespace

const BlockType extractor = {
    .name = "Extractor",
    .palette = "Routing",
    .summary = "Elements of its input: output k has those at the k-th list of positions.",
    .description = "Positions count column by column from 1; an output has the shape of its list.",
    .icon = {.text = "u(i)"},
    .parameters = {{"indices", "1", "positions; a list {[1 2], 3} makes one output for each item"}},
    .ports =
        [](Ports& p) {
          const auto positions = positions_of(p.parameters());
          p.input("u");
          for (std::size_t k = 0; k < positions.size(); ++k) {
            p.output("y" + std::to_string(k + 1), shape_of_output(p.parameters(), k));
          }
        },
    .refine =
        [](Ports& p) {
          if (p.in(1).rows <= 0 || p.in(1).cols <= 0) return;
          const int size = p.in(1).rows * p.in(1).cols;
          for (const auto& positions : positions_of(p.parameters())) {
            for (const int k : positions) {
              if (k >= size) return p.fail(fmt::format("asks for element {} of {}", k + 1, size));
            }
          }
        },
    .build =
        [](Block& b) {
          int port = 0;
          for (const auto& positions : positions_of(b.parameters())) {
            std::vector<Expr> elements;
            for (const int k : positions) elements.push_back(b.in()[k]);
            ++port;
            b.out(port, stack(b.out_type(port), elements));
          }
        },
};

const BlockType select_output = {
    .name = "SelectOutput",
    .palette = "Routing",
    .summary = "Copies its input to output k when it is activated through activation input k; the others hold.",
    .description = "An output that was never chosen is zero.",
    .icon = {.text = "→ k", .outputs = {"#"}, .activations = {"#"}},
    .parameters = {{"outputs", "2", "number of outputs and of activation inputs"}},
    .ports =
        [](Ports& p) {
          const int count = p.parameters().count("outputs");
          p.input("u").activation_inputs(count);
          for (int k = 1; k <= count; ++k) p.output("y" + std::to_string(k));
        },
    .build =
        [](Block& b) {
          for (int k = 1; k <= b.output_count(); ++k) {
            const Variable held = b.memory("held" + std::to_string(k), b.fill(b.in().type(), 0));
            b.out(k, select(b.active(k), b.in(), held));
            b.on_activation(k).set(held, b.in());
          }
        },
};

const BlockType conditional_select = {
    .name = "ConditionalSelect",
    .palette = "Routing",
    .summary = "Gives input 1 where input 2 meets a rule, input 3 elsewhere.",
    .description =
        "Input 2 is a scalar or of the size of the others. A boolean input 2 is the rule itself. In continuous time "
        "the instants of change are located.",
    .icon = {.text = "u₂ {rule} {threshold}", .inputs = {"T", "", "F"}},
    .parameters =
        {{"rule", "'>='", "how input 2 is compared with the threshold", {">=", ">", "<=", "<", "~=", "==", "true"}},
         {"threshold", "0", "number"}},
    .ports =
        [](Ports& p) {
          p.input("u1").input("control", {-3, -4}, ElementType(-2)).input("u3").output("y");
        },
    .refine =
        [](Ports& p) {
          const Port& c = p.in(2);
          if (c.type == static_cast<int>(Scalar::c128)) p.fail("the control (input 2) is complex, which has no order");
          if (c.rows > 0 && c.cols > 0 && (c.rows != 1 || c.cols != 1)) p.set_output_size(1, c.rows, c.cols);
        },
    .build = [](Block& b) { b.out(1, select(meets_rule(b, b.in(2)), b.in(1), b.in(3))); },
};

const BlockType conditional_n_select = {
    .name = "ConditionalNSelect",
    .palette = "Routing",
    .summary = "Gives one of several inputs, chosen by the number that input 1 has.",
    .description =
        "A number below that of the first input chooses the first, one above that of the last the last. In continuous "
        "time the instants of change are located.",
    .icon = {.text = "u[c]"},
    .parameters = n_select_specs(),
    .ports = n_select_ports,
    .refine = refine_n_select,
    .build = build_n_select,
};

const BlockType switch_n = {
    .name = "SwitchN",
    .palette = "Routing",
    .summary =
        "Gives one of several inputs, chosen by the number that input 1 has: an older name of ConditionalNSelect.",
    .icon = {.text = "u[c]"},
    .parameters = n_select_specs(),
    .ports = n_select_ports,
    .refine = refine_n_select,
    .build = build_n_select,
};

const BlockType manual_switch = {
    .name = "Switch",
    .palette = "Routing",
    .summary = "Gives the input that a parameter says: a switch that people set before a run.",
    .icon = {.text = "switch {selected}", .inputs = {"#"}},
    .parameters = {{"inputs", "2", "number of inputs"}, {"selected", "1", "number of the input that is connected"}},
    .ports =
        [](Ports& p) {
          const int count = p.parameters().count("inputs");
          for (int k = 1; k <= count; ++k) p.input("u" + std::to_string(k));
          p.output("y");
        },
    .build =
        [](Block& b) {
          const int selected = b.integer("selected");
          if (selected < 1 || selected > b.input_count()) {
            b.fail("selected", fmt::format("must be from 1 to {}, but is {}", b.input_count(), selected));
          }
          b.out(1, b.in(selected));
        },
};

}  // namespace orrery::blocks
