// SPDX-License-Identifier: Apache-2.0
// Coordinate projection: the move that brings a state back onto the manifold of its constraints.
#pragma once

#include <memory>
#include <vector>

#include "solve/integrator.h"

namespace orrery::solve {

// What a failed projection is called in a Failure.
inline constexpr const char* off_constraints = "the state cannot be brought back to its constraints";

class Projector {
 public:
  // nullptr: the problem has no constraints.
  static std::unique_ptr<Projector> make(const Problem& problem);

  // Moves x until the last move is well below the tolerance. 0: done; > 0: not possible from here; < 0: failed. x is
  // changed only on success; move() is then the sum of the moves.
  int project(double t, double* x);
  const std::vector<double>& move() const { return move_; }
  // Takes the part out of an error estimate that leads off the manifold, at the point last projected; only for
  // constraints that are given as residuals.
  void project_error(double* error) const;
  bool projects_errors() const { return projection_.residual != nullptr; }

 private:
  explicit Projector(const Problem& problem);
  int correction(double t, const double* x, double* step);
  // The smallest step, in units of the tolerance, that solves the linearised constraints.
  int smallest_step(double t, const double* x, double* step);

  struct Linear;
  struct FreeLinear {
    void operator()(Linear* linear) const;
  };

  Projection projection_;
  Tolerance tolerance_;
  int n_;
  std::vector<double> trial_, move_, step_, scale_, residual_, moved_residual_;
  std::unique_ptr<Linear, FreeLinear> linear_;
};

}  // namespace orrery::solve
