// SPDX-License-Identifier: Apache-2.0
// The way from long work inside builtins to the interrupt flag of the running interpreter.
#pragma once

#include <atomic>

namespace orrery::oml {

// The flag of this thread's running interpreter; null when nobody can interrupt.
const std::atomic<bool>*& interrupt_flag();
// Throws Interrupted when the flag is raised.
void poll_interrupt();

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
