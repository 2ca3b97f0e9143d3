// SPDX-License-Identifier: Apache-2.0
// Cell arrays and functions applied to every element: cellfun, arrayfun, structfun.
#include <algorithm>
#include <cmath>

#include "oml/builtins/families.h"
#include "oml/builtins/map.h"
#include "oml/indexing.h"
#include "oml/interpreter.h"
#include "oml/nesting.h"
#include "oml/operators.h"

namespace orrery::oml {
namespace {

struct Options {
  bool uniform = true;
  Value handler;  // none without ErrorHandler
  int count;      // arguments before the options
};

Options options_of(const Call& c) {
  Options o{true, Value(), c.count()};
  while (o.count >= 3 && c[o.count - 2].is_text() && c[o.count - 2].is_text_row()) {
    const std::string name = to_string(c[o.count - 2]);
    if (name == "UniformOutput" || name == "uniformoutput")
      o.uniform = is_true(c[o.count - 1]);
    else if (name == "ErrorHandler" || name == "errorhandler")
      o.handler = c[o.count - 1];
    else
      break;
    o.count -= 2;
  }
  return o;
}

// Collects the results of calls, as arrays of scalars or as cells.
class Collector {
 public:
  Collector(const Dims& dims, bool uniform, int outputs)
      : dims_(dims), uniform_(uniform), lists_(static_cast<std::size_t>(outputs)) {}

  void add(Values&& results) {
    for (std::size_t k = 0; k < lists_.size(); ++k) {
      if (k >= results.size() || results[k].is_none()) {
        if (lists_.size() == 1 && !required) return;
        fail("the function gives too few values");
      }
      if (uniform_ && (results[k].numel() != 1 || !results[k].is_arithmetic())) {
        fail("all values must be scalars when UniformOutput = true; use the 'UniformOutput', false option");
      }
      lists_[k].push_back(std::move(results[k]));
    }
  }

  void finish(Call& c) {
    for (Values& list : lists_) {
      if (list.empty() && dims_.numel() > 0) continue;
      if (!uniform_) {
        Value out = Value::cell(dims_);
        for (std::size_t i = 0; i < list.size(); ++i) out.edit_cell()[static_cast<Index>(i)] = stored(list[i]);
        c.ret(out);
        continue;
      }
      if (list.empty()) {
        c.ret(Value::zeros(dims_));
        continue;
      }
      Value joined = boxed(concatenate(list, 1));
      switch (joined.kind()) {
        case Kind::real: joined.edit_real().dims = dims_; break;
        case Kind::complex: joined.edit_complex().dims = dims_; break;
        default: joined.edit_bytes().dims = dims_;
      }
      c.ret(unboxed(joined));
    }
  }
  bool required = false;

 private:
  Dims dims_;
  bool uniform_;
  std::vector<Values> lists_;
};

Values guarded_call(Call& c, const Value& f, const Options& o, Values args, int nargout, Index i) {
  if (o.handler.is_none()) return c.oml.call(f, std::move(args), nargout);
  try {
    return c.oml.call(f, args, nargout);
  } catch (const OmlError& e) {
    Value info = Value::structure();
    info.edit_structure().set("message", Value::text(e.message));
    if (c.name != "structfun") info.edit_structure().set("identifier", Value::text(e.identifier));
    info.edit_structure().set("index", Value(i + 1));
    args.insert(args.begin(), info);
    return c.oml.call(o.handler, std::move(args), nargout);
  }
}

// The names cellfun knew before it took handles: size, isclass, prodofsize.
bool cellfun_by_name(Call& c) {
  if (!c[0].is_text() || !c[1].is_cell()) return false;
  const std::string name = to_string(c[0]);
  const CellArray& cells = c[1].cell();
  const bool class_test = name == "isclass";
  if (!class_test && name != "size" && name != "prodofsize") return false;
  if (name != "prodofsize" && !c.has(2)) fail("cellfun('" + name + "', c, x) needs a third argument");
  Value out = class_test ? Value::logical_zeros(cells.dims) : Value::zeros(cells.dims);
  for (Index i = 0; i < cells.size(); ++i) {
    if (class_test)
      out.edit_bytes()[i] = cells[i].class_name() == c.text(2);
    else
      out.edit_real()[i] =
          static_cast<double>(name == "size" ? cells[i].dims()[dim_argument(c, 2, cells[i].dims())] : cells[i].numel());
  }
  c.ret(unboxed(out));
  return true;
}

void cellfun(Call& c) {
  if (cellfun_by_name(c)) return;
  const Options o = options_of(c);
  Value f = c[0];
  if (f.is_text()) f = c.oml.to_handle(f);
  if (f.kind() != Kind::handle) fail_argument(1, "must be a function handle or name");
  Dims d = c[1].dims();
  for (int k = 1; k < o.count; ++k) {
    if (!c[k].is_cell()) fail_argument(k + 1, "must be a cell array");
    if (d.numel() == 1) d = c[k].dims();
  }
  for (int k = 1; k < o.count; ++k)
    if (c[k].numel() != 1 && !(c[k].dims() == d)) fail("all cell arrays must have the same size");
  Collector results(d, o.uniform, std::max(c.nargout, 1));
  results.required = c.nargout > 0;
  for (Index i = 0; i < d.numel(); ++i) {
    c.oml.tick();
    Values args;
    for (int k = 1; k < o.count; ++k) args.push_back(c[k].cell()[c[k].numel() == 1 ? 0 : i]);
    results.add(guarded_call(c, f, o, std::move(args), c.nargout, i));
  }
  results.finish(c);
}

void arrayfun(Call& c) {
  const Options o = options_of(c);
  Value f = c[0];
  if (f.is_text()) f = c.oml.to_handle(f);
  if (f.kind() != Kind::handle) fail_argument(1, "must be a function handle or name");
  Values arrays;
  for (int k = 1; k < o.count; ++k) arrays.push_back(stored(full(c[k])));
  Dims d = arrays[0].dims();
  for (const Value& a : arrays)
    if (d.numel() == 1) d = a.dims();
  for (const Value& a : arrays)
    if (a.numel() != 1 && !(a.dims() == d)) fail("all arrays must have the same size");
  Collector results(d, o.uniform, std::max(c.nargout, 1));
  results.required = c.nargout > 0;
  for (Index i = 0; i < d.numel(); ++i) {
    c.oml.tick();
    Values args;
    for (const Value& a : arrays) {
      const Value at(a.numel() == 1 ? Index{1} : i + 1);
      args.push_back(index_value(a, std::span<const Value>(&at, 1)));
    }
    results.add(guarded_call(c, f, o, std::move(args), c.nargout, i));
  }
  results.finish(c);
}

// f of every field of every element; the results lie along fields x rows x columns.
void structfun(Call& c) {
  const Options o = options_of(c);
  const Value f = c[0].is_text() ? c.oml.to_handle(c[0]) : c[0];
  const StructArray& s = c[1].structure_ref();
  const auto fields = static_cast<Index>(s.keys.size());
  const Index count = s.dims.numel();
  const auto call = [&](Index field, Index element, int nargout) {
    c.oml.tick();
    const Value& v = s.columns[static_cast<std::size_t>(field)][static_cast<std::size_t>(element)];
    return guarded_call(c, f, o, {v}, nargout, element * fields + field);
  };
  if (o.uniform) {
    std::vector<Index> sizes = {fields};
    for (int k = 0; k < s.dims.count(); ++k) sizes.push_back(s.dims[k]);
    Collector results(Dims(sizes), true, std::max(c.nargout, 1));
    results.required = c.nargout > 0;
    for (Index i = 0; i < count; ++i)
      for (Index k = 0; k < fields; ++k) results.add(call(k, i, c.nargout));
    return results.finish(c);
  }
  Value out = c[1];
  for (Index i = 0; i < count; ++i) {
    for (Index k = 0; k < fields; ++k) {
      Values r = call(k, i, 1);
      if (r.empty()) fail("the function gives no value");
      out.edit_structure().columns[static_cast<std::size_t>(k)][static_cast<std::size_t>(i)] = r[0];
    }
  }
  c.ret(out);
}

// Blocks of a matrix, each laid at the first free place, row by row.
class Mosaic {
 public:
  explicit Mosaic(Index width) : width_(width) {}

  void lay(Index block, const Dims& d) {
    Index at = 0;
    while (at < static_cast<Index>(owner_.size()) && owner_[static_cast<std::size_t>(at)] >= 0) ++at;
    const Index row = at / std::max<Index>(width_, 1), column = at - row * width_;
    if (column + d.cols() > width_) fail("the elements do not fit together");
    const Index needed = (row + d.rows()) * width_;
    if (static_cast<Index>(owner_.size()) < needed) {
      owner_.resize(static_cast<std::size_t>(needed), -1);
      source_.resize(static_cast<std::size_t>(needed), 0);
    }
    for (Index r = 0; r < d.rows(); ++r) {
      for (Index k = 0; k < d.cols(); ++k) {
        const auto place = static_cast<std::size_t>((row + r) * width_ + column + k);
        if (owner_[place] >= 0) fail("the elements do not fit together");
        owner_[place] = block;
        source_[place] = r + k * d.rows();
      }
    }
  }
  // The whole, from the blocks joined to one column of elements.
  Value assemble(const std::vector<Index>& starts, const Value& elements) const {
    const auto total = static_cast<Index>(owner_.size());
    const Index rows = width_ == 0 ? 0 : total / width_;
    Value index = Value::zeros(Dims(rows, width_));
    for (Index i = 0; i < total; ++i) {
      const auto place = static_cast<std::size_t>(i);
      if (owner_[place] < 0) fail("the elements do not fill a rectangle");
      index.edit_real().at(i / width_, i % width_) =
          static_cast<double>(starts[static_cast<std::size_t>(owner_[place])] + source_[place] + 1);
    }
    // Of a column a row of indices takes a column, so the direction is put right.
    const Value out = index_value(boxed(elements), std::span<const Value>(&index, 1));
    return out.dims() == Dims(rows, width_) ? out : transpose(boxed(out), false);
  }

 private:
  Index width_;
  std::vector<Index> owner_, source_;  // block and element within it, row by row
};

void cell2mat(Call& c) {
  const CellArray& cells = c[0].cell();
  if (cells.size() == 0) return c.ret(Value::empty());
  if (cells.dims.count() > 2) fail_argument(1, "must have two dimensions");
  const auto kind = [](const Value& v) {
    return v.is_text() ? 1 : v.is_cell() ? 2 : v.is_struct() ? 3 : v.is_arithmetic() ? 0 : 4;
  };
  Values blocks;
  Index width = 0;
  for (Index r = 0; r < cells.dims.rows(); ++r) {
    for (Index k = 0; k < cells.dims.cols(); ++k) {
      const Value v = stored(full(cells.at(r, k)));
      if (kind(v) == 4 || (!blocks.empty() && kind(v) != kind(blocks[0])))
        fail_argument(1, "must hold elements of one kind: numbers, texts, cells or structs");
      if (v.dims().count() > 2) fail_argument(1, "must hold matrices");
      if (r == 0) width += v.dims().cols();
      blocks.push_back(v);
    }
  }
  Mosaic mosaic(width);
  std::vector<Index> starts;
  Values columns;
  Index next = 0;
  for (std::size_t k = 0; k < blocks.size(); ++k) {
    starts.push_back(next);
    next += blocks[k].numel();
    if (blocks[k].is_empty()) continue;
    mosaic.lay(static_cast<Index>(k), blocks[k].dims());
    const Value colon = Value::colon();
    columns.push_back(index_value(boxed(blocks[k]), std::span<const Value>(&colon, 1)));
  }
  if (columns.empty()) return c.ret(blocks[0]);
  c.ret(mosaic.assemble(starts, boxed(concatenate(columns, 0))));
}

void num2cell(Call& c) {
  if (c[0].is_cell() && !c.has(1)) return c.ret(c[0]);
  const Value v = stored(full(c[0]));
  const Dims d = v.dims();
  if (c.has(1)) {
    const Index along = c.whole(1);
    if (along < 1 || along > 2) fail_argument(2, "must be 1 or 2");
    const Index n = along == 1 ? d.cols() : d.rows();
    Value out = Value::cell(along == 1 ? Dims(1, n) : Dims(n, 1));
    for (Index i = 0; i < n; ++i) {
      Values subs = {Value::colon(), Value(i + 1)};
      if (along == 2) std::swap(subs[0], subs[1]);
      out.edit_cell()[i] = index_value(v, subs);
    }
    return c.ret(out);
  }
  Value out = Value::cell(d);
  for (Index i = 0; i < d.numel(); ++i) {
    const Value at(i + 1);
    out.edit_cell()[i] = index_value(v, std::span<const Value>(&at, 1));
  }
  c.ret(out);
}

void mat2cell(Call& c) {
  const Value v = stored(full(c[0]));
  const std::vector<double> rows = to_vector(c[1]);
  const std::vector<double> cols =
      c.has(2) ? to_vector(c[2]) : std::vector<double>{static_cast<double>(v.dims().cols())};
  const auto total = [](const std::vector<double>& x) {
    double s = 0;
    for (double y : x) s += y;
    return static_cast<Index>(s);
  };
  if (total(rows) != v.dims().rows() || total(cols) != v.dims().cols())
    fail("the sizes must add up to those of the matrix");
  Value out = Value::cell(Dims(static_cast<Index>(rows.size()), static_cast<Index>(cols.size())));
  double c0 = 1;
  for (std::size_t k = 0; k < cols.size(); c0 += cols[k++]) {
    double r0 = 1;
    for (std::size_t r = 0; r < rows.size(); r0 += rows[r++]) {
      const Values subs = {Value(new Range(r0, 1, static_cast<Index>(rows[r]))),
                           Value(new Range(c0, 1, static_cast<Index>(cols[k])))};
      out.edit_cell().at(static_cast<Index>(r), static_cast<Index>(k)) = index_value(v, subs);
    }
  }
  c.ret(out);
}

void show_elements(Call& c, const CellArray& cells, const std::string& name) {
  const NestingGuard guard;
  for (Index i = 0; i < cells.size(); ++i) {
    std::string place = name + "{";
    if (cells.dims.is_vector())
      place += std::to_string(i + 1);
    else
      place += std::to_string(i % cells.dims.rows() + 1) + "," + std::to_string(i / cells.dims.rows() + 1);
    place += "}";
    if (cells[i].is_cell()) {
      show_elements(c, cells[i].cell(), place);
      continue;
    }
    c.oml.show("", Value::text(place + " = "));
    c.oml.show("", cells[i]);
  }
}

void celldisp(Call& c) {
  if (!c[0].is_cell()) fail_argument(1, "must be a cell array");
  show_elements(c, c[0].cell(), c.has(1) ? c.text(1) : c.variable_name(0));
}

void cellslices(Call& c) {
  const std::vector<double> low = to_vector(c[1]), high = to_vector(c[2]);
  const Dims d = c[0].dims();
  const int dim = dim_argument(c, 3, d);
  std::vector<Value> parts;
  for (std::size_t k = 0; k < low.size() && k < high.size(); ++k) {
    Values subs(static_cast<std::size_t>(std::max(d.count(), dim + 1)), Value::colon());
    const double count = std::max(0.0, high[k] - low[k] + 1);
    if (!(count <= static_cast<double>(d[dim]))) fail_argument(3, "must lie in the array");
    subs[static_cast<std::size_t>(dim)] = Value(new Range(low[k], 1, static_cast<Index>(count)));
    parts.push_back(index_value(c[0], subs));
  }
  c.ret(Value::cell_row(parts));
}

void deal(Call& c) {
  if (c.count() != 1 && c.count() != std::max(c.nargout, 1)) fail("the number of inputs and outputs does not match");
  for (int k = 0; k < std::max(c.nargout, 1); ++k) c.ret(c[c.count() == 1 ? 0 : k]);
}

constexpr Builtin cell_table[] = {
    {"deal", 1, -1, deal, "[a, b, ...] = deal(x, y, ...): one input for each output, or the same for all.", "any, ..."},
    {"cellfun", 2, -1, cellfun,
     "[a, b, ...] = cellfun(f, c1, c2, ..., 'UniformOutput', tf, 'ErrorHandler', h): f of every element of cells.",
     "function, any, ..."},
    {"arrayfun", 2, -1, arrayfun,
     "[a, b, ...] = arrayfun(f, x1, x2, ..., 'UniformOutput', tf, 'ErrorHandler', h): f of every element of arrays.",
     "function, any"},
    {"structfun", 2, -1, structfun,
     "structfun(f, s, 'UniformOutput', tf, 'ErrorHandler', h): f of every field of a struct or struct array.",
     "function, struct"},
    {"cell2mat", 1, 1, cell2mat, "cell2mat(c): the elements of a cell joined to one matrix.", "cell"},
    {"num2cell", 1, 2, num2cell, "num2cell(x): cell with one element of x each.", "any, number"},
    {"mat2cell", 2, 3, mat2cell, "mat2cell(A, rows, cols): A cut into blocks of the given sizes.",
     "any, real vector, real vector"},
    {"celldisp", 1, 2, celldisp, "celldisp(c, name): shows every element of a cell.", "cell, word"},
    {"cellslices", 3, 4, cellslices, "cellslices(x, low, high, dim): parts of x from low(k) to high(k).",
     "any, real, real, dim?"},
};

}  // namespace

BuiltinFamily cell_builtins() { return cell_table; }

}  // namespace orrery::oml
