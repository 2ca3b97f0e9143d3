// SPDX-License-Identifier: Apache-2.0
// SumElements, MaxElements, MinElements, CumulativeSum, Sort: over all elements, or along rows or columns.
#include <algorithm>

#include "blocks/integer_overflow.h"
#include "blocks/matrix_operations/matrix_operations.h"

namespace orrery::blocks {
namespace {

const ParameterSpec along_spec = {
    "along",
    "'all'",
    "all: one number; rows: one for each row, a column; columns: one for each column, a row",
    {"all", "rows", "columns"}};

// The elements that belong together, and the size of the result.
struct Groups {
  std::vector<std::vector<Expr>> members;
  int rows = 1;
  int cols = 1;
};

Groups groups_along(const std::string& along, Expr u) {
  Groups groups;
  if (along == "all") {
    groups.members.resize(1);
    for (std::int64_t k = 0; k < u.size(); ++k) groups.members[0].push_back(u[k]);
    return groups;
  }
  const bool rows = along == "rows";
  (rows ? groups.rows : groups.cols) = rows ? u.rows() : u.cols();
  for (std::int32_t k = 0; k < (rows ? u.rows() : u.cols()); ++k) {
    groups.members.emplace_back();
    for (std::int32_t l = 0; l < (rows ? u.cols() : u.rows()); ++l) {
      groups.members.back().push_back(rows ? u.at(k, l) : u.at(l, k));
    }
  }
  return groups;
}

void refine_reduction(Ports& p) {
  only_numbers(p);
  const std::string& along = p.parameters().text("along");
  for (int k = 1; k <= p.output_count(); ++k) {
    if (along == "all") {
      p.set_output_size(k, 1, 1);
    } else if (p.in(1).rows > 0 && p.in(1).cols > 0) {
      p.set_output_size(k, along == "rows" ? p.in(1).rows : 1, along == "rows" ? 1 : p.in(1).cols);
    }
  }
}

void extreme_ports(Ports& p) {
  p.input("u").output("y", {-3, -4});
  if (p.parameters().flag("index")) p.output("index", {-5, -6}, Scalar::f64);
}

void refine_extreme(Ports& p) {
  only_ordered(p);
  refine_reduction(p);
}

// The first of the extreme elements, and its number within its group (of all: column by column), from 1.
void build_extreme(Block& b, bool largest) {
  const Groups groups = groups_along(b.text("along"), b.in());
  std::vector<Expr> values, positions;
  for (const std::vector<Expr>& members : groups.members) {
    Expr best = members[0], at = b.constant(1);
    for (std::size_t k = 1; k < members.size(); ++k) {
      const Expr beats = largest ? members[k] > best : members[k] < best;
      at = select(beats, b.constant(static_cast<double>(k + 1)), at);
      best = select(beats, members[k], best);
    }
    values.push_back(best);
    positions.push_back(at);
  }
  b.out(1, stack(b.out_type(), values));
  if (b.output_count() == 2) b.out(2, stack(b.out_type(2), positions));
}

const ParameterSpec index_spec = {"index", "0", "1: output 2 is the number of that element, from 1"};

// Positions sorted by comparisons that do not depend on the values: an odd-even merge sort (Batcher, Sorting networks
// and their applications, 1968). Equal elements keep their order, as the index takes part in the comparison.
template <class Exchange>
void sort_by_network(std::size_t count, Exchange&& exchange) {
  for (std::size_t p = 1; p < count; p *= 2) {
    for (std::size_t k = p; k >= 1; k /= 2) {
      for (std::size_t j = k % p; j + k < count; j += 2 * k) {
        for (std::size_t i = 0; i < std::min(k, count - j - k); ++i) {
          if ((i + j) / (p * 2) == (i + j + k) / (p * 2)) exchange(i + j, i + j + k);
        }
      }
    }
  }
}

void sort_group(Block& b, std::vector<Expr>& values, std::vector<Expr>& positions, bool rising) {
  for (std::size_t k = 0; k < values.size(); ++k) positions.push_back(b.constant(static_cast<double>(k + 1)));
  sort_by_network(values.size(), [&](std::size_t i, std::size_t j) {
    const Expr a = values[i], c = values[j], pa = positions[i], pc = positions[j];
    const Expr wrong = (rising ? a > c : a < c) || (a == c && pa > pc);
    values[i] = select(wrong, c, a);
    values[j] = select(wrong, a, c);
    positions[i] = select(wrong, pc, pa);
    positions[j] = select(wrong, pa, pc);
  });
}

// Elements of groups back in the places of the matrix they came from.
Expr in_place(const std::string& along, Type type, const std::vector<std::vector<Expr>>& groups) {
  std::vector<Expr> elements(static_cast<std::size_t>(type.size()));
  for (std::size_t g = 0; g < groups.size(); ++g) {
    for (std::size_t k = 0; k < groups[g].size(); ++k) {
      const auto rows = static_cast<std::size_t>(type.rows);
      const std::size_t at = along == "all" ? k : along == "rows" ? k * rows + g : g * rows + k;
      elements[at] = groups[g][k];
    }
  }
  return stack(type, elements);
}

}  // namespace

const BlockType sum_elements = {
    .name = "SumElements",
    .palette = "MatrixOperations",
    .summary = "The sum of the elements of its input, of all or along rows or columns.",
    .icon = {.text = "Σ uᵢⱼ"},
    .parameters = {along_spec, overflow_spec()},
    .ports =
        [](Ports& p) {
          p.input("u").output("y", {-3, -4});
        },
    .refine = refine_reduction,
    .build =
        [](Block& b) {
          Arithmetic arithmetic(b);
          std::vector<Expr> sums;
          for (const auto& members : groups_along(b.text("along"), b.in()).members) {
            sums.push_back(arithmetic.total(members));
          }
          b.out(1, stack(b.out_type(), sums));
        },
};

const BlockType max_elements = {
    .name = "MaxElements",
    .palette = "MatrixOperations",
    .summary = "The largest element of its input, of all or along rows or columns.",
    .icon = {.text = "max uᵢⱼ"},
    .parameters = {along_spec, index_spec},
    .ports = extreme_ports,
    .refine = refine_extreme,
    .build = [](Block& b) { build_extreme(b, true); },
};

const BlockType min_elements = {
    .name = "MinElements",
    .palette = "MatrixOperations",
    .summary = "The smallest element of its input, of all or along rows or columns.",
    .icon = {.text = "min uᵢⱼ"},
    .parameters = {along_spec, index_spec},
    .ports = extreme_ports,
    .refine = refine_extreme,
    .build = [](Block& b) { build_extreme(b, false); },
};

const BlockType cumulative_sum = {
    .name = "CumulativeSum",
    .palette = "MatrixOperations",
    .summary = "Running sums of the elements of its input, which has the size of the output.",
    .description = "all counts column by column; rows adds up along each row, columns along each column.",
    .icon = {.text = "Σ↓ uᵢⱼ"},
    .parameters = {{"along", "'all'", "what is added up together", {"all", "rows", "columns"}}, overflow_spec()},
    .ports = [](Ports& p) { p.input("u").output("y"); },
    .refine = only_numbers,
    .build =
        [](Block& b) {
          Arithmetic arithmetic(b);
          auto groups = groups_along(b.text("along"), b.in()).members;
          for (auto& members : groups) {
            for (std::size_t k = 1; k < members.size(); ++k) members[k] = arithmetic.add(members[k - 1], members[k]);
          }
          b.out(1, in_place(b.text("along"), b.out_type(), groups));
        },
};

const BlockType sort_block = {
    .name = "Sort",
    .palette = "MatrixOperations",
    .summary = "The elements of its input in order.",
    .description =
        "all sorts all elements, column by column; rows each row, columns each column. Equal elements keep their "
        "order. With index = 1 output 2 says where each element was, from 1.",
    .icon = {.text = "sort"},
    .parameters = {{"order", "'ascending'", "which comes first", {"ascending", "descending"}},
                   {"along", "'all'", "what is sorted together", {"all", "rows", "columns"}},
                   {"index", "0", "1: output 2 are the numbers the elements had"}},
    .ports =
        [](Ports& p) {
          p.input("u").output("y");
          if (p.parameters().flag("index")) p.output("index", {}, Scalar::f64);
        },
    .refine = only_ordered,
    .build =
        [](Block& b) {
          auto values = groups_along(b.text("along"), b.in()).members;
          std::vector<std::vector<Expr>> positions(values.size());
          for (std::size_t g = 0; g < values.size(); ++g) {
            sort_group(b, values[g], positions[g], b.text("order") == "ascending");
          }
          b.out(1, in_place(b.text("along"), b.out_type(), values));
          if (b.output_count() == 2) b.out(2, in_place(b.text("along"), b.out_type(2), positions));
        },
};

}  // namespace orrery::blocks
