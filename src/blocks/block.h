// SPDX-License-Identifier: Apache-2.0
// How a block is written: declare parameters and ports, then say the behaviour once, as formulas.
//
//   y = k * u:            b.out(1, b.parameter("k") * b.in(1));
//   integrator:           auto x = b.state("x", b.parameter("x0"));  b.der(x, b.in(1));  b.out(1, x);
//   absolute value:       b.out(1, select(u >= 0.0, u, -u));
//   unit delay:           auto z = b.memory("z", b.parameter("z0"));  b.out(1, z);  b.on_activation().set(z, b.in(1));
//   event delay:          b.on_activation().schedule(1, b.parameter("delay"));
//   zero-crossing:        b.on_rising(b.in(1)).emit(1);
//
// The block never runs: the compiler composes these expressions into the Program. Where a formula has corners or jumps
// they are located in continuous time (guard_body.h); a block need not say so.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "blocks/body.h"
#include "blocks/icon.h"
#include "blocks/parameters.h"
#include "blocks/ports.h"
#include "program/expr.h"

namespace orrery::blocks {

using program::Expr;
using program::Op;
using program::Scalar;
using program::Type;

// What activates an instance without activation links (Activate, 1.2.3, 1.2.4, 1.3). `always` holds besides links: an
// Integral that an event resets goes on integrating.
enum class Activation : std::uint8_t {
  inherit,            // the union of the activations of its input sources, on activation input 1
  inherit_per_input,  // input k activates through activation input k
  always,
  initial,
  always_and_inherit,  // always; without activation links also by the events of its input sources
};

class Block;

// Block types that the compiler, or a reader of results, treats differently from all others.
enum class Role : std::uint8_t {
  ordinary,
  diagram_input,  // ports of the diagram they stand in
  diagram_output,
  diagram_event_input,
  diagram_event_output,
  diagram_condition,  // an input that says whether the diagram runs
  include,            // a super block whose diagram is in a file
  user_type,          // stands for a block type of a user's library
  set_signal,         // links without a line
  get_signal,
  scope_signal,
  set_activation,  // the same for activations
  get_activation,
  scope_activation,
  bus_creator,  // signals with names on one link, which nothing remains of
  bus_extractor,
  bus_assignment,
  bus_constant,
  always_port,    // what activates it takes the place of continuous time in its diagram
  exporter,       // what it records goes to a file of its own
  sync_tag,       // cuts the clocks of its diagram off from those outside
  base_variable,  // what it records is for the base workspace of scripts, when the run ends
  script_signal,  // what it records is also for scripts, together with its activations
  event_marks,    // records events, not values
  linearisation_point,
};

struct BlockType {
  std::string name = {};
  std::string palette = {};
  std::string summary = {};      // one sentence
  std::string description = {};  // paragraphs for the manual, an empty line between them; may be empty
  Icon icon = {};                // what its frame shows; without one its name
  std::vector<ParameterSpec> parameters = {};
  Activation activation = Activation::inherit;
  Role role = Role::ordinary;
  void (*ports)(Ports&) = nullptr;
  void (*refine)(Ports&) = nullptr;  // called again and again while inference learns sizes
  void (*build)(Block&) = nullptr;   // nullptr: the compiler itself gives the block its meaning
  bool traces = false;               // its behaviour is a text: Parameters::tracer() is there
  bool foreign = false;              // its behaviour is in a file: Parameters::foreign_models() is there
};

// A state or memory: reads like an expression, and can be the target of der() and set().
class Variable : public Expr {
 public:
  Variable() = default;
  Variable(Expr value, SlotId slot) : Expr(value), slot_(slot) {}
  SlotId slot() const { return slot_; }

 private:
  SlotId slot_ = program::no_slot;
};

// Rules that share a trigger. Each call adds one rule; when() narrows those that follow.
class Trigger {
 public:
  Trigger(Block& block, When when, int fired_port, Expr condition)
      : block_(block), when_(when), fired_port_(fired_port), condition_(condition) {}
  Trigger when(Expr condition) const;                            // scalar; not boolean means "not 0"
  const Trigger& set(const Variable& target, Expr value) const;  // states jump, memories change
  const Trigger& schedule(int port, Expr delay) const;           // replaces a pending event; negative: cancels it
  const Trigger& emit(int port) const;                           // schedule with delay 0
  // The run ends, fails or goes on with a message. Each "{}" in its text stands for the next of the values (scalars).
  const Trigger& stop(std::string message = {}, const std::vector<Expr>& values = {}) const;
  const Trigger& fail(std::string message, const std::vector<Expr>& values = {}) const;
  const Trigger& warn(std::string message, const std::vector<Expr>& values = {}) const;
  const Trigger& note(std::string message, const std::vector<Expr>& values = {}) const;
  const Trigger& restart() const;
  const Trigger& repeat() const;
  const Trigger& call(CallRule rule) const;  // a foreign procedure, after all assignments of the event
  Expr condition() const { return condition_; }

 private:
  const Trigger& act(program::ActionKind action, std::string text = {}, const std::vector<Expr>& values = {}) const;

  Block& block_;
  When when_;
  int fired_port_;
  Expr condition_;
};

class Block {
 public:
  Block(program::Program& program, program::OriginId origin, const Parameters& parameters, std::vector<Expr> inputs,
        std::vector<Type> outputs, int activation_inputs);

  // Parameters.
  const Parameters& parameters() const { return parameters_; }
  // Constants, or formulas of the model's parameters.
  Expr parameter(std::string_view name);             // of its own type and size
  Expr parameter(std::string_view name, Type type);  // converted; a scalar fills the size
  Expr real(std::string_view name);                  // one real number
  Expr finite(std::string_view name);                // the same, neither infinite nor nan
  Expr positive_real(std::string_view name);         // the same, finite and greater than 0
  double number(std::string_view name) const { return parameters_.number(name); }
  int integer(std::string_view name) const { return parameters_.integer(name); }
  int count(std::string_view name) const { return parameters_.count(name); }
  double positive(std::string_view name) const { return parameters_.positive(name); }
  bool flag(std::string_view name) const { return parameters_.flag(name); }
  Rational exact(std::string_view name) const;  // not negative: for clocks
  const std::string& text(std::string_view name) const { return parameters_.text(name); }
  Expr constant(double value, Scalar scalar = Scalar::f64);
  Expr constant(Type type, const std::vector<double>& data);
  Expr fill(Type type, double value);  // every element
  Expr time();

  // Ports, 1-based. out() converts nothing: the value must have the port's type; a scalar fills the size.
  int input_count() const { return static_cast<int>(inputs_.size()); }
  int output_count() const { return static_cast<int>(output_types_.size()); }
  const std::vector<Expr>& inputs() const { return inputs_; }
  Expr in(int port = 1) const { return inputs_[static_cast<std::size_t>(port - 1)]; }
  Type out_type(int port = 1) const { return output_types_[static_cast<std::size_t>(port - 1)]; }
  void out(int port, Expr value);

  // Memory. Initial values are constants or follow from parameters; their type is the variable's type.
  Variable state(std::string name, Expr initial);   // continuous, double
  Variable memory(std::string name, Expr initial);  // discrete, any type
  void der(const Variable& state, Expr value);
  void set_nominals(const Variable& state, std::vector<double> sizes);  // usual sizes, by element
  // Implicit definitions: a value, and the residual that must vanish at it (double, of the same size). Together with
  // der(x, unknown) this is an implicit differential equation; see Constraint.
  Variable unknown(std::string name, Expr guess);
  void equation(const Variable& unknown, Expr residual);
  // What the exact solution keeps and a numerical one loses (Activate, 10.3): a value that stays zero, or the point to
  // which a state is moved after each step.
  void keep_zero(Expr value);
  // What is zero when the run starts, and says nothing later: it determines states that are free then.
  void zero_at_start(Expr value);
  void project(const Variable& state, Expr value);
  // What must be true while continuous time reaches the block; else the run fails, or warns, with this message. A point
  // that a solver tries is rejected where it is false.
  void require(Expr holds, std::string message, const std::vector<Expr>& values = {}, bool only_warns = false);

  // Who is named when a position lies outside the array: the last argument of gather and update.
  std::uint32_t blame();

  // In continuous time another expression takes the place of this one, which is as good there and has no corners.
  void read_smoothly(Expr value, Expr smooth);
  // The same, with steps of fixed size as well: what is remembered is one for all of a step, and changes at events.
  void read_memory(Expr value, Expr remembered);

  // A value that only events read, but whose jumps in continuous time matter: conditions in it are modes too.
  void follow(Expr value);

  // The past. The value (doubles) as it was `delay` (one number, not negative) ago. Looks that may come nearer to now
  // than the last accepted point read the value itself: the block then has feedthrough.
  struct PastOptions {
    Expr least, largest;  // delays; what follows from parameters
    Expr start;           // the value before the run, as a formula of time and parameters
    std::vector<double> start_breaks = {};
    bool present = false;  // delays may be shorter than `least`, down to 0
  };
  Expr past(Expr value, Expr delay, const PastOptions& options);

  // Activation.
  Expr active(int port);    // boolean: activated through this activation input
  Expr before(int port);    // in rules of events: the input as it was before the event
  Trigger on_activation();  // any event
  Trigger on_activation(int port);
  Trigger on_start();
  Trigger on_fired(int port);
  Trigger on_rising(Expr value);
  Trigger on_falling(Expr value);
  Trigger on_crossing(Expr value);      // either way
  Trigger on_positive(Expr value);      // where it becomes positive, from zero as well
  Trigger on_not_positive(Expr value);  // where it stops being so
  Trigger while_positive(Expr value);   // where it becomes positive, and again as long as an instant leaves it so
  // Once for all of them: those located in continuous time only, either way, and those that fall, also by a jump.
  Trigger on_crossings(const std::vector<Expr>& located, const std::vector<Expr>& falling);
  Trigger on_step();  // after every accepted step of the integrator
  // Before continuous time is disturbed, by an event or a change of mode: its rules see the values on the left of the
  // instant, and memories that they set are known when it happens. With fixed steps: at the end of each.
  Trigger on_left();
  // How fast a scalar changes along the solution, for surfaces alone. Where there is no formula for it, a warning says
  // so, the surface is not there, and rules of on_left apply after every step.
  Expr rate(Expr value);
  Trigger on_instant_end();             // when all events of an instant have been
  Trigger on_end();                     // when the run ends, unless it failed
  void pass(int port, Expr condition);  // synchronous: same instant, same table
  void pass(int port);
  void pass_event(int port, Expr condition);  // the same, for events; continuous time does not pass
  void clock(int port, Rational period, Rational offset);
  void resample(int port, std::int64_t factor, std::int64_t phase, std::int64_t up = 1);
  void always(int port);
  void initially(int port);
  void queue(int port);  // several events may be pending on this output
  void fires_at_steps(int port);
  void fires_at_end(int port);
  void come_first(int port);  // events (or ticks) of this output run before all others of their instant
  void activate_itself(int output_port, int input_port);
  void fires_from_outside(int port);  // whoever runs the model fires it
  Expr period();                      // of the clock that activates the block; where there is none the model is refused
  void stand_for_port(InterfaceRule rule);

  // Foreign code (program/foreign.h).
  std::uint32_t foreign_object(program::ForeignObject object);
  int declare(program::ForeignFunction function) { return graph().declare(std::move(function)); }
  Expr foreign(int function, const std::vector<Expr>& arguments, int result = 0);

  // Sinks.
  void record(std::string name, Expr value, bool display = false);
  void record_bare(std::string name, Expr value);  // under this name alone, without the path of the block
  void record_event(int activation_input);
  void export_to(program::ExportFile file);  // what the block records goes there, and not to the other results

  [[noreturn]] void fail(std::string parameter, std::string message, std::string help = {}) const;
  std::uint32_t index_site();  // for Graph::gather and update: the block is blamed for an index outside
  Body& body() { return body_; }
  program::Graph& graph() { return program_.graph; }
  const program::Program& program() const { return program_; }

 private:
  friend class Trigger;
  static std::vector<ExprId> numbers(const std::vector<Expr>& values);
  Expr wrap(ExprId id) { return {&program_.graph, id}; }
  Expr formula(const Value& value, Type type);
  SlotId add_slot(std::string name, program::SlotKind kind, Expr initial);
  Trigger on_surface(Expr value, program::Crossing crossing);

  program::Program& program_;
  program::OriginId origin_;
  const Parameters& parameters_;
  std::vector<Expr> inputs_;
  std::vector<Type> output_types_;
  Body body_;
};

// The library: one readable list in blocks/library.cpp.
const std::vector<const BlockType*>& library();
const BlockType* find_type(std::string_view name);
Role role_of(std::string_view type);  // ordinary where there is no such type

}  // namespace orrery::blocks
