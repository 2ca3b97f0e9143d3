// SPDX-License-Identifier: Apache-2.0
// A search for a minimum that is told the values of the points it asks for ("reverse communication"): for objectives
// that cannot be called, as a whole simulation that comes after another.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "math/minimise.h"

namespace orrery::math {

// The method itself calls an objective, so it runs on a thread of its own, which waits whenever a value is missing. No
// two of both threads ever work at the same time.
class StepwiseMinimiser {
 public:
  // Only bounds of the problem are used.
  StepwiseMinimiser(std::vector<double> start, std::vector<double> low, std::vector<double> high,
                    const MinimiseOptions& options);
  ~StepwiseMinimiser();  // ends the search wherever it is
  StepwiseMinimiser(const StepwiseMinimiser&) = delete;
  StepwiseMinimiser& operator=(const StepwiseMinimiser&) = delete;

  // The point whose value is wanted next; nothing: the search is over.
  const std::optional<std::vector<double>>& wanted() const;
  // The value at the point that was wanted.
  void tell(double value);
  // Of a search that is over.
  const Minimum& minimum() const;

 private:
  struct Talk;
  std::unique_ptr<Talk> talk_;
};

}  // namespace orrery::math
