// SPDX-License-Identifier: Apache-2.0
// Responses of linear models in time and frequency.
#pragma once

#include <functional>
#include <span>

#include "math/linear_model.h"

namespace orrery::math {

// A horizon in which the slowest mode settles, in about a hundred points; samples for discrete models. `last` > 0 gives
// the horizon.
std::vector<double> default_times(const LinearModel& m, double last);

// Rows of outputs and states along the times.
struct Trajectory {
  RealMatrix y, x;
};
// Inputs as rows of u, linear (or held) between the times, from the state x. `turn` is called at each time.
Trajectory simulate(const LinearModel& m, std::span<const double> t, const RealMatrix& u, RealMatrix x, bool held,
                    const std::function<void()>& turn);

// Two decades around the poles and zeros.
std::vector<double> default_frequencies(const LinearModel& m);
// The point of the complex plane that belongs to the angular frequency w.
Complex point_of(const LinearModel& m, double w);
// Of a model with one input and one output.
std::vector<Complex> frequency_response(const LinearModel& m, std::span<const double> w, bool& singular);
// Degrees without jumps.
std::vector<double> phases_of(std::span<const Complex> h);

// Infinite and NaN where the response crosses neither the negative real axis nor the unit circle.
struct Margins {
  double gain, phase;                    // factor, degrees
  double gain_crossing, phase_crossing;  // where they are read
};
Margins margins(const LinearModel& m, std::span<const double> grid, bool& singular);

}  // namespace orrery::math
