// SPDX-License-Identifier: Apache-2.0
// What those who drive a run ask in between: parameters, and signals that the loop does not compute.
#include "sim/hybrid_run.h"

namespace orrery::sim {

void HybridRun::set_parameter(const ParameterSetting& setting) {
  std::erase_if(run_.options.parameters, [&](const ParameterSetting& known) { return known.name == setting.name; });
  run_.options.parameters.push_back(setting);
}

// Events of this instant may have changed what modes depend on; those are found anew when the run goes on.
bool HybridRun::look(const std::vector<std::uint32_t>& loops, const std::function<void()>& evaluate) {
  seat_.freshen();
  const bool preview = initialised_ && run_.restart_needed && modes_.can_preview();
  if (preview) modes_.preview();
  const bool solved = loops.empty() || model_.loop_solver()->solve(loops, run_.t, run_.states(), 0);
  if (solved) evaluate();
  if (preview) modes_.put_back();
  return solved;
}

bool HybridRun::evaluate_signal(std::uint32_t signal) {
  const SignalCode* code = run_.machine.signal(signal, run_.diagnostics);
  if (code == nullptr) return false;
  if (!code->code && code->loops.empty()) return true;
  return look(code->loops, [&] {
    if (code->code) code->code->function(0)(run_.t, run_.states(), run_.results.data(), run_.memory.data(), 0);
  });
}

bool HybridRun::at_point(const std::vector<std::uint32_t>& loops,
                         const std::function<void(double t, std::byte* memory)>& evaluate) {
  return look(loops, [&] { evaluate(run_.t, run_.memory.data()); });
}

void HybridRun::evaluate_probes() {
  look(run_.machine.always_loops(), [this] { results_.evaluate_always(run_.t, run_.states()); });
}

}  // namespace orrery::sim
