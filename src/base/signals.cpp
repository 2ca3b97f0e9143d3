// SPDX-License-Identifier: Apache-2.0
// Handlers that look at plain memory only.
#include "base/signals.h"

#include <semaphore.h>
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

#include <cstdio>
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

void clean_up() {
  for (auto& cleanup : cleanups) {
    if (void (*function)() = cleanup.exchange(nullptr)) function();
  }
}

void on_stuck_flush(int) {
  clean_up();
  ::_exit(interrupted_code);
}

// Waits beside the work. What was written is flushed, unless the work holds a stream: then that much is lost.
void end_the_stubborn() {
  for (;;) {
    while (sem_wait(&first_request) != 0) {
    }
    ::usleep(patience);
    if (nothing_to_keep.load() == 0) continue;
    ::signal(SIGALRM, on_stuck_flush);
    const itimerval soon{{0, 0}, {0, flush_patience}};
    ::setitimer(ITIMER_REAL, &soon, nullptr);
    std::fflush(nullptr);
    clean_up();
    ::_exit(interrupted_code);
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
