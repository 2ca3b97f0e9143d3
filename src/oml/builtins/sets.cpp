// SPDX-License-Identifier: Apache-2.0
// Sets: distinct elements, unions, differences, membership.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "oml/builtins/families.h"
#include "oml/builtins/sort_order.h"
#include "oml/interpreter.h"
#include "oml/warnings.h"

namespace orrery::oml {
namespace {

// Elements of a set operation: numbers, strings of a cell, or rows of a matrix.
struct Items {
  enum class Kind { numbers, complex, texts, rows } kind = Kind::numbers;
  std::vector<double> numbers;
  std::vector<Complex> complex;
  std::vector<std::string> texts;
  std::vector<std::vector<double>> rows;
  bool row_shape = false, is_char = false, is_logical = false;

  std::size_t size() const {
    return kind == Kind::numbers   ? numbers.size()
           : kind == Kind::texts   ? texts.size()
           : kind == Kind::complex ? complex.size()
                                   : rows.size();
  }
  // Three-way order of element i here and element j of other.
  int compare(std::size_t i, const Items& other, std::size_t j) const {
    if (kind == Kind::numbers) {
      const double x = numbers[i], y = other.numbers[j];
      return before(x, y) ? -1 : before(y, x) ? 1 : std::isnan(x) ? -1 : 0;
    }
    if (kind == Kind::complex) {
      const Complex x = complex[i], y = other.complex[j];
      return x == y ? 0 : before(x, y) ? -1 : 1;
    }
    if (kind == Kind::texts) return texts[i].compare(other.texts[j]) < 0 ? -1 : texts[i] == other.texts[j] ? 0 : 1;
    const auto &x = rows[i], &y = other.rows[j];
    for (std::size_t k = 0; k < x.size() && k < y.size(); ++k) {
      if (before(x[k], y[k])) return -1;
      if (before(y[k], x[k])) return 1;
    }
    return 0;
  }
};

Items items_of(const Value& v, bool by_rows, bool as_text) {
  Items out;
  const Dims d = v.dims();
  out.row_shape = d.rows() == 1 && d.count() == 2;
  if (v.is_cell() || as_text) {
    out.kind = Items::Kind::texts;
    if (v.is_cell()) {
      for (const Value& item : v.cell().data) out.texts.push_back(item.is_empty() ? std::string() : one_text(item));
    } else if (v.is_text() || !v.is_empty()) {
      out.texts = text_list(v);
    }
    return out;
  }
  if (v.is_complex()) {
    const Value z = to_complex(v);
    out.kind = Items::Kind::complex;
    out.complex.assign(z.complex().data.begin(), z.complex().data.end());
    return out;
  }
  const Value r = to_real(v);
  out.is_char = v.is_text();
  out.is_logical = v.is_logical();
  if (by_rows) {
    out.kind = Items::Kind::rows;
    for (Index i = 0; i < d.rows(); ++i) {
      std::vector<double> line;
      for (Index k = 0; k < d.cols(); ++k) line.push_back(r.real().at(i, k));
      out.rows.push_back(line);
    }
    return out;
  }
  out.numbers.assign(r.real().data.begin(), r.real().data.end());
  return out;
}

// The chosen elements as a value of the same make.
Value pick(const Items& items, const std::vector<std::size_t>& chosen, bool row_shape) {
  const auto n = static_cast<Index>(chosen.size());
  const Dims shape = row_shape ? Dims(1, n) : Dims(n, 1);
  if (items.kind == Items::Kind::texts) {
    Value out = Value::cell(shape);
    for (Index i = 0; i < n; ++i) out.edit_cell()[i] = Value::text(items.texts[chosen[static_cast<std::size_t>(i)]]);
    return out;
  }
  if (items.kind == Items::Kind::complex) {
    Value out = Value::complex_zeros(shape);
    for (Index i = 0; i < n; ++i) out.edit_complex()[i] = items.complex[chosen[static_cast<std::size_t>(i)]];
    return narrowed(out);
  }
  if (items.kind == Items::Kind::rows) {
    const Index cols = items.rows.empty() ? 0 : static_cast<Index>(items.rows[0].size());
    Value out = Value::zeros(Dims(n, cols));
    for (Index i = 0; i < n; ++i) {
      for (Index k = 0; k < cols; ++k)
        out.edit_real().at(i, k) = items.rows[chosen[static_cast<std::size_t>(i)]][static_cast<std::size_t>(k)];
    }
    if (items.is_char) {
      Value chars = Value::chars_filled(out.dims(), ' ');
      for (Index i = 0; i < out.numel(); ++i) chars.edit_bytes()[i] = static_cast<std::uint8_t>(out.real()[i]);
      return chars;
    }
    return unboxed(out);
  }
  if (items.is_char) {
    Value out = Value::chars_filled(shape, ' ');
    for (Index i = 0; i < n; ++i)
      out.edit_bytes()[i] = static_cast<std::uint8_t>(items.numbers[chosen[static_cast<std::size_t>(i)]]);
    return out;
  }
  Value out = Value::zeros(shape);
  for (Index i = 0; i < n; ++i) out.edit_real()[i] = items.numbers[chosen[static_cast<std::size_t>(i)]];
  return items.is_logical ? unboxed(to_logical(out)) : unboxed(out);
}

std::vector<std::size_t> sorted_order(const Items& items) {
  std::vector<std::size_t> order(items.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t i, std::size_t j) { return items.compare(i, items, j) < 0; });
  return order;
}

Value index_column(const std::vector<std::size_t>& chosen, bool row_shape) {
  std::vector<double> x;
  for (std::size_t i : chosen) x.push_back(static_cast<double>(i + 1));
  return unboxed(row_shape ? Value::row(x) : Value::column(x));
}

bool has_option(const Call& c, const char* name) {
  for (int k = 1; k < c.count(); ++k) {
    if (c[k].is_text() && to_string(c[k]) == name && (k >= 2 || c.name == "unique")) return true;
  }
  return false;
}

// 'rows' needs matrices; rows of text need one length.
void require_rows(const Call& c) {
  if (!has_option(c, "rows")) return;
  for (int k = 0; k < 2; ++k)
    if (c[k].is_cell()) fail_argument(k + 1, "must be a matrix when rows are compared");
  if (c[0].dims().cols() != c[1].dims().cols() && !c[0].is_empty() && !c[1].is_empty())
    fail("the arguments must have the same number of columns");
}

void unique(Call& c) {
  bool rows = has_option(c, "rows");
  if (has_option(c, "first") && has_option(c, "last")) fail("'first' and 'last' exclude each other");
  if (rows && c[0].is_cell()) {
    emit_warning("'rows' is ignored for a cell");
    rows = false;
  }
  const Items items = items_of(c[0], rows, false);
  const std::vector<std::size_t> order = sorted_order(items);
  const bool first = has_option(c, "first") || has_option(c, "stable");
  std::vector<std::size_t> chosen, group(items.size());
  for (std::size_t k = 0; k < order.size(); ++k) {
    if (k > 0 && items.compare(order[k], items, order[k - 1]) == 0) {
      if (!first) chosen.back() = order[k];
    } else {
      chosen.push_back(order[k]);
    }
    group[order[k]] = chosen.size() - 1;
  }
  if (has_option(c, "stable")) {
    std::vector<std::size_t> rank(chosen.size());
    std::vector<std::size_t> by_place = chosen;
    std::sort(by_place.begin(), by_place.end());
    for (std::size_t k = 0; k < chosen.size(); ++k) {
      rank[k] =
          static_cast<std::size_t>(std::lower_bound(by_place.begin(), by_place.end(), chosen[k]) - by_place.begin());
    }
    for (std::size_t& g : group) g = rank[g];
    chosen = by_place;
  }
  const bool row =
      items.row_shape && items.kind != Items::Kind::rows && (items.kind != Items::Kind::texts || items.row_shape);
  if (c[0].is_empty() && !c[0].is_cell())
    c.ret(c[0]);
  else
    c.ret(pick(items, chosen, row));
  if (c[0].is_empty() && rows) {
    c.ret(Value::empty());
    return c.ret(Value::empty());
  }
  c.ret(index_column(chosen, row));
  c.ret(index_column(group, row));
}

struct SetPair {
  Items a, b;
  bool row;
};

SetPair pair_of(const Call& c) {
  require_rows(c);
  const bool rows = has_option(c, "rows");
  const bool texts = c[0].is_cell() || c[1].is_cell();
  SetPair p{items_of(c[0], rows, texts), items_of(c[1], rows, texts), true};
  if (p.a.kind != p.b.kind) {
    p.a = items_of(to_complex(c[0]), false, false);
    p.b = items_of(to_complex(c[1]), false, false);
  }
  const bool a_row = p.a.row_shape || c[0].is_empty(), b_row = p.b.row_shape || c[1].is_empty();
  p.row = !rows && (texts ? (a_row || b_row) : (a_row && b_row));
  if (!texts && !rows && (c[0].is_scalar() || c[1].is_scalar())) p.row = a_row && b_row;
  return p;
}

// Distinct elements, ascending, as positions.
std::vector<std::size_t> distinct(const Items& items, bool last) {
  const std::vector<std::size_t> order = sorted_order(items);
  std::vector<std::size_t> out;
  for (std::size_t k = 0; k < order.size(); ++k) {
    if (k > 0 && items.compare(order[k], items, order[k - 1]) == 0) {
      if (last) out.back() = order[k];
    } else {
      out.push_back(order[k]);
    }
  }
  return out;
}

// Position in `sorted` (of items b) of an element equal to a[i], or npos.
std::size_t locate_item(const Items& a, std::size_t i, const Items& b, const std::vector<std::size_t>& sorted) {
  std::size_t low = 0, high = sorted.size();
  while (low < high) {
    const std::size_t mid = (low + high) / 2;
    if (b.compare(sorted[mid], a, i) < 0)
      low = mid + 1;
    else
      high = mid;
  }
  return low < sorted.size() && b.compare(sorted[low], a, i) == 0 ? low : std::string::npos;
}

void set_filter(Call& c, bool keep_common) {
  const SetPair p = pair_of(c);
  const std::vector<std::size_t> da = distinct(p.a, true), db = distinct(p.b, true);
  std::vector<std::size_t> ia, ib;
  for (std::size_t i : da) {
    const std::size_t at = locate_item(p.a, i, p.b, db);
    if ((at != std::string::npos) != keep_common) continue;
    ia.push_back(i);
    if (keep_common) ib.push_back(db[at]);
  }
  const bool row = keep_common                     ? p.row
                   : p.a.kind == Items::Kind::rows ? false
                                                   : p.a.row_shape || (c[0].is_empty() && p.row);
  c.ret(pick(p.a, ia, row));
  c.ret(index_column(ia, row));
  c.ret(index_column(ib, row));
}

void joined_set(Call& c, bool exclusive) {
  SetPair p = pair_of(c);
  Items all = p.a;
  all.numbers.insert(all.numbers.end(), p.b.numbers.begin(), p.b.numbers.end());
  all.complex.insert(all.complex.end(), p.b.complex.begin(), p.b.complex.end());
  all.texts.insert(all.texts.end(), p.b.texts.begin(), p.b.texts.end());
  all.rows.insert(all.rows.end(), p.b.rows.begin(), p.b.rows.end());
  all.is_char = p.a.is_char || p.b.is_char;
  all.is_logical = p.a.is_logical && p.b.is_logical;
  std::vector<std::size_t> chosen = distinct(all, true), ia, ib;
  if (exclusive) {
    const std::vector<std::size_t> da = distinct(p.a, true), db = distinct(p.b, true);
    std::erase_if(chosen, [&](std::size_t i) {
      return locate_item(all, i, p.a, da) != std::string::npos && locate_item(all, i, p.b, db) != std::string::npos;
    });
  }
  for (std::size_t i : chosen) {
    if (i < p.a.size())
      ia.push_back(i);
    else
      ib.push_back(i - p.a.size());
  }
  c.ret(pick(all, chosen, p.row));
  c.ret(index_column(ia, p.row));
  c.ret(index_column(ib, p.row));
}

void ismember(Call& c) {
  require_rows(c);
  const bool rows = has_option(c, "rows");
  if (c[0].is_text() && c[1].is_cell() && c[0].dims().rows() > 1) {
    // Every row of a text is looked for.
    const std::vector<std::string> list = text_list(c[1]), wanted = text_rows(c[0]);
    const Dims shape(static_cast<Index>(wanted.size()), 1);
    Value found = Value::logical_zeros(shape), where = Value::zeros(shape);
    for (std::size_t k = 0; k < wanted.size(); ++k) {
      const auto it = std::find(list.begin(), list.end(), wanted[k]);
      if (it == list.end()) continue;
      found.edit_bytes()[static_cast<Index>(k)] = 1;
      where.edit_real()[static_cast<Index>(k)] = static_cast<double>(it - list.begin() + 1);
    }
    c.ret(found);
    return c.ret(where);
  }
  if (c[0].is_text() && c[1].is_cell()) {
    const std::vector<std::string> list = text_list(c[1]);
    const auto it = std::find(list.begin(), list.end(), to_string(c[0]));
    c.ret(Value(it != list.end()));
    c.ret(Value(it == list.end() ? 0 : it - list.begin() + 1));
    return;
  }
  const bool texts = c[0].is_cell() || c[1].is_cell();
  const Items a = items_of(c[0], rows, texts), b = items_of(c[1], rows, texts);
  if (a.kind != b.kind) {
    const Items ca = items_of(to_complex(c[0]), false, false), cb = items_of(to_complex(c[1]), false, false);
    const std::vector<std::size_t> sorted = distinct(cb, false);
    Value found = Value::logical_zeros(c[0].dims());
    for (std::size_t i = 0; i < ca.size(); ++i)
      found.edit_bytes()[static_cast<Index>(i)] = locate_item(ca, i, cb, sorted) != std::string::npos;
    return c.ret(unboxed(found));
  }
  const std::vector<std::size_t> sorted = distinct(b, c[1].is_text() && !rows);  // of characters the last one
  const Dims shape = rows ? Dims(static_cast<Index>(a.size()), 1) : c[0].dims();
  Value found = Value::logical_zeros(shape), where = Value::zeros(shape);
  for (std::size_t i = 0; i < a.size(); ++i) {
    const std::size_t at = locate_item(a, i, b, sorted);
    if (at == std::string::npos) continue;
    found.edit_bytes()[static_cast<Index>(i)] = 1;
    where.edit_real()[static_cast<Index>(i)] = static_cast<double>(sorted[at] + 1);
  }
  c.ret(unboxed(found));
  c.ret(unboxed(where));
}

constexpr Builtin set_table[] = {
    {"unique", 1, 4, unique, "[u, i, j] = unique(x, 'rows', 'first', 'stable'): distinct elements in ascending order.",
     "data cell, word:rows/first/last/stable/sorted, ..."},
    {"union", 2, 3, [](Call& c) { joined_set(c, false); }, "[u, ia, ib] = union(a, b, 'rows'): elements of either set.",
     "data cell, data cell, word:rows"},
    {"intersect", 2, 3, [](Call& c) { set_filter(c, true); },
     "[u, ia, ib] = intersect(a, b, 'rows'): elements in both sets.", "data cell, data cell, word:rows"},
    {"setdiff", 2, 3, [](Call& c) { set_filter(c, false); },
     "[u, ia] = setdiff(a, b, 'rows'): elements of a that are not in b.", "data cell, data cell, word:rows"},
    {"setxor", 2, 3, [](Call& c) { joined_set(c, true); },
     "[u, ia, ib] = setxor(a, b, 'rows'): elements of exactly one set.", "data cell, data cell, word:rows"},
    {"ismember", 2, 3, ismember, "[tf, k] = ismember(x, s, 'rows'): which elements of x are in s, and where.",
     "data cell, data cell, word:rows"},
};

}  // namespace

BuiltinFamily set_builtins() { return set_table; }

}  // namespace orrery::oml
