// SPDX-License-Identifier: Apache-2.0
// FMUs: time to the first result, Model Exchange against the same calls from C, calls into another process.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "bench.h"
#include "fmi/caller.h"
#include "fmi/launch.h"
#include "fmi/simulate.h"
#include "fmi/unpack.h"
#include "reference_models.h"

namespace orrery::bench {
namespace {

std::string test_fmu(const char* name) { return fmt::format("{}/{}.fmu", ORRERY_TEST_FMUS, name); }

// An undamped oscillator: x = cos t. A step costs what a long run takes more than a short one: opening the archive and
// reading its description belong to the start.
Row exchange_row(double stop) {
  constexpr double tolerance = 1e-6;
  Diagnostics diagnostics;
  const auto archive = fmi::Archive::open(test_fmu("oscillator_2"), diagnostics);
  const auto folder = fmi::TemporaryFolder::create(diagnostics);
  expect_no_errors(diagnostics);
  archive->unpack(
      folder->path(), [](std::string_view name) { return name.starts_with("binaries/"); }, diagnostics);
  expect_no_errors(diagnostics);
  const std::string library = folder->path() + "/binaries/linux64/oscillator.so";
  fmi::RunOptions options;
  options.kind = fmi::Kind::model_exchange;
  options.set = {{"d", "0"}};
  options.rtol = tolerance;
  reference_result ours{}, theirs{};
  const auto run = [&](double until) {
    options.stop = options.interval = until;
    const double start = cpu_seconds();
    const fmi::RunResult result = fmi::simulate(test_fmu("oscillator_2"), options);
    const double spent = cpu_seconds() - start;
    expect_no_errors(result.diagnostics);
    ours = {result.recording.numbers[result.recording.numbers.size() - 3], result.statistics.steps, 0};
    return spent;
  };
  const auto run_c = [&](double until) {
    const double start = cpu_seconds();
    theirs = reference_fmu(library.c_str(), until, 0.01 * tolerance, 0.01 * tolerance);
    return cpu_seconds() - start;
  };
  constexpr double part = 0.1;
  const auto seconds = medians({[&] { return run(stop * part); }, [&] { return run_c(stop * part); },
                                [&] { return run(stop); }, [&] { return run_c(stop); }});
  Row row{.name = "Model Exchange step, CVODE", .unit = "ns", .goal_c = 1.1};
  row.orrery = (seconds[2] - seconds[0]) * 1e9 / ((1 - part) * static_cast<double>(ours.steps));
  row.c = (seconds[3] - seconds[1]) * 1e9 / ((1 - part) * static_cast<double>(theirs.steps));
  const double difference = std::abs(ours.value - theirs.value);
  row.correct = difference < 1e-6 && std::abs(ours.steps - theirs.steps) <= theirs.steps / 50;
  row.result = fmt::format("differs by {:.1e}, {} steps (C {})", difference, ours.steps, theirs.steps);
  return row;
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
  add(exchange_row(5000));
  add(call_row());
  return rows;
}

}  // namespace orrery::bench
