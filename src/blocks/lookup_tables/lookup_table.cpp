// SPDX-License-Identifier: Apache-2.0
// LookupTable and LookupTable_port: tables over one variable.
#include <fmt/format.h>

#include "blocks/lookup_tables/lookup_tables.h"
#include "blocks/lookup_tables/table_formulas.h"

namespace orrery::blocks {
namespace {

// How many tables there are over the same points: a vector is one, a matrix one for each row.
int channels_of(const Parameters& p) {
  const Value& x = p.matrix("x");
  const Value& y = p.matrix("y");
  if (x.rows != 1 && x.cols != 1) p.fail("x", "must be a row or a column");
  if (y.size() == x.size() && (y.rows == 1 || y.cols == 1)) return 1;
  if (static_cast<std::size_t>(y.cols) != x.size()) {
    p.fail("y", fmt::format("must have {} values, or {} columns, as many as x, but is {}x{}", x.size(), x.size(),
                            y.rows, y.cols));
  }
  return y.rows;
}

Knots channel(const Knots& all, int channels, int which) {
  Knots knots;
  const auto take = [&](const auto& from, auto& to) {
    for (std::size_t k = static_cast<std::size_t>(which); k < from.size(); k += static_cast<std::size_t>(channels)) {
      to.push_back(from[k]);
    }
  };
  take(all.numbers, knots.numbers);
  take(all.formulas, knots.formulas);
  return knots;
}

void build_lookup_table(Block& b) {
  const std::string& method = b.text("method");
  const int channels = channels_of(b.parameters());
  check_ascending(b.parameters(), "x", b.parameters().now_reals("x"), !is_zero_order(method) && method != "linear");
  const Knots x = knots_of(b, "x"), y = knots_of(b, "y");
  if (channels == 1) return b.out(1, TableFormula(b, method, x, y).at(b.in(), b.text("left"), b.text("right")));
  std::vector<Expr> values;
  for (int k = 0; k < channels; ++k) {
    values.push_back(TableFormula(b, method, x, channel(y, channels, k)).at(b.in(), b.text("left"), b.text("right")));
  }
  b.out(1, stack(b.out_type(), values));
}

Knots signal_knots(Expr u) {
  Knots knots;
  for (std::int64_t k = 0; k < u.size(); ++k) knots.formulas.push_back(u[k]);
  return knots;
}

const std::vector<IconLine>& table_icon() {
  static const std::vector<IconLine> lines = {
      {{{0, 0}, {0, 1}}, true}, {{{0, 0}, {1, 0}}, true}, {{{0, 0.2}, {0.3, 0.7}, {0.6, 0.5}, {1, 0.9}}}};
  return lines;
}

}  // namespace

const BlockType lookup_table = {
    .name = "LookupTable",
    .palette = "LookupTables",
    .summary = "The value of a table at its input.",
    .description =
        "x ascends. y is a vector, and then each element of the input is looked up; or a matrix with a column for each "
        "x, "
        "and then the input is a scalar and the output a column.\n\n"
        "zero gives 0 outside the table, hold its first or last value, extrapolate goes on along the straight line "
        "through the two outermost points, repeat makes the table periodic. Where intervals meet, the instant is "
        "located. With floor, ceil, nearest and linear an x may come twice: there the table jumps.",
    .icon = {.lines = table_icon()},
    .parameters = {{"x", "[0 1]", "points, ascending"},
                   {"y", "[0 1]", "values at the points"},
                   method_spec(),
                   outside_spec("left", "below the first point"),
                   outside_spec("right", "above the last point")},
    .ports =
        [](Ports& p) {
          const int channels = channels_of(p.parameters());
          const bool one = channels == 1;
          p.input("u", one ? Size{} : scalar_size, Scalar::f64)
              .output("y", one ? Size{} : Size{channels, 1}, Scalar::f64);
        },
    .build = build_lookup_table,
};

const BlockType lookup_table_port = {
    .name = "LookupTable_port",
    .palette = "LookupTables",
    .summary = "The value at input 1 of a table whose points are input 2 and whose values are input 3.",
    .description = "As LookupTable. That the points ascend is up to who drives input 2.",
    .icon = {.lines = table_icon(), .inputs = {"u", "x", "y"}},
    .parameters = {method_spec(), outside_spec("left", "below the first point"),
                   outside_spec("right", "above the last point")},
    .ports =
        [](Ports& p) {
          p.input("u", {}, Scalar::f64).input("x", {-3, -4}, Scalar::f64).input("y", {-3, -4}, Scalar::f64);
          p.output("out", {}, Scalar::f64);
        },
    .refine =
        [](Ports& p) {
          const Port& x = p.in(2);
          if (x.rows > 0 && x.cols > 0 && x.rows * x.cols < 2) p.fail("the table (input 2) needs two points or more");
        },
    .build =
        [](Block& b) {
          TableFormula table(b, b.text("method"), signal_knots(b.in(2)), signal_knots(b.in(3)));
          b.out(1, table.at(b.in(1), b.text("left"), b.text("right")));
        },
};

}  // namespace orrery::blocks
