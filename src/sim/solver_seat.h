// SPDX-License-Identifier: Apache-2.0
// The integrator of a run: which one, how it is made, started and changed, and where in its last step the run is.
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/choose_solver.h"
#include "sim/trial_points.h"

namespace orrery::sim {

// Who says which solver it is.
enum class SolverRole : std::uint8_t { automatic, chosen };

// What the choice of a solver must know about the rest of a run.
struct SolverSurroundings {
  RestartShape restarts;
  bool undisturbed = false;  // nothing restarts the solver, looks into its steps or draws them
};

// Local tolerance for a tolerance the user asks for. Whoever asks for less than 1e-8 wants the digits at the end of the
// run, where local errors have added up: the tighter, the further below it the steps are kept, down to a hundredth.
inline double tightening(double relative) { return std::clamp(relative / 1e-8, 0.01, 1.0); }

class SolverSeat {
 public:
  // No solver: it is chosen when the run begins, and changed where the model turns out to be stiff.
  SolverSeat(RunContext& run, ModelFunctions& model, TrialPoints& trial, const solve::SolverInfo* solver);

  void set_surroundings(const SolverSurroundings& surroundings) { surroundings_ = surroundings; }
  void bound_steps(double longest) { longest_step_ = longest; }  // of the integrators to be made
  // As the solver gets it, but for what the choice of the solver adds.
  solve::Problem problem();
  // Chooses a solver if need be. False, with a diagnostic: there can be none.
  [[nodiscard]] bool make();
  bool is_made() const { return integrator_ != nullptr; }
  bool is_started() const { return started_; }
  // From the present time and states; the first time cold, later with the step size it had.
  [[nodiscard]] bool start();

  solve::Integrator& integrator() { return *integrator_; }
  const solve::SolverInfo* solver() const { return solver_; }

  // One step, not beyond the limit.
  [[nodiscard]] bool step(double limit) {
    if (integrator_->step(limit) != solve::Status::ok) return false;
    ++run_.report.mesh_points;
    step_end_ = integrator_->time();
    return true;
  }
  double step_end() const { return step_end_; }
  // After some steps: whether an explicit method is at the limit of its stability, and change() is due.
  void look_at_stability() {
    if (stiffness_) turned_stiff_ = stiffness_->look(*integrator_, run_.options.stop) || turned_stiff_;
  }
  bool turned_stiff() const { return turned_stiff_; }
  [[nodiscard]] bool change();

  // Inside the last step memory holds the state of the run's time, taken from the dense output.
  void go_to(double t) {
    run_.t = t;
    stale_ = false;
    if (t == step_end_) {
      std::copy_n(integrator_->state(), run_.machine.state_count(), run_.states());
    } else {
      integrator_->interpolate(t, run_.states());
    }
  }
  // The states of t are taken from the dense output when something asks for them.
  void move_to(double t) {
    run_.t = t;
    stale_ = true;
  }
  void freshen() {
    if (stale_) go_to(run_.t);
  }
  // The states at a time that is shown, of the last step where there is one.
  const double* states_at(double t);

  // The usual sizes of the states that a call has told; they belong to those among its results, one after the other.
  void take_nominals(const program::Call& call, const std::vector<double>& sizes);

  Flow report_failure();
  double newton_condition();
  void fill_in(Report& report) const;

  void save(class SaveWriter& out) const;
  // What `auto` chose in the saved run, not what it would choose now; makes the integrator if one is needed. After all
  // else was restored, restore_history() lets it go on where it was, or says that it has to start cold.
  [[nodiscard]] bool restore(class SaveReader& in, bool needed);
  [[nodiscard]] bool restore_history();

 private:
  void set_tolerances(solve::Problem& problem) const;
  void choose(const solve::Problem& problem);
  void prefer_high_order(const solve::Problem& problem);
  bool put(std::unique_ptr<solve::Integrator> integrator);
  std::unique_ptr<solve::Integrator> integrator_for(solve::Problem problem);
  std::unique_ptr<solve::Integrator> integrator_of(const solve::SolverInfo& solver, solve::Problem problem);
  bool takes_loops_over() const;  // whether the solver solves the loops of continuous time itself
  void keep_invariants(solve::Problem& problem);
  std::vector<int> states_of_surfaces() const;
  std::string limiting_states(const std::vector<long>& counts) const;

  RunContext& run_;
  ModelFunctions& model_;
  TrialPoints& trial_;
  SolverRole role_;
  const solve::SolverInfo* solver_;
  std::string reason_;
  SolverSurroundings surroundings_;
  std::unique_ptr<solve::Integrator> integrator_;
  bool started_ = false;                     // a later start keeps the step size
  bool rescaled_ = false;                    // the states have other sizes than the integrator was made with
  solve::Statistics earlier_;                // of the methods before the present one
  std::optional<StiffnessWatch> stiffness_;  // over an explicit method that `auto` chose
  bool turned_stiff_ = false;
  double longest_step_ = INFINITY;
  double step_end_ = 0;        // of the last step
  bool stale_ = false;         // memory holds the states of an earlier time: nothing has asked for those of now yet
  std::vector<double> shown_;  // states at a time that is shown
  std::vector<std::byte> history_;  // of a saved integrator, until it goes on
};

}  // namespace orrery::sim
