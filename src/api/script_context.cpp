// SPDX-License-Identifier: Apache-2.0
// Checks and hands over the variables of a script's context.
#include "api/script_context.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "api/session.h"
#include "model/closest_name.h"
#include "oml/convert.h"
#include "oml/interpreter.h"
#include "oml/lexer.h"

namespace orrery::api {
namespace {

using oml::Tok;
using oml::Token;

// "k" of the line "k = 3;": what can be given another value.
std::vector<std::string> assigned_names(const model::Model& model) {
  std::vector<std::string> lines = model.initialization, names;
  lines.insert(lines.end(), model.root.context.begin(), model.root.context.end());
  for (const std::string& line : lines) {
    const std::size_t equals = line.find('=');
    const std::size_t first = line.find_first_not_of(" \t");
    if (equals == std::string::npos || first >= equals) continue;
    names.push_back(line.substr(first, line.find_last_not_of(" \t", equals - 1) + 1 - first));
  }
  return names;
}

// What the statements of a script assign, and what they read.
struct Uses {
  std::set<std::string> assigned, read;

  void take(const std::vector<Token>& statement) {
    std::size_t equals = statement.size();
    int depth = 0;
    for (std::size_t k = 0; k < statement.size() && equals == statement.size(); ++k) {
      depth += statement[k].kind == Tok::open ? 1 : statement[k].kind == Tok::close ? -1 : 0;
      if (depth == 0 && statement[k].kind == Tok::op && statement[k].text == "=") equals = k;
    }
    depth = 0;  // of round brackets: subscripts of what is assigned are read
    for (std::size_t k = 0; k < statement.size(); ++k) {
      const Token& token = statement[k];
      if (token.text == "(" || token.text == ")") depth += token.text == "(" ? 1 : -1;
      const bool field = k > 0 && statement[k - 1].kind == Tok::op && statement[k - 1].text == ".";
      if (token.kind != Tok::identifier || field) continue;
      const bool target = equals < statement.size() && k < equals && depth == 0;
      (target ? assigned : read).insert(token.text);
    }
  }
};

Uses uses_of(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + '\n';
  Uses uses;
  try {
    oml::Lexer lexer(text);
    std::vector<Token> statement;
    for (Token token = lexer.next(); token.kind != Tok::end_of_text; token = lexer.next()) {
      if (token.kind == Tok::open) lexer.brackets.push_back(token.text[0]);
      if (token.kind == Tok::close && !lexer.brackets.empty()) lexer.brackets.pop_back();
      const bool ends = lexer.brackets.empty() &&
                        (token.kind == Tok::newline || token.kind == Tok::semicolon || token.kind == Tok::comma);
      if (!ends) {
        statement.push_back(std::move(token));
        continue;
      }
      uses.take(statement);
      statement.clear();
    }
    uses.take(statement);
  } catch (const oml::OmlError&) {
    return {};  // whoever runs it says what is wrong
  }
  return uses;
}

struct ToldOfInitialization {
  std::set<std::string> what;
};

}  // namespace

void check_field(const model::Model& model, const std::string& name) {
  if (uses_variable(model, name)) return;
  const std::vector<std::string> names = assigned_names(model);
  const std::vector<std::string_view> views(names.begin(), names.end());
  const std::string guess = model::did_you_mean(name, views);
  oml::fail("the model " + model.name + " does not use a variable " + name + (guess.empty() ? "" : "; " + guess));
}

std::vector<std::string> used_in_initialization(const model::Model& model, const std::vector<std::string>& names) {
  if (model.initialization.empty() || names.empty()) return {};
  const Uses uses = uses_of(model.initialization);
  // A script that asks whether the model is linearised has thought of its context.
  if (uses.read.contains("vssIsInLinearization")) return {};
  std::vector<std::string> result;
  std::copy_if(names.begin(), names.end(), std::back_inserter(result),
               [&](const std::string& name) { return uses.assigned.contains(name) && uses.read.contains(name); });
  return result;
}

void warn_of_initialization(oml::Interpreter& interpreter, const model::Model& model,
                            const std::vector<std::string>& names) {
  auto& told = interpreter.extension<ToldOfInitialization>().what;
  for (const std::string& name : used_in_initialization(model, names)) {
    if (!told.insert(model.file + "\n" + name).second) continue;
    interpreter.warn(fmt::format("the initialization of {0} computes with {1}, and what it computes keeps the value "
                                 "that {1} has there; what is to follow {1} belongs into the context of the diagram",
                                 model.name, name),
                     false);
  }
}

void pin_context(const oml::Call& c, int k, const model::Model& model, OmlEvaluator& evaluator) {
  evaluator.pin_after_initialization();
  if (!c.has(k) || c[k].is_empty()) return;
  if (c[k].kind() == oml::Kind::environment) {
    const auto& env = *static_cast<oml::EnvironmentHandle*>(c[k].heap())->environment;
    for (const std::string& name : env.names()) evaluator.pin(name, *env.get(name));
    warn_of_initialization(c.oml, model, env.names());
    return;
  }
  if (!c[k].is_struct() || c[k].structure_ref().dims.numel() != 1) {
    oml::fail_argument(k + 1, "must be a struct or an environment of variables for the model");
  }
  const oml::StructArray& s = c[k].structure_ref();
  for (const std::string& name : s.keys) check_field(model, name);
  for (const std::string& name : s.keys) evaluator.pin(name, *s.get(name));
  warn_of_initialization(c.oml, model, s.keys);
}

}  // namespace orrery::api
