// SPDX-License-Identifier: Apache-2.0
// Characters to tokens.
#include "cssl/lexer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "base/printable.h"
#include "text/scan.h"

namespace orrery::cssl {
namespace {

using text::count_while;
using text::is_blank;
using text::is_digit;
using text::is_letter;
using text::is_word;

// Operators between dots, and what they are written as further on.
struct DottedOperator {
  std::string_view word, sign;
};
constexpr std::array dotted_operators = {
    DottedOperator{"lt", ".lt."},     DottedOperator{"le", ".le."},       DottedOperator{"eq", ".eq."},
    DottedOperator{"ne", ".ne."},     DottedOperator{"ge", ".ge."},       DottedOperator{"gt", ".gt."},
    DottedOperator{"not", ".not."},   DottedOperator{"and", ".and."},     DottedOperator{"or", ".or."},
    DottedOperator{"xor", ".xor."},   DottedOperator{"eqv", ".eqv."},     DottedOperator{"neqv", ".xor."},
    DottedOperator{"true", ".true."}, DottedOperator{"false", ".false."}, DottedOperator{"t", ".true."},
    DottedOperator{"f", ".false."},   DottedOperator{"at", ".at."},       DottedOperator{"xp", ".xp."},
    DottedOperator{"xn", ".xn."},     DottedOperator{"xz", ".xz."}};

struct PlainSign {
  std::string_view written, sign;
};
constexpr std::array plain_signs = {
    PlainSign{"**", "**"},   PlainSign{"<=", ".le."}, PlainSign{">=", ".ge."}, PlainSign{"==", ".eq."},
    PlainSign{"/=", ".ne."}, PlainSign{"<>", ".ne."}, PlainSign{"<", ".lt."},  PlainSign{">", ".gt."},
    PlainSign{"^", "**"},    PlainSign{"+", "+"},     PlainSign{"-", "-"},     PlainSign{"*", "*"},
    PlainSign{"/", "/"},     PlainSign{"(", "("},     PlainSign{")", ")"},     PlainSign{"[", "("},
    PlainSign{"]", ")"},     PlainSign{",", ","},     PlainSign{"=", "="},     PlainSign{":", ":"},
    PlainSign{";", ";"},     PlainSign{"@", "@"}};

class Tokeniser {
 public:
  Tokeniser(const text::Source& source, std::size_t begin, std::size_t end, const LexerRules& rules,
            Diagnostics& diagnostics, std::vector<Comment>* comments)
      : source_(source),
        text_(source.text().substr(0, end)),
        at_(begin),
        rules_(rules),
        diagnostics_(diagnostics),
        comments_(comments) {}

  std::vector<Token> run() {
    while (at_ < text_.size()) step();
    end_statement();
    add(Token::Kind::end, "", at_, at_);
    return std::move(tokens_);
  }

 private:
  char next(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\n'; }

  Token& add(Token::Kind kind, std::string word, std::size_t begin, std::size_t end) {
    Token token;
    token.kind = kind;
    token.word = std::move(word);
    token.at = source_.position(begin);
    token.begin = begin;
    token.end = end;
    tokens_.push_back(std::move(token));
    return tokens_.back();
  }

  void comment(std::size_t begin, std::size_t end) {
    if (comments_ != nullptr) comments_->push_back({begin, end, tokens_.size()});
  }

  bool begins_statement() const { return tokens_.empty() || tokens_.back().kind == Token::Kind::end_of_statement; }

  void end_statement() {
    if (!begins_statement()) add(Token::Kind::end_of_statement, "", at_, at_);
  }

  std::size_t rest_of_line() const { return std::min(text_.find('\n', at_), text_.size()); }
  bool at_column_one() const { return at_ == 0 || text_[at_ - 1] == '\n'; }

  void step() {
    const char c = next();
    if (c == '\n') {
      end_statement();
      ++at_;
    } else if (is_blank(c)) {
      ++at_;
    } else if ((rules_.column_one_comment != 0 && c == rules_.column_one_comment && at_column_one()) ||
               (rules_.line_comment != 0 && c == rules_.line_comment) ||
               (rules_.dashes_comment && c == '-' && next(1) == '-')) {
      comment(at_, rest_of_line());
      at_ = rest_of_line();
    } else if (rules_.separator != 0 && c == rules_.separator) {
      end_statement();
      ++at_;
    } else if (c == '"' && rules_.quoted_comments) {
      quoted(false);
    } else if (c == '\'' || c == '"') {
      quoted(true);
    } else if (is_digit(c) || (c == '.' && is_digit(next(1)))) {
      number();
    } else if (is_letter(c)) {
      name();
    } else if (c == '.') {
      dots();
    } else {
      sign();
    }
  }

  void quoted(bool keep) {
    const auto found = text::scan_quoted(text_, at_);
    if (!found) {
      source_.error(diagnostics_, "unclosed-text", source_.position(at_),
                    keep ? "this text has no end in its line" : "this comment has no end in its line",
                    fmt::format("close it with {}", next()));
      at_ = rest_of_line();
      return;
    }
    if (keep) {
      add(Token::Kind::text, found->value, at_, at_ + found->length);
    } else {
      comment(at_, at_ + found->length);
    }
    at_ += found->length;
  }

  // How long the dotted operator is that begins here; 0: there is none.
  std::size_t dotted(std::size_t at, std::string_view& sign) const {
    if (at >= text_.size() || text_[at] != '.') return 0;
    const std::size_t letters = count_while(text_, at + 1, is_letter);
    if (letters == 0 || at + 1 + letters >= text_.size() || text_[at + 1 + letters] != '.') return 0;
    const std::string word = text::lower_case(text_.substr(at + 1, letters));
    for (const DottedOperator& known : dotted_operators) {
      if (known.word != word) continue;
      sign = known.sign;
      return letters + 2;
    }
    return 0;
  }

  void number() {
    const std::size_t begin = at_;
    std::string_view ignored;
    std::size_t end = at_ + count_while(text_, at_, is_digit);
    bool whole = true;
    // Three dots are no fraction, and neither is the dot of an operator.
    const bool continues = text_.substr(end).starts_with("...");
    if (end < text_.size() && text_[end] == '.' && !continues && dotted(end, ignored) == 0) {
      whole = false;
      ++end;
      end += count_while(text_, end, is_digit);
    }
    if (end < text_.size() && std::string_view("eEdD").find(text_[end]) != std::string_view::npos) {
      std::size_t power = end + 1;
      if (power < text_.size() && (text_[power] == '+' || text_[power] == '-')) ++power;
      const std::size_t digits = count_while(text_, power, is_digit);
      if (digits > 0) {
        whole = false;
        end = power + digits;
      }
    }
    const auto value = text::number_of(text_.substr(begin, end - begin));
    if (!value) {
      source_.error(diagnostics_, "bad-number", source_.position(begin),
                    fmt::format("{} is no number that can be computed with", text_.substr(begin, end - begin)),
                    "numbers reach from 1e-308 to 1e308");
    }
    Token& token = add(Token::Kind::number, std::string(text_.substr(begin, end - begin)), begin, end);
    token.value = value.value_or(0);
    token.whole = whole;
    at_ = end;
  }

  void name() {
    const std::size_t begin = at_;
    const bool first = begins_statement();
    if (rules_.d_over_dt && text_.substr(at_).starts_with("d/dt") && !is_word(next(4))) {
      add(Token::Kind::name, "d/dt", begin, begin + 4);
      at_ += 4;
      return;
    }
    const std::size_t end = at_ + count_while(text_, at_, is_word);
    std::string word(text_.substr(begin, end - begin));
    const std::string lower = text::lower_case(word);
    if (rules_.lower_case) word = lower;
    add(Token::Kind::name, word, begin, end);
    at_ = end;
    if (rules_.titles && first && (lower == "program" || lower == "title" || lower == "label")) title();
  }

  // The rest of the line is one text.
  void title() {
    std::size_t begin = at_, end = rest_of_line();
    while (begin < end && is_blank(text_[begin])) ++begin;
    if (begin < end && text_[begin] == '=') return;  // a variable of this name
    while (end > begin && is_blank(text_[end - 1])) --end;
    add(Token::Kind::text, std::string(text_.substr(begin, end - begin)), begin, end);
    at_ = rest_of_line();
  }

  void dots() {
    const std::size_t begin = at_;
    if (text_.substr(at_).starts_with("...") && rules_.dots_continue) return continue_line();
    std::string_view sign;
    const std::size_t length = dotted(at_, sign);
    if (length > 0) {
      add(Token::Kind::sign, std::string(sign), begin, begin + length);
      at_ += length;
      return;
    }
    if (rules_.dot_after_name && !tokens_.empty() && tokens_.back().kind == Token::Kind::name &&
        tokens_.back().end == at_) {
      add(Token::Kind::sign, ".", begin, begin + 1);
      ++at_;
      return;
    }
    const std::size_t letters = count_while(text_, at_ + 1, is_letter);
    const bool word = letters > 0 && next(letters + 1) == '.';
    source_.error(diagnostics_, "bad-character", source_.position(begin),
                  word ? fmt::format("there is no operator .{}.", text_.substr(at_ + 1, letters))
                       : std::string("a dot stands where nothing needs one"),
                  word ? "operators between dots are LT LE EQ NE GE GT NOT AND OR XOR EQV NEQV, AT XP XN XZ" : "");
    at_ += word ? letters + 2 : 1;
  }

  // Dots to the end of the line: the statement goes on in the next line that is not empty.
  void continue_line() {
    const std::size_t begin = at_;
    comment(begin + count_while(text_, begin, [](char c) { return c == '.'; }), rest_of_line());
    at_ = rest_of_line();
    if (at_ < text_.size()) ++at_;
    const std::size_t rest = text_.find_first_not_of(" \t\r\n", at_);
    if (rest != std::string_view::npos && rest < text_.size()) return;
    source_.error(diagnostics_, "bad-continuation", source_.position(begin),
                  "the statement is continued, but the text ends here", "remove the dots or write the rest");
  }

  void sign() {
    for (const PlainSign& known : plain_signs) {
      if (!text_.substr(at_).starts_with(known.written)) continue;
      add(Token::Kind::sign, std::string(known.sign), at_, at_ + known.written.size());
      at_ += known.written.size();
      return;
    }
    std::size_t length = 1;  // of a character in UTF-8
    while (at_ + length < text_.size() && (static_cast<unsigned char>(text_[at_ + length]) & 0xC0U) == 0x80U) ++length;
    source_.error(diagnostics_, "bad-character", source_.position(at_),
                  fmt::format("the character {} has no meaning here", printable_line(text_.substr(at_, length))));
    at_ += length;
  }

  const text::Source& source_;
  std::string_view text_;
  std::size_t at_;
  const LexerRules& rules_;
  Diagnostics& diagnostics_;
  std::vector<Comment>* comments_;
  std::vector<Token> tokens_;
};

}  // namespace

std::vector<Token> tokenise(const text::Source& source, const LexerRules& rules, Diagnostics& diagnostics,
                            std::vector<Comment>* comments) {
  return tokenise(source, 0, source.size(), rules, diagnostics, comments);
}

std::vector<Token> tokenise(const text::Source& source, std::size_t begin, std::size_t end, const LexerRules& rules,
                            Diagnostics& diagnostics, std::vector<Comment>* comments) {
  return Tokeniser(source, begin, end, rules, diagnostics, comments).run();
}

}  // namespace orrery::cssl
