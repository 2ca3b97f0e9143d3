// SPDX-License-Identifier: Apache-2.0
// START, CONTIN and ANALYZ.
#include <fmt/format.h>

#include <algorithm>

#include "api/acsl_commands.h"
#include "api/linearise.h"
#include "api/prepare.h"
#include "api/trim.h"
#include "cssl/actions.h"
#include "cssl/languages.h"
#include "math/decompositions.h"
#include "model/model.h"
#include "text/scan.h"

namespace orrery::api {
namespace {

// The diagram of the program with what happens to its run besides.
std::optional<Model> model_with(const std::string& text, const std::string& file,
                                const std::vector<cssl::Action>& actions, Diagnostics& diagnostics) {
  if (actions.empty()) return Model::read(text, file, diagnostics);
  auto diagram = read_model(text, file, diagnostics);
  if (!diagram) return std::nullopt;
  std::string list;
  for (const cssl::Action& action : actions) list += (list.empty() ? "{'" : ", '") + cssl::to_text(action) + "'";
  diagram->root.blocks[0].parameters.push_back({"actions", list + "}", 0});
  return Model::read(model::write(*diagram), file + ".orr", diagnostics);
}

}  // namespace

void AcslSession::Commands::start(const Line& line) {
  session.run_constants_ = session.constants_;
  session.run_set_ = session.set_;
  session.run_actions_ = session.actions_;
  simulate(line);
}

// The run once more from its start, with what has been set since as events of its end: whatever the model remembers is
// then as it was.
void AcslSession::Commands::go_on(const Line& line) {
  if (session.results_.rows() == 0) return error(line[0], "there is no run to go on with", "START runs the model");
  for (const auto& [name, values] : session.constants_) {
    const std::vector<double>& before = session.run_constants_[name];
    for (std::size_t k = 0; k < values.size() && k < before.size(); ++k) {
      if (values[k] == before[k]) continue;
      session.run_actions_.push_back(
          {{}, session.run_end_, name, values.size() > 1 ? static_cast<int>(k) + 1 : 0, values[k]});
    }
  }
  session.run_constants_ = session.constants_;
  simulate(line);
}

// When the run ends at the latest, with constants as they are now: the program's text over their names.
std::optional<double> AcslSession::Commands::last_time() {
  Diagnostics told;
  const auto program = cssl::read(*cssl::language_of_file(session.file_), session.text_, session.file_, told);
  if (!program) return std::nullopt;
  double sum = 0;
  std::string_view rest = program->stop;
  while (!rest.empty()) {  // "tmx + cint", "1e4*cint"
    const std::size_t plus = std::min(rest.find(" + "), rest.size());
    std::string term(rest.substr(0, plus));
    rest.remove_prefix(std::min(plus + 3, rest.size()));
    double factor = 1;
    if (term.starts_with("1e4*")) factor = 1e4, term.erase(0, 4);
    const auto constant = session.constants_.find(term);
    const auto number = text::number_of(term);
    if (!number && constant == session.constants_.end()) return std::nullopt;
    sum += factor * (number ? *number : constant->second[0]);
  }
  return sum;
}

void AcslSession::Commands::simulate(const Line& line) {
  auto model = model_with(session.text_, session.file_, session.run_actions_, diagnostics);
  if (model && session.relative_error_ > 0)
    good = model->set("rtol", fmt::format("{}", session.relative_error_)) && good;
  if (model && session.absolute_error_ > 0)
    good = model->set("atol", fmt::format("{}", session.absolute_error_)) && good;
  if (model && !session.run_actions_.empty()) {
    if (const auto last = last_time()) good = model->set("stop", fmt::format("{}", *last)) && good;
  }
  CompileOptions options;
  options.set = session.run_set_;
  const auto compiled = model ? model->compile(options, diagnostics) : std::nullopt;
  if (!compiled) {
    good = false;
    return;
  }
  Run made = compiled->start();
  const RunState state = made.run();
  session.results_ = made.results();
  session.run_end_ = made.time();
  session.seconds_ += made.report().seconds;
  for (const Diagnostic& diagnostic : made.diagnostics().all()) diagnostics.add(diagnostic);
  if (state == RunState::failed) good = false;
  if (!session.printed_.empty()) {
    if (const auto wanted = columns(line, session.printed_))
      table(*wanted, static_cast<std::size_t>(session.print_every_));
  }
  session.say_(fmt::format("run to t = {:.10g}, {} rows\n", made.time(), session.results_.rows()));
}

// Where all states rest; one may keep its value.
void AcslSession::Commands::settle(const Line& line, const std::string& frozen) {
  TrimRequest request;
  request.where.run.file = session.file_;
  for (const Setting& setting : session.set_) request.where.run.overrides.push_back({setting.name, setting.text});
  if (!frozen.empty()) {
    const auto model = read_model(session.text_, session.file_, diagnostics);
    if (!model) return error(line[0], "the program cannot be read");
    const std::string state = fmt::format("/{}.{}", model->root.blocks[0].name, frozen);
    request.fixed.push_back(state);
    request.moving.push_back(state);
  }
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

void AcslSession::Commands::analyse(const Line& line) {
  const Items found = items(line);
  if (!found.good) return;
  for (const auto& [key, value] : found.options) {
    if (key != "TRIM" && key != "JACOB" && key != "EIGEN" && key != "FREEZE")
      return error(line[0], fmt::format("ANALYZ has no '{}'", key),
                   "'TRIM', 'FREEZE'=x, 'JACOB' and 'EIGEN' are there");
  }
  if (found.options.contains("TRIM")) {
    const auto frozen = found.options.find("FREEZE");
    settle(line, frozen != found.options.end() ? frozen->second : std::string());
    if (!found.options.contains("JACOB") && !found.options.contains("EIGEN")) return;
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
  const bool all = !found.options.contains("JACOB") && !found.options.contains("EIGEN");
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

}  // namespace orrery::api
