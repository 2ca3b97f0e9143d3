// SPDX-License-Identifier: Apache-2.0
// A recursive-descent reader that computes while it reads; MATLAB's rules for blanks in brackets.
#include "compile/literal_evaluator.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <utility>

#include "base/check.h"
#include "compile/literal_arithmetic.h"
#include "model/closest_name.h"

namespace orrery::compile {
namespace {

constexpr int deepest_expression = 200;

bool starts_name(char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_'; }
bool continues_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

class Reader {
 public:
  Reader(std::string_view text, LiteralEvaluator& variables) : text_(text), variables_(variables) {}

  std::size_t position() const { return at_; }

  Value whole_expression() {
    skip_lines();
    Value value = expression();
    skip_lines();
    if (at_ < text_.size()) unexpected();
    return value;
  }

  // Runs the next `name = expression`; false at the end of the text.
  bool statement() {
    while (skip_lines(), accept(";") || accept(",")) {
    }
    if (at_ >= text_.size()) return false;
    if (!starts_name(peek())) unexpected();
    const std::string target(name());
    skip_blanks();
    if (peek() != '=' || peek(1) == '=') {
      throw LiteralFault{"parameter-syntax", "a context line is an assignment: name = expression"};
    }
    ++at_;
    Value value = expression();
    skip_blanks();
    if (at_ < text_.size() && peek() != ';' && peek() != ',' && peek() != '\n') unexpected();
    variables_.set(target, std::move(value));
    return true;
  }

 private:
  struct Indexed {
    const Value* value;
    std::size_t position;
    bool alone;
  };

  char peek(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }

  [[noreturn]] void unexpected() const {
    if (at_ >= text_.size()) throw LiteralFault{"parameter-syntax", "the expression ends too early"};
    if (peek() == '\n') throw LiteralFault{"parameter-syntax", "the line ends too early", "continue it with ..."};
    std::size_t end = at_ + 1;
    while (end < text_.size() && (static_cast<unsigned char>(text_[end]) & 0xc0) == 0x80) ++end;
    throw LiteralFault{"parameter-syntax",
                       "\"" + std::string(text_.substr(at_, end - at_)) + "\" is not expected here"};
  }

  void skip_blanks() {
    while (true) {
      if (peek() == ' ' || peek() == '\t' || peek() == '\r') {
        ++at_;
      } else if (peek() == '%') {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (text_.substr(at_).starts_with("...")) {
        const auto end = text_.find('\n', at_);
        at_ = end == std::string_view::npos ? text_.size() : end + 1;
      } else {
        return;
      }
    }
  }

  void skip_lines() {
    while (skip_blanks(), peek() == '\n') ++at_;
  }

  bool accept(std::string_view token) {
    if (!text_.substr(at_).starts_with(token)) return false;
    at_ += token.size();
    return true;
  }

  // In brackets [p -q] are two elements, [p - q] and [p-q] are one.
  bool separates_elements(std::size_t blanks_from) const {
    if (!in_bracket_ || blanks_from == at_ || (peek() != '+' && peek() != '-')) return false;
    return peek(1) != ' ' && peek(1) != '\t';
  }

  // Takes the first of the tokens that stands next, behind blanks; -1 when none does.
  int accept_operator(std::initializer_list<std::string_view> tokens) {
    const std::size_t before = at_;
    skip_blanks();
    if (!separates_elements(before)) {
      int number = 0;
      for (const std::string_view token : tokens) {
        if (accept(token)) return number;
        ++number;
      }
    }
    at_ = before;
    return -1;
  }

  std::string_view name() {
    const std::size_t start = at_;
    while (continues_name(peek())) ++at_;
    return text_.substr(start, at_ - start);
  }

  Value expression() {
    if (++depth_ > deepest_expression) throw LiteralFault{"parameter-syntax", "the expression is nested too deeply"};
    Value value = conjunction();
    while (accept_operator({"||", "|"}) >= 0) value = elementwise(Operator::either, value, conjunction());
    --depth_;
    return value;
  }

  Value conjunction() {
    Value value = comparison();
    while (accept_operator({"&&", "&"}) >= 0) value = elementwise(Operator::both, value, comparison());
    return value;
  }

  Value comparison() {
    constexpr Operator operators[] = {Operator::equal,    Operator::unequal, Operator::unequal, Operator::at_most,
                                      Operator::at_least, Operator::less,    Operator::greater};
    Value value = range_expression();
    while (true) {
      const int op = accept_operator({"==", "~=", "!=", "<=", ">=", "<", ">"});
      if (op < 0) return value;
      value = elementwise(operators[op], value, range_expression());
    }
  }

  Value range_expression() {
    Value first = sum();
    if (accept_operator({":"}) < 0) return first;
    Value second = sum();
    if (accept_operator({":"}) < 0) return range(first, Value::number(1), second);
    return range(first, second, sum());
  }

  Value sum() {
    Value value = product();
    while (true) {
      const int op = accept_operator({"+", "-"});
      if (op < 0) return value;
      value = elementwise(op == 0 ? Operator::add : Operator::subtract, value, product());
    }
  }

  Value product() {
    Value value = unary();
    while (true) {
      switch (accept_operator({".*", "./", "*", "/"})) {
        case 0: value = elementwise(Operator::multiply, value, unary()); break;
        case 1: value = elementwise(Operator::divide, value, unary()); break;
        case 2: value = matrix_product(value, unary()); break;
        case 3: value = matrix_divide(value, unary()); break;
        default: return value;
      }
    }
  }

  // Signs bind less than powers on their right: -2^2 is -4, while 2^-1 is 0.5.
  Value unary() {
    std::string signs;
    while (skip_blanks(), peek() == '-' || peek() == '+' || peek() == '~' || peek() == '!') signs += text_[at_++];
    Value value = powers();
    return apply_signs(signs, std::move(value));
  }

  static Value apply_signs(const std::string& signs, Value value) {
    for (auto sign = signs.rbegin(); sign != signs.rend(); ++sign) {
      if (*sign == '-') value = negate(value);
      if (*sign == '~' || *sign == '!') value = logical_not(value);
    }
    return value;
  }

  Value powers() {
    Value value = postfix();
    while (true) {
      const int op = accept_operator({".^", "^"});
      if (op < 0) return value;
      std::string signs;
      while (skip_blanks(), peek() == '-' || peek() == '+') signs += text_[at_++];
      const Value exponent = apply_signs(signs, postfix());
      value = op == 0 ? elementwise(Operator::power, value, exponent) : matrix_power(value, exponent);
    }
  }

  Value postfix() {
    skip_blanks();
    Value value = primary();
    while (true) {
      if (!in_bracket_) skip_blanks();
      if (accept(".'")) {
        value = transpose(value, false);
      } else if (accept("'")) {
        value = transpose(value, true);
      } else if (peek() == '(') {
        value = index(value, arguments(&value, ')'));
      } else if (peek() == '{' && value.is_list()) {
        value = list_element(value);
      } else {
        return value;
      }
    }
  }

  Value list_element(const Value& list) {
    Value picked = index(list, arguments(&list, '}'));
    if (picked.items.size() != 1) throw LiteralFault{"parameter-size", "an index in braces takes one element"};
    return std::move(picked.items[0]);
  }

  Value primary() {
    const char c = peek();
    if (is_digit(c) || (c == '.' && is_digit(peek(1)))) return number();
    if (c == '\'' || c == '"') return Value::string(quoted_text(c));
    if (c == '[') return join(bracket(']'));
    if (c == '{') return make_list(bracket('}'));
    if (c == '(') return parenthesis();
    if (starts_name(c)) return named();
    unexpected();
  }

  Value parenthesis() {
    ++at_;
    const bool outer = std::exchange(in_bracket_, false);
    Value value = expression();
    skip_blanks();
    if (!accept(")")) unexpected();
    in_bracket_ = outer;
    return value;
  }

  Value number() {
    const std::size_t start = at_;
    if (peek() == '0' && (peek(1) == 'x' || peek(1) == 'X') && std::isxdigit(static_cast<unsigned char>(peek(2)))) {
      std::uint64_t whole = 0;
      const auto [end, status] = std::from_chars(text_.data() + at_ + 2, text_.data() + text_.size(), whole, 16);
      at_ = static_cast<std::size_t>(end - text_.data());
      if (status != std::errc{}) throw LiteralFault{"parameter-syntax", "the number is too large"};
      if (continues_name(peek())) unexpected();
      return Value::number(static_cast<double>(whole));
    }
    while (is_digit(peek())) ++at_;
    // In 3.*x, 3./x, 3.^x and 3.' the dot belongs to the operator.
    if (peek() == '.' && std::string_view("*/^'").find(peek(1)) == std::string_view::npos) ++at_;
    while (is_digit(peek())) ++at_;
    const std::size_t sign = peek(1) == '+' || peek(1) == '-' ? 1 : 0;
    if ((peek() == 'e' || peek() == 'E') && is_digit(peek(1 + sign))) {
      at_ += 1 + sign;
      while (is_digit(peek())) ++at_;
    }
    const std::string_view digits = text_.substr(start, at_ - start);
    double x = 0;
    if (std::from_chars(digits.data(), digits.data() + digits.size(), x).ec != std::errc{}) {
      throw LiteralFault{"parameter-syntax", "the number " + std::string(digits.substr(0, 40)) + " is out of range"};
    }
    const bool imaginary = (peek() == 'i' || peek() == 'j') && !continues_name(peek(1));
    if (imaginary) ++at_;
    if (continues_name(peek())) unexpected();
    if (imaginary) return Value::complex({0, x});
    Value value = Value::number(x);
    value.literal = std::string(digits);
    return value;
  }

  std::string quoted_text(char quote) {
    std::string content;
    for (++at_; at_ < text_.size() && peek() != '\n'; ++at_) {
      if (peek() == quote && peek(1) != quote) {
        ++at_;
        return content;
      }
      if (peek() == quote) {
        ++at_;
      } else if (quote == '"' && peek() == '\\' && std::string_view("nt\\\"").find(peek(1)) != std::string_view::npos) {
        const char escaped = text_[++at_];
        content += escaped == 'n' ? '\n' : escaped == 't' ? '\t' : escaped;
        continue;
      }
      content += peek();
    }
    throw LiteralFault{"parameter-syntax", "a text is not closed", std::string("add ") + quote};
  }

  std::vector<std::vector<Value>> bracket(char closing) {
    ++at_;
    const bool outer = std::exchange(in_bracket_, true);
    std::vector<std::vector<Value>> rows;
    std::vector<Value> row;
    const auto end_row = [&] {
      if (!row.empty()) rows.push_back(std::exchange(row, {}));
    };
    bool separated = true;
    while (true) {
      const std::size_t before = at_;
      skip_blanks();
      separated = separated || at_ > before;
      if (peek() == closing) break;
      if (peek() == ';' || peek() == '\n') {
        ++at_;
        end_row();
        separated = true;
        continue;
      }
      if (!separated || at_ >= text_.size()) unexpected();
      row.push_back(expression());
      const std::size_t after = at_;
      skip_blanks();
      separated = accept(",");
      if (!separated) at_ = after;
    }
    ++at_;
    end_row();
    in_bracket_ = outer;
    return rows;
  }

  // The list in parentheses or braces behind a value or function; `end` means the extent of indexed.
  std::vector<Value> arguments(const Value* indexed, char closing) {
    ++at_;
    const bool outer = std::exchange(in_bracket_, false);
    std::vector<Value> values;
    skip_blanks();
    while (peek() != closing) {
      if (indexed) indexed_.push_back({indexed, values.size(), is_only_argument(closing)});
      values.push_back(argument(indexed != nullptr, closing));
      if (indexed) indexed_.pop_back();
      skip_blanks();
      if (!accept(",") && peek() != closing) unexpected();
      skip_blanks();
    }
    ++at_;
    in_bracket_ = outer;
    return values;
  }

  Value argument(bool of_index, char closing) {
    skip_blanks();
    if (!of_index || peek() != ':') return expression();
    ++at_;
    skip_blanks();
    if (peek() != ',' && peek() != closing) unexpected();
    return Value::string(":");
  }

  // Whether the index list that goes on here has no comma at its own level: then `end` counts all elements.
  bool is_only_argument(char closing) const {
    int depth = 0;
    for (std::size_t k = at_; k < text_.size(); ++k) {
      const char c = text_[k];
      if (depth == 0 && c == closing) return true;
      if (depth == 0 && c == ',') return false;
      depth += c == '(' || c == '[' || c == '{';
      depth -= c == ')' || c == ']' || c == '}';
    }
    return true;
  }

  Value extent() const {
    const auto [value, position, alone] = indexed_.back();
    if (position == 0 && alone) return Value::number(static_cast<double>(value->size()));
    return Value::number(position == 0 ? value->rows : value->cols);
  }

  Value named() {
    const std::size_t start = at_;
    const std::string_view word = name();
    if (word == "end" && !indexed_.empty()) return extent();
    if (const Value* variable = variables_.find(word)) return *variable;
    if (!in_bracket_) skip_blanks();
    if (peek() == '(' && is_function(word)) {
      const std::vector<Value> values = arguments(nullptr, ')');
      return call_function(word, values);
    }
    if (const auto constant = constants().find(word); constant != constants().end()) return constant->second;
    const bool call = peek() == '(';
    at_ = start;
    std::vector<std::string_view> known = variables_.names();
    for (const auto& [constant, value] : constants()) known.push_back(constant);
    const auto functions = function_names();
    if (call) known.insert(known.end(), functions.begin(), functions.end());
    throw LiteralFault{call ? "unknown-function" : "undefined-name",
                       (call ? "there is no function or variable \"" : "there is no variable \"") +
                           std::string(word.substr(0, 60)) + "\"",
                       model::did_you_mean(word, known)};
  }

  std::string_view text_;
  LiteralEvaluator& variables_;
  std::size_t at_ = 0;
  int depth_ = 0;
  bool in_bracket_ = false;
  std::vector<Indexed> indexed_;
};

// Texts have their own lines: those of a context follow each other in the file, those of a parameter do not.
void report(const LiteralFault& fault, std::string_view text, std::size_t at, Place place, bool lines_of_file,
            Diagnostics& diagnostics) {
  at = std::min(at, text.size());
  const std::string_view before = text.substr(0, at);
  const auto line_start = before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1;
  if (lines_of_file && place.line > 0) place.line += static_cast<int>(std::count(before.begin(), before.end(), '\n'));
  const std::string_view line = text.substr(line_start, text.find('\n', line_start) - line_start);
  const std::string shown = line.size() <= 120 ? std::string(line) : std::string();
  Diagnostic& diagnostic = diagnostics.error(fault.code, std::move(place), fault.message, fault.help);
  const std::string column = "at character " + std::to_string(at - line_start + 1);
  diagnostic.notes.push_back(shown.empty() ? column : column + " of: " + shown);
}

}  // namespace

LiteralEvaluator::LiteralEvaluator() : scopes_(1) {}

void LiteralEvaluator::push_scope() { scopes_.emplace_back(); }

void LiteralEvaluator::pop_scope() {
  ORRERY_CHECK(scopes_.size() > 1);
  scopes_.pop_back();
}

bool LiteralEvaluator::run(const std::vector<std::string>& lines, const Place& place, Diagnostics& diagnostics) {
  std::string text;
  for (const std::string& line : lines) text += line + '\n';
  Reader reader(text, *this);
  try {
    while (reader.statement()) {
    }
    return true;
  } catch (const LiteralFault& fault) {
    report(fault, text, reader.position(), place, true, diagnostics);
    return false;
  }
}

std::optional<Value> LiteralEvaluator::evaluate(std::string_view text, const Place& place, Diagnostics& diagnostics) {
  Reader reader(text, *this);
  try {
    return reader.whole_expression();
  } catch (const LiteralFault& fault) {
    report(fault, text, reader.position(), place, false, diagnostics);
    return std::nullopt;
  }
}

void LiteralEvaluator::set(const std::string& name, Value value) { scopes_.back()[name] = std::move(value); }

const Value* LiteralEvaluator::find(std::string_view name) const {
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
    if (const auto found = scope->find(name); found != scope->end()) return &found->second;
  }
  return nullptr;
}

std::vector<std::string_view> LiteralEvaluator::names() const {
  std::vector<std::string_view> names;
  for (const auto& scope : scopes_) {
    for (const auto& [name, value] : scope) names.push_back(name);
  }
  return names;
}

}  // namespace orrery::compile
