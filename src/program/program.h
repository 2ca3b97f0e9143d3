// SPDX-License-Identifier: Apache-2.0
// The waist: one typed hybrid program, pure data. Every language ends here; all that runs or exports starts here.
//
// A table is what happens when one activation source fires. All its expressions read the memory as it was when the
// table was entered and all its assignments happen together, so a table is a function from memory to memory; the order
// "outputs, then state updates, then event programming" (Activate, 1.4 and 9.1) is already built into the expressions.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/diagnostic.h"
#include "base/rational.h"
#include "program/graph.h"

namespace orrery::program {

// Where a slot, a surface or an assignment comes from: a block of a diagram or a line of a text.
struct Origin {
  std::string path;  // "/Plant/Mass" or "file.csl:12"
  std::string type;  // block type, or statement kind
  int line = 0;      // in the model file
};
using OriginId = std::uint32_t;

enum class SlotKind : std::uint8_t {
  parameter,   // constant during a run: set before it (Program::parameters) or computed once when it starts
  state,       // continuous; lies in the solver's vector
  shadow,      // continuous, made by the compiler so that error control sees a surface that depends on time alone
  discrete,    // memory of a block, changed by events
  mode,        // boolean, or a double that is held (Surface); fixed while the solver steps
  direction,   // int8: how a surface crossed zero at the event now running: -1, 0, 1
  signal,      // output of a block
  activation,  // placeholder "activation input p is active"; the compiler replaces it in every table
  before,      // placeholder "this signal before the event now running"; the compiler replaces it in every table
  rate,        // placeholder "how fast this changes along the solution"; the compiler replaces it in surfaces
  unknown,     // double: found by solving the Loop it belongs to before anything reads it
};

struct Slot {
  std::string name;  // short: "x", "y1"; the origin gives the path
  Type type;
  SlotKind kind = SlotKind::signal;
  OriginId origin = 0;
  ExprId initial = no_expr;           // a constant of the same type; no_expr: zeros, or what Program::start gives
  double absolute_tolerance = 0;      // states: 0 means the run's own
  std::vector<double> nominals = {};  // states: usual sizes by element, by which the run's own is multiplied; empty: 1
  bool fixed = false;                 // states: the start value holds, invariants must agree with it
};

constexpr std::uint32_t no_source = UINT32_MAX;
constexpr std::uint32_t no_history = UINT32_MAX;

struct Assign {
  SlotId slot;
  ExprId value;
  ExprId guard = no_expr;  // boolean scalar; no_expr: always
  OriginId origin = 0;
};

// Programs an event on an activation output: replaces the pending one; a negative delay cancels it.
struct Schedule {
  std::uint32_t source;  // index into Program::sources
  ExprId delay;
  ExprId guard = no_expr;
  OriginId origin = 0;
};

enum class ActionKind : std::uint8_t {
  stop,     // end of simulation, exit 0
  fail,     // end of simulation with `text`, exit 1
  restart,  // start again with __counter__ + 1
  repeat,   // run the primary event once more in this instant
  warn,
  note,    // the model says something; nothing follows from it
  record,  // a probe takes its values: payload is the probe
};

struct Action {
  ActionKind kind;
  ExprId guard = no_expr;
  OriginId origin = 0;
  std::uint32_t probe = 0;
  std::string text = {};            // each place in it stands for the next of the values (message.h)
  std::vector<ExprId> values = {};  // double scalars
};

// What must hold in continuous time. Where the solution breaks it, which is located like any condition, it ends the run
// with its text, or warns. A point that the solver only tries is judged by the condition as it stands there: false, it
// asks for a smaller step. One whose `tried` is constant true judges no such points; then nothing of it is located, and
// it is judged as it stands, now and then (judged_as_it_stands in motion.h).
struct Assertion {
  ExprId holds = no_expr;  // boolean scalar, through modes
  ExprId tried = no_expr;  // the same without modes: nothing smooth reads it
  bool only_warns = false;
  std::string text = {};            // as in Action
  std::vector<ExprId> values = {};  // …
  OriginId origin = 0;
};

// A foreign procedure: it may change its object, and what it gives is not known before it ran. The calls of a table are
// made one after the other when its assignments are done; their arguments were computed together with these.
struct Call {
  std::uint32_t object = 0;  // index into Program::foreign_objects
  std::int32_t procedure = 0;
  std::vector<ExprId> arguments;  // doubles
  std::vector<SlotId> results;    // written, one after the other, when the procedure says that something changed
  ExprId guard = no_expr;
  OriginId origin = 0;
  std::uint32_t wake = no_source;         // the source programmed for the time at which the object wants to be called
  std::uint32_t end = no_source;          // the source that fires when the object asks for the end; none: the run ends
  std::vector<std::uint32_t> fires = {};  // sources that fire at once when the object says so (ForeignOutcome::fired)
};

struct Table {
  std::vector<Assign> assigns;
  std::vector<Schedule> schedules;
  std::vector<Action> actions;
  std::vector<Call> calls;
  bool critical = false;  // disturbs something continuous: the integrator must restart

  bool empty() const { return assigns.empty() && schedules.empty() && actions.empty() && calls.empty(); }
};

enum class SourceKind : std::uint8_t {
  initial,
  clock,       // one synchronous clock domain
  programmed,  // an activation output that some block schedules
  crossing,    // zero-crossings of one block
  step,        // every accepted step of the integrator
  left,        // an instant that disturbs continuous time, before anything changes in it; every step of fixed size
  instant,     // the end of an instant: all its events have been, time goes on
  final,       // the end of the run, unless it failed
};

struct Source {
  SourceKind kind = SourceKind::programmed;
  OriginId origin = 0;
  int port = 0;              // activation output port, 1-based (programmed)
  std::uint32_t domain = 0;  // clock
  bool queued = false;       // several events may be pending (EventDelayedChannel)
  bool first = false;        // its events come before all others of their instant
  Table table;
  std::vector<OriginId> activates;  // blocks of the table in order, for the ledger and `show schedule`
};

enum class Crossing : std::uint8_t { rising = 1, falling = 2, both = 3 };

// A scalar function whose sign is watched. Either it owns a mode, or it fires its block's crossing source.
//
// The mode is a boolean, which is "value >= 0" (or > 0 when strict), or a double: a number that is held, floor(u) for
// example. That one is right as long as value >= 0 (> 0 when strict) for all surfaces that own it, and else becomes
// `settled`.
struct Surface {
  ExprId value = no_expr;
  Crossing crossing = Crossing::both;
  SlotId mode = no_slot;
  ExprId settled = no_expr;  // held numbers only
  bool strict = false;
  bool shown = false;          // mode surfaces: only shown signals read the mode; a change disturbs nothing continuous
  bool edge = false;           // event surfaces: what counts is whether value > 0, not its sign
  bool jumps = true;           // event surfaces: an event that carries it across zero crosses it
  bool level = false;          // event surfaces: fires whenever an instant leaves it positive, whatever it was before
  std::uint32_t source = 0;    // event surfaces: the crossing source
  SlotId direction = no_slot;  // event surfaces: where the direction is stored before the source's table runs
  OriginId origin = 0;
  std::string text = {};               // "u - 3 >= 0", for messages
  std::uint32_t history = no_history;  // its mode is a stretch of this one
  bool steady = false;                 // … and the time that is looked at goes on as fast as now
};

// The past of a signal, as far back as anybody looks (Op::past). It is kept as the polynomials of the steps, in
// stretches: a new one begins wherever the signal, or one of its derivatives up to the order of the solver, may have
// jumped. Which stretch a time belongs to is held like a mode, so that whoever looks across such a break does so at an
// event. Events of the run fill it: between accepted points it stands still.
struct History {
  ExprId value = no_expr;    // doubles, any size; in continuous time
  ExprId start = no_expr;    // before the start of the run, as a function of time and of parameters
  ExprId least = no_expr;    // no look without the present value comes nearer to now; steps are no longer than that
  ExprId largest = no_expr;  // nobody looks further back; both follow from parameters, and are not negative
  std::vector<double> start_breaks = {};  // times before the start at which `start` bends or jumps, ascending
  // The sensitivity of another one to a parameter: it breaks where that one does, and knows how its breaks move.
  std::uint32_t of = no_history;
  std::uint32_t parameter = 0;
  bool present = false;  // all looks are given the present value: `least` does not count
  OriginId origin = 0;
};

// Equations 0 = residuals(unknowns, memory, time), solved together before a procedure that reads the unknowns runs. The
// memory keeps the last solution, which is the guess for the next. Both what a diagram closes upon itself (algebraic
// loops, torn) and what blocks declare (Constraint, implicit states) end here; DAE solvers take the loops of continuous
// time into their own vector instead.
struct Loop {
  static constexpr std::int32_t continuous = -1, start = -2;
  std::int32_t source = continuous;  // whose table it belongs to
  std::vector<SlotId> unknowns;
  std::vector<ExprId> residuals;  // residuals[i] has the type of unknowns[i]
  std::vector<OriginId> blocks;   // along the loop, for messages
  std::string solution = {};      // not empty: solved by the compiler, nothing is left to do; says how
  // Conditions that are settled together with the unknowns, as surfaces of the modes that the residuals read. Those of
  // continuous time are Program::surfaces, unless steps are fixed.
  std::vector<Surface> modes = {};
};

// An equation of the start that has no unknown to determine: it holds by itself, or the start contradicts itself.
struct StartCheck {
  ExprId residual = no_expr;  // a scalar
  OriginId origin = 0;
  std::string text = {};
};

// What is found when a run starts, behind Program::start and before the initial table: the loops of Loop::start, in
// order. Their unknowns are slots of kind unknown; states, parameters and memories take what was found.
struct StartSystem {
  std::vector<Assign> guesses;     // where the search begins: unknowns from start values; all happen together
  std::vector<Assign> found;       // states and what follows from them, one after the other
  std::vector<StartCheck> checks;  // judged when all has been found
  std::vector<std::string> given;  // free start values that were taken because no equation asks for another
  SlotId homotopy = no_slot;       // double: 1, except while the start is continued from a simpler problem, at 0

  bool empty() const { return guesses.empty() && found.empty() && checks.empty() && homotopy == no_slot; }
};

// One clock of a synchronous domain: ticks at base ticks first_tick + j * divisor.
struct Clock {
  OriginId origin = 0;
  Rational period;
  Rational offset;
  std::int64_t divisor = 1;
  std::int64_t first_tick = 0;
};

// Tick k happens at start + offset + k * base, computed from k (Activate, 1.4.2).
struct ClockDomain {
  Rational base;
  Rational offset;
  std::vector<std::uint32_t> clocks;  // indices into Program::clocks
};

// What a sink shows: values taken at accepted points (continuous) or when its activation fires.
struct Probe {
  std::string name;  // "/Scope.1"
  SlotId slot = no_slot;
  OriginId origin = 0;
  bool continuous = false;  // sampled at every accepted point
  bool display = false;     // final value is worth printing
  bool counts = false;      // activations of its block: one more at each of them
  std::string unit = {};
  SlotId seen = no_slot;  // boolean: its block has been activated, so there is a value; no_slot: from the start
  bool bent = false;      // continuous: a curve in time that no state follows, so steps may be too long to draw it
};

// A file to which the probes of one block go, row by row, besides all other results.
struct ExportFile {
  enum class Format : std::uint8_t { csv, text, mat, hdf5 };
  OriginId origin = 0;
  Format format = Format::csv;
  std::string file;
  std::string separator = ",";  // text
  bool header = true;           // csv, text: a first line with the names
  std::string variable = {};    // mat: name of the matrix, whose first column is the time
};

// Something outside the Program that foreign functions and procedures belong to, an FMU for example. Every run opens
// its own (program/foreign.h).
struct ForeignObject {
  std::string kind;  // "fmu"
  OriginId origin = 0;
  std::vector<std::pair<std::string, std::string>> settings;  // in the terms of whoever opens it
  std::vector<SlotId> initial;  // written, one after the other, with what it gives when it is opened
};

// Where the structure of the model was made with the number a parameter had.
struct NumberUse {
  Place place;
  std::string reason;
};

// A number of the model's scripts that can be set before a run; what follows from it is in Program::start.
struct Parameter {
  std::string name;  // of the variable
  SlotId slot = no_slot;
  std::string unit = {};
  SlotId given = no_slot;  // boolean: it was set, so its formula in Program::start is left out; no_slot: it has none
  std::vector<NumberUse> fixed_by = {};  // not empty: another value needs another Program
};

// An input of the model: a port block of its top diagram. Whoever runs the Program writes `next` (and `next_slope`) and
// fires the source, whose table takes them over; before the initial table the others are written directly. What the
// model reads is value + slope * (t - since) where there are slopes, which only doubles have, else value.
struct InputPort {
  std::string name;  // of the block
  int number = 0;    // of the port
  OriginId origin = 0;
  std::uint32_t source = no_source;
  // no_slot: an activation input, which has a source and nothing else.
  SlotId value = no_slot, slope = no_slot, since = no_slot, next = no_slot, next_slope = no_slot;
};

struct OutputPort {
  std::string name;
  int number = 0;
  OriginId origin = 0;
  std::uint32_t probe = 0;  // of its value, or of the count of its activations
  bool activation = false;
};

enum class VariableKind : std::uint8_t { parameter, input, output, signal, state, unknown, memory, mode };
constexpr std::uint32_t no_variable = UINT32_MAX;

// A quantity with a name, for those who look from outside: recording, export, scripts, an editor. Where names, units
// and descriptions do not follow from where it belongs they are texts of the Program (variables.h makes words of all
// this).
//
// Its value lies in the slot, or in one element of it, maybe with the other sign. Or nobody computes it until somebody
// asks: then `value` is what it is worth at any time between events, and the slot where that is put.
struct Variable {
  VariableKind kind = VariableKind::signal;
  bool negated = false;
  bool only = true;        // signals: the block has no other output
  std::uint16_t port = 0;  // signals: output of the block, from 1; 0: named by its slot
  OriginId origin = 0;
  SlotId slot = no_slot;
  std::int32_t element = -1;  // -1: all of the slot
  ExprId value = no_expr;
  std::uint32_t alias = no_variable;            // the variable whose other name this is
  std::uint32_t name = 0, unit = 0, about = 0;  // texts; 0: none
};

// How fast a surface changes along the solution, and how it changes with each parameter at a fixed time.
struct SurfaceTangent {
  ExprId rate = no_expr;
  std::vector<ExprId> change;
};

// What a run must know to carry sensitivities through events (passes/add_sensitivities.h). The states are those of the
// model, then for each parameter as many sensitivities of them.
struct Sensitivities {
  std::vector<std::string> parameters;           // empty: there are none
  std::uint32_t states = 0;                      // how many of Program::states are the model's own
  std::vector<SlotId> event_time;                // by parameter: how the instant of the event now running changes
  std::vector<std::vector<SlotId>> source_time;  // by source and parameter: the same for the event it has pending
  std::vector<SurfaceTangent> surfaces;
  std::vector<std::string> differenced;  // computations of the start that are differentiated by differences
};

struct Program {
  Graph graph;
  std::vector<Origin> origins;  // [0] is the model itself
  std::vector<Slot> slots;
  std::vector<Parameter> parameters;
  // What follows from parameters alone: coefficients and initial values. Carried out once when a run starts, before the
  // initial source, one after the other: an assignment sees those before it.
  std::vector<Assign> start;
  StartSystem start_system;
  std::vector<Source> sources;  // [0] is the initial source
  std::vector<Clock> clocks;
  std::vector<ClockDomain> domains;
  // Continuous part. derivatives[i] belongs to the slot states[i]; modes are read from their slots.
  std::vector<SlotId> states;
  std::vector<ExprId> derivatives;
  // A loop reads unknowns of its own and of loops before it only.
  std::vector<Loop> loops;
  std::vector<Surface> surfaces;
  std::vector<History> histories;
  // What solutions keep, and numerical ones keep by being put back after each step: expressions (doubles, any size)
  // that stay zero, and states with the value they are to have (Activate, 10.3).
  std::vector<ExprId> invariants;
  std::vector<Assign> projections;
  std::vector<Assertion> assertions;
  // Signals that depend on continuous time and that something reads at accepted points (probes, held values).
  std::vector<Assign> always;
  // Conditions of continuous signals as events read them: what they are just after the instant. Evaluated before a
  // table that reads their slots.
  std::vector<Assign> sampled;
  std::vector<Probe> probes;
  std::vector<ExportFile> exports;
  // The model's own interface, by the numbers of the ports.
  std::vector<InputPort> inputs;
  std::vector<OutputPort> outputs;
  std::vector<Variable> variables;  // signals only where it was compiled to keep them
  std::vector<std::string> texts;   // of variables; [0] is empty
  std::vector<ForeignObject> foreign_objects;
  Sensitivities sensitivities;
  bool fixed_step = false;  // compiled for fixed-step solvers: no modes

  OriginId add_origin(Origin origin) {
    origins.push_back(std::move(origin));
    return static_cast<OriginId>(origins.size() - 1);
  }
  SlotId add_slot(Slot slot) {
    slots.push_back(std::move(slot));
    return static_cast<SlotId>(slots.size() - 1);
  }
  ExprId read(SlotId slot) { return graph.read(slot, slots[slot].type); }
};

}  // namespace orrery::program
