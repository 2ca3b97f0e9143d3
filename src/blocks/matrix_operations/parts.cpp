// SPDX-License-Identifier: Apache-2.0
// MatrixConcatenation, MatrixExtractor, Assignment, MatrixReshape, DiagonalMatrix: elements moved to other places.
#include <fmt/format.h>

#include <cmath>

#include "blocks/matrix_operations/matrix_operations.h"

namespace orrery::blocks {
namespace {

const std::vector<ParameterSpec>& index_specs() {
  static const std::vector<ParameterSpec> specs = {
      {"row_choice", "'all'", "which rows", {"all", "list", "range"}},
      {"row_source", "'parameter'", "where their numbers come from", {"parameter", "input"}},
      {"rows", "1", "list: their numbers, from 1; range: the first; with an input as many numbers"},
      {"row_count", "1", "range: how many; negative: with falling numbers"},
      {"col_choice", "'all'", "which columns", {"all", "list", "range"}},
      {"col_source", "'parameter'", "where their numbers come from", {"parameter", "input"}},
      {"cols", "1", "as rows"},
      {"col_count", "1", "as row_count"}};
  return specs;
}

// One of the two indices: how many numbers there are, and which.
struct Chosen {
  int count = 0;  // -1: all
  bool from_input = false;
  std::vector<int> list;  // offsets from 0; of an input with a range: from the first
  int inputs = 0;         // how many numbers the input has
};

Chosen chosen_index(const Parameters& p, const std::string& which) {
  const std::string choice = p.text(which + "_choice");
  const std::string name = which + "s";
  Chosen chosen;
  chosen.from_input = p.text(which + "_source") == "input" && choice != "all";
  if (choice == "all") {
    chosen.count = -1;
    return chosen;
  }
  const std::vector<double>& given = p.reals(name);
  for (const double x : given) {
    if (!(x >= 1 && x <= 1e6) || x != std::floor(x)) p.fail(name, "must be whole numbers from 1 on");
  }
  if (given.empty()) p.fail(name, "must not be empty");
  if (choice == "list") {
    for (const double x : given) chosen.list.push_back(static_cast<int>(x) - 1);
    chosen.inputs = static_cast<int>(given.size());
  } else {
    const int count = p.integer(which + "_count");
    if (count == 0 || std::abs(count) > 1000000) p.fail(which + "_count", "must be a whole number other than 0");
    const int first = chosen.from_input ? 0 : static_cast<int>(given[0]) - 1;
    for (int k = 0; k < std::abs(count); ++k) chosen.list.push_back(first + (count > 0 ? k : -k));
    chosen.inputs = 1;
    if (!chosen.from_input && chosen.list.back() < 0) p.fail(which + "_count", "leads below the number 1");
  }
  chosen.count = static_cast<int>(chosen.list.size());
  return chosen;
}

void index_inputs(Ports& p) {
  int unknown = -50;
  for (const char* which : {"row", "col"}) {
    const Chosen chosen = chosen_index(p.parameters(), which);
    if (!chosen.from_input) continue;
    p.input(fmt::format("{}s", which), {unknown, unknown - 1}, Scalar::f64);
    unknown -= 2;
  }
}

// How many rows and columns are selected of a matrix of this size; checks numbers that are known.
bool selected_size(Ports& p, int rows, int cols, int& out_rows, int& out_cols) {
  const Chosen r = chosen_index(p.parameters(), "row"), c = chosen_index(p.parameters(), "col");
  out_rows = r.count < 0 ? rows : r.count;
  out_cols = c.count < 0 ? cols : c.count;
  int port = p.input_count();
  for (const Chosen* chosen : {&c, &r}) {
    if (!chosen->from_input) continue;
    const Port& input = p.in(port--);
    if (input.rows > 0 && input.cols > 0 && input.rows * input.cols != chosen->inputs) {
      p.fail(fmt::format("input {} must have {} numbers, but has {}", input.name, chosen->inputs,
                         input.rows * input.cols));
      return false;
    }
  }
  for (const auto& [chosen, most, what] : {std::tuple{&r, rows, "rows"}, std::tuple{&c, cols, "columns"}}) {
    if (most <= 0 || chosen->from_input || chosen->count < 0) continue;
    for (const int k : chosen->list) {
      if (k < most) continue;
      p.fail(fmt::format("asks for number {} of {} {}", k + 1, most, what));
      return false;
    }
  }
  return out_rows > 0 && out_cols > 0;
}

// Positions, counted column by column, of the selected elements.
Expr selected_positions(Block& b, Type matrix, int first_index_input) {
  const auto numbers = [&](const Chosen& chosen, int all) {
    std::vector<Expr> result;
    if (chosen.count < 0) {
      for (int k = 0; k < all; ++k) result.push_back(b.constant(k, Scalar::i32));
      return result;
    }
    const Expr given = chosen.from_input ? b.in(first_index_input++) : Expr{};
    for (std::size_t k = 0; k < chosen.list.size(); ++k) {
      if (!chosen.from_input) {
        result.push_back(b.constant(chosen.list[k], Scalar::i32));
      } else {
        const bool each = static_cast<std::size_t>(chosen.inputs) == chosen.list.size() && chosen.inputs > 1;
        const Expr base = each ? given[static_cast<std::int64_t>(k)] : given[0] + static_cast<double>(chosen.list[k]);
        // A number outside becomes one that is outside for certain, also where rows and columns are joined.
        result.push_back((base - 1.0).as(Scalar::i32));
      }
    }
    return result;
  };
  const std::vector<Expr> rows = numbers(chosen_index(b.parameters(), "row"), matrix.rows);
  const std::vector<Expr> cols = numbers(chosen_index(b.parameters(), "col"), matrix.cols);
  std::vector<Expr> positions;
  for (const Expr& col : cols) {
    for (const Expr& row : rows) {
      const Expr inside =
          row >= 0.0 && row < static_cast<double>(matrix.rows) && col >= 0.0 && col < static_cast<double>(matrix.cols);
      positions.push_back(select(inside, row + col * static_cast<double>(matrix.rows), b.constant(-1, Scalar::i32)));
    }
  }
  return stack({Scalar::i32, static_cast<std::int32_t>(rows.size()), static_cast<std::int32_t>(cols.size())},
               positions);
}

// -1, -1: both from the input; one negative number follows from the other.
Size wanted_size(const Parameters& p, int elements) {
  const std::vector<double>& given = p.reals("size");
  if (given.empty() || given.size() > 2) p.fail("size", "must be rows and columns");
  for (const double x : given) {
    if (x != std::floor(x) || x > 1e6) p.fail("size", "must be whole numbers");
  }
  int rows = static_cast<int>(given[0]), cols = given.size() == 2 ? static_cast<int>(given[1]) : 1;
  if (rows <= 0 && cols <= 0) p.fail("size", "at most one of rows and columns can follow from the other");
  if (elements > 0 && rows <= 0) rows = elements % cols == 0 ? elements / cols : -1;
  if (elements > 0 && cols <= 0) cols = elements % rows == 0 ? elements / rows : -1;
  return {rows, cols};
}

}  // namespace

const BlockType matrix_concatenation = {
    .name = "MatrixConcatenation",
    .palette = "MatrixOperations",
    .summary = "Puts its inputs side by side, or one below the other.",
    .icon = {.text = "[ … ]", .inputs = {"#"}},
    .parameters = {{"inputs", "2", "number of inputs"},
                   {"method", "'horizontal'", "side by side, or one below the other", {"horizontal", "vertical"}}},
    .ports =
        [](Ports& p) {
          p.input_each(p.parameters().count("inputs"), "u").output("y", {-3, -4});
        },
    .refine =
        [](Ports& p) {
          const bool across = p.parameters().text("method") == "horizontal";
          int along = 0, other = 0;
          for (const Port& port : p.inputs()) {
            if (port.rows <= 0 || port.cols <= 0) return;
            const int side = across ? port.rows : port.cols;
            if (other != 0 && other != side) {
              return p.fail(fmt::format("inputs with {} and {} {} do not fit together", other, side,
                                        across ? "rows" : "columns"));
            }
            other = side;
            along += across ? port.cols : port.rows;
          }
          p.set_output_size(1, across ? other : along, across ? along : other);
        },
    .build =
        [](Block& b) {
          std::vector<Expr> elements;
          if (b.text("method") == "horizontal") {
            for (const Expr& u : b.inputs()) {
              for (std::int64_t k = 0; k < u.size(); ++k) elements.push_back(u[k]);
            }
          } else {
            for (std::int32_t col = 0; col < b.out_type().cols; ++col) {
              for (const Expr& u : b.inputs()) {
                for (std::int32_t row = 0; row < u.rows(); ++row) elements.push_back(u.at(row, col));
              }
            }
          }
          b.out(1, stack(b.out_type(), elements));
        },
};

const BlockType matrix_extractor = {
    .name = "MatrixExtractor",
    .palette = "MatrixOperations",
    .summary = "Rows and columns of its input.",
    .description =
        "The numbers, from 1, are parameters or further inputs, first that of rows, then that of columns; a range of "
        "an input begins with the number the input has. A number outside the matrix is an error of the run.",
    .icon = {.text = "u(i, j)"},
    .parameters = index_specs(),
    .ports =
        [](Ports& p) {
          p.input("u").output("y", {-3, -4});
          index_inputs(p);
        },
    .refine =
        [](Ports& p) {
          int rows = 0, cols = 0;
          if (selected_size(p, p.in(1).rows, p.in(1).cols, rows, cols)) p.set_output_size(1, rows, cols);
        },
    .build =
        [](Block& b) {
          const Expr positions = selected_positions(b, b.in().type(), 2);
          b.out(1, {&b.graph(), b.graph().gather(b.in().id(), positions.id(), b.index_site())});
        },
};

const BlockType assignment = {
    .name = "Assignment",
    .palette = "MatrixOperations",
    .summary = "Input 1 with the selected rows and columns replaced by input 2.",
    .description =
        "The numbers, from 1, are parameters or further inputs, as of MatrixExtractor. Input 2 is a scalar, or of the "
        "size of what it replaces.",
    .icon = {.text = "u(i, j) := v"},
    .parameters = index_specs(),
    .ports =
        [](Ports& p) {
          p.input("u").input("v", {-30, -31}).output("y");
          index_inputs(p);
        },
    .refine =
        [](Ports& p) {
          int rows = 0, cols = 0;
          if (!selected_size(p, p.in(1).rows, p.in(1).cols, rows, cols)) return;
          const Port& v = p.in(2);
          if (v.rows <= 0 || v.cols <= 0 || (v.rows == 1 && v.cols == 1)) return;
          if (v.rows != rows || v.cols != cols) {
            p.fail(fmt::format("input v is {}x{}, but replaces {}x{}", v.rows, v.cols, rows, cols));
          }
        },
    .build =
        [](Block& b) {
          const Expr positions = selected_positions(b, b.in().type(), 3);
          b.out(1, {&b.graph(), b.graph().update(b.in(1).id(), positions.id(), b.in(2).id(), b.index_site())});
        },
};

const BlockType matrix_reshape = {
    .name = "MatrixReshape",
    .palette = "MatrixOperations",
    .summary = "The elements of its input, column by column, in a matrix of another size.",
    .icon = {.text = "reshape"},
    .parameters = {{"size", "[-1 1]", "rows and columns; one of them -1: as many as it takes"}},
    .ports =
        [](Ports& p) {
          const Size size = wanted_size(p.parameters(), 0);
          p.input("u").output("y", {size.rows > 0 ? size.rows : -3, size.cols > 0 ? size.cols : -4});
        },
    .refine =
        [](Ports& p) {
          if (p.in(1).rows <= 0 || p.in(1).cols <= 0) return;
          const int elements = p.in(1).rows * p.in(1).cols;
          const Size size = wanted_size(p.parameters(), elements);
          if (size.rows <= 0 || size.cols <= 0 || size.rows * size.cols != elements) {
            return p.fail(
                fmt::format("an input of {} elements cannot become a matrix of the size that is given", elements));
          }
          p.set_output_size(1, size.rows, size.cols);
        },
    .build =
        [](Block& b) {
          b.out(1, {&b.graph(), b.graph().reshape(b.in().id(), b.out_type().rows, b.out_type().cols)});
        },
};

const BlockType diagonal_matrix = {
    .name = "DiagonalMatrix",
    .palette = "MatrixOperations",
    .summary = "A square matrix with the elements of its input on the diagonal and zeros elsewhere.",
    .icon = {.text = "diag"},
    .ports =
        [](Ports& p) {
          p.input("u").output("y", {-3, -3});
        },
    .refine =
        [](Ports& p) {
          if (p.in(1).rows <= 0 || p.in(1).cols <= 0) return;
          p.set_output_size(1, p.in(1).rows * p.in(1).cols, p.in(1).rows * p.in(1).cols);
        },
    .build =
        [](Block& b) {
          const Expr zero = b.fill(b.out_type().element(), 0);
          const auto size = static_cast<std::size_t>(b.in().size());
          std::vector<Expr> elements(size * size, zero);
          for (std::size_t k = 0; k < size; ++k) elements[k * size + k] = b.in()[static_cast<std::int64_t>(k)];
          b.out(1, stack(b.out_type(), elements));
        },
};

}  // namespace orrery::blocks
