// SPDX-License-Identifier: Apache-2.0
// For tests of hybrid systems: runs with every variable-step solver, and the events of a block by its name.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include "semantics.h"
#include "solve/dae.h"
#include "solve/integrator.h"

namespace orrery::tests {

inline int from_environment(const char* name, int otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::atoi(text);
}

inline std::vector<std::string> variable_step_solvers() {
  std::vector<std::string> names;
  const auto add = [&](const std::vector<solve::SolverInfo>& infos) {
    for (const solve::SolverInfo& info : infos) {
      if (!info.fixed_step && info.name != "auto" && std::ranges::find(names, info.name) == names.end())
        names.push_back(info.name);
    }
  };
  add(solve::solvers());
  add(solve::dae_solvers());
  return names;
}

inline std::vector<std::string> names_of_fixed_step_solvers() {
  std::vector<std::string> names;
  for (const solve::SolverInfo& info : solve::solvers()) {
    if (info.fixed_step) names.push_back(info.name);
  }
  return names;
}

// For tests that hold for every variable-step solver at rtol 1e-8.
class WithEverySolver : public testing::TestWithParam<std::string> {
 protected:
  static std::string settings(const std::string& others) {
    return fmt::format("solver {}\nrtol 1e-8\natol 1e-13\n{}\n", GetParam(), others);
  }
};
inline std::string name_of_solver(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  std::ranges::replace(name, '-', '_');
  return name;
}

// A run whose events are asked for by the names of their blocks.
struct HybridRun : ModelRun {
  std::vector<double> times(EventCause cause, const std::string& block) const {
    std::vector<double> times;
    for (const api::Event& event : events) {
      if (event.cause == cause && event.block == "/" + block) times.push_back(event.time);
    }
    return times;
  }
  std::vector<double> crossings(const std::string& block) const { return times(EventCause::crossing, block); }
  std::vector<double> fired(const std::string& block) const { return times(EventCause::programmed, block); }
  // Where the error of this code, or its text, says that it happened, to within the tolerance.
  bool fails_at(const std::string& code, double time, double tolerance) const;
};

inline bool HybridRun::fails_at(const std::string& code, double time, double tolerance) const {
  for (const Diagnostic& d : diagnostics.all()) {
    if (d.code != code) continue;
    if (d.time && std::abs(*d.time - time) <= tolerance) return true;
    std::string text = d.message;
    for (const std::string& note : d.notes) text += " " + note;
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (!std::isdigit(static_cast<unsigned char>(text[i])) || (i > 0 && text[i - 1] != ' ')) continue;
      if (std::abs(std::strtod(text.c_str() + i, nullptr) - time) <= tolerance) return true;
    }
  }
  return false;
}

inline HybridRun run_hybrid(const model::Model& model, const RunSetup& setup = {}) { return {run_model(model, setup)}; }

inline HybridRun run_hybrid(const std::string& text, std::vector<std::string> watch = {}) {
  RunSetup setup;
  setup.watch = std::move(watch);
  return run_hybrid(diagram(text), setup);
}

// All values of a column, row by row.
inline std::vector<double> column_of(const ModelRun& run, const std::string& name) {
  std::vector<double> values;
  for (std::size_t c = 0; c < run.recording.names.size(); ++c) {
    if (run.recording.names[c] != name) continue;
    for (std::size_t r = 0; r < run.recording.rows(); ++r) values.push_back(run.recording.value(r, c));
  }
  return values;
}

// Empty when both lists agree to within the tolerance, else what is wrong.
inline std::string compare_times(const std::vector<double>& found, const std::vector<double>& expected,
                                 double tolerance) {
  for (std::size_t i = 0; i < std::min(found.size(), expected.size()); ++i) {
    if (!(std::abs(found[i] - expected[i]) <= tolerance))
      return fmt::format("number {} of {} is at {:.15g} and should be at {:.15g}", i, found.size(), found[i],
                         expected[i]);
  }
  if (found.size() == expected.size()) return {};
  return fmt::format("there are {} and should be {}", found.size(), expected.size());
}

}  // namespace orrery::tests
