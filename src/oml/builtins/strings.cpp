// SPDX-License-Identifier: Apache-2.0
// Strings: comparing, searching, splitting, changing.
#include <algorithm>
#include <cctype>
#include <cmath>

#include "oml/builtins/families.h"
#include "oml/builtins/map.h"
#include "oml/builtins/printf_format.h"
#include "oml/indexing.h"
#include "oml/interpreter.h"

namespace orrery::oml {
namespace {

char lower_char(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }
char upper_char(char c) { return static_cast<char>(std::toupper(static_cast<unsigned char>(c))); }

std::string lowered(std::string s) {
  std::transform(s.begin(), s.end(), s.begin(), lower_char);
  return s;
}

// f on a string, or on every string of a cell.
template <class F>
Value map_text(const Value& v, F f) {
  if (v.is_cell()) {
    Value out = v;
    CellArray& cells = out.edit_cell();
    for (Value& item : cells.data) item = map_text(item, f);
    return out;
  }
  if (!v.is_text()) fail("Argument 1; must be a string or a cell of strings");
  std::vector<std::string> rows = text_rows(v);
  if (rows.size() <= 1) return Value::text(f(rows.empty() ? std::string() : rows[0]));
  for (std::string& r : rows) r = f(r);
  return text_matrix(rows);
}

// Text as it is; numbers become the characters of their codes.
Value characters_of(const Value& v) {
  if (v.is_text()) return v;
  if (!v.is_arithmetic() || v.is_complex()) fail_argument(1, "must be a string or a cell of strings");
  const Value codes = to_real(v);
  Value out = Value::chars_filled(codes.dims(), ' ');
  for (Index i = 0; i < codes.numel(); ++i)
    out.edit_bytes()[i] = static_cast<std::uint8_t>(character_of(codes.real()[i]));
  return out;
}

Value map_characters(const Value& v, char (*f)(char)) {
  if (v.is_cell()) {
    Value out = v;
    for (Value& item : out.edit_cell().data) item = map_characters(item, f);
    return out;
  }
  Value out = characters_of(v);
  for (std::uint8_t& b : out.edit_bytes().data) b = static_cast<std::uint8_t>(f(static_cast<char>(b)));
  return out;
}

// strcmp and kin: strings with strings, cells elementwise.
template <class Same>
Value compare(const Value& a, const Value& b, Same same) {
  if (a.is_cell() && b.is_cell()) {
    const bool scalar_a = a.numel() == 1, scalar_b = b.numel() == 1;
    if (!scalar_a && !scalar_b && !(a.dims() == b.dims())) fail("sizes of the cell arrays do not match");
    Value out = Value::logical_zeros(scalar_a ? b.dims() : a.dims());
    for (Index i = 0; i < out.numel(); ++i) {
      out.edit_bytes()[i] = is_true(compare(a.cell()[scalar_a ? 0 : i], b.cell()[scalar_b ? 0 : i], same));
    }
    return unboxed(out);
  }
  if (a.is_cell() || b.is_cell()) {
    const Value& cells = a.is_cell() ? a : b;
    const Value& other = a.is_cell() ? b : a;
    Value out = Value::logical_zeros(cells.dims());
    for (Index i = 0; i < out.numel(); ++i) out.edit_bytes()[i] = is_true(compare(cells.cell()[i], other, same));
    return unboxed(out);
  }
  if (!a.is_text() || !b.is_text()) return Value(false);
  return Value(same(a, b));
}

bool same_text(const Value& a, const Value& b, bool ignore_case) {
  if (!(a.dims() == b.dims()) && !(a.is_empty() && b.is_empty())) return false;
  return ignore_case ? lowered(to_string(a)) == lowered(to_string(b)) : to_string(a) == to_string(b);
}

void strcmp_like(Call& c, bool ignore_case) {
  c.ret(compare(c[0], c[1], [=](const Value& a, const Value& b) { return same_text(a, b, ignore_case); }));
}

void strncmp_like(Call& c, bool ignore_case) {
  const Index n = c.whole(2);
  if (n < 1) fail_argument(3, "must be a positive integer");
  const auto count = static_cast<std::size_t>(n);
  c.ret(compare(c[0], c[1], [=](const Value& a, const Value& b) {
    std::string x = to_string(a), y = to_string(b);
    if (ignore_case) x = lowered(x), y = lowered(y);
    return x.size() >= count && y.size() >= count && x.compare(0, count, y, 0, count) == 0;
  }));
}

bool is_blank(char ch) { return std::isspace(static_cast<unsigned char>(ch)) || ch == '\0'; }

std::string trimmed(std::string s, bool left, bool right) {
  while (right && !s.empty() && is_blank(s.back())) s.pop_back();
  std::size_t k = 0;
  while (left && k < s.size() && is_blank(s[k])) ++k;
  return s.substr(k);
}

// Blank columns at both sides of a char matrix.
Value trimmed_columns(const Value& v) {
  std::vector<std::string> rows = text_rows(v);
  std::size_t first = std::string::npos, last = 0;
  for (const std::string& r : rows) {
    const std::string head = trimmed(r, true, false), tail = trimmed(r, false, true);
    if (tail.empty()) continue;
    first = std::min(first, r.size() - head.size());
    last = std::max(last, tail.size());
  }
  for (std::string& r : rows) r = first == std::string::npos ? std::string() : r.substr(first, last - first);
  return text_matrix(rows);
}

void strtrim(Call& c) {
  if (c[0].is_text() && c[0].dims().rows() > 1) return c.ret(trimmed_columns(c[0]));
  c.ret(map_text(c[0], [](const std::string& s) { return trimmed(s, true, true); }));
}
void deblank(Call& c) {
  if (!c[0].is_text() && !c[0].is_cell() && c[0].is_empty()) return c.ret(c[0]);
  c.ret(map_text(c[0], [](const std::string& s) { return trimmed(s, false, true); }));
}

void vertical(Call& c, bool keep_empty) {
  std::vector<std::string> rows;
  const auto add = [&](const Value& v, const auto& self) -> void {
    if (v.is_cell()) {
      for (const Value& item : v.cell().data) self(item, self);
      return;
    }
    if (v.is_text() || v.is_empty()) {
      const std::vector<std::string> lines = v.is_text() ? text_rows(v) : std::vector<std::string>();
      rows.insert(rows.end(), lines.begin(), lines.end());
      if (lines.empty() && keep_empty) rows.emplace_back();
      return;
    }
    const Value r = to_real(v);
    const Index m = r.dims().rows();
    for (Index i = 0; i < m; ++i) {
      std::string line;
      for (Index k = 0; k < r.numel() / m; ++k) line += static_cast<char>(r.real()[i + k * m]);
      rows.push_back(line);
    }
  };
  if (c.count() == 1 && c[0].is_text()) return c.ret(c[0]);
  if (c.count() == 1 && c[0].is_arithmetic() && c[0].dims().count() <= 2 && c[0].is_empty())
    return c.ret(Value::chars_filled(c[0].dims(), ' '));
  for (const Value& v : c.args) add(v, add);
  if (rows.size() == 1) return c.ret(Value::text(rows[0]));
  c.ret(rows.empty() ? Value::text("") : text_matrix(rows));
}

void ostrsplit(Call& c) {
  const std::string s = c.text(0), separators = c.text(1);
  std::vector<std::string> parts(1);
  for (char ch : s) {
    if (separators.find(ch) != std::string::npos)
      parts.emplace_back();
    else
      parts.back() += ch;
  }
  if (c.has(2) && is_true(c[2])) std::erase(parts, std::string());
  c.ret(Value::text_cell(parts, false));
}

template <class F>
void ask_characters(Call& c, F f) {
  if (c[0].is_cell()) {
    Value out = c[0];
    for (Value& item : out.edit_cell().data) {
      Values r;
      Values args = {item};
      Call inner{c.oml, c.name, args, 1, r};
      ask_characters(inner, f);
      item = r[0];
    }
    return c.ret(out);
  }
  if (!c[0].is_arithmetic() || c[0].is_complex()) {
    const Dims d = c[0].kind() == Kind::handle ? Dims(1, 1) : c[0].dims();
    return c.ret(unboxed(Value::logical_zeros(d)));
  }
  const Value b = characters_of(c[0]);
  Value out = Value::logical_zeros(b.dims());
  for (Index i = 0; i < out.numel(); ++i) out.edit_bytes()[i] = f(static_cast<int>(b.bytes()[i])) != 0;
  c.ret(unboxed(out));
}

// What 'IgnoreCase' behind two arguments says.
bool ignores_case(const Call& c) {
  if (c.count() == 3) fail_argument(4, "is missing: 'IgnoreCase' needs true or false");
  return c.has(3) && is_true(c[3]);
}

void contains(Call& c) {
  const std::vector<std::string> patterns = text_list(c[1]);
  const bool ignore = ignores_case(c);
  const auto test = [&](std::string s) {
    if (ignore) s = lowered(s);
    return std::any_of(patterns.begin(), patterns.end(),
                       [&](const std::string& p) { return s.find(ignore ? lowered(p) : p) != std::string::npos; });
  };
  if (!c[0].is_cell()) return c.ret(Value(test(c.text(0))));
  Value out = Value::logical_zeros(c[0].dims());
  for (Index i = 0; i < out.numel(); ++i) out.edit_bytes()[i] = test(to_string(c[0].cell()[i]));
  c.ret(unboxed(out));
}

void affix(Call& c, bool at_start) {
  std::vector<std::string> patterns = text_list(c[1]);
  const bool ignore = ignores_case(c);
  if (ignore)
    for (std::string& p : patterns) p = lowered(p);
  const auto test = [&](std::string s) {
    if (ignore) s = lowered(s);
    return std::any_of(patterns.begin(), patterns.end(),
                       [&](const std::string& p) { return at_start ? s.starts_with(p) : s.ends_with(p); });
  };
  if (!c[0].is_cell()) return c.ret(Value(test(c.text(0))));
  Value out = Value::logical_zeros(c[0].dims());
  for (Index i = 0; i < out.numel(); ++i) out.edit_bytes()[i] = test(to_string(c[0].cell()[i]));
  c.ret(unboxed(out));
}

void blanks(Call& c) {
  const Index n = c.whole(0);
  if (n < 0) fail_argument(1, "must not be negative");
  c.ret(Value::chars_filled(Dims(1, n), ' '));
}

void cellstr(Call& c) {
  if (c[0].is_cell()) return c.ret(c[0]);
  if (c[0].is_empty()) return c.ret(Value::cell_row({Value::text("")}));
  std::vector<std::string> rows = text_rows(c[0]);
  for (std::string& r : rows)
    while (!r.empty() && r.back() == ' ') r.pop_back();
  c.ret(Value::text_cell(rows, true));
}

void toascii(Call& c) {
  if (!c[0].is_cell()) return c.ret(unboxed(to_real(c[0])));
  Value out = c[0];
  for (Value& item : out.edit_cell().data) item = unboxed(to_real(item));
  c.ret(out);
}

void index_of(Call& c, bool last) {
  const std::string s = c.text(0), t = c.text(1);
  const std::size_t at = last ? s.rfind(t) : s.find(t);
  c.ret(Value(at == std::string::npos ? 0.0 : static_cast<double>(at + 1)));
}

void substr(Call& c) {
  const std::string s = c.text(0);
  const Index begin = c.whole(1), n = c.has(2) ? c.whole(2) : static_cast<Index>(s.size()) - begin + 1;
  if (begin < 1 || n < 0 || begin - 1 + n > static_cast<Index>(s.size())) fail("index out of bounds");
  c.ret(Value::text(s.substr(static_cast<std::size_t>(begin - 1), static_cast<std::size_t>(n))));
}

void strjust(Call& c) {
  std::vector<std::string> rows = text_rows(c[0]);
  const std::string mode = c.has(1) ? c.text(1) : "right";
  for (std::string& r : rows) {
    const std::string t = trimmed(r, true, true);
    const std::size_t gap = r.size() - t.size(), before = mode == "right" ? gap : mode == "center" ? gap / 2 : 0;
    r = std::string(before, ' ') + t + std::string(gap - before, ' ');
  }
  c.ret(text_matrix(rows));
}

void regexptranslate(Call& c) {
  std::string out;
  for (char ch : c.text(1)) {
    if (std::string_view("\\^$.*+?()[]{}|").find(ch) != std::string_view::npos) out += '\\';
    out += ch;
  }
  c.ret(Value::text(out));
}

constexpr Builtin string_table[] = {
    {"strcmp", 2, 2, [](Call& c) { strcmp_like(c, false); },
     "strcmp(a, b): whether strings are equal; cells are compared element by element.", "any, any"},
    {"strcmpi", 2, 2, [](Call& c) { strcmp_like(c, true); }, "strcmpi(a, b): strcmp without regard to case.",
     "any, any"},
    {"strncmp", 3, 3, [](Call& c) { strncmp_like(c, false); },
     "strncmp(a, b, n): whether the first n characters are equal.", "any, any, dim"},
    {"strncmpi", 3, 3, [](Call& c) { strncmp_like(c, true); }, "strncmpi(a, b, n): strncmp without regard to case.",
     "any, any, dim"},
    {"strtrim", 1, 1, strtrim, "strtrim(s): s without blanks at both ends.", "texts []"},
    {"deblank", 1, 1, deblank, "deblank(s): s without blanks at its end.", "texts []"},
    {"strvcat", 1, -1, [](Call& c) { vertical(c, false); },
     "strvcat(a, b, ...): rows of a char matrix, padded; empty strings are left out.", "any, ..."},
    {"str2mat", 1, -1, [](Call& c) { vertical(c, true); }, "str2mat(a, b, ...): rows of a char matrix, padded.",
     "any, ..."},
    {"char", 1, -1, [](Call& c) { vertical(c, true); },
     "char(x, ...): characters of codes; strings become rows of a padded char matrix.", "any, ..."},
    {"ostrsplit", 2, 3, ostrsplit, "ostrsplit(s, characters, without_empty): parts of s between any of the characters.",
     "text, text, real scalar"},
    {"lower", 1, 1, [](Call& c) { c.ret(map_characters(c[0], lower_char)); }, "lower(s): small letters.", "any"},
    {"tolower", 1, 1, [](Call& c) { c.ret(map_characters(c[0], lower_char)); }, "tolower(s): small letters.", "any"},
    {"upper", 1, 1, [](Call& c) { c.ret(map_characters(c[0], upper_char)); }, "upper(s): capital letters.", "any"},
    {"toupper", 1, 1, [](Call& c) { c.ret(map_characters(c[0], upper_char)); }, "toupper(s): capital letters.", "any"},
    {"isspace", 1, 1, [](Call& c) { ask_characters(c, [](int ch) { return std::isspace(ch); }); },
     "isspace(s): true for blanks.", "any"},
    {"isletter", 1, 1, [](Call& c) { ask_characters(c, [](int ch) { return std::isalpha(ch); }); },
     "isletter(s): true for letters.", "any"},
    {"isalpha", 1, 1, [](Call& c) { ask_characters(c, [](int ch) { return std::isalpha(ch); }); },
     "isalpha(s): true for letters.", "any"},
    {"isdigit", 1, 1, [](Call& c) { ask_characters(c, [](int ch) { return std::isdigit(ch); }); },
     "isdigit(s): true for digits.", "any"},
    {"isalnum", 1, 1, [](Call& c) { ask_characters(c, [](int ch) { return std::isalnum(ch); }); },
     "isalnum(s): true for letters and digits.", "any"},
    {"isupper", 1, 1, [](Call& c) { ask_characters(c, [](int ch) { return std::isupper(ch); }); },
     "isupper(s): true for capital letters.", "any"},
    {"islower", 1, 1, [](Call& c) { ask_characters(c, [](int ch) { return std::islower(ch); }); },
     "islower(s): true for small letters.", "any"},
    {"ispunct", 1, 1, [](Call& c) { ask_characters(c, [](int ch) { return std::ispunct(ch); }); },
     "ispunct(s): true for punctuation.", "any"},
    {"contains", 2, 4, contains, "contains(s, patterns, 'IgnoreCase', tf): whether s contains one of the patterns.",
     "texts, texts, word:IgnoreCase, real scalar"},
    {"startsWith", 2, 4, [](Call& c) { affix(c, true); },
     "startsWith(s, patterns): whether s starts with one of the patterns.",
     "texts, texts, word:IgnoreCase, real scalar"},
    {"endsWith", 2, 4, [](Call& c) { affix(c, false); },
     "endsWith(s, patterns): whether s ends with one of the patterns.", "texts, texts, word:IgnoreCase, real scalar"},
    {"blanks", 1, 1, blanks, "blanks(n): string of n blanks.", "count"},
    {"cellstr", 1, 1, cellstr, "cellstr(s): rows of a char matrix as a cell of strings.", "any"},
    {"toascii", 1, 1, toascii, "toascii(s): character codes.", "any"},
    {"index", 2, 2, [](Call& c) { index_of(c, false); }, "index(s, t): first place of t in s, 0 when absent.",
     "text, text"},
    {"rindex", 2, 2, [](Call& c) { index_of(c, true); }, "rindex(s, t): last place of t in s, 0 when absent.",
     "text, text"},
    {"substr", 2, 3, substr, "substr(s, begin, n): n characters of s from a place on.", "text, dim, count"},
    {"strjust", 1, 2, strjust, "strjust(s, 'left'|'center'|'right'): moves the text within its rows.",
     "text, word:left/center/right"},
    {"regexptranslate", 2, 2, regexptranslate,
     "regexptranslate('escape', s): s with the special characters of patterns escaped.", "word:escape/wildcard, text"},
    {"do_string_escapes", 1, 1, [](Call& c) { c.ret(Value::text(process_escapes(c.text(0)))); },
     "do_string_escapes(s): escapes such as \\n turned into characters.", "text"},
};

}  // namespace

BuiltinFamily string_builtins() { return string_table; }

}  // namespace orrery::oml
