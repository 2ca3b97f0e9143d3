// SPDX-License-Identifier: Apache-2.0
// FMUs: time to the first result, steps against the same calls from C, calls into another process.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <functional>
#include <optional>
#include <utility>

#include "api/fmu_run.h"
#include "base/folders_for_tests.h"
#include "bench.h"
#include "fmi/caller.h"
#include "fmi/launch.h"
#include "fmi/unpack.h"
#include "reference_models.h"

namespace orrery::bench {
namespace {

std::string test_fmu(const char* name) { return fmt::format("{}/{}.fmu", test_fmu_folder(), name); }

// The library of an FMU, unpacked for C.
class Library {
 public:
  explicit Library(const std::string& model) {
    Diagnostics diagnostics;
    const auto archive = fmi::Archive::open(test_fmu((model + "_2").c_str()), diagnostics);
    folder_ = fmi::TemporaryFolder::create(diagnostics);
    expect_no_errors(diagnostics);
    archive->unpack(
        folder_->path(), [](std::string_view name) { return name.starts_with("binaries/"); }, diagnostics);
    expect_no_errors(diagnostics);
    path_ = folder_->path() + "/binaries/linux64/" + model + ".so";
  }
  const char* path() const { return path_.c_str(); }

 private:
  decltype(fmi::TemporaryFolder::create(std::declval<Diagnostics&>())) folder_;
  std::string path_;
};

// What a run gives, and the seconds it takes.
using Run = std::function<reference_result(double until)>;
// A step costs what a long run takes more than a short one: opening the archive and reading its description belong to
// the start. Runs are short and the best of many counts, because others use the machine.
// `alike`: how far the numbers of steps may be apart, as a part of them.
Row step_row(const std::string& name, std::optional<double> goal, double stop, const Run& ours, const Run& theirs,
             double alike = 0.02) {
  constexpr double part = 0.1;
  constexpr int rounds = 40;
  constexpr double enough_seconds = 4;
  reference_result our_end{}, their_end{};
  std::array<double, 4> seconds;
  seconds.fill(INFINITY);
  const auto time = [](const Run& run, double until, reference_result& result, double& best) {
    const double begin = cpu_seconds();
    result = run(until);
    best = std::min(best, cpu_seconds() - begin);
  };
  const double start = cpu_seconds();
  for (int round = 0; round < rounds && (round < 5 || cpu_seconds() - start < enough_seconds); ++round) {
    time(ours, stop * part, our_end, seconds[0]);
    time(theirs, stop * part, their_end, seconds[1]);
    time(ours, stop, our_end, seconds[2]);
    time(theirs, stop, their_end, seconds[3]);
  }
  Row row{.name = name, .unit = "ns", .goal_c = goal};
  row.orrery = (seconds[2] - seconds[0]) * 1e9 / ((1 - part) * static_cast<double>(our_end.steps));
  row.c = (seconds[3] - seconds[1]) * 1e9 / ((1 - part) * static_cast<double>(their_end.steps));
  const double difference = std::abs(our_end.value - their_end.value);
  const auto apart = static_cast<double>(std::abs(our_end.steps - their_end.steps));
  row.correct = difference < 1e-6 && apart <= alike * static_cast<double>(their_end.steps);
  row.result = fmt::format("differs by {:.1e}, {} steps (C {})", difference, our_end.steps, their_end.steps);
  return row;
}

constexpr double step_tolerance = 1e-8;
constexpr int damping = 4;  // of the oscillator: without it x = cos t for ever

fmi::RunOptions undamped(const std::string& model) {
  fmi::RunOptions options;
  options.rtol = options.atol = step_tolerance;
  options.solver = "cvode-bdf-newton";
  if (model == "oscillator") options.set = {{"d", "0"}};
  return options;
}

double last_row(const api::FmuRunResult& result) {
  return result.recording.numbers[result.recording.numbers.size() - result.recording.numbers_per_row];
}

Row exchange_row(const std::string& name, const std::string& model, int states, int indicators, double stop) {
  const Library library(model);
  const Run ours = [&](double until) {
    fmi::RunOptions options = undamped(model);
    options.kind = fmi::Kind::model_exchange;
    options.stop = options.interval = until;
    options.hmax = until / 50;
    const api::FmuRunResult result = api::run_fmu(test_fmu((model + "_2").c_str()), options);
    expect_no_errors(result.diagnostics);
    return reference_result{last_row(result), result.statistics.steps, 0};
  };
  const reference_fmu_case what{library.path(), states, indicators, model == "oscillator" ? damping : -1};
  // A long chain without damping, on which BDF of higher order is not stable: roundings, those of a sparse matrix
  // instead of a dense one for example, decide how far steps grow.
  const double alike = states > 10 ? 0.05 : 0.02;
  return step_row(
      name, 1.15, stop, ours, [&](double until) { return reference_fmu(&what, until, step_tolerance); }, alike);
}

// The same oscillator as a block of a diagram, with a sink.
Row block_row(double stop) {
  const Library library("oscillator");
  const Run ours = [&](double until) {
    Compiled compiled = compile_diagram(fmt::format(R"({{"orrery": 1, "name": "block", "blocks": [
        {{"name": "F", "type": "FMU", "parameters": {{"fmu": "'{}'", "start": "{{'d', 0}}"}}}},
        {{"name": "S", "type": "Scope"}}], "links": [{{"from": "F:1", "to": ["S:1"]}}]}})",
                                                    test_fmu("oscillator_2")));
    compiled.settings.record = true;
    compiled.settings.solver = "cvode-bdf-newton";
    compiled.settings.stop = compiled.settings.interval = until;
    compiled.settings.hmax = until / 50;
    compiled.settings.rtol = compiled.settings.atol = step_tolerance;
    api::Run run = compiled.start();
    run.run();
    expect_no_errors(run.diagnostics());
    const api::Results results = run.results();
    return reference_result{results.value(results.rows() - 1, 0), run.report().steps, 0};
  };
  const reference_fmu_case what{library.path(), 2, 0, damping};
  return step_row("FMU block, step of CVODE", {}, stop, ours,
                  [&](double until) { return reference_fmu(&what, until, step_tolerance); });
}

// A step of Co-Simulation and a row of the outputs.
Row stepping_row(double stop) {
  constexpr double h = 1e-3;
  const Library library("oscillator");
  const Run ours = [&](double until) {
    fmi::RunOptions options = undamped("oscillator");
    options.kind = fmi::Kind::co_simulation;
    options.stop = until;
    options.step = options.interval = h;
    const api::FmuRunResult result = api::run_fmu(test_fmu("oscillator_2"), options);
    expect_no_errors(result.diagnostics);
    return reference_result{last_row(result), result.counts.communication_steps, 0};
  };
  const reference_fmu_case what{library.path(), 2, 0, damping};
  return step_row("Co-Simulation step and row", {}, stop, ours,
                  [&](double until) { return reference_fmu_steps(&what, h, std::lround(until / h)); });
}

// Wall time, as two processes share the work; the best of twenty batches, because others use the machine.
Row call_row() {
  constexpr int calls = 5000;
  Diagnostics diagnostics;
  const std::string file = test_fmu("dahlquist_2");
  const auto archive = fmi::Archive::open(file, diagnostics);
  expect_no_errors(diagnostics);
  const auto xml = archive->read("modelDescription.xml", diagnostics);
  const auto description = fmi::read_description(xml.value_or(""), file, diagnostics);
  expect_no_errors(diagnostics);
  fmi::Log log(*description, file);
  fmi::LaunchOptions options;
  options.safe = true;
  const auto fmu = fmi::launch(*archive, *description, log, options, diagnostics);
  expect_no_errors(diagnostics);
  Row row{.name = "call into another process", .unit = "us", .goal = 5, .result = "wall time, best of 20 batches"};
  const fmi::ValueReference reference = 0;
  double best = INFINITY, value = 0;
  for (int batch = 0; batch < 20; ++batch) {
    const auto start = std::chrono::steady_clock::now();
    for (int k = 0; k < calls; ++k) {
      row.correct = fmi::succeeded(fmu->get_numbers(fmi::Type::float64, {&reference, 1}, {&value, 1})) && row.correct;
    }
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  row.correct = row.correct && value == 1;
  row.orrery = best * 1e6 / calls;
  return row;
}

}  // namespace

std::vector<Row> fmu_rows() {
  print_heading("FMUs");
  std::vector<Row> rows;
  const auto add = [&rows](Row row) {
    print(row);
    rows.push_back(std::move(row));
  };
  const std::string ball = test_fmu("bouncing_ball_2");
  add(wall_row("orrery run bouncing_ball.fmu", {"run", ball, "--stop", "1", "--out", "/dev/stdout"}, 60));
  add(wall_row("the same with --safe", {"run", ball, "--stop", "1", "--out", "/dev/stdout", "--safe"}, 60));
  add(exchange_row("Model Exchange step, CVODE", "oscillator", 2, 0, 2000));
  add(exchange_row("with 4 event indicators", "masses_1", 2, 4, 1500));
  add(exchange_row("with 100 states", "masses_50", 100, 4, 3000));
  add(block_row(2000));
  add(stepping_row(50));
  add(call_row());
  return rows;
}

}  // namespace orrery::bench
