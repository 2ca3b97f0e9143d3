// SPDX-License-Identifier: Apache-2.0
// The one owner of the signals that ask a process to end: SIGINT, SIGTERM, SIGHUP, SIGQUIT.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>

namespace orrery {

// Installs the handlers; the executable does it before anything else, programs that embed the engine keep their own.
// What the process was started to ignore (nohup) stays ignored. A closed pipe becomes an error of writing.
void own_signals();

// Ctrl-C then also ends a system call that waits, so that a script in the middle of one stops.
void interrupt_system_calls();

// While one lives, the first request raises the flag, so that the work ends by itself and its results are kept; a
// second one, or one without a watch, ends the process at once, after all that was registered for that.
class EndWatch {
 public:
  enum class Style : std::uint8_t {
    all,      // every request
    console,  // Ctrl-C, and however often it comes
  };
  explicit EndWatch(Style style = Style::all);
  ~EndWatch();
  EndWatch(const EndWatch&) = delete;
  EndWatch& operator=(const EndWatch&) = delete;

 private:
  int before_;
};

std::atomic<bool>& end_requested();

// While one lives there is nothing to keep, and long work may go on that cannot be asked to stop: then a request for
// the end that has not ended the lives of all of them within a twentieth of a second ends the process, its output
// written. Consoles are not ended.
class NothingToKeep {
 public:
  explicit NothingToKeep(bool counts = true);
  ~NothingToKeep();
  NothingToKeep(const NothingToKeep&) = delete;
  NothingToKeep& operator=(const NothingToKeep&) = delete;

 private:
  bool counts_;
};

// What is not kept may take until then; it is given up a second later, wherever it is: the process says so in these
// words and ends with code 1, its output written. Nothing: no limit. Of the executable only, and nothing happens while
// there is something to keep.
void end_what_is_late(std::optional<std::chrono::steady_clock::time_point> deadline, const char* words);

// Called before a request ends the process at once. Nothing that a signal handler may not do.
void before_sudden_end(void (*cleanup)());
// After a fork: requests end the child, and nothing of the parent's is cleaned up.
void forget_sudden_ends();

}  // namespace orrery
