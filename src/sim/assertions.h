// SPDX-License-Identifier: Apache-2.0
// What a model says must hold in continuous time (program::Assertion), watched over one run.
#pragma once

#include <functional>
#include <vector>

#include "base/diagnostic.h"
#include "sim/compiled_program.h"

namespace orrery::sim {

class Assertions {
 public:
  using PlaceOf = std::function<Place(program::OriginId)>;
  explicit Assertions(const CompiledProgram& machine);

  bool empty() const { return program_.assertions.empty(); }
  bool judge_trials() const { return judge_trials_; }
  // A point the solver tries: whether all hold that end the run where they do not.
  bool allow(double t, const double* x, std::byte* memory);
  // A point of the solution: says what does not hold. False: that ends the run.
  [[nodiscard]] bool check(double t, const double* x, std::byte* memory, const PlaceOf& place_of,
                           Diagnostics& diagnostics);
  // Says what the solver was refused last, if that was later than `since`: it has found no step that is short enough.
  bool report_refusal(double since, const PlaceOf& place_of, Diagnostics& diagnostics) const;

 private:
  std::string message(std::size_t index) const;

  const CompiledProgram& machine_;
  const program::Program& program_;
  std::vector<double> hold_, values_;
  std::vector<std::size_t> first_value_;  // by assertion
  std::vector<bool> warned_;              // that it does not hold, and it has not held since
  bool judge_trials_ = false;             // whether any says something of points that are only tried
  std::size_t refused_ = SIZE_MAX;
  double refused_at_ = 0;
  std::string refusal_;
};

}  // namespace orrery::sim
