// SPDX-License-Identifier: Apache-2.0
// For tests: a program of a text language, run as the command line would, and its rows by name and time.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "api/model.h"
#include "api/run.h"
#include "base/folders_for_tests.h"

namespace orrery::tests {

inline std::string example_text(const std::string& name) {
  std::stringstream text;
  text << std::ifstream(source_folder() + "/examples/cssl/" + name).rdbuf();
  return text.str();
}

struct ProgramRun {
  Diagnostics diagnostics;
  api::Results results;
  api::RunReport report;
  bool good = false;

  std::vector<double> column(const std::string& name) const {
    const std::size_t at = results.column(name);
    EXPECT_NE(at, SIZE_MAX) << name;
    std::vector<double> values;
    if (at == SIZE_MAX) return values;
    for (std::size_t row = 0; row < results.rows(); ++row) values.push_back(results.value(row, at));
    return values;
  }
  double last(const std::string& name) const {
    const std::vector<double> values = column(name);
    return values.empty() ? std::nan("") : values.back();
  }
  // In the last row of this time; first: in the first one.
  double at(double time, const std::string& name, bool first = false) const {
    const std::vector<double> values = column(name);
    double found = std::nan("");
    for (std::size_t row = 0; row < values.size(); ++row) {
      if (std::fabs(results.time[row] - time) > 1e-9 * std::max(1.0, std::fabs(time))) continue;
      if (!first || std::isnan(found)) found = values[row];
    }
    EXPECT_FALSE(std::isnan(found)) << name << " at " << time;
    return found;
  }
};

struct ProgramSetup {
  std::vector<api::Setting> set = {};       // constants
  std::vector<api::Setting> settings = {};  // of the simulation
  double rtol = 1e-11;                      // 0: what the program asks for
};

inline ProgramRun run_program(const std::string& text, const std::string& file, const ProgramSetup& setup = {}) {
  ProgramRun run;
  auto model = api::Model::read(text, file, run.diagnostics);
  if (!model) return run;
  for (const api::Setting& setting : setup.settings) EXPECT_TRUE(model->set(setting.name, setting.text));
  if (setup.rtol > 0) {
    EXPECT_TRUE(model->set("rtol", std::to_string(setup.rtol * 1e12) + "e-12"));
  }
  api::CompileOptions options;
  options.set = setup.set;
  options.native = api::NativeCode::first;
  const auto compiled = model->compile(options, run.diagnostics);
  if (!compiled) return run;
  api::Run made = compiled->start();
  made.run();
  run.results = made.results();
  run.report = made.report();
  for (const Diagnostic& diagnostic : made.diagnostics().all()) run.diagnostics.add(diagnostic);
  run.good = run.report.state == api::RunState::stopped || run.report.state == api::RunState::reached_stop;
  return run;
}

inline ProgramRun run_example(const std::string& name, const ProgramSetup& setup = {}) {
  ProgramRun run = run_program(example_text(name), name, setup);
  EXPECT_TRUE(run.good) << to_text(run.diagnostics);
  for (const Diagnostic& diagnostic : run.diagnostics.all()) {
    EXPECT_EQ(diagnostic.severity, Severity::note) << to_text(diagnostic);
  }
  return run;
}

// Agreement to the digits that are given: half a unit of the last one, and what a tolerance of 1e-11 leaves.
#define EXPECT_DIGITS(value, expected, digits) \
  EXPECT_NEAR(value, expected,                 \
              0.51 * std::pow(10.0, std::ceil(std::log10(std::fabs(expected) + 1e-300)) - (digits)) + 1e-9)

}  // namespace orrery::tests
