// SPDX-License-Identifier: Apache-2.0
// The words of a command line of the editor, and readers for what they stand for.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "edit/commands.h"

namespace orrery::edit {

// Splits at blanks; quotes "…" keep blanks, \" and \\ and \n stand for the character. Nothing: a quote is not closed.
std::optional<std::vector<std::string>> split_words(std::string_view text);

// Thrown by the readers below: what the command needs instead.
struct WordError {
  std::string message;
};

class Words {
 public:
  explicit Words(std::vector<std::string> words) : words_(std::move(words)) {}
  bool empty() const { return next_ == words_.size(); }
  std::size_t left() const { return words_.size() - next_; }
  const std::string& peek() const;
  std::string take(const char* what);
  bool take_if(std::string_view word);  // the next word, when it is this one

  BlockPath block();
  std::vector<BlockPath> blocks();  // all that are left, or up to a word that begins an option
  std::string diagram();
  std::string diagram_option();                                                        // "in PATH", or the root
  Branch branch();                                                                     // [event] FROM TO
  Branch port();                                                                       // [event] FROM
  std::vector<double> numbers(std::size_t least, std::size_t most, const char* what);  // "1,2,3"
  Point point();
  std::pair<std::string, std::string> assignment();  // NAME=TEXT
  std::size_t count(const char* what);               // a number from 1
  void end();                                        // nothing may follow

  std::vector<std::string> made;  // paths of the blocks that the command has made

 private:
  std::vector<std::string> words_;
  std::size_t next_ = 0;
};

}  // namespace orrery::edit
