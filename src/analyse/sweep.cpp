// SPDX-License-Identifier: Apache-2.0
// Handing out runs: a counter that threads, or processes by shared memory, take the next run from.
#include "analyse/sweep.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstring>
#include <new>
#include <optional>
#include <thread>

#include "base/signals.h"
#include "sim/selection.h"

namespace orrery::analyse {
namespace {

constexpr int most_jobs = 256;
constexpr std::size_t no_run = SIZE_MAX;

// What those who work share; it lies in memory that processes share as well.
struct Shared {
  std::atomic<std::size_t> next = 0, done = 0;
  std::atomic<int> error = 0;  // errno of a record that could not be written
  std::atomic<std::size_t> at[most_jobs];
};
static_assert(std::atomic<std::size_t>::is_always_lock_free);

// One who works: takes runs and makes them until there are none left.
class Worker {
 public:
  Worker(const Sweep& sweep, Shared& shared, int number)
      : sweep_(sweep),
        shared_(shared),
        number_(number),
        sink_(*sweep.reductions, sweep.keeps_rows),
        finish_(sweep.make_finish()),
        selection_(sink_, sweep.recorded) {
    options_ = sweep.options;
    options_.sinks = {&selection_};
    options_.interrupt = sweep.interrupt;
    options_.progress = {};
  }

  void work() {
    for (std::size_t run; (run = shared_.next.fetch_add(1)) < sweep_.plan->runs();) {
      if (stops()) break;
      shared_.at[number_].store(run);
      if (!sweep_.store->has(run) && !make(run)) break;
      shared_.done.fetch_add(1);
    }
    shared_.at[number_].store(no_run);
  }

 private:
  bool stops() const { return shared_.error.load() != 0 || (sweep_.interrupt != nullptr && sweep_.interrupt->load()); }

  // False: it was interrupted, or nothing can be recorded.
  bool make(std::size_t run) {
    sweep_.plan->values(run, values_);
    options_.parameters.resize(values_.size());
    for (std::size_t k = 0; k < values_.size(); ++k) options_.parameters[k] = {sweep_.plan->names()[k], {values_[k]}};
    Diagnostics diagnostics;
    sim::End end = sim::End::failed;
    sweep_.compiled->poll();
    if (auto simulation = sim::Simulation::create(sweep_.compiled, options_, diagnostics)) end = simulation->run();
    if (end == sim::End::interrupted) return false;
    outcome_.failure.clear();
    if (end == sim::End::failed) outcome_.failure = code_of(diagnostics);
    if (end == sim::End::restart) outcome_.failure = "wants-restart";
    outcome_.kept.assign(sweep_.columns, NAN);
    if (outcome_.failure.empty()) {
      sink_.reduced(reduced_);
      finish_(reduced_, sink_.rows(), outcome_.kept);
    }
    const int error = sweep_.store->write(run, outcome_);
    if (error != 0) shared_.error.store(error);
    return error == 0;
  }

  static std::string code_of(const Diagnostics& diagnostics) {
    for (const Diagnostic& diagnostic : diagnostics.all()) {
      if (diagnostic.severity == Severity::error) return diagnostic.code;
    }
    return "failed";
  }

  const Sweep& sweep_;
  Shared& shared_;
  int number_;
  KeepSink sink_;
  Sweep::Finish finish_;
  sim::Selection selection_;
  sim::RunOptions options_;
  std::vector<double> values_, reduced_;
  SweepOutcome outcome_;
};

void tell(const Sweep& sweep, const Shared& shared) {
  if (sweep.progress) sweep.progress(std::min(shared.done.load(), sweep.plan->runs()));
}

void on_threads(const Sweep& sweep, Shared& shared) {
  std::vector<std::thread> threads;
  std::atomic<int> alive = sweep.jobs;
  for (int k = 0; k < sweep.jobs; ++k) {
    threads.emplace_back([&, k] {
      Worker(sweep, shared, k).work();
      alive.fetch_sub(1);
    });
  }
  for (auto pause = std::chrono::milliseconds(1); alive.load() > 0;) {
    std::this_thread::sleep_for(pause);
    pause = std::min(2 * pause, std::chrono::milliseconds(100));
    tell(sweep, shared);
  }
  for (std::thread& thread : threads) thread.join();
}

pid_t start_process(const Sweep& sweep, Shared& shared, int number) {
  const pid_t child = ::fork();
  if (child != 0) return child;
  forget_sudden_ends();
  Worker(sweep, shared, number).work();
  ::_exit(0);
}

// A process that crashes is replaced; the run it was at is recorded as crashed.
void on_processes(const Sweep& sweep, Shared& shared) {
  std::vector<pid_t> processes(static_cast<std::size_t>(sweep.jobs), -1);
  for (int k = 0; k < sweep.jobs; ++k) processes[static_cast<std::size_t>(k)] = start_process(sweep, shared, k);
  const auto is_alive = [](pid_t process) { return process > 0; };
  while (std::any_of(processes.begin(), processes.end(), is_alive)) {
    for (int k = 0; k < sweep.jobs; ++k) {
      pid_t& process = processes[static_cast<std::size_t>(k)];
      int status = 0;
      if (process <= 0 || ::waitpid(process, &status, WNOHANG) != process) continue;
      process = -1;
      const std::size_t run = shared.at[k].load();
      if (WIFEXITED(status) || run == no_run || sweep.store->has(run)) continue;
      const bool asked = sweep.interrupt != nullptr && sweep.interrupt->load();
      if (asked) continue;
      const SweepOutcome crashed{std::vector<double>(sweep.columns, NAN), "crashed"};
      if (const int error = sweep.store->write(run, crashed); error != 0) shared.error.store(error);
      shared.done.fetch_add(1);
      process = start_process(sweep, shared, k);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    tell(sweep, shared);
  }
}

}  // namespace

SweepEnd make_runs(const Sweep& sweep, Diagnostics& diagnostics) {
  Sweep given = sweep;
  given.jobs = std::clamp(sweep.jobs, 1, most_jobs);
  const bool foreign = !sweep.compiled->program().foreign_objects.empty();
  void* memory = ::mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    diagnostics.error("out-of-memory", {}, std::strerror(errno), "close other programs");
    return SweepEnd::failed;
  }
  auto* shared = new (memory) Shared;
  for (auto& at : shared->at) at.store(no_run);
  if (foreign) {
    on_processes(given, *shared);
  } else {
    // Thousands of short runs are worth the C compiler, although none of them alone would be.
    sweep.compiled->request_second_tier();
    on_threads(given, *shared);
  }
  tell(given, *shared);
  const int error = shared->error.load();
  ::munmap(memory, sizeof(Shared));
  if (error != 0) {
    diagnostics.error("output-unwritable", {sweep.store->path(), 0, 0, {}, {}},
                      fmt::format("cannot be written: {}", std::strerror(error)),
                      "make room and repeat the command: it goes on where it stopped");
    return SweepEnd::failed;
  }
  const bool interrupted = sweep.interrupt != nullptr && sweep.interrupt->load();
  return interrupted ? SweepEnd::interrupted : SweepEnd::complete;
}

}  // namespace orrery::analyse
