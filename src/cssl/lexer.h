// SPDX-License-Identifier: Apache-2.0
// Tokens of the classic languages: Fortran's words and operators, with each language's comments and line ends.
#pragma once

#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "text/source.h"

namespace orrery::cssl {

using text::Position;

struct Token {
  enum class Kind : std::uint8_t { name, number, text, sign, end_of_statement, end };
  Kind kind = Kind::end;
  std::string word;    // names as the language compares them; signs: "+", "**", ".lt.", "("; texts without quotes
  double value = 0;    // numbers
  bool whole = false;  // … without point and exponent
  Position at;
  std::size_t begin = 0, end = 0;  // in the source

  bool is(const char* sign) const { return kind == Kind::sign && word == sign; }
  bool is_name(const char* name) const { return kind == Kind::name && word == name; }
};

// What differs between the languages.
struct LexerRules {
  bool lower_case = true;       // names do not tell upper from lower case
  char separator = '$';         // between statements of one line; 0: none
  char line_comment = '!';      // to the end of the line; 0: none
  bool dashes_comment = false;  // "--" to the end of the line
  bool quoted_comments = true;  // "..." is a comment, '...' a text
  char column_one_comment = 0;  // in column 1: the whole line
  bool dots_continue = true;    // "..." at the end of a line
  bool titles = true;           // PROGRAM and TITLE take the rest of their line as one text
  bool dot_after_name = false;  // "X." is a name and a sign "." (DARE-P)
  bool d_over_dt = false;       // "d/dt" is one name (DESIRE)
};

// What is written for people: offsets of its text in the source.
struct Comment {
  std::size_t begin = 0, end = 0;
  std::size_t tokens = 0;  // so many come before it
};

// Ends with end_of_statement and end. What cannot be read is reported and left out.
std::vector<Token> tokenise(const text::Source& source, const LexerRules& rules, Diagnostics& diagnostics,
                            std::vector<Comment>* comments = nullptr);
// The same for a part of the source.
std::vector<Token> tokenise(const text::Source& source, std::size_t begin, std::size_t end, const LexerRules& rules,
                            Diagnostics& diagnostics, std::vector<Comment>* comments = nullptr);

}  // namespace orrery::cssl
