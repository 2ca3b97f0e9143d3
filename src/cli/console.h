// SPDX-License-Identifier: Apache-2.0
// Printing: what the terminal can show, diagnostics, a line of progress.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

#include "base/diagnostic.h"

namespace orrery::cli {

// How much of a result is shown on the terminal.
inline constexpr std::size_t most_table_rows = 30;
inline constexpr std::size_t most_curves = 6;

struct Terminal {
  bool is_terminal = false;
  bool unicode = false;
  bool colour = false;
};

// Asked of the environment: no locale is loaded for it.
Terminal standard_output();
Terminal standard_error();

// Texts may come from models and FMUs: what would control the terminal is shown, not sent.
void print(std::string_view text);
void print_error(std::string_view text);
// What is our own from beginning to end, colours included; names in it have been through printable().
void print_drawing(std::string_view text);
// Brings out what was printed. The exit code of a command: the given one, unless that fails, which is said.
int finish_output(int code);
// To standard error: text, coloured on a terminal, or one JSON array.
void print_diagnostics(const Diagnostics& diagnostics, bool json);

// error[output-unwritable] for a log of an FMU that could not be written as a whole.
void add_unwritten_log(Diagnostics& diagnostics);

// A line on standard error that rewrites itself; shown only after a second, and only on a terminal.
class ProgressLine {
 public:
  explicit ProgressLine(bool enabled);
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void show(double share, double t);
  void begin_with(std::string text) { before_ = std::move(text); }  // the lines that follow
  void show(const std::string& text);
  void clear();

 private:
  bool is_due();  // a second has gone by, and some time since the last line
  using Clock = std::chrono::steady_clock;
  bool enabled_;
  bool shown_ = false;
  std::string before_;
  Clock::time_point start_ = Clock::now();
  Clock::time_point last_ = start_;
};

}  // namespace orrery::cli
