// SPDX-License-Identifier: Apache-2.0
// Stiff problems: CVODE through Orrery against CVODE called from C.
#include <fmt/format.h>

#include <cmath>

#include "bench.h"
#include "diagrams.h"
#include "reference_models.h"

namespace orrery::bench {
namespace {

struct StiffCase {
  std::string name;
  std::string diagram;
  std::string shown;  // state to compare
  double allowed;
  std::function<reference_result()> reference;
};

Row measure_stiff(const StiffCase& what) {
  const Compiled compiled =
      compile_diagram(what.diagram, {{"solver", "cvode-bdf-newton"}, {"rtol", "1e-6"}, {"atol", "1e-9"}});
  double value = 0;
  long steps = 0;
  reference_result theirs{};
  const auto seconds = medians({[&] {
                                  api::Run run = compiled.start();
                                  run.run_past(0);  // makes the Jacobian
                                  const double start = cpu_seconds();
                                  run.run();
                                  const double spent = cpu_seconds() - start;
                                  value = run.value(what.shown);
                                  steps = run.report().steps;
                                  return spent;
                                },
                                [&] {
                                  const double start = cpu_seconds();
                                  theirs = what.reference();
                                  return cpu_seconds() - start;
                                }});
  Row row{.name = what.name, .unit = "ms", .orrery = seconds[0] * 1e3, .c = seconds[1] * 1e3, .goal_c = 1.05};
  row.correct = std::abs(value - theirs.value) <= what.allowed;
  row.result = fmt::format("differs by {:.1e}, {} steps (C {})", std::abs(value - theirs.value), steps, theirs.steps);
  return row;
}

}  // namespace

std::vector<Row> stiff_rows() {
  print_heading("CVODE, exact Jacobian");
  std::vector<Row> rows;
  const auto add = [&rows](Row row) {
    print(row);
    rows.push_back(std::move(row));
  };
  add(measure_stiff({"van der Pol 1000", diagram_van_der_pol(), "/x.x", 1e-2, reference_stiff_van_der_pol}));
  add(measure_stiff({"Brusselator, 1000 states", diagram_brusselator(500), "/u250.x", 1e-4,
                     [] { return reference_stiff_brusselator(500); }}));
  return rows;
}

}  // namespace orrery::bench
