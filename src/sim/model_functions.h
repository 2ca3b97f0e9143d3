// SPDX-License-Identifier: Apache-2.0
// The model as functions of time and states: what solvers call, with loops solved, foreign code asked and assertions
// heeded on the way.
#pragma once

#include <memory>
#include <vector>

#include "sim/assertions.h"
#include "sim/condensed_jacobian.h"
#include "sim/foreign_set.h"
#include "sim/loop_solver.h"
#include "sim/run_context.h"
#include "sim/sliding.h"
#include "sim/trouble.h"
#include "solve/integrator.h"

namespace orrery::sim {

// Modes are taken as memory has them. The functions for solvers take a ModelFunctions as their `user` and return 0, 1
// for a smaller step, or -1 to end the run.
class ModelFunctions {
 public:
  explicit ModelFunctions(RunContext& run);

  static int derivative(double t, const double* x, double* dx, void* user);
  // The least that does for this model: small models notice the difference.
  decltype(solve::Rhs::function) plainest_derivative() const;
  // Whether evaluating twice gives the same bits: loops begin where they have been, foreign code may do anything.
  bool is_repeatable() const { return run_.machine.loops().empty() && foreign_.empty() && !sliding_; }
  static int jacobian(double t, const double* x, double* values, void* user);
  // Of the states alone, where the model's own matrix has the unknowns of loops as well.
  static int condensed_jacobian(double t, const double* x, double* values, void* user);
  const solve::Sparsity& condensed_pattern();
  static int invariants(double t, const double* x, double* c, void* user);
  static int projections(double t, const double* x, double* move, void* user);
  // For solvers that solve the loops themselves: without them.
  int derivative_without_loops(double t, const double* x, double* dx);
  void take_code() { derivatives_ = run_.machine.derivatives(); }  // which may be faster by now

  // Solves the loops that something needs, for the states x; failing to is noted, and ends the run soon.
  bool settle(const std::vector<std::uint32_t>& loops, double t, const double* x) {
    if (loops.empty() || loop_solver_->solve(loops, t, x, run_.tick)) return true;
    loops_failed_ = true;
    return false;
  }
  LoopSolver* loop_solver() const { return loop_solver_.get(); }  // none: there is nothing to solve
  bool loops_failed() const { return loops_failed_; }
  void set_loops_failed(bool failed) { loops_failed_ = failed; }
  Flow report_loop_failure();
  std::vector<std::string> conflicts;  // of a search for modes that found none

  ForeignSet& foreign() { return foreign_; }
  const ForeignSet& foreign() const { return foreign_; }
  [[nodiscard]] bool open_foreign();
  int foreign_status();           // as integrators want it
  Flow report_foreign_failure();  // or trouble of native code, if that is it
  TroubleWatch& trouble() { return trouble_; }
  // At an accepted point: trouble is reported and ends the run soon.
  void note_trouble(double t) {
    if (!troubled_ && trouble_.look(memory_, t)) troubled_ = trouble_.report(t, run_.diagnostics);
  }
  bool is_troubled() const { return troubled_; }

  const Assertions& assertions() const { return assertions_; }
  // Whether what the model says must hold does so now, with the modes as they are. Memory has the states of now.
  bool assertions_hold();
  bool report_refusal();

  // Where the user allows motion along surfaces.
  Sliding* sliding() const { return sliding_.get(); }
  bool is_sliding() const { return sliding_ && sliding_->active(); }
  bool slides(std::size_t surface) const { return is_sliding() && sliding_->has_mode(surface); }
  bool is_pinned(std::size_t surface) const { return is_sliding() && sliding_->is_pinned(surface); }

  // The foreign objects; memory has been restored before.
  void save(class SaveWriter& out) const;
  [[nodiscard]] bool restore(class SaveReader& in);

 private:
  static int bare_derivative(double t, const double* x, double* dx, void* user);
  static int foreign_derivative(double t, const double* x, double* dx, void* user);
  // Asked where a loop has no solution and a smaller step might help: whether that has led nowhere for long.
  bool is_stuck(double t);

  RunContext& run_;
  std::byte* memory_;
  native::Function derivatives_;  // of the code now in use: the solver calls it without detours
  ForeignSet foreign_;
  TroubleWatch trouble_;
  bool troubled_ = false;
  Assertions assertions_;
  std::unique_ptr<Sliding> sliding_;
  std::unique_ptr<LoopSolver> loop_solver_;
  bool loops_failed_ = false;
  long refusals_ = 0;  // derivatives that loops without a solution did not allow
  double refused_at_ = -1.0 / 0.0;
  std::unique_ptr<CondensedJacobian> condensed_;
  std::vector<double> model_values_;  // of the model's matrix, before the unknowns are eliminated
};

}  // namespace orrery::sim
