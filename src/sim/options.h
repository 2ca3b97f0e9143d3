// SPDX-License-Identifier: Apache-2.0
// What a run is asked to do.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/results_limit.h"
#include "native/code.h"
#include "program/foreign.h"
#include "sim/start_procedure.h"
#include "solve/integrator.h"

namespace orrery::sim {

class Sink;
class LedgerSink;

// How the solution of algebraic equations is searched where there is none yet: at the start of a run and where the
// integrator starts again (Activate, 10.2 and 10.4.6). Between such points the last solution is near.
enum class AlgebraicMethod : std::uint8_t {
  automatic,  // newton, then from guesses moved a little, then homotopy
  newton,     // Newton's iteration with damping, from the guess and nowhere else
  homotopy,   // follows the solution from the guess while the residual shrinks to nothing
  idacalc,    // IDACalcIC of SUNDIALS, and Newton's iteration for the last digits
};
// By name, as those of solvers are matched; empty: automatic. The book's fsolve is newton, its daskrcalc is idacalc.
std::optional<AlgebraicMethod> find_algebraic_method(std::string_view name);

// An input of the Program over time: points with ascending times, where two have the same time a jump. Between points
// doubles follow straight lines and all others keep the value of the last point; before the first point and after the
// last one the input stands still.
struct InputSeries {
  std::size_t input = 0;  // index into Program::inputs
  std::vector<double> time;
  std::vector<double> values;  // all elements of the first point, then of the next; of complex ones both parts
};

// More steps or events than a computer makes in weeks: a run that would need them is refused.
constexpr double most_steps = 1e12, most_events = 1e12;

struct RunOptions {
  std::vector<ParameterSetting> parameters;  // others keep the values they were compiled with
  std::vector<InputSeries> inputs;           // others are 0 until somebody sets them
  bool record = true;                        // false: no probe is looked at
  double start = 0;
  double stop = 10;
  std::string solver = "auto";
  solve::Tolerance tolerance{1e-6, 0, {}};  // absolute 0: as the relative one
  solve::StepLimits limits;
  double time_tolerance = 0;  // events closer than this are simultaneous; 0: a few roundings of the horizon
  AlgebraicMethod algebraic = AlgebraicMethod::automatic;
  double zero_threshold = 0;      // a surface that fired stays masked until its absolute value exceeds this (10.5.2)
  double interval = 0;            // record at multiples of this instead of every accepted point; 0: every point
  std::vector<double> row_times;  // with an interval: rows at these times, which grow, instead of its multiples
  bool grid_only = false;         // with an interval: nothing else than the grid, the first row and the last
  bool record_events = false;     // keep the event ledger
  bool sliding = false;           // where both values of a mode lead to the other, go on along the surface
  bool final_tick = true;         // a periodic tick exactly at the stop time runs
  double results_limit = default_results_limit();  // bytes of recording and ledger, as far as they are kept in memory
  std::string name;                                // of the model, for sinks
  // Where rows and, with record_events, events go; they must outlive the run. None: memory, and Simulation has them.
  std::vector<Sink*> sinks;
  std::vector<LedgerSink*> ledger_sinks;
  long zero_delay_limit = 100000;  // events in one instant before the run is stopped as an endless cycle
  native::CompileOptions native;
  program::OpenForeign open_foreign;             // for programs with foreign objects
  const std::atomic<bool>* interrupt = nullptr;  // set: stop cleanly and keep the results
  std::function<void(double t)> progress;        // called now and then
};

}  // namespace orrery::sim
