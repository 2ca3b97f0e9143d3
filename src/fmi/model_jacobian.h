// SPDX-License-Identifier: Apache-2.0
// The matrix df/dx of a Model Exchange FMU: its pattern from the declared dependencies, its values from directional
// derivatives where the FMU offers them.
#pragma once

#include <vector>

#include "fmi/description.h"
#include "fmi/instance.h"
#include "solve/integrator.h"

namespace orrery::fmi {

class ModelJacobian {
 public:
  // states: the number the instance reports.
  ModelJacobian(const Description& description, Instance& instance, std::size_t states);

  // Empty (n = 0): unknown, all may depend on all.
  const solve::Sparsity& pattern() const { return pattern_; }
  // One trial at the current point, as flags lie now and then.
  bool usable();
  // At the point the instance is set to; values in the order of the pattern.
  Status evaluate(double* values);

 private:
  void find_pattern(const Description& description);
  void colour();

  Instance& instance_;
  std::size_t n_;
  bool named_ = false;  // the references of all states and derivatives are known, and they are scalars
  std::vector<ValueReference> states_, derivatives_;
  solve::Sparsity pattern_;
  struct Group {
    std::vector<ValueReference> states;
    std::vector<double> seed;
    std::vector<std::size_t> columns;
  };
  std::vector<Group> groups_;  // columns that share no row
  std::vector<double> result_;
};

}  // namespace orrery::fmi
