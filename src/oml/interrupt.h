// SPDX-License-Identifier: Apache-2.0
// The way from long work inside builtins to the interrupt flag of the running interpreter.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>

namespace orrery::oml {

// The flag of this thread's running interpreter; null when nobody can interrupt.
const std::atomic<bool>*& interrupt_flag();
// Throws Interrupted when the flag is raised, Refused when the time of the scripts is up.
void poll_interrupt();

// How long the scripts of this thread's running interpreter may still run.
struct ScriptTime {
  using Clock = std::chrono::steady_clock;
  Clock::time_point end = Clock::time_point::max();
  std::function<void()> up = {};  // called when it is past; throws
  void check() const {
    if (end != Clock::time_point::max() && Clock::now() > end) up();
  }
};
ScriptTime& script_time();

// For inner loops: looks at the flag every few thousand calls.
class InterruptPoll {
 public:
  void operator()() {
    if ((++turns_ & 0xfffu) == 0) poll_interrupt();
  }

 private:
  unsigned turns_ = 0;
};

}  // namespace orrery::oml
