// SPDX-License-Identifier: Apache-2.0
// What a run leaves behind: which moments become rows of the recording (docs/semantics.md, 11), and the event ledger.
#pragma once

#include <limits>
#include <vector>

#include "sim/ledger_stream.h"
#include "sim/modes.h"
#include "sim/recorder.h"
#include "sim/row_refiner.h"
#include "sim/solver_seat.h"

namespace orrery::sim {

class RunResults {
 public:
  RunResults(RunContext& run, ModelFunctions& model, TrialPoints& trial, Modes& modes, SolverSeat& seat,
             const SurfaceWatch& watch);

  bool records() const { return recorder_.active(); }
  bool saw_not_finite() const { return recorder_.saw_not_finite(); }
  bool draws_steps() const { return recorder_.active() && run_.options.interval <= 0; }
  // Rows, if any, are those of a grid, wherever curves bend.
  bool is_on_grid() const { return !recorder_.active() || (run_.options.interval > 0 && !refiner_.active()); }
  // Whether an event of this table makes rows: one of its probes is activated, or something that continuous ones read
  // may change.
  bool will_show(const TableCode& table);
  bool may_show(const TableCode& table) const { return table.shows && recorder_.active() && !run_.options.grid_only; }

  // A row of now.
  void take_row(Phase phase);
  // The same where there is something continuous to show: what is only activated by events has its rows there and
  // nowhere else.
  void show(Phase phase);
  // Rows of the grid in [from, to), within the last step, and others where a curve needs them. A row of the grid that
  // falls on an event shows what the event has left.
  void record_between(double from, double to);
  double next_row_time() const {
    const std::vector<double>& times = run_.options.row_times;
    if (times.empty()) return run_.options.start + static_cast<double>(next_row_) * run_.options.interval;
    const auto row = static_cast<std::size_t>(next_row_);
    return row < times.size() ? times[row] : std::numeric_limits<double>::infinity();
  }
  // What is shown, at a time and states.
  void evaluate_always(double t, const double* x);

  bool lists_events() const { return run_.options.record_events; }
  void list(const LedgerEntry& entry) {
    if (run_.options.record_events) ledger_.entries.push_back(entry);
  }

  // Now and then, hands out what has come together. False: there is no room for more, or nobody takes it.
  [[nodiscard]] bool hand_out();
  // At the end of a stretch of the run; false as above, with a diagnostic.
  [[nodiscard]] bool finish(bool whole);
  bool asks_for_too_much() const;
  Flow report_too_large();

  const Recording& recording() const { return recorder_.recording(); }
  Recording release() { return recorder_.release(); }
  const Ledger& ledger() const { return ledger_; }
  void fill_in(Report& report) const;
  void save(class SaveWriter& out) const;
  [[nodiscard]] bool restore(class SaveReader& in);

 private:
  bool is_too_large() const;
  void run_always(double t, const double* x);
  bool misses_values() const;
  void evaluate_shown(double t);
  void refine(double from, double to);
  void warn_about_rows();

  RunContext& run_;
  ModelFunctions& model_;
  TrialPoints& trial_;
  Modes& modes_;
  SolverSeat& seat_;
  const SurfaceWatch& watch_;
  Recorder recorder_;
  RowRefiner refiner_;
  std::int64_t next_row_ = 0;  // of the grid
  bool warned_of_curves_ = false;
  KeptModes held_;  // while something is shown with modes of its own
  Ledger ledger_;
  LedgerStream ledger_stream_;
};

}  // namespace orrery::sim
