// SPDX-License-Identifier: Apache-2.0
// Saving and loading variables: MAT files and text.
#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "oml/builtins/families.h"
#include "oml/builtins/mat_files.h"
#include "oml/builtins/open_files.h"
#include "oml/interpreter.h"
#include "oml/nesting.h"

namespace orrery::oml {
namespace {

// Workspaces as text: "name kind rows cols" and hexadecimal floats; structs and cells nest.
void save_value(std::ostream& out, const std::string& name, const Value& given) {
  const NestingGuard guard;
  const Value v = stored(given);
  const Dims d = v.dims();
  out << name << ' ' << v.class_name() << ' ' << (v.is_complex() ? 1 : 0) << ' ' << d.count();
  for (int k = 0; k < d.count(); ++k) out << ' ' << d[k];
  out << '\n';
  if (v.is_cell()) {
    for (const Value& item : v.cell().data) save_value(out, "-", item);
  } else if (v.is_struct()) {
    const StructArray& s = v.structure_ref();
    out << s.keys.size() << '\n';
    for (std::size_t k = 0; k < s.keys.size(); ++k)
      for (const Value& item : s.columns[k]) save_value(out, s.keys[k], item);
  } else if (v.is_arithmetic()) {
    char text[40];
    const Value z = to_complex(full(v));
    for (const Complex& x : z.complex().data) {
      std::snprintf(text, sizeof text, "%a ", x.real());
      out << text;
      if (v.is_complex()) std::snprintf(text, sizeof text, "%a ", x.imag()), out << text;
    }
    out << '\n';
  } else {
    fail("a " + v.class_name() + " cannot be saved");
  }
}

Value load_value(std::istream& in, std::string& name) {
  const NestingGuard guard;
  std::string cls;
  int complex = 0, count = 0;
  if (!(in >> name >> cls >> complex >> count) || count < 2 || count > Dims::max_count) fail("the file is damaged");
  std::vector<Index> sizes(static_cast<std::size_t>(count));
  for (Index& s : sizes) in >> s;
  const Dims d(sizes);
  const Index n = checked_numel(d);
  if (cls == "cell") {
    Value out = Value::cell(d);
    std::string unused;
    for (Index i = 0; i < n; ++i) out.edit_cell()[i] = load_value(in, unused);
    return out;
  }
  if (cls == "struct") {
    std::size_t keys = 0;
    in >> keys;
    auto* s = new StructArray();
    Value out(s);
    s->dims = d;
    for (std::size_t k = 0; k < keys && in; ++k) {
      Values column;
      std::string key;
      for (Index i = 0; i < n; ++i) column.push_back(load_value(in, key));
      s->keys.push_back(key);
      s->columns.push_back(column);
    }
    return out;
  }
  const auto number = [&] {
    std::string word;
    if (!(in >> word)) fail("the file is damaged");
    return std::strtod(word.c_str(), nullptr);
  };
  Value z = Value::complex_zeros(d);
  for (Index i = 0; i < n; ++i) {
    const double re = number(), im = complex ? number() : 0;
    z.edit_complex()[i] = Complex(re, im);
  }
  if (complex) return z;
  Value r = boxed(narrowed(z));
  if (cls == "logical") return unboxed(to_logical(r));
  if (cls == "char") {
    Value chars = Value::chars_filled(d, ' ');
    for (Index i = 0; i < n; ++i) chars.edit_bytes()[i] = static_cast<std::uint8_t>(r.real()[i]);
    return chars;
  }
  return unboxed(r);
}

struct SaveOptions {
  std::string file;
  std::vector<std::string> names;
  bool text = false, append = false;
  MatVersion version = MatVersion::v5_compressed;
};

SaveOptions save_options(Call& c) {
  SaveOptions o;
  for (int k = 0; k < c.count(); ++k) {
    const std::string word = c.text(k);
    if (word == "-text" || word == "-ascii")
      o.text = true;
    else if (word == "-append")
      o.append = true;
    else if (word == "-v7.3" || word == "-hdf5")
      o.version = MatVersion::v7_3;
    else if (word == "-v5" || word == "-v6" || word == "-v4")
      o.version = MatVersion::v5;
    else if (!word.empty() && word[0] == '-')
      continue;
    else if (o.file.empty())
      o.file = word;
    else
      o.names.push_back(word);
  }
  if (o.file.empty()) fail("save needs a file name");
  return o;
}

void save(Call& c) {
  const SaveOptions o = save_options(c);
  Frame& frame = c.oml.current_frame();
  NamedValues variables;
  const bool all = o.names.empty();
  for (const std::string& n : all ? c.oml.variable_names(frame) : o.names) {
    const Value* v = c.oml.find_variable(frame, n);
    if (v == nullptr) fail("there is no variable " + n);
    if (all && n == "args" && v->is_empty()) continue;
    if (all && !fits_mat_file(*v)) {
      c.oml.warn("the variable " + n + " cannot be saved and is left out");
      continue;
    }
    variables.emplace_back(n, *v);
  }
  if (!o.text && o.append) return write_mat_file(o.file, variables, o.version, true);
  replace_file(o.file, [&](const std::string& name) {
    if (!o.text) return write_mat_file(name, variables, o.version, false);
    std::ofstream out(name);
    if (!out) fail("cannot write " + o.file);
    out << "OML workspace 1\n";
    for (const auto& [n, v] : variables) save_value(out, n, v);
    expect_written(out, o.file);
  });
}

NamedValues read_text(const std::string& text) {
  std::istringstream in(text.substr(16));
  NamedValues out;
  while (in >> std::ws && in.peek() != EOF) {
    std::string name;
    Value v = load_value(in, name);
    out.emplace_back(name, v);
  }
  return out;
}

void load(Call& c) {
  std::string file;
  std::vector<std::string> names;
  for (int k = 0; k < c.count(); ++k) {
    const std::string word = c.text(k);
    if (!word.empty() && word[0] == '-') continue;
    if (file.empty())
      file = word;
    else
      names.push_back(word);
  }
  file = existing_name(file);
  if (!std::ifstream(file) && std::ifstream(existing_name(file + ".mat"))) file = existing_name(file + ".mat");
  c.require_read(file);
  NamedValues variables;
  if (is_mat_file(file)) {
    variables = read_mat_file(file);
  } else {
    const std::string text = read_whole(c, file);
    if (text.rfind("OML workspace 1\n", 0) != 0) {
      // Columns of numbers: one matrix named like the file.
      const Value m = c.oml.call_named("dlmread", {Value::text(file)}, 1).at(0);
      if (c.nargout > 0) return c.ret(m);
      const std::size_t slash = file.find_last_of('/') + 1, dot = file.find('.', slash);
      return c.oml.set_variable(c.oml.current_frame(), file.substr(slash, dot - slash), m);
    }
    variables = read_text(text);
  }
  Value s = Value::structure();
  for (const auto& [name, v] : variables) {
    if (!names.empty() && std::find(names.begin(), names.end(), name) == names.end()) continue;
    if (c.nargout > 0)
      s.edit_structure().set(name, v);
    else
      c.oml.set_variable(c.oml.current_frame(), name, v);
  }
  if (c.nargout > 0) c.ret(s);
}

constexpr Builtin workspace_file_table[] = {
    {"save", 1, -1, save,
     "save file x y ... -v7.3|-v5|-text|-append: variables to a MAT file; without names all of them.", "any, ...",
     Capability::write},
    {"load", 1, -1, load,
     "load file x y ...: variables of a MAT file; s = load(file) gives a struct. Files of numbers give a matrix.",
     "any, ...", Needs::asked()},
};

}  // namespace

BuiltinFamily workspace_file_builtins() { return workspace_file_table; }

}  // namespace orrery::oml
