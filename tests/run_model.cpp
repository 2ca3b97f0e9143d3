// SPDX-License-Identifier: Apache-2.0
// Runs models for tests and compares the results.
#include "run_model.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstring>
#include <filesystem>

#include "blocks/block.h"
#include "program/verify.h"

namespace orrery::tests {
namespace {

struct TemporaryDirectory {
  std::string path = (std::filesystem::temp_directory_path() / fmt::format("orrery-tests-{}", ::getpid())).string();
  TemporaryDirectory() { std::filesystem::remove_all(path); }
  ~TemporaryDirectory() { std::filesystem::remove_all(path); }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
};

bool same_bits(double a, double b) { return (std::isnan(a) && std::isnan(b)) || std::memcmp(&a, &b, sizeof a) == 0; }

std::size_t first_row_after(const sim::Recording& recording, double after) {
  std::size_t row = 0;
  while (row < recording.rows() && recording.time[row] <= after) ++row;
  return row;
}

// Some blocks decide the number of their outputs from parameters; all that have none ever are sinks.
bool has_outputs(const model::BlockInstance& block, compile::Evaluator& evaluator) {
  const blocks::BlockType* type = blocks::find_type(block.type);
  if (type == nullptr || type->build == nullptr) return false;
  std::vector<program::Value> values;
  Diagnostics ignored;
  for (const blocks::ParameterSpec& spec : type->parameters) {
    const model::Parameter* given = block.find_parameter(spec.name);
    auto value = evaluator.evaluate(given ? given->value : spec.value, {}, ignored);
    if (!value) return false;
    values.push_back(std::move(*value));
  }
  const blocks::Parameters parameters(type, std::move(values));
  blocks::Ports ports(parameters);
  type->ports(ports);
  return ports.output_count() > 0;
}

}  // namespace

const std::string& cache_of_this_process() {
  static const TemporaryDirectory directory;
  return directory.path;
}

std::vector<std::string> blocks_with_outputs(const model::Model& model) {
  const auto evaluator = api::make_evaluator();
  std::vector<std::string> paths;
  for (const model::BlockInstance& block : model.root.blocks) {
    if (has_outputs(block, *evaluator)) paths.push_back("/" + block.name);
  }
  return paths;
}

std::optional<Compiled> compile_model(const model::Model& model, const RunSetup& setup, Diagnostics& diagnostics) {
  const auto evaluator = api::make_evaluator();
  const auto evaluated = compile::evaluate(model, *evaluator, {}, diagnostics);
  if (!evaluated) return std::nullopt;
  const compile::EvaluatedSettings* settings = &evaluated->settings;
  const solve::SolverInfo* solver = solve::find_solver(settings->solver);
  compile::CompileOptions compile_options;
  compile_options.fixed_step = solver != nullptr && solver->fixed_step;
  compile_options.watch = setup.watch;
  compile_options.graph = setup.graph;
  auto program = compile::compile(*evaluated, compile_options, diagnostics);
  if (!program) return std::nullopt;
  EXPECT_EQ(program::verify(*program), std::vector<std::string>{});
  sim::RunOptions options = api::options_of(*settings);
  options.zero_delay_limit = setup.zero_delay_limit;
  options.record_events = true;
  options.native.second_tier = setup.tier == native::Tier::second;
  options.native.wait_for_second = setup.tier == native::Tier::second;
  options.native.cache_directory = cache_of_this_process();
  return Compiled{std::move(*program), std::move(options)};
}

ModelRun run_model(const model::Model& model, const RunSetup& setup) {
  ModelRun run;
  auto compiled = compile_model(model, setup, run.diagnostics);
  if (!compiled) return run;
  const auto simulation = sim::Simulation::create(compiled->program, compiled->options, run.diagnostics);
  if (!simulation) return run;
  run.compiled = true;
  run.structure.assign(compiled->program.states.size(), true);
  for (const program::Source& source : compiled->program.sources) run.structure.push_back(source.table.critical);
  run.surfaces = compiled->program.surfaces.size();
  simulation->run();
  run.recording = simulation->recording();
  run.ledger = simulation->ledger();
  run.report = simulation->report();
  return run;
}

double last(const sim::Recording& recording, const Diagnostics& diagnostics, const std::string& column) {
  for (std::size_t c = 0; c < recording.columns.size() && recording.rows() > 0; ++c) {
    if (recording.columns[c].name == column) return recording.value(recording.rows() - 1, c);
  }
  ADD_FAILURE() << "no column " << column << "\n" << to_text(diagnostics);
  return NAN;
}

api::RunResult run_text(const std::string& text, api::OmlEvaluator& evaluator, const api::RunRequest& request) {
  api::RunResult result;
  auto model = model::parse(text, "context.orr", result.diagnostics);
  return model ? api::run(*model, request, evaluator) : std::move(result);
}

api::RunResult run_text(const std::string& text, const api::RunRequest& request) {
  api::OmlEvaluator evaluator;
  return run_text(text, evaluator, request);
}

std::string first_difference(const sim::Recording& a, const sim::Recording& b, double after) {
  if (a.columns.size() != b.columns.size()) return "the number of columns";
  std::size_t row_a = first_row_after(a, after), row_b = first_row_after(b, after);
  for (; row_a < a.rows() && row_b < b.rows(); ++row_a, ++row_b) {
    if (!same_bits(a.time[row_a], b.time[row_b])) {
      return fmt::format("the times of row {}: {:.17g} and {:.17g}", row_a, a.time[row_a], b.time[row_b]);
    }
    for (std::size_t k = 0; k < a.columns.size(); ++k) {
      if (same_bits(a.value(row_a, k), b.value(row_b, k))) continue;
      return fmt::format("{} at t = {:.17g}, row {}: {:.17g} and {:.17g}", a.columns[k].name, a.time[row_a], row_a,
                         a.value(row_a, k), b.value(row_b, k));
    }
    if (a.phase[row_a] != b.phase[row_b]) return fmt::format("the phases of row {}, t = {}", row_a, a.time[row_a]);
  }
  if (a.rows() - row_a != b.rows() - row_b) return fmt::format("the number of rows: {} and {}", a.rows(), b.rows());
  return {};
}

std::string difference_at_common_times(const sim::Recording& a, const sim::Recording& b) {
  if (a.rows() == 0 || b.rows() == 0) return a.rows() == b.rows() ? "" : "one of them has no rows";
  if (!same_bits(a.time.front(), b.time.front()) || !same_bits(a.time.back(), b.time.back())) return "the time range";
  const auto last_of_instant = [](const sim::Recording& r, std::size_t row) {
    while (row + 1 < r.rows() && r.time[row + 1] == r.time[row]) ++row;
    return row;
  };
  for (std::size_t row_a = 0, row_b = 0; row_a < a.rows() && row_b < b.rows();) {
    row_a = last_of_instant(a, row_a);
    row_b = last_of_instant(b, row_b);
    const double t_a = a.time[row_a], t_b = b.time[row_b];
    for (std::size_t k = 0; t_a == t_b && k < a.columns.size(); ++k) {
      if (same_bits(a.value(row_a, k), b.value(row_b, k))) continue;
      return fmt::format("{} at t = {:.17g}: {:.17g} and {:.17g}", a.columns[k].name, t_a, a.value(row_a, k),
                         b.value(row_b, k));
    }
    row_a += t_a <= t_b;
    row_b += t_b <= t_a;
  }
  return {};
}

std::string first_difference(const sim::Ledger& a, const sim::Ledger& b) {
  for (std::size_t k = 0; k < std::min(a.entries.size(), b.entries.size()); ++k) {
    const sim::LedgerEntry& x = a.entries[k];
    const sim::LedgerEntry& y = b.entries[k];
    if (!same_bits(x.time, y.time)) return fmt::format("event {}: at {:.17g} and {:.17g}", k, x.time, y.time);
    if (x.cause != y.cause || x.origin != y.origin || x.port != y.port) {
      return fmt::format("event {} at {:.17g}: its cause", k, x.time);
    }
    if (!same_bits(x.left, y.left) || !same_bits(x.right, y.right)) return fmt::format("event {}: its values", k);
  }
  if (a.entries.size() == b.entries.size()) return {};
  return fmt::format("the number of events: {} and {}", a.entries.size(), b.entries.size());
}

}  // namespace orrery::tests
