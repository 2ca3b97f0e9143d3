// SPDX-License-Identifier: Apache-2.0
// Reads and writes numbers between separators, line by line.
#include "oml/builtins/delimited_text.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <ostream>
#include <span>
#include <sstream>
#include <vector>

#include "oml/builtins/printf_format.h"
#include "oml/convert.h"

namespace orrery::oml {
namespace {

// A cell such as B12: column letters, then a row counted from 1. Moves `at` behind it.
bool read_cell(std::string_view text, std::size_t& at, Index& row, Index& column) {
  const auto letter = [&] { return at < text.size() && std::isalpha(static_cast<unsigned char>(text[at])); };
  const auto digit = [&] { return at < text.size() && std::isdigit(static_cast<unsigned char>(text[at])); };
  if (!letter()) return false;
  column = 0;
  row = 0;
  for (; letter() && column < 100000; ++at)
    column = 26 * column + std::toupper(static_cast<unsigned char>(text[at])) - 'A' + 1;
  if (!digit()) return false;
  for (; digit() && row < 1000000000; ++at) row = 10 * row + text[at] - '0';
  --row, --column;
  return row >= 0;
}

std::string separator_of(const std::string& line) {
  for (const char* candidate : {",", ";", "\t"})
    if (line.find(candidate) != std::string::npos) return candidate;
  return " ";
}

double number_of(const std::string& word, double missing) {
  char* end = nullptr;
  const double x = std::strtod(word.c_str(), &end);
  return end == word.c_str() ? missing : x;
}

std::vector<double> numbers_of(const std::string& line, const std::string& separator, const DelimitedOptions& o) {
  std::vector<double> out;
  const bool join = o.join_separators || separator == " ";
  for (std::size_t begin = 0; begin <= line.size();) {
    while (join && begin < line.size() && line.compare(begin, separator.size(), separator) == 0)
      begin += separator.size();
    if (join && begin >= line.size()) break;
    const std::size_t end = std::min(line.find(separator, begin), line.size());
    out.push_back(number_of(line.substr(begin, end - begin), o.missing));
    if (end == line.size()) break;
    begin = end + separator.size();
  }
  return out;
}

}  // namespace

bool read_spreadsheet_range(std::string_view text, DelimitedOptions& options) {
  std::size_t at = 0;
  Index row = 0, column = 0, last_row = 0, last_column = 0;
  if (!read_cell(text, at, row, column)) return false;
  if (text.substr(at, 2) == "..")
    at += 2;
  else if (text.substr(at, 1) == ":")
    ++at;
  else
    return false;
  if (!read_cell(text, at, last_row, last_column) || at != text.size()) return false;
  options.first_row = row, options.first_column = column;
  options.last_row = last_row, options.last_column = last_column;
  return true;
}

Value read_delimited(const std::string& text, const DelimitedOptions& options) {
  std::istringstream lines(text);
  std::string separator = options.separator;
  std::vector<std::vector<double>> rows;
  Index row = -1;
  for (std::string line; std::getline(lines, line);) {
    ++row;
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (row < options.first_row || row > options.last_row) continue;
    if (line.find_first_not_of(" \t") == std::string::npos) continue;
    if (separator.empty()) separator = separator_of(line);
    const std::vector<double> all = numbers_of(line, separator, options);
    std::vector<double> kept;
    for (std::size_t k = 0; k < all.size(); ++k)
      if (static_cast<Index>(k) >= options.first_column && static_cast<Index>(k) <= options.last_column)
        kept.push_back(all[k]);
    rows.push_back(std::move(kept));
  }
  std::size_t width = 0;
  for (const auto& r : rows) width = std::max(width, r.size());
  Value out = Value::zeros(Dims(static_cast<Index>(rows.size()), static_cast<Index>(width)));
  for (std::size_t r = 0; r < rows.size(); ++r)
    for (std::size_t k = 0; k < width; ++k)
      out.edit_real().at(static_cast<Index>(r), static_cast<Index>(k)) =
          k < rows[r].size() ? rows[r][k] : options.missing;
  return unboxed(out);
}

void write_delimited(const Value& matrix, const DelimitedLayout& layout, std::ostream& out) {
  const Index columns = matrix.dims().cols();
  std::string lead;
  for (Index k = 0; k < layout.columns_before; ++k) lead += layout.separator;
  for (Index r = 0; r < layout.rows_above; ++r) {
    for (Index k = 1; k < layout.columns_before + columns; ++k) out << layout.separator;
    out << layout.newline;
  }
  for (Index r = 0; r < matrix.dims().rows(); ++r) {
    out << lead;
    for (Index k = 0; k < columns; ++k) {
      const Value x(matrix.real().at(r, k));
      out << (k > 0 ? layout.separator : "") << format_printf(layout.precision, std::span<const Value>(&x, 1));
    }
    out << layout.newline;
  }
}

}  // namespace orrery::oml
