// SPDX-License-Identifier: Apache-2.0
// What a block says once it is built: expressions and rules over slots, before anything is scheduled.
//
// Inputs are reads of the signals that drive them, activation inputs are reads of placeholder slots; the compiler
// replaces both when it composes the table of an activation source.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/rational.h"
#include "program/program.h"

namespace orrery::blocks {

using program::ExprId;
using program::SlotId;

// When a rule applies. The order of outputs, updates and programming is the compiler's.
enum class When : std::uint8_t {
  activation,  // the block is activated by an event (not by continuous time)
  start,       // once, when the simulation starts
  crossing,    // one of the block's surfaces crossed zero
  fired,       // the block's own activation output `port` fires
  step,        // the integrator has accepted a step
  left,        // something is about to disturb continuous time: values are still those on the left of the instant
  instant,     // all events of an instant have been
  final,       // the run ends
};

struct Rule {
  enum class Kind : std::uint8_t { set, schedule, action, call };
  When when = When::activation;
  int fired_port = 0;
  ExprId condition = program::no_expr;
  Kind kind = Kind::set;
  SlotId slot = program::no_slot;   // set
  int port = 0;                     // schedule: activation output
  ExprId value = program::no_expr;  // set: new value; schedule: delay
  program::ActionKind action = program::ActionKind::stop;
  std::string text;                 // action
  std::vector<ExprId> values = {};  // … the numbers in the text
  std::size_t call = 0;             // call: index into Body::calls
};

// A foreign procedure. It can program activation outputs: `wake_port` for the time at which it wants to be called, and
// `end_port` when it asks for the end, which otherwise ends the run. 0: none.
struct CallRule {
  std::uint32_t object = 0;
  int procedure = 0;
  std::vector<ExprId> arguments;
  std::vector<SlotId> results;
  int wake_port = 0;
  int end_port = 0;
  std::vector<int> fire_ports = {};  // activation outputs that fire when the object says so
};

struct Derivative {
  SlotId state;
  ExprId value;
};

// A value the block does not compute but asks for: such that the residual vanishes.
struct UnknownRule {
  SlotId slot;
  ExprId residual = program::no_expr;
};

// The activation that reaches the block leaves through `port`, in the same instant and table, when the condition holds.
struct Pass {
  int port;
  ExprId condition;
  bool events_only = false;  // continuous time does not leave here, whatever the condition
};

struct ModeSurface {
  ExprId value;  // scalar
  bool strict;   // > 0 rather than >= 0
};

// A mode and what it stands for: a truth value, which is that of its only surface, or a double, which is right as long
// as all its surfaces hold. Blocks write formulas; guard_body makes these of them.
struct ModeRule {
  SlotId mode;
  ExprId condition;
  std::vector<ModeSurface> surfaces;
  ExprId written;  // what the block has written, for messages: the comparison, or mod(u, 2)
  std::uint32_t history = program::no_history;  // the mode is a stretch of it (program::Surface)
  bool steady = false;
};

// The signal that one of Program::histories keeps.
struct HistoryRule {
  std::uint32_t history;
  ExprId value;
};

struct SurfaceRule {
  ExprId value;
  program::Crossing crossing;
  SlotId direction;
  bool jumps = true;   // an event that carries it across zero crosses it
  bool edge = false;   // what counts is whether the value is positive, not its sign
  bool level = false;  // it fires whenever an instant leaves it positive
};

// A scalar and the placeholder that surfaces read for how fast it changes along the solution.
struct RateRule {
  SlotId slot;
  ExprId value;
};

struct ClockRule {
  int port;
  Rational period;
  Rational offset;
};

struct ProbeRule {
  SlotId slot;  // assigned like an output
  ExprId value;
  std::string name;
  bool display;
  bool bare = false;  // the name stands alone, without the path of the block
};

// A constant activation output: continuous time, or the initial instant.
struct TimelessOutput {
  int port;
  bool always;
};

// An activation output with the period of the periodic activation that reaches the block, times factor / up.
struct Resample {
  int port;
  std::int64_t factor;
  std::int64_t phase;
  std::int64_t up = 1;
};

// A port of the model itself (program::InputPort).
struct InterfaceRule {
  SlotId value = program::no_slot, slope = program::no_slot, since = program::no_slot, next = program::no_slot,
         next_slope = program::no_slot;
  int number = 0;
};

struct Body {
  std::vector<ExprId> outputs;
  std::vector<Derivative> derivatives;
  std::vector<UnknownRule> unknowns;
  std::vector<ExprId> invariants;              // stay zero along exact solutions
  std::vector<ExprId> start_equations;         // zero when continuous time begins
  std::vector<ExprId> followed;                // read by events only, but located where they jump
  std::vector<Derivative> projections;         // where a state is put after each step
  std::vector<program::Assertion> assertions;  // while continuous time reaches the block
  std::vector<HistoryRule> histories;
  std::vector<Rule> rules;
  std::vector<Pass> passes;
  std::vector<std::pair<ExprId, ExprId>> smooth;  // what takes the place of an expression in continuous time
  bool smooth_in_fixed_steps = false;             // … and in steps of fixed size: they are memories
  std::vector<ModeRule> modes;                    // only after guard_body
  std::vector<SurfaceRule> surfaces;
  std::vector<RateRule> rates;
  std::vector<ClockRule> clocks;
  std::vector<Resample> resamples;
  std::vector<TimelessOutput> timeless;
  std::vector<ProbeRule> probes;
  std::vector<SlotId> active_slots;  // placeholder of activation input p at [p-1]; no_slot when the block does not ask
  std::vector<std::pair<SlotId, SlotId>>
      before;                     // placeholders of signals as they were before an event, and the signals
  std::vector<int> event_probes;  // activation inputs recorded by name (EventScope)
  std::vector<int> queued_ports;  // activation outputs on which several events may be pending
  std::vector<CallRule> calls;
  std::vector<int> step_ports;           // activation outputs that fire after every accepted step of the integrator
  std::vector<int> final_ports;          // … when the run ends
  std::vector<int> first_ports;          // activation outputs whose events come before all others of their instant
  std::vector<int> outside_ports;        // activation outputs that whoever runs the model fires
  std::vector<InterfaceRule> interface;  // at most one
  SlotId period = program::no_slot;      // of the clock that activates the block, which must be one
  // Activation outputs that are linked to activation inputs of the block itself. Both may lie beyond the declared ones.
  std::vector<std::pair<int, int>> own_links;
};

}  // namespace orrery::blocks
