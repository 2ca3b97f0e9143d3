// SPDX-License-Identifier: Apache-2.0
// Runs models for tests through the front door and compares the results.
#include "run_model.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "model/model.h"

namespace orrery::tests {
namespace {

struct CacheOfThisProcess {
  std::string path = (std::filesystem::temp_directory_path() / fmt::format("orrery-tests-{}", ::getpid())).string();
  CacheOfThisProcess() {
    std::filesystem::remove_all(path);
    ::setenv("ORRERY_CACHE", path.c_str(), 1);
  }
  ~CacheOfThisProcess() { std::filesystem::remove_all(path); }
  CacheOfThisProcess(const CacheOfThisProcess&) = delete;
  CacheOfThisProcess& operator=(const CacheOfThisProcess&) = delete;
};

bool same_bits(double a, double b) { return (std::isnan(a) && std::isnan(b)) || std::memcmp(&a, &b, sizeof a) == 0; }

std::size_t first_row_after(const api::Results& recording, double after) {
  std::size_t row = 0;
  while (row < recording.rows() && recording.time[row] <= after) ++row;
  return row;
}

const std::string& name_of_column(const api::Results& results, std::size_t k) { return results.names[k]; }
const std::string& name_of_column(const sim::Recording& recording, std::size_t k) { return recording.columns[k].name; }

double last_of(const auto& recording, std::size_t columns, const Diagnostics& diagnostics, const std::string& column) {
  for (std::size_t c = 0; c < columns && recording.rows() > 0; ++c) {
    if (name_of_column(recording, c) == column) return recording.value(recording.rows() - 1, c);
  }
  ADD_FAILURE() << "no column " << column << "\n" << to_text(diagnostics);
  return NAN;
}

}  // namespace

const std::string& cache_of_this_process() {
  static const CacheOfThisProcess folder;
  return folder.path;
}

std::vector<std::string> blocks_with_outputs(const model::Model& model) {
  Diagnostics diagnostics;
  std::vector<std::string> paths;
  const auto read = api::Model::read(model::write(model), model.file, diagnostics);
  const auto compiled = read ? read->compile({.native = api::NativeCode::first}, diagnostics) : std::nullopt;
  if (!compiled) return paths;
  for (const api::SignalInfo& signal : compiled->signals()) {
    const std::string path = signal.name.substr(0, signal.name.find(':'));
    const bool is_on_top = path.find('/', 1) == std::string::npos;
    if (is_on_top && std::ranges::find(paths, path) == paths.end()) paths.push_back(path);
  }
  return paths;
}

std::optional<api::CompiledModel> compile_model(const model::Model& model, const RunSetup& setup,
                                                Diagnostics& diagnostics) {
  cache_of_this_process();
  const auto read = api::Model::read(model::write(model), model.file, diagnostics);
  if (!read) return std::nullopt;
  return read->compile({.also = setup.watch, .keep_signals = false, .native = setup.native, .allow = setup.allow},
                       diagnostics);
}

api::Run start(const api::CompiledModel& model) {
  api::RunSettings settings = model.settings();
  settings.events = true;
  return model.start(settings);
}

ModelRun run_model(const model::Model& model, const RunSetup& setup) {
  ModelRun result;
  const auto compiled = compile_model(model, setup, result.diagnostics);
  if (!compiled) return result;
  api::Run run = start(*compiled);
  result.compiled = run.state() == api::RunState::ready;
  if (result.compiled) run.run();
  for (const Diagnostic& diagnostic : run.diagnostics().all()) result.diagnostics.add(diagnostic);
  result.recording = run.results();
  result.events = run.events();
  result.report = run.report();
  return result;
}

double last(const api::Results& recording, const Diagnostics& diagnostics, const std::string& column) {
  return last_of(recording, recording.names.size(), diagnostics, column);
}

double last(const sim::Recording& recording, const Diagnostics& diagnostics, const std::string& column) {
  return last_of(recording, recording.columns.size(), diagnostics, column);
}

api::RunResult run_text(const std::string& text, api::OmlEvaluator& evaluator, const api::RunRequest& request) {
  api::RunResult result;
  auto model = model::parse(text, "context.orr", result.diagnostics);
  return model ? api::run(*model, request, evaluator) : std::move(result);
}

api::RunResult run_text(const std::string& text, const api::RunRequest& request) {
  api::OmlEvaluator evaluator(Consent::everything());
  return run_text(text, evaluator, request);
}

std::string first_difference(const api::Results& a, const api::Results& b, double after) {
  if (a.names.size() != b.names.size()) return "the number of columns";
  std::size_t row_a = first_row_after(a, after), row_b = first_row_after(b, after);
  for (; row_a < a.rows() && row_b < b.rows(); ++row_a, ++row_b) {
    if (!same_bits(a.time[row_a], b.time[row_b])) {
      return fmt::format("the times of row {}: {:.17g} and {:.17g}", row_a, a.time[row_a], b.time[row_b]);
    }
    for (std::size_t k = 0; k < a.names.size(); ++k) {
      if (same_bits(a.value(row_a, k), b.value(row_b, k))) continue;
      return fmt::format("{} at t = {:.17g}, row {}: {:.17g} and {:.17g}", a.names[k], a.time[row_a], row_a,
                         a.value(row_a, k), b.value(row_b, k));
    }
    if (a.phase[row_a] != b.phase[row_b]) return fmt::format("the phases of row {}, t = {}", row_a, a.time[row_a]);
  }
  if (a.rows() - row_a != b.rows() - row_b) return fmt::format("the number of rows: {} and {}", a.rows(), b.rows());
  return {};
}

std::string first_difference(const sim::Recording& a, const sim::Recording& b) {
  const auto results_of = [](const sim::Recording& recording) {
    api::Results results{{}, recording.time, recording.phase, recording.values};
    for (const sim::Column& column : recording.columns) results.names.push_back(column.name);
    return results;
  };
  return first_difference(results_of(a), results_of(b));
}

std::string difference_at_common_times(const api::Results& a, const api::Results& b) {
  if (a.rows() == 0 || b.rows() == 0) return a.rows() == b.rows() ? "" : "one of them has no rows";
  if (!same_bits(a.time.front(), b.time.front()) || !same_bits(a.time.back(), b.time.back())) return "the time range";
  const auto last_of_instant = [](const api::Results& r, std::size_t row) {
    while (row + 1 < r.rows() && r.time[row + 1] == r.time[row]) ++row;
    return row;
  };
  for (std::size_t row_a = 0, row_b = 0; row_a < a.rows() && row_b < b.rows();) {
    row_a = last_of_instant(a, row_a);
    row_b = last_of_instant(b, row_b);
    const double t_a = a.time[row_a], t_b = b.time[row_b];
    for (std::size_t k = 0; t_a == t_b && k < a.names.size(); ++k) {
      if (same_bits(a.value(row_a, k), b.value(row_b, k))) continue;
      return fmt::format("{} at t = {:.17g}: {:.17g} and {:.17g}", a.names[k], t_a, a.value(row_a, k),
                         b.value(row_b, k));
    }
    row_a += t_a <= t_b;
    row_b += t_b <= t_a;
  }
  return {};
}

std::string first_difference(const std::vector<api::Event>& a, const std::vector<api::Event>& b) {
  for (std::size_t k = 0; k < std::min(a.size(), b.size()); ++k) {
    const api::Event& x = a[k];
    const api::Event& y = b[k];
    if (!same_bits(x.time, y.time)) return fmt::format("event {}: at {:.17g} and {:.17g}", k, x.time, y.time);
    if (x.cause != y.cause || x.block != y.block || x.port != y.port) {
      return fmt::format("event {} at {:.17g}: its cause", k, x.time);
    }
    if (!same_bits(x.left, y.left) || !same_bits(x.right, y.right)) return fmt::format("event {}: its values", k);
  }
  if (a.size() == b.size()) return {};
  return fmt::format("the number of events: {} and {}", a.size(), b.size());
}

}  // namespace orrery::tests
