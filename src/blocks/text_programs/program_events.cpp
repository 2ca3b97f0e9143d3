// SPDX-License-Identifier: Apache-2.0
// Events of a program: discrete sections, communication points, the end; and what is recorded then.
//
// Each discrete section has an activation output of its own, which its events fire; calls of LOGD split it into
// stages, one event each, so that what is recorded is what the statements before have left. A communication point is
// three events: the second comes after all others of its instant, and the last one makes a row of what the second has
// put in its place, so that there is one row and not two sides of a jump.
#include <fmt/format.h>

#include <algorithm>
#include <numbers>

#include "blocks/random_numbers.h"
#include "blocks/text_programs/program_building.h"
#include "cssl/names.h"

namespace orrery::blocks::text_programs {

using cssl::Section;

namespace {

constexpr std::size_t most_recorded = 200;

bool is_log(const cssl::Statement& s) { return s.kind == cssl::Statement::Kind::call && s.name == "logd"; }

Expr not_before_now(Block& b, Expr time) { return max(time - b.time(), b.constant(0)); }

// When an event with this delay is due, but for what fixed steps make of its time.
Expr soon(Block& b, Expr delay) { return b.time() + delay * (1 - 1e-9); }

Trigger narrowed(const Trigger& trigger, Expr guard) { return guard ? trigger.when(guard) : trigger; }

}  // namespace

void ProgramBuilding::find_ports() {
  ports_used_ = 0;
  for (const Section& section : program_.sections) {
    if (section.kind != Section::Kind::discrete) continue;
    const int port = new_port();
    section_port_.emplace(section.name, port);
    b_.queue(port);
    if (!section.interval.empty()) tick_port_.emplace(section.name, new_port());
  }
  communication_ = new_port();
  after_ = new_port();
  log_ = new_port();
  row_ = new_port();
  b_.queue(communication_);
  b_.queue(log_);
  b_.queue(row_);
  count_ = b_.memory("zzcount", b_.constant(0));
  from_ = b_.memory("zzfrom", start_);
  due_ = b_.memory("zzdue", start_);
  ended_ = b_.memory("zzended", b_.constant(0));
}

void ProgramBuilding::build_start() {
  for (const Section& section : program_.sections) {
    if (section.kind != Section::Kind::discrete || section.interval.empty()) continue;
    const int tick = tick_port_.at(section.name);
    const Expr* period = derived_.find(section.interval);
    if (program_.interval_at_start) {
      b_.on_start().emit(tick);
    } else {
      b_.on_start().schedule(tick, *period);
    }
    const Variable count = b_.memory("zzcount" + section.name, b_.constant(0));
    const Variable from = b_.memory("zzfrom" + section.name, start_);
    const Variable length =
        b_.memory("zzlength" + section.name,
                  initial_.find(section.interval) != nullptr ? *initial_.find(section.interval) : b_.constant(0));
    // Instants are counted, not added up, as long as the period stays.
    const Expr stays = *period == length;
    const Expr next = select(stays, count + 1.0, b_.constant(1));
    const Expr origin = select(stays, from, b_.time());
    const Trigger ticks = b_.on_fired(tick);
    ticks.emit(section_port_.at(section.name));
    ticks.set(count, next).set(from, origin).set(length, *period);
    ticks.schedule(tick, not_before_now(b_, origin + next * *period));
    ticks.when(!(*period > 0.0))
        .fail(fmt::format("the INTERVAL of {} must be positive, but is {{}}", section.name), {*period});
  }
  // GAUSI and UNIFI say where random numbers begin.
  for (const Effect& effect : start_effects_) {
    const Statement& s = *effect.statement;
    if (s.kind != cssl::Statement::Kind::call || (s.name != "gausi" && s.name != "unifi") || s.arguments.empty())
      continue;
    const Node& node = program_[s.arguments[0]];
    if (node.kind != Node::Kind::number) fail(s.at, "the seed must be a number");
    seed_ = static_cast<std::int64_t>(node.value) * 1000;
  }
  // What INITIAL has scheduled, in its own terms.
  add_effects(b_.on_start(), initial_, start_effects_, false);
}

void ProgramBuilding::build_crossings() {
  for (const Effect& effect : continuous_effects_) {
    const Statement& s = *effect.statement;
    if (s.kind == cssl::Statement::Kind::schedule) {
      const Trigger crosses = s.when == cssl::When::rising    ? b_.on_rising(effect.value)
                              : s.when == cssl::When::falling ? b_.on_falling(effect.value)
                                                              : b_.on_crossing(effect.value);
      b_.body().surfaces.back().jumps = s.part > 0;  // what goes in steps crosses in jumps only
      narrowed(crosses, effect.guard).emit(section_port_.at(s.name));
    } else if (s.kind == cssl::Statement::Kind::terminate) {
      const Expr reached = effect.guard ? effect.guard && effect.value : effect.value;
      end_run(b_.on_step().when(reached), s.text, true);
    }
  }
}

void ProgramBuilding::set_all(const Trigger& trigger, const Scope& scope) {
  for (const std::string& name : scope.names()) {
    const auto found = variables_.find(name);
    if (found == variables_.end()) continue;
    Expr value = *scope.find(name);
    const Variable& target = found->second;
    if (value.type() != target.type() && value.type().is_scalar())
      value = stack(target.type().with(value.scalar_type()),
                    std::vector<Expr>(static_cast<std::size_t>(target.size()), value));
    value = value.as(target.scalar_type());
    trigger.set(target, value);
    // The step that is under way goes on from there.
    if (const auto next = next_values_.find(name); next != next_values_.end())
      trigger.set(next->second, next->second + (value - target));
  }
}

void ProgramBuilding::add_effects(const Trigger& trigger, const Scope& scope, const std::vector<Effect>& effects,
                                  bool alone) {
  for (const Effect& effect : effects) {
    const Statement& s = *effect.statement;
    const Trigger when = narrowed(trigger, effect.guard);
    switch (s.kind) {
      case cssl::Statement::Kind::schedule:
        when.schedule(section_port_.at(s.name), not_before_now(b_, effect.value));
        break;
      case cssl::Statement::Kind::terminate: end_run(when.when(effect.value), s.text, alone); break;
      case cssl::Statement::Kind::stop: end_run(when, s.text, alone); break;
      case cssl::Statement::Kind::write: when.note(s.text, effect.values); break;
      case cssl::Statement::Kind::call:
        if (is_log(s)) when.emit(log_);
        break;
      default: break;
    }
  }
  // A new communication interval counts from now on.
  const Expr* interval = scope.owns(program_.roles.interval) ? scope.find(program_.roles.interval) : nullptr;
  const Expr* before = derived_.find(program_.roles.interval);
  if (interval == nullptr || before == nullptr || &scope == &initial_) return;
  const Trigger changed = trigger.when(*interval != *before);
  changed.set(from_, b_.time()).set(count_, b_.constant(0)).set(due_, soon(b_, *interval));
  changed.schedule(communication_, *interval);
}

// The row of this instant is the last one. `alone`: nobody else makes it.
void ProgramBuilding::end_run(const Trigger& trigger, const std::string& text, bool alone) {
  endings_.push_back(text);
  trigger.set(ended_, b_.constant(static_cast<double>(endings_.size())));
  if (alone) trigger.emit(log_);
}

// A call of GAUSS, UNIF or OU in an event: each has a generator of its own, which goes on at each of these events.
Expr ProgramBuilding::random(const Node& node, Formulas& formulas, Scope& scope) {
  auto seed = static_cast<std::uint64_t>(seed_ + ++fresh_);
  Xoshiro generator;
  std::vector<std::string> words;
  for (Expr& word : generator.s) {
    words.push_back(fresh("word"));
    const Variable made =
        b_.memory(words.back(), b_.constant(Type{Scalar::u32, 1, 1}, {static_cast<double>(spread(seed))}));
    variables_.emplace(words.back(), made);
    word = made;
  }
  const auto normal = [&] {
    const Expr radius = apply(Op::sqrt, -2.0 * apply(Op::log, generator.uniform()));
    return radius * apply(Op::cos, 2 * std::numbers::pi * generator.uniform());
  };
  const auto argument = [&](std::size_t k) { return formulas.number(node.arguments[k]); };
  Expr value;
  if (node.name == "unif") {
    value = argument(0) + (argument(1) - argument(0)) * generator.uniform();
  } else if (node.name == "gauss") {
    value = argument(0) + argument(1) * normal();
  } else {  // Ornstein-Uhlenbeck: exact over the time since the last call
    const std::string name = fresh("ou"), when = fresh("ou");
    const Variable last = b_.memory(name, b_.constant(0)), time = b_.memory(when, start_);
    variables_.emplace(name, last);
    variables_.emplace(when, time);
    const Expr keeps = apply(Op::exp, (time - b_.time()) / argument(0));
    value = argument(1) + (last - argument(1)) * keeps +
            argument(2) * apply(Op::sqrt, b_.constant(1) - keeps * keeps) * normal();
    scope.set(name, value);
    scope.set(when, b_.time());
  }
  for (std::size_t k = 0; k < words.size(); ++k) scope.set(words[k], generator.s[k]);
  return value;
}

void ProgramBuilding::build_discrete(const Section& section) {
  // Stages end with a call of LOGD.
  std::vector<std::vector<Statement>> stages(1);
  const std::vector<Statement>* statements = &section.statements;
  std::vector<Statement> unfolded;
  for (const Statement& s : *statements) {
    if (s.kind == cssl::Statement::Kind::procedural && std::any_of(s.body.begin(), s.body.end(), is_log)) {
      unfolded.insert(unfolded.end(), s.body.begin(), s.body.end());
    } else {
      unfolded.push_back(s);
    }
  }
  for (Statement& s : unfolded) {
    const bool logs = is_log(s) || (s.kind == cssl::Statement::Kind::branch && s.body.size() == 1 &&
                                    is_log(s.body[0]) && s.otherwise.empty());
    stages.back().push_back(std::move(s));
    if (logs) stages.emplace_back();
  }
  if (stages.size() > 1 && stages.back().empty()) stages.pop_back();
  stages_.push_back(std::move(stages));
  const std::vector<std::vector<Statement>>& parts = stages_.back();
  int port = section_port_.at(section.name);
  for (std::size_t k = 0; k < parts.size(); ++k) {
    Scope scope(&derived_);
    std::vector<Effect> effects;
    Execution::Options made = options(scope);
    made.effect = [&](const Effect& effect) { effects.push_back(effect); };
    made.remember = [&](const Node& node, Formulas& formulas) { return random(node, formulas, scope); };
    Execution execution(program_, b_.graph(), scope, std::move(made));
    execution.run(parts[k]);
    const Trigger trigger = b_.on_fired(port);
    set_all(trigger, scope);
    add_effects(trigger, scope, effects, true);
    if (k + 1 == parts.size()) break;
    port = new_port();
    b_.queue(port);
    trigger.emit(port);
  }
}

void ProgramBuilding::declare_probes() {
  if (!ports_.record) return;
  for (const std::string& name : recorded_names()) {
    const Expr* value = derived_.find(name);
    if (value == nullptr) continue;
    const cssl::Declared* item = program_.find(name);
    for (int k = 0; k < value->size(); ++k) {
      std::string column = name;
      if (!value->type().is_scalar()) {
        const int row = k % value->rows() + (item != nullptr ? item->first_row : 1);
        const int col = k / value->rows() + (item != nullptr ? item->first_col : 1);
        column = value->cols() > 1 ? fmt::format("{}({},{})", name, row, col) : fmt::format("{}({})", name, row);
      }
      b_.record_bare(column, b_.constant(0));
      probes_.push_back({name, b_.body().probes.back().slot, value->type().is_scalar() ? -1 : k});
    }
  }
}

std::vector<std::string> ProgramBuilding::recorded_names() const {
  if (!program_.prepared.empty()) return program_.prepared;
  std::vector<std::string> names = state_names_;
  const std::size_t states = names.size();
  std::unordered_set<std::string> seen(names.begin(), names.end());
  const auto add = [&](const std::string& name) {
    if (!name.starts_with("zz") && seen.insert(name).second) names.push_back(name);
  };
  for (const std::string& name : derived_.names()) add(name);
  for (const std::string& name : base_.names()) add(name);
  if (names.size() > most_recorded) names.resize(std::max(states, most_recorded));
  if (names.size() > most_recorded) names.resize(most_recorded);
  return names;
}

// For one row: what the names are worth in this scope when the event happens.
void ProgramBuilding::record(int port, const Scope& values) {
  for (const ProbeSlot& probe : probes_) {
    const Expr* value = values.find(probe.name);
    const Expr one = (probe.element < 0 ? *value : (*value)[probe.element]).as(Scalar::f64);
    b_.on_fired(port).set(Variable(one, probe.slot), one);
  }
  b_.on_fired(port).emit(row_);
}

void ProgramBuilding::build_rows() {
  // The start has a row as well: what INITIAL has left, which is that of the first communication point unless events
  // of the first instant change something.
  for (const ProbeSlot& probe : probes_) {
    const Expr* value = derived_.find(probe.name);
    const Expr one = (probe.element < 0 ? *value : (*value)[probe.element]).as(Scalar::f64);
    b_.on_start().set(Variable(one, probe.slot), one);
    for (const When when : {When::start, When::fired}) {
      Rule rule;
      rule.when = when;
      rule.fired_port = when == When::fired ? row_ : 0;
      rule.kind = Rule::Kind::action;
      rule.action = program::ActionKind::record;
      rule.slot = probe.slot;
      b_.body().rules.push_back(std::move(rule));
    }
  }
  const Expr* to_come = constants_.find(cssl::runs_to_come);
  for (std::size_t k = 0; k < endings_.size(); ++k) {
    const Trigger end = b_.on_fired(row_).when(ended_ == static_cast<double>(k + 1));
    if (to_come == nullptr) {
      end.stop(endings_[k]);
    } else {
      end.when(*to_come > 0.0).restart();
      end.when(!(*to_come > 0.0)).stop(endings_[k]);
    }
  }
}

void ProgramBuilding::build_communication() {
  declare_probes();
  b_.on_start().emit(communication_);
  // Where the interval has changed meanwhile, an event may come that nobody waits for any more.
  b_.on_fired(communication_).when(b_.time() >= due_).emit(after_);
  Scope scope(&derived_);
  std::vector<Effect> effects;
  Execution::Options made = options(scope);
  made.effect = [&](const Effect& effect) { effects.push_back(effect); };
  made.remember = [&](const Node& node, Formulas& formulas) { return random(node, formulas, scope); };
  Execution execution(program_, b_.graph(), scope, std::move(made));
  for (const Section& section : program_.sections) {
    if (section.kind == Section::Kind::dynamic) execution.run(section.statements);
  }
  const Trigger point = b_.on_fired(after_);
  set_all(point, scope);
  record(after_, scope);
  const Expr interval = scope.find(program_.roles.interval)->as(Scalar::f64);
  const Expr next = count_ + 1.0;
  point.set(count_, next);
  const Expr delay = not_before_now(b_, from_ + next * interval);
  point.schedule(communication_, delay).set(due_, soon(b_, delay));
  point.when(!(interval > 0.0))
      .fail(fmt::format("the communication interval {} must be positive, but is {{}}", program_.roles.interval),
            {interval});
  add_effects(point, derived_, effects, false);
  record(log_, derived_);
  build_rows();
}

void ProgramBuilding::build_terminal() {
  Scope scope(&derived_);
  std::vector<Effect> effects;
  Execution::Options made = options(scope);
  made.effect = [&](const Effect& effect) { effects.push_back(effect); };
  Execution execution(program_, b_.graph(), scope, std::move(made));
  bool any = false;
  for (const Section& section : program_.sections) {
    if (section.kind != Section::Kind::terminal) continue;
    any = true;
    execution.run(section.statements);
  }
  const Trigger end = b_.on_end();
  if (!program_.stop.empty() && ports_.record) {
    end.when(ended_ == 0.0)
        .warn("the run has come to its stop time before any TERMT was true: it ends at t = {}", {b_.time()});
  }
  if (!any) return;
  set_all(end, scope);
  for (const Effect& effect : effects) {
    if (effect.statement->kind == cssl::Statement::Kind::write)
      narrowed(end, effect.guard).note(effect.statement->text, effect.values);
  }
}

void ProgramBuilding::build_outputs() {
  for (std::size_t k = 0; k < ports_.outputs.size(); ++k) {
    const Expr* value = derived_.find(ports_.outputs[k]);
    if (value == nullptr) b_.fail("outputs", fmt::format("the program has no variable {}", ports_.outputs[k]));
    b_.out(static_cast<int>(k) + 1, value->as(Scalar::f64));
  }
}

}  // namespace orrery::blocks::text_programs
