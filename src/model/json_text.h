// SPDX-License-Identifier: Apache-2.0
// Positions and encoding of JSON text: what the JSON parser itself does not tell.
#pragma once

#include <cstddef>
#include <iterator>
#include <optional>
#include <string_view>

#include "base/diagnostic.h"

namespace orrery::model {

// Walks over the text and keeps the line of the character read last, which survives the parser's copies.
class CountingIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  CountingIterator() = default;
  CountingIterator(const char* at, int* line) : at_(at), line_(line) {}

  reference operator*() const { return *at_; }
  CountingIterator& operator++() {
    // A line feed belongs to the line that it ends: it counts when the next character is read.
    if (after_line_feed_) ++*line_;
    after_line_feed_ = *at_++ == '\n';
    return *this;
  }
  CountingIterator operator++(int) {
    CountingIterator before = *this;
    ++*this;
    return before;
  }
  friend bool operator==(const CountingIterator& a, const CountingIterator& b) { return a.at_ == b.at_; }

 private:
  const char* at_ = nullptr;
  int* line_ = nullptr;
  bool after_line_feed_ = false;
};

// Line and column (in characters, not bytes) of a byte.
Place place_of(std::string_view text, std::size_t offset, const std::string& file);
// The offset of the first byte that is not UTF-8 (RFC 3629), or nothing.
std::optional<std::size_t> find_invalid_utf8(std::string_view text);
// Turns the JSON parser's own words into a diagnostic at the byte where it stopped.
void report_syntax(std::string_view text, std::size_t offset, std::string_view reason, const std::string& file,
                   Diagnostics& diagnostics);

}  // namespace orrery::model
