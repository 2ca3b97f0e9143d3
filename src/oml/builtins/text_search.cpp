// SPDX-License-Identifier: Apache-2.0
// Finding, replacing, splitting and joining texts.
#include <algorithm>
#include <cctype>
#include <cmath>

#include "oml/builtins/families.h"
#include "oml/builtins/open_files.h"
#include "oml/builtins/printf_format.h"
#include "oml/indexing.h"
#include "oml/interpreter.h"
#include "oml/interrupt.h"
#include "oml/nesting.h"
#include "oml/warnings.h"

namespace orrery::oml {
namespace {

// Where the pattern starts, from 0.
std::vector<std::size_t> places_of(const std::string& s, const std::string& pattern, bool overlaps) {
  std::vector<std::size_t> out;
  if (pattern.empty()) return out;
  InterruptPoll poll;
  for (std::size_t at = s.find(pattern); at != std::string::npos;
       at = s.find(pattern, at + (overlaps ? 1 : pattern.size()))) {
    if (out.size() == out.capacity()) expect_growth(out.size() * 3 * sizeof at);  // twice as many while it grows
    out.push_back(at);
    poll();
  }
  return out;
}

// The flag of a pair such as 'overlaps', false at argument k.
bool overlaps_option(const Call& c, int k) {
  if (!c.has(k)) return true;
  std::string name = c.word(k);
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char ch) { return std::tolower(ch); });
  if (name != "overlaps") fail_argument(k + 1, "must be 'overlaps'");
  if (!c.has(k + 1)) fail_argument(k + 2, "is missing");
  if (!c[k + 1].is_arithmetic() || c[k + 1].is_text() || c[k + 1].numel() != 1)
    fail_argument(k + 2, "must be true or false");
  return is_true(c[k + 1]);
}

Value found_places(const Value& text, const std::string& pattern, bool overlaps, bool in_cell) {
  if (!text.is_text()) fail_argument(1, "must be a string or a cell of strings");
  const std::vector<std::size_t> at = places_of(to_string(text), pattern, overlaps);
  if (at.empty()) return Value::zeros(in_cell || text.is_empty() ? Dims(0, 0) : Dims(1, 0));
  std::vector<double> numbers;
  for (std::size_t k : at) numbers.push_back(static_cast<double>(k + 1));
  return unboxed(Value::row(numbers));
}

// strfind(s, pattern): s or the pattern may be a cell, with a result for each element.
void strfind(Call& c) {
  if (c.count() == 3) fail("invalid function call; incorrect number of input arguments");
  const bool overlaps = overlaps_option(c, 2);
  const auto in_all = [&](const std::string& pattern, bool in_cell) {
    if (!c[0].is_cell()) return found_places(c[0], pattern, overlaps, in_cell);
    Value out = c[0];
    for (Value& item : out.edit_cell().data) item = found_places(item, pattern, overlaps, true);
    return out;
  };
  if (!c[1].is_cell()) {
    if (!c[1].is_text()) fail_argument(2, "must be a string or a cell of strings");
    return c.ret(in_all(to_string(c[1]), false));
  }
  Value out = c[1];
  for (Value& item : out.edit_cell().data) {
    if (!item.is_text()) fail_argument(2, "must be a string or a cell of strings");
    item = in_all(to_string(item), true);
  }
  c.ret(out);
}

// Every match gives one replacement; characters that some match covers vanish.
std::string replaced(const std::string& s, const std::string& from, const std::string& to, bool overlaps) {
  if (from.empty()) return {};
  std::string out;
  std::size_t covered = 0;  // end of what the matches so far cover
  const std::vector<std::size_t> places = places_of(s, from, overlaps);
  const std::size_t most = s.size() + places.size() * to.size();
  charge_memory(2 * most);  // the text, and the value made from it
  memory_account().used -= 2 * most;
  out.reserve(most);
  for (std::size_t place : places) {
    if (place > covered) out += s.substr(covered, place - covered);
    out += to;
    covered = place + from.size();
  }
  out += s.substr(std::min(covered, s.size()));
  return out;
}

Value replaced_value(const Value& s, const Value& from, const Value& to, bool overlaps) {
  const NestingGuard guard;
  const Value* parts[] = {&s, &from, &to};
  const Value* leading = nullptr;  // the cell that gives the result its shape
  for (const Value* v : parts) {
    if (!v->is_cell()) continue;
    if (v->numel() == 0) return Value::cell(Dims(0, 0));
    if (leading == nullptr || (leading->numel() == 1 && v->numel() != 1)) leading = v;
  }
  if (leading == nullptr) {
    for (int k = 0; k < 3; ++k)
      if (!parts[k]->is_text()) fail_argument(k + 1, "must be a string or a cell of strings");
    const std::string pattern = one_text(from), with = one_text(to);
    std::vector<std::string> rows = text_rows(s);
    for (std::string& row : rows) row = replaced(row, pattern, with, overlaps);
    return rows.size() > 1 ? text_matrix(rows) : Value::text(rows.empty() ? "" : rows[0]);
  }
  for (const Value* v : parts)
    if (v->is_cell() && v->numel() != 1 && !(v->dims() == leading->dims()))
      fail("sizes of the cell arrays do not match");
  Value out = Value::cell(leading->dims());
  const auto part = [](const Value& v, Index i) -> const Value& {
    return v.is_cell() ? v.cell()[v.numel() == 1 ? 0 : i] : v;
  };
  for (Index i = 0; i < out.numel(); ++i)
    out.edit_cell()[i] = replaced_value(part(s, i), part(from, i), part(to, i), overlaps);
  return out;
}

void strrep(Call& c) { c.ret(replaced_value(c[0], c[1], c[2], overlaps_option(c, 3))); }

bool is_blank_character(char ch) { return std::isspace(static_cast<unsigned char>(ch)) || ch == '\0'; }

// What strip removes, as whole strings; nothing given: each blank.
std::string stripped(std::string s, bool left, bool right, const std::vector<std::string>& what) {
  const auto lead = [&] {
    if (what.empty()) return !s.empty() && is_blank_character(s[0]) ? std::size_t{1} : 0;
    for (const std::string& w : what)
      if (!w.empty() && s.starts_with(w)) return w.size();
    return std::size_t{0};
  };
  const auto tail = [&] {
    if (what.empty()) return !s.empty() && is_blank_character(s.back()) ? std::size_t{1} : 0;
    for (const std::string& w : what)
      if (!w.empty() && s.ends_with(w)) return w.size();
    return std::size_t{0};
  };
  for (std::size_t n; left && (n = lead()) > 0;) s.erase(0, n);
  for (std::size_t n; right && (n = tail()) > 0;) s.resize(s.size() - n);
  return s;
}

void strip(Call& c) {
  const std::string mode = c.has(1) ? c.text(1) : "both";
  std::vector<std::string> what;
  if (c.has(2)) what = text_list(c[2]);
  const auto one = [&](const Value& v) {
    if (!v.is_text()) fail_argument(1, "must be a string or a cell of strings");
    std::vector<std::string> rows = text_rows(v);
    for (std::string& r : rows) r = stripped(r, mode != "right", mode != "left", what);
    return rows.size() > 1 ? text_matrix(rows) : Value::text(rows.empty() ? "" : rows[0]);
  };
  if (!c[0].is_cell()) return c.ret(one(c[0]));
  Value out = c[0];
  for (Value& item : out.edit_cell().data) item = one(item);
  c.ret(out);
}

Value as_characters(const Value& v, int number) {
  if (v.is_text()) return v;
  if (!v.is_arithmetic() || v.is_complex()) fail_argument(number, "must be a string or a cell of strings");
  const Value codes = to_real(v);
  Value out = Value::chars_filled(codes.dims(), ' ');
  for (Index i = 0; i < codes.numel(); ++i)
    out.edit_bytes()[i] = static_cast<std::uint8_t>(character_of(codes.real()[i]));
  return out;
}

std::string without_trailing_blanks(std::string s) {
  while (!s.empty() && is_blank_character(s.back())) s.pop_back();
  return s;
}

// strcat of texts: rows side by side, a single row repeated; trailing blanks of single rows vanish.
Value joined_texts(Call& c) {
  std::size_t height = 1;
  Values texts;
  for (int k = 0; k < c.count(); ++k) {
    texts.push_back(as_characters(c[k], k + 1));
    height = std::max(height, text_rows(texts.back()).size());
  }
  Values parts;
  for (const Value& v : texts) {
    const std::vector<std::string> rows = text_rows(v);
    if (rows.size() > 1)
      parts.push_back(v);
    else
      parts.push_back(text_matrix(
          std::vector<std::string>(rows.empty() ? 1 : height, without_trailing_blanks(rows.empty() ? "" : rows[0]))));
  }
  const Value joined = concatenate(parts, 1);
  return joined.is_text() && !joined.is_empty() ? joined : Value::text("");
}

void strcat(Call& c) {
  bool cells = false;
  for (const Value& v : c.args) cells = cells || v.is_cell();
  if (!cells) return c.ret(joined_texts(c));
  if (c.count() == 1) return c.ret(c[0]);
  Dims shape(1, 1);
  for (const Value& v : c.args) {
    if (!v.is_cell() || v.numel() == 1) continue;
    if (shape.numel() != 1 && !(shape == v.dims())) fail("sizes of the cell arrays do not match");
    shape = v.dims();
  }
  Value out = Value::cell(shape);
  for (Index i = 0; i < out.numel(); ++i) {
    Value element;
    for (int k = 0; k < c.count(); ++k) {
      const Value& v = c[k];
      const Value part = v.is_cell() ? v.cell()[v.numel() == 1 ? 0 : i]
                                     : Value::text(without_trailing_blanks(one_text(as_characters(v, k + 1))));
      if (element.is_none())
        element = part.is_cell() ? part : as_characters(part, k + 1);
      else if (part.is_cell() || element.is_cell())
        element = concatenate(Values{element, part}, 1);
      else
        element = Value::text(one_text(element) + one_text(as_characters(part, k + 1)));
    }
    out.edit_cell()[i] = element;
  }
  c.ret(out);
}

std::vector<std::string> delimiter_list(const Call& c) {
  std::vector<std::string> out;
  if (c.has(1) && c[1].is_cell()) {
    for (const Value& item : c[1].cell().data) out.push_back(process_escapes(one_text(item)));
    return out;
  }
  out.push_back(c.has(1) && c[1].is_text() ? process_escapes(one_text(c[1])) : " ");
  return out;
}

// strsplit(s, delimiters, collapse) or strsplit(s, delimiters, 'CollapseDelimiters', tf).
void strsplit(Call& c) {
  const std::string s = c.text(0);
  const std::vector<std::string> delimiters = delimiter_list(c);
  bool collapse = true;
  if (c.count() == 3) {
    if (c[2].is_text()) fail_argument(3, "must be true or false, or 'CollapseDelimiters' with such a value");
    collapse = is_true(c[2]);
  }
  for (int k = 2; k < c.count() && c.count() > 3; k += 2) {
    std::string name = c.word(k);
    std::transform(name.begin(), name.end(), name.begin(), [](unsigned char ch) { return std::tolower(ch); });
    if (name != "collapsedelimiters") fail_argument(k + 1, "must be 'CollapseDelimiters'");
    if (!c.has(k + 1) || c[k + 1].is_text()) fail_argument(k + 2, "must be true or false");
    collapse = is_true(c[k + 1]);
  }
  std::vector<std::string> parts, matches;
  // Both lists are no arrays of the script yet.
  struct Charge {
    std::size_t bytes = 0;
    void add(std::size_t more) {
      charge_memory(more);
      bytes += more;
    }
    ~Charge() { memory_account().used -= bytes; }
  } charge;
  std::string current;
  bool after_delimiter = false;
  InterruptPoll poll;
  for (std::size_t at = 0; at < s.size();) {
    poll();
    std::size_t longest = 0;
    for (const std::string& d : delimiters)
      if (!d.empty() && s.compare(at, d.size(), d) == 0) longest = std::max(longest, d.size());
    if (longest == 0) {
      current += s[at++];
      after_delimiter = false;
      continue;
    }
    if (!(collapse && after_delimiter)) {
      charge.add(2 * sizeof(std::string) + current.size());
      parts.push_back(current);
      matches.emplace_back();
      current.clear();
    }
    matches.back() += s.substr(at, longest);
    after_delimiter = true;
    at += longest;
  }
  parts.push_back(current);
  c.ret(Value::text_cell(parts, false));
  c.ret(Value::text_cell(matches, false));
}

// Elements in column order; those of several rows, and such a delimiter, are joined row by row.
void strjoin(Call& c) {
  std::vector<std::vector<std::string>> parts;
  std::size_t height = 1;
  for (const Value& item : c[0].cell().data) {
    if (!item.is_text()) fail_argument(1, "must be a cell of strings");
    parts.push_back(text_rows(item));
    if (parts.back().empty()) parts.back().emplace_back();
    height = std::max(height, parts.back().size());
  }
  std::vector<std::string> delimiter = {" "};
  if (c.has(1) && c[1].is_text() && c[1].dims().rows() > 1)
    delimiter = text_rows(c[1]);
  else if (c.has(1))
    delimiter = {c.word(1)};
  for (std::string& d : delimiter) d = process_escapes(d);
  std::vector<std::string> rows(height);
  for (std::size_t r = 0; r < height; ++r) {
    for (std::size_t k = 0; k < parts.size(); ++k) {
      if (k > 0) rows[r] += delimiter[std::min(r, delimiter.size() - 1)];
      rows[r] += parts[k][std::min(r, parts[k].size() - 1)];
    }
  }
  c.ret(height == 1 ? Value::text(rows[0]) : text_matrix(rows));
}

// Delimiters of strtok: characters with escapes, or numbers by their codes.
std::string token_delimiters(const Call& c) {
  if (!c.has(1)) return std::string(" \t\n\v\f\r\0", 7);
  if (c[1].is_text()) return process_escapes(to_string(c[1]));
  std::string out;
  const Value codes = to_complex(full(c[1]));
  for (const Complex& z : codes.complex().data) {
    if (z.real() > 255 || z.real() < 0)
      emit_warning("a delimiter is no character code");
    else
      out += character_of(z.real());
  }
  return out;
}

void strtok(Call& c) {
  const std::string delimiters = token_delimiters(c);
  const auto split = [&](const Value& v) {
    if (!v.is_text()) fail_argument(1, "must be a string or a cell of strings");
    const std::string s = to_string(v);
    const std::size_t begin = s.find_first_not_of(delimiters);
    std::pair<Value, Value> out{Value::text(""), Value::text("")};
    if (begin == std::string::npos) return out;
    const std::size_t end = s.find_first_of(delimiters, begin);
    out.first = Value::text(s.substr(begin, end - begin));
    if (end != std::string::npos) out.second = Value::text(s.substr(end));
    const bool column = v.dims().cols() == 1 && v.dims().rows() > 1;
    for (Value* part : {&out.first, &out.second})
      if (column && !part->is_empty()) part->edit_bytes().dims = Dims(part->numel(), 1);
    return out;
  };
  if (!c[0].is_cell()) {
    const auto [token, rest] = split(c[0]);
    c.ret(token);
    return c.ret(rest);
  }
  Value first = c[0], rest = c[0];
  for (Index i = 0; i < first.numel(); ++i) {
    const auto parts = split(c[0].cell()[i]);
    first.edit_cell()[i] = parts.first;
    rest.edit_cell()[i] = parts.second;
  }
  c.ret(first);
  c.ret(rest);
}

constexpr Builtin text_search_table[] = {
    {"strfind", 2, 4, strfind,
     "strfind(s, pattern, 'overlaps', tf): where the pattern starts in s; cells give a result for each element.",
     "any, any, word:overlaps, any"},
    {"strrep", 3, 5, strrep,
     "strrep(s, from, to, 'overlaps', tf): s with every occurrence of from replaced; cells are taken element by "
     "element.",
     "any, any, any, word:overlaps, any"},
    {"strip", 1, 3, strip,
     "strip(s, 'left'|'right'|'both', what): s without blanks, or without the strings what, at its ends.",
     "texts, word:left/right/both, texts"},
    {"strcat", 1, -1, strcat, "strcat(a, b, ...): strings joined; trailing blanks of char arguments are dropped.",
     "any, ..."},
    {"strsplit", 1, -1, strsplit,
     "[parts, matches] = strsplit(s, delimiters, 'CollapseDelimiters', tf): parts of s as a cell.", "text, any"},
    {"strjoin", 1, 2, strjoin, "strjoin(cell, delimiter): strings joined with a delimiter (a blank by default).",
     "cell, any"},
    {"strtok", 1, 2, strtok, "[token, rest] = strtok(s, delimiters): first part of s and what follows.", "texts, data"},
};

}  // namespace

BuiltinFamily text_search_builtins() { return text_search_table; }

}  // namespace orrery::oml
