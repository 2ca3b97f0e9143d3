// SPDX-License-Identifier: Apache-2.0
// Handlers of fatal signals and of exit() within foreign code.
#include "fmi/guard.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

#include "base/signals.h"

namespace orrery::fmi {
namespace {

constexpr int fatal_signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTERM, SIGHUP};
constexpr int exit_failed = 1;

void (*cleanup)() = nullptr;
std::atomic<bool> crashed_before{false};
std::atomic<bool> memory_was_refused{false};
std::atomic<int> expected_code{-1};         // of the end of the process; -1: it is not expected
bool in_child = false;                      // the parent does the talking
alignas(16) char handler_stack[64 * 1024];  // a stack overflow leaves no room on the ordinary one

void write_text(const char* text) {
  const ssize_t ignored = ::write(STDERR_FILENO, text, std::strlen(text));
  static_cast<void>(ignored);
}

void report(const char* what, const char* function) {
  if (in_child) return;
  write_text(expected_code < 0 ? "error[fmi-crash]: " : "warning[fmi-crash]: ");
  if (current_call != nullptr && current_call->fmu != nullptr) {
    write_text(current_call->fmu);
    write_text(": ");
  }
  write_text(what);
  write_text(function);
  write_text("\n");
}

[[noreturn]] void leave() { _exit(expected_code < 0 ? exit_failed : expected_code.load()); }

// After abort() the heap may be locked, so there is no way back from it. Everything else goes back to the call.
bool may_return(int signal) { return signal == SIGSEGV || signal == SIGBUS || signal == SIGFPE || signal == SIGILL; }

void on_signal(int signal) {
  const bool asked = signal == SIGTERM || signal == SIGHUP;
  ForeignCall* call = asked ? nullptr : current_call;
  if (call != nullptr && call->returns && may_return(signal)) {
    call->signal = signal;
    current_call = call->outer;
    crashed_before = true;
    __builtin_longjmp(call->point, 1);
  }
  const char* function = call != nullptr ? call->function : entered_function->load();
  const bool at_end = !asked && expected_code >= 0;
  const bool foreign = !asked && (function != nullptr || crashed_before || at_end);
  if (at_end && function == nullptr) report("the FMU crashed ", "while it was released");
  if (!asked && function != nullptr) report("the FMU crashed in ", function);
  if (!asked && !at_end && function == nullptr && crashed_before)
    report("the crash of the FMU has spoiled ", "the program");
  if (cleanup != nullptr) cleanup();
  if (foreign && !in_child) leave();
  ::signal(signal, SIG_DFL);
  raise(signal);
}

void on_exit() {
  if (current_call == nullptr) return;
  report("the FMU ended the program in ", current_call->function);
  if (cleanup != nullptr) cleanup();
  leave();
}

// Whether a process with limited memory has none left.
bool memory_exhausted() {
  constexpr std::size_t probe = std::size_t{64} << 20;
  rlimit limit = {};
  if (memory_was_refused) return true;
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return false;
  void* memory = mmap(nullptr, probe, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return true;
  munmap(memory, probe);
  return false;
}

// Code made for other machines puts large arrays on the stack. The main thread's grows up to the limit of the moment;
// the kernel keeps more than this much room for it.
void widen_stack() {
  constexpr rlim_t wanted = rlim_t{100} << 20;
  rlimit limit = {};
  if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur >= wanted) return;
  limit.rlim_cur = limit.rlim_max == RLIM_INFINITY ? wanted : std::min(wanted, limit.rlim_max);
  setrlimit(RLIMIT_STACK, &limit);
}

void handle(int signal) {
  struct sigaction action = {};
  action.sa_handler = on_signal;
  action.sa_flags = static_cast<int>(SA_NODEFER | SA_ONSTACK);
  sigemptyset(&action.sa_mask);
  sigaction(signal, &action, nullptr);
}

}  // namespace

void mend_handlers() {
  for (const int signal : fatal_signals) {
    struct sigaction now = {};
    Dl_info where = {};
    sigaction(signal, nullptr, &now);
    if (now.sa_handler == SIG_DFL || now.sa_handler == SIG_IGN) continue;
    if (dladdr(reinterpret_cast<const void*>(now.sa_handler), &where) == 0) handle(signal);
  }
}

void watch_signals() {
  static const bool done = [] {
    std::atexit(on_exit);
    float_control.take();
    widen_stack();
    stack_t stack = {};
    stack.ss_sp = handler_stack;
    stack.ss_size = sizeof handler_stack;
    stack_t old_stack = {};
    if (sigaltstack(nullptr, &old_stack) == 0 && (old_stack.ss_flags & SS_DISABLE) != 0) sigaltstack(&stack, nullptr);
    for (const int signal : fatal_signals) {
      struct sigaction old = {};
      sigaction(signal, nullptr, &old);
      if (old.sa_handler == SIG_DFL) handle(signal);
    }
    return true;
  }();
  static_cast<void>(done);
}

void expect_end(int code) { expected_code = code; }

void at_end(void (*function)()) { cleanup = function; }

void forget_ends() {
  cleanup = nullptr;
  in_child = true;
  forget_sudden_ends();
  ::signal(SIGABRT, SIG_DFL);
}

std::string describe_crash(const char* function, int signal) {
  const char* name = strsignal(signal);
  std::string text = name != nullptr ? name : fmt::format("signal {}", signal);
  if (!text.empty() && text[0] >= 'A' && text[0] <= 'Z') text[0] = static_cast<char>(text[0] - 'A' + 'a');
  return fmt::format("the FMU crashed in {}: {}", function, text);
}

void note_exhausted_memory() { memory_was_refused = true; }

Death death_by_signal(const char* function, int signal) {
  std::string message = describe_crash(function, signal);
  if (!memory_exhausted()) return Death{"fmi-crash", std::move(message)};
  return Death{"fmi-memory", message + ", after all the memory it may have was used up"};
}

Death death_by_exception(const char* function, const std::exception* exception) {
  const bool memory = dynamic_cast<const std::bad_alloc*>(exception) != nullptr;
  return Death{memory ? "fmi-memory" : "fmi-crash",
               fmt::format("the FMU threw an exception in {}{}{}", function, exception != nullptr ? ": " : "",
                           exception != nullptr ? exception->what() : "")};
}

}  // namespace orrery::fmi
