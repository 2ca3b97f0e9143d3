// SPDX-License-Identifier: Apache-2.0
// Finds the unknowns of a Program's loops in the memory of a run: Newton's iteration with exact derivatives.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sim/compiled_program.h"
#include "sim/mode_search.h"
#include "sim/options.h"
#include "sim/simulation.h"
#include "solve/shifted_matrix.h"

namespace orrery::sim {

// Every entry of a square matrix, column after column.
solve::Sparsity full_pattern(int n);

// Why a loop has no solution here.
struct LoopFailure {
  std::uint32_t loop = 0;
  double t = 0;
  std::string reason;                                 // "the iteration does not converge"
  int undetermined = -1;                              // unknown that a singular matrix leaves free
  std::vector<double> guess, values, residuals = {};  // by unknown: where it began, and the best point it found
  // Where its conditions contradict every choice of them: those of the choice that came nearest (of Loop::modes).
  std::vector<ModeSearch::Conflict> conflicts = {};
};

// The memory holds the guess and receives the solution, so that results depend on nothing but memory and time. The
// machine and the memory must outlive the solver.
class LoopSolver {
 public:
  LoopSolver(const CompiledProgram& machine, std::span<std::byte> memory, AlgebraicMethod method);
  ~LoopSolver();

  // The next solution of every loop is searched by the method chosen, later ones automatically.
  void search() { first_.assign(first_.size(), true); }

  // Solves the loops in order, for the states x. False: failure() tells.
  [[nodiscard]] bool solve(std::span<const std::uint32_t> loops, double t, const double* x, std::int64_t tick) {
    for (std::uint32_t loop : loops) {
      if (!solve_one(loop, t, x, tick)) return false;
    }
    return true;
  }
  // The same by Newton's iteration alone, from where memory is: for those who have other places to try.
  bool try_newton(std::span<const std::uint32_t> loops, double t, const double* x, std::int64_t tick) {
    plain_ = true;
    const bool solved = solve(loops, t, x, tick);
    plain_ = false;
    return solved;
  }
  // Where the equations have no value with the modes that are held: take(t, x) makes them what their conditions are at
  // the point (whether that changed any), and hold() what they were. The solution is that of the other modes then.
  void set_other_modes(std::function<bool(double t, const double* x)> take, std::function<void()> hold) {
    take_modes_ = std::move(take);
    hold_modes_ = std::move(hold);
  }
  const LoopFailure& failure() const { return failure_; }
  // Of the last solution of a loop: the largest residual left, and how many iterations it took.
  struct Quality {
    double residual = 0;
    int iterations = 0;
  };
  Quality quality_of(std::uint32_t loop) const;
  const std::vector<LoopStatistics>& statistics() const { return statistics_; }  // by loop

 private:
  struct Work;
  struct Place {  // what the loop is solved for
    double t;
    const double* x;
    std::int64_t tick;
  };

  [[nodiscard]] bool solve_one(std::uint32_t loop, double t, const double* x, std::int64_t tick);
  [[nodiscard]] bool find(Work& work, const Place& place, AlgebraicMethod method, LoopStatistics& statistics);
  [[nodiscard]] bool find_somehow(Work& work, const Place& place, LoopStatistics& statistics);
  [[nodiscard]] bool find_by_ida(Work& work, const Place& place);
  [[nodiscard]] bool newton(Work& work, const Place& place, const double* offset, int limit);
  [[nodiscard]] bool follow(Work& work, const Place& place);
  void put(const Work& work, const std::vector<double>& z);
  void put_point(Work& work, const Place& place, const std::vector<double>& z);
  [[nodiscard]] bool evaluate(Work& work, const Place& place, const double* offset, const std::vector<double>& z,
                              std::vector<double>& r);
  [[nodiscard]] bool find_with_other_modes(Work& work, const Place& place, AlgebraicMethod method,
                                           LoopStatistics& statistics);
  void differences(Work& work, const Place& place);
  [[nodiscard]] bool factor(Work& work, const Place& place);
  bool is_nearly_singular(Work& work) const;
  [[nodiscard]] bool move(Work& work, const Place& place, const double* offset, double size);

  // loop_conditions.cpp
  [[nodiscard]] bool settle_conditions(Work& work, const Place& place, AlgebraicMethod method,
                                       LoopStatistics& statistics);
  [[nodiscard]] bool repeat_conditions(Work& work, const Place& place, AlgebraicMethod method,
                                       LoopStatistics& statistics);
  [[nodiscard]] bool search_conditions(Work& work, const Place& place);
  void look_at_conditions(Work& work, const Place& place);
  bool take_conditions(Work& work, bool only_held = false);

  const CompiledProgram& machine_;
  std::span<std::byte> memory_;
  AlgebraicMethod method_;
  bool plain_ = false;                       // no other way than Newton's iteration
  bool live_ = false;                        // conditions of loops are taken as they stand at every point
  std::vector<bool> first_;                  // by loop: its next solution is searched
  std::vector<std::unique_ptr<Work>> work_;  // by loop; empty for those that the compiler solved
  std::vector<LoopStatistics> statistics_;
  LoopFailure failure_;
  std::function<bool(double t, const double* x)> take_modes_;
  std::function<void()> hold_modes_;
};

}  // namespace orrery::sim
