// SPDX-License-Identifier: Apache-2.0
// Measuring and drawing work-precision curves.
#include "work_precision.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/folders_for_tests.h"
#include "io/svg_plot.h"

namespace orrery::bench {

namespace {

// What is shown at the end, or else the states.
std::vector<double> end_of(const Compiled& compiled, api::Run& run) {
  std::vector<double> x;
  if (compiled.settings.record) {
    const api::Results results = run.results();
    for (std::size_t k = 0; k < results.names.size() && results.rows() > 0; ++k) {
      const bool counts = results.names[k].ends_with(".event1");
      if (!counts) x.push_back(results.value(results.rows() - 1, k));
    }
    return x;
  }
  for (const std::string& state : compiled.states()) {
    const std::vector<double> values = run.values(state);
    x.insert(x.end(), values.begin(), values.end());
  }
  return x;
}

}  // namespace

Compiled compile_example(const std::string& name) {
  Diagnostics diagnostics;
  const auto model = api::Model::open(source_folder() + "/examples/numerics/" + name + ".orr", diagnostics);
  expect_no_errors(diagnostics);
  Compiled compiled = compile_model(*model);
  compiled.settings.hmax = compiled.settings.stop;
  return compiled;
}

Compiled compile_implicit_example(const std::string& name) {
  Compiled compiled = compile_example(name);
  compiled.settings.record = true;
  compiled.settings.interval = compiled.settings.stop;
  return compiled;
}

Point measure_point(Compiled& compiled, const solve::published::EndPoint& end, const std::string& solver,
                    double tolerance) {
  compiled.settings.solver = solver;
  compiled.settings.rtol = tolerance;
  compiled.settings.atol = tolerance * end.scale;
  Point point{tolerance, 0, INFINITY};
  double spent = 0;
  for (int round = 0; round < 5 && (round < 1 || spent < 0.1); ++round) {
    api::Run run = compiled.start();
    expect_no_errors(run.diagnostics());
    run.run_past(compiled.settings.start);  // makes the Jacobian
    const double start = cpu_seconds();
    const api::RunState reached = run.run();  // it may fail: a tolerance that the solver cannot keep is no point
    const double seconds = cpu_seconds() - start;
    spent += seconds;
    point.seconds = std::min(point.seconds, seconds);
    const std::vector<double> x = end_of(compiled, run);
    const bool ended = reached == api::RunState::reached_stop && x.size() >= end.values.size();
    point.error = ended ? solve::published::error_at_end(end, x.data()) : NAN;
  }
  return point;
}

WorkCurve measure_curve(Compiled& compiled, const solve::published::EndPoint& end, const std::string& solver,
                        double most_seconds) {
  WorkCurve curve{solver, {}};
  for (int digits = 3; digits <= 11; ++digits) {
    const Point point = measure_point(compiled, end, solver, std::pow(10.0, -digits));
    if (std::isfinite(point.error) && point.error > 0 && point.error < 1) curve.points.push_back(point);
    if (point.seconds > most_seconds) break;
  }
  return curve;
}

std::optional<double> seconds_at(const WorkCurve& curve, double error) {
  std::optional<double> best;
  for (std::size_t k = 0; k + 1 < curve.points.size(); ++k) {
    const Point &a = curve.points[k], &b = curve.points[k + 1];
    if ((a.error - error) * (b.error - error) > 0 || a.error == b.error) continue;
    const double s = std::log(error / a.error) / std::log(b.error / a.error);
    const double seconds = a.seconds * std::pow(b.seconds / a.seconds, s);
    best = std::min(best.value_or(seconds), seconds);
  }
  return best;
}

std::string draw(const std::string& title, const std::vector<WorkCurve>& curves) {
  std::vector<std::vector<double>> digits, times;
  for (const WorkCurve& curve : curves) {
    digits.emplace_back();
    times.emplace_back();
    for (const Point& point : curve.points) {
      digits.back().push_back(-std::log10(point.error));
      times.back().push_back(std::log10(1e3 * point.seconds));
    }
  }
  io::Panel panel;
  panel.own_axis = true;
  panel.x_label = "correct digits at the end";
  panel.y_label = "log10 of CPU milliseconds";
  for (std::size_t k = 0; k < curves.size(); ++k) {
    io::Curve curve;
    curve.name = curves[k].solver;
    curve.time = digits[k].data();
    curve.value = times[k].data();
    curve.count = digits[k].size();
    panel.curves.push_back(curve);
  }
  return io::svg_plot({title, {panel}});
}

}  // namespace orrery::bench
