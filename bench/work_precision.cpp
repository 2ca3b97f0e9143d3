// SPDX-License-Identifier: Apache-2.0
// Measuring and drawing work-precision curves.
#include "work_precision.h"
#include "base/folders_for_tests.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "api/session.h"
#include "io/svg_plot.h"

namespace orrery::bench {

namespace {

Compiled compile_with_outputs(const std::string& name, const std::string& overrides) {
  api::RunRequest request;
  request.file = source_folder() + "/examples/numerics/" + name + ".orr";
  const std::size_t equals = overrides.find('=');
  if (equals != std::string::npos) {
    request.overrides.push_back({overrides.substr(0, equals), overrides.substr(equals + 1)});
  }
  Diagnostics diagnostics;
  auto prepared = api::prepare(request, diagnostics);
  expect_no_errors(diagnostics);
  Compiled compiled;
  compiled.program = std::move(prepared->program);
  compiled.options.stop = prepared->settings.stop.value_or(compiled.options.stop);
  compiled.options.limits.maximum = compiled.options.stop;
  return compiled;
}

// What is shown at the end, or else the states.
std::vector<double> end_of(const sim::Simulation& simulation, const program::Program& program) {
  std::vector<double> x;
  const sim::Recording& recording = simulation.recording();
  for (std::size_t k = 0; k < recording.columns.size() && recording.rows() > 0; ++k) {
    const bool counts = recording.columns[k].name.ends_with(".event1");
    if (!counts) x.push_back(recording.value(recording.rows() - 1, k));
  }
  if (!x.empty()) return x;
  for (const program::SlotId slot : program.states) {
    const std::int64_t size = program.slots[slot].type.size();
    for (std::int64_t k = 0; k < size; ++k) x.push_back(simulation.value(slot, static_cast<std::size_t>(k)));
  }
  return x;
}

}  // namespace

Compiled compile_example(const std::string& name, const std::string& overrides) {
  Compiled compiled = compile_with_outputs(name, overrides);
  compiled.program.probes.clear();
  return compiled;
}

Compiled compile_implicit_example(const std::string& name) {
  Compiled compiled = compile_with_outputs(name, {});
  compiled.options.interval = compiled.options.stop;
  return compiled;
}

Point measure_point(Compiled& compiled, const solve::published::EndPoint& end, const std::string& solver,
                    double tolerance) {
  compiled.options.solver = solver;
  compiled.options.tolerance = {tolerance, tolerance * end.scale, {}};
  Point point{tolerance, 0, INFINITY};
  double spent = 0;
  for (int round = 0; round < 5 && (round < 1 || spent < 0.1); ++round) {
    Diagnostics diagnostics;  // of a tolerance that the solver cannot keep: then there is no point
    compiled.options.native.wait_for_second = true;
    const auto simulation = sim::Simulation::create(compiled.program, compiled.options, diagnostics);
    expect_no_errors(diagnostics);
    simulation->run(compiled.options.start);  // makes the Jacobian
    const double start = cpu_seconds();
    const sim::End reached = simulation->run();
    const double seconds = cpu_seconds() - start;
    spent += seconds;
    point.seconds = std::min(point.seconds, seconds);
    const std::vector<double> x = end_of(*simulation, compiled.program);
    point.error = reached == sim::End::reached_stop ? solve::published::error_at_end(end, x.data()) : NAN;
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
