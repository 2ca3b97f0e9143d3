// SPDX-License-Identifier: Apache-2.0
// RelationalOp and LogicalOp.
#include "blocks/logical_operations/logical_operations.h"

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

}  // namespace orrery::blocks
