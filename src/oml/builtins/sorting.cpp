// SPDX-License-Identifier: Apache-2.0
// Sorting.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "oml/builtins/families.h"
#include "oml/builtins/map.h"
#include "oml/builtins/sort_order.h"
#include "oml/indexing.h"
#include "oml/interpreter.h"
#include "oml/interrupt.h"

namespace orrery::oml {
namespace {

template <class T>
void sort_vectors(Array<T>& a, RealArray& index, int dim, bool descending) {
  std::vector<Index> order;
  std::vector<T> line;
  InterruptPoll poll;
  for_each_vector(a.dims, dim, [&](Index at, Index stride, Index n) {
    order.resize(static_cast<std::size_t>(n));
    line.resize(static_cast<std::size_t>(n));
    std::iota(order.begin(), order.end(), Index{0});
    for (Index i = 0; i < n; ++i) line[static_cast<std::size_t>(i)] = a[at + i * stride];
    std::stable_sort(order.begin(), order.end(), [&](Index i, Index j) {
      poll();
      const T x = line[static_cast<std::size_t>(i)], y = line[static_cast<std::size_t>(j)];
      return descending ? before(y, x) : before(x, y);
    });
    for (Index i = 0; i < n; ++i) {
      a[at + i * stride] = line[static_cast<std::size_t>(order[static_cast<std::size_t>(i)])];
      index[at + i * stride] = static_cast<double>(order[static_cast<std::size_t>(i)] + 1);
    }
  });
}

// The texts of a cell, along the first dimension that is not 1 or the one given.
void sort_text_cell(Call& c, bool descending, int dim) {
  const std::vector<std::string> items = text_list(c[0]);
  Value out = c[0], index = Value::zeros(c[0].dims());
  InterruptPoll poll;
  for_each_vector(c[0].dims(), dim, [&](Index at, Index stride, Index n) {
    const auto text = [&](Index i) -> const std::string& { return items[static_cast<std::size_t>(at + i * stride)]; };
    std::vector<Index> order(static_cast<std::size_t>(n));
    std::iota(order.begin(), order.end(), Index{0});
    std::stable_sort(order.begin(), order.end(), [&](Index i, Index j) {
      poll();
      return descending ? text(j) < text(i) : text(i) < text(j);
    });
    for (Index i = 0; i < n; ++i) {
      out.edit_cell()[at + i * stride] = Value::text(text(order[static_cast<std::size_t>(i)]));
      index.edit_real()[at + i * stride] = static_cast<double>(order[static_cast<std::size_t>(i)] + 1);
    }
  });
  c.ret(out);
  c.ret(index);
}

void sort(Call& c) {
  bool descending = false;
  int dim = c[0].dims().first_non_singleton();
  for (int k = 1; k < c.count(); ++k) {
    if (c[k].is_text()) {
      std::string mode = c.text(k);
      for (char& ch : mode) ch = static_cast<char>(std::tolower(ch));
      if (mode != "ascend" && mode != "descend") fail_argument(k + 1, "must be 'ascend' or 'descend'");
      descending = mode == "descend";
    } else {
      dim = dim_argument(c, k, c[0].dims());
    }
  }
  if (c[0].is_cell()) return sort_text_cell(c, descending, dim);
  const bool text = c[0].is_text(), logical = c[0].is_logical();
  Value v = to_numeric(c[0]);
  Value index = Value::zeros(v.dims());
  if (v.kind() == Kind::complex)
    sort_vectors(v.edit_complex(), index.edit_real(), dim, descending);
  else
    sort_vectors(v.edit_real(), index.edit_real(), dim, descending);
  if (text) {
    Value chars = Value::chars_filled(v.dims(), ' ');
    for (Index i = 0; i < v.numel(); ++i) chars.edit_bytes()[i] = static_cast<std::uint8_t>(v.real()[i]);
    c.ret(chars);
  } else {
    c.ret(logical ? unboxed(to_logical(v)) : narrowed(v));
  }
  c.ret(unboxed(index));
}

void sortrows(Call& c) {
  if (c[0].is_cell()) return sort_text_cell(c, c.has(1) && c.number(1) < 0, c[0].dims().first_non_singleton());
  const Value v = to_real(c[0]);
  const Index m = v.dims().rows(), n = v.dims().cols();
  std::vector<double> columns;
  if (c.has(1))
    columns = to_vector(c[1]);
  else
    for (Index k = 1; k <= n; ++k) columns.push_back(static_cast<double>(k));
  for (double k : columns)
    if (std::abs(k) < 1 || std::abs(k) > static_cast<double>(n)) fail_argument(2, "must name columns");
  std::vector<double> order(static_cast<std::size_t>(m));
  std::iota(order.begin(), order.end(), 1.0);
  std::stable_sort(order.begin(), order.end(), [&](double i, double j) {
    for (double k : columns) {
      const Index col = static_cast<Index>(std::abs(k)) - 1;
      const double x = v.real().at(static_cast<Index>(i) - 1, col), y = v.real().at(static_cast<Index>(j) - 1, col);
      if (before(x, y)) return k > 0;
      if (before(y, x)) return k < 0;
    }
    return false;
  });
  const Value rows = Value::column(order);
  c.ret(index_value(c[0], std::vector<Value>{rows, Value::colon()}));
  c.ret(unboxed(rows));
}

void issorted(Call& c) {
  if (c[0].is_cell()) {
    const std::vector<std::string> items = text_list(c[0]);
    return c.ret(Value(std::is_sorted(items.begin(), items.end())));
  }
  bool rows = false;
  std::string mode = "ascend";
  for (int k = 1; k < c.count(); ++k) {
    if (c.text(k) == "rows")
      rows = true;
    else
      mode = c.text(k);
  }
  const Value v = to_numeric(c[0]);
  if (rows) {
    const auto in_order = [&](bool down) {
      std::vector<double> columns;
      for (Index k = 1; k <= v.dims().cols(); ++k) columns.push_back(static_cast<double>(down ? -k : k));
      const Values sorted = c.oml.call_named("sortrows", {c[0], Value::row(columns)}, 1);
      return values_equal(sorted[0], stored(c[0]));
    };
    const bool down = mode.starts_with("descend");
    return c.ret(Value(in_order(down) || (mode == "either" && in_order(!down))));
  }
  if (v.kind() == Kind::complex) {
    const auto& d = v.complex().data;
    return c.ret(Value(std::is_sorted(d.begin(), d.end(), [](Complex a, Complex b) { return before(a, b); })));
  }
  const auto& d = v.real().data;
  const auto up = [](double a, double b) { return before(a, b); };
  const auto down = [](double a, double b) { return before(b, a); };
  bool ok = mode == "descend" || mode == "descending" ? std::is_sorted(d.begin(), d.end(), down)
                                                      : std::is_sorted(d.begin(), d.end(), up);
  if (mode == "either") ok = ok || std::is_sorted(d.begin(), d.end(), down);
  c.ret(Value(ok));
}

constexpr Builtin sorting_table[] = {
    {"sort", 1, 3, sort, "[s, k] = sort(x, dim, 'ascend'|'descend'): sorted elements and where they came from.",
     "data cell, dim? word:ascend/descend, dim? word:ascend/descend"},
    {"sortrows", 1, 2, sortrows,
     "[s, k] = sortrows(A, columns): rows in order of the columns; a negative column descends.", "codes cell, real"},
    {"issorted", 1, 3, issorted,
     "issorted(x, mode, 'rows'): whether the elements or rows ascend ('descend', 'either').",
     "data cell, word:ascend/ascending/descend/descending/either/rows, "
     "word:ascend/ascending/descend/descending/either/rows"},
};

}  // namespace

BuiltinFamily sorting_builtins() { return sorting_table; }

}  // namespace orrery::oml
