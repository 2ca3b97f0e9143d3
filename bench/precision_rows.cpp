// SPDX-License-Identifier: Apache-2.0
// Published problems with all suitable solvers: pictures of time over error, and Radau against CVODE at equal error.
#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "work_precision.h"

namespace orrery::bench {
namespace {

namespace published = solve::published;

enum class Kind { stiff, other, implicit };

struct Problem {
  std::string model;
  published::EndPoint end;
  Kind kind;
};

std::vector<Problem> problems() {
  return {{"van_der_pol", published::van_der_pol(), Kind::stiff},
          {"hires", published::hires(), Kind::stiff},
          {"robertson_ode", published::robertson(), Kind::stiff},
          {"oregonator", published::oregonator(), Kind::stiff},
          {"pollution", published::pollution(), Kind::stiff},
          {"ring_modulator", published::ring_modulator(), Kind::stiff},
          {"pleiades", published::pleiades(), Kind::other},
          {"arenstorf", published::arenstorf(), Kind::other},
          {"brusselator", published::brusselator(), Kind::other},
          {"lorenz", published::lorenz(), Kind::other},
          {"robertson_dae", published::robertson(), Kind::implicit},
          {"transistor_amplifier", published::transistor_amplifier(), Kind::implicit},
          {"pendulum_dae", published::pendulum(), Kind::implicit},
          {"car_axis", published::car_axis(), Kind::implicit}};
}

const std::vector<std::string> for_stiff = {"radau", "sdirk", "lsoda", "cvode-bdf-newton", "ida", "daskr"};
const std::vector<std::string> for_others = {
    "dopri", "dopri853", "cash-karp", "cvode-adams-functional", "cvode-adams-newton", "cvode-bdf-functional",
    "lsoda", "radau"};

const std::vector<std::string> for_implicit = {"radau", "sdirk", "ida", "daskr", "cvode-bdf-newton"};

const WorkCurve* find(const std::vector<WorkCurve>& curves, const std::string& solver) {
  for (const WorkCurve& curve : curves) {
    if (curve.solver == solver) return &curve;
  }
  return nullptr;
}

// Radau at this tolerance against what CVODE takes for the same error.
Row against_cvode(const std::string& model, const std::vector<WorkCurve>& curves) {
  Row row{.name = fmt::format("radau, {}, rtol 1e-8", model), .unit = "ms", .goal_peer = 1.0};
  const WorkCurve *radau = find(curves, "radau"), *cvode = find(curves, "cvode-bdf-newton");
  for (const Point& point : radau->points) {
    if (std::abs(point.tolerance / 1e-8 - 1) > 1e-3) continue;
    row.orrery = point.seconds * 1e3;
    const std::optional<double> same = seconds_at(*cvode, point.error);
    // An error CVODE does not reach at all counts with the best it does.
    const double seconds = same.value_or(cvode->points.back().seconds);
    row.peer = seconds * 1e3;
    row.result = fmt::format("error {:.1e}; peer: cvode-bdf-newton at equal error{}", point.error,
                             same ? "" : ", which it does not reach");
    row.correct = point.error < 1e-6;
  }
  return row;
}

}  // namespace

std::vector<Row> precision_rows(const std::string& pictures) {
  print_heading("Work and precision");
  std::vector<Row> rows;
  for (const Problem& problem : problems()) {
    const bool implicit = problem.kind == Kind::implicit;
    Compiled compiled = implicit ? compile_implicit_example(problem.model) : compile_example(problem.model);
    std::vector<WorkCurve> curves;
    for (const std::string& solver : implicit ? for_implicit : problem.kind == Kind::stiff ? for_stiff : for_others) {
      curves.push_back(measure_curve(compiled, problem.end, solver, 0.5));
    }
    if (!pictures.empty()) {
      std::filesystem::create_directories(pictures);
      std::ofstream(pictures + "/" + problem.model + ".svg") << draw(problem.model, curves);
    }
    if (problem.model == "hires" || problem.model == "van_der_pol") {
      rows.push_back(against_cvode(problem.model, curves));
      print(rows.back());
    }
  }
  return rows;
}

}  // namespace orrery::bench
