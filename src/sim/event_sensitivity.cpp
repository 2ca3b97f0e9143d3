// SPDX-License-Identifier: Apache-2.0
// Instants of events as functions of parameters.
#include "sim/event_sensitivity.h"

#include <algorithm>

namespace orrery::sim {

EventSensitivity::EventSensitivity(const CompiledProgram& machine, std::span<std::byte> memory, LoopSolver* loops)
    : machine_(machine),
      info_(machine.program().sensitivities),
      memory_(memory),
      loops_(loops),
      states_(machine.state_count() / (info_.parameters.size() + 1)),
      tangents_(info_.surfaces.size() * (info_.parameters.size() + 1)),
      rates_(machine.state_count()) {}

double* EventSensitivity::number(program::SlotId slot) {
  return reinterpret_cast<double*>(memory_.data() + machine_.layout().offset[slot]);
}

void EventSensitivity::at_fixed_time() {
  for (program::SlotId slot : info_.event_time) *number(slot) = 0;
}

void EventSensitivity::at_source(std::uint32_t source) {
  for (std::size_t p = 0; p < info_.event_time.size(); ++p) {
    *number(info_.event_time[p]) = *number(info_.source_time[source][p]);
  }
}

void EventSensitivity::look(double t) {
  const auto* x = reinterpret_cast<const double*>(memory_.data());
  if (loops_ != nullptr) {
    static_cast<void>(loops_->solve(machine_.derivative_loops(), t, x, 0));  // the run itself says where there is none
    static_cast<void>(loops_->solve(machine_.surface_loops(), t, x, 0));
  }
  machine_.surface_tangents()(t, x, tangents_.data(), memory_.data(), 0);
}

// g(t, x, p) = 0 stays true: g_p + rate * dt/dp = 0.
void EventSensitivity::at_surface(std::size_t surface) {
  const double* own = tangents_.data() + surface * (info_.event_time.size() + 1);
  for (std::size_t p = 0; p < info_.event_time.size(); ++p) *number(info_.event_time[p]) = -own[p + 1] / own[0];
}

void EventSensitivity::shift(double t, double sign) {
  const auto stays = [&](program::SlotId slot) { return *number(slot) == 0; };
  if (std::all_of(info_.event_time.begin(), info_.event_time.end(), stays)) return;
  auto* x = reinterpret_cast<double*>(memory_.data());
  if (loops_ != nullptr) static_cast<void>(loops_->solve(machine_.derivative_loops(), t, x, 0));
  machine_.derivatives()(t, x, rates_.data(), memory_.data(), 0);
  for (std::size_t p = 0; p < info_.event_time.size(); ++p) {
    const double tau = sign * *number(info_.event_time[p]);
    if (tau == 0) continue;
    double* s = x + (p + 1) * states_;
    for (std::size_t i = 0; i < states_; ++i) s[i] += tau * rates_[i];
  }
}

bool EventSensitivity::enter(double t) {
  if (inside_) return false;
  inside_ = true;
  shift(t, 1);
  return true;
}

void EventSensitivity::leave(double t) {
  shift(t, -1);
  inside_ = false;
}

}  // namespace orrery::sim
