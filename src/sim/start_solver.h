// SPDX-License-Identifier: Apache-2.0
// Solves the start system of a Program in the memory of a run, before the initial table.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "sim/loop_solver.h"
#include "sim/simulation.h"

namespace orrery::sim {

class StartSolver {
 public:
  using PlaceOf = std::function<Place(program::OriginId)>;

  StartSolver(const CompiledProgram& machine, std::span<std::byte> memory, LoopSolver* loops, double t)
      : machine_(machine), program_(machine.program()), memory_(memory), loops_(loops), t_(t) {}

  // False: reported.
  [[nodiscard]] bool run(const PlaceOf& place_of, Diagnostics& diagnostics);
  const StartReport& report() const { return report_; }

 private:
  const double* states() const { return reinterpret_cast<const double*>(memory_.data()); }
  void set_homotopy(double lambda);
  std::vector<std::string> found_before(const program::Loop& loop) const;
  [[nodiscard]] bool solve_all();
  [[nodiscard]] bool continue_from_simpler();
  void note(std::uint32_t loop, const std::vector<double>& guesses);
  std::vector<double> values_of(std::uint32_t loop) const;
  std::vector<std::string> names_of(std::uint32_t loop) const;
  void report_failure(const PlaceOf& place_of, Diagnostics& diagnostics) const;
  [[nodiscard]] bool check(const PlaceOf& place_of, Diagnostics& diagnostics) const;

  const CompiledProgram& machine_;
  const program::Program& program_;
  std::span<std::byte> memory_;
  LoopSolver* loops_;
  double t_;
  StartReport report_;
};

}  // namespace orrery::sim
