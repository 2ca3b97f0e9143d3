// SPDX-License-Identifier: Apache-2.0
// Names of what is free and what is wanted, as a question about the compiled model.
#include "api/trim.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "api/only_computes.h"
#include "api/prepare.h"
#include "fmi/surroundings.h"
#include "model/closest_name.h"
#include "oml/convert.h"
#include "oml/interpreter.h"

namespace orrery::api {
namespace {

using math::Index;
using math::RealMatrix;

constexpr double not_given = std::numeric_limits<double>::quiet_NaN();

// "name", "name=3", "name=0:10"
struct NamedNumbers {
  std::string name;
  std::vector<double> numbers;
};

std::optional<NamedNumbers> read_text(const std::string& text, const char* option, char separator,
                                      const ScriptLimits& limits, Diagnostics& diagnostics) {
  const std::size_t equals = text.find('=');
  NamedNumbers result{text.substr(0, equals), {}};
  if (equals == std::string::npos) return result;
  oml::Interpreter interpreter(only_computes(limits));
  std::string rest = text.substr(equals + 1);
  std::vector<std::string> parts = {rest};
  if (const std::size_t at = rest.find(separator); separator != 0 && at != std::string::npos)
    parts = {rest.substr(0, at), rest.substr(at + 1)};
  for (const std::string& part : parts) {
    Diagnostics said;
    const auto value = interpreter.evaluate(interpreter.base(), part, said);
    std::vector<double> numbers;
    try {
      if (value) numbers = oml::to_vector(oml::to_real(*value));
    } catch (const oml::OmlError&) {
    }
    if (numbers.empty() || std::isnan(numbers[0])) {
      diagnostics.error("bad-option", {}, fmt::format("{} {}: this is not NAME=NUMBER", option, text),
                        "as in --free u=3, --between u=0:10 or --wanted y=1");
      return std::nullopt;
    }
    result.numbers.insert(result.numbers.end(), numbers.begin(), numbers.end());
  }
  return result;
}

// Elements whose name this is: "/Plant/x" stands for all of "/Plant/x[1]", …; of a state the last part may be left out.
std::vector<std::size_t> find_elements(const std::vector<std::string>& names, const std::string& name) {
  std::vector<std::size_t> found;
  for (std::size_t k = 0; k < names.size(); ++k) {
    const std::string& full = names[k];
    const auto is = [&](const std::string& start) {
      return full == start || (full.starts_with(start) && full.size() > start.size() && full[start.size()] == '[');
    };
    if (is(name) || is("/" + name) || is(name + ".x") || is("/" + name + ".x")) found.push_back(k);
  }
  return found;
}

std::size_t size_of(const program::Program& program, const std::vector<program::SlotId>& slots) {
  std::size_t size = 0;
  for (const program::SlotId slot : slots) size += static_cast<std::size_t>(program.slots[slot].type.size());
  return size;
}

// A run that begins with other variables, as far as its first instant, and then to the time of the request.
class Beginnings {
 public:
  Beginnings(const ModelAtPoint& model, std::vector<sim::ParameterSetting> variables, std::optional<double> at)
      : model_(model), variables_(std::move(variables)), at_(at) {}

  std::vector<double> numbers() const {
    std::vector<double> all;
    for (const auto& variable : variables_) all.insert(all.end(), variable.values.begin(), variable.values.end());
    return all;
  }
  std::vector<sim::ParameterSetting> settings(const std::vector<double>& numbers) const {
    std::vector<sim::ParameterSetting> result = variables_;
    std::size_t next = 0;
    for (auto& variable : result)
      for (double& value : variable.values) value = numbers[next++];
    return result;
  }
  std::optional<std::vector<std::byte>> operator()(const std::vector<double>& numbers) const {
    sim::RunOptions options = model_.options;
    options.parameters = settings(numbers);
    Diagnostics ignored;
    const auto run = sim::Simulation::create(model_.compiled, options, ignored);
    if (!run || run->step() != sim::End::paused) return std::nullopt;
    if (at_ && *at_ > options.start && run->run_exactly(*at_) != sim::End::paused) return std::nullopt;
    std::optional<std::vector<std::byte>> memory;
    (void)run->at_point(model_.compiled->derivative_loops(),
                        [&](double, std::byte* now) { memory.emplace(now, now + model_.compiled->layout().bytes); });
    return memory;
  }

 private:
  const ModelAtPoint& model_;
  std::vector<sim::ParameterSetting> variables_;
  std::optional<double> at_;
};

// The rows of the question, by name.
class Rows {
 public:
  Rows(const ModelAtPoint& model)
      : states(model.question->state_names()), outputs(model.question->output_names()), prefix_(model.prefix) {}
  std::size_t count() const { return states.size() + outputs.size(); }
  bool is_inside(std::size_t state) const { return states[state].starts_with(prefix_); }
  std::string name(std::size_t row) const {
    return row < states.size() ? "der(" + states[row] + ")" : outputs[row - states.size()];
  }

  std::vector<std::string> states, outputs;

 private:
  std::string prefix_;
};

analyse::RestRequest empty_request(const ModelAtPoint& model) {
  analyse::RestRequest rest;
  rest.model = model.question->request();
  const program::Program& program = model.compiled->program();
  const std::size_t columns = size_of(program, rest.model.states) + size_of(program, rest.model.inputs);
  rest.free.assign(columns, false);
  rest.start.assign(columns, not_given);
  rest.low.assign(columns, -std::numeric_limits<double>::infinity());
  rest.high.assign(columns, std::numeric_limits<double>::infinity());
  rest.interrupt = model.options.interrupt;
  return rest;
}

// One row of the mix for each of these rows of the question.
void choose_rows(analyse::RestRequest& rest, std::size_t all, const std::vector<std::size_t>& chosen) {
  rest.mix = RealMatrix(static_cast<Index>(chosen.size()), static_cast<Index>(all));
  for (std::size_t r = 0; r < chosen.size(); ++r) rest.mix(static_cast<Index>(r), static_cast<Index>(chosen[r])) = 1;
  rest.wanted.resize(chosen.size(), 0);
}

// Settles who is free and what is wanted.
class Trimming {
 public:
  Trimming(const ModelAtPoint& model, const TrimRequest& request, Diagnostics& diagnostics)
      : model_(model), request_(request), diagnostics_(diagnostics), rows_(model), rest_(empty_request(model)) {
    inputs_ = model.question->input_names();
    matters_.assign(rows_.count(), false);
    wanted_.assign(rows_.count(), 0);
    for (std::size_t k = 0; k < rows_.states.size(); ++k) rest_.free[k] = matters_[k] = rows_.is_inside(k);
  }

  bool settle() {
    const int errors = diagnostics_.error_count();
    for (const std::string& text : request_.fixed) fix(text);
    for (const std::string& text : request_.moving) {
      for (const std::size_t k : of_states(text, "--moving")) matters_[k] = false;
    }
    for (const std::string& text : request_.wanted) want(text);
    for (const std::string& text : request_.free) set_free(text);
    for (const std::string& text : request_.between) bound(text);
    if (diagnostics_.error_count() > errors) return false;
    std::vector<std::size_t> chosen;
    for (std::size_t r = 0; r < matters_.size(); ++r) {
      if (!matters_[r]) continue;
      chosen.push_back(r);
      rest_.wanted.push_back(wanted_[r]);
    }
    choose_rows(rest_, rows_.count(), chosen);
    rest_.tolerance = request_.tolerance;
    return sim::check_parameters(model_.compiled->program(), variables_, diagnostics_);
  }

  TrimResult answer() {
    const Beginnings beginnings(model_, variables_, request_.where.at);
    rest_.variables = beginnings.numbers();
    if (!variables_.empty()) rest_.begin = beginnings;
    TrimResult result;
    const auto point = analyse::find_rest(*model_.compiled, *model_.run, rest_, diagnostics_);
    if (!point) return result;
    result.time = model_.run->time();
    result.reached = point->reached;
    result.residual = point->residual;
    result.iterations = point->iterations;
    const std::size_t n = rows_.states.size();
    for (std::size_t k = 0; k < n; ++k)
      result.states.push_back(
          {rows_.states[k], point->columns[k], point->rows[k] - wanted_[k], rest_.free[k], matters_[k]});
    for (std::size_t k = 0; k < inputs_.size(); ++k)
      result.inputs.push_back({inputs_[k], point->columns[n + k], 0, rest_.free[n + k], false});
    for (std::size_t k = 0; k < rows_.outputs.size(); ++k)
      result.outputs.push_back({rows_.outputs[k], point->rows[n + k],
                                matters_[n + k] ? point->rows[n + k] - wanted_[n + k] : 0, false, matters_[n + k]});
    std::size_t next = 0;
    for (const auto& variable : variables_) {
      for (std::size_t e = 0; e < variable.values.size(); ++e) {
        const std::string name =
            variable.values.size() == 1 ? variable.name : fmt::format("{}({})", variable.name, e + 1);
        result.variables.push_back({name, point->variables[next++], 0, true, false});
      }
    }
    ok = true;
    return result;
  }

  bool ok = false;

 private:
  std::vector<std::size_t> of_states(const std::string& name, const char* option) {
    auto found = find_elements(rows_.states, name);
    if (found.empty()) unknown(name, option, rows_.states, "states");
    return found;
  }

  void unknown(const std::string& name, const char* option, const std::vector<std::string>& known, const char* what) {
    const std::vector<std::string_view> views(known.begin(), known.end());
    const std::string guess = model::did_you_mean(name, views);
    diagnostics_.error("bad-option", {},
                       fmt::format("{} {}: the model has no such name among its {}", option, name, what),
                       !guess.empty()  ? guess
                       : known.empty() ? fmt::format("there are no {}", what)
                                       : fmt::format("there are {}", fmt::join(known, ", ")));
  }

  std::optional<NamedNumbers> read_numbers(const std::string& text, const char* option, char separator = 0) {
    return read_text(text, option, separator, {.interrupt = model_.options.interrupt}, diagnostics_);
  }

  static double number(const NamedNumbers& text, std::size_t k) {
    return text.numbers.size() == 1 ? text.numbers[0] : k < text.numbers.size() ? text.numbers[k] : not_given;
  }

  void fix(const std::string& text) {
    const auto read = read_numbers(text, "--fix");
    if (!read) return;
    const auto found = of_states(read->name, "--fix");
    for (std::size_t k = 0; k < found.size(); ++k) {
      rest_.free[found[k]] = false;
      if (!read->numbers.empty()) rest_.start[found[k]] = number(*read, k);
    }
  }

  void want(const std::string& text) {
    const auto read = read_numbers(text, "--wanted");
    if (!read) return;
    if (read->numbers.empty()) {
      diagnostics_.error("bad-option", {}, "--wanted " + text + ": a value is missing", "as in --wanted y=3");
      return;
    }
    auto found = find_elements(rows_.outputs, read->name);
    for (std::size_t& k : found) k += rows_.states.size();
    if (found.empty()) found = find_elements(rows_.states, read->name);
    std::vector<std::string> all = rows_.outputs;
    all.insert(all.end(), rows_.states.begin(), rows_.states.end());
    if (found.empty()) unknown(read->name, "--wanted", all, "outputs and states");
    for (std::size_t k = 0; k < found.size(); ++k) {
      matters_[found[k]] = true;
      wanted_[found[k]] = number(*read, k);
    }
  }

  void set_free(const std::string& text) {
    const auto read = read_numbers(text, "--free");
    if (!read) return;
    auto found = find_elements(inputs_, read->name);
    for (std::size_t& k : found) k += rows_.states.size();
    if (found.empty()) found = find_elements(rows_.states, read->name);
    for (std::size_t k = 0; k < found.size(); ++k) {
      rest_.free[found[k]] = true;
      if (!read->numbers.empty()) rest_.start[found[k]] = number(*read, k);
    }
    if (!found.empty()) return;
    const program::Program& program = model_.compiled->program();
    std::vector<std::string> all = inputs_;
    for (const program::Parameter& parameter : program.parameters) {
      all.push_back(parameter.name);
      if (parameter.name != read->name) continue;
      const program::Slot& slot = program.slots[parameter.slot];
      std::vector<double> values(static_cast<std::size_t>(slot.type.size()), 0.0);
      if (slot.initial != program::no_expr) {
        const auto data = program.graph.constant_data(slot.initial);
        values.assign(data.begin(), data.end());
      }
      for (std::size_t k = 0; k < values.size() && !read->numbers.empty(); ++k) values[k] = number(*read, k);
      variables_.push_back({parameter.name, values});
      rest_.variables_low.resize(rest_.variables_low.size() + values.size(), -std::numeric_limits<double>::infinity());
      rest_.variables_high.resize(rest_.variables_low.size(), std::numeric_limits<double>::infinity());
      return;
    }
    unknown(read->name, "--free", all, "inputs and variables");
  }

  void bound(const std::string& text) {
    const auto read = read_numbers(text, "--between", ':');
    if (!read) return;
    if (read->numbers.size() != 2 || !(read->numbers[0] <= read->numbers[1])) {
      diagnostics_.error("bad-option", {}, fmt::format("--between {}: this is not NAME=LOW:HIGH", text),
                         "as in --between u=0:10");
      return;
    }
    auto found = find_elements(inputs_, read->name);
    for (std::size_t& k : found) k += rows_.states.size();
    if (found.empty()) found = find_elements(rows_.states, read->name);
    for (const std::size_t k : found) {
      rest_.low[k] = read->numbers[0];
      rest_.high[k] = read->numbers[1];
    }
    std::size_t next = 0;
    bool named = !found.empty();
    for (const auto& variable : variables_) {
      for (std::size_t e = 0; e < variable.values.size(); ++e, ++next) {
        if (variable.name != read->name) continue;
        named = true;
        rest_.variables_low[next] = read->numbers[0];
        rest_.variables_high[next] = read->numbers[1];
      }
    }
    if (!named) unknown(read->name, "--between", inputs_, "inputs, states and free variables");
  }

  const ModelAtPoint& model_;
  const TrimRequest& request_;
  Diagnostics& diagnostics_;
  Rows rows_;
  analyse::RestRequest rest_;
  std::vector<std::string> inputs_;
  std::vector<bool> matters_;
  std::vector<double> wanted_;
  std::vector<sim::ParameterSetting> variables_;
};

// Variables that are named stay parameters of the Program.
std::vector<std::string> variables_among(const std::vector<std::string>& texts, const model::Model& model) {
  std::vector<std::string> names;
  for (const std::string& text : texts) {
    const std::string name = text.substr(0, text.find('='));
    if (uses_variable(model, name)) names.push_back(name);
  }
  return names;
}

// The matrix of a mix: a single number stands for as many as there are rows.
std::optional<RealMatrix> whole_mix(const RealMatrix& given, std::size_t size, const char* name,
                                    Diagnostics& diagnostics) {
  const auto n = static_cast<Index>(size);
  if (given.data.size() == 1 && n != 1) {
    RealMatrix result(n, n);
    for (Index k = 0; k < n; ++k) result(k, k) = given.data[0];
    return result;
  }
  if (given.cols == n) return given;
  diagnostics.error("bad-option", {},
                    fmt::format("{} has {} columns, but there are {} numbers to choose from", name, given.cols, n),
                    "give one column for each, or a single number");
  return std::nullopt;
}

}  // namespace

std::optional<analyse::RestPoint> rest_of_states(const ModelAtPoint& model, Diagnostics& diagnostics) {
  const Rows rows(model);
  analyse::RestRequest rest = empty_request(model);
  std::vector<std::size_t> chosen;
  for (std::size_t k = 0; k < rows.states.size(); ++k) {
    if (!rows.is_inside(k)) continue;
    rest.free[k] = true;
    chosen.push_back(k);
  }
  choose_rows(rest, rows.count(), chosen);
  auto point = analyse::find_rest(*model.compiled, *model.run, rest, diagnostics);
  if (!point || point->reached) return point;
  std::vector<std::string> moving;
  for (std::size_t r = 0; r < chosen.size(); ++r)
    if (std::abs(point->left[r]) > rest.tolerance)
      moving.push_back(fmt::format("{} = {:.6g}", rows.name(chosen[r]), point->left[r]));
  diagnostics.error(
      "no-equilibrium", {model.compiled->program().origins[0].path, 0, 0, {}, {}},
      fmt::format("no point of rest was found; where rates are smallest there remain {}", fmt::join(moving, ", ")),
      "free inputs or variables with `orrery trim`, or begin nearer (--at, start values)");
  return std::nullopt;
}

std::optional<TrimResult> trim(const TrimRequest& request, Diagnostics& diagnostics) {
  const fmi::Surroundings surroundings;
  auto model = open_model(request.where.run.file, diagnostics);
  if (!model) return std::nullopt;
  LinearisationRequest where = request.where;
  where.run.vary = variables_among(request.free, *model);
  where.hold = true;  // what events have left is there at the start
  const auto there = run_to_point(std::move(*model), where, nullptr, diagnostics);
  if (!there) return std::nullopt;
  Trimming trimming(*there, request, diagnostics);
  if (!trimming.settle()) return std::nullopt;
  TrimResult result = trimming.answer();
  if (!trimming.ok) return std::nullopt;
  return result;
}

std::optional<Equilibrium> find_equilibrium(model::Model model, const EquilibriumRequest& request,
                                            const std::shared_ptr<OmlEvaluator>& evaluator, Diagnostics& diagnostics) {
  LinearisationRequest where = request.where;
  where.hold = true;
  for (const auto& variable : request.variables) where.run.vary.push_back(variable.name);
  const auto there = run_to_point(std::move(model), where, evaluator, diagnostics);
  if (!there) return std::nullopt;
  if (!sim::check_parameters(there->compiled->program(), request.variables, diagnostics)) return std::nullopt;
  const Rows rows(*there);
  analyse::RestRequest rest = empty_request(*there);
  std::vector<std::size_t> inside;
  for (std::size_t k = 0; k < rows.states.size(); ++k)
    if (rows.is_inside(k)) inside.push_back(k);
  std::vector<std::vector<double>> mix;
  const auto add = [&](const std::optional<RealMatrix>& given, const std::vector<std::size_t>& columns,
                       const char* name) {
    if (!given || given->is_empty()) return true;
    const auto whole = whole_mix(*given, columns.size(), name, diagnostics);
    if (!whole) return false;
    for (Index r = 0; r < whole->rows; ++r) {
      std::vector<double>& row = mix.emplace_back(rows.count(), 0.0);
      for (std::size_t k = 0; k < columns.size(); ++k) row[columns[k]] = (*whole)(r, static_cast<Index>(k));
    }
    return true;
  };
  std::vector<std::size_t> outputs;
  for (std::size_t k = 0; k < rows.outputs.size(); ++k) outputs.push_back(rows.states.size() + k);
  if (!add(request.rate_mix, inside, "L") || !add(request.output_mix, outputs, "M")) return std::nullopt;
  rest.mix = RealMatrix(static_cast<Index>(mix.size()), static_cast<Index>(rows.count()));
  rest.wanted.assign(mix.size(), 0);
  for (std::size_t r = 0; r < mix.size(); ++r)
    for (std::size_t k = 0; k < mix[r].size(); ++k) rest.mix(static_cast<Index>(r), static_cast<Index>(k)) = mix[r][k];
  const Beginnings beginnings(*there, request.variables, request.where.at);
  rest.variables = beginnings.numbers();
  rest.variables_low.assign(rest.variables.size(), -std::numeric_limits<double>::infinity());
  rest.variables_high.assign(rest.variables.size(), std::numeric_limits<double>::infinity());
  rest.begin = beginnings;
  if (request.tried) {
    rest.tried = [&](const std::vector<double>& x, const std::vector<double>& left) {
      request.tried({x.begin(), x.begin() + static_cast<std::ptrdiff_t>(rest.variables.size())},
                    {left.begin(), left.begin() + static_cast<std::ptrdiff_t>(mix.size())});
    };
  }
  const auto point = analyse::find_rest(*there->compiled, *there->run, rest, diagnostics);
  if (!point) return std::nullopt;
  Equilibrium result{beginnings.settings(point->variables), point->left, {}, point->reached};
  for (std::size_t k = 0; k < rows.count(); ++k) {
    const bool counts = std::any_of(mix.begin(), mix.end(), [&](const auto& row) { return row[k] != 0; });
    if (counts && std::abs(point->rows[k]) > 1e-9) result.names.push_back(rows.name(k));
  }
  return result;
}

}  // namespace orrery::api
