// SPDX-License-Identifier: Apache-2.0
// What the referee finds out about a diagram before it runs: what is always active, what surfaces there are.
#include "referee_run.h"

#include <algorithm>

namespace orrery::referee {

Referee::Referee(const Diagram& diagram) : diagram_(diagram), count_(static_cast<int>(diagram.blocks.size())) {
  const auto n = diagram.blocks.size();
  always_.assign(n, false);
  dirty_.assign(n, false);
  state_.assign(n, 0);
  memory_.assign(n, 0);
  output_.assign(n, 0);
  uncertain_.assign(n, false);
  active_.assign(n, false);
  has_stepped_.assign(n, false);
  has_seen_.assign(n, false);
  emits_.assign(n, {});
  mode_.assign(n, 0);
  ticks_.assign(n, 0);
  pending_.assign(n, {});
  series_.assign(n, {});
  past_.assign(n, {});
  since_.assign(n, 0);
  classify();
  find_roots();
  find_surfaces();
}

void Referee::find_roots() {
  roots_.assign(index(count_), std::vector<bool>(index(count_), false));
  for (int round = 0; round < count_; ++round) {
    for (int b = 0; b < count_; ++b) {
      const Kind kind = block(b).kind;
      if (kind == Kind::sine || is_state(kind)) roots_[index(b)][index(b)] = true;
      for (const int i : block(b).inputs) {
        for (std::size_t k = 0; k < roots_.size(); ++k)
          roots_[index(b)][k] = roots_[index(b)][k] || roots_[index(i)][k];
      }
    }
  }
}

// 2.1 to 2.3: what is always active. Dirty is what hangs on integration, on sines, or on located instants.
void Referee::classify() {
  for (int round = 0; round < count_; ++round) {
    for (int b = 0; b < count_; ++b) {
      const Kind kind = block(b).kind;
      bool activated = false, driven = false, all_constant = !block(b).inputs.empty();
      bool dirty = kind == Kind::sine || is_state(kind) || kind == Kind::zero_cross || remembers(b);
      for (const Activation& link : diagram_.activations) {
        if (link.to != b) continue;
        activated = true;
        dirty = dirty || dirty_[index(link.from)];
      }
      for (const int i : block(b).inputs) {
        driven = driven || always_[index(i)];
        all_constant = all_constant && block(i).kind == Kind::constant;
        dirty = dirty || dirty_[index(i)];
      }
      const bool source = kind == Kind::constant || kind == Kind::time || kind == Kind::sine || kind == Kind::step;
      const bool lasts = is_state(kind) || kind == Kind::fixed_delay;
      always_[index(b)] = source || lasts || kind == Kind::zero_cross || (!activated && driven) || all_constant;
      if (kind == Kind::edge_trigger && always_[index(b)]) dirty = true;
      dirty_[index(b)] = dirty;
    }
  }
}

void Referee::find_surfaces() {
  for (int b = 0; b < count_; ++b) {
    if (!always_[index(b)]) continue;
    int number = 0;
    bool event = false;
    switch (block(b).kind) {
      case Kind::abs:
      case Kind::max:
      case Kind::min:
      case Kind::sign:
      case Kind::abs_loop:
      case Kind::greater:
      case Kind::greater_equal: number = 1; break;
      case Kind::floor:
      case Kind::sat_loop:
      case Kind::saturation:
      case Kind::deadzone: number = 2; break;
      case Kind::switch2: number = is_boolean(in(b, 1)) ? 0 : 1; break;
      case Kind::integral: number = limited(b) ? 3 : 0; break;
      case Kind::slider:
      case Kind::backlash: number = 3; break;
      case Kind::rate_limiter: number = 4; break;
      case Kind::hysteresis:
      case Kind::automaton:
        number = 2;
        event = true;
        break;
      case Kind::zero_cross:
      case Kind::edge_trigger:
        number = 1;
        event = true;
        break;
      default: break;
    }
    for (int i = 0; i < number; ++i) surfaces_.push_back({b, i, event});
  }
}

}  // namespace orrery::referee
