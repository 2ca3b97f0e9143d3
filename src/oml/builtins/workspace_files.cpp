// SPDX-License-Identifier: Apache-2.0
// Saving and loading variables as text.
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "oml/builtins/families.h"
#include "oml/interpreter.h"
#include "oml/nesting.h"

namespace orrery::oml {
namespace {

std::string read_whole(const std::string& name) {
  std::ifstream in(name, std::ios::binary);
  if (!in) fail("cannot read " + name);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

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

void save(Call& c) {
  if (!c.oml.options().may_touch_files) fail("files may not be changed here");
  std::vector<std::string> words;
  for (int k = 0; k < c.count(); ++k)
    if (c.text(k).empty() || c.text(k)[0] != '-') words.push_back(c.text(k));
  if (words.empty()) fail("save needs a file name");
  std::ofstream out(words[0]);
  if (!out) fail("cannot write " + words[0]);
  std::vector<std::string> names(words.begin() + 1, words.end());
  Frame& frame = c.oml.current_frame();
  if (names.empty()) names = c.oml.variable_names(frame);
  out << "OML workspace 1\n";
  for (const std::string& n : names) {
    const Value* v = c.oml.find_variable(frame, n);
    if (v == nullptr) fail("there is no variable " + n);
    save_value(out, n, *v);
  }
}

void load(Call& c) {
  const std::string text = read_whole(c.text(0));
  if (text.rfind("OML workspace 1\n", 0) != 0) {
    return c.ret(c.oml.call_named("dlmread", {c[0]}, 1).at(0));
  }
  std::istringstream in(text.substr(16));
  Value s = Value::structure();
  while (in >> std::ws && in.peek() != EOF) {
    std::string name;
    Value v = load_value(in, name);
    bool wanted = c.count() == 1;
    for (int k = 1; k < c.count(); ++k) wanted = wanted || c.text(k) == name;
    if (!wanted) continue;
    if (c.nargout > 0)
      s.edit_structure().set(name, v);
    else
      c.oml.set_variable(c.oml.current_frame(), name, v);
  }
  if (c.nargout > 0) c.ret(s);
}

constexpr Builtin table[] = {
    {"save", 1, -1, save, "save file x y ...: variables to a file; without names all of them."},
    {"load", 1, -1, load, "load file x y ...: variables of a file; s = load(file) gives a struct."},
};

}  // namespace

BuiltinFamily workspace_file_builtins() { return table; }

}  // namespace orrery::oml
