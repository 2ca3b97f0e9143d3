// SPDX-License-Identifier: Apache-2.0
// One event of the referee: outputs, updates, programming.
#include "referee_run.h"

#include <algorithm>
#include <cmath>

namespace orrery::referee {

// At zero an always active block may be read with a mode or as it stands (4.6): that hangs on what else reads it.
bool Referee::is_true(int b, double u, int from) {
  if (std::abs(u) < 1e-9 && (u != 0 || always_[index(b)] || dirty_[index(from)])) uncertain_[index(b)] = true;
  return u > 0;
}

// 4.6: at its corner the jump of an always active block is that of just after the instant, with what this event has
// made of its inputs so far; where errors of integration say at which side it is, nobody can tell.
bool Referee::is_settled(int b, double u, int from) {
  if (!in_table_ || !always_[index(b)] || std::abs(u) >= 1e-9 || dirty_[index(from)]) return false;
  if (inputs_moved_ && !relax_from_here()) doubt("no consistent modes");
  inputs_moved_ = false;
  return true;
}

// 4.6: an output in an event, where conditions are evaluated as they stand.
double Referee::as_it_stands(int b) {
  const Block& block = this->block(b);
  uncertain_[index(b)] = false;
  for (const int i : block.inputs) {
    const bool feeds = !is_state(block.kind) && block.kind != Kind::fixed_delay && block.kind != Kind::discrete_delay;
    if (feeds && uncertain_[index(i)]) uncertain_[index(b)] = true;
  }
  const auto u = [&](int i) { return output_[index(block.inputs[index(i)])]; };
  switch (block.kind) {
    case Kind::abs: return std::abs(u(0));
    case Kind::max: return std::max(u(0), u(1));
    case Kind::min: return std::min(u(0), u(1));
    case Kind::saturation: return std::clamp(u(0), block.a, block.b);
    case Kind::deadzone: return u(0) < block.a ? u(0) - block.a : u(0) > block.b ? u(0) - block.b : 0;
    case Kind::sign:
      if (is_settled(b, u(0), in(b, 0))) return mode_[index(b)];
      return is_true(b, u(0), in(b, 0)) ? 1 : u(0) < 0 ? -1 : 0;
    case Kind::abs_loop: return u(0) >= 0 ? u(0) / (1 + block.a) : u(0) / (1 - block.a);
    case Kind::sat_loop:
      return std::abs(u(0)) <= 1 + block.a ? u(0) / (1 + block.a) : u(0) - std::copysign(block.a, u(0));
    case Kind::floor:
      if (is_settled(b, u(0) - std::round(u(0)), in(b, 0))) return mode_[index(b)];
      is_true(b, u(0) - std::round(u(0)), in(b, 0));  // nearly a whole number: not certain
      return std::floor(u(0));
    case Kind::greater: {
      const int dirty = dirty_[index(in(b, 0))] ? in(b, 0) : in(b, 1);
      if (is_settled(b, u(0) - u(1), dirty)) return mode_[index(b)];
      return is_true(b, u(0) - u(1), dirty) ? 1 : 0;
    }
    case Kind::greater_equal: {
      const int dirty = dirty_[index(in(b, 0))] ? in(b, 0) : in(b, 1);
      if (is_settled(b, u(0) - u(1), dirty)) return mode_[index(b)];
      return is_true(b, u(1) - u(0), dirty) ? 0 : 1;
    }
    case Kind::switch2:
      if (is_boolean(in(b, 1))) return u(1) > 0.5 ? u(0) : u(2);
      if (is_settled(b, u(1) - block.a, in(b, 1))) return mode_[index(b)] == 1 ? u(0) : u(2);
      return is_true(b, block.a - u(1), in(b, 1)) ? u(2) : u(0);
    case Kind::product: return u(0) * u(1);
    case Kind::gain: return block.a * u(0);
    case Kind::bias: return u(0) + block.a;
    case Kind::sum: return block.a * u(0) + block.b * u(1);
    case Kind::time: return t_;
    case Kind::sine: return block.a * std::sin(block.b * t_ + block.c);
    case Kind::constant: return block.a;
    case Kind::step: return has_stepped_[index(b)] ? block.c : block.b;
    case Kind::integral:
    case Kind::slider:
    case Kind::automaton:
    case Kind::reset_integral: return state_[index(b)];
    case Kind::fixed_delay: return past_of(b)[0];
    case Kind::hysteresis:
      if (!has_begun_) return u(0) > block.a ? 1 : 0;
      return memory_[index(b)];
    case Kind::backlash: return std::clamp(memory_[index(b)], u(0) - block.a / 2, u(0) + block.a / 2);
    case Kind::rate_limiter: return std::clamp(u(0), line_of(b, block.b)[0], line_of(b, block.a)[0]);
    case Kind::sample_hold: return u(0);
    case Kind::discrete_delay:
    case Kind::counter: return memory_[index(b)];
    default: return 0;
  }
}

// 4.1, 4.2: the outputs of one event, guards included. Blocks that are always active are read fresh (4.5).
void Referee::run_table(const std::vector<int>& fired) {
  for (int b = 0; b < count_; ++b) {
    active_[index(b)] = false;
    emits_[index(b)] = {};
  }
  for (const int b : fired) emits_[index(b)][1] = true;
  in_table_ = inputs_moved_ = true;
  for (int b = 0; b < count_; ++b) {
    const Kind kind = block(b).kind;
    bool linked = false, on = false;
    for (const Activation& link : diagram_.activations) {
      if (link.to != b) continue;
      linked = true;
      on = on || emits_[index(link.from)][index(link.port)];
    }
    if (!linked && !always_[index(b)]) {
      for (const int i : block(b).inputs) on = on || active_[index(i)];
    }
    active_[index(b)] = on;
    if ((always_[index(b)] || on) && has_output(kind)) {
      const double before = output_[index(b)];
      output_[index(b)] = as_it_stands(b);
      inputs_moved_ = inputs_moved_ || (!always_[index(b)] && output_[index(b)] != before);
    }
    if (!on) continue;
    if (!always_[index(b)] && has_output(kind) && uncertain_[index(b)])
      doubt("a condition as it stands, nearly contradicted");
    if (kind == Kind::event_union) emits_[index(b)][1] = true;
    if (kind == Kind::if_then_else || (kind == Kind::edge_trigger && !always_[index(b)])) {
      const int from = in(b, 0);
      uncertain_[index(b)] = uncertain_[index(from)];
      const bool now = is_true(b, output_[index(from)], from);
      if (uncertain_[index(b)]) doubt("a condition as it stands, nearly contradicted");
      if (kind == Kind::if_then_else) {
        emits_[index(b)][now ? 1 : 2] = true;
      } else {
        const bool before = memory_[index(b)] > 0;
        const bool edge = has_seen_[index(b)] && now != before;
        emits_[index(b)][1] = edge && (block(b).a == 0 || (block(b).a > 0) == now);
        has_seen_[index(b)] = true;
        memory_[index(b)] = now ? 1 : 0;
      }
    }
  }
  in_table_ = false;
  update_and_program(fired);
  if (outcome_.events.size() > events_at_most) doubt("too many events");
}

// 4.3: updates all read the values before the phase. 4.4, 5.5: each output has one pending event.
void Referee::update_and_program(const std::vector<int>& fired) {
  for (int b = 0; b < count_; ++b) {
    if (!active_[index(b)]) continue;
    if (block(b).kind == Kind::discrete_delay) memory_[index(b)] = output_[index(in(b, 0))];
    if (block(b).kind == Kind::counter) memory_[index(b)] += 1;
    if (block(b).kind == Kind::reset_integral) {
      if (uncertain_[index(in(b, 1))]) doubt("a condition as it stands, nearly contradicted");
      state_[index(b)] = output_[index(in(b, 1))];
    }
    if (block(b).kind == Kind::discrete_delay && uncertain_[index(in(b, 0))])
      doubt("a condition as it stands, nearly contradicted");
    if (block(b).kind == Kind::event_delay) pending_[index(b)] = {t_ + block(b).a, turns_++};
  }
  for (const int b : fired) {
    if (block(b).kind == Kind::step) has_stepped_[index(b)] = true;
    if (block(b).kind == Kind::event_clock) pending_[index(b)] = {tick_of(b, ++ticks_[index(b)]), turns_++};
    if (block(b).kind == Kind::event_generate && block(b).b > block(b).a && ticks_[index(b)]++ == 0)
      pending_[index(b)] = {block(b).b, turns_++};
  }
}

}  // namespace orrery::referee
