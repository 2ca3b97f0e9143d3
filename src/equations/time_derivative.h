// SPDX-License-Identifier: Apache-2.0
// Derivatives of expressions by time along the motion of a System.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "equations/system.h"
#include "passes/differentiate.h"
#include "passes/substitute.h"

namespace orrery::equations {

class TimeDerivative {
 public:
  // rate(variable): its derivative; asked for every variable that is met. It may add variables to the system.
  TimeDerivative(System& system, std::function<program::ExprId(VariableId)> rate);

  // d/dt of a scalar; no_expr where an operation has no derivative (a foreign call without partials, expm). What is no
  // variable of the system (modes, parameters, discrete values) stands still.
  program::ExprId of(program::ExprId expression);

 private:
  void prepare();

  System& system_;
  std::function<program::ExprId(VariableId)> rate_;
  program::SlotId time_;  // stands for time, to differentiate by
  passes::Substitution to_slot_{system_.program->graph}, to_time_{system_.program->graph};
  std::size_t known_variables_ = 0;
  std::vector<VariableId> variable_of_;  // by column; none: time, or no variable
  std::unique_ptr<passes::Gradients> gradients_;
};

}  // namespace orrery::equations
