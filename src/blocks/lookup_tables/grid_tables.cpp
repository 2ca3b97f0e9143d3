// SPDX-License-Identifier: Apache-2.0
// LookupTable2D, LookupTable2D_port, LookupTable3D, LookupTableND: tables over several variables.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "blocks/lookup_tables/lookup_tables.h"
#include "blocks/lookup_tables/table_formulas.h"

namespace orrery::blocks {
namespace {

// A table over a grid: the values with the first axis fastest.
struct Grid {
  std::vector<Knots> axes;
  Knots values;
};

ParameterSpec beyond_spec(std::string default_text) {
  return {"outside",
          std::move(default_text),
          "outside the grid: 0, the value at the border, the straight continuation, or the run fails at an event",
          {"zero", "hold", "extrapolate", "error"}};
}

// Where a variable lies on its axis: the knot before it, and how far it is to the next, from 0 to 1.
struct OnAxis {
  Expr index;
  Expr share;  // nothing: the knot itself
};

OnAxis on_axis(Block& b, const std::string& method, const Knots& axis, Expr u) {
  if (method != "linear") {
    TableFormula table(b, method, axis, axis);
    return {table.index(u), {}};
  }
  TableFormula table(b, "linear", axis, axis);
  const Expr index = table.index(u);
  const Expr points = column_of(b, axis);
  const Expr here{&b.graph(), b.graph().gather(points.id(), index.id())};
  const Expr next{&b.graph(), b.graph().gather(points.id(), (index + 1.0).id())};
  return {index, (u - here) / (next - here)};
}

Expr gathered(Block& b, Expr column, Expr index) { return {&b.graph(), b.graph().gather(column.id(), index.id())}; }

// Linear along each axis in turn, or the value of one knot.
Expr on_grid(Block& b, const std::string& method, const Grid& grid, const std::vector<Expr>& u) {
  const Expr values = column_of(b, grid.values);
  std::vector<OnAxis> places;
  for (std::size_t k = 0; k < grid.axes.size(); ++k) places.push_back(on_axis(b, method, grid.axes[k], u[k]));
  Expr base = places[0].index;
  std::vector<double> strides = {1};
  for (std::size_t k = 1; k < places.size(); ++k) {
    strides.push_back(strides.back() * static_cast<double>(grid.axes[k - 1].size()));
    base = base + strides[k] * places[k].index;
  }
  if (method != "linear") return gathered(b, values, base);
  std::vector<Expr> corners;
  for (std::size_t corner = 0; corner < std::size_t{1} << places.size(); ++corner) {
    double offset = 0;
    for (std::size_t k = 0; k < places.size(); ++k) offset += (corner >> k & 1U) != 0 ? strides[k] : 0;
    corners.push_back(gathered(b, values, offset == 0 ? base : base + offset));
  }
  for (const OnAxis& place : places) {
    std::vector<Expr> halves;
    for (std::size_t k = 0; k < corners.size(); k += 2) {
      halves.push_back(corners[k] + place.share * (corners[k + 1] - corners[k]));
    }
    corners = std::move(halves);
  }
  return corners[0];
}

// Smooth methods: one axis after the other, the values along the next being what the ones before have given.
Expr smooth_on_grid(Block& b, const std::string& method, const Grid& grid, const std::vector<Expr>& u) {
  constexpr std::size_t most = 4096;
  const std::size_t size = grid.values.size();
  if (size > most) b.fail("method", fmt::format("smooth tables have {} values at most, this one {}", most, size));
  Knots values = grid.values;
  for (std::size_t k = 0; k < grid.axes.size(); ++k) {
    const std::size_t length = grid.axes[k].size();
    Knots next;
    for (std::size_t first = 0; first < values.size(); first += length) {
      Knots part;
      for (std::size_t i = first; i < first + length; ++i) {
        if (values.formulas.empty()) {
          part.numbers.push_back(values.numbers[i]);
        } else {
          part.formulas.push_back(values.formulas[i]);
        }
      }
      next.formulas.push_back(TableFormula(b, method, grid.axes[k], part).inside(u[k]));
    }
    values = std::move(next);
  }
  return values.formulas[0];
}

Expr grid_value(Block& b, const std::string& method, const std::string& outside, const Grid& grid,
                const std::vector<Expr>& inputs) {
  std::vector<Expr> u = inputs;
  Expr is_outside = b.constant(0, Scalar::boolean);
  for (std::size_t k = 0; k < u.size(); ++k) {
    TableFormula axis(b, "linear", grid.axes[k], grid.axes[k]);
    const Expr low = u[k]<axis.first(), high = u[k]> axis.last();
    is_outside = is_outside || low || high;
    if (outside != "extrapolate")
      u[k] = select(low, axis.first() + 0.0 * u[k], select(high, axis.last() + 0.0 * u[k], u[k]));
  }
  const bool smooth = method == "akima" || method == "fritsch_butland" || method == "steffen";
  Expr y;
  if (smooth && outside == "extrapolate") {
    // Straight on from the border: what the table has at the nearest point, plus its slope there.
    std::vector<Expr> nearest = u;
    for (std::size_t k = 0; k < u.size(); ++k) {
      TableFormula axis(b, "linear", grid.axes[k], grid.axes[k]);
      nearest[k] = select(u[k] < axis.first(), axis.first(), select(u[k] > axis.last(), axis.last(), u[k]));
    }
    y = select(is_outside, on_grid(b, "linear", grid, u), smooth_on_grid(b, method, grid, nearest));
  } else {
    y = smooth ? smooth_on_grid(b, method, grid, u) : on_grid(b, method, grid, u);
  }
  if (outside == "zero") y = select(is_outside, b.fill(y.type(), 0), y);
  if (outside == "error") {
    for (std::int64_t k = 0; k < is_outside.size(); ++k) {
      b.require(!is_outside[k], "an input is outside the table");
      b.on_activation().when(is_outside[k]).fail("an input is outside the table");
    }
  }
  return y;
}

Grid grid_from(Block& b, const std::vector<std::string>& axes, const std::string& values) {
  Grid grid;
  std::size_t product = 1;
  for (const std::string& name : axes) {
    check_ascending(b.parameters(), name, b.parameters().now_reals(name), true);
    grid.axes.push_back(knots_of(b, name));
    product *= grid.axes.back().size();
  }
  grid.values = knots_of(b, values);
  if (grid.values.size() != product) {
    b.fail(values,
           fmt::format("must have {} values, one for each point of the grid, but has {}", product, grid.values.size()));
  }
  return grid;
}

ParameterSpec grid_method_spec(bool smooth, std::string default_text) {
  ParameterSpec spec{"method",
                     std::move(default_text),
                     "linear along each axis, or the value of one point: the one below, above or nearest",
                     {"linear", "nearest", "floor", "ceil"}};
  if (!smooth) return spec;
  spec.about += "; akima, fritsch_butland and steffen are smooth";
  for (const char* name : {"akima", "fritsch_butland", "steffen"}) spec.choices.emplace_back(name);
  return spec;
}

void same_size_inputs(Ports& p, std::initializer_list<const char*> names) {
  for (const char* name : names) p.input(name, {}, Scalar::f64);
  p.output("out", {}, Scalar::f64);
}

// The axes of an N-D table: a list of vectors.
std::vector<Knots> axes_of(const Parameters& p) {
  const Value& given = p.value("x");
  const std::vector<Value> items = given.is_list() ? given.items : std::vector<Value>{given};
  if (items.empty() || items.size() > 10) p.fail("x", "must be a list of 1 to 10 axes: {[0 1], [0 1 2]}");
  p.settle("x", "the grid is made when the model is compiled");
  std::vector<Knots> axes;
  for (const Value& item : items) {
    if (!item.is_number() || item.is_complex()) p.fail("x", "each axis must be a row or a column of numbers");
    check_ascending(p, "x", item.real, true);
    axes.push_back({item.real, {}});
  }
  return axes;
}

const std::vector<IconLine>& grid_icon() {
  static const std::vector<IconLine> lines = {{{{0, 0}, {0.7, 0}, {1, 0.35}, {0.3, 0.35}, {0, 0}}, true},
                                              {{{0, 0.3}, {0.5, 0.6}, {1, 0.95}}},
                                              {{{0.3, 0.7}, {0.7, 0.5}, {0.7, 0.2}}}};
  return lines;
}

}  // namespace

const BlockType lookup_table_2d = {
    .name = "LookupTable2D",
    .palette = "LookupTables",
    .summary = "The value of a table over two variables.",
    .description = "z has a row for each x and a column for each y. Where cells meet, the instant is located.",
    .icon = {.lines = grid_icon(), .inputs = {"x", "y"}},
    .parameters = {{"x", "[0 1]", "points of input 1, ascending"},
                   {"y", "[0 1]", "points of input 2, ascending"},
                   {"z", "[0 1; 1 2]", "values: a row for each x, a column for each y"},
                   grid_method_spec(false, "'linear'"),
                   beyond_spec("'zero'")},
    .ports =
        [](Ports& p) {
          same_size_inputs(p, {"x", "y"});
        },
    .build =
        [](Block& b) {
          const Value &x = b.parameters().matrix("x"), &y = b.parameters().matrix("y"), &z = b.parameters().matrix("z");
          if (static_cast<std::size_t>(z.rows) != x.size() || static_cast<std::size_t>(z.cols) != y.size()) {
            b.fail("z", fmt::format("must be {}x{}, but is {}x{}", x.size(), y.size(), z.rows, z.cols));
          }
          b.out(1, grid_value(b, b.text("method"), b.text("outside"), grid_from(b, {"x", "y"}, "z"), b.inputs()));
        },
};

const BlockType lookup_table_2d_port = {
    .name = "LookupTable2D_port",
    .palette = "LookupTables",
    .summary = "The value at inputs 1 and 2 of a table whose points are inputs 3 and 4 and whose values are input 5.",
    .description = "As LookupTable2D. That the points ascend is up to who drives inputs 3 and 4.",
    .icon = {.lines = grid_icon(), .inputs = {"u1", "u2", "x", "y", "z"}},
    .parameters = {grid_method_spec(false, "'linear'"), beyond_spec("'zero'")},
    .ports =
        [](Ports& p) {
          p.input("u1", {}, Scalar::f64).input("u2", {}, Scalar::f64);
          p.input("x", {-3, 1}, Scalar::f64).input("y", {-4, 1}, Scalar::f64).input("z", {-3, -4}, Scalar::f64);
          p.output("out", {}, Scalar::f64);
        },
    .refine =
        [](Ports& p) {
          for (int k = 3; k <= 4; ++k) {
            if (p.in(k).rows == 1) p.fail(fmt::format("input {} needs two points or more", k));
          }
        },
    .build =
        [](Block& b) {
          Grid grid;
          for (int k = 3; k <= 4; ++k) {
            Knots axis;
            for (std::int64_t i = 0; i < b.in(k).size(); ++i) axis.formulas.push_back(b.in(k)[i]);
            grid.axes.push_back(axis);
          }
          for (std::int64_t i = 0; i < b.in(5).size(); ++i) grid.values.formulas.push_back(b.in(5)[i]);
          b.out(1, grid_value(b, b.text("method"), b.text("outside"), grid, {b.in(1), b.in(2)}));
        },
};

const BlockType lookup_table_3d = {
    .name = "LookupTable3D",
    .palette = "LookupTables",
    .summary = "The value of a table over three variables.",
    .description = "f has the values with x fastest, then y, then z.",
    .icon = {.lines = grid_icon(), .inputs = {"x", "y", "z"}},
    .parameters = {{"x", "[0 1]", "points of input 1, ascending"},
                   {"y", "[0 1]", "points of input 2, ascending"},
                   {"z", "[0 1]", "points of input 3, ascending"},
                   {"f", "[0 1 1 2 1 2 2 3]", "values: x fastest, then y, then z"},
                   grid_method_spec(false, "'linear'"),
                   beyond_spec("'zero'")},
    .ports =
        [](Ports& p) {
          same_size_inputs(p, {"x", "y", "z"});
        },
    .build =
        [](Block& b) {
          b.out(1, grid_value(b, b.text("method"), b.text("outside"), grid_from(b, {"x", "y", "z"}, "f"), b.inputs()));
        },
};

const BlockType lookup_table_nd = {
    .name = "LookupTableND",
    .palette = "LookupTables",
    .summary = "The value of a table over any number of variables, 10 at most.",
    .description =
        "x is a list of axes, {[0 1], [0 1 2]}; the block has an input for each. f has the values with the first axis "
        "fastest. akima, fritsch_butland and steffen interpolate along one axis after the other.",
    .icon = {.lines = grid_icon(), .inputs = {"#"}},
    .parameters = {{"x", "[0 1]", "list of axes, each ascending; one axis may stand alone"},
                   {"f", "[0 1]", "values: the first axis fastest"},
                   grid_method_spec(true, "'akima'"),
                   beyond_spec("'hold'")},
    .ports =
        [](Ports& p) {
          const std::size_t count = axes_of(p.parameters()).size();
          for (std::size_t k = 0; k < count; ++k) p.input(fmt::format("u{}", k + 1), scalar_size, Scalar::f64);
          p.output("out", scalar_size, Scalar::f64);
        },
    .build =
        [](Block& b) {
          Grid grid{axes_of(b.parameters()), knots_of(b, "f")};
          std::size_t product = 1;
          for (const Knots& axis : grid.axes) product *= axis.size();
          if (grid.values.size() != product) {
            b.fail("f", fmt::format("must have {} values, one for each point of the grid, but has {}", product,
                                    grid.values.size()));
          }
          b.out(1, grid_value(b, b.text("method"), b.text("outside"), grid, b.inputs()));
        },
};

}  // namespace orrery::blocks
