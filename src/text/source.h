// SPDX-License-Identifier: Apache-2.0
// A text that is being read: where its lines begin, and messages that show the line they are about.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"

namespace orrery::text {

// 1-based; 0: unknown.
struct Position {
  int line = 0;
  int column = 0;
  friend bool operator==(const Position&, const Position&) = default;
};

class Source {
 public:
  Source(std::string file, std::string text);

  const std::string& file() const { return file_; }
  std::string_view text() const { return text_; }
  std::size_t size() const { return text_.size(); }
  int lines() const { return static_cast<int>(starts_.size()); }
  // Without its end; empty where there is no such line.
  std::string_view line(int number) const;
  Position position(std::size_t offset) const;
  Place place(Position at) const { return {file_, at.line, at.column, {}, {}}; }

  // With the line and a caret below the column.
  Diagnostic& error(Diagnostics& diagnostics, std::string code, Position at, std::string message,
                    std::string help = {}) const;
  Diagnostic& warning(Diagnostics& diagnostics, std::string code, Position at, std::string message,
                      std::string help = {}) const;

 private:
  Diagnostic& show(Diagnostic& diagnostic, Position at) const;

  std::string file_;
  std::string text_;
  std::vector<std::size_t> starts_;  // of lines
};

// "  12 | x = y +* 2" and "     |        ^": what stands under a message. A long line is cut around the column.
std::vector<std::string> excerpt(std::string_view line, Position at);

}  // namespace orrery::text
