// SPDX-License-Identifier: Apache-2.0
// From the text of a model to runs.
#include <fmt/format.h>

#include <cstdlib>

#include "bench.h"

namespace orrery::bench {

void expect_no_errors(const Diagnostics& diagnostics) {
  if (!diagnostics.has_errors()) return;
  fmt::print(stderr, "{}", to_text(diagnostics));
  std::exit(1);
}

std::vector<std::string> Compiled::states() const {
  std::vector<std::string> names;
  for (const api::VariableInfo& variable : model.variables()) {
    if (variable.kind == api::VariableKind::state) names.push_back(variable.name);
  }
  return names;
}

Compiled compile_model(const api::Model& model, const std::vector<std::string>& probes) {
  Diagnostics diagnostics;
  const auto compiled = model.compile(
      {.probes = probes, .keep_signals = false, .native = api::NativeCode::second, .allow = Capabilities::all()},
      diagnostics);
  expect_no_errors(diagnostics);
  Compiled result{*compiled, compiled->settings()};
  result.settings.record = false;
  return result;
}

Compiled compile_diagram(const std::string& text, const std::vector<api::Setting>& settings,
                         const std::vector<std::string>& probes) {
  Diagnostics diagnostics;
  auto model = api::Model::read(text, "bench.orr", diagnostics);
  expect_no_errors(diagnostics);
  for (const api::Setting& setting : settings) {
    if (!model->set(setting.name, setting.text)) fmt::print(stderr, "no setting {}\n", setting.name), std::exit(1);
  }
  return compile_model(*model, probes);
}

}  // namespace orrery::bench
