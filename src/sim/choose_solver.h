// SPDX-License-Identifier: Apache-2.0
// What `auto` does: structure, events and a few trial steps decide at the start; a watch over the steps decides later.
#pragma once

#include <string>

#include "solve/integrator.h"
#include "solve/spectral_radius.h"

namespace orrery::sim {

struct SolverChoice {
  const solve::SolverInfo* solver;
  std::string reason;
};

// What makes the integrator start anew during a run.
struct RestartShape {
  double ticks = 0;           // of clocks that disturb states, within the horizon
  bool state_events = false;  // crossings may, as often as they like
};

// The problem is that of the initial instant with fixed modes; x is the initial state.
SolverChoice choose_solver(const solve::Problem& problem, const RestartShape& shape, double start, double stop,
                           const double* x);

// The method for a problem that has turned out to be stiff.
SolverChoice choose_stiff_solver(const solve::Problem& problem, const RestartShape& shape);

// Looks at the steps of an explicit method: are they at the limit of its stability, and for good?
class StiffnessWatch {
 public:
  // The limit: step times spectral radius where the method is near the end of its stability (dopri: at about 3.3,
  // dopri853: at about 6).
  StiffnessWatch(const solve::Problem& problem, bool high_order) : radius_(problem), limit_(high_order ? 4.0 : 2.2) {}
  // After each step, or each few; true: stability has limited the steps for a while, and many are still to come.
  bool look(const solve::Integrator& integrator, double stop);

 private:
  solve::SpectralRadius radius_;
  double limit_;
  long next_ = 10;  // the number of steps after which to look again
  long interval_ = 10;
  int agreeing_ = 0;
};

}  // namespace orrery::sim
