// SPDX-License-Identifier: Apache-2.0
// The columns that a format of textscan and textread describes.
#pragma once

#include <string>
#include <vector>

namespace orrery::oml {

struct Column {
  char letter = 'f';
  bool skip = false;
  std::size_t width = 0, decimals = std::string::npos;  // 0: as long as the field is
  std::string set;                                      // of %[...]; starts with ^ when it is what ends the field
  std::vector<double> numbers;
  std::vector<std::string> words;

  bool is_number() const { return letter != 's' && letter != 'q' && letter != 'c' && letter != '['; }
  bool accepts(char ch) const;  // of %[...]
};

// The columns of a format and the text before each of them and behind the last.
std::vector<Column> columns_of(const std::string& format, std::vector<std::string>& literals);

}  // namespace orrery::oml
