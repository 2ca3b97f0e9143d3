// SPDX-License-Identifier: Apache-2.0
// The experiment as a list of runs.
#include "cssl/next_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cssl/experiment.h"
#include "cssl/names.h"

namespace orrery::cssl {
namespace {

std::string initial_name(const std::string& state) { return state + "_0"; }

double number_or(const std::map<std::string, double>& values, const std::string& name, double otherwise) {
  const auto found = values.find(name);
  return found != values.end() ? found->second : otherwise;
}

// What drun, drunr and reset do to the values: states go on from where they are, or from where they began.
class DesireRuns {
 public:
  explicit DesireRuns(const Program& program) : states_(program.experiment_states) {}

  // Constants of a run that begins now.
  RunValues begin(const Experiment& now) {
    RunValues given;
    for (const auto& [name, value] : now.values) given[is_state(name) ? initial_name(name) : name] = {value};
    for (const auto& [name, array] : now.arrays) given[is_state(name) ? initial_name(name) : name] = array.values;
    const double start = fresh_ ? number_or(now.values, "t0", 0) : number_or(now.values, "t", 0);
    given["t0"] = {start};
    if (fresh_) {
      initial_.clear();
      for (const std::string& name : states_) {
        const auto array = now.arrays.find(name);
        initial_[name] =
            array != now.arrays.end() ? array->second.values : std::vector<double>{number_or(now.values, name, 0)};
      }
    }
    return given;
  }

  void end(const std::string& what, const RunEnd& run, Experiment& now) {
    for (const auto& [name, values] : run.values) set(name, values, now);
    now.values["t"] = run.time;
    const auto watch = now.values.find("XCCC");
    if (watch != now.values.end() && run.left_scale) watch->second = -std::fabs(watch->second);
    fresh_ = false;
    if (what == "drunr") reset(now);
  }

  void reset(Experiment& now) {
    for (const auto& [name, values] : initial_) {
      set(name, values, now);
      now.unknown.erase(name);
    }
    now.values.erase("t");
    now.unknown.erase("t");
    fresh_ = true;
  }

 private:
  bool is_state(const std::string& name) const {
    return std::find(states_.begin(), states_.end(), name) != states_.end();
  }
  static void set(const std::string& name, const std::vector<double>& values, Experiment& now) {
    const auto array = now.arrays.find(name);
    if (array != now.arrays.end() && array->second.values.size() == values.size()) {
      array->second.values = values;
    } else if (array == now.arrays.end() && values.size() == 1) {
      now.values[name] = values[0];
    }
  }

  const std::vector<std::string>& states_;
  RunValues initial_;
  bool fresh_ = true;
};

bool step_fits(const Program& program, const RunValues& run, Diagnostics& diagnostics) {
  const auto value = [&](const char* name) { return run.contains(name) ? run.at(name)[0] : std::nan(""); };
  const double interval = value("TMAX") / (value("NN") - 1);
  if (!(value("DT") > interval * (1 + 1e-12))) return true;
  program.source->error(
      diagnostics, "bad-step", {1, 0},
      fmt::format("DT = {} is longer than the communication interval TMAX/(NN - 1) = {}", value("DT"), interval),
      "make DT smaller or NN larger");
  return false;
}

std::optional<RunValues> next_desire_run(const Program& program, std::span<const RunEnd> ends,
                                         const std::function<void(const std::string&)>& say, Diagnostics& diagnostics) {
  std::optional<RunValues> found;
  DesireRuns runs(program);
  std::size_t done = 0;
  Experiment experiment(
      program,
      [&](const std::string& what, Experiment& now) {
        if (what == "reset") return runs.reset(now), true;
        RunValues given = runs.begin(now);
        if (done == ends.size()) {
          found = std::move(given);
          return false;
        }
        runs.end(what, ends[done++], now);
        return true;
      },
      [&](const std::string& text) {
        if (done == ends.size()) say(text);
      },
      diagnostics);
  if (!experiment.run(program.experiment) || !found || !step_fits(program, *found, diagnostics)) return std::nullopt;
  return found;
}

// Constants that TERMINAL has assigned, where it asks for another run.
std::optional<RunValues> next_csmp_run(const Program& program, std::span<const RunEnd> ends) {
  RunValues given;
  if (ends.empty()) return given;
  const auto again = ends.back().values.find(run_again);
  if (again == ends.back().values.end() || again->second[0] == 0) return std::nullopt;
  for (const Section& section : program.sections) {
    if (section.kind != Section::Kind::terminal) continue;
    std::vector<Use> writes;
    for (const Statement& s : section.statements) collect_writes(program, s, writes);
    for (const Use& use : writes) {
      const Declared* item = program.find(use.name);
      const auto value = ends.back().values.find(use.name);
      if (item != nullptr && item->constant && value != ends.back().values.end()) given[use.name] = value->second;
    }
  }
  return given;
}

void declare_constant(Program& program, const std::string& name, std::vector<double> values, int rows = 1,
                      int cols = 1) {
  Declared& item = program.declare(name, {});
  item.array = rows * cols > 1;
  item.rows = rows;
  item.cols = cols;
  item.values = std::move(values);
  item.constant = true;
}

}  // namespace

std::optional<RunValues> next_run(const Program& program, std::span<const RunEnd> ends,
                                  const std::function<void(const std::string&)>& say, Diagnostics& diagnostics) {
  if (program.language == "desire") return next_desire_run(program, ends, say, diagnostics);
  return next_csmp_run(program, ends);
}

void find_desire_runs(Program& program, const std::vector<std::string>& assigned, Diagnostics& diagnostics) {
  constexpr std::size_t most_runs = 1000, most_numbers = 1'000'000;
  std::size_t numbers = 0;
  std::vector<RunValues> runs;
  std::map<std::string, ExperimentArray> arrays;
  DesireRuns order(program);
  bool follows = false;
  Diagnostics found;
  Experiment experiment(
      program,
      [&](const std::string& what, Experiment& now) {
        if (what == "reset") return order.reset(now), true;
        for (const auto& [name, array] : now.arrays) numbers += array.values.size();
        const bool many = !runs.empty() && (runs.size() == most_runs || numbers > most_numbers);
        follows = many || now.unknown.contains("t");
        if (follows) return false;
        if (runs.empty()) arrays = now.arrays;
        runs.push_back(order.begin(now));
        now.unknown.insert(assigned.begin(), assigned.end());
        now.unknown.insert("t");
        if (!program.graphs.empty() && now.values.contains("XCCC")) now.unknown.insert("XCCC");
        order.end(what, {}, now);  // drunr begins anew from what is known
        return true;
      },
      [](const std::string&) {}, found);
  experiment.run(program.experiment);
  follows = follows || experiment.met_unknown();
  if (runs.empty()) {
    for (const Diagnostic& diagnostic : found.all()) diagnostics.add(diagnostic);
    if (!found.has_errors())
      program.source->error(diagnostics, "no-run", {1, 0}, "the experiment never runs the model",
                            "write drun or drunr before DYNAMIC");
    return;
  }
  if (found.has_errors()) {  // behind a run
    for (const Diagnostic& diagnostic : found.all()) diagnostics.add(diagnostic);
    return;
  }
  const auto is_model = [&](const std::string& name) {
    return std::find(assigned.begin(), assigned.end(), name) != assigned.end();
  };
  for (const auto& [name, values] : runs[0]) {
    if (name == "t0" && !follows && values[0] == 0) continue;
    if (is_model(name)) continue;
    const auto array = arrays.find(name.ends_with("_0") ? name.substr(0, name.size() - 2) : name);
    const bool is_array = array != arrays.end() && array->second.values.size() == values.size();
    declare_constant(program, name, values, is_array ? array->second.rows : 1, is_array ? array->second.cols : 1);
  }
  for (const auto& [name, array] : arrays) {
    if (!is_model(name)) continue;
    Declared& item = program.declare(name, {});
    item.array = true;
    item.rows = array.rows;
    item.cols = array.cols;
  }
  for (const std::string& name : program.experiment_states) {
    if (program.find(initial_name(name)) == nullptr) declare_constant(program, initial_name(name), {0});
  }
  for (const char* name : {"TMAX", "DT", "NN"}) {
    if (program.find(name) == nullptr)
      program.source->error(diagnostics, "unknown-name", {1, 0},
                            fmt::format("{} has no value when the model is run", name),
                            "TMAX is the length of the run, DT the step, NN the number of points");
  }
  if (diagnostics.has_errors()) return;
  for (const RunValues& run : runs) {  // lists of values by run are for single numbers
    for (const auto& [name, values] : run) follows = follows || (values.size() > 1 && runs[0][name] != values);
  }
  if (follows) {
    program.runs_follow_results = true;
    declare_constant(program, runs_to_come, {0});
    runs.resize(1);
  }
  std::vector<std::unordered_map<std::string, double>> scalars(runs.size());
  for (std::size_t k = 0; k < runs.size(); ++k) {
    if (!step_fits(program, runs[k], diagnostics)) return;
    for (const auto& [name, values] : runs[k]) {
      if (values.size() == 1) scalars[k][name] = values[0];
    }
  }
  program.set_runs(scalars);
}

}  // namespace orrery::cssl
