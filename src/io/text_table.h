// SPDX-License-Identifier: Apache-2.0
// Aligned tables for terminals.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace orrery::io {

enum class Align { left, right };

struct TextTable {
  std::vector<std::string> header;  // empty: none
  std::vector<Align> align;         // columns beyond it are left-aligned
  std::vector<std::vector<std::string>> rows;
};

// Columns are two blanks apart, lines have no trailing blanks; indent goes before every line.
std::string to_text(const TextTable& table, std::string_view indent = "");
// Columns a UTF-8 text takes on a terminal, one per code point.
std::size_t display_width(std::string_view text);

}  // namespace orrery::io
