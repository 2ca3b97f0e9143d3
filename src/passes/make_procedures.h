// SPDX-License-Identifier: Apache-2.0
// Cuts a Program into procedures: what is called when, for whoever runs them as native code or writes them out as C.
#pragma once

#include <vector>

#include "passes/build_jacobian.h"
#include "passes/mode_systems.h"
#include "program/procedure.h"
#include "program/program.h"

namespace orrery::passes {

// A source's table as a loop over events sees it. After its procedure ran, y holds for each schedule a flag and a
// delay, then a flag and the values for each action, then for each call a flag and its arguments.
struct TableProcedure {
  std::size_t procedure = 0;
  bool critical = false;
  bool shows = false;          // recorded signals can change: both sides are kept
  std::size_t shows_when = 0;  // … if this procedure gives a number other than 0 before the event; 0: at each event
  bool quiet = true;           // no schedules and calls, no actions but rows
  bool reads_states = false;
  bool reads_modes = false;
  bool reads_sampled = false;             // Program::sampled
  std::vector<std::uint32_t> loops = {};  // solved before it
};

// A loop of the Program; where the compiler has solved it there is none.
struct LoopProcedures {
  std::size_t residual = 0;
  std::size_t jacobian = 0;  // only where exact: by the unknowns, in the order of the pattern
  bool exact = true;
  Sparsity pattern = {};
  std::size_t modes = 0;  // gives for each of Loop::modes its value, or what a held number becomes; 0: there are none
};

struct Procedures {
  static constexpr std::size_t derivatives = 0, surfaces = 1, always = 2;
  std::vector<program::Procedure> all;
  std::vector<TableProcedure> tables;  // by source
  std::vector<LoopProcedures> loops;
  // Loops to be solved before the procedures of continuous time.
  std::vector<std::uint32_t> derivative_loops, surface_loops, always_loops, kept_loops, sampled_loops, assertion_loops,
      history_loops;
  std::vector<ModeSystem> mode_systems;  // conditions and the loops they belong to
  // All loops of continuous time: what a DAE solver takes over, element by element, behind the states.
  std::vector<std::uint32_t> continuous_loops;
  std::size_t start = 0, start_count = 0;  // of the start of a run: the first, and how many, to be run in order
  // Program::start_system: loops and procedures.
  std::vector<std::uint32_t> start_loops;
  std::size_t found = 0, found_count = 0;  // the first, and how many, to be run in order
  std::size_t guesses = 0, checks = 0;     // 0: there is none
  // Procedures; 0: there is none.
  std::size_t invariants = 0;   // numbers that stay zero
  std::size_t projections = 0;  // the moves of all states to where they should be (Program::projections)
  // Three: for each assertion whether it holds, the same at a point that is tried, and the numbers in their texts.
  std::size_t assertions = 0;
  std::size_t surface_tangents = 0;  // for each surface its rate and its change with each parameter
  // First and second rate of each surface along the solution, not a number where there is no rule, and the size of the
  // terms it is made of.
  std::size_t surface_rates = 0;
  std::size_t histories = 0;       // the signals that are kept, one after the other
  std::size_t history_starts = 0;  // … as they were before the start
  std::size_t history_bounds = 0;  // … and their smallest and largest delays
  std::size_t history_count = 0;   // numbers that are kept
  // By history that is looked at and history that is kept: how many integrations lie between them (smoothing_order.h).
  std::vector<std::vector<std::uint8_t>> smoothing;
  std::size_t sampled = 0;             // conditions as events read them, stored in their slots
  bool partial = false;                // derivatives may be without a value: sqrt, log, division
  bool partial_shown = false;          // … and so may what is shown
  std::size_t settled = 0;             // what the numbers that are held settle at
  std::vector<program::SlotId> held;   // these numbers (program::Surface), in this order
  std::vector<bool> affine, has_rate;  // by surface
  std::size_t invariant_count = 0;
  std::size_t state_count = 0;  // doubles in a solver's vector
  std::size_t output_size = 0;  // of the largest y of a table
  bool continuous_probes = false;
};

// Adds nodes to the program's graph.
Procedures make_procedures(program::Program& program);

// Derivatives of the derivatives by the states, for implicit solvers. Without a rule for some operation only the
// pattern is made. Where there are loops of continuous time, rows and columns go on behind the states with their
// residuals and unknowns.
struct StateJacobian {
  Jacobian matrix;
  // By state: the number of the unknown of these loops that is its derivative, as it stands; -1: none.
  std::vector<int> rates;
};
StateJacobian make_state_jacobian(program::Program& program, const Procedures& procedures);

}  // namespace orrery::passes
