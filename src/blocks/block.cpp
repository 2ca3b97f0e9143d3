// SPDX-License-Identifier: Apache-2.0
// Recording what a block says into its Body.
#include "blocks/block.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/check.h"

namespace orrery::blocks {

using program::Graph;
using program::no_expr;
using program::Node;
using program::SlotKind;

Block::Block(program::Program& program, program::OriginId origin, const Parameters& parameters,
             std::vector<Expr> inputs, std::vector<Type> outputs, int activation_inputs)
    : program_(program),
      origin_(origin),
      parameters_(parameters),
      inputs_(std::move(inputs)),
      output_types_(std::move(outputs)) {
  body_.outputs.assign(output_types_.size(), no_expr);
  body_.active_slots.assign(static_cast<std::size_t>(activation_inputs), program::no_slot);
}

void Block::fail(std::string parameter, std::string message, std::string help) const {
  parameters_.fail(std::move(parameter), std::move(message), std::move(help));
}

Expr Block::constant(double value, Scalar scalar) { return wrap(graph().constant(value, scalar)); }

Expr Block::constant(Type type, const std::vector<double>& data) { return wrap(graph().constant(type, data)); }

Expr Block::fill(Type type, double value) {
  const auto count = static_cast<std::size_t>(type.size());
  std::vector<double> data(type.scalar == Scalar::c128 ? 2 * count : count, 0.0);
  for (std::size_t k = 0; k < count; ++k) data[type.scalar == Scalar::c128 ? 2 * k : k] = value;
  return constant(type, data);
}

Expr Block::time() { return wrap(graph().time()); }

Expr Block::parameter(std::string_view name) {
  const Value& v = parameters_.matrix(name);
  return parameter(name, Type{v.type, v.rows, v.cols});
}

Expr Block::parameter(std::string_view name, Type type) {
  const Value& v = parameters_.value(name);
  const auto count = static_cast<std::size_t>(type.size());
  const bool fills = v.is_number() && v.size() == 1;
  if (!v.is_number() || (!fills && v.size() != count)) {
    const std::string wanted = type.is_scalar() ? "one number" : fmt::format("{} (or one number)", to_text(type));
    fail(std::string(name), fmt::format("must be {}, but is {}", wanted, describe(v)));
  }
  if (v.is_complex() && type.scalar != Scalar::c128) {
    fail(std::string(name), fmt::format("is complex where {} is needed", to_text(type)));
  }
  if (v.has_formula() && is_floating(type.scalar)) return formula(v, type);
  if (v.has_formula()) parameters_.settle(name, fmt::format("it becomes {}", to_text(type)));
  std::vector<double> data;
  data.reserve(count * 2);
  for (std::size_t k = 0; k < count; ++k) {
    const auto z = v.at(fills ? 0 : k);
    const bool whole = type.scalar == Scalar::f64 || type.scalar == Scalar::c128 ||
                       (z.real() == static_cast<double>(static_cast<std::int64_t>(z.real())) &&
                        z.real() >= lowest_value(type.scalar) && z.real() <= highest_value(type.scalar));
    if (!whole && type.scalar != Scalar::boolean) {
      fail(std::string(name), fmt::format("{} does not fit the type {}", z.real(), name_of(type.scalar)));
    }
    data.push_back(type.scalar == Scalar::boolean ? (z.real() != 0 ? 1.0 : 0.0) : z.real());
    if (type.scalar == Scalar::c128) data.push_back(z.imag());
  }
  return constant(type, data);
}

// The size has been checked.
Expr Block::formula(const Value& value, Type type) {
  Expr e = wrap(value.formula).as(type.scalar);
  if (value.size() == 1 && !type.is_scalar()) {
    return stack(type, std::vector<Expr>(static_cast<std::size_t>(type.size()), e));
  }
  if (e.type() == type) return e;
  return wrap(graph().reshape(e.id(), type.rows, type.cols));
}

Expr Block::real(std::string_view name) {
  const double now = parameters_.now_number(name);
  return parameters_.has_formula(name) ? parameter(name, Type{}) : constant(now);
}

Expr Block::finite(std::string_view name) {
  const double now = parameters_.now_number(name);
  if (!std::isfinite(now)) fail(std::string(name), fmt::format("must be a finite number, but is {}", now));
  return real(name);
}

Expr Block::positive_real(std::string_view name) {
  static_cast<void>(parameters_.now_positive(name));
  return real(name);
}

// Decimal literals exactly, computed numbers by the simplest fraction that differs by no more than rounding errors.
Rational Block::exact(std::string_view name) const {
  const double x = number(name);
  if (!(x >= 0)) fail(std::string(name), fmt::format("must not be negative, but is {}", x));
  if (std::isinf(x)) fail(std::string(name), "must be finite");
  const auto& literal = parameters_.value(name).literal;
  if (const auto r = literal ? parse_decimal(*literal) : std::nullopt) return *r;
  if (x == 0) return {};
  if (const auto r = approximate(x, 1e-12)) return *r;
  fail(std::string(name), fmt::format("{} is no fraction of whole numbers of reasonable size, so no exact clock", x),
       "write it as a decimal number or as a quotient, such as 1/3, or use an EventClock");
}

void Block::out(int port, Expr value) {
  const Type wanted = out_type(port);
  if (value.type().is_scalar() && !wanted.is_scalar() && value.scalar_type() == wanted.scalar) {
    value = stack(wanted, std::vector<Expr>(static_cast<std::size_t>(wanted.size()), value));
  }
  ORRERY_CHECK(value.type() == wanted);
  body_.outputs[static_cast<std::size_t>(port - 1)] = value.id();
}

// What is no constant is computed when a run starts.
SlotId Block::add_slot(std::string name, SlotKind kind, Expr initial) {
  const bool known = graph().is_constant(initial.id());
  const SlotId slot =
      program_.add_slot({std::move(name), initial.type(), kind, origin_, known ? initial.id() : no_expr});
  if (!known) program_.start.push_back({slot, initial.id(), no_expr, origin_});
  return slot;
}

Variable Block::state(std::string name, Expr initial) {
  ORRERY_CHECK(initial.scalar_type() == Scalar::f64);
  const SlotId slot = add_slot(std::move(name), SlotKind::state, initial);
  return {wrap(program_.read(slot)), slot};
}

Variable Block::memory(std::string name, Expr initial) {
  const SlotId slot = add_slot(std::move(name), SlotKind::discrete, initial);
  return {wrap(program_.read(slot)), slot};
}

void Block::der(const Variable& state, Expr value) {
  ORRERY_CHECK(value.type() == state.type());
  body_.derivatives.push_back({state.slot(), value.id()});
}

void Block::set_nominals(const Variable& state, std::vector<double> sizes) {
  ORRERY_CHECK(sizes.empty() || static_cast<std::int64_t>(sizes.size()) == state.size());
  program_.slots[state.slot()].nominals = std::move(sizes);
}

Variable Block::unknown(std::string name, Expr guess) {
  ORRERY_CHECK(guess.scalar_type() == Scalar::f64);
  const SlotId slot = add_slot(std::move(name), SlotKind::unknown, guess);
  body_.unknowns.push_back({slot});
  return {wrap(program_.read(slot)), slot};
}

void Block::keep_zero(Expr value) {
  ORRERY_CHECK(value.scalar_type() == Scalar::f64);
  body_.invariants.push_back(value.id());
}

void Block::zero_at_start(Expr value) {
  ORRERY_CHECK(value.scalar_type() == Scalar::f64);
  body_.start_equations.push_back(value.id());
}

std::vector<ExprId> Block::numbers(const std::vector<Expr>& values) {
  std::vector<ExprId> ids;
  for (const Expr& value : values) ids.push_back(value.as(Scalar::f64).id());
  return ids;
}

void Block::require(Expr holds, std::string message, const std::vector<Expr>& values, bool only_warns) {
  body_.assertions.push_back({holds.id(), holds.id(), only_warns, std::move(message), numbers(values), origin_});
}

std::uint32_t Block::blame() {
  const program::Origin& here = program_.origins[origin_];
  return graph().add_site({.place = {program_.origins[0].path, here.line, 0, here.path, {}}});
}

Expr Block::past(Expr value, Expr delay, const PastOptions& options) {
  using program::PastOf, program::PastWhat;
  ORRERY_CHECK(value.scalar_type() == Scalar::f64 && options.start.type() == value.type());
  ORRERY_CHECK(program_.histories.size() < program::most_histories);
  const auto history = static_cast<std::uint32_t>(program_.histories.size());
  program_.histories.push_back({.value = value.id(),
                                .start = options.start.id(),
                                .least = options.least.id(),
                                .largest = options.largest.id(),
                                .start_breaks = options.start_breaks,
                                .present = options.present,
                                .origin = origin_});
  body_.histories.push_back({history, value.id()});
  const ExprId now = graph().time(), then = (time() - delay).id();
  const ExprId asked[] = {then, now};
  const ExprId stretch = graph().past({history, PastWhat::stretch}, asked);
  std::vector<Expr> elements;
  for (std::int64_t k = 0; k < value.size(); ++k) {
    const ExprId looked[] = {then, stretch, value[k].id(), now};
    const PastOf of{history, PastWhat::value, 0, static_cast<std::uint32_t>(k)};
    elements.push_back(wrap(graph().past(of, std::span(looked).first(options.present ? 4 : 2))));
  }
  return value.type().is_scalar() ? elements[0] : program::stack(value.type(), elements);
}

Expr Block::period() {
  if (body_.period == program::no_slot) {
    body_.period = program_.add_slot({"period", Type{}, SlotKind::parameter, origin_});
  }
  return wrap(program_.read(body_.period));
}

std::uint32_t Block::index_site() {
  program::Site site;
  const program::Origin& own = program_.origins[origin_];
  site.place = {program_.origins[0].path, own.line, 0, own.path, ""};
  return graph().add_site(std::move(site));
}

void Block::project(const Variable& state, Expr value) {
  ORRERY_CHECK(value.type() == state.type());
  body_.projections.push_back({state.slot(), value.id()});
}

void Block::equation(const Variable& unknown, Expr residual) {
  ORRERY_CHECK(residual.type() == unknown.type());
  for (UnknownRule& rule : body_.unknowns) {
    if (rule.slot == unknown.slot()) rule.residual = residual.id();
  }
}

Expr Block::active(int port) {
  auto& slots = body_.active_slots;
  if (slots.size() < static_cast<std::size_t>(port)) slots.resize(static_cast<std::size_t>(port), program::no_slot);
  SlotId& slot = slots[static_cast<std::size_t>(port - 1)];
  if (slot == program::no_slot) {
    slot =
        program_.add_slot({fmt::format("active{}", port), Type{Scalar::boolean, 1, 1}, SlotKind::activation, origin_});
  }
  return wrap(program_.read(slot));
}

Expr Block::before(int port) {
  const Expr u = in(port);
  const Node& node = graph()[u.id()];
  if (node.op != Op::read) return u;  // not connected
  const auto signal = static_cast<SlotId>(node.payload);
  const SlotId slot = program_.add_slot({fmt::format("before{}", port), u.type(), SlotKind::before, origin_});
  body_.before.emplace_back(slot, signal);
  return wrap(program_.read(slot));
}

Trigger Block::on_activation() { return {*this, When::activation, 0, Expr{}}; }
Trigger Block::on_activation(int port) { return {*this, When::activation, 0, active(port)}; }
Trigger Block::on_start() { return {*this, When::start, 0, Expr{}}; }
Trigger Block::on_fired(int port) { return {*this, When::fired, port, Expr{}}; }

Trigger Block::on_surface(Expr value, program::Crossing crossing) {
  ORRERY_CHECK(value.type() == Type{});
  const SlotId slot = program_.add_slot(
      {fmt::format("direction{}", body_.surfaces.size() + 1), Type{Scalar::i8, 1, 1}, SlotKind::direction, origin_});
  body_.surfaces.push_back({value.id(), crossing, slot});
  const Expr direction = wrap(program_.read(slot));
  return {*this, When::crossing, 0, direction != 0.0};
}

Trigger Block::on_rising(Expr value) { return on_surface(value, program::Crossing::rising); }
Trigger Block::on_falling(Expr value) { return on_surface(value, program::Crossing::falling); }
Trigger Block::on_crossing(Expr value) { return on_surface(value, program::Crossing::both); }

Trigger Block::on_positive(Expr value) {
  const Trigger trigger = on_rising(value);
  body_.surfaces.back().edge = true;
  return trigger;
}

Trigger Block::on_not_positive(Expr value) {
  const Trigger trigger = on_falling(value);
  body_.surfaces.back().edge = true;
  return trigger;
}

Trigger Block::while_positive(Expr value) {
  const Trigger trigger = on_positive(value);
  body_.surfaces.back().level = true;
  return trigger;
}

Trigger Block::on_crossings(const std::vector<Expr>& located, const std::vector<Expr>& falling) {
  for (const Expr& value : located) {
    on_surface(value, program::Crossing::both);
    body_.surfaces.back().jumps = false;
  }
  for (const Expr& value : falling) on_surface(value, program::Crossing::falling);
  return {*this, When::crossing, 0, Expr{}};
}

Trigger Block::on_step() { return {*this, When::step, 0, Expr{}}; }
Trigger Block::on_left() { return {*this, When::left, 0, Expr{}}; }
Trigger Block::on_end() { return {*this, When::final, 0, Expr{}}; }
Trigger Block::on_instant_end() { return {*this, When::instant, 0, Expr{}}; }

// A run has one base workspace: what blocks want of it are settings of one object.
std::uint32_t Block::foreign_object(program::ForeignObject object) {
  auto& objects = program_.foreign_objects;
  const auto known = std::find_if(objects.begin(), objects.end(), [&](const auto& other) {
    return other.kind == object.kind && other.kind == "base_workspace";
  });
  if (known != objects.end()) {
    known->settings.insert(known->settings.end(), object.settings.begin(), object.settings.end());
    return static_cast<std::uint32_t>(known - objects.begin());
  }
  object.origin = origin_;
  objects.push_back(std::move(object));
  return static_cast<std::uint32_t>(objects.size() - 1);
}

Expr Block::foreign(int function, const std::vector<Expr>& arguments, int result) {
  std::vector<ExprId> ids;
  for (const Expr& argument : arguments) ids.push_back(argument.id());
  return wrap(graph().foreign(function, result, ids));
}

void Block::fires_at_end(int port) { body_.final_ports.push_back(port); }
void Block::fires_at_steps(int port) { body_.step_ports.push_back(port); }
void Block::read_smoothly(Expr value, Expr smooth) {
  ORRERY_CHECK(value.type() == smooth.type());
  body_.smooth.emplace_back(value.id(), smooth.id());
}

void Block::read_memory(Expr value, Expr remembered) {
  read_smoothly(value, remembered);
  body_.smooth_in_fixed_steps = true;
}

Expr Block::rate(Expr value) {
  ORRERY_CHECK(value.type() == Type{});
  const SlotId slot =
      program_.add_slot({fmt::format("rate{}", body_.rates.size() + 1), Type{}, SlotKind::rate, origin_});
  body_.rates.push_back({slot, value.id()});
  return wrap(program_.read(slot));
}

void Block::follow(Expr value) { body_.followed.push_back(value.id()); }
void Block::come_first(int port) { body_.first_ports.push_back(port); }
void Block::fires_from_outside(int port) { body_.outside_ports.push_back(port); }
void Block::stand_for_port(InterfaceRule rule) { body_.interface.push_back(rule); }
void Block::activate_itself(int output_port, int input_port) { body_.own_links.push_back({output_port, input_port}); }

void Block::pass(int port, Expr condition) { body_.passes.push_back({port, to_boolean(condition).id()}); }
void Block::pass(int port) { body_.passes.push_back({port, no_expr}); }
void Block::pass_event(int port, Expr condition) { body_.passes.push_back({port, to_boolean(condition).id(), true}); }
void Block::clock(int port, Rational period, Rational offset) { body_.clocks.push_back({port, period, offset}); }
void Block::resample(int port, std::int64_t factor, std::int64_t phase, std::int64_t up) {
  body_.resamples.push_back({port, factor, phase, up});
}
void Block::always(int port) { body_.timeless.push_back({port, true}); }
void Block::initially(int port) { body_.timeless.push_back({port, false}); }
void Block::queue(int port) { body_.queued_ports.push_back(port); }

void Block::record(std::string name, Expr value, bool display) {
  const SlotId slot = program_.add_slot({name, value.type(), SlotKind::signal, origin_});
  body_.probes.push_back({slot, value.id(), std::move(name), display});
}

void Block::record_bare(std::string name, Expr value) {
  record(std::move(name), value);
  body_.probes.back().bare = true;
}

void Block::export_to(program::ExportFile file) {
  file.origin = origin_;
  program_.exports.push_back(std::move(file));
}

void Block::record_event(int activation_input) {
  active(activation_input);
  body_.event_probes.push_back(activation_input);
}

Trigger Trigger::when(Expr condition) const {
  Expr both = to_boolean(condition);
  if (condition_) both = condition_ && both;
  return {block_, when_, fired_port_, both};
}

namespace {

Rule rule_of(When when, int fired_port, Expr condition, Rule::Kind kind) {
  Rule rule;
  rule.when = when;
  rule.fired_port = fired_port;
  rule.condition = condition ? condition.id() : no_expr;
  rule.kind = kind;
  return rule;
}

}  // namespace

const Trigger& Trigger::set(const Variable& target, Expr value) const {
  ORRERY_CHECK(value.type() == target.type());
  Rule rule = rule_of(when_, fired_port_, condition_, Rule::Kind::set);
  rule.slot = target.slot();
  rule.value = value.id();
  block_.body_.rules.push_back(std::move(rule));
  return *this;
}

const Trigger& Trigger::call(CallRule rule) const {
  Rule trigger = rule_of(when_, fired_port_, condition_, Rule::Kind::call);
  trigger.call = block_.body_.calls.size();
  block_.body_.calls.push_back(std::move(rule));
  block_.body_.rules.push_back(std::move(trigger));
  return *this;
}

const Trigger& Trigger::schedule(int port, Expr delay) const {
  ORRERY_CHECK(delay.type() == Type{});
  Rule rule = rule_of(when_, fired_port_, condition_, Rule::Kind::schedule);
  rule.port = port;
  rule.value = delay.id();
  block_.body_.rules.push_back(std::move(rule));
  return *this;
}

const Trigger& Trigger::emit(int port) const { return schedule(port, block_.constant(0)); }

const Trigger& Trigger::act(program::ActionKind action, std::string text, const std::vector<Expr>& values) const {
  Rule rule = rule_of(when_, fired_port_, condition_, Rule::Kind::action);
  rule.action = action;
  rule.text = std::move(text);
  rule.values = Block::numbers(values);
  block_.body_.rules.push_back(std::move(rule));
  return *this;
}

const Trigger& Trigger::stop(std::string message, const std::vector<Expr>& values) const {
  return act(program::ActionKind::stop, std::move(message), values);
}

const Trigger& Trigger::fail(std::string message, const std::vector<Expr>& values) const {
  return act(program::ActionKind::fail, std::move(message), values);
}

const Trigger& Trigger::warn(std::string message, const std::vector<Expr>& values) const {
  return act(program::ActionKind::warn, std::move(message), values);
}

const Trigger& Trigger::note(std::string message, const std::vector<Expr>& values) const {
  return act(program::ActionKind::note, std::move(message), values);
}

const Trigger& Trigger::restart() const { return act(program::ActionKind::restart); }

const Trigger& Trigger::repeat() const { return act(program::ActionKind::repeat); }

}  // namespace orrery::blocks
