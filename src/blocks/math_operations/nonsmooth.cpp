// SPDX-License-Identifier: Apache-2.0
// Abs, Sign, MaxMin, Saturation, Deadzone: formulas with corners and jumps.
#include <algorithm>
#include <cmath>

#include "blocks/checked_numbers.h"
#include "blocks/math_operations/math_operations.h"

namespace orrery::blocks {
namespace {

bool is_infinite(Block& b, const char* name) {
  const auto& limit = b.parameters().now_reals(name);
  return !b.parameters().has_formula(name) && !limit.empty() &&
         std::all_of(limit.begin(), limit.end(), [](double x) { return std::isinf(x); });
}

// What is above `upper` and below `lower`; in between the value of `inside`. An infinite limit is no limit.
Expr by_range(Block& b, Expr inside, Expr (*outside)(Expr u, Expr limit)) {
  check_limits(b.parameters());
  const Expr u = b.in();
  Expr y = inside;
  for (const char* name : {"lower", "upper"}) {
    if (is_infinite(b, name)) continue;
    const Expr limit = b.parameter(name, u.type());
    y = select(*name == 'l' ? u < limit : u > limit, outside(u, limit), y);
  }
  return y;
}

}  // namespace

const BlockType abs = {
    .name = "Abs",
    .palette = "MathOperations",
    .summary = "The absolute value, element by element; of a complex number its modulus.",
    .icon = {.text = "|u|"},
    .ports = [](Ports& p) { p.input("u").output("y", {}, ElementType(-2)); },
    .refine =
        [](Ports& p) {
          only_numbers(p);
          const int type = p.in(1).type;
          if (type >= 0) p.set_output_type(1, type == static_cast<int>(Scalar::c128) ? Scalar::f64 : Scalar(type));
        },
    .build =
        [](Block& b) {
          const Expr u = b.in();
          b.out(1, u.scalar_type() == Scalar::c128 ? apply(Op::abs, u) : select(u >= 0.0, u, -u));
        },
};

const BlockType sign = {
    .name = "Sign",
    .palette = "MathOperations",
    .summary = "1 where the input is positive, -1 where it is negative, 0 where it is zero.",
    .icon = {.lines = {{{{0, 0.2}, {0.5, 0.2}, {0.5, 0.8}, {1, 0.8}}}}},
    .ports = [](Ports& p) { p.input("u").output("y"); },
    .refine =
        [](Ports& p) {
          only_numbers(p);
          only_ordered(p);
        },
    .build =
        [](Block& b) {
          const Expr u = b.in();
          const Type type = u.type();
          if (type.scalar != Scalar::f64) return b.out(1, apply(Op::sign, u));
          b.out(1, select(u > 0.0, b.fill(type, 1), select(u < 0.0, b.fill(type, -1), b.fill(type, 0))));
        },
};

const BlockType max_min = {
    .name = "MaxMin",
    .palette = "MathOperations",
    .summary = "The largest or smallest of its inputs, element by element, or of the elements of its only input.",
    .icon = {.text = "{function}"},
    .parameters = {{"function", "'max'", "which one", {"max", "min"}},
                   {"inputs", "2", "number of inputs; 1: the output is a scalar, over the elements of the input"}},
    .ports =
        [](Ports& p) {
          const int count = p.parameters().count("inputs");
          p.input_each(count, "u").output("y", count == 1 ? scalar_size : Size{});
        },
    .refine =
        [](Ports& p) {
          only_ordered(p);
          only_numbers(p);
          if (p.input_count() > 1) p.broadcast_to_output();
        },
    .build =
        [](Block& b) {
          std::vector<Expr> values = b.inputs();
          if (values.size() == 1) {
            const Expr u = values[0];
            values.clear();
            for (std::int64_t k = 0; k < u.size(); ++k) values.push_back(u[k]);
          }
          Expr y = values[0];
          for (std::size_t k = 1; k < values.size(); ++k) {
            const Expr& u = values[k];
            y = select(b.text("function") == "max" ? y >= u : y <= u, y, u);
          }
          b.out(1, y);
        },
};

const BlockType saturation = {
    .name = "Saturation",
    .palette = "MathOperations",
    .summary = "Keeps its input between two limits, element by element.",
    .icon = {.lines = {{{{0, 0.15}, {0.3, 0.15}, {0.7, 0.85}, {1, 0.85}}}}},
    .parameters = {{"lower", "-1", "lower limit; -inf for none"}, {"upper", "1", "upper limit; inf for none"}},
    .ports = [](Ports& p) { p.input("u").output("y"); },
    .refine =
        [](Ports& p) {
          only_numbers(p);
          only_ordered(p);
        },
    .build = [](Block& b) { b.out(1, by_range(b, b.in(), [](Expr, Expr limit) { return limit; })); },
};

const BlockType deadzone = {
    .name = "Deadzone",
    .palette = "MathOperations",
    .summary = "Zero between two limits, beyond them the distance from the nearer one.",
    .icon = {.lines = {{{{0, 0.1}, {0.35, 0.5}, {0.65, 0.5}, {1, 0.9}}}}},
    .parameters = {{"lower", "-1", "lower limit"}, {"upper", "1", "upper limit"}},
    .ports = [](Ports& p) { p.input("u").output("y"); },
    .refine =
        [](Ports& p) {
          only_numbers(p);
          only_ordered(p);
        },
    .build =
        [](Block& b) { b.out(1, by_range(b, b.fill(b.in().type(), 0), [](Expr u, Expr limit) { return u - limit; })); },
};

}  // namespace orrery::blocks
