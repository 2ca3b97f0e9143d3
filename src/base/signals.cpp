// SPDX-License-Identifier: Apache-2.0
// Handlers that look at plain memory only.
#include "base/signals.h"

#include <semaphore.h>
#include <signal.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <thread>

namespace orrery {
namespace {

constexpr int requests[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
constexpr int most_cleanups = 8;

std::atomic<bool> requested{false};
std::atomic<int> watching{-1};  // the style of the watch; -1: there is none
std::atomic<void (*)()> cleanups[most_cleanups];
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<int>::is_always_lock_free &&
                  std::atomic<void (*)()>::is_always_lock_free,
              "a signal handler uses them");

std::atomic<int> nothing_to_keep{0};
std::atomic<bool> owned{false};
sem_t first_request;  // posted by the first request, for the thread that ends what does not end
constexpr useconds_t patience = 50'000, flush_patience = 50'000;  // microseconds
constexpr int interrupted_code = 130;                             // as of shells: 128 + SIGINT
constexpr int failed_code = 1;
std::atomic<int> code_of_end{interrupted_code};

using Clock = std::chrono::steady_clock;
constexpr Clock::rep no_deadline = 0;
constexpr std::chrono::seconds grace(1);
constexpr std::chrono::milliseconds look_every(250);
std::atomic<Clock::rep> deadline_of_scripts{no_deadline};
std::atomic<const char*> words_of_late{""};

void clean_up() {
  for (auto& cleanup : cleanups) {
    if (void (*function)() = cleanup.exchange(nullptr)) function();
  }
}

void on_stuck_flush(int) {
  clean_up();
  ::_exit(code_of_end.load());
}

// What was written is flushed, unless the work holds a stream: then that much is lost.
[[noreturn]] void end_with(int code) {
  code_of_end = code;
  ::signal(SIGALRM, on_stuck_flush);
  const itimerval soon{{0, 0}, {0, flush_patience}};
  ::setitimer(ITIMER_REAL, &soon, nullptr);
  std::fflush(nullptr);
  clean_up();
  ::_exit(code);
}

bool is_late() {
  const Clock::rep deadline = deadline_of_scripts.load();
  return deadline != no_deadline && Clock::now() > Clock::time_point(Clock::duration(deadline)) + grace;
}

// Waits beside the work: for a request, and for a time that is up.
void end_the_stubborn() {
  for (;;) {
    const timespec moment = [] {
      timespec now = {};
      ::clock_gettime(CLOCK_REALTIME, &now);
      now.tv_nsec += std::chrono::nanoseconds(look_every).count();
      if (now.tv_nsec >= 1'000'000'000) ++now.tv_sec, now.tv_nsec -= 1'000'000'000;
      return now;
    }();
    const bool asked = ::sem_timedwait(&first_request, &moment) == 0;
    if (asked) ::usleep(patience);
    if (nothing_to_keep.load() == 0) continue;
    if (asked) end_with(interrupted_code);
    if (!is_late()) continue;
    const char* const words = words_of_late.load();
    static_cast<void>(::write(STDERR_FILENO, words, std::strlen(words)));
    end_with(failed_code);
  }
}

void on_request(int signal) {
  const int style = watching.load();
  if (style == static_cast<int>(EndWatch::Style::console) && signal == SIGINT) {
    requested = true;
    return;
  }
  if (style == static_cast<int>(EndWatch::Style::all) && !requested.exchange(true)) {
    if (nothing_to_keep.load() > 0) sem_post(&first_request);
    return;
  }
  clean_up();
  ::signal(signal, SIG_DFL);
  ::raise(signal);
}

void on_closed_pipe(int) {}

}  // namespace

void own_signals() {
  sem_init(&first_request, 0, 0);
  owned = true;
  struct sigaction action = {};
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  for (const int signal : requests) sigaddset(&action.sa_mask, signal);
  action.sa_handler = on_request;
  for (const int signal : requests) {
    struct sigaction before = {};
    sigaction(signal, nullptr, &before);
    if (signal != SIGINT && before.sa_handler == SIG_IGN) continue;
    sigaction(signal, &action, nullptr);
  }
  // A handler and not SIG_IGN: programs that are started have the default again.
  action.sa_handler = on_closed_pipe;
  sigaction(SIGPIPE, &action, nullptr);
}

void interrupt_system_calls() {
  struct sigaction action = {};
  sigaction(SIGINT, nullptr, &action);
  action.sa_flags &= ~SA_RESTART;
  sigaction(SIGINT, &action, nullptr);
}

EndWatch::EndWatch(Style style) : before_(watching.exchange(static_cast<int>(style))) {}

EndWatch::~EndWatch() { watching = before_; }

std::atomic<bool>& end_requested() { return requested; }

NothingToKeep::NothingToKeep(bool counts) : counts_(counts) {
  if (!counts_) return;
  static const bool watched = [] {
    if (!owned) return false;  // requests for the end are somebody else's
    std::thread(end_the_stubborn).detach();
    return true;
  }();
  static_cast<void>(watched);
  ++nothing_to_keep;
}

NothingToKeep::~NothingToKeep() {
  if (counts_) --nothing_to_keep;
}

void end_what_is_late(std::optional<Clock::time_point> deadline, const char* words) {
  words_of_late = words;
  deadline_of_scripts = deadline ? deadline->time_since_epoch().count() : no_deadline;
}

void before_sudden_end(void (*cleanup)()) {
  for (auto& place : cleanups) {
    void (*empty)() = nullptr;
    if (place.load() == cleanup || place.compare_exchange_strong(empty, cleanup)) return;
  }
}

void forget_sudden_ends() {
  for (auto& cleanup : cleanups) cleanup = nullptr;
  for (const int signal : requests) ::signal(signal, SIG_DFL);
  ::signal(SIGPIPE, SIG_DFL);
}

}  // namespace orrery
