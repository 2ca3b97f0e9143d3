// SPDX-License-Identifier: Apache-2.0
// Matrices of numbers in lines of text.
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>

#include "oml/value.h"

namespace orrery::oml {

struct DelimitedOptions {
  std::string separator;                                                                 // empty: the text decides
  Index first_row = 0, first_column = 0, last_row = INT64_MAX, last_column = INT64_MAX;  // from 0
  double missing = 0;                                                                    // for what is no number
  bool join_separators = false;                                                          // several in a row are one
};

// 'A1..B5' or 'A1:B5' of a spreadsheet; false when the text is no such range.
bool read_spreadsheet_range(std::string_view text, DelimitedOptions& options);
Value read_delimited(const std::string& text, const DelimitedOptions& options);

// How a matrix is written, and the empty fields above and before it.
struct DelimitedLayout {
  std::string separator = ",", newline = "\n", precision = "%.5g";
  Index rows_above = 0, columns_before = 0;
};
void write_delimited(const Value& matrix, const DelimitedLayout& layout, std::ostream& out);

}  // namespace orrery::oml
