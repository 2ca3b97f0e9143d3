// SPDX-License-Identifier: Apache-2.0
// Integrators with the step control that SUNDIALS has without any setting, for scripts whose printed steps others
// compare.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "solve/dae.h"
#include "solve/integrator.h"

namespace orrery::solve {

class PlainStepper {
 public:
  virtual ~PlainStepper() = default;
  // One step of the method's own size towards `aim`; with `stop` not beyond it.
  virtual Status step(double aim, bool stop) = 0;
  virtual double time() const = 0;
  virtual double previous_time() const = 0;
  virtual const double* state() const = 0;
  // Between previous_time() and time().
  virtual void interpolate(double t, double* x) = 0;
  std::string message;  // why step() failed
};

enum class PlainMethod { adams, bdf };  // of CVODE, with Newton's method and dense difference quotients

std::unique_ptr<PlainStepper> make_plain_cvode(PlainMethod method, Problem problem, double t, const double* x);
std::unique_ptr<PlainStepper> make_plain_ida(DaeProblem problem, double t, const double* x, const double* dx);
// Zonneveld's pair of orders 4 and 3 as ARKODE's ERKStep runs it by default: PID control of the step, cubic Hermite
// output.
std::unique_ptr<PlainStepper> make_plain_erk(Problem problem, double t, const double* x);

}  // namespace orrery::solve
