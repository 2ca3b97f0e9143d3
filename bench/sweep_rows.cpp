// SPDX-License-Identifier: Apache-2.0
// Sweeps of the Lorenz system: one thread, two, lanes; and how many runs searches save with exact gradients.
#include <fmt/format.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>

#include "api/optimise.h"
#include "api/sweep.h"
#include "base/folders_for_tests.h"
#include "bench.h"

namespace orrery::bench {
namespace {

// A tenth of the 100 000 runs that are asked for: the rate is the same.
constexpr std::size_t sweep_runs = 10'000;

struct Timed {
  double wall = INFINITY, cpu = INFINITY;
};

double process_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

std::vector<std::vector<double>> sweep_lorenz(int jobs, bool lanes, const char* solver, Timed& best) {
  api::SweepRequest request;
  request.run.file = source_folder() + "/examples/lorenz.orr";
  request.run.settings.stop.text = "20";
  request.run.settings.rtol.text = request.run.settings.atol.text = "1e-6";
  request.run.settings.solver.text = solver;
  request.samples = {"rho=uniform(20,30)", "sigma=uniform(8,12)"};
  request.samples_each = sweep_runs;
  request.keep = {"max(/Scope.z)", "final(/Scope.x)"};
  request.jobs = jobs;
  request.lanes = lanes;
  Diagnostics diagnostics;
  const auto begin = std::chrono::steady_clock::now();
  const double cpu = process_seconds();
  const api::SweepResult result = api::sweep(request, diagnostics);
  best.wall = std::min(best.wall, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  best.cpu = std::min(best.cpu, process_seconds() - cpu);
  expect_no_errors(diagnostics);
  return result.columns;
}

long simulations(const std::string& spec, bool differences) {
  api::OptimiseRequest request;
  request.spec = source_folder() + "/examples/optimise/" + spec + ".opt";
  request.differences = differences;
  request.fresh = true;
  request.kept = (std::filesystem::temp_directory_path() / fmt::format("orrery-bench-{}.points", ::getpid())).string();
  Diagnostics diagnostics;
  const api::OptimiseResult result = api::optimise(request, diagnostics);
  expect_no_errors(diagnostics);
  std::filesystem::remove(request.kept);
  return result.simulations;
}

}  // namespace

std::vector<Row> sweep_rows() {
  Timed one, two, lanes;
  std::vector<std::vector<double>> alone, together, vectors;
  for (int round = 0; round < 3; ++round) {
    alone = sweep_lorenz(1, false, "dopri", one);
    together = sweep_lorenz(2, false, "dopri", two);
    vectors = sweep_lorenz(1, true, "dopri", lanes);
  }
  print_heading("Sweeps");
  constexpr double count = sweep_runs;
  std::vector<Row> rows;
  rows.push_back(
      {.name = "Lorenz to t = 20, rtol 1e-6, a run of a sweep",
       .unit = "us",
       .orrery = 1e6 * one.cpu / count,
       .result = fmt::format("{:.0f} runs a second and core; two threads {:.2f} times as many by the clock, equal "
                             "bits",
                             count / one.cpu, one.wall / two.wall),
       .correct = alone == together});
  rows.push_back({.name = "the same in lanes, share of the time of single runs",
                  .unit = "",
                  .orrery = lanes.cpu / one.cpu,
                  .goal = 1 / 2.5,
                  .result = fmt::format("{:.2f} times as fast on one core, equal bits", one.cpu / lanes.cpu),
                  .correct = alone == vectors});
  for (const char* spec : {"car_100kmh", "motor"}) {
    const long exact = simulations(spec, false), differences = simulations(spec, true);
    rows.push_back({.name = fmt::format("runs of the search {}", spec),
                    .unit = "",
                    .orrery = static_cast<double>(exact),
                    .goal = static_cast<double>(differences),
                    .result = fmt::format("exact gradients {}, differences {}", exact, differences)});
  }
  for (const Row& row : rows) print(row);
  return rows;
}

}  // namespace orrery::bench
