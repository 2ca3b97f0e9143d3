// SPDX-License-Identifier: Apache-2.0
// Calls into foreign code: a crash or an exception in there comes back as an answer, and a floating-point environment
// that the FMU has changed is set right again.
#pragma once

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

// One foreign call of this thread; calls may nest. The way back is the compiler's own: it saves three words where
// sigsetjmp saves all registers, and calls are as short as ten nanoseconds. The mask of signals need not be saved, as
// the handlers block none.
struct ForeignCall {
  void* point[5];
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

// The name of a function of FMI, if that is where the address of another process points to in this one; else nullptr.
const char* known_function(const char* address);
inline constexpr char opening_library[] = "dlopen", closing_library[] = "dlclose";

// Installs the handlers of fatal signals once; those of others (a debugger's, a sanitizer's) stay.
void watch_signals();
// Where a handler of fatal signals has gone with the library that brought it, ours is installed again.
void mend_handlers();
// Called before a signal or exit() ends the process.
void at_end(void (*cleanup)());
// All results are out: whatever the FMU does while it is released, the process ends with this code. -1: no more so.
void expect_end(int code);
// After a fork: what belongs to the parent is not cleaned up, and crashes end quietly.
void forget_ends();

std::string describe_crash(const char* function, int signal);
Death death_by_signal(const char* function, int signal);
Death death_by_exception(const char* function, const std::exception* exception);
// An allocation for the FMU has failed; a crash after that has a name.
void note_exhausted_memory();

// Traps, rounding and flushing to zero of this thread, as they were when the first library was loaded.
struct FloatControl {
#if defined(__SSE2__)
  unsigned vector = 0x1f80;
  unsigned short stack = 0x37f;
  void take() {
    vector = _mm_getcsr();
    asm volatile("fnstcw %0" : "=m"(stack));
  }
  void restore() const {
    constexpr unsigned control = 0xffc0;  // not the flags of what has happened
    if (((_mm_getcsr() ^ vector) & control) == 0) return;
    _mm_setcsr(vector);
    // The library of C always changes both. What the FMU has left pending would trap here.
    asm volatile("fnclex\n\tfldcw %0" : : "m"(stack));
  }
#else
  void take() {}
  void restore() const {}
#endif
};
inline constinit FloatControl float_control;

// Within a guarded call: another function is entered.
inline void enter(const char* function) {
  current_call->function = function;
  entered_function->store(function, std::memory_order_relaxed);
}

// The call itself; false when an exception came out of it.
template <class Body>
[[gnu::noinline]] bool without_exceptions(const ForeignCall& call, const Body& body, Death& death) {
  try {
    body();
    return true;
  } catch (const std::exception& exception) {
    death = death_by_exception(call.function, &exception);
  } catch (...) {
    death = death_by_exception(call.function, nullptr);
  }
  return false;
}

// Runs body; false, and the reason, when it did not come back as it should. Objects of the FMU's own frames are lost.
// The floating-point environment is the caller's business.
template <class Body>
[[gnu::noinline]] bool guarded(const char* fmu, const char* function, const Body& body, Death& death,
                               bool returns = true) {
  ForeignCall call;
  call.function = function;
  call.fmu = fmu;
  call.outer = current_call;
  call.signal = 0;
  call.returns = returns;
  call.completed = false;
  if (__builtin_setjmp(call.point) == 0) {
    current_call = &call;
    entered_function->store(function, std::memory_order_relaxed);
    call.completed = without_exceptions(call, body, death);
  } else {
    death = death_by_signal(call.function, call.signal);
  }
  current_call = call.outer;
  entered_function->store(call.outer != nullptr ? call.outer->function : nullptr, std::memory_order_relaxed);
  return call.completed;
}

// A way back for many calls: while body runs, a crash in foreign code that was entered with `call` as the current one
// ends body where it stands; what its frames hold is lost. False then.
template <class Body>
[[gnu::noinline]] bool with_way_back(ForeignCall& call, const Body& body) {
  if (__builtin_setjmp(call.point) != 0) return false;
  body();
  return true;
}

}  // namespace orrery::fmi
