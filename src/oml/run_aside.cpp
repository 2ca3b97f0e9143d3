// SPDX-License-Identifier: Apache-2.0
// Threads for work that may be left alone.
#include "oml/run_aside.h"

#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <thread>

#include "oml/error.h"

namespace orrery::oml {
namespace {

std::atomic<int> left_alone{0};

// Libraries must not be taken down under a thread that still computes: then the process ends without that.
void end_at_once(int status, void*) {
  if (left_alone.load() == 0) return;
  std::fflush(nullptr);
  ::_exit(status);
}

struct Shared {
  std::mutex mutex;
  std::condition_variable changed;
  bool done = false, abandoned = false;
  std::exception_ptr error;
};

}  // namespace

void wait_aside(std::function<void()> work) {
  const auto shared = std::make_shared<Shared>();
  std::thread([shared, work = std::move(work)]() mutable {
    std::exception_ptr error;
    try {
      work();
    } catch (...) {
      error = std::current_exception();
    }
    work = nullptr;
    const std::lock_guard lock(shared->mutex);
    shared->error = error;
    shared->done = true;
    if (shared->abandoned) --left_alone;
    shared->changed.notify_all();
  }).detach();
  std::unique_lock lock(shared->mutex);
  while (!shared->done) {
    shared->changed.wait_for(lock, std::chrono::milliseconds(20));
    try {
      if (!shared->done) poll_interrupt();
    } catch (...) {  // interrupted, or out of time
      static const int registered = ::on_exit(end_at_once, nullptr);
      static_cast<void>(registered);
      shared->abandoned = true;
      ++left_alone;
      throw;
    }
  }
  if (shared->error) std::rethrow_exception(shared->error);
}

}  // namespace orrery::oml
