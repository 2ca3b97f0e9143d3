// SPDX-License-Identifier: Apache-2.0
// Operators that remember: integrators, filters, delays, holds, implicit equations.
#include <fmt/format.h>

#include <cmath>

#include "blocks/play.h"
#include "blocks/text_programs/program_building.h"
#include "cssl/names.h"

namespace orrery::blocks::text_programs {

using cssl::NodeId;

std::string ProgramBuilding::fresh(const std::string& stem) { return fmt::format("zz{}{}", stem, ++fresh_); }

double ProgramBuilding::number_now(NodeId id, const char* what) {
  const Expr value = number(id);
  if (!b_.graph().is_constant(value.id())) fail(program_[id].at, fmt::format("{} must be a number", what));
  return b_.graph().constant_data(value.id())[0];
}

Expr ProgramBuilding::remember(const Node& node, Formulas& formulas) {
  const std::string& name = node.name;
  if (name == "integ" || name == "intvc" || name == "limint" || name == "realpl" || name == "modint" ||
      name == "cmpxpl") {
    // Inside a formula: a state with a name of its own.
    const cssl::Operator* known = cssl::find_operator(name);
    NodeId start = cssl::no_node;
    for (std::size_t k = 0; k < node.arguments.size() && start == cssl::no_node; ++k) {
      if ((known->initial >> k & 1U) != 0) start = node.arguments[k];
    }
    const Variable state =
        b_.state(fresh("state"), start == cssl::no_node ? b_.constant(0) : initially(start, formulas));
    later_.push_back([this, &node, state] { set_rate(node, state, nullptr); });
    return state;
  }
  if (name == "ledlag") return lead_lag(node, formulas);
  if (name == "tran") return transfer(node, formulas);
  if (name == "delay") return delayed(node, formulas);
  if (name == "derivt") return rate_of(node, formulas);
  if (name == "bcklsh" || name == "hstrss") return backlash(node, formulas);
  if (name == "implc" || name == "impvc" || name == "impl") return implicit(node, formulas);
  if (name == "rst") return flip_flop(node, formulas);
  if (name == "trigpl") return triggered_pulse(node, formulas);
  if (name == "dblint")
    fail(node.at, "DBLINT gives two values, so it cannot be inside a formula",
         "write x, xd = DBLINT(xdd, xic, xdic, ll, ul)");
  if (name == "zhold") return hold(node, formulas);
  if (name == "zoh") return sample(node);
  if (name == "gaussn" || name == "unifn") return noise(node, formulas);
  fail(node.at, fmt::format("{} cannot be used here", name));
}

void ProgramBuilding::integrate_later(const Node& node, const std::string& name, const Statement& statement) {
  set_rate(node, variables_.at(name), &statement);
}

void ProgramBuilding::set_rate(const Node& node, const Variable& state, const Statement* statement) {
  const std::vector<NodeId>& x = node.arguments;
  const auto fill = [&](Expr value) { return value.type() == state.type() ? value : b_.fill(state.type(), 0) + value; };
  const std::string& name = node.name;
  if (name == "integ" || name == "intvc") {
    const Expr rate = number(x[0]);
    if (rate.type() != state.type() && !rate.type().is_scalar())
      fail(node.at, "the derivative is an array of another size than the initial value");
    return b_.der(state, fill(rate));
  }
  if (name == "limint") return limit(state, number(x[0]), number(x[2]), number(x[3]));
  if (name == "realpl") return b_.der(state, (number(x[1]) - state) / number(x[0]));
  if (name == "modint") {  // integrates while p1 holds, is reset to its start while p2 alone does
    const Expr p1 = number(x[1]), p2 = number(x[2]), start = initially(x[0], *formulas_);
    b_.on_falling(p1).when(p2 > 0.0).set(state, start);
    b_.on_rising(p2).when(!(p1 > 0.0)).set(state, start);
    return b_.der(state, select(p1 > 0.0, number(x[3]), b_.constant(0)));
  }
  if (name == "cmpxpl") {  // p y'' + q y' + y = x
    const Expr start = x.size() > 4 ? initially(x[4], *formulas_) : b_.constant(0);
    const Variable rate = b_.state(fresh("rate"), start);
    b_.der(state, rate);
    return b_.der(rate, (number(x[2]) - number(x[1]) * rate - state) / number(x[0]));
  }
  if (name == "dblint") return double_integral(node, state, *statement);
  fail(node.at, fmt::format("{} cannot be used here", name));
}

// At a limit the state stands still while its rate points outwards; arrival and departure are located.
void ProgramBuilding::limit(const Variable& x, Expr rate, Expr lower, Expr upper) {
  const Expr zero = b_.constant(0), away = b_.constant(-1);
  const Expr up = rate > 0.0, down = rate < 0.0;
  const Expr at_upper = up && select(up, x - upper, away) >= 0.0;
  const Expr at_lower = down && select(down, lower - x, away) >= 0.0;
  b_.der(x, select(at_upper || at_lower, zero, rate));
  b_.on_rising(x - upper).set(x, min(max(x, lower), upper));
  b_.on_falling(x - lower).set(x, min(max(x, lower), upper));
}

// x, xd = DBLINT(xdd, xic, xdic, ll, ul): at a stop x stays and xd is 0 until xdd points inwards.
void ProgramBuilding::double_integral(const Node& node, const Variable& x, const Statement& statement) {
  if (statement.targets.size() != 2)
    fail(node.at, "DBLINT gives two values", "write x, xd = DBLINT(xdd, xic, xdic, ll, ul)");
  const Variable speed = variables_.at(program_[statement.targets[1]].name);
  const Expr rate = number(node.arguments[0]), lower = number(node.arguments[3]), upper = number(node.arguments[4]);
  const Expr zero = b_.constant(0), away = b_.constant(-1);
  const Expr up = rate > 0.0, down = rate < 0.0;
  const Expr at_upper = up && select(up, x - upper, away) >= 0.0;
  const Expr at_lower = down && select(down, lower - x, away) >= 0.0;
  b_.der(x, speed);
  b_.der(speed, select(at_upper || at_lower, zero, rate));
  b_.on_rising(x - upper).set(x, upper).set(speed, zero);
  b_.on_falling(x - lower).set(x, lower).set(speed, zero);
}

// RST(reset, set, toggle) of CSMP: what is positive acts, the first before the others; toggling happens when the third
// becomes positive.
Expr ProgramBuilding::flip_flop(const Node& node, Formulas& formulas) {
  const Expr reset = formulas.number(node.arguments[0]), set = formulas.number(node.arguments[1]);
  const Expr toggle = formulas.number(node.arguments[2]);
  const Variable held = b_.memory(fresh("flip"), b_.constant(0));
  const Expr zero = b_.constant(0), one = b_.constant(1), idle = b_.constant(-1);
  const Expr y = select(reset > 0.0, zero, select(set > 0.0, one, held));
  b_.on_start().set(held, y);
  b_.on_positive(toggle).when(!(reset > 0.0) && !(set > 0.0)).set(held, 1.0 - held);
  b_.while_positive(select(held > 0.5, reset, idle)).set(held, zero);
  b_.while_positive(select(held > 0.5 || reset > 0.0, idle, set)).set(held, one);
  return held;
}

// PULSE(p, x) of CSMP: 1 for the time p after x has become positive.
Expr ProgramBuilding::triggered_pulse(const Node& node, Formulas& formulas) {
  const Expr width = formulas.number(node.arguments[0]), x = formulas.number(node.arguments[1]);
  const Variable on = b_.memory(fresh("pulse"), b_.constant(0));
  const int port = new_port();
  const auto begin = [&](const Trigger& trigger) { trigger.set(on, b_.constant(1)).schedule(port, width); };
  begin(b_.on_start().when(x > 0.0));
  begin(b_.on_rising(x));
  b_.on_fired(port).set(on, b_.constant(0));
  return on;
}

// (p s + 1)/(q s + 1): y = w + p/q x, w' = (x - y)/q
Expr ProgramBuilding::lead_lag(const Node& node, Formulas& formulas) {
  const Expr p = formulas.number(node.arguments[0]), q = formulas.number(node.arguments[1]);
  const Expr x = formulas.number(node.arguments[2]);
  const Variable w = b_.state(fresh("lag"), b_.constant(0));
  const Expr y = w + p / q * x;
  b_.der(w, (x - y) / q);
  if (node.arguments.size() > 3) {
    const Expr start = initially(node.arguments[3], formulas);
    b_.on_start().set(w, start - p / q * x);
  }
  return y;
}

// Numerator and denominator with the highest power first, in controllable canonical form from rest.
Expr ProgramBuilding::transfer(const Node& node, Formulas& formulas) {
  const auto m = static_cast<int>(number_now(node.arguments[0], "the order of the numerator"));
  const auto n = static_cast<int>(number_now(node.arguments[1], "the order of the denominator"));
  if (n < 1 || n > 100 || m < 0 || m > n) fail(node.at, "the orders must be 0 <= m <= n, and n at least 1");
  const Expr numerator = formulas.number(node.arguments[2]), denominator = formulas.number(node.arguments[3]);
  const Expr u = formulas.number(node.arguments[4]);
  if (numerator.size() < m + 1 || denominator.size() < n + 1)
    fail(node.at, "the arrays need one coefficient more than the orders say");
  const Expr leading = denominator[0];
  std::vector<Variable> x;
  for (int k = 0; k < n; ++k) x.push_back(b_.state(fresh("order"), b_.constant(0)));
  // x[k]' = x[k + 1], x[n - 1]' = u - sum a x; y = sum c x + d u
  Expr last = u;
  for (int k = 0; k < n; ++k) last = last - denominator[n - k] / leading * x[static_cast<std::size_t>(k)];
  for (int k = 0; k + 1 < n; ++k) b_.der(x[static_cast<std::size_t>(k)], x[static_cast<std::size_t>(k) + 1]);
  b_.der(x.back(), last);
  const auto coefficient = [&](int power) { return power <= m ? numerator[m - power] / leading : b_.constant(0); };
  const Expr direct = coefficient(n);
  Expr y = direct * u;
  for (int k = 0; k < n; ++k)
    y = y + (coefficient(k) - direct * (denominator[n - k] / leading)) * x[static_cast<std::size_t>(k)];
  return y;
}

// The value as it was some time ago. It is known before the value is: a state of the past.
Expr ProgramBuilding::delayed(const Node& node, Formulas& formulas) {
  const Expr start = initially(node.arguments[1], formulas);
  const Expr delay = initially(node.arguments[2], formulas);
  const Expr value = b_.constant(0) + start;
  Block::PastOptions options;
  options.least = delay;
  options.largest = delay;
  options.start = value;
  // The history begins with a value to be replaced: what is delayed may depend on the delay.
  const Expr placeholder = value;
  const Expr past = b_.past(placeholder, delay, options);
  const std::size_t rule = b_.body().histories.size() - 1;
  const NodeId of = node.arguments[0];
  later_.push_back([this, rule, of] { b_.body().histories[rule].value = number(of).id(); });
  return past;
}

// The difference over the last accepted step.
Expr ProgramBuilding::rate_of(const Node& node, Formulas& formulas) {
  const Expr start = initially(node.arguments[0], formulas), x = formulas.number(node.arguments[1]);
  const Variable value = b_.memory(fresh("before"), b_.constant(0)), time = b_.memory(fresh("when"), b_.constant(0));
  const Variable rate = b_.memory(fresh("rate"), start);
  const Expr t = b_.time();
  b_.on_start().set(value, x).set(time, t);
  const Trigger steps = b_.on_step().when(t > time);
  steps.set(rate, (x - value) / (t - time)).set(value, x).set(time, t);
  return rate;
}

// BCKLSH(ic, half the gap, x); HSTRSS(ic, p1, p2, x) of CSMP has a side each: x - p2 upwards, x - p1 downwards.
Expr ProgramBuilding::backlash(const Node& node, Formulas& formulas) {
  const Expr start = initially(node.arguments[0], formulas);
  const bool sides = node.name == "hstrss";
  const Expr gap = formulas.number(node.arguments[sides ? 2 : 1]);
  const Expr x = formulas.number(node.arguments[sides ? 3 : 2]);
  const Variable held = b_.memory(fresh("play"), start);
  const Expr up = x - gap, down = sides ? x - formulas.number(node.arguments[1]) : x + gap;
  return follow_with_play(b_, held, up, down);
}

// IMPLC(residual, start): its own name such that the residual vanishes. IMPL(start, error, most, failed, f, slope):
// such that f equals it.
Expr ProgramBuilding::implicit(const Node& node, Formulas& formulas) {
  const bool residual = node.name != "impl";
  const std::string name = current_ != nullptr ? current_->assigned() : std::string();
  if (name.empty()) fail(node.at, "an implicit equation needs a name on its left side");
  const NodeId start = residual ? node.arguments[1] : node.arguments[0];
  const NodeId equation = residual ? node.arguments[0] : node.arguments[4];
  Expr guess = initially(start, formulas);
  const cssl::Declared* declared = program_.find(name);
  if (declared != nullptr && declared->array && guess.type().is_scalar())
    guess = b_.fill(Type{Scalar::f64, declared->rows, declared->cols}, 0) + guess;
  const Variable unknown = b_.unknown(name, guess);
  derived_.set(name, unknown);
  later_.push_back([this, unknown, residual, equation] {
    const Expr value = number(equation);
    if (value.type() != unknown.type())
      fail(program_[equation].at, "there must be one residual for each element that is sought");
    b_.equation(unknown, residual ? value : value - unknown);
  });
  return unknown;
}

// Follows while the condition holds, and keeps what it was else.
Expr ProgramBuilding::hold(const Node& node, Formulas& formulas) {
  const Expr follows = formulas.truth(node.arguments[0]), x = formulas.number(node.arguments[1]);
  const Variable held = b_.memory(fresh("held"), b_.constant(0));
  const Expr y = select(follows, x, held);
  b_.on_start().set(held, x);
  b_.on_left().set(held, y);
  return y;
}

// ZOH(x, ic, tz, ts): x at tz, tz + ts, …
Expr ProgramBuilding::sample(const Node& node) {
  const Expr start = initially(node.arguments[1], *formulas_);
  const Expr first = initially(node.arguments[2], *formulas_), period = initially(node.arguments[3], *formulas_);
  const Variable held = b_.memory(fresh("sample"), start), count = b_.memory(fresh("count"), b_.constant(0));
  const int port = new_port();
  b_.on_start().schedule(port, max(first - b_.time(), b_.constant(0)));
  const NodeId of = node.arguments[0];
  later_.push_back([this, port, held, count, first, period, of] {
    const Expr next = count + 1.0;
    b_.on_fired(port)
        .set(held, number(of))
        .set(count, next)
        .schedule(port, max(first + next * period - b_.time(), b_.constant(0)));
  });
  return held;
}

}  // namespace orrery::blocks::text_programs
