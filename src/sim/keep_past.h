// SPDX-License-Identifier: Apache-2.0
// Keeps the histories of a run up to date: where time has come to, where the integrator starts anew.
#pragma once

#include <vector>

#include "sim/histories.h"
#include "sim/solver_seat.h"

namespace orrery::sim {

class KeptPast {
 public:
  KeptPast(RunContext& run, ModelFunctions& model, SolverSeat& seat, Histories& histories);

  bool empty() const { return histories_.empty(); }
  // With the parameters in memory, before the initial table. False, with a diagnostic: a delay makes no sense.
  [[nodiscard]] bool begin();
  // Time has come to where it is for good. To be called before anything changes there.
  void fill();
  // The integrator starts anew: the signals may have jumped or bent.
  void begin_stretches();
  // How far the next step may go: not beyond what is known of the past, and only a little beyond the next break of it.
  double limit(const SurfaceWatch& watch) const;

  // Before the solver is restored, which must know the smallest delay; point() when memory has been restored.
  void save(class SaveWriter& out) const;
  [[nodiscard]] bool restore(class SaveReader& in);
  bool point() {
    histories_.point(run_.memory.data());
    return true;
  }

 private:
  Histories::Times times() const;

  RunContext& run_;
  ModelFunctions& model_;
  SolverSeat& seat_;
  Histories& histories_;
  std::vector<std::uint32_t> steady_;  // surfaces of stretches whose ends are met at times known in advance
  std::vector<double> values_, x_;     // the kept signals; a state within the step
  bool warned_ = false;
};

}  // namespace orrery::sim
