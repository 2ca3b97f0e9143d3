// SPDX-License-Identifier: Apache-2.0
// RelationalOp, LogicalOp, CompareToConstant, TruthTable.
#include "blocks/logical_operations/logical_operations.h"

#include <fmt/format.h>

#include <cmath>

#include "blocks/element_types.h"

namespace orrery::blocks {
namespace {

Expr relation(const std::string& name, Expr a, Expr b) {
  if (name == "==") return a == b;
  if (name == "~=") return a != b;
  if (name == "<") return a < b;
  if (name == "<=") return a <= b;
  if (name == ">") return a > b;
  return a >= b;
}

}  // namespace

const BlockType relational_op = {
    .name = "RelationalOp",
    .palette = "LogicalOperations",
    .summary = "Compares its two inputs, element by element; the output is boolean.",
    .description =
        "In continuous time the instants at which an order changes are located. Equality of doubles is not: "
        "two continuous signals are equal at single instants only.",
    .icon = {.text = "{operator}"},
    .parameters = {{"operator", "'<'", "comparison of input 1 with input 2", {"==", "~=", "<", "<=", ">", ">="}}},
    .ports = [](Ports& p) { p.input_each(2, "u").output("y", {}, Scalar::boolean); },
    .refine =
        [](Ports& p) {
          const std::string& name = p.parameters().text("operator");
          if (name != "==" && name != "~=") only_ordered(p);
          p.broadcast_to_output();
        },
    .build = [](Block& b) { b.out(1, relation(b.text("operator"), b.in(1), b.in(2))); },
};

const BlockType logical_op = {
    .name = "LogicalOp",
    .palette = "LogicalOperations",
    .summary = "Combines its inputs logically, element by element; the output is boolean.",
    .description = "Numbers count as true when they are not zero. NOT has one input.",
    .icon = {.text = "{operator}"},
    .parameters = {{"operator", "'AND'", "operation", {"AND", "OR", "NAND", "NOR", "XOR", "NOT"}},
                   {"inputs", "2", "number of inputs"}},
    .ports =
        [](Ports& p) {
          p.input_each(p.parameters().text("operator") == "NOT" ? 1 : p.parameters().count("inputs"), "u", any_type)
              .output("y", {}, Scalar::boolean);
        },
    .refine = [](Ports& p) { p.broadcast_to_output(); },
    .build =
        [](Block& b) {
          const std::string& name = b.text("operator");
          const bool negated = name[0] == 'N';
          const Op op = name == "XOR"                   ? Op::logical_xor
                        : name == "OR" || name == "NOR" ? Op::logical_or
                                                        : Op::logical_and;
          Expr y = to_boolean(b.in(1));
          for (int k = 2; k <= b.input_count(); ++k) y = apply(op, y, to_boolean(b.in(k)));
          b.out(1, negated ? !y : y);
        },
};

const BlockType compare_to_constant = {
    .name = "CompareToConstant",
    .palette = "LogicalOperations",
    .summary = "Compares its input with a constant, element by element: 1 where the relation holds, else 0.",
    .description = "In continuous time the instants at which an order changes are located.",
    .icon = {.text = "u {operator} {value}"},
    .parameters = {{"operator", "'=='", "comparison of the input with the value", {"==", "~=", "<", "<=", ">", ">="}},
                   {"value", "0", "number; a scalar, or of the size of the input"},
                   type_spec("'double'")},
    .ports = [](Ports& p) { p.input("u").output("y", {}, element_type_of(p.parameters())); },
    .refine = only_ordered,
    .build =
        [](Block& b) {
          for (const double x : b.parameters().now_reals("value")) {
            if (std::isnan(x)) b.fail("value", "must not be nan");
          }
          const Expr holds = relation(b.text("operator"), b.in().as(Scalar::f64),
                                      b.parameter("value", b.in().type().with(Scalar::f64)));
          b.out(1, holds.as(b.out_type().scalar));
        },
};

const BlockType truth_table = {
    .name = "TruthTable",
    .palette = "LogicalOperations",
    .summary = "Outputs that a table gives for each combination of true and false inputs.",
    .description =
        "The table has 2^inputs rows, the first for all inputs false and the last for all true; input 1 is the most "
        "significant. It has a column for each output. Inputs are true when they are positive.",
    .icon = {.text = "0 1\n1 0"},
    .parameters = {{"inputs", "2", "number of inputs, 16 at most"},
                   {"table", "[0; 0; 0; 1]", "a row for each combination, a column for each output"},
                   type_spec("'double'")},
    .ports =
        [](Ports& p) {
          const int count = p.parameters().count("inputs");
          if (count > 16) p.parameters().fail("inputs", "must be 16 at most");
          for (int k = 1; k <= count; ++k) p.input("u" + std::to_string(k), scalar_size, ElementType(-1 - k));
          const Value& table = p.parameters().matrix("table");
          if (table.rows != 1 << count) {
            p.parameters().fail(
                "table", fmt::format("must have {} rows for {} inputs, but has {}", 1 << count, count, table.rows));
          }
          for (int k = 1; k <= table.cols; ++k) {
            p.output("y" + std::to_string(k), scalar_size, element_type_of(p.parameters()));
          }
        },
    .refine = only_ordered,
    .build =
        [](Block& b) {
          const Value& table = b.parameters().matrix("table");
          const Expr entries = b.parameter("table", {Scalar::f64, table.rows, table.cols});
          for (int port = 1; port <= b.output_count(); ++port) {
            std::vector<Expr> left;
            for (std::int32_t row = 0; row < table.rows; ++row) left.push_back(entries.at(row, port - 1));
            for (int k = b.input_count(); k >= 1; --k) {  // the least significant input first
              const Expr u = b.in(k);
              const Expr holds = u.scalar_type() == Scalar::boolean ? u : u.as(Scalar::f64) > 0.0;
              std::vector<Expr> halves;
              for (std::size_t row = 0; row < left.size(); row += 2) {
                halves.push_back(select(holds, left[row + 1], left[row]));
              }
              left = std::move(halves);
            }
            b.out(port, left[0].as(b.out_type(port).scalar));
          }
        },
};

}  // namespace orrery::blocks
