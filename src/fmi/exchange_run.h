// SPDX-License-Identifier: Apache-2.0
// A run of a Model Exchange FMU with our integrators.
#pragma once

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "fmi/indicators.h"
#include "fmi/model_jacobian.h"
#include "fmi/run.h"
#include "solve/integrator.h"

namespace orrery::fmi {

class ExchangeRun {
 public:
  explicit ExchangeRun(Run& run);
  End run();

 private:
  enum class Next { go_on, stop, interrupted, failed };

  bool prepare();
  double relative_tolerance() const;
  bool choose_solver();
  bool read_nominals();
  bool make_integrator();
  bool replace_integrator();
  bool reconsider_solver();
  bool restart(double t, bool first);
  // Sets time, continuous inputs and states.
  Status place(double t, const double* x);
  static int derivative(double t, const double* x, double* dx, void* user);
  static int jacobian(double t, const double* x, double* values, void* user);
  static int code_of(Status status);

  // The event indicators at a time within the last step.
  bool indicate(double t, double* z);

  double next_target(double t) const;
  Next step();
  // As many as are made before somebody wants to know how far the run is.
  Next some_steps();
  bool step_integrator(double target);
  // The first state event up to t, where the solver is; t becomes its time.
  Indicators::Found find_state_event(double& t);
  Indicators::Found look_until(double end, double& t);  // in the interval that was not looked at yet
  // Rows of the grid before `end`; the FMU is left at some point within the step.
  bool record_grid(double end);
  void skip_grid(double t);
  double grid_time() const { return next_row_; }
  void to_row(long number);
  Next event(double t);
  bool too_many_events(double t);
  void drop_stale_time_event(double t);
  double next_time_event() const {
    return std::min(run_.events.next_time.value_or(std::numeric_limits<double>::infinity()), run_.next_tick());
  }

  Run& run_;
  Instance& fmu_;
  RunResult& result_;
  std::size_t n_ = 0, nz_ = 0;
  std::vector<double> x_, nominals_;
  const solve::SolverInfo* solver_ = nullptr;
  std::unique_ptr<solve::Integrator> integrator_;
  std::optional<ModelJacobian> jacobian_;
  bool exact_jacobian_ = false;
  std::optional<Indicators> indicators_;
  Status rhs_status_ = Status::ok;  // of the last failed evaluation
  double rounding_ = 0;
  double last_start_ = -std::numeric_limits<double>::infinity();  // the last start of the integrator
  double target_ = last_start_;  // not to be stepped over; new when it is reached and after every start
  long grid_ = 0;                // number of the next row of the grid, and its time
  double next_row_ = 0;
  double failed_at_ = -std::numeric_limits<double>::infinity();
  double crowd_begin_ = 0;  // events that follow each other without progress
  long crowd_ = 0;
  int repetitions_ = 0;  // of a time event that is not later than the last one
  bool warned_of_stale_events_ = false;
  solve::Statistics before_;  // of integrators that were replaced
  bool automatic_ = false;    // the solver may be changed
  long events_in_window_ = 0;
  solve::Statistics window_;  // when the solver was last looked at
};

}  // namespace orrery::fmi
