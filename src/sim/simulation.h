// SPDX-License-Identifier: Apache-2.0
// The hybrid loop: a Program, a solver, an event calendar, a recorder (Activate, chapters 1 and 10).
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "program/procedure.h"
#include "sim/compiled_program.h"
#include "sim/options.h"
#include "sim/recording.h"

namespace orrery::sim {

enum class End {
  reached_stop,  // the stop time
  stopped,       // an End block
  restart,       // an End block asks for another run
  paused,        // run(until) came to `until`
  interrupted,   // the user; results so far are kept
  failed,        // see the diagnostics; results so far are kept
};

// What solving one loop of the Program took.
struct LoopStatistics {
  long solutions = 0;
  long iterations = 0;
  int most_iterations = 0;  // for one solution
  long homotopies = 0;      // solutions that had to be followed from the guess
  long searches = 0;        // of its conditions, where they did not settle by themselves
};

// How the start system was solved, block by block.
struct StartReport {
  struct Block {
    std::vector<std::string> names;       // of what was sought
    std::vector<double> guesses, values;  // by name: where it began, what was found
    int iterations = 0;
    double residual = 0;  // the largest left
  };
  std::vector<Block> blocks;
  std::vector<std::string> given;  // free start values that were kept
  bool continued = false;          // from a simpler problem
};

struct Report {
  End end = End::reached_stop;
  double time = 0;            // where the run ended
  std::string solver;         // name
  std::string solver_reason;  // why `auto` took it
  solve::Statistics solver_statistics;
  long events = 0;     // activations of all sources
  long crossings = 0;  // located sign changes that fired a block
  long mode_changes = 0;
  long cold_restarts = 0;  // after the first start
  long reprogrammed = 0;
  long mesh_points = 0;
  std::size_t rows = 0;               // that were recorded
  std::size_t ledger_entries = 0;     // events that were listed
  std::vector<LoopStatistics> loops;  // by loop of the Program
  StartReport start;
  std::string limited_by;        // the states that made steps smaller most often, with their paths and shares
  std::string busiest_surfaces;  // those that crossed zero most often, with their blocks
  double newton_condition = 0;   // of the matrix of the last step of an implicit solver, 0: not known
  native::Tier tier = native::Tier::first;
  std::string second_tier_note;     // why there is no second tier, as far as something went wrong
  bool lacks_cache_folder = false;  // … because the folder of its cache cannot be written
  double compile_seconds = 0;       // first tier
  double solve_seconds = 0;         // in the loop
  double sink_seconds = 0;          // … of them in sinks
  std::size_t memory_bytes = 0;     // of the run's block
};

class Simulation {
 public:
  // Nothing is run yet. Many runs, on any threads, may share what was compiled.
  static std::unique_ptr<Simulation> create(std::shared_ptr<const CompiledProgram> compiled, RunOptions options,
                                            Diagnostics& diagnostics);
  // For a single run: compiles the program to native code first.
  static std::unique_ptr<Simulation> create(program::Program program, RunOptions options, Diagnostics& diagnostics);
  virtual ~Simulation() = default;

  // Runs to the stop time, or to the first accepted point at or after `until`; may be called again to go on.
  virtual End run(double until) = 0;
  End run() { return run(1.0 / 0.0); }
  // To `until` and no further: the last step ends there (fixed steps: at or after it).
  virtual End run_exactly(double until) = 0;
  // To the next accepted point, or through the events of this instant where there are some. The first step is the
  // start.
  virtual End step() = 0;

  // What is in memory, unless the options name sinks: of these end() is called by who made them.
  virtual const Recording& recording() const = 0;
  virtual Recording release_recording() = 0;  // the same without a copy, when the run is over
  virtual const Ledger& ledger() const = 0;
  virtual Report report() const = 0;
  // Value of a slot's element now (booleans and integers as numbers); of a complex one part 0 is real, part 1
  // imaginary.
  virtual double value(program::SlotId slot, std::size_t element = 0, int part = 0) const = 0;

  virtual double time() const = 0;
  virtual bool has_begun() const = 0;
  // Another value for a parameter, checked (check_parameters), of a run that has not begun.
  virtual void set_parameter(const ParameterSetting& setting) = 0;
  // Brings the slots of the probes of continuous time up to date.
  virtual void evaluate_probes() = 0;
  // Brings the slot of one of Program::variables up to date. False: it cannot be computed here.
  virtual bool evaluate_signal(std::uint32_t signal) = 0;
  // Calls `evaluate` with the memory as it is now, after solving these loops of continuous time; it leaves the memory
  // as it found it. False: the loops have no solution here.
  virtual bool at_point(const std::vector<std::uint32_t>& loops,
                        const std::function<void(double t, std::byte* memory)>& evaluate) = 0;

  // Inputs of the Program (all elements, or one number for all of them; of complex ones both parts). Before the run has
  // begun the initial table sees the value; later it is an event of this instant, as fire_input() is. A slope, where
  // there are any, says how the input goes on. What a table was to give is forgotten.
  virtual void set_input(std::size_t input, std::span<const double> value, std::span<const double> slope = {}) = 0;
  virtual void fire_input(std::size_t input) = 0;

  // The whole run as bytes: what it belongs to by name, then memory, calendar, integrator. Restoring continues
  // bit-identically with single-step solvers; multistep solvers start cold, which the ledger shows.
  virtual std::vector<std::byte> save() const = 0;
  // False, and a diagnostic with the first difference, when it is of another model or version.
  [[nodiscard]] virtual bool restore(std::span<const std::byte> bytes) = 0;
  // Goes on as `other`, a run of the same compiled program, would, without the bytes in between.
  [[nodiscard]] virtual bool copy(const Simulation& other) = 0;
};

}  // namespace orrery::sim
