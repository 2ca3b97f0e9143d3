// SPDX-License-Identifier: Apache-2.0
// Many short runs of one compiled model, with another parameter each, on one thread and on two.
#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <thread>

#include "api/model.h"
#include "api/run.h"
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

// Of this thread.
double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// Height and speed at the end of every run from `first` on, each with an e of its own, and the CPU time of a run.
struct Batch {
  std::vector<double> ends;
  double cpu = 0;
};

Batch run_many(const api::CompiledModel& compiled, const api::RunSettings& settings, int first, int stride) {
  Batch batch;
  api::Run run = compiled.start(settings);
  const double begin = thread_seconds();
  int count = 0;
  for (int k = first; k < runs; k += stride, ++count) {
    run.reset();
    run.set_parameter("e", 0.6 + 0.3 * k / runs);
    run.run();
    expect_no_errors(run.diagnostics());
    const std::vector<double> end = run.values("/Ball");
    batch.ends.insert(batch.ends.end(), end.begin(), end.end());
  }
  batch.cpu = (thread_seconds() - begin) / count;
  return batch;
}

// How much more two threads compute than one when they share nothing at all: what the machine gives.
double arithmetic_on_two_threads() {
  constexpr int turns = 10'000'000;
  const auto work = [](double& result) {
    double x[8] = {1, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.7};
    for (int k = 0; k < turns; ++k) {
      for (double& element : x) element = element * 0.999999 + 1e-7;
    }
    result = x[0] + x[1] + x[2] + x[3] + x[4] + x[5] + x[6] + x[7];
  };
  double first = 0, second = 0;
  const double one = wall_seconds([&] {
    work(first);
    work(second);
  });
  const double two = wall_seconds([&] {
    std::thread other([&] { work(second); });
    work(first);
    other.join();
  });
  return first == second ? one / two : 0;
}

// Whether two threads have found, to the last bit, what one has.
bool same(const Batch& all, const Batch& even, const Batch& odd) {
  for (std::size_t k = 0; k < all.ends.size(); ++k) {
    const std::size_t run = k / 2, at = 2 * (run / 2) + k % 2;
    if (all.ends[k] != (run % 2 == 0 ? even : odd).ends[at]) return false;
  }
  return true;
}

}  // namespace

std::vector<Row> run_rows() {
  Diagnostics diagnostics;
  const auto model = api::Model::open(source_folder() + "/examples/bouncing_ball.orr", diagnostics);
  expect_no_errors(diagnostics);
  const auto compiled = model->compile({.vary = {"e"}, .native = api::NativeCode::second}, diagnostics);
  expect_no_errors(diagnostics);
  api::RunSettings settings = compiled->settings();
  settings.stop = 5;
  settings.record = false;
  // The best of some rounds, in turn: others use the machine.
  constexpr int rounds = 6;
  Batch alone, even, odd;
  double one = INFINITY, two = INFINITY, apart = 0;
  for (int round = 0; round < rounds; ++round) {
    one = std::min(one, wall_seconds([&] { alone = run_many(*compiled, settings, 0, 1); }));
    two = std::min(two, wall_seconds([&] {
                     std::thread other([&] { odd = run_many(*compiled, settings, 1, 2); });
                     even = run_many(*compiled, settings, 0, 2);
                     other.join();
                   }));
    apart = std::max(apart, arithmetic_on_two_threads());
  }
  if (!same(alone, even, odd)) {
    fmt::print(stderr, "runs on two threads give other results\n");
    std::exit(1);
  }
  print_heading("Many runs of one compiled model, another parameter each");
  const double together = std::max(even.cpu, odd.cpu);
  std::vector<Row> rows;
  rows.push_back(
      {.name = "bouncing ball to t = 5, a run",
       .unit = "us",
       .orrery = 1e6 * alone.cpu,
       .goal = 50,
       .result = fmt::format("{:.0f} runs a second and core; two threads: {:.2f} times as many by the clock, "
                             "{:.2f} by CPU time; equal bits; arithmetic alone: {:.2f} times as much",
                             1 / alone.cpu, one / two, 2 * alone.cpu / together, apart)});
  for (const Row& row : rows) print(row);
  return rows;
}

}  // namespace orrery::bench
