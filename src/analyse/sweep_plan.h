// SPDX-License-Identifier: Apache-2.0
// Which runs a sweep consists of: a full grid of lists, and samples at each of its points.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "math/sampling.h"
#include "sim/start_procedure.h"

namespace orrery::analyse {

// Values that one variable takes, or several together (a table): points[k][i] belongs to names[i].
struct SweepAxis {
  std::vector<std::string> names;
  std::vector<std::vector<double>> points;
};

// A variable whose values are drawn; quantile(p, a, b).
struct SweepSample {
  std::string name;
  double (*quantile)(double p, double a, double b) = nullptr;
  double a = 0, b = 0;
};

class SweepPlan {
 public:
  SweepPlan(std::vector<SweepAxis> axes, std::vector<SweepSample> samples, math::Sampling sampling,
            std::size_t samples_each, std::uint64_t seed);

  // The first axis changes slowest, samples fastest.
  std::size_t runs() const { return runs_; }
  const std::vector<std::string>& names() const { return names_; }
  // By name, of one run.
  void values(std::size_t run, std::vector<double>& out) const;

 private:
  std::vector<SweepAxis> axes_;
  std::vector<SweepSample> samples_;
  std::size_t samples_each_, runs_ = 1;
  std::vector<std::string> names_;
  math::UnitPoints points_;  // over all runs
};

// A distribution by its name in OML, with the number of its parameters; nullptr: there is none of this name.
struct NamedDistribution {
  const char* name;
  int parameters;
  double (*quantile)(double p, double a, double b);
  bool (*allows)(double a, double b);
  const char* about;
};
const std::vector<NamedDistribution>& distributions();

}  // namespace orrery::analyse
