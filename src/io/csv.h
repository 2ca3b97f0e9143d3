// SPDX-License-Identifier: Apache-2.0
// Time series as comma-separated text (RFC 4180): first column `time`, full precision both ways.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"
#include "io/output_file.h"

namespace orrery::io {

// Writes rows of numbers and texts. Cells are added from left to right; end_row() ends the line.
class CsvWriter {
 public:
  explicit CsvWriter(OutputFile& file) : file_(file) {}

  void text(std::string_view cell);  // quoted where necessary
  void number(double x);
  void end_row();
  void header(const std::vector<std::string>& names);  // "time", then the names
  void row(double time, std::span<const double> values);

 private:
  void separate();

  OutputFile& file_;
  std::string line_;
  bool first_ = true;
};

// Columns over a time that never decreases; two rows of one time are the two sides of a jump.
struct TimeSeries {
  std::vector<std::string> names;  // without "time"
  std::vector<double> time;
  std::vector<std::vector<double>> columns;  // columns[k][row]
};

// For tables whose cells are not all numbers in plain CSV.
struct CsvOptions {
  // Semicolons or tabs between cells too, then with a decimal comma if need be; commas within brackets of unquoted
  // names; an empty last cell.
  bool lenient = false;
  bool gaps = false;  // an empty cell is NaN: the signal has no value yet
  // What a cell of a column (named in the list, without "time") stands for; nothing: it is read as a number.
  std::function<std::optional<double>(const std::vector<std::string>& names, std::size_t column,
                                      const std::string& cell)>
      cell;
};

// Reads what CsvWriter writes, and tables of other programs: quoted cells, CRLF, a byte-order mark, blank lines. The
// first column is the time whatever its name. Every wrong cell is reported with line and column, up to twenty.
std::optional<TimeSeries> read_csv(const std::string& path, Diagnostics& diagnostics, const CsvOptions& options = {});
std::optional<TimeSeries> parse_csv(std::string_view text, const std::string& file, Diagnostics& diagnostics,
                                    const CsvOptions& options = {});

}  // namespace orrery::io
