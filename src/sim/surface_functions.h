// SPDX-License-Identifier: Apache-2.0
// The surfaces of a model at a time and states, and how they move there.
#pragma once

#include <vector>

#include "sim/model_functions.h"
#include "sim/surface_watch.h"

namespace orrery::sim {

// Whether errors of the solver reach it.
bool depends_on_states(const program::Program& program, const program::Surface& surface);

// Modes are taken as memory has them.
class SurfaceFunctions {
 public:
  SurfaceFunctions(RunContext& run, ModelFunctions& model);

  void evaluate(double t, const double* x, double* g) {
    model_.settle(run_.machine.surface_loops(), t, x);
    run_.machine.surfaces()(t, x, g, run_.memory.data(), 0);
    if (model_.is_sliding()) model_.sliding()->replace(t, x, g);
  }
  // Values alone, kept until the next question.
  const double* values(double t, const double* x) {
    evaluate(t, x, g_.data());
    return g_.data();
  }
  // With rates along the solution, and the largest in this instant so far.
  SurfaceValues values_and_rates(double t, const double* x);
  // The same as they were found last.
  SurfaceValues last() const {
    const bool known = run_.machine.surface_rates() != nullptr;
    return known ? SurfaceValues{g_.data(), rates_.data(), speed_.data()} : SurfaceValues{g_.data()};
  }
  double* room() { return g_.data(); }  // for values that others find
  double* room_for_rates() { return rates_.data(); }
  double largest_rate(std::size_t surface) const { return speed_[surface]; }

 private:
  RunContext& run_;
  ModelFunctions& model_;
  std::vector<double> g_;
  std::vector<double> rates_;  // by surface: first, second, size of terms
  std::vector<double> speed_;  // the largest rate in the instant speed_at_
  double speed_at_ = NAN;
};

}  // namespace orrery::sim
