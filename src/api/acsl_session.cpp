// SPDX-License-Identifier: Apache-2.0
// Lines of commands, and who carries them out.
#include "api/acsl_session.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/acsl_commands.h"
#include "cssl/languages.h"
#include "model/closest_name.h"
#include "model/read_text.h"
#include "text/scan.h"

namespace orrery::api {
namespace {

constexpr const char* acsl_help =
    "SET name=value, …        constants of the next run; a(2)=value, a=v1,v2,… of arrays\n"
    "PREPAR a, b              what is shown of a run; PREPAR 'CLEAR': everything\n"
    "OUTPUT a, b, 'NCIOUT'=10 what is printed of a run\n"
    "START                    runs the model; CONTIN: goes on from its end, with what SET has changed\n"
    "ACTION 'VAR'=2.0, 'VAL'=5.0, 'LOC'=k   k becomes 5 when t reaches 2; ACTION 'CLEAR'\n"
    "DISPLY a, b              values at the end of the run, or of constants; DISPLY /ALL\n"
    "PRINT a, b               a table of what was recorded\n"
    "PLOT a, b                curves in the terminal; 'XAXIS'=x over x, 'XLO' 'XHI' 'LO' 'HI', 'FILE'='a.svg' to a "
    "file\n"
    "RANGE a, b               smallest and largest values and when they were\n"
    "ANALYZ 'JACOB', 'EIGEN'  the linear model at the start, its eigenvalues\n"
    "ANALYZ 'TRIM'            states whose derivatives are zero, which become the initial ones; 'FREEZE'=x keeps x\n"
    "REINIT                   the states at the end of the run become the initial ones\n"
    "MERROR x=1E-5, XERROR x=1E-6   relative and absolute error; the smallest counts\n"
    "SAVE 'file'              the constants that were changed, as commands; RESTOR 'file' reads them\n"
    "PROCED name … END        commands under a name\n"
    "LOAD 'file.csl', SPARE, HELP, STOP\n";

std::string capitals(std::string text) {
  for (char& c : text) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return text;
}

}  // namespace

void AcslSession::Commands::error(const cssl::Token& at, std::string message, std::string help, const char* code) {
  source.error(diagnostics, code, at.at, std::move(message), std::move(help));
  good = false;
}

AcslSession::Commands::Items AcslSession::Commands::items(const Line& line) {
  Items found;
  for (std::size_t k = 1; k < line.size(); ++k) {
    const cssl::Token& token = line[k];
    if (token.is(",")) continue;
    const bool marked = token.is("/") || token.is("@");  // /ALL, @title=…
    if (marked && k + 1 == line.size()) break;
    const cssl::Token& key = marked ? line[++k] : token;
    if (marked || key.kind == cssl::Token::Kind::text) {
      std::size_t value = k + 2;
      const bool valued = value < line.size() && line[k + 1].is("=");
      std::string text;
      if (valued && (line[value].is("-") || line[value].is("+")) && value + 1 < line.size()) text = line[value++].word;
      if (valued) text += line[value].word;
      found.options[capitals(key.word)] = text;
      if (valued) k = value;
    } else if (token.kind == cssl::Token::Kind::name) {
      found.names.push_back(token.word);
    } else {
      error(token, "a list of names is needed here", "names, with commas between them");
      found.good = false;
      return found;
    }
  }
  return found;
}

std::optional<double> AcslSession::Commands::number_of(const Line& line, const Items& items, const char* option) {
  const auto found = items.options.find(option);
  if (found == items.options.end()) return std::nullopt;
  const auto value = text::number_of(found->second);
  if (!value) error(line[0], fmt::format("'{}' needs a number", option), fmt::format("write '{}'=1.0", option));
  return value;
}

std::optional<std::vector<std::size_t>> AcslSession::Commands::columns(const Line& line,
                                                                       std::vector<std::string> names) {
  if (session.results_.rows() == 0) {
    error(line[0], "there is no run yet", "START runs the model");
    return std::nullopt;
  }
  if (names.empty()) names = session.results_.names;
  std::vector<std::size_t> found;
  for (const std::string& name : names) {
    if (name == "t") continue;
    const std::size_t column = session.results_.column(name);
    if (column == SIZE_MAX) {
      std::vector<std::string_view> known(session.results_.names.begin(), session.results_.names.end());
      error(line[0], fmt::format("{} was not recorded", name), model::did_you_mean(name, known));
      return std::nullopt;
    }
    found.push_back(column);
  }
  return found;
}

void AcslSession::Commands::run(const std::vector<Line>& lines) {
  for (std::size_t k = 0; k < lines.size() && !session.stopped_; ++k) {
    if (is(lines[k], "proced")) {
      std::size_t end = k + 1;
      while (end < lines.size() && !is(lines[end], "end")) ++end;
      if (lines[k].size() < 2 || end == lines.size()) {
        error(lines[k][0], "PROCED needs a name, and END behind its commands");
        return;
      }
      session.procedures_[lines[k][1].word] = std::vector<Line>(lines.begin() + static_cast<std::ptrdiff_t>(k) + 1,
                                                                lines.begin() + static_cast<std::ptrdiff_t>(end));
      k = end;
      continue;
    }
    one(lines[k]);
    if (strict && !good) return;
  }
}

void AcslSession::Commands::one(const Line& line) {
  if (is(line, "set", "s")) return set(line);
  if (is(line, "prepar", "prepare")) return choose(line, session.prepared_);
  if (is(line, "output")) return choose(line, session.printed_);
  if (is(line, "start")) return start(line);
  if (is(line, "contin", "continue")) return go_on(line);
  if (is(line, "action")) return act(line);
  if (is(line, "merror", "xerror")) return weigh_errors(line);
  if (is(line, "disply", "display") || is(line, "d")) return display(line);
  if (is(line, "print")) return print(line);
  if (is(line, "plot")) return plot(line);
  if (is(line, "range")) return range(line);
  if (is(line, "analyz", "analyze")) return analyse(line);
  if (is(line, "reinit")) return reinitialise(line);
  if (is(line, "save")) return save(line);
  if (is(line, "restor", "restore")) return restore(line);
  if (is(line, "load")) return load(line);
  if (is(line, "help")) return session.say_(acsl_help);
  if (is(line, "spare")) return session.say_(fmt::format("{:.3f} seconds\n", session.seconds_));
  if (is(line, "stop", "quit")) {
    session.stopped_ = true;
    return;
  }
  const auto procedure = session.procedures_.find(line[0].word);
  if (procedure != session.procedures_.end()) {
    if (session.depth_ >= deepest_procedure) return error(line[0], "procedures call each other too deeply");
    ++session.depth_;
    const std::vector<Line> body = procedure->second;
    run(body);
    --session.depth_;
    return;
  }
  const std::string_view known[] = {"set",   "prepar", "output", "start", "disply", "print",  "plot",
                                    "range", "analyz", "proced", "help",  "spare",  "stop",   "reinit",
                                    "save",  "restor", "contin", "load",  "action", "merror", "xerror"};
  error(line[0], fmt::format("there is no command {}", line[0].word), model::did_you_mean(line[0].word, known));
}

void AcslSession::Commands::choose(const Line& line, std::vector<std::string>& list) {
  const Items found = items(line);
  if (!found.good) return;
  for (const auto& [key, value] : found.options) {
    if (key == "CLEAR") list.clear();
  }
  if (const auto every = number_of(line, found, "NCIOUT")) session.print_every_ = std::max(1, static_cast<int>(*every));
  list.insert(list.end(), found.names.begin(), found.names.end());
}

// LOAD 'file.csl': another model, from its beginning.
void AcslSession::Commands::load(const Line& line) {
  if (line.size() != 2 || line[1].kind != cssl::Token::Kind::text)
    return error(line[0], "LOAD needs a file", "LOAD 'lander.csl'");
  auto other = AcslSession::open(line[1].word, session.say_, diagnostics);
  if (!other) {
    good = false;
    return;
  }
  other->procedures_ = session.procedures_;
  other->depth_ = session.depth_;
  session = std::move(*other);
}

std::optional<AcslSession> AcslSession::open(const std::string& file, Say say, Diagnostics& diagnostics) {
  const auto text = model::read_text(file, diagnostics);
  const cssl::Language* language = cssl::language_of_file(file);
  if (text && language == nullptr) {
    diagnostics.error("unknown-extension", {file, 0, 0, {}, {}}, "this is no program of a simulation language",
                      "ACSL programs end in .csl or .acsl");
  }
  if (!text || language == nullptr) return std::nullopt;
  const auto program = cssl::read(*language, *text, file, diagnostics);
  if (!program) return std::nullopt;
  AcslSession made(*text, file, std::move(say));
  for (const cssl::Declared& item : program->declared) {
    if (item.constant && item.type != cssl::Type::text) made.constants_[item.name] = item.values;
  }
  made.title_ = program->title;
  return made;
}

bool AcslSession::execute(const std::string& text, const std::string& file, bool strict, Diagnostics& diagnostics) {
  const text::Source source(file, text);
  cssl::LexerRules rules;
  rules.titles = false;
  std::vector<Line> lines(1);
  const int errors = diagnostics.error_count();
  for (cssl::Token& token : cssl::tokenise(source, rules, diagnostics)) {
    if (token.kind == cssl::Token::Kind::end) break;
    if (token.kind == cssl::Token::Kind::end_of_statement) {
      if (!lines.back().empty()) lines.emplace_back();
    } else {
      lines.back().push_back(std::move(token));
    }
  }
  if (lines.back().empty()) lines.pop_back();
  if (diagnostics.error_count() > errors) return false;
  Commands commands{*this, source, diagnostics, strict};
  commands.run(lines);
  return commands.good;
}

}  // namespace orrery::api
