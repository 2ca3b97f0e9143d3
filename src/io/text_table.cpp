// SPDX-License-Identifier: Apache-2.0
// Measures and pads the cells of a table.
#include "io/text_table.h"

#include <algorithm>

namespace orrery::io {
namespace {

constexpr std::string_view gap = "  ";

void append_row(std::string& text, const std::vector<std::string>& row, const std::vector<std::size_t>& widths,
                const TextTable& table) {
  for (std::size_t k = 0; k < row.size(); ++k) {
    const std::size_t padding = widths[k] - display_width(row[k]);
    const bool right = k < table.align.size() && table.align[k] == Align::right;
    if (k > 0) text += gap;
    if (right) text.append(padding, ' ');
    text += row[k];
    if (!right) text.append(padding, ' ');
  }
  text.erase(text.find_last_not_of(' ') + 1);
  text += '\n';
}

}  // namespace

std::size_t display_width(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

std::string to_text(const TextTable& table, std::string_view indent) {
  std::vector<std::size_t> widths;
  const auto measure = [&](const std::vector<std::string>& row) {
    if (row.size() > widths.size()) widths.resize(row.size());
    for (std::size_t k = 0; k < row.size(); ++k) widths[k] = std::max(widths[k], display_width(row[k]));
  };
  measure(table.header);
  for (const auto& row : table.rows) measure(row);
  std::string text;
  if (!table.header.empty()) {
    text += indent;
    append_row(text, table.header, widths, table);
  }
  for (const auto& row : table.rows) {
    text += indent;
    append_row(text, row, widths, table);
  }
  return text;
}

}  // namespace orrery::io
