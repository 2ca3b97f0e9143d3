// SPDX-License-Identifier: Apache-2.0
// Time over error: one model with one solver at many tolerances.
#pragma once

#include <string>
#include <vector>

#include "bench.h"
#include "solve/published_values.h"

namespace orrery::bench {

struct Point {
  double tolerance = 0, error = 0, seconds = 0;
};

struct WorkCurve {
  std::string solver;
  std::vector<Point> points;  // ever smaller tolerances
};

// A model of examples/numerics with its settings.
Compiled compile_example(const std::string& name);

// The same for an implicit model, of which not all that is published is a state: what it shows is recorded at the end.
Compiled compile_implicit_example(const std::string& name);

// CPU seconds of the loop alone, with native code and the Jacobian in place; the end is compared with the published
// one.
Point measure_point(Compiled& compiled, const solve::published::EndPoint& end, const std::string& solver,
                    double tolerance);

WorkCurve measure_curve(Compiled& compiled, const solve::published::EndPoint& end, const std::string& solver,
                        double most_seconds);

// What the curve says a run with this error costs; between two points, as a power law. Nothing outside of them.
std::optional<double> seconds_at(const WorkCurve& curve, double error);

// Draws digits against time.
std::string draw(const std::string& title, const std::vector<WorkCurve>& curves);

}  // namespace orrery::bench
