// SPDX-License-Identifier: Apache-2.0
// Numbers and words from text: sscanf, textscan, CSV.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>

#include "oml/builtins/delimited_text.h"
#include "oml/builtins/families.h"
#include "oml/builtins/map.h"
#include "oml/builtins/open_files.h"
#include "oml/builtins/printf_format.h"
#include "oml/builtins/text_columns.h"
#include "oml/indexing.h"
#include "oml/interpreter.h"

namespace orrery::oml {
namespace {

std::string rest_of(std::FILE* f) {
  std::string text;
  if (f == stdin || f == stdout || f == stderr) return text;
  char buffer[4096];
  std::size_t n;
  while ((n = std::fread(buffer, 1, sizeof buffer, f)) > 0) {
    text.append(buffer, n);
    if ((text.size() & 0xfffff) < sizeof buffer) expect_growth(text.size());
  }
  return text;
}

bool is_white(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v'; }

// Reads conversions of one scanf format from a text.
class Scanner {
 public:
  Scanner(const std::string& text, const std::string& format) : text_(text), format_(process_escapes(format)) {}

  bool failed = false;
  bool only_text = true;
  std::vector<double> numbers;
  std::size_t at = 0;

  // One pass over the format; false when it must stop.
  bool pass(std::size_t limit) {
    const std::size_t start_at = at, start_count = numbers.size();
    bool converted = false;
    for (std::size_t k = 0; k < format_.size(); ++k) {
      const char f = format_[k];
      if (is_white(f)) {
        skip();
        continue;
      }
      if (f != '%' || (k + 1 < format_.size() && format_[k + 1] == '%')) {
        if (f == '%') ++k;
        skip();
        if (at >= text_.size() || text_[at] != f) return false;
        ++at;
        continue;
      }
      ++k;
      bool discard = false;
      if (k < format_.size() && format_[k] == '*') discard = true, ++k;
      std::size_t width = 0;
      while (k < format_.size() && std::isdigit(static_cast<unsigned char>(format_[k])))
        width = width * 10 + static_cast<std::size_t>(format_[k++] - '0');
      while (k < format_.size() && (format_[k] == 'l' || format_[k] == 'h')) ++k;
      if (k >= format_.size()) return false;
      if (numbers.size() >= limit) return false;
      if (!convert(k, width, discard)) return false;
      converted = true;
    }
    return converted && (at > start_at || numbers.size() > start_count);
  }

 private:
  void skip() {
    while (at < text_.size() && is_white(text_[at])) ++at;
  }
  bool convert(std::size_t& k, std::size_t width, bool discard) {
    const char letter = format_[k];
    if (letter == 'c') {
      const std::size_t n = std::max<std::size_t>(width, 1);
      if (at + n > text_.size()) return false;
      for (std::size_t j = 0; j < n; ++j)
        if (!discard) numbers.push_back(static_cast<unsigned char>(text_[at + j]));
      at += n;
      return true;
    }
    if (letter == 's' || letter == '[') {
      if (letter == 's') skip();
      std::string set;
      bool negated = false;
      if (letter == '[') {
        ++k;
        if (k < format_.size() && format_[k] == '^') negated = true, ++k;
        while (k < format_.size() && (format_[k] != ']' || set.empty())) {
          if (format_[k] == '-' && !set.empty() && k + 1 < format_.size() && format_[k + 1] != ']') {
            const int last = static_cast<unsigned char>(format_[k + 1]);
            for (int c = static_cast<unsigned char>(set.back()) + 1; c <= last; ++c) set += static_cast<char>(c);
            k += 2;
          } else {
            set += format_[k++];
          }
        }
      }
      std::size_t n = 0;
      while (at + n < text_.size() && (width == 0 || n < width)) {
        const char c = text_[at + n];
        const bool ok = letter == 's' ? !is_white(c) : (set.find(c) != std::string::npos) != negated;
        if (!ok) break;
        ++n;
      }
      if (n == 0) return false;
      for (std::size_t j = 0; j < n; ++j)
        if (!discard) numbers.push_back(static_cast<unsigned char>(text_[at + j]));
      at += n;
      return true;
    }
    skip();
    if (at >= text_.size()) return false;
    const std::string part = width == 0 ? text_.substr(at, 400) : text_.substr(at, width);
    char* end = nullptr;
    double x = 0;
    if (letter == 'd' || letter == 'u' || letter == 'i')
      x = static_cast<double>(std::strtoll(part.c_str(), &end, letter == 'i' ? 0 : 10));
    else if (letter == 'x')
      x = static_cast<double>(std::strtoll(part.c_str(), &end, 16));
    else if (letter == 'o')
      x = static_cast<double>(std::strtoll(part.c_str(), &end, 8));
    else
      x = std::strtod(part.c_str(), &end);
    const auto used = static_cast<std::size_t>(end - part.c_str());
    if (used == 0) return false;
    at += used;
    if (!discard) {
      numbers.push_back(x);
      only_text = false;
    }
    return true;
  }

  const std::string& text_;
  std::string format_;
};

void scan(Call& c, const std::string& text, int format_at, std::size_t& used) {
  Scanner s(text, c.text(format_at));
  std::vector<double> size =
      c.has(format_at + 1) && !c[format_at + 1].is_text() ? to_vector(c[format_at + 1]) : std::vector<double>{INFINITY};
  double limit = 1;
  for (double x : size) limit *= x;
  const std::size_t most = limit < 9e15 ? static_cast<std::size_t>(std::max(limit, 0.0)) : SIZE_MAX;
  while (s.numbers.size() < most && s.pass(most)) {
  }
  used = s.at;
  Value out = s.numbers.empty() ? Value::empty() : Value::column(s.numbers);
  if (size.size() > 1 && !s.numbers.empty() && size[0] >= 1 && size[0] < 9e15) {
    const auto rows = static_cast<Index>(size[0]), cols = (static_cast<Index>(s.numbers.size()) + rows - 1) / rows;
    require_memory(rows, static_cast<Index>(sizeof(double)));
    s.numbers.resize(static_cast<std::size_t>(rows * cols), 0.0);
    out = Value::column(s.numbers);
    out.edit_real().dims = Dims(rows, cols);
  }
  if (s.only_text && !s.numbers.empty()) {
    std::string chars;
    for (double x : s.numbers) chars += static_cast<char>(x);
    out = Value::text(chars);
  }
  c.ret(unboxed(out));
  c.ret(Value(s.numbers.size()));
  c.ret(Value::text(used < text.size() ? "format failed to match" : ""));
  c.ret(Value(used + 1));
}

void sscanf_text(Call& c) {
  std::size_t used = 0;
  scan(c, c.text(0), 1, used);
}

void fscanf_file(Call& c) {
  std::FILE* f = file_argument(c, 0);
  const long begin = std::ftell(f);
  const std::string text = rest_of(f);
  std::size_t used = 0;
  scan(c, text, 1, used);
  if (used < text.size()) std::fseek(f, begin + static_cast<long>(used), SEEK_SET);
}

// Options of textscan and textread.
struct TableOptions {
  std::string delimiters;
  Index header_lines = 0;
  std::string comment;
  std::string whitespace;  // besides blanks and line ends; dropped around fields
  Index repeat = -1;
  bool merge = false;

  bool is_white_space(char ch) const { return is_white(ch) || whitespace.find(ch) != std::string::npos; }
};

std::string take_field(const std::string& text, std::size_t& at, const TableOptions& o, bool number) {
  const auto is_delimiter = [&](char ch) { return o.delimiters.find(ch) != std::string::npos; };
  const bool blanks_separate = o.delimiters.empty() || o.delimiters.find(' ') != std::string::npos;
  while (at < text.size() && o.is_white_space(text[at]) && !(is_delimiter(text[at]) && !blanks_separate)) ++at;
  std::string field;
  if (!number && at < text.size() && text[at] == '"') {
    const std::size_t end = text.find('"', at + 1);
    if (end != std::string::npos) {
      field = text.substr(at + 1, end - at - 1);
      at = end + 1;
    }
  }
  while (at < text.size() && text[at] != '\n' && text[at] != '\r') {
    if (o.delimiters.empty() ? is_white(text[at]) : is_delimiter(text[at])) break;
    field += text[at++];
  }
  if (at < text.size() && is_delimiter(text[at])) {
    ++at;
    while (o.merge && at < text.size() && is_delimiter(text[at])) ++at;
  }
  while (!field.empty() && o.is_white_space(field.back())) field.pop_back();
  return field;
}

// A number with at most `width` digits before the point and all that stand behind it: %6.2f.
std::string take_decimal(const std::string& text, std::size_t& at, const Column& column, const TableOptions& o) {
  while (at < text.size() && o.is_white_space(text[at])) ++at;
  std::string field;
  if (at < text.size() && (text[at] == '-' || text[at] == '+')) field += text[at++];
  std::size_t digits = 0;
  const auto is_digit = [&] { return at < text.size() && std::isdigit(static_cast<unsigned char>(text[at])) != 0; };
  while (is_digit() && (column.width == 0 || digits < column.width)) field += text[at++], ++digits;
  if (at < text.size() && text[at] == '.' && (column.width == 0 || !is_digit())) {
    field += text[at++];
    while (is_digit()) field += text[at++];
  }
  if (at < text.size() && o.delimiters.find(text[at]) != std::string::npos) ++at;
  return field;
}

// A field whose end its column knows: %5d, %3c, %[a-z].
std::string take_measured(const std::string& text, std::size_t& at, const Column& column, const TableOptions& o) {
  const auto is_delimiter = [&](char ch) { return o.delimiters.find(ch) != std::string::npos; };
  if (column.letter != 'c' && column.letter != '[')
    while (at < text.size() && is_white(text[at])) ++at;
  std::string field;
  while (at < text.size() && (column.width == 0 || field.size() < column.width)) {
    const char ch = text[at];
    if (column.letter == '[' ? !column.accepts(ch) : column.letter != 'c' && (is_white(ch) || is_delimiter(ch))) break;
    field += ch;
    ++at;
  }
  if (at < text.size() && is_delimiter(text[at])) ++at;
  return field;
}

// The number of a field as its column wants it; false when there is none.
bool field_number(const std::string& field, const Column& column, double& x, std::size_t& used) {
  char* end = nullptr;
  x = std::strtod(field.c_str(), &end);
  used = static_cast<std::size_t>(end - field.c_str());
  if (used == 0 && !field.empty()) return false;
  if (field.empty()) x = NAN;
  if (column.letter == 'd' || column.letter == 'u' || column.letter == 'i') x = std::trunc(x);
  if (column.decimals != std::string::npos && column.decimals < 18) {
    const double scale = std::pow(10.0, static_cast<double>(column.decimals));
    x = std::round(x * scale) / scale;
  }
  return true;
}

void read_table(const std::string& text, std::size_t& at, std::vector<Column>& columns,
                const std::vector<std::string>& literals, const TableOptions& o) {
  if (columns.empty()) fail("the format has no conversion");
  // A line in which an item fails is used up.
  const auto give_up = [&](std::size_t where) {
    const std::size_t end = text.find('\n', where);
    at = end == std::string::npos ? text.size() : end + 1;
  };
  for (Index k = 0; k < o.header_lines && at < text.size(); ++k) {
    const std::size_t end = text.find('\n', at);
    at = end == std::string::npos ? text.size() : end + 1;
  }
  for (Index turn = 0; o.repeat < 0 || turn < o.repeat; ++turn) {
    for (std::size_t k = 0; k < columns.size(); ++k) {
      std::size_t probe = at;
      while (probe < text.size() && is_white(text[probe])) ++probe;
      if (!o.comment.empty()) {
        while (text.compare(probe, o.comment.size(), o.comment) == 0) {
          probe = std::min(text.find('\n', probe), text.size());
          while (probe < text.size() && is_white(text[probe])) ++probe;
          at = probe;
        }
      }
      if (probe >= text.size()) return;
      Column& col = columns[k];
      if (!literals[k].empty() && text.compare(probe, literals[k].size(), literals[k]) == 0)
        at = probe + literals[k].size();
      const bool number = col.is_number(), decimal = number && col.decimals != std::string::npos;
      const bool measured = col.width > 0 || col.letter == '[' || col.letter == 'c' || decimal;
      const std::size_t before = at;
      const std::string field = decimal    ? take_decimal(text, at, col, o)
                                : measured ? take_measured(text, at, col, o)
                                           : take_field(text, at, o, number);
      if (col.letter == '[' && field.empty()) return give_up(before);
      if (number) {
        double x = 0;
        std::size_t used = 0;
        if (!field_number(field, col, x, used)) return give_up(before);
        // What a number leaves of its field is for the text between the columns: "1,2;" with "%f,%f;".
        if (o.delimiters.empty() && !measured) at -= field.size() - used;
        if (!col.skip) col.numbers.push_back(x);
      } else if (!col.skip) {
        col.words.push_back(field);
      }
    }
    const std::string& last = literals.back();
    if (!last.empty() && text.compare(std::min(at, text.size()), last.size(), last) == 0) at += last.size();
  }
}

constexpr std::string_view unused_options = " endofline returnonerror bufsize collectoutput emptyvalue treatasempty ";

TableOptions table_options(const Call& c, int first) {
  TableOptions o;
  int k = first;
  if (c.has(k) && !c[k].is_text()) {
    o.repeat = c[k].is_empty() ? -1 : c.whole(k);
    ++k;
  }
  for (; k + 1 < c.count(); k += 2) {
    std::string name = c.text(k);
    for (char& ch : name) ch = static_cast<char>(std::tolower(ch));
    if (name == "delimiter") {
      for (const std::string& d : text_list(c[k + 1])) o.delimiters += process_escapes(d);
    } else if (name == "headerlines") {
      o.header_lines = c.whole(k + 1);
    } else if (name == "commentstyle") {
      const std::string s = c[k + 1].is_cell() ? text_list(c[k + 1])[0] : c.text(k + 1);
      o.comment = s == "matlab" ? "%" : s == "shell" ? "#" : s == "c++" ? "//" : s;
    } else if (name == "whitespace") {
      o.whitespace = process_escapes(c.word(k + 1));
    } else if (name == "multipledelimsasone") {
      o.merge = is_true(c[k + 1]);
    } else if (unused_options.find(" " + name + " ") != std::string_view::npos) {
      c.oml.warn("the option '" + name + "' has no effect");
    } else {
      fail_argument(k + 1, "must be 'Delimiter', 'HeaderLines', 'CommentStyle', 'Whitespace' or 'MultipleDelimsAsOne'");
    }
  }
  if (c.has(k)) fail_argument(k + 1, "needs a value");
  return o;
}

Values table_values(const std::vector<Column>& columns) {
  Values out;
  for (const Column& col : columns) {
    if (col.skip) continue;
    if (!col.is_number())
      out.push_back(col.words.empty() ? Value::cell(Dims(0, 0)) : Value::text_cell(col.words, true));
    else
      out.push_back(col.numbers.empty() ? Value::empty() : unboxed(Value::column(col.numbers)));
  }
  return out;
}

void textscan(Call& c) {
  const bool from_text = c[0].is_text();
  std::FILE* f = from_text ? nullptr : file_argument(c, 0);
  const long begin = f ? std::ftell(f) : 0;
  const std::string text = from_text ? c.text(0) : rest_of(f);
  const bool has_format = c.is_text(1) && c.text(1).find('%') != std::string::npos;
  std::vector<std::string> literals;
  std::vector<Column> columns = columns_of(has_format ? c.text(1) : "%f", literals);
  const TableOptions o = table_options(c, has_format ? 2 : 1);
  std::size_t at = 0;
  read_table(text, at, columns, literals, o);
  if (f && at < text.size()) std::fseek(f, begin + static_cast<long>(at), SEEK_SET);
  c.ret(Value::cell_row(table_values(columns)));
}

void textread(Call& c) {
  const std::string text = c[0].is_text() ? read_whole(c, c.text(0)) : rest_of(file_argument(c, 0));
  const bool has_format = c.is_text(1) && c.text(1).find('%') != std::string::npos;
  // Without a format every output is a column of numbers.
  std::string format = has_format ? c.text(1) : "%f";
  for (int k = 1; k < c.nargout && !has_format; ++k) format += " %f";
  std::vector<std::string> literals;
  std::vector<Column> columns = columns_of(format, literals);
  std::size_t at = 0;
  read_table(text, at, columns, literals, table_options(c, has_format ? 2 : 1));
  for (Value& v : table_values(columns)) c.ret(v);
}

void dlmread(Call& c) {
  DelimitedOptions o;
  const auto is_option = [&](int k) {
    return c.is_text(k) && (c.text(k) == "emptyvalue" || c.text(k) == "ignoremultidelim");
  };
  int k = 1;
  if (c.is_text(k) && !is_option(k) && !read_spreadsheet_range(c.text(k), o))
    o.separator = process_escapes(c.text(k++));
  if (c.is_text(k) && !is_option(k)) {
    if (!read_spreadsheet_range(c.text(k), o)) fail_argument(k + 1, "must be a range such as 'A1..B5'");
    ++k;
  } else if (c.has(k) && !c.is_text(k) && c[k].numel() == 4) {
    const std::vector<double> r = to_vector(c[k]);
    if (!std::all_of(r.begin(), r.end(), [](double x) { return x >= 0 && x < 1e15; }))
      fail_argument(k + 1, "must be four numbers [r1 c1 r2 c2] that are not negative");
    ++k;
    o.first_row = static_cast<Index>(r[0]), o.first_column = static_cast<Index>(r[1]);
    o.last_row = static_cast<Index>(r[2]), o.last_column = static_cast<Index>(r[3]);
  } else if (c.has(k + 1) && !c.is_text(k)) {
    o.first_row = c.whole(k), o.first_column = c.whole(k + 1);
    k += 2;
  }
  for (; c.has(k); k += 2) {
    if (!is_option(k)) fail_argument(k + 1, "must be 'emptyvalue' or 'ignoremultidelim'");
    if (!c.has(k + 1)) fail_argument(k + 1, "needs a value");
    if (c.text(k) == "emptyvalue")
      o.missing = c.number(k + 1);
    else
      o.join_separators = c.is_text(k + 1) ? c.text(k + 1) == "on" : is_true(c[k + 1]);
  }
  c.ret(read_delimited(c[0].is_text() ? read_whole(c, c.text(0)) : rest_of(file_argument(c, 0)), o));
}

void dlmwrite(Call& c) {
  DelimitedLayout o;
  bool append = false;
  int k = 2;
  if (c.name == "dlmwrite" && c.is_text(2) && c.text(2) != "delimiter" && c.text(2) != "precision" &&
      c.text(2) != "newline" && c.text(2) != "-append")
    o.separator = process_escapes(c.text(2)), k = 3;
  if (c.has(k + 1) && !c.is_text(k) && !c.is_text(k + 1)) {
    o.rows_above = std::clamp<Index>(c.whole(k), 0, 1000000);
    o.columns_before = std::clamp<Index>(c.whole(k + 1), 0, 1000000);
    k += 2;
  }
  for (; k < c.count(); ++k) {
    const std::string option = c.text(k);
    if (option == "-append")
      append = true;
    else if (option == "delimiter" && c.has(k + 1))
      o.separator = process_escapes(c.text(++k));
    else if (option == "newline" && c.has(k + 1))
      o.newline = c.text(k + 1) == "pc" ? "\r\n" : process_escapes(c.text(k + 1)), ++k;
    else if (option == "precision" && c.has(k + 1))
      ++k, o.precision = c[k].is_text() ? c.text(k) : "%." + std::to_string(c.whole(k)) + "g";
    else
      fail_argument(k + 1, "must be 'delimiter', 'newline' or 'precision' with a value, or '-append'");
  }
  const Value v = to_real(c[1]);
  const auto write = [&](const std::string& name) {
    std::ofstream out(name, append ? std::ios::app | std::ios::binary : std::ios::binary);
    if (!out) fail("cannot write " + c.text(0));
    write_delimited(v, o, out);
    expect_written(out, c.text(0));
  };
  append ? write(c.text(0)) : replace_file(c.text(0), write);
}

constexpr Builtin text_io_table[] = {
    {"sscanf", 2, 3, sscanf_text, "[x, n] = sscanf(text, format, size): numbers read from text.", "text, word, real"},
    {"fscanf", 2, 3, fscanf_file, "[x, n] = fscanf(id, format, size): numbers read from a file.", "real, text, data"},
    {"textscan", 1, -1, textscan,
     "textscan(id|text, format, repeat, 'Delimiter', d, 'HeaderLines', n): columns of a table as a cell.",
     "data, data, data cell, ..."},
    {"textread", 1, -1, textread, "[a, b, ...] = textread(file, format, repeat, options...): columns of a table.",
     "data, data, data cell, ...", Needs::asked()},
    {"dlmread", 1, -1, dlmread,
     "dlmread(file, separator, row, column, 'emptyvalue', x, 'ignoremultidelim', 'on'): matrix of a text file; rows "
     "and columns count from 0; [r1 c1 r2 c2] or 'A1..B5' name a part.",
     "data, data, ...", Needs::asked()},
    {"csvread", 1, 4, dlmread, "csvread(file, row, column): matrix of a CSV file.", "data, data, ...", Needs::asked()},
    {"dlmwrite", 2, -1, dlmwrite,
     "dlmwrite(file, A, delimiter, rows, columns, 'precision', p, '-append'): matrix to a text file, below empty rows "
     "and beside empty columns.",
     "word, data, data, ...", Capability::write},
    {"csvwrite", 2, -1, dlmwrite, "csvwrite(file, A): A as a CSV file.", "word, data, data, ...", Capability::write},
    {"fileread", 1, 1, [](Call& c) { c.ret(Value::text(read_whole(c, c.text(0)))); },
     "fileread(file): a whole file as text.", "word", Needs::asked()},
};

}  // namespace

BuiltinFamily text_io_builtins() { return text_io_table; }

}  // namespace orrery::oml
