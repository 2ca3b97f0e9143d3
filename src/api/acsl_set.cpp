// SPDX-License-Identifier: Apache-2.0
// SET, ACTION, MERROR, XERROR, REINIT, SAVE, RESTOR: what the next run is given.
#include <fmt/format.h>

#include <algorithm>

#include "api/acsl_commands.h"
#include "cssl/actions.h"
#include "cssl/languages.h"
#include "cssl/names.h"
#include "cssl/operators.h"
#include "cssl/to_model.h"
#include "io/output_file.h"
#include "model/closest_name.h"
#include "model/read_text.h"
#include "text/scan.h"

namespace orrery::api {
namespace {

// A number with its sign, or a truth value, at k, which moves behind it.
std::optional<double> value_at(const std::vector<cssl::Token>& line, std::size_t& k) {
  double sign = 1;
  if (k < line.size() && (line[k].is("-") || line[k].is("+"))) sign = line[k++].is("-") ? -1 : 1;
  if (k >= line.size()) return std::nullopt;
  const cssl::Token& token = line[k];
  if (token.kind == cssl::Token::Kind::number) return ++k, sign * token.value;
  if (token.is(".true.") || token.is(".false.")) return ++k, token.is(".true.") ? 1.0 : 0.0;
  return std::nullopt;
}

}  // namespace

// SET a = 1.0, b = -2.0, c(2) = 3.0, d = 1.0, 2.0, title = 'text'
void AcslSession::Commands::set(const Line& line) {
  for (std::size_t k = 1; k < line.size();) {
    if (line[k].is(",")) {
      ++k;
    } else if (!set_title(line, k) && !set_one(line, k)) {
      return;
    }
  }
}

// TITLE = 'text' and NCIOUT = 10 are the session's own.
bool AcslSession::Commands::set_title(const Line& line, std::size_t& k) {
  if (k + 2 >= line.size() || !line[k + 1].is("=")) return false;
  if (line[k + 2].kind == cssl::Token::Kind::text) {
    session.title_ = line[k + 2].word;
    k += 3;
    return true;
  }
  if (!line[k].is_name("nciout") || session.constants_.contains("nciout")) return false;
  session.print_every_ = std::max(1, static_cast<int>(line[k + 2].value));
  k += 3;
  return true;
}

bool AcslSession::Commands::set_one(const Line& line, std::size_t& k) {
  const cssl::Token& name = line[k];
  const auto wrong = [&] {
    error(name, "SET has the form name = number", "name = 1.0, name(2) = 1.0 or name = 1.0, 2.0");
    return false;
  };
  if (name.kind != cssl::Token::Kind::name) return wrong();
  const auto known = session.constants_.find(name.word);
  if (known == session.constants_.end()) {
    std::vector<std::string_view> names;
    for (const auto& [constant, ignored] : session.constants_) names.push_back(constant);
    std::string help = model::did_you_mean(name.word, names);
    if (help.empty()) help = "only constants can be set; what INITIAL computes follows from them";
    error(name, fmt::format("the program has no constant {}", name.word), std::move(help), "unknown-name");
    return false;
  }
  ++k;
  std::size_t element = 0;
  const bool one = k + 2 < line.size() && line[k].is("(");
  if (one) {
    const double index = line[k + 1].value;
    if (!line[k + 2].is(")") || !(index >= 1 && index <= static_cast<double>(known->second.size()))) {
      error(name, fmt::format("{} has no such element", name.word),
            fmt::format("it has {} elements, from 1 on", known->second.size()));
      return false;
    }
    element = static_cast<std::size_t>(index) - 1;
    k += 3;
  }
  if (k >= line.size() || !line[k].is("=")) return wrong();
  ++k;
  std::vector<double> values = known->second;
  for (std::size_t count = 0;; ++count) {
    const auto value = value_at(line, k);
    if (!value) return wrong();
    if (element + count >= values.size()) {
      error(name, fmt::format("{} has {} elements, but more values are given", name.word, values.size()));
      return false;
    }
    values[element + count] = *value;
    const bool more = k + 1 < line.size() && line[k].is(",") && line[k + 1].kind != cssl::Token::Kind::name;
    if (!more) break;
    ++k;
  }
  set_constant(name.word, std::move(values));
  return true;
}

void AcslSession::Commands::set_constant(const std::string& name, std::vector<double> values) {
  std::erase_if(session.set_, [&](const Setting& setting) { return setting.name == name; });
  session.set_.push_back({name, cssl::oml_numbers(values)});
  session.constants_[name] = std::move(values);
}

// MERROR x = 1E-5, y = 1E-6: the solver has one for all states, so the smallest counts.
void AcslSession::Commands::weigh_errors(const Line& line) {
  double& weight = line[0].is_name("merror") ? session.relative_error_ : session.absolute_error_;
  for (std::size_t k = 1; k < line.size();) {
    if (line[k].is(",")) {
      ++k;
      continue;
    }
    const cssl::Token& name = line[k];
    if (k + 1 < line.size() && line[k].kind == cssl::Token::Kind::name && line[k + 1].is("=")) k += 2;
    const auto value = value_at(line, k);
    if (!value || !(*value > 0)) return error(name, "an error weight has the form name = positive number", "x = 1E-5");
    weight = weight > 0 ? std::min(weight, *value) : *value;
  }
}

// ACTION 'VAR'=2.0, 'VAL'=5.0, 'LOC'=k: k becomes 5 when t reaches 2. ACTION 'VAR'=x, 'VAL'=2.0, 'LOC'=k: k is set (to
// 1, or to what 'TO' says) when x reaches 2.
void AcslSession::Commands::act(const Line& line) {
  const Items found = items(line);
  if (!found.good) return;
  if (found.options.contains("CLEAR")) session.actions_.clear();
  if (!found.options.contains("VAR")) {
    if (!found.options.contains("CLEAR"))
      error(line[0], "ACTION needs 'VAR', 'VAL' and 'LOC'", "ACTION 'VAR'=2.0, 'VAL'=5.0, 'LOC'=k");
    return;
  }
  const auto value = number_of(line, found, "VAL");
  const auto place = found.options.find("LOC");
  if (!value || place == found.options.end())
    return error(line[0], "ACTION needs 'VAR', 'VAL' and 'LOC'", "ACTION 'VAR'=2.0, 'VAL'=5.0, 'LOC'=k");
  if (!session.constants_.contains(place->second)) {
    std::vector<std::string_view> names;
    for (const auto& [constant, ignored] : session.constants_) names.push_back(constant);
    return error(line[0], fmt::format("the program has no constant {}", place->second),
                 model::did_you_mean(place->second, names), "unknown-name");
  }
  cssl::Action action;
  action.changed = place->second;
  const std::string& watched = found.options.at("VAR");
  if (const auto time = text::number_of(watched)) {
    action.reaches = *time;
    action.becomes = *value;
  } else {
    action.watched = watched == "t" ? "" : watched;
    action.reaches = *value;
    const auto to = number_of(line, found, "TO");
    action.becomes = to.value_or(1);
  }
  session.actions_.push_back(std::move(action));
}

// New initial values: of states that begin with a constant.
void AcslSession::Commands::set_initial(
    const Line& line, const std::function<std::optional<double>(const std::string& state)>& value_of) {
  Diagnostics ignored;
  const cssl::Language* language = cssl::language_of_file(session.file_);
  const auto program = cssl::read(*language, session.text_, session.file_, ignored);
  if (!program) return error(line[0], "the program cannot be read");
  std::string others;
  for (const cssl::Section& section : program->sections) {
    for (const cssl::Statement& s : section.statements) {
      if (!cssl::defines_state(*program, s)) continue;
      const cssl::Node& value = (*program)[s.value];
      const std::uint32_t initial = cssl::find_operator(value.name)->initial;
      std::size_t target = 0;
      for (std::size_t k = 0; k < value.arguments.size() && target < s.targets.size(); ++k) {
        if ((initial >> k & 1U) == 0) continue;
        const std::string& state = (*program)[s.targets[target++]].name;
        const cssl::Node& start = (*program)[value.arguments[k]];
        const auto found = value_of(state);
        const auto constant = session.constants_.find(start.name);
        if (start.kind == cssl::Node::Kind::name && constant != session.constants_.end() &&
            constant->second.size() == 1 && found) {
          set_constant(start.name, {*found});
        } else {
          others += (others.empty() ? "" : ", ") + state;
        }
      }
    }
  }
  if (!others.empty())
    source.warning(diagnostics, "no-initial-constant", line[0].at,
                   fmt::format("the initial values of {} stay as they are: they are no constants", others),
                   "write INTEG(…, x0) with CONSTANT x0 = …");
}

void AcslSession::Commands::reinitialise(const Line& line) {
  if (session.results_.rows() == 0) return error(line[0], "there is no run yet", "START runs the model");
  set_initial(line, [&](const std::string& state) -> std::optional<double> {
    const std::size_t column = session.results_.column(state);
    if (column == SIZE_MAX) return std::nullopt;
    return session.results_.value(session.results_.rows() - 1, column);
  });
}

// SAVE 'file', RESTOR 'file'
void AcslSession::Commands::save(const Line& line) {
  if (line.size() != 2 || line[1].kind != cssl::Token::Kind::text)
    return error(line[0], "SAVE needs a file", "SAVE 'landing.cmd'");
  std::string text = "! constants of " + session.file_ + "\n";
  for (const Setting& setting : session.set_) {
    const std::vector<double>& values = session.constants_.at(setting.name);
    for (std::size_t k = 0; k < values.size(); ++k) {
      text += values.size() == 1 ? fmt::format("SET {} = {}\n", setting.name, values[k])
                                 : fmt::format("SET {}({}) = {}\n", setting.name, k + 1, values[k]);
    }
  }
  auto out = io::OutputFile::open(line[1].word, diagnostics);
  if (out) out->write(text);
  good = out && out->commit(diagnostics) && good;
}

void AcslSession::Commands::restore(const Line& line) {
  if (line.size() != 2 || line[1].kind != cssl::Token::Kind::text)
    return error(line[0], "RESTOR needs a file", "RESTOR 'landing.cmd'");
  if (session.depth_ >= deepest_procedure) return error(line[0], "files restore each other too deeply");
  ++session.depth_;
  const std::string file = line[1].word;
  const auto text = model::read_text(file, diagnostics);
  good = text && session.execute(*text, file, strict, diagnostics) && good;
  --session.depth_;
}

}  // namespace orrery::api
