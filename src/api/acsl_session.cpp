// SPDX-License-Identifier: Apache-2.0
// One function for each command.
#include "api/acsl_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>

#include "api/linearise.h"
#include "api/prepare.h"
#include "api/trim.h"
#include "cssl/languages.h"
#include "cssl/lexer.h"
#include "cssl/names.h"
#include "cssl/operators.h"
#include "io/output_file.h"
#include "io/svg_plot.h"
#include "io/terminal_plot.h"
#include "math/decompositions.h"
#include "model/closest_name.h"
#include "model/read_text.h"

namespace orrery::api {
namespace {

constexpr std::size_t most_printed_rows = 10'000;
constexpr int deepest_procedure = 20;

constexpr const char* acsl_help =
    "SET name=value, …        constants of the next run\n"
    "PREPAR a, b              what is kept of a run; PREPAR 'CLEAR': everything\n"
    "OUTPUT a, b, 'NCIOUT'=10 what is printed of a run\n"
    "START                    runs the model\n"
    "DISPLY a, b              values at the end of the run, or of constants\n"
    "PRINT a, b               a table of what was kept\n"
    "PLOT a, b                curves in the terminal; 'XAXIS'=x over x, 'FILE'='a.svg' to a file\n"
    "RANGE a, b               smallest and largest values and when they were\n"
    "ANALYZ 'JACOB', 'EIGEN'  the linear model at the start, its eigenvalues\n"
    "ANALYZ 'TRIM'            states whose derivatives are zero, which become the initial ones\n"
    "REINIT                   the states at the end of the run become the initial ones\n"
    "SAVE 'file'              the constants that were changed, as commands; RESTOR 'file' reads them\n"
    "PROCED name … END        commands under a name\n"
    "SPARE, HELP, STOP\n";

}  // namespace

// Carries out the commands of one text.
struct AcslSession::Commands {
  AcslSession& session;
  const text::Source& source;
  Diagnostics& diagnostics;
  bool good = true;

  void error(const cssl::Token& at, std::string message, std::string help = {}, const char* code = "bad-command") {
    source.error(diagnostics, code, at.at, std::move(message), std::move(help));
    good = false;
  }

  static bool is(const Line& line, const char* word, const char* other = nullptr) {
    return !line.empty() && (line[0].is_name(word) || (other != nullptr && line[0].is_name(other)));
  }

  // Names, and options 'KEY'=value.
  struct Items {
    std::vector<std::string> names;
    std::map<std::string, std::string> options;
    bool good = true;
  };
  Items items(const Line& line) {
    Items found;
    for (std::size_t k = 1; k < line.size(); ++k) {
      const cssl::Token& token = line[k];
      if (token.is(",")) continue;
      if (token.kind == cssl::Token::Kind::text) {
        const bool valued = k + 2 < line.size() && line[k + 1].is("=");
        found.options[token.word] = valued ? line[k + 2].word : "";
        if (valued) k += 2;
      } else if (token.kind == cssl::Token::Kind::name) {
        found.names.push_back(token.word);
      } else {
        error(token, "a list of names is needed here");
        found.good = false;
        return found;
      }
    }
    return found;
  }

  // Recorded columns by name; nothing: reported.
  std::optional<std::vector<std::size_t>> columns(const Line& line, std::vector<std::string> names) {
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

  void run(const std::vector<Line>& lines) {
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

  void one(const Line& line) {
    if (is(line, "set", "s")) return set(line);
    if (is(line, "prepar", "prepare")) return choose(line, session.prepared_);
    if (is(line, "output")) return choose(line, session.printed_);
    if (is(line, "start")) return start(line);
    if (is(line, "disply", "display") || is(line, "d")) return display(line);
    if (is(line, "print")) return print(line);
    if (is(line, "plot")) return plot(line);
    if (is(line, "range")) return range(line);
    if (is(line, "analyz", "analyze")) return analyse(line);
    if (is(line, "reinit")) return reinitialise(line);
    if (is(line, "save")) return save(line);
    if (is(line, "restor", "restore")) return restore(line);
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
    const std::string_view known[] = {"set",    "prepar", "output", "start", "disply", "print",  "plot", "range",
                                      "analyz", "proced", "help",   "spare", "stop",   "reinit", "save", "restor"};
    error(line[0], fmt::format("there is no command {}", line[0].word), model::did_you_mean(line[0].word, known));
  }

  // SET a = 1.0, b = -2.0
  void set(const Line& line) {
    for (std::size_t k = 1; k < line.size();) {
      const cssl::Token& name = line[k];
      if (name.is(",")) {
        ++k;
        continue;
      }
      if (name.kind != cssl::Token::Kind::name || k + 2 >= line.size() || !line[k + 1].is("="))
        return error(name, "SET has the form name = number");
      k += 2;
      if (line[k].kind == cssl::Token::Kind::text) {  // a title
        ++k;
        continue;
      }
      double sign = 1;
      if (line[k].is("-") || line[k].is("+")) sign = line[k++].is("-") ? -1 : 1;
      double value = 0;
      if (k < line.size() && line[k].kind == cssl::Token::Kind::number) {
        value = sign * line[k++].value;
      } else if (k < line.size() && (line[k].is(".true.") || line[k].is(".false."))) {
        value = line[k++].is(".true.") ? 1 : 0;
      } else {
        return error(name, "SET has the form name = number");
      }
      if (!session.constants_.contains(name.word)) {
        std::vector<std::string_view> known;
        for (const auto& [constant, ignored] : session.constants_) known.push_back(constant);
        std::string help = model::did_you_mean(name.word, known);
        if (help.empty()) help = "only constants can be set; what INITIAL computes follows from them";
        return error(name, fmt::format("the program has no constant {}", name.word), std::move(help), "unknown-name");
      }
      set_constant(name.word, value);
    }
  }

  void set_constant(const std::string& name, double value) {
    session.constants_[name] = value;
    std::erase_if(session.set_, [&](const Setting& setting) { return setting.name == name; });
    session.set_.push_back({name, fmt::format("{}", value)});
  }

  // New initial values: of states that begin with a constant.
  void set_initial(const Line& line, const std::function<std::optional<double>(const std::string& state)>& value_of) {
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
          if (start.kind == cssl::Node::Kind::name && session.constants_.contains(start.name) && found) {
            set_constant(start.name, *found);
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

  void reinitialise(const Line& line) {
    if (session.results_.rows() == 0) return error(line[0], "there is no run yet", "START runs the model");
    set_initial(line, [&](const std::string& state) -> std::optional<double> {
      const std::size_t column = session.results_.column(state);
      if (column == SIZE_MAX) return std::nullopt;
      return session.results_.value(session.results_.rows() - 1, column);
    });
  }

  // SAVE 'file', RESTOR 'file'
  void save(const Line& line) {
    if (line.size() != 2 || line[1].kind != cssl::Token::Kind::text)
      return error(line[0], "SAVE needs a file", "SAVE 'landing.cmd'");
    std::string text = "! constants of " + session.file_ + "\n";
    for (const Setting& setting : session.set_) text += fmt::format("SET {} = {}\n", setting.name, setting.text);
    auto out = io::OutputFile::open(line[1].word, diagnostics);
    if (out) out->write(text);
    good = out && out->commit(diagnostics) && good;
  }

  void restore(const Line& line) {
    if (line.size() != 2 || line[1].kind != cssl::Token::Kind::text)
      return error(line[0], "RESTOR needs a file", "RESTOR 'landing.cmd'");
    if (session.depth_ >= deepest_procedure) return error(line[0], "files restore each other too deeply");
    ++session.depth_;
    const auto text = model::read_text(line[1].word, diagnostics);
    good = text && session.execute(*text, line[1].word, strict, diagnostics) && good;
    --session.depth_;
  }

  void choose(const Line& line, std::vector<std::string>& list) {
    const Items found = items(line);
    if (!found.good) return;
    for (const auto& [key, value] : found.options) {
      if (key == "CLEAR" || key == "clear") list.clear();
      if (key == "NCIOUT" || key == "nciout") session.print_every_ = std::max(1, std::atoi(value.c_str()));
    }
    list.insert(list.end(), found.names.begin(), found.names.end());
  }

  void start(const Line& line) {
    auto model = Model::read(session.text_, session.file_, diagnostics);
    CompileOptions options;
    options.set = session.set_;
    const auto compiled = model ? model->compile(options, diagnostics) : std::nullopt;
    if (!compiled) {
      good = false;
      return;
    }
    Run made = compiled->start();
    const RunState state = made.run();
    session.results_ = made.results();
    session.seconds_ += made.report().seconds;
    for (const Diagnostic& diagnostic : made.diagnostics().all()) diagnostics.add(diagnostic);
    if (state == RunState::failed) good = false;
    if (!session.printed_.empty()) {
      if (const auto wanted = columns(line, session.printed_))
        table(*wanted, static_cast<std::size_t>(session.print_every_));
    }
    session.say_(fmt::format("run to t = {:.10g}, {} rows\n", made.time(), session.results_.rows()));
  }

  void table(const std::vector<std::size_t>& wanted, std::size_t every) {
    std::string text = fmt::format("{:>14}", "t");
    for (const std::size_t column : wanted) text += fmt::format(" {:>14}", session.results_.names[column]);
    text += "\n";
    std::size_t shown = 0;
    for (std::size_t row = 0; row < session.results_.rows(); row += every) {
      if (++shown > most_printed_rows) break;
      text += fmt::format("{:>14.8g}", session.results_.time[row]);
      for (const std::size_t column : wanted) text += fmt::format(" {:>14.8g}", session.results_.value(row, column));
      text += "\n";
    }
    session.say_(text);
  }

  void print(const Line& line) {
    const Items found = items(line);
    if (!found.good) return;
    if (const auto wanted = columns(line, found.names.empty() ? session.prepared_ : found.names)) table(*wanted, 1);
  }

  void display(const Line& line) {
    Items found = items(line);
    if (!found.good) return;
    if (found.names.empty()) {
      for (const auto& [name, value] : session.constants_) found.names.push_back(name);
      for (const std::string& name : session.results_.names) found.names.push_back(name);
    }
    std::string text;
    for (const std::string& name : found.names) {
      const std::size_t column = session.results_.rows() > 0 ? session.results_.column(name) : SIZE_MAX;
      const auto constant = session.constants_.find(name);
      if (column != SIZE_MAX) {
        text += fmt::format("{:>12} = {:.10g}\n", name, session.results_.value(session.results_.rows() - 1, column));
      } else if (constant != session.constants_.end()) {
        text += fmt::format("{:>12} = {:.10g}\n", name, constant->second);
      } else if (name == "t" && session.results_.rows() > 0) {
        text += fmt::format("{:>12} = {:.10g}\n", name, session.results_.time.back());
      } else {
        return error(line[0], fmt::format("{} has no value", name), "START runs the model");
      }
    }
    session.say_(text);
  }

  void range(const Line& line) {
    const Items found = items(line);
    if (!found.good) return;
    const auto wanted = columns(line, found.names);
    if (!wanted) return;
    std::string text;
    for (const std::size_t column : *wanted) {
      std::size_t least = 0, most = 0;
      for (std::size_t row = 0; row < session.results_.rows(); ++row) {
        if (session.results_.value(row, column) < session.results_.value(least, column)) least = row;
        if (session.results_.value(row, column) > session.results_.value(most, column)) most = row;
      }
      text += fmt::format("{:>12}: {:.10g} at t = {:.8g} to {:.10g} at t = {:.8g}\n", session.results_.names[column],
                          session.results_.value(least, column), session.results_.time[least],
                          session.results_.value(most, column), session.results_.time[most]);
    }
    session.say_(text);
  }

  void plot(const Line& line) {
    const Items found = items(line);
    if (!found.good) return;
    const auto wanted = columns(line, found.names.empty() ? session.prepared_ : found.names);
    if (!wanted) return;
    std::vector<double> x = session.results_.time;
    io::Panel panel;
    panel.x_label = "t";
    if (const auto over = found.options.find("XAXIS"); over != found.options.end()) {
      const auto axis = columns(line, {over->second});
      if (!axis || axis->empty()) return;
      for (std::size_t row = 0; row < x.size(); ++row) x[row] = session.results_.value(row, (*axis)[0]);
      panel.own_axis = true;
      panel.x_label = over->second;
    }
    for (const std::size_t column : *wanted) {
      io::Curve curve;
      curve.name = session.results_.names[column];
      curve.time = x.data();
      curve.value = session.results_.values.data() + column;
      curve.count = x.size();
      curve.stride = session.results_.names.size();
      panel.curves.push_back(std::move(curve));
    }
    if (const auto file = found.options.find("FILE"); file != found.options.end()) {
      io::Chart chart;
      chart.panels.push_back(std::move(panel));
      auto out = io::OutputFile::open(file->second, diagnostics);
      if (out) out->write(io::svg_plot(chart));
      good = out && out->commit(diagnostics) && good;
      return;
    }
    session.say_(io::terminal_plot(panel, {}));
  }

  // Where all states rest.
  void settle(const Line& line) {
    TrimRequest request;
    request.where.run.file = session.file_;
    for (const Setting& setting : session.set_) request.where.run.overrides.push_back({setting.name, setting.text});
    const auto rest = trim(request, diagnostics);
    if (!rest) {
      good = false;
      return;
    }
    session.say_(trim_text(*rest));
    if (!rest->reached) return error(line[0], "no point of rest was found", "SET other initial values to begin with");
    set_initial(line, [&](const std::string& state) -> std::optional<double> {
      for (const TrimResult::Item& item : rest->states) {
        const std::size_t dot = item.name.rfind('.');
        if (item.name.substr(dot == std::string::npos ? 0 : dot + 1) == state) return item.value;
      }
      return std::nullopt;
    });
  }

  void analyse(const Line& line) {
    const Items found = items(line);
    if (!found.good) return;
    if (found.options.contains("TRIM")) {
      settle(line);
      if (found.options.size() == 1) return;
    }
    auto model = read_model(session.text_, session.file_, diagnostics);
    if (!model) {
      good = false;
      return;
    }
    LinearisationRequest request;
    request.run.file = session.file_;
    request.hold = true;
    for (const Setting& setting : session.set_) request.run.overrides.push_back({setting.name, setting.text});
    const auto linear = linearise(std::move(*model), request, nullptr, diagnostics);
    if (!linear) {
      good = false;
      return;
    }
    std::string text;
    const bool all = found.options.empty();
    if (all || found.options.contains("JACOB")) {
      for (std::size_t row = 0; row < linear->states.size(); ++row) {
        text += fmt::format("{:>20}", linear->states[row]);
        for (std::size_t col = 0; col < linear->states.size(); ++col)
          text += fmt::format(" {:>14.7g}", linear->a(static_cast<int>(row), static_cast<int>(col)));
        text += "\n";
      }
    }
    if (all || found.options.contains("EIGEN")) {
      for (const auto& value : math::eigenvalues(linear->a)) {
        text += value.imag() == 0 ? fmt::format("{:>16.9g}\n", value.real())
                                  : fmt::format("{:>16.9g} {:+.9g}i\n", value.real(), value.imag());
      }
    }
    session.say_(text);
  }

  bool strict = false;
};

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
    if (item.constant && item.values.size() == 1 && item.type != cssl::Type::text)
      made.constants_[item.name] = item.values[0];
  }
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
  Commands commands{*this, source, diagnostics};
  commands.strict = strict;
  depth_ = 0;
  commands.run(lines);
  return commands.good;
}

}  // namespace orrery::api
