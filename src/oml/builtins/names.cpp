// SPDX-License-Identifier: Apache-2.0
// Names: what they may be, what they are, listing and clearing them.
#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "oml/builtins/families.h"
#include "oml/builtins/open_files.h"
#include "oml/interpreter.h"
#include "oml/lexer.h"
#include "oml/nesting.h"

namespace orrery::oml {
namespace {

bool is_name(const std::string& s) {
  if (s.empty() || is_keyword(s)) return false;
  if (!std::isalpha(static_cast<unsigned char>(s[0])) && s[0] != '_') return false;
  return std::all_of(s.begin(), s.end(),
                     [](char ch) { return std::isalnum(static_cast<unsigned char>(ch)) || ch == '_'; });
}

void isvarname(Call& c) { c.ret(Value(c[0].dims().rows() <= 1 && is_name(c.text(0)))); }

// A name that is free: keywords get a _ in front, clashes a number behind.
std::string free_name(std::string s, std::vector<std::string>& used) {
  for (char& ch : s)
    if (!std::isalnum(static_cast<unsigned char>(ch)) && ch != '_') ch = '_';
  if (s.empty()) s = "x";
  if (is_keyword(s)) s = "_" + s;
  if (std::isdigit(static_cast<unsigned char>(s[0]))) s = "x" + s;
  std::string candidate = s;
  const std::string base = std::isdigit(static_cast<unsigned char>(s.back())) ? s + "_" : s;
  for (int n = 1; std::find(used.begin(), used.end(), candidate) != used.end(); ++n)
    candidate = base + std::to_string(n);
  used.push_back(candidate);
  return candidate;
}

void genvarname(Call& c) {
  for (int k = 0; k < c.count(); ++k) {
    if (c[k].is_text() && c[k].dims().rows() > 1) fail_argument(k + 1, "must be a string or a cell of strings");
  }
  std::vector<std::string> used = c.has(1) && !c[1].is_empty() ? text_list(c[1]) : std::vector<std::string>();
  if (!c[0].is_cell()) return c.ret(Value::text(free_name(c.text(0), used)));
  Value out = c[0];
  const std::vector<std::string> names = text_list(c[0]);
  for (std::size_t k = 0; k < names.size(); ++k)
    out.edit_cell()[static_cast<Index>(k)] = Value::text(free_name(names[k], used));
  c.ret(out);
}

void exist(Call& c) {
  const std::string name = existing_name(c.text(0)), what = c.has(1) ? c.text(1) : "";
  if ((what.empty() || what == "var") && c.oml.find_variable(c.oml.current_frame(), name) != nullptr)
    return c.ret(Value(1));
  if (what == "var") return c.ret(Value(0));
  std::error_code ec;
  const bool asks_for_files = what == "file" || what == "dir" || name.find('/') != std::string::npos;
  if (asks_for_files) c.require_read(name);
  if (what.empty() ? c.oml.options().consent.may_read(name) : asks_for_files) {
    if (std::filesystem::is_directory(name, ec)) return c.ret(Value(7));
    if (what == "dir") return c.ret(Value(0));
    if (std::filesystem::exists(name, ec)) return c.ret(Value(2));
    if (!c.oml.find_on_path(name).empty()) return c.ret(Value(2));
    if (what == "file") return c.ret(Value(0));
  }
  if (c.oml.builtin(name) != nullptr) return c.ret(Value(5));
  if (what != "builtin" && c.oml.is_callable(name)) return c.ret(Value(103));
  c.ret(Value(0));
}

// "x*" style patterns of clear and who.
bool matches(const char* p, const char* s) {
  if (*p == '\0') return *s == '\0';
  if (*p == '*') return matches(p + 1, s) || (*s != '\0' && matches(p, s + 1));
  return *s != '\0' && (*p == '?' || *p == *s) && matches(p + 1, s + 1);
}

void clear(Call& c) {
  Frame& frame = c.oml.current_frame();
  std::vector<std::string> patterns;
  bool except = false, global = false, functions = false;
  for (int k = 0; k < c.count(); ++k) {
    const std::string word = c.text(k);
    if (word == "-except" || word == "-x" || word == "-exclusive")
      except = true;
    else if (word == "-all" || word == "all" || word == "-a" || word == "variables" || word == "-v" ||
             word == "-variables")
      patterns.emplace_back("*");
    else if (word == "global" || word == "-global" || word == "-g")
      global = true;
    else if (word == "functions" || word == "-functions" || word == "-f")
      functions = true;
    else if (!word.empty() && word[0] != '-')
      patterns.push_back(word);
  }
  const bool named = !patterns.empty();
  if (patterns.empty()) patterns.emplace_back("*");
  const auto hit = [&](const std::string& name) {
    return std::any_of(patterns.begin(), patterns.end(),
                       [&](const std::string& p) { return matches(p.c_str(), name.c_str()); }) != except;
  };
  if (functions || (named && !global && !except)) {
    for (const std::string& name : c.oml.defined_functions())
      if (hit(name) && (functions || c.oml.find_variable(frame, name) == nullptr)) c.oml.forget_function(name);
    if (functions) return;
  }
  for (const std::string& name : c.oml.variable_names(frame)) {
    if (!hit(name)) continue;
    if (!global) {
      c.oml.clear_variable(frame, name);
    } else if (c.oml.is_global(frame, name)) {
      c.oml.clear_variable(frame, name);
      c.oml.clear_global(name);
      c.oml.uncover_local(frame, name);
    }
  }
}

void clearvars(Call& c) {
  std::vector<std::string> keep, patterns;
  bool except = false;
  for (int k = 0; k < c.count(); ++k) {
    const std::string word = c.text(k);
    if (word == "-except")
      except = true;
    else
      (except ? keep : patterns).push_back(word);
  }
  if (patterns.empty()) patterns.emplace_back("*");
  const auto any = [](const std::vector<std::string>& list, const std::string& name) {
    return std::any_of(list.begin(), list.end(),
                       [&](const std::string& p) { return matches(p.c_str(), name.c_str()); });
  };
  for (const std::string& name : c.oml.variable_names(c.oml.current_frame())) {
    if (any(patterns, name) && !any(keep, name)) c.oml.clear_variable(c.oml.current_frame(), name);
  }
}

std::vector<std::string> listed(Call& c) {
  std::vector<std::string> out;
  for (const std::string& name : c.oml.variable_names(c.oml.current_frame())) {
    bool hit = c.count() == 0;
    for (int k = 0; k < c.count(); ++k) hit = hit || matches(c.text(k).c_str(), name.c_str());
    // The arguments of the script are no variable of the user's when there are none.
    if (name == "args" && c.oml.script_arguments.empty()) {
      const Value* v = c.oml.find_variable(c.oml.current_frame(), name);
      hit = hit && !(v != nullptr && v->is_cell() && v->is_empty());
    }
    if (hit) out.push_back(name);
  }
  return out;
}

[[noreturn]] void fail_no_variables() {
  OmlError e("No variables in current scope");
  e.without_prefix = true;
  throw e;
}

void who(Call& c) {
  const std::vector<std::string> names = listed(c);
  if (c.nargout > 0) return c.ret(Value::text_cell(names, true));
  if (names.empty()) fail_no_variables();
  std::string text = "Variables in current scope:\n";
  for (const std::string& n : names) text += n + "\n";
  c.oml.write(text);
}

// 8 for a number, 16 for a complex one, 1 for a character; containers count what they hold.
Index byte_count(const Value& v) {
  const NestingGuard guard;
  Index total = 0;
  if (v.is_cell()) {
    for (const Value& item : v.cell().data) total += byte_count(item);
    return total;
  }
  if (v.is_struct()) {
    for (const Values& column : v.structure_ref().columns)
      for (const Value& item : column) total += byte_count(item);
    return total;
  }
  if (!v.is_arithmetic()) return 0;
  const Index count = v.kind() == Kind::sparse ? v.sparse().nonzeros() : v.numel();
  return count * (v.is_text() ? 1 : v.is_complex() ? 16 : 8);
}

// A variable, or a field such as s.f.g of one; null when there is none.
const Value* variable_or_field(Call& c, const std::string& path) {
  std::size_t dot = path.find('.');
  const Value* v = c.oml.find_variable(c.oml.current_frame(), path.substr(0, dot));
  while (v != nullptr && dot != std::string::npos) {
    const std::size_t next = path.find('.', dot + 1);
    if (!v->is_struct() || v->numel() != 1) return nullptr;
    v = v->structure_ref().get(path.substr(dot + 1, next == std::string::npos ? next : next - dot - 1));
    dot = next;
  }
  return v;
}

void whos(Call& c) {
  std::vector<std::string> names = listed(c);
  for (int k = 0; k < c.count(); ++k)
    if (c.text(k).find('.') != std::string::npos && variable_or_field(c, c.text(k)) != nullptr)
      names.push_back(c.text(k));
  if (names.empty()) fail_no_variables();
  std::vector<std::array<std::string, 5>> lines = {{"Attr", "Name", "Size", "Bytes", "Class"},
                                                   {"====", "====", "====", "=====", "====="}};
  for (const std::string& n : names) {
    const Value& v = *variable_or_field(c, n);
    std::string size = v.dims().text();
    std::erase(size, ' ');
    lines.push_back({v.is_complex() ? "c" : "", n, size, std::to_string(byte_count(v)), v.class_name()});
  }
  std::array<std::size_t, 5> width{};
  for (const auto& line : lines)
    for (std::size_t k = 0; k < width.size(); ++k) width[k] = std::max(width[k], line[k].size());
  std::string text;
  for (const auto& line : lines) {
    for (std::size_t k = 0; k < width.size(); ++k) {
      const std::string gap(width[k] - line[k].size(), ' ');
      text += " " + (k == 3 ? gap + line[k] : k + 1 == width.size() ? line[k] : line[k] + gap);
    }
    text += "\n";
  }
  c.oml.write(text);
}

void isglobal(Call& c) { c.ret(Value(c.oml.is_global(c.oml.current_frame(), c.text(0)))); }

// What a name or token is, as `type` and `which` say it; empty when nobody knows it.
std::string kind_of_name(Interpreter& oml, const std::string& name) {
  static constexpr std::string_view operators[] = {
      "+",  "-",  "*", "/", "\\", "^",  "'", ".*", "./", ".\\", ".^", ".'", "<",  "<=", ">",  ">=", "==",
      "~=", "!=", "&", "|", "&&", "||", "~", "!",  "=",  "++",  "--", "+=", "-=", "*=", "/=", "^=", ":"};
  static constexpr std::string_view tokens[] = {"(", ")", "[", "]", "{", "}", ",", ";", ".", "...", "@", "%", "#"};
  if (std::find(std::begin(operators), std::end(operators), name) != std::end(operators)) return "an operator";
  if (std::find(std::begin(tokens), std::end(tokens), name) != std::end(tokens)) return "a reserved token";
  if (is_keyword(name)) return "a keyword";
  const auto user = oml.find_user_function(name);
  if (user) return "a user function";
  if (oml.builtin(name) != nullptr) return "a built-in function";
  return oml.is_callable(name) ? "a user function" : "";
}

std::string text_of_name(const Call& c, const std::string& name, bool quiet) {
  Interpreter& oml = c.oml;
  const Value* v = oml.find_variable(oml.current_frame(), name);
  if (v != nullptr) {
    const std::string value = display_text("", *v, oml.format);
    return quiet ? value : name + " is a variable\n" + value;
  }
  const std::string kind = kind_of_name(oml, name);
  if (kind == "a user function") {
    const auto f = oml.find_user_function(name);
    const std::string source = f ? f->source + "\n" : "";
    return quiet ? source : name + " is a user function\n" + source;
  }
  if (!kind.empty()) return name + " is " + kind + "\n";
  c.require_read(name);
  const auto text = read_script(name);
  if (!text) fail("'" + name + "' is undefined");
  return *text;
}

void type_of(Call& c) {
  std::vector<std::string> names;
  bool quiet = false;
  for (int k = 0; k < c.count(); ++k) {
    const std::string word = c.text(k);
    if (word == "-q" || word == "-Q")
      quiet = true;
    else
      names.push_back(word);
  }
  Values texts;
  for (const std::string& name : names) texts.push_back(Value::text(text_of_name(c, name, quiet)));
  if (c.nargout > 0) return c.ret(Value::cell_row(texts));
  for (const Value& text : texts) c.oml.write(to_string(text));
}

void which(Call& c) {
  std::string text;
  for (int k = 0; k < c.count(); ++k) {
    const std::string name = c.text(k);
    const bool variable = c.oml.find_variable(c.oml.current_frame(), name) != nullptr;
    const std::string kind = variable ? "a variable" : kind_of_name(c.oml, name);
    if (kind.empty()) fail("'" + name + "' is undefined");
    text += "'" + name + "' is " + kind + "\n";
  }
  if (c.nargout > 0) return c.ret(Value::text(text.substr(0, text.size() - 1)));
  c.oml.write(text);
}

// Locking keeps a function from being cleared; only a running function can be locked.
void lock(Call& c) {
  if (c.count() == 0 && c.oml.current_frame().function == nullptr) fail("must be called from inside a function");
  if (c.name == "mislocked")
    c.ret(Value(c.oml.is_locked(c.count() > 0 ? c.text(0) : c.oml.current_frame().function->name)));
  else
    c.oml.set_locked(c.count() > 0 ? c.text(0) : c.oml.current_frame().function->name, c.name == "mlock");
}

constexpr Builtin name_table[] = {
    {"isvarname", 1, 1, isvarname, "isvarname(s): whether s can name a variable.", "text"},
    {"genvarname", 1, 2, genvarname, "genvarname(s, taken): a valid variable name made from s.", "texts, texts"},
    {"exist", 1, 2, exist, "exist(name, kind): 1 variable, 2 file, 5 builtin, 7 folder, 103 function, 0 nothing.",
     "word, word", Needs::asked()},
    {"clear", 0, -1, clear, "clear x y* ...: removes variables; -except keeps those named.", "word, ..."},
    {"clearvars", 0, -1, clearvars, "clearvars x y -except z: removes variables.", "word, ..."},
    {"who", 0, -1, who, "who: names of the variables.", "word, ..."},
    {"whos", 0, -1, whos, "whos: table of the variables.", "word, ..."},
    {"isglobal", 1, 1, isglobal, "isglobal(name): whether the name is declared global here.", "word"},
    {"type", 1, -1, type_of,
     "type name ...: says what names are and shows the values of variables, the text of functions and files; '-q' "
     "leaves "
     "the sentence out; c = type(...) gives the texts in a cell.",
     "word, ...", Needs::asked()},
    {"which", 1, -1, which, "which name ...: says what a name is.", "word, ..."},
    {"mlock", 0, 0, lock, "mlock: keeps the running function from being cleared."},
    {"munlock", 0, 1, lock, "munlock(name): allows a function to be cleared again.", "word"},
    {"mislocked", 0, 1, lock, "mislocked(name): whether a function is kept from being cleared.", "word"},
};

}  // namespace

BuiltinFamily name_builtins() { return name_table; }

}  // namespace orrery::oml
