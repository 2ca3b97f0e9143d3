// SPDX-License-Identifier: Apache-2.0
// The best of SciPy's solvers at the same error, where SciPy is installed; and the heat equation on 100 000 points.
#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>

#include "base/folders_for_tests.h"
#include "diagrams.h"
#include "work_precision.h"

namespace orrery::bench {
namespace {

using solve::published::EndPoint;

// The first Python that has SciPy; empty: none.
std::string python() {
  for (const char* candidate : {"python3", "/usr/bin/python3"}) {
    const std::string test = std::string(candidate) + " -c 'import scipy.integrate' >/dev/null 2>&1";
    if (std::system(test.c_str()) == 0) return candidate;
  }
  return {};
}

std::vector<WorkCurve> scipy_curves(const std::string& problem, const EndPoint& end) {
  const std::string interpreter = python();
  if (interpreter.empty()) return {};
  const auto file = std::filesystem::temp_directory_path() / fmt::format("orrery-bench-{}-{}", problem, ::getpid());
  {
    std::ofstream out(file);
    for (const double value : end.values) out << fmt::format("{:.17g}\n", value);
  }
  // One thread, as everybody else here.
  const std::string command = fmt::format("OPENBLAS_NUM_THREADS=1 {} '{}/bench/scipy/compare.py' {} '{}'", interpreter,
                                          source_folder(), problem, file.string());
  std::map<std::string, WorkCurve> curves;
  if (FILE* pipe = popen(command.c_str(), "r"); pipe != nullptr) {
    char line[256], method[64];
    Point point;
    while (std::fgets(line, sizeof line, pipe) != nullptr) {
      if (std::sscanf(line, "point %63s %lf %lf %lf", method, &point.tolerance, &point.seconds, &point.error) != 4)
        continue;
      curves[method].solver = std::string("scipy ") + method;
      curves[method].points.push_back(point);
    }
    pclose(pipe);
  }
  std::filesystem::remove(file);
  std::vector<WorkCurve> list;
  for (auto& [name, curve] : curves) list.push_back(std::move(curve));
  return list;
}

// The best ratio that our curve has to the best of theirs, at errors both reach.
Row compare(const std::string& name, const WorkCurve& ours, const std::vector<WorkCurve>& theirs, double goal) {
  Row row{.name = name, .unit = "ms", .goal_peer = goal};
  double best_ratio = 0;
  for (const Point& point : ours.points) {
    std::optional<double> best;
    std::string method;
    for (const WorkCurve& curve : theirs) {
      const auto seconds = seconds_at(curve, point.error);
      if (!seconds || (best && *best <= *seconds)) continue;
      best = seconds;
      method = curve.solver;
    }
    if (!best || *best / point.seconds <= best_ratio) continue;
    best_ratio = *best / point.seconds;
    row.orrery = point.seconds * 1e3;
    row.peer = *best * 1e3;
    row.result = fmt::format("{} against {} at equal error {:.1e}", ours.solver, method, point.error);
  }
  if (!row.orrery && !ours.points.empty()) {
    row.orrery = ours.points.back().seconds * 1e3;
    row.result = theirs.empty() ? "SciPy is not installed" : "no error that both reach";
  }
  return row;
}

// The end of the Brusselator, from a run with a much smaller tolerance.
EndPoint brusselator_end(Compiled& compiled) {
  compiled.settings.solver = "radau";
  compiled.settings.rtol = compiled.settings.atol = 1e-11;
  api::Run run = compiled.start();
  run.run();
  EndPoint end{"brusselator", {}, 1};
  for (const std::string& state : compiled.states()) end.values.push_back(run.value(state));
  return end;
}

}  // namespace

std::vector<Row> scipy_rows() {
  print_heading("Against SciPy (the column of Xcos)");
  std::vector<Row> rows;
  const auto add = [&rows](Row row) {
    print(row);
    rows.push_back(std::move(row));
  };
  {
    Compiled lorenz = compile_example("lorenz");
    const EndPoint end = solve::published::lorenz();
    const WorkCurve ours = measure_curve(lorenz, end, "dopri853", 0.5);
    add(compare("Lorenz", ours, scipy_curves("lorenz", end), 90));
  }
  Compiled brusselator = compile_diagram(diagram_brusselator(500));
  const EndPoint end = brusselator_end(brusselator);
  const WorkCurve ours = measure_curve(brusselator, end, "cvode-bdf-newton", 2);
  add(compare("Brusselator, 1000 states", ours, scipy_curves("brusselator", end), 3));
  return rows;
}

}  // namespace orrery::bench
