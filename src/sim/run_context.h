// SPDX-License-Identifier: Apache-2.0
// What all parts of a run share: the compiled program, the options, the block of memory, and where time has come to.
#pragma once

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "sim/compiled_program.h"
#include "sim/options.h"
#include "sim/simulation.h"

namespace orrery::sim {

// Outcome of a stretch of work: go on, or why not.
enum class Flow : std::uint8_t { on, stop, restart_run, interrupted, failed };

// Every part of a run holds a reference to it; nothing in it is resized after it was made.
struct RunContext {
  RunContext(std::shared_ptr<const CompiledProgram> compiled, RunOptions asked, Diagnostics& said);
  RunContext(const RunContext&) = delete;
  RunContext& operator=(const RunContext&) = delete;

  std::shared_ptr<const CompiledProgram> shared;
  const CompiledProgram& machine;
  const program::Program& program;
  RunOptions options;
  Diagnostics& diagnostics;

  std::vector<std::byte> memory;  // states first
  std::vector<double> results;    // of tables, for those who run them
  std::vector<double> nominals;   // usual sizes of the states; foreign objects may change their mind about theirs
  double t = 0;
  std::int64_t tick = 0;  // of the clock whose table runs
  double time_tolerance;  // events nearer to each other are simultaneous
  double coincidence;     // crossings nearer to an event than this happen in its instant

  bool has_modes = false;  // some surface has one

  // What events have done to this instant.
  bool restart_needed = true;  // disturbed continuous time: until the integrator has started again
  bool in_instant = false;     // happened, and time has not gone on: until Events::end_instant()
  bool modes_moved = false;    // changed what modes depend on: until these are relaxed, or the instant ends
  bool shown_moved = false;    // … what modes that are only shown depend on: until Crossings::relax_shown()

  Report report;  // what is counted on the way

  double* states() { return reinterpret_cast<double*>(memory.data()); }
  const double* states() const { return reinterpret_cast<const double*>(memory.data()); }
  double horizon() const { return options.stop - options.start; }
  bool is_at_stop() const { return t >= options.stop - time_tolerance; }
  std::byte& mode_of(const program::Surface& surface) { return memory[machine.layout().offset[surface.mode]]; }

  Place place_of(program::OriginId origin) const;
  // What lies in the solver's vector: states, then the unknowns of loops if it solves for them.
  std::vector<program::SlotId> solver_vector() const;
  std::string state_name(int index) const;

  void save(class SaveWriter& out) const;  // all but nominals, which are the solver's
  [[nodiscard]] bool restore(class SaveReader& in);
};

}  // namespace orrery::sim
