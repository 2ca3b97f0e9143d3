// SPDX-License-Identifier: Apache-2.0
// Definitions as lists of statements; a use is carried out statement by statement, since directives may jump.
#include "cssl/expand_macros.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

namespace orrery::cssl {
namespace {

using Line = std::vector<Token>;  // without its end

struct Macro {
  std::string name;
  std::vector<std::string> formals;
  std::map<std::string, Line> defaults;  // MACRO STANDVAL
  std::vector<Line> lines;
  Position at;
};

constexpr int deepest_macro = 20;
constexpr int most_lines = 100'000;

class Expanding {
 public:
  Expanding(const text::Source& source, std::vector<Token> tokens, Diagnostics& diagnostics)
      : source_(source), diagnostics_(diagnostics) {
    end_ = tokens.back();
    Line line;
    for (Token& token : tokens) {
      if (token.kind == Token::Kind::end) break;
      if (token.kind == Token::Kind::end_of_statement) {
        if (!line.empty()) lines_.push_back(std::move(line));
        line.clear();
      } else {
        line.push_back(std::move(token));
      }
    }
  }

  std::vector<Token> run() {
    take_definitions();
    for (Line& line : lines_) expand(std::move(line), 0);
    std::vector<Token> tokens;
    for (Line& line : result_) {
      Token end = line.back();
      end.kind = Token::Kind::end_of_statement;
      std::move(line.begin(), line.end(), std::back_inserter(tokens));
      tokens.push_back(std::move(end));
    }
    tokens.push_back(end_);
    return tokens;
  }

 private:
  void error(Position at, std::string message, std::string help = {}) {
    source_.error(diagnostics_, "bad-macro", at, std::move(message), std::move(help));
  }

  static bool begins(const Line& line, const char* second = nullptr) {
    if (line.empty() || !line[0].is_name("macro")) return false;
    return second == nullptr || (line.size() > 1 && line[1].is_name(second));
  }

  void take_definitions() {
    std::vector<Line> rest;
    for (std::size_t k = 0; k < lines_.size(); ++k) {
      if (!begins(lines_[k])) {
        rest.push_back(std::move(lines_[k]));
        continue;
      }
      std::size_t end = k + 1;
      while (end < lines_.size() && !begins(lines_[end], "end")) ++end;
      if (end == lines_.size()) {
        error(lines_[k][0].at, "this macro has no MACRO END");
        break;
      }
      define(k, end);
      k = end;
    }
    lines_ = std::move(rest);
  }

  void define(std::size_t first, std::size_t end) {
    const Line& head = lines_[first];
    Macro macro;
    macro.at = head[0].at;
    if (head.size() < 2 || head[1].kind != Token::Kind::name) return error(macro.at, "a macro needs a name");
    macro.name = head[1].word;
    for (std::size_t k = 2; k < head.size(); ++k) {
      if (head[k].kind == Token::Kind::name) macro.formals.push_back(head[k].word);
    }
    for (std::size_t k = first + 1; k < end; ++k) {
      const Line& line = lines_[k];
      if (begins(line, "standval")) {
        for (Line& item : list_of(line, 2)) {
          if (item.size() < 3 || !item[1].is("=")) {
            error(line[0].at, "MACRO STANDVAL has the form name = value");
            continue;
          }
          macro.defaults[item[0].word] = Line(item.begin() + 2, item.end());
        }
      } else {
        macro.lines.push_back(line);
      }
    }
    macros_[macro.name] = std::move(macro);
  }

  // Parts between commas that are not inside parentheses.
  static std::vector<Line> list_of(const Line& line, std::size_t from) {
    std::vector<Line> parts(1);
    int open = 0;
    for (std::size_t k = from; k < line.size(); ++k) {
      if (line[k].is("(")) ++open;
      if (line[k].is(")")) --open;
      if (open == 0 && (line[k].is(",") || line[k].is("="))) {
        if (line[k].is("=") && !parts.back().empty() && parts.back().size() == 1) {
          parts.back().push_back(line[k]);
          continue;
        }
        parts.emplace_back();
        continue;
      }
      parts.back().push_back(line[k]);
    }
    return parts;
  }

  // The arguments of a use that begins at an opening parenthesis; `end` is behind the closing one.
  static std::optional<std::vector<Line>> arguments(const Line& line, std::size_t open, std::size_t& end) {
    if (open >= line.size() || !line[open].is("(")) return std::nullopt;
    std::vector<Line> parts(1);
    int depth = 0;
    for (std::size_t k = open; k < line.size(); ++k) {
      if (line[k].is("(") && ++depth == 1) continue;
      if (line[k].is(")") && --depth == 0) {
        end = k + 1;
        if (parts.size() == 1 && parts[0].empty()) parts.clear();
        return parts;
      }
      if (depth == 1 && (line[k].is(",") || line[k].is("="))) {
        parts.emplace_back();
      } else {
        parts.back().push_back(line[k]);
      }
    }
    return std::nullopt;
  }

  // Uses inside expressions become names of their own, defined before.
  void expand(Line line, int depth) {
    if (static_cast<int>(result_.size()) > most_lines) return;
    if (gave_up_) return;
    if (depth > deepest_macro) {  // each use makes two of them: said once
      gave_up_ = true;
      return error(line[0].at, "macros use each other too deeply");
    }
    const std::size_t first =
        line.size() > 2 && (line[0].kind == Token::Kind::number || line[1].is(":")) ? (line[1].is(":") ? 2 : 1) : 0;
    const auto as_statement = macros_.find(line[first].kind == Token::Kind::name ? line[first].word : "");
    std::size_t end = 0;
    if (as_statement != macros_.end()) {
      const auto given = arguments(line, first + 1, end);
      if (given && end == line.size()) return carry_out(as_statement->second, *given, line[first].at, depth);
    }
    for (std::size_t k = first + 1; k < line.size(); ++k) {
      const auto found = macros_.find(line[k].kind == Token::Kind::name ? line[k].word : "");
      if (found == macros_.end()) continue;
      auto given = arguments(line, k + 1, end);
      if (!given) continue;
      // y = name(x): the first formal is the name on the left.
      const bool whole = k == first + 2 && line[first + 1].is("=") && end == line.size();
      Token result = line[whole ? first : k];
      if (!whole) result.word = fmt::format("zzm{}", ++fresh_);
      given->insert(given->begin(), Line{result});
      const Macro& macro = found->second;
      if (whole) return carry_out(macro, *given, line[k].at, depth);
      carry_out(macro, *given, line[k].at, depth);
      line.erase(line.begin() + static_cast<std::ptrdiff_t>(k), line.begin() + static_cast<std::ptrdiff_t>(end));
      line.insert(line.begin() + static_cast<std::ptrdiff_t>(k), result);
    }
    result_.push_back(std::move(line));
  }

  void carry_out(const Macro& macro, const std::vector<Line>& given, Position at, int depth) {
    if (given.size() > macro.formals.size())
      return error(
          at, fmt::format("{} takes {} arguments, but {} are given", macro.name, macro.formals.size(), given.size()));
    std::map<std::string, Line> values;
    for (std::size_t k = 0; k < macro.formals.size(); ++k) {
      const auto standard = macro.defaults.find(macro.formals[k]);
      if (k < given.size() && !given[k].empty()) {
        values[macro.formals[k]] = given[k];
      } else if (standard != macro.defaults.end()) {
        values[macro.formals[k]] = standard->second;
      } else {
        return error(at, fmt::format("the argument {} of {} is missing", macro.formals[k], macro.name),
                     "give it, or let MACRO STANDVAL say what it is");
      }
    }
    double counter = 0;
    int carried = 0;
    for (std::size_t k = 0; k < macro.lines.size(); ++k) {
      if (++carried > most_lines) return error(at, fmt::format("{} never ends", macro.name));
      const Line& line = macro.lines[k];
      if (!begins(line)) {
        Line made = replaced(line, values);
        for (Token& token : made) token.at = at;
        expand(std::move(made), depth + 1);
        continue;
      }
      const std::string word = line.size() > 1 ? line[1].word : "";
      if (word == "redefine" || word == "relabel") {
        for (const Line& item : list_of(line, 2)) {
          if (item.size() != 1) continue;
          Token unique = item[0];
          const bool label = unique.kind == Token::Kind::number;
          unique.word = label ? fmt::format("{}", 90000 + ++fresh_) : fmt::format("zz{}{}", ++fresh_, item[0].word);
          values[item[0].word] = {unique};
        }
      } else if (word == "exit") {
        return;
      } else if (word == "assign" || word == "increment" || word == "decrement") {
        const double value = line.size() > 2 && line[2].kind == Token::Kind::number ? line[2].value : 1;
        counter = word == "assign" ? value : counter + (word == "increment" ? value : -value);
        Token number;
        number.kind = Token::Kind::number;
        number.value = counter;
        number.whole = true;
        number.word = fmt::format("{}", counter);
        number.at = at;
        values["assign"] = {number};
      } else if (word == "go" || word == "goto" || word == "if") {
        const std::optional<std::size_t> next = jump(macro, line, values);
        if (next) k = *next - 1;
      } else if (word == "continue" || (line.size() > 1 && line[1].kind == Token::Kind::number)) {
        continue;
      } else {
        return error(line[0].at, fmt::format("there is no directive MACRO {}", word));
      }
    }
  }

  // MACRO IF (p = v) lab, MACRO GO TO lab: where it goes on; nothing: with the next line.
  std::optional<std::size_t> jump(const Macro& macro, const Line& line, const std::map<std::string, Line>& values) {
    if (line[1].is_name("if")) {
      std::size_t end = 0;
      const auto sides = arguments(line, 2, end);
      if (!sides || sides->size() != 2) {
        error(line[0].at, "MACRO IF has the form MACRO IF (name = value) label");
        return std::nullopt;
      }
      const Line left = replaced((*sides)[0], values), right = replaced((*sides)[1], values);
      const bool same = std::equal(left.begin(), left.end(), right.begin(), right.end(),
                                   [](const Token& a, const Token& b) { return a.word == b.word; });
      if (!same) return std::nullopt;
    }
    const std::string& label = line.back().word;
    for (std::size_t k = 0; k < macro.lines.size(); ++k) {
      const Line& other = macro.lines[k];
      const bool plain = other.size() > 1 && other[0].word == label && other[1].is(":");
      const bool directive = begins(other) && other.size() > 1 && other[1].word == label;
      if (plain || directive) return k;
    }
    error(line[0].at, fmt::format("there is no label {} in the macro {}", label, macro.name));
    return std::nullopt;
  }

  static Line replaced(const Line& line, const std::map<std::string, Line>& values) {
    Line made;
    for (const Token& token : line) {
      const auto found =
          token.kind == Token::Kind::sign || token.kind == Token::Kind::text ? values.end() : values.find(token.word);
      if (found == values.end()) {
        made.push_back(token);
      } else if (found->second.size() == 1) {
        made.push_back(found->second[0]);
      } else {  // an expression stays one
        Token sign = token;
        sign.kind = Token::Kind::sign;
        sign.word = "(";
        made.push_back(sign);
        made.insert(made.end(), found->second.begin(), found->second.end());
        sign.word = ")";
        made.push_back(sign);
      }
    }
    return made;
  }

  const text::Source& source_;
  Diagnostics& diagnostics_;
  std::vector<Line> lines_, result_;
  std::map<std::string, Macro> macros_;
  Token end_;
  int fresh_ = 0;
  bool gave_up_ = false;
};

}  // namespace

std::vector<Token> expand_macros(const text::Source& source, std::vector<Token> tokens, Diagnostics& diagnostics) {
  const bool any = std::any_of(tokens.begin(), tokens.end(), [](const Token& token) { return token.is_name("macro"); });
  if (!any) return tokens;
  return Expanding(source, std::move(tokens), diagnostics).run();
}

}  // namespace orrery::cssl
