// SPDX-License-Identifier: Apache-2.0
// Many short runs of one compiled model, on one thread and on two.
#include <fmt/format.h>

#include <chrono>
#include <thread>

#include "api/session.h"
#include "base/folders_for_tests.h"
#include "bench.h"

namespace orrery::bench {
namespace {

constexpr int runs = 10'000;

double wall_seconds(const std::function<void()>& call) {
  const auto begin = std::chrono::steady_clock::now();
  call();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

void run_many(const std::shared_ptr<const sim::CompiledProgram>& compiled, const sim::RunOptions& options, int count) {
  for (int k = 0; k < count; ++k) {
    Diagnostics diagnostics;
    const auto run = sim::Simulation::create(compiled, options, diagnostics);
    run->run();
    expect_no_errors(diagnostics);
  }
}

}  // namespace

std::vector<Row> run_rows() {
  api::RunRequest request;
  request.file = source_folder() + "/examples/bouncing_ball.orr";
  Diagnostics diagnostics;
  auto prepared = api::prepare(request, diagnostics);
  expect_no_errors(diagnostics);
  prepared->program.probes.clear();
  sim::RunOptions options = api::options_of(prepared->settings);
  options.stop = 5;
  options.native.wait_for_second = true;
  const auto compiled = sim::CompiledProgram::create(std::move(prepared->program), options.native, diagnostics);
  expect_no_errors(diagnostics);
  const double one = wall_seconds([&] { run_many(compiled, options, runs); });
  const double two = wall_seconds([&] {
    std::thread other([&] { run_many(compiled, options, runs); });
    run_many(compiled, options, runs);
    other.join();
  });
  print_heading("Many runs of one compiled model: wall time");
  std::vector<Row> rows;
  rows.push_back(
      {.name = "bouncing ball to t = 5, a run",
       .unit = "us",
       .orrery = 1e6 * one / runs,
       .goal = 50,
       .result = fmt::format("{:.0f} runs a second; on two threads {:.2f} times as many", runs / one, 2 * one / two)});
  for (const Row& row : rows) print(row);
  return rows;
}

}  // namespace orrery::bench
