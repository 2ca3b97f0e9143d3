// SPDX-License-Identifier: Apache-2.0
// The matrix df/dx of a Model Exchange FMU: its pattern from the declared dependencies, its values from directional
// derivatives where the FMU offers them.
#pragma once

#include <span>
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
  // One trial, as flags lie now and then: the derivatives must come and agree roughly with a difference. Leaves the
  // instance at the states x.
  bool usable(std::span<const double> x);
  // Whether derivatives can be asked for at all.
  bool named() const { return named_; }
  // At the point the instance is set to; values in the order of the pattern.
  Status evaluate(double* values);

 private:
  void find_pattern(const Description& description);
  void colour();
  bool agrees(std::span<const double> x, const std::vector<double>& values);

  Instance& instance_;
  std::size_t n_;
  bool named_ = false;  // the references of all states and derivatives are known
  struct Range {        // of elements
    std::size_t begin, end;
  };
  std::vector<Range> rows_, columns_;  // of each derivative and state
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
