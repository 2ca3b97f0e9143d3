// SPDX-License-Identifier: Apache-2.0
// Turns OML text into tokens.
#include "oml/lexer.h"

#include <array>
#include <cctype>
#include <charconv>
#include <cstdlib>

#include "oml/error.h"

namespace orrery::oml {

bool is_keyword(std::string_view word) {
  static constexpr std::array words = {"break",  "case",     "catch",  "continue", "else",      "elseif", "end",
                                       "for",    "function", "global", "if",       "otherwise", "parfor", "persistent",
                                       "return", "switch",   "try",    "while",    "classdef",  "spmd"};
  for (const char* w : words)
    if (word == w) return true;
  return false;
}

namespace {

bool is_name_start(char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_'; }
bool is_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

void Lexer::fail_here(const std::string& message, std::size_t at) const {
  OmlError e(message);
  e.kind = ErrorKind::syntax;
  e.located = true;
  e.line = line_;
  e.column = static_cast<int>(at - line_start_) + 1;
  throw e;
}

void Lexer::skip_block_comment() {
  const std::size_t begin = at_;
  at_ += 2;
  while (at_ < source_.size()) {
    if (peek() == '%' && peek(1) == '}') {
      at_ += 2;
      return;
    }
    const bool newline = peek() == '\n';
    ++at_;
    if (newline) advance_line();
  }
  fail_here("block comment without end", begin);
}

// Skips blanks, comments and continuations; true when something was skipped.
bool Lexer::skip_blanks() {
  const std::size_t begin = at_;
  for (;;) {
    const char c = peek();
    if (at_ >= source_.size()) break;
    if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v') {
      ++at_;
    } else if (c == '%' && peek(1) == '{') {
      skip_block_comment();
    } else if (c == '%') {
      const std::size_t start = at_ + 1;
      while (at_ < source_.size() && peek() != '\n') ++at_;
      std::string_view text = source_.substr(start, at_ - start);
      while (!text.empty() && text.back() == '\r') text.remove_suffix(1);
      comment.append(text).append("\n");
    } else if (c == '.' && peek(1) == '.' && peek(2) == '.') {
      while (at_ < source_.size() && peek() != '\n') ++at_;
      if (at_ < source_.size()) {
        ++at_;
        advance_line();
      }
    } else if (c == '\n' && (brackets.empty() ? choices_ > 0 : brackets.back() == '(')) {
      ++at_;
      advance_line();
    } else {
      break;
    }
  }
  return at_ > begin;
}

Token Lexer::make(Tok kind, std::size_t begin) const {
  Token t;
  t.kind = kind;
  t.begin = begin;
  t.end = at_;
  t.line = line_;
  t.column = static_cast<int>(begin - line_start_) + 1;
  t.text = std::string(source_.substr(begin, at_ - begin));
  return t;
}

Token Lexer::lex_number(std::size_t begin) {
  double value = 0;
  if (peek() == '0' && (peek(1) == 'x' || peek(1) == 'X') && std::isxdigit(static_cast<unsigned char>(peek(2)))) {
    at_ += 2;
    while (std::isxdigit(static_cast<unsigned char>(peek()))) {
      const char c = peek();
      value = value * 16 + (is_digit(c) ? c - '0' : std::tolower(c) - 'a' + 10);
      ++at_;
    }
  } else {
    while (is_digit(peek())) ++at_;
    // "3.*x", "3./x", "3.^x" and "3.'" are operators after a whole number.
    const char after = peek(1);
    const bool is_operator = after == '*' || after == '/' || after == '^' || after == '\\' || after == '\'';
    const bool is_continuation = after == '.' && peek(2) == '.';
    if (peek() == '.' && !is_operator && !is_continuation) {
      ++at_;
      while (is_digit(peek())) ++at_;
      if (peek() == '.' && is_digit(peek(1))) fail_here("a number has one decimal point", at_);
    }
    const char e = peek();
    if (e == 'e' || e == 'E' || e == 'd' || e == 'D') {
      const std::size_t sign = peek(1) == '+' || peek(1) == '-' ? 2 : 1;
      if (is_digit(peek(sign))) {
        at_ += sign;
        while (is_digit(peek())) ++at_;
      } else if (!is_name_start(peek(1))) {
        fail_here("exponent without digits", at_);
      }
    }
    std::string digits(source_.substr(begin, at_ - begin));
    for (char& c : digits)
      if (c == 'd' || c == 'D') c = 'e';
    value = std::strtod(digits.c_str(), nullptr);
  }
  Tok kind = Tok::number;
  if ((peek() == 'i' || peek() == 'j' || peek() == 'I' || peek() == 'J') && !is_name(peek(1))) {
    ++at_;
    kind = Tok::imaginary;
  }
  Token t = make(kind, begin);
  t.number = value;
  return t;
}

Token Lexer::lex_text(std::size_t begin, char quote) {
  ++at_;
  std::string content;
  for (;;) {
    if (at_ >= source_.size() || peek() == '\n') fail_here("string without end", begin);
    if (peek() == quote) {
      if (peek(1) != quote) break;
      ++at_;
    }
    content += peek();
    ++at_;
  }
  ++at_;
  Token t = make(Tok::text, begin);
  t.text = std::move(content);
  return t;
}

Token Lexer::lex_operator(std::size_t begin) {
  static constexpr std::array longest_first = {"==", "~=",  "!=", "<=", ">=", "<>", "&&", "||", ".*", "./",
                                               ":=", ".\\", ".^", ".'", "+=", "-=", "*=", "/=", "^="};
  const std::string_view rest = source_.substr(at_);
  for (const char* op : longest_first) {
    if (!rest.starts_with(op)) continue;
    const std::string_view text = op;
    at_ += text.size();
    return make(Tok::op, begin);
  }
  static constexpr std::string_view single = "+-*/\\^<>&|~!:=@.'$";
  if (single.find(peek()) == std::string_view::npos) fail_here("unexpected character", at_);
  ++at_;
  return make(Tok::op, begin);
}

// The length of a word of a choice at the current dot (".if", ".then"), or 0 when the dot is a field's or an
// operator's. Directly behind a name they are fields: s.end.
std::size_t Lexer::choice_word(bool space) const {
  static constexpr std::array opening = {".if", ".switch"};
  static constexpr std::array inner = {".then", ".else", ".case", ".otherwise", ".end"};
  std::size_t length = 1;
  while (is_name(peek(length))) ++length;
  const std::string_view word = source_.substr(at_, length);
  for (const char* w : opening)
    if (word == w && (!value_before_ || space)) return length;
  if (choices_ == 0 || (!space && at_ > 0 && is_name(source_[at_ - 1]))) return 0;
  for (const char* w : inner)
    if (word == w) return length;
  return 0;
}

Token Lexer::next() {
  const bool space = skip_blanks();
  const bool matrix = in_matrix();
  const std::size_t begin = at_;
  Token t;
  bool head_closes = false;  // of an anonymous function: what follows begins a value
  const char c = peek();
  if (at_ >= source_.size()) {
    t = make(Tok::end_of_text, begin);
  } else if (c == '\n') {
    ++at_;
    t = make(Tok::newline, begin);
    advance_line();
  } else if (c == ';' || c == ',') {
    ++at_;
    t = make(c == ';' ? Tok::semicolon : Tok::comma, begin);
  } else if (is_digit(c) || (c == '.' && is_digit(peek(1)))) {
    t = lex_number(begin);
  } else if (is_name_start(c)) {
    while (is_name(peek())) ++at_;
    t = make(Tok::identifier, begin);
    if (!field_next_ && is_keyword(t.text)) t.kind = Tok::keyword;
  } else if (const std::size_t word = c == '.' ? choice_word(space) : 0; word > 0) {
    at_ += word;
    t = make(Tok::op, begin);
    if (t.text == ".if" || t.text == ".switch") ++choices_;
    if (t.text == ".end") --choices_;
  } else if (c == '"' || (c == '\'' && !(value_before_ && !(space && in_matrix())))) {
    t = lex_text(begin, c);
  } else if (c == '(' || c == '[' || c == '{') {
    ++at_;
    t = make(Tok::open, begin);
    brackets.push_back(c);
    if (handle_next_ && c == '(') head_depth_ = brackets.size();
  } else if (c == ')' || c == ']' || c == '}') {
    ++at_;
    t = make(Tok::close, begin);
    head_closes = head_depth_ > 0 && brackets.size() == head_depth_;
    if (head_closes) head_depth_ = 0;
    if (!brackets.empty()) brackets.pop_back();
  } else {
    t = lex_operator(begin);
  }
  t.space_before = space;
  t.in_matrix = matrix;
  const char after = peek();
  t.space_after = after == ' ' || after == '\t' || after == '\n' || after == '\r' || after == '\0' ||
                  (after == '.' && peek(1) == '.' && peek(2) == '.');
  value_before_ = t.kind == Tok::number || t.kind == Tok::imaginary || t.kind == Tok::identifier ||
                  (t.kind == Tok::close && !head_closes) || t.kind == Tok::text ||
                  (t.kind == Tok::keyword && t.text == "end" && !brackets.empty()) ||
                  (t.kind == Tok::op && (t.text == "'" || t.text == ".'" || t.text == "$" || t.text == ".end"));
  field_next_ = t.kind == Tok::op && t.text == ".";
  handle_next_ = t.kind == Tok::op && t.text == "@";
  return t;
}

std::string_view Lexer::take_line() {
  const std::size_t begin = at_;
  while (at_ < source_.size() && peek() != '\n') ++at_;
  value_before_ = false;
  return source_.substr(begin, at_ - begin);
}

}  // namespace orrery::oml
