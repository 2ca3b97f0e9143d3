// SPDX-License-Identifier: Apache-2.0
// Stiff problems: CVODE through Orrery against CVODE called from C.
#include <fmt/format.h>

#include <cmath>

#include "bench.h"
#include "programs.h"
#include "reference_models.h"

namespace orrery::bench {
namespace {

struct Case {
  std::string name;
  program::Program program;
  double stop;
  std::size_t shown;  // state to compare
  double allowed;
  std::function<reference_result()> reference;
};

Row measure(Case what) {
  Compiled compiled{std::move(what.program), {}};
  compiled.options.stop = what.stop;
  compiled.options.solver = "cvode-bdf-newton";
  compiled.options.tolerance = {1e-6, 1e-9, {}};
  double value = 0;
  long steps = 0;
  reference_result theirs{};
  const auto seconds = medians({[&] {
                                  const auto simulation = compiled.start();
                                  simulation->run(0);  // makes the Jacobian
                                  const double start = cpu_seconds();
                                  simulation->run();
                                  const double spent = cpu_seconds() - start;
                                  value = simulation->value(compiled.program.states[what.shown]);
                                  steps = simulation->report().solver_statistics.steps;
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
  add(measure({"van der Pol 1000", program_van_der_pol(1000), 3000, 0, 1e-2, reference_stiff_van_der_pol}));
  add(measure({"Brusselator, 1000 states", program_brusselator(500), 10, 500, 1e-4,
               [] { return reference_stiff_brusselator(500); }}));
  return rows;
}

}  // namespace orrery::bench
