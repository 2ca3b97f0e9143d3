// SPDX-License-Identifier: Apache-2.0
// Reads formats such as '%s %5d %*f %[a-z]'.
#include "oml/builtins/text_columns.h"

#include <algorithm>
#include <cctype>

namespace orrery::oml {

bool Column::accepts(char ch) const {
  const bool inverted = !set.empty() && set[0] == '^';
  for (std::size_t k = inverted ? 1 : 0; k < set.size(); ++k) {
    const bool range = k + 2 < set.size() && set[k + 1] == '-';
    if (range ? set[k] <= ch && ch <= set[k + 2] : set[k] == ch) return !inverted;
    if (range) k += 2;
  }
  return inverted;
}

std::vector<Column> columns_of(const std::string& format, std::vector<std::string>& literals) {
  std::vector<Column> out;
  std::string literal;
  for (std::size_t k = 0; k < format.size(); ++k) {
    if (format[k] != '%') {
      if (std::isspace(static_cast<unsigned char>(format[k])) == 0) literal += format[k];
      continue;
    }
    ++k;
    Column column;
    if (k < format.size() && format[k] == '*') column.skip = true, ++k;
    const auto digits = [&] {
      std::size_t n = 0;
      for (; k < format.size() && std::isdigit(static_cast<unsigned char>(format[k])) && n < 100000; ++k)
        n = 10 * n + static_cast<std::size_t>(format[k] - '0');
      return n;
    };
    column.width = digits();
    if (k < format.size() && format[k] == '.') ++k, column.decimals = digits();
    if (k >= format.size()) break;
    literals.push_back(literal);
    literal.clear();
    column.letter = format[k];
    if (column.letter == 'c' && column.width == 0) column.width = 1;
    if (column.letter == '[') {
      const std::size_t end = std::min(format.find(']', k + 2), format.size());
      column.set = format.substr(k + 1, end - k - 1);
      k = end;
    }
    out.push_back(column);
    if (k + 1 < format.size() && std::isdigit(static_cast<unsigned char>(format[k + 1])) &&
        (format[k] == 'd' || format[k] == 'f' || format[k] == 'u')) {
      while (k + 1 < format.size() && std::isdigit(static_cast<unsigned char>(format[k + 1]))) ++k;
    }
  }
  literals.push_back(literal);
  return out;
}

}  // namespace orrery::oml
