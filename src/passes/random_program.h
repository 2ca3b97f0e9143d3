// SPDX-License-Identifier: Apache-2.0
// For tests: random whole Programs that keep all rules, with every part a Program can have but foreign objects: states,
// memories, clocks, loops of all kinds with modes, histories, functions with statements, messages, assertions,
// invariants, projections, a start with its system of equations.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "passes/make_modes.h"
#include "passes/own_modes.h"
#include "program/parameter_space.h"
#include "program/random_function.h"

namespace orrery::passes {

class RandomProgram {
 public:
  explicit RandomProgram(unsigned seed, bool folds = true) : dice_(seed), seed_(seed) {
    program_.graph = program::Graph({.fold = folds, .share = folds});
  }

  program::Program make() {
    add_slots();
    add_sources();
    grow_expressions();
    add_continuous();
    for (std::size_t k = 0; k < program_.sources.size(); ++k) add_table(k);
    add_event_loop();
    add_start();
    own_modes(program_);
    return std::move(program_);
  }

 private:
  using ExprId = program::ExprId;
  using SlotId = program::SlotId;
  using Type = program::Type;
  using Scalar = program::Scalar;
  using Kind = program::SlotKind;

  std::size_t draw(std::size_t n) { return dice_() % n; }

  SlotId add_slot(const char* name, Type type, Kind kind) {
    program::Slot slot{.name = name + std::to_string(program_.slots.size()), .type = type, .kind = kind};
    slot.origin = static_cast<program::OriginId>(draw(program_.origins.size()));
    return program_.add_slot(std::move(slot));
  }

  // The slots of random expressions first.
  void add_slots() {
    for (const char* path : {"", "/Plant", "/Plant/Mass", "/Clock"}) program_.add_origin({path, "test", 0});
    const Kind kinds[] = {Kind::state,    Kind::state,     Kind::parameter, Kind::discrete, Kind::parameter,
                          Kind::discrete, Kind::parameter, Kind::discrete,  Kind::discrete};
    for (std::size_t k = 0; k < program::random_slots().size(); ++k)
      add_slot("v", program::random_slots()[k], kinds[k]);
    program_.states = {0, 1};
    loose_ = {add_slot("z", {}, Kind::unknown), add_slot("w", {Scalar::f64, 3, 1}, Kind::unknown)};
    in_event_ = {add_slot("e", {Scalar::f64, 2, 2}, Kind::unknown)};
    at_start_ = {add_slot("s", {}, Kind::unknown), add_slot("s", {Scalar::f64, 3, 1}, Kind::unknown)};
    signal_ = add_slot("y", {}, Kind::signal);
    truth_ = add_slot("b", {Scalar::boolean}, Kind::discrete);
  }

  void add_sources() {
    using SourceKind = program::SourceKind;
    program_.clocks.push_back({.origin = 3, .period = {1, 10}, .offset = {0, 1}, .divisor = 2, .first_tick = 1});
    program_.domains.push_back({.base = {1, 20}, .offset = {0, 1}, .clocks = {0}});
    for (const SourceKind kind : {SourceKind::initial, SourceKind::clock, SourceKind::programmed, SourceKind::crossing,
                                  SourceKind::step, SourceKind::final}) {
      program::Source source;
      source.kind = kind;
      program_.sources.push_back(std::move(source));
    }
    program_.probes.push_back({.name = "/y", .slot = signal_, .continuous = true});
  }

  void grow_expressions() {
    program::Graph& g = program_.graph;
    program::RandomExpressions random(g, seed_);
    for (const SlotId slot : loose_) random.add({&g, program_.read(slot)});
    for (const SlotId slot : at_start_) random.add({&g, program_.read(slot)});
    random.add({&g, program_.read(in_event_[0])});
    random.add({&g, program_.read(truth_)});
    for (const auto& function : program::random_functions(seed_, 2)) {
      program::Function own = *function;
      own.unguarded = true;  // as if the user had been told
      random.add_function(program::make_function(std::move(own)));
    }
    random.look_back(1);
    pool_ = random.grow(120);
    program::History history;
    history.value = program_.read(1);
    history.start = pick({Scalar::f64, 3, 1}, [&](ExprId id) { return program::is_start_value(program_, id); });
    history.least = g.constant(0.1);
    history.largest = g.constant(2);
    program_.histories.push_back(std::move(history));
  }

  // What of the unknowns it reads: a loop reads its own and those before it.
  bool reads(ExprId id, const std::vector<SlotId>& slots) const {
    for (const ExprId e : program::reachable(program_.graph, {&id, 1})) {
      const program::Node& node = program_.graph[e];
      if (node.op == program::Op::read && std::count(slots.begin(), slots.end(), node.payload) > 0) return true;
    }
    return false;
  }
  bool ticks(ExprId id) const {
    for (const ExprId e : program::reachable(program_.graph, {&id, 1})) {
      if (program_.graph[e].op == program::Op::clock_active) return true;
    }
    return false;
  }
  bool is_continuous(ExprId id) const { return !reads(id, in_event_) && !reads(id, at_start_) && !ticks(id); }

  template <class Good>
  ExprId pick(Type type, const Good& good) {
    std::vector<ExprId> fitting;
    for (const program::Expr& e : pool_) {
      if (e.type() == type && good(e.id())) fitting.push_back(e.id());
    }
    if (!fitting.empty()) return fitting[draw(std::min<std::size_t>(fitting.size(), 40))];
    std::vector<double> zeros(static_cast<std::size_t>(type.size()) * (type.scalar == Scalar::c128 ? 2 : 1));
    return program_.graph.constant(type, zeros);
  }
  ExprId continuous(Type type) {
    return pick(type, [&](ExprId id) { return is_continuous(id); });
  }
  // Of an event: unknowns of the start are not there any more.
  ExprId at_event(Type type) {
    return pick(type, [&](ExprId id) { return !reads(id, at_start_); });
  }
  ExprId plus(ExprId a, ExprId b) { return program_.graph.binary(program::Op::add, a, b); }

  std::vector<ExprId> values(std::size_t count, bool moving) {
    std::vector<ExprId> list;
    while (list.size() < count) list.push_back(moving ? continuous({}) : at_event({}));
    return list;
  }

  // Smooth by modes, as every language makes it.
  void add_continuous() {
    ModeMaker maker(program_, 1);
    program_.derivatives = {maker.apply(continuous({})), maker.apply(continuous({Scalar::f64, 3, 1}))};
    program::Loop loop;
    loop.unknowns = loose_;
    for (const SlotId slot : loose_)
      loop.residuals.push_back(maker.apply(plus(program_.read(slot), continuous(program_.slots[slot].type))));
    loop.blocks = {1, 2};
    program_.loops.push_back(std::move(loop));
    for (const Type type : {Type{}, Type{Scalar::f64, 3, 1}, Type{Scalar::f64, 2, 2}})
      program_.invariants.push_back(maker.apply(continuous(type)));
    program_.projections.push_back({.slot = 1, .value = maker.apply(continuous({Scalar::f64, 3, 1}))});
    for (const bool only_warns : {false, true}) {
      program::Assertion assertion;
      assertion.tried = continuous({Scalar::boolean});
      assertion.holds = maker.apply(assertion.tried);
      assertion.only_warns = only_warns;
      assertion.text = "it is {} and not {}";
      assertion.values = values(2, true);
      program_.assertions.push_back(std::move(assertion));
    }
    program_.always.push_back({.slot = signal_, .value = maker.apply(continuous({}))});
    program_.sampled.push_back({.slot = truth_, .value = continuous({Scalar::boolean})});
    program::Surface crossing;
    crossing.value = maker.apply(continuous({}));
    crossing.source = 3;
    crossing.direction = add_slot("d", {Scalar::i8}, Kind::direction);
    program_.surfaces.push_back(std::move(crossing));
    for (const MadeMode& made : maker.modes()) {
      for (const ModeBound& bound : made.bounds) {
        program::Surface surface;
        surface.value = bound.value;
        surface.mode = made.mode;
        surface.strict = bound.strict;
        surface.history = made.history;
        surface.steady = made.steady;
        if (program_.slots[made.mode].type == Type{}) surface.settled = made.condition;
        program_.surfaces.push_back(std::move(surface));
      }
    }
  }

  void add_table(std::size_t source) {
    program::Table table;
    for (SlotId slot = 0; slot < program::random_slots().size(); ++slot) {
      const bool changes = program_.slots[slot].kind == Kind::state || program_.slots[slot].kind == Kind::discrete;
      if (!changes || draw(2) == 0) continue;
      const ExprId guard = draw(2) == 0 ? program::no_expr : at_event({Scalar::boolean});
      table.assigns.push_back({.slot = slot, .value = at_event(program_.slots[slot].type), .guard = guard});
      table.critical = table.critical || program_.slots[slot].kind == Kind::state;
    }
    if (draw(2) == 0)
      table.schedules.push_back({.source = 2, .delay = at_event({}), .guard = at_event({Scalar::boolean})});
    using ActionKind = program::ActionKind;
    for (const ActionKind kind : {ActionKind::note, ActionKind::warn, ActionKind::fail, ActionKind::stop}) {
      if (draw(2) == 0) continue;
      const std::size_t count = draw(4);
      program::Action action{.kind = kind, .guard = at_event({Scalar::boolean}), .origin = 2};
      action.values = values(count, false);
      for (std::size_t k = 0; k < count; ++k) action.text += " {}";
      table.actions.push_back(std::move(action));
    }
    program_.sources[source].table = std::move(table);
  }

  // Of the clock's table; what it reads of its conditions becomes modes of the loop.
  void add_event_loop() {
    program::Loop loop;
    loop.source = 1;
    loop.unknowns = in_event_;
    loop.residuals = {plus(program_.read(in_event_[0]), at_event({Scalar::f64, 2, 2}))};
    loop.blocks = {3};
    program_.loops.push_back(std::move(loop));
  }

  void add_start() {
    const auto fixed = [&](ExprId id) { return program::is_start_value(program_, id); };
    const auto of_start = [&](ExprId id) { return !reads(id, in_event_) && !ticks(id); };
    for (const Type type : {Type{}, Type{Scalar::f64, 2, 2}, Type{Scalar::i32}}) {
      const ExprId value = pick(type, fixed);
      const SlotId slot = add_slot("p", type, Kind::parameter);
      program_.start.push_back({.slot = slot, .value = value});
    }
    program::StartSystem& system = program_.start_system;
    system.homotopy = add_slot("lambda", {}, Kind::parameter);
    const ExprId share = program_.read(system.homotopy);
    for (const SlotId slot : at_start_) {
      const Type type = program_.slots[slot].type;
      system.guesses.push_back({.slot = slot, .value = pick(type, fixed)});
      program::Loop loop;
      loop.source = program::Loop::start;
      loop.unknowns = {slot};
      const std::vector<SlotId> later =
          slot == at_start_[0] ? std::vector<SlotId>{at_start_[1]} : std::vector<SlotId>{};
      const ExprId rest = pick(type, [&](ExprId id) { return of_start(id) && !reads(id, later); });
      loop.residuals = {plus(program_.read(slot), program_.graph.binary(program::Op::mul, share, rest))};
      own_modes(program_, loop);
      program_.loops.push_back(std::move(loop));
    }
    system.found.push_back({.slot = 0, .value = pick({}, of_start)});
    system.found.push_back({.slot = 1, .value = program_.read(at_start_[1])});
    for (int k = 0; k < 2; ++k) system.checks.push_back({.residual = pick({}, of_start), .origin = 1, .text = "a = b"});
  }

  std::mt19937 dice_;
  unsigned seed_;
  program::Program program_;
  std::vector<program::Expr> pool_;
  std::vector<SlotId> loose_, in_event_, at_start_;
  SlotId signal_ = 0, truth_ = 0;
};

}  // namespace orrery::passes
