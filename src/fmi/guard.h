// SPDX-License-Identifier: Apache-2.0
// Calls into foreign code: a crash or an exception in there comes back as an answer, and a floating-point environment
// that the FMU has changed is set right again.
#pragma once

#include <setjmp.h>

#include <atomic>
#include <exception>
#include <string>
#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

namespace orrery::fmi {

// Why no further call is possible.
struct Death {
  std::string code;     // of a diagnostic: "fmi-crash", "fmi-hang", "fmi-memory"
  std::string message;  // "crashed in fmi2DoStep: segmentation fault"
};

// One foreign call of this thread; calls may nest.
struct ForeignCall {
  sigjmp_buf point;
  const char* function;
  const char* fmu;
  ForeignCall* outer;
  int signal;
  bool completed;  // came back as it should
  bool returns;    // whether a crash may come back: the loader of libraries cannot be left
};

inline constinit thread_local ForeignCall* current_call = nullptr;
// The function that was entered last, for threads that the FMU started itself, and for a watching process, which puts
// the slot into shared memory.
inline constinit std::atomic<const char*> own_slot = nullptr;
inline constinit std::atomic<const char*>* entered_function = &own_slot;

// Installs the handlers of fatal signals once; those of others (a debugger's, a sanitizer's) stay.
void watch_signals();
// Called before a signal or exit() ends the process.
void at_end(void (*cleanup)());
// After a fork: what belongs to the parent is not cleaned up, and crashes end quietly.
void forget_ends();

std::string describe_crash(const char* function, int signal);
Death death_by_signal(const char* function, int signal);
Death death_by_exception(const char* function, const std::exception* exception);
// An allocation for the FMU has failed; a crash after that has a name.
void note_exhausted_memory();

// Traps, rounding and flushing to zero of this thread, as they were.
class FloatControl {
 public:
#if defined(__SSE2__)
  FloatControl() : vector_(_mm_getcsr()), stack_(stack_control()) {}
  void restore() const {
    constexpr unsigned control = 0xffc0;  // not the flags of what has happened
    if (((_mm_getcsr() ^ vector_) & control) != 0) _mm_setcsr(vector_);
    if (stack_control() != stack_) asm volatile("fldcw %0" : : "m"(stack_));
  }

 private:
  static unsigned short stack_control() {
    unsigned short word = 0;
    asm volatile("fnstcw %0" : "=m"(word));
    return word;
  }
  unsigned vector_;
  unsigned short stack_;
#else
  void restore() const {}
#endif
};

// Runs body; false, and the reason, when it did not come back as it should. Objects of the FMU's own frames are lost.
template <class Body>
[[gnu::noinline]] bool guarded(const char* fmu, const char* function, const Body& body, Death& death,
                               bool returns = true) {
  ForeignCall call;
  call.function = function;
  call.fmu = fmu;
  call.outer = current_call;
  call.signal = 0;
  call.returns = returns;
  const FloatControl control;
  call.completed = false;
  // The mask of signals is not saved: the handlers block none.
  if (sigsetjmp(call.point, 0) == 0) {
    current_call = &call;
    entered_function->store(function, std::memory_order_relaxed);
    try {
      body();
      call.completed = true;
    } catch (const std::exception& exception) {
      death = death_by_exception(function, &exception);
    } catch (...) {
      death = death_by_exception(function, nullptr);
    }
  } else {
    death = death_by_signal(function, call.signal);
  }
  current_call = call.outer;
  entered_function->store(call.outer != nullptr ? call.outer->function : nullptr, std::memory_order_relaxed);
  control.restore();
  return call.completed;
}

}  // namespace orrery::fmi
