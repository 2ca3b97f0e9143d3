// SPDX-License-Identifier: Apache-2.0
// Structs and struct arrays.
#include <algorithm>

#include "oml/builtins/families.h"
#include "oml/builtins/map.h"
#include "oml/indexing.h"
#include "oml/interpreter.h"

namespace orrery::oml {
namespace {

const StructArray& struct_argument(const Call& c, int k) {
  if (!c[k].is_struct()) fail_argument(k + 1, "must be a struct");
  return c[k].structure_ref();
}

// Cells among the values spread over the elements of a struct array.
void make_struct(Call& c) {
  if (c.count() == 1 && c[0].is_numeric() && c[0].is_empty()) {
    auto* nothing = new StructArray();
    nothing->dims = Dims(0, 0);
    return c.ret(Value(nothing));
  }
  if (c.count() == 1 && c[0].is_struct()) return c.ret(c[0]);
  if (c.count() % 2 != 0) fail("struct needs pairs of names and values");
  Dims d(1, 1);
  for (int k = 1; k < c.count(); k += 2) {
    if (!c[k].is_cell() || c[k].numel() == 1) continue;
    if (d.numel() != 1 && !(d == c[k].dims())) fail("sizes of the cell arrays do not match");
    d = c[k].dims();
  }
  auto* s = new StructArray();
  Value out(s);
  s->dims = d;
  for (int k = 0; k < c.count(); k += 2) {
    const auto at = static_cast<std::size_t>(s->find_or_add(c.text(k)));
    for (Index i = 0; i < d.numel(); ++i) {
      const Value& v = c[k + 1];
      s->columns[at][static_cast<std::size_t>(i)] = v.is_cell() ? v.cell()[v.numel() == 1 ? 0 : i] : stored(v);
    }
  }
  c.ret(out);
}

void fieldnames(Call& c) { c.ret(Value::text_cell(struct_argument(c, 0).keys, true)); }
void numfields(Call& c) { c.ret(Value(c[0].is_struct() ? c[0].structure_ref().keys.size() : 0)); }

void isfield(Call& c) {
  const bool is = c[0].is_struct();
  if (c[1].is_cell()) {
    Value out = Value::logical_zeros(c[1].dims());
    for (Index i = 0; i < out.numel(); ++i) {
      const Value& name = c[1].cell()[i];
      out.edit_bytes()[i] = is && name.is_text() && c[0].structure_ref().find(to_string(name)) >= 0;
    }
    return c.ret(unboxed(out));
  }
  c.ret(Value(is && c[1].is_text() && c[0].structure_ref().find(to_string(c[1])) >= 0));
}

void rmfield(Call& c) {
  struct_argument(c, 0);
  Value out = c[0];
  for (const std::string& name : text_list(c[1])) {
    if (out.structure_ref().find(name) < 0) fail("the struct has no field " + name);
    out.edit_structure().remove(name);
  }
  c.ret(out);
}

// getfield(s, {i}, 'f', {j}, ...): a path of indices and names.
void getfield(Call& c) {
  Value v = c[0];
  for (int k = 1; k < c.count(); ++k) {
    if (c[k].is_cell()) {
      const Value nothing = Value::empty();
      const std::span<const Value> subs(c[k].cell().data);
      // An empty index names no element.
      v = subs.empty() ? index_value(v, std::span<const Value>(&nothing, 1)) : index_value(v, subs);
      if (subs.empty() && v.is_struct()) v.edit_structure().dims = Dims(0, 0);
      continue;
    }
    if (!v.is_struct()) fail("a field needs a struct, got a " + v.class_name());
    if (v.numel() != 1) fail_argument(k + 1, "needs one element of a struct array");
    const Value* f = v.structure_ref().get(c.text(k));
    if (f == nullptr) fail("the struct has no field " + c.text(k));
    v = Value(*f);
  }
  c.ret(v);
}

bool same_fields(const StructArray& a, const StructArray& b) {
  return a.keys.size() == b.keys.size() &&
         std::all_of(b.keys.begin(), b.keys.end(), [&](const std::string& key) { return a.find(key) >= 0; });
}

void set_path(Value& target, const Call& c, int k, const Value& value) {
  const int last = c.count() - 2;
  if (c[k].is_cell()) {
    const Values subs(c[k].cell().data.begin(), c[k].cell().data.end());
    if (k == last) {
      if (subs.size() > 2 && target.is_arithmetic() && !target.is_text())
        fail_argument(k + 1, "must be one or two indices");
      if (target.is_struct() && value.is_struct() && !same_fields(target.structure_ref(), value.structure_ref()))
        fail("a struct with other fields cannot be an element");
      return assign_index(target, subs, value);
    }
    if (c[k + 1].is_cell()) {
      // Two indices in a row go into a cell, or into the text of an element.
      if (target.is_cell()) return set_path(cell_element(target, subs), c, k + 1, value);
      Value part = index_value(target, subs);
      set_path(part, c, k + 1, value);
      return assign_index(target, subs, part);
    }
    Value& place = struct_field(target, subs, c.text(k + 1));
    if (k + 1 == last)
      place = value;
    else
      set_path(place, c, k + 2, value);
    return;
  }
  Value& place = struct_field(target, {}, c.text(k));
  if (k == last)
    place = value;
  else
    set_path(place, c, k + 1, value);
}

void setfield(Call& c) {
  Value out = c[0];
  set_path(out, c, 1, c[c.count() - 1]);
  c.ret(out);
}

void struct2cell(Call& c) {
  const StructArray& s = struct_argument(c, 0);
  const auto n = static_cast<Index>(s.keys.size());
  std::vector<Index> sizes = {n};
  for (int k = 0; k < s.dims.count(); ++k) sizes.push_back(s.dims[k]);
  Value out = Value::cell(Dims(sizes));
  for (Index i = 0; i < s.dims.numel(); ++i) {
    for (Index k = 0; k < n; ++k)
      out.edit_cell()[k + i * n] = s.columns[static_cast<std::size_t>(k)][static_cast<std::size_t>(i)];
  }
  c.ret(out);
}

void cell2struct(Call& c) {
  if (!c[0].is_cell()) fail_argument(1, "must be a cell array");
  const std::vector<std::string> names = text_list(c[1]);
  const Dims d = c[0].dims();
  if (d.numel() == 0 && c[1].is_empty()) return c.ret(Value::structure());
  for (std::size_t k = 0; k < names.size(); ++k) {
    if (names[k].empty()) fail_argument(2, "must not contain empty names");
    if (std::count(names.begin(), names.end(), names[k]) > 1) fail_argument(2, "must not contain a name twice");
  }
  const int dim = c.has(2) ? dim_argument(c, 2, d) : 0;
  if (d.count() > 2) fail_argument(1, "must have two dimensions");
  if (dim > 1) {
    // Along a dimension of size one: one field for the whole cell.
    if (names.size() != 1 && d.numel() > 0) fail("the number of fields does not match the size of the cell");
    auto* whole = new StructArray();
    Value result(whole);
    whole->dims = d;
    const auto at = static_cast<std::size_t>(whole->find_or_add(names.at(0)));
    for (Index i = 0; i < d.numel(); ++i) whole->columns[at][static_cast<std::size_t>(i)] = c[0].cell()[i];
    return c.ret(result);
  }
  if (d[dim] != static_cast<Index>(names.size())) fail("the number of fields does not match the size of the cell");
  const Index n = d[1 - dim];
  auto* s = new StructArray();
  Value out(s);
  s->dims = Dims(n, 1);
  for (std::size_t k = 0; k < names.size(); ++k) {
    const auto at = static_cast<std::size_t>(s->find_or_add(names[k]));
    for (Index i = 0; i < n; ++i) {
      const auto kk = static_cast<Index>(k);
      s->columns[at][static_cast<std::size_t>(i)] = dim == 0 ? c[0].cell().at(kk, i) : c[0].cell().at(i, kk);
    }
  }
  c.ret(out);
}

void orderfields(Call& c) {
  const StructArray& s = struct_argument(c, 0);
  std::vector<std::string> names = s.keys;
  if (c.has(1) && c[1].is_struct())
    names = c[1].structure_ref().keys;
  else if (c.has(1) && c[1].is_cell())
    names = text_list(c[1]);
  else
    std::sort(names.begin(), names.end());
  auto* o = new StructArray();
  Value out(o);
  o->dims = s.dims;
  std::vector<double> order;
  for (const std::string& n : names) {
    const int k = s.find(n);
    if (k < 0) fail("the struct has no field " + n);
    o->keys.push_back(n);
    o->columns.push_back(s.columns[static_cast<std::size_t>(k)]);
    order.push_back(k + 1);
  }
  c.ret(out);
  c.ret(Value::column(order));
}

void merge(Call& c) {
  Value out = Value::structure();
  for (int k = 0; k < c.count(); ++k) {
    const StructArray& s = struct_argument(c, k);
    for (std::size_t f = 0; f < s.keys.size(); ++f) out.edit_structure().set(s.keys[f], s.columns[f].at(0));
  }
  c.ret(out);
}

void substruct(Call& c) {
  if (c.count() % 2 != 0) fail("substruct needs pairs of a type and subscripts");
  auto* out = new StructArray();
  Value result(out);
  out->dims = Dims(1, c.count() / 2);
  for (const char* key : {"type", "subs"}) out->find_or_add(key);
  for (int k = 0; k < c.count(); k += 2) {
    const std::string type = c.text(k);
    if (type != "()" && type != "{}" && type != ".") fail_argument(k + 1, "must be '()', '{}' or '.'");
    out->columns[0][static_cast<std::size_t>(k / 2)] = c[k];
    out->columns[1][static_cast<std::size_t>(k / 2)] = c[k + 1];
  }
  c.ret(result);
}

constexpr Builtin struct_table[] = {
    {"struct", 0, -1, make_struct, "struct('name', value, ...): a struct; cells as values make a struct array.",
     "any, ..."},
    {"fieldnames", 1, 1, fieldnames, "fieldnames(s): names of the fields as a cell.", "any"},
    {"numfields", 1, 1, numfields, "numfields(s): number of fields.", "any"},
    {"isfield", 2, 2, isfield, "isfield(s, name): whether s has the field; a cell asks for several.", "any, any"},
    {"rmfield", 2, 2, rmfield, "rmfield(s, name): s without the field.", "struct, texts"},
    {"getfield", 1, -1, getfield, "getfield(s, {i}, 'name', ...): value at the end of a path of indices and names.",
     "any, any, ..."},
    {"setfield", 3, -1, setfield, "setfield(s, {i}, 'name', ..., value): s with the value at the end of a path.",
     "any, any, any, ..."},
    {"struct2cell", 1, 1, struct2cell, "struct2cell(s): values of the fields as a cell.", "struct"},
    {"cell2struct", 2, 3, cell2struct, "cell2struct(c, names, dim): struct with fields from a dimension of a cell.",
     "cell, texts, dim"},
    {"substruct", 2, -1, substruct, "substruct(type, subs, ...): description of an index for subsref and subsasgn.",
     "any, any, ..."},
    {"orderfields", 1, 2, orderfields, "[t, k] = orderfields(s, order): fields in alphabetical or given order.",
     "struct, struct cell"},
    {"merge_structs", 1, -1, merge, "merge_structs(a, b, ...): fields of all; later ones win.", "struct, ..."},
};

}  // namespace

BuiltinFamily struct_builtins() { return struct_table; }

}  // namespace orrery::oml
