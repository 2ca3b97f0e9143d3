// SPDX-License-Identifier: Apache-2.0
// Declarations, lists of constants and subprograms.
#include <fmt/format.h>

#include <algorithm>

#include "cssl/parser.h"

namespace orrery::cssl {

bool Parser::is_type_word(const std::string& word) const {
  for (const char* known : {"real", "integer", "logical", "doubleprecision", "dimension", "array", "character"}) {
    if (word == known) return true;
  }
  return false;
}

namespace {

Declared& declare_in(std::vector<Declared>& declared, const std::string& name, Position at) {
  const auto found = std::find_if(declared.begin(), declared.end(), [&](const auto& d) { return d.name == name; });
  if (found != declared.end()) return *found;
  Declared item;
  item.name = name;
  item.at = at;
  declared.push_back(std::move(item));
  return declared.back();
}

}  // namespace

// (3), (2,2), (0:4)
void Parser::dimensions(Declared& item) {
  constexpr double most_elements = 1e6;
  int* first[] = {&item.first_row, &item.first_col};
  int* count[] = {&item.rows, &item.cols};
  item.array = true;
  for (int k = 0;; ++k) {
    const Position at = peek().at;
    if (k == 2) mistake("bad-array", at, "arrays have at most two dimensions");
    double lower = 1, upper = constant_number();
    if (accept(":")) {
      lower = upper;
      upper = constant_number();
    }
    if (!(upper >= lower) || upper - lower >= most_elements || upper != static_cast<int>(upper) ||
        lower != static_cast<int>(lower))
      mistake("bad-array", at, "the size of an array must be a whole number from 1 to 1 000 000");
    *first[k] = static_cast<int>(lower);
    *count[k] = static_cast<int>(upper - lower) + 1;
    if (!accept(",")) break;
  }
  if (static_cast<double>(item.rows) * item.cols > most_elements)
    mistake("bad-array", item.at, "the array is too large");
  expect(")", "the size of the array is not closed");
}

void Parser::type_declaration(std::vector<Declared>* own) {
  const std::string word = take().word;
  if (word == "character" && accept("*")) take();
  const bool only_sizes = word == "dimension" || word == "array";
  const Type type = word == "integer"     ? Type::integer
                    : word == "logical"   ? Type::logical
                    : word == "character" ? Type::text
                                          : Type::real;
  do {
    const Position at = peek().at;
    const std::string name = expect_name("the name that is declared");
    Declared& item = own != nullptr ? declare_in(*own, name, at) : program_.declare(name, at);
    if (!only_sizes) item.type = type;
    if (accept("*") && peek().kind == Token::Kind::number) take();
    if (accept("(")) dimensions(item);
    if (item.constant && item.values.size() == 1) item.values.resize(item.size(), item.values[0]);
  } while (accept(","));
  end_statement();
}

std::vector<std::string> Parser::name_list() {
  std::vector<std::string> names;
  if (peek().kind != Token::Kind::name) return names;
  do {
    names.push_back(expect_name("a name"));
    if (accept("(")) arguments();
  } while (accept(","));
  return names;
}

// 1.0, 3*0.5, …: up to the next name.
std::vector<double> Parser::value_list() {
  constexpr double most_repeats = 1e6;
  std::vector<double> values;
  for (;;) {
    const Position at = peek().at;
    const double value = constant_number();
    if (accept("*")) {
      if (!(value >= 1 && value <= most_repeats))
        mistake("bad-array", at, "how often a value is repeated must be 1 or more");
      const double repeated = constant_number();
      values.insert(values.end(), static_cast<std::size_t>(value), repeated);
    } else if (accept("/")) {
      values.push_back(value / constant_number());
    } else {
      values.push_back(value);
    }
    const bool goes_on = peek().is(",") && (peek(1).kind == Token::Kind::number || peek(1).is("-") || peek(1).is("+") ||
                                            peek(1).is(".true.") || peek(1).is(".false."));
    if (!goes_on) return values;
    take();
  }
}

void Parser::constant_list() {
  do {
    if (peek().kind == Token::Kind::end_of_statement) break;
    const Token name = peek();
    Declared& item = program_.declare(expect_name("the name of a constant"), name.at);
    std::size_t element = SIZE_MAX;
    if (accept("(")) {
      const double row = constant_number();
      const double col = accept(",") ? constant_number() : item.first_col;
      expect(")", "the index is not closed");
      const double at = (col - item.first_col) * item.rows + row - item.first_row;
      if (!(at >= 0 && at < static_cast<double>(item.size())))
        mistake("bad-array", name.at, fmt::format("{} has no such element", name.word), "declare its size before");
      element = static_cast<std::size_t>(at);
    }
    expect("=", "a constant needs = and its value");
    if (peek().kind == Token::Kind::text) {
      take();
      item.type = Type::text;
      continue;
    }
    if (peek().is(".true.") || peek().is(".false.")) item.type = Type::logical;
    const std::vector<double> values = value_list();
    if (element != SIZE_MAX) {
      item.values.resize(item.size(), 0);
      for (std::size_t k = 0; k < values.size() && element + k < item.values.size(); ++k)
        item.values[element + k] = values[k];
    } else {
      if (item.constant && !item.array)
        mistake("double-assignment", name.at, fmt::format("{} has a value already", name.word),
                fmt::format("its first one is in line {}", item.at.line));
      item.at = name.at;
      if (values.size() > 1 && !item.array) {  // the list says how long it is
        item.array = true;
        item.rows = static_cast<int>(values.size());
      }
      if (values.size() > item.size())
        mistake("bad-array", name.at,
                fmt::format("{} values for the {} elements of {}", values.size(), item.size(), name.word));
      item.values = values;
      item.values.resize(item.size(), values.size() == 1 ? values[0] : 0.0);
    }
    item.constant = true;
  } while (accept(","));
  end_statement();
}

void Parser::subprogram() {
  Subprogram made;
  made.at = peek().at;
  if (is_type_word(peek().word)) take();
  made.function = peek().is_name("function");
  if (!made.function && !peek().is_name("subroutine"))
    mistake("syntax", peek().at, "only FUNCTION and SUBROUTINE can follow the end of the program",
            "remove one END before, or the text behind it");
  take();
  made.name = expect_name("the name of the subprogram");
  if (accept("(")) {
    made.arguments = name_list();
    expect(")", "the list of arguments is not closed");
  }
  end_statement();
  while (!at_end() && !(peek().is_name("end") && !peek(1).is("="))) {
    if (peek().kind == Token::Kind::name && is_type_word(peek().word) && !peek(1).is("=")) {
      try {
        type_declaration(&made.declared);
      } catch (const SyntaxError&) {
        skip_statement();
      }
    } else if (ends_block(peek(), peek(1))) {
      source_.error(diagnostics_, "syntax", peek().at, fmt::format("{} closes nothing here", peek().word));
      skip_statement();
    } else {
      statement(made.body);
    }
  }
  if (!accept_name("end")) mistake("missing-end", made.at, "this subprogram has no END");
  program_.subprograms.push_back(std::move(made));
  end_statement();
}

void Parser::subprograms() {
  while (!at_end()) {
    const std::size_t begin = at_;
    try {
      if (peek().kind == Token::Kind::end_of_statement) {
        take();
      } else {
        subprogram();
      }
    } catch (const SyntaxError&) {
      if (at_ == begin) take();
      skip_statement();
    }
  }
}

// They lie at multiples of length/(points - 1); the last one is the length but for rounding.
void Parser::add_points(Section& initial, Section& output, const std::string& interval, const std::string& length,
                        const std::string& points) {
  program_.roles.interval = interval;
  Statement first;
  first.targets = {name_node(interval, {})};
  const NodeId count = binary_node("-", name_node(points, {}), number_node(1, {}), {});
  first.value = binary_node("/", name_node(length, {}), count, {});
  initial.statements.push_back(std::move(first));
  Statement end;
  end.kind = Statement::Kind::terminate;
  const NodeId last = binary_node("*", name_node(length, {}), number_node(1 - 1e-12, {}), {});
  const NodeId now = name_node(program_.roles.time, {});
  const bool from_zero = program_.start == "0";
  end.value = binary_node(".ge.", from_zero ? now : binary_node("-", now, name_node(program_.start, {}), {}), last, {});
  output.statements.push_back(std::move(end));
  program_.stop = fmt::format("{2}{0}*(1 + 1/({1} - 1))", length, points, from_zero ? "" : program_.start + " + ");
}

void Parser::error_list(std::string& setting) {
  double least = setting.empty() ? 1e300 : std::stod(setting);
  do {
    const Token name = peek();
    expect_name("the name of a state");
    expect("=", "an error needs = and its value");
    const double value = constant_number();
    if (!(value > 0)) mistake("bad-setting", name.at, "an error must be positive", "such as 1E-5");
    least = std::min(least, value);
  } while (accept(","));
  setting = fmt::format("{}", least);
  end_statement();
}

}  // namespace orrery::cssl
