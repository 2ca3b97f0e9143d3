// SPDX-License-Identifier: Apache-2.0
// Tokens of OML, made on demand because blanks and quotes mean different things inside brackets.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace orrery::oml {

enum class Tok {
  end_of_text,
  newline,
  semicolon,
  comma,
  number,
  imaginary,
  text,
  identifier,
  keyword,
  op,  // + - * / \ ^ .* ./ .\ .^ < <= > >= == ~= <> & | && || ~ ! : = := += -= *= /= @ . ' .' $ .if .then …
  open,
  close,  // ( [ { and ) ] }
};

struct Token {
  Tok kind = Tok::end_of_text;
  std::string text;
  double number = 0;
  bool space_before = false;
  bool space_after = false;
  bool in_matrix = false;  // directly inside [ ] or { }
  int line = 1;
  int column = 1;
  std::size_t begin = 0;  // byte offsets in the source
  std::size_t end = 0;
};

bool is_keyword(std::string_view word);

class Lexer {
 public:
  explicit Lexer(std::string_view source) : source_(source) {}
  Token next();
  // Brackets that are open: the innermost decides what blanks and newlines mean.
  std::vector<char> brackets;

  std::size_t position() const { return at_; }
  int line() const { return line_; }
  // The raw rest of the line from the current position (for command syntax); moves behind it.
  std::string_view take_line();
  // Continues lexing at this offset of the current line.
  void rewind(std::size_t at) { at_ = at; }
  std::string_view source() const { return source_; }
  // Text of the last comment lines passed, for help.
  std::string comment;

 private:
  bool in_matrix() const { return !brackets.empty() && brackets.back() != '('; }
  char peek(std::size_t k = 0) const { return at_ + k < source_.size() ? source_[at_ + k] : '\0'; }
  bool skip_blanks();
  void skip_block_comment();
  void advance_line() {
    ++line_;
    line_start_ = at_;
  }
  Token make(Tok kind, std::size_t begin) const;
  Token lex_number(std::size_t begin);
  Token lex_text(std::size_t begin, char quote);
  Token lex_operator(std::size_t begin);
  std::size_t choice_word(bool space) const;
  [[noreturn]] void fail_here(const std::string& message, std::size_t at) const;

  std::string_view source_;
  std::size_t at_ = 0;
  std::size_t line_start_ = 0;
  int line_ = 1;
  bool value_before_ = false;   // the last token ends a value: ' is a transpose
  bool field_next_ = false;     // after a dot: keywords are field names
  bool handle_next_ = false;    // after an @
  std::size_t head_depth_ = 0;  // brackets open inside the parameters of an anonymous function
  int choices_ = 0;             // .if and .switch whose .end has not come yet
};

}  // namespace orrery::oml
