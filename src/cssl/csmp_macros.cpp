// SPDX-License-Identifier: Apache-2.0
// MACRO y1, y2 = NAME(x1, x2) … ENDMAC of CSMP, written as the macros of ACSL: NAME(y1, y2, x1, x2).
#include <iterator>
#include <set>

#include "cssl/expand_macros.h"

namespace orrery::cssl {
namespace {

using CardLine = std::vector<Token>;

std::vector<CardLine> lines_of(std::vector<Token>& tokens) {
  std::vector<CardLine> lines(1);
  for (Token& token : tokens) {
    if (token.kind == Token::Kind::end) break;
    const bool ends = token.kind == Token::Kind::end_of_statement;
    lines.back().push_back(std::move(token));
    if (ends) lines.emplace_back();
  }
  if (lines.back().empty()) lines.pop_back();
  return lines;
}

Token sign_at(const Token& place, const char* sign) {
  Token made = place;
  made.kind = Token::Kind::sign;
  made.word = sign;
  return made;
}

Token name_at(const Token& place, const char* name) {
  Token made = place;
  made.kind = Token::Kind::name;
  made.word = name;
  return made;
}

// outputs = NAME(inputs): where the sign and the name are; 0: the statement has another form.
std::size_t sign_before_call(const CardLine& line, std::size_t begin) {
  for (std::size_t k = begin; k + 2 < line.size(); ++k) {
    if (line[k].is("=")) return line[k + 1].kind == Token::Kind::name && line[k + 2].is("(") ? k : 0;
    if (line[k].kind != Token::Kind::name && !line[k].is(",")) return 0;
  }
  return 0;
}

// NAME(outputs, inputs). Inputs of more than one token get parentheses: they are put into formulas as they are.
CardLine as_statement(const CardLine& line, std::size_t begin, std::size_t sign) {
  CardLine made{line[sign + 1], line[sign + 2]};
  made.insert(made.end(), line.begin() + static_cast<std::ptrdiff_t>(begin),
              line.begin() + static_cast<std::ptrdiff_t>(sign));
  int depth = 0;
  CardLine argument;
  const auto put = [&](const Token& place) {
    if (argument.empty()) return;
    made.push_back(sign_at(place, ","));
    if (argument.size() > 1) made.push_back(sign_at(place, "("));
    made.insert(made.end(), argument.begin(), argument.end());
    if (argument.size() > 1) made.push_back(sign_at(place, ")"));
    argument.clear();
  };
  std::size_t k = sign + 3;
  for (; k < line.size(); ++k) {
    if (depth == 0 && (line[k].is(",") || line[k].is(")"))) {
      put(line[k]);
      if (line[k].is(")")) break;
      continue;
    }
    depth += line[k].is("(") ? 1 : line[k].is(")") ? -1 : 0;
    argument.push_back(line[k]);
  }
  made.insert(made.end(), line.begin() + static_cast<std::ptrdiff_t>(k), line.end());
  return made;
}

}  // namespace

std::vector<Token> csmp_macros_as_acsl(std::vector<Token> tokens) {
  const Token end = tokens.back();
  std::vector<CardLine> lines = lines_of(tokens);
  std::set<std::string> macros;
  for (const CardLine& line : lines) {
    const std::size_t sign = !line.empty() && line[0].is_name("macro") ? sign_before_call(line, 1) : 0;
    if (sign > 0) macros.insert(line[sign + 1].word);
  }
  if (macros.empty()) {
    std::vector<Token> same;
    for (CardLine& line : lines) std::move(line.begin(), line.end(), std::back_inserter(same));
    same.push_back(end);
    return same;
  }
  std::vector<Token> made;
  for (std::size_t k = 0; k < lines.size(); ++k) {
    CardLine& line = lines[k];
    if (line[0].is_name("macro") && sign_before_call(line, 1) > 0) {
      CardLine definition = as_statement(line, 1, sign_before_call(line, 1));
      made.push_back(line[0]);
      std::set<std::string> formals;
      for (const Token& token : definition) formals.insert(token.word);
      std::move(definition.begin(), definition.end(), std::back_inserter(made));
      // Names that it assigns and that are no formals are its own.
      std::set<std::string> own;
      for (std::size_t inner = k + 1; inner < lines.size() && !lines[inner][0].is_name("endmac"); ++inner) {
        for (std::size_t t = 0; t + 1 < lines[inner].size() && lines[inner][t].kind == Token::Kind::name; t += 2) {
          if (!formals.contains(lines[inner][t].word)) own.insert(lines[inner][t].word);
          if (!lines[inner][t + 1].is(",")) break;
        }
      }
      if (!own.empty()) {
        made.push_back(name_at(line[0], "macro"));
        made.push_back(name_at(line[0], "redefine"));
        bool first = true;
        for (const std::string& name : own) {
          if (!first) made.push_back(sign_at(line[0], ","));
          made.push_back(name_at(line[0], name.c_str()));
          first = false;
        }
        made.push_back(line.back());
      }
    } else if (line[0].is_name("endmac")) {
      made.push_back(name_at(line[0], "macro"));
      made.push_back(name_at(line[0], "end"));
      made.push_back(line.back());
    } else {
      const std::size_t sign = sign_before_call(line, 0);
      if (sign > 0 && macros.contains(line[sign + 1].word)) line = as_statement(line, 0, sign);
      std::move(line.begin(), line.end(), std::back_inserter(made));
    }
  }
  made.push_back(end);
  return made;
}

}  // namespace orrery::cssl
