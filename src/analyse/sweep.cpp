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

#include "analyse/lanes.h"
#include "base/signals.h"
#include "program/procedure.h"
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

// What lanes need to know: their code, and what a run shows.
struct LaneSetup {
  std::shared_ptr<const LaneCode> code;
  std::vector<sim::Column> columns;
};

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

  // The next run that is not there yet; no_run: there is none, or it is time to stop.
  std::size_t next() {
    for (std::size_t run; (run = shared_.next.fetch_add(1)) < sweep_.end;) {
      if (stops()) break;
      if (!sweep_.store->has(run)) return run;
      shared_.done.fetch_add(1);
    }
    return no_run;
  }

  void work() {
    for (std::size_t run; (run = shared_.next.fetch_add(1)) < sweep_.end;) {
      if (stops()) break;
      shared_.at[number_].store(run);
      if (!sweep_.store->has(run) && !make(run)) break;
      shared_.done.fetch_add(1);
    }
    shared_.at[number_].store(no_run);
  }

  void work_in_lanes(const LaneSetup& setup) {
    setup_ = &setup;
    LaneRuns lanes(*setup.code, options_.start, options_.stop);
    std::vector<std::unique_ptr<Lane>> each;
    for (int k = 0; k < lane_count; ++k) each.push_back(std::make_unique<Lane>(*sweep_.reductions));
    bool good = true;
    for (int k = 0; k < lane_count; ++k) fill(lanes, k, *each[static_cast<std::size_t>(k)], next());
    const bool all_rows = sink_.needs_all_rows();
    while (good) {
      bool any = false;
      for (int k = 0; k < lane_count; ++k) any = any || lanes.is_busy(k);
      if (!any || stops()) break;
      const auto& events = lanes.advance();
      const bool shows = std::any_of(events.begin(), events.end(), [all_rows](LaneRuns::Event event) {
        return event == LaneRuns::Event::finished || (all_rows && event == LaneRuns::Event::stepped);
      });
      const double(*shown)[lane_count] = shows ? lanes.show() : nullptr;
      for (int k = 0; k < lane_count && good; ++k) {
        Lane& lane = *each[static_cast<std::size_t>(k)];
        const LaneRuns::Event event = events[static_cast<std::size_t>(k)];
        if (event == LaneRuns::Event::none || (event == LaneRuns::Event::stepped && !all_rows)) continue;
        if (event == LaneRuns::Event::failed) {
          good = make(lane.run);  // again, alone: that knows what to say
        } else {
          take_row(lane, lanes.time(k), shown, k);
          if (event == LaneRuns::Event::stepped) continue;
          good = finish(lane);
        }
        shared_.done.fetch_add(1);
      }
      for (int k = 0; k < lane_count && good; ++k) {
        if (!lanes.is_busy(k) && each[static_cast<std::size_t>(k)]->run != no_run)
          fill(lanes, k, *each[static_cast<std::size_t>(k)], next());
      }
    }
  }

  // Makes one run alone, and again in a lane. Whether both are the same to the last bit; nothing: it was interrupted,
  // or nothing can be recorded.
  std::optional<bool> rehearse(std::size_t run, LaneSetup& setup, std::string& why) {
    if (!make(run)) return std::nullopt;
    shared_.done.fetch_add(1);
    if (!outcome_.failure.empty()) return why = "its first run fails", false;
    const SweepOutcome alone = outcome_;
    setup.columns = sink_.columns();
    setup_ = &setup;
    std::vector<std::uint32_t> probes;
    for (const sim::Column& column : setup.columns) probes.push_back(column.probe);
    if (sweep_.keeps_rows) return why = "whole signals are kept", false;
    setup.code = LaneCode::make(*sweep_.compiled, options_, probes, why);
    if (setup.code == nullptr) return false;
    LaneRuns lanes(*setup.code, options_.start, options_.stop);
    Lane lane(*sweep_.reductions);
    fill(lanes, 0, lane, run);
    while (lanes.is_busy(0)) {
      const LaneRuns::Event event = lanes.advance()[0];
      if (event == LaneRuns::Event::failed) return why = "its first run fails in a lane", false;
      if (event != LaneRuns::Event::none) take_row(lane, lanes.time(0), lanes.show(), 0);
      if (stops()) return std::nullopt;
    }
    reduce(lane);
    if (std::memcmp(alone.kept.data(), outcome_.kept.data(), 8 * alone.kept.size()) == 0) return true;
    why = "its first run has other results in a lane, as another solver was chosen for it";
    return false;
  }

 private:
  struct Lane {
    explicit Lane(const std::vector<SignalReduction>& reductions) : sink(reductions, false) {}
    KeepSink sink;
    std::size_t run = no_run;
    std::vector<double> row;
  };

  void fill(LaneRuns& lanes, int k, Lane& lane, std::size_t run) {
    lane.run = run;
    if (run == no_run) return;
    set_parameters_of(run);
    const sim::CompiledProgram& compiled = *sweep_.compiled;
    std::vector<std::byte>& memory = start_memory_;
    memory = program::initial_memory(compiled.program(), compiled.layout());
    sim::set_parameters(compiled.program(), options_.parameters, compiled.layout(), memory.data());
    compiled.run_start(options_.start, memory.data());
    results_.resize(compiled.output_size() + 1);
    compiled.table_function(0)(options_.start, reinterpret_cast<const double*>(memory.data()), results_.data(),
                               memory.data(), 0);
    lanes.begin(k, memory.data());
    const sim::StreamHead head{compiled.program(), options_, setup_->columns};
    (void)lane.sink.begin(head);
    lane.row.resize(setup_->columns.size());
    take_row(lane, options_.start, lanes.show(), k);
  }

  void take_row(Lane& lane, double t, const double (*shown)[lane_count], int k) {
    for (std::size_t c = 0; c < lane.row.size(); ++c) lane.row[c] = shown[c][k];
    const sim::Phase phase = sim::Phase::mesh;
    const sim::Block block{setup_->columns, 0, {&t, 1}, {&phase, 1}, lane.row.data(), false};
    (void)lane.sink.rows(block);
  }

  void reduce(const Lane& lane) {
    outcome_.failure.clear();
    outcome_.kept.assign(sweep_.columns, NAN);
    lane.sink.reduced(reduced_);
    finish_(reduced_, lane.sink.rows(), outcome_.kept);
  }

  bool finish(const Lane& lane) {
    reduce(lane);
    const int error = sweep_.store->write(lane.run, outcome_);
    if (error != 0) shared_.error.store(error);
    return error == 0;
  }

  void set_parameters_of(std::size_t run) {
    sweep_.plan->values(run, values_);
    options_.parameters.resize(values_.size());
    for (std::size_t k = 0; k < values_.size(); ++k) options_.parameters[k] = {sweep_.plan->names()[k], {values_[k]}};
  }

  bool stops() const { return shared_.error.load() != 0 || (sweep_.interrupt != nullptr && sweep_.interrupt->load()); }

  // False: it was interrupted, or nothing can be recorded.
  bool make(std::size_t run) {
    set_parameters_of(run);
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
  std::vector<double> values_, reduced_, results_;
  std::vector<std::byte> start_memory_;
  SweepOutcome outcome_;
  const LaneSetup* setup_ = nullptr;
};

void tell(const Sweep& sweep, const Shared& shared) {
  if (sweep.progress) sweep.progress(std::min(shared.done.load(), sweep.end - sweep.begin));
}

void on_threads(const Sweep& sweep, Shared& shared, const LaneSetup* lanes) {
  std::vector<std::thread> threads;
  std::atomic<int> alive = sweep.jobs;
  for (int k = 0; k < sweep.jobs; ++k) {
    threads.emplace_back([&, k] {
      Worker worker(sweep, shared, k);
      if (lanes != nullptr)
        worker.work_in_lanes(*lanes);
      else
        worker.work();
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

// False, and a warning: all runs are made one by one.
bool prepare_lanes(const Sweep& sweep, Shared& shared, LaneSetup& setup, Diagnostics& diagnostics) {
  Worker worker(sweep, shared, 0);
  const std::size_t run = worker.next();
  if (run == no_run) return false;
  std::string why;
  const std::optional<bool> same = worker.rehearse(run, setup, why);
  if (same && !*same) {
    diagnostics.warning("no-lanes", {sweep.compiled->program().origins[0].path, 0, 0, {}, {}},
                        "the model is not run in lanes: " + why, "its runs are made one by one, as without --lanes");
  }
  return same.value_or(false);
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
  given.end = std::min(sweep.end, sweep.plan->runs());
  given.begin = std::min(sweep.begin, given.end);
  const bool foreign = !sweep.compiled->program().foreign_objects.empty();
  void* memory = ::mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    diagnostics.error("out-of-memory", {}, std::strerror(errno), "close other programs");
    return SweepEnd::failed;
  }
  auto* shared = new (memory) Shared;
  for (auto& at : shared->at) at.store(no_run);
  shared->next.store(given.begin);
  if (foreign) {
    on_processes(given, *shared);
  } else {
    // Thousands of short runs are worth the C compiler, although none of them alone would be.
    sweep.compiled->request_second_tier();
    LaneSetup lanes;
    const bool use_lanes = sweep.lanes && prepare_lanes(given, *shared, lanes, diagnostics);
    on_threads(given, *shared, use_lanes ? &lanes : nullptr);
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
