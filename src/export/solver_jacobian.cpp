// SPDX-License-Identifier: Apache-2.0
// Solvers of exported code: explicit methods, and one for stiff models with its Jacobian.
#include "export/solver_jacobian.h"

#include <fmt/format.h>

#include <algorithm>

#include "passes/build_jacobian.h"

namespace orrery::code_export {
namespace {

enum Number { rk4 = 2, dopri = 4, sdirk = 5, automatic = 6 };

// The matrix of the implicit method is dense, and part of each instance: two of 500 rows take four megabytes.
constexpr int most_rows = 500;
// Where the explicit method may do, room for the other one should not cost much more than the model.
constexpr int most_rows_in_reserve = 200;

// Unknowns of the loops that derivatives are solved with.
std::vector<program::SlotId> loop_unknowns(const program::Program& program, const passes::Procedures& cut) {
  std::vector<program::SlotId> slots;
  for (const std::uint32_t k : cut.derivative_loops) {
    const program::Loop& loop = program.loops[k];
    slots.insert(slots.end(), loop.unknowns.begin(), loop.unknowns.end());
  }
  return slots;
}

int matrix_size(const program::Program& program, const passes::Procedures& cut) {
  auto size = static_cast<std::int64_t>(cut.state_count);
  for (const program::SlotId slot : loop_unknowns(program, cut)) size += program.slots[slot].type.size();
  return static_cast<int>(size);
}

}  // namespace

int solver_number(const program::Program& program, const passes::Procedures& cut, const ExportSettings& settings,
                  Diagnostics& diagnostics) {
  const std::pair<const char*, int> known[] = {
      {"euler", 0}, {"trapezoidal-explicit", 1}, {"rk4", rk4}, {"rk5", 3}, {"dopri", dopri}};
  for (const auto& [name, number] : known) {
    if (settings.solver == name) return number;
  }
  const Place model{program.origins[0].path, 0, 0, {}, {}};
  const bool continuous = !program.states.empty() || !program.surfaces.empty();
  const bool chosen = !settings.solver.empty() && settings.solver != "auto";
  const char* const implicit[] = {"euler-implicit",   "trapezoidal-implicit", "radau", "sdirk",
                                  "cvode-bdf-newton", "cvode-bdf-functional", "ida",   "daskr"};
  const bool stiff = std::ranges::find(implicit, settings.solver) != std::end(implicit);
  const int rows = program.states.empty() ? 0 : matrix_size(program, cut);
  int number = program.fixed_step ? rk4 : dopri;
  if (stiff && rows > 0 && rows <= most_rows) number = sdirk;
  if ((!chosen || settings.solver == "lsoda") && !program.fixed_step && rows > 0 && rows <= most_rows_in_reserve)
    number = automatic;
  if (!continuous || !chosen || (settings.solver == "sdirk" && number == sdirk)) return number;
  const char* const names[] = {"rk4", "", "dopri", "sdirk", "dopri, and sdirk where the model shows to be stiff,"};
  const std::string too_large =
      stiff && rows > most_rows ? fmt::format(" (its implicit method takes {} equations at most)", most_rows) : "";
  diagnostics.warning("export-solver", model,
                      fmt::format("exported code has no {}: it takes {} with the same {}{}", settings.solver,
                                  names[number - rk4], program.fixed_step ? "step" : "tolerances", too_large),
                      program.fixed_step
                          ? "choose euler, trapezoidal-explicit, rk4 or rk5 to get the bits of the simulation"
                          : "choose dopri, or an explicit method with fixed steps, to get the bits of the simulation");
  return number;
}

SolverJacobian make_solver_jacobian(program::Program& program, const passes::Procedures& cut, int solver) {
  SolverJacobian out;
  if (solver != sdirk && solver != automatic) return out;
  out.size = static_cast<int>(cut.state_count);
  // Where the implicit method only may be needed, differences spare the reader of the code its derivatives.
  if (solver == sdirk) {
    std::vector<program::SlotId> columns(program.states.begin(), program.states.end());
    std::vector<program::ExprId> rows(program.derivatives.begin(), program.derivatives.end());
    const std::vector<program::SlotId> unknowns = loop_unknowns(program, cut);
    columns.insert(columns.end(), unknowns.begin(), unknowns.end());
    for (const std::uint32_t k : cut.derivative_loops)
      rows.insert(rows.end(), program.loops[k].residuals.begin(), program.loops[k].residuals.end());
    passes::Jacobian matrix = passes::build_jacobian(program, columns, rows);
    if (matrix.exact) {
      out.size = matrix_size(program, cut);
      out.procedure = std::move(matrix.procedure);
      out.pattern = std::move(matrix.pattern);
      return out;
    }
  }
  return out;
}

}  // namespace orrery::code_export
