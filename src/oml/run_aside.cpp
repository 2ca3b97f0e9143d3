// SPDX-License-Identifier: Apache-2.0
// Threads for work that may be left alone.
#include "oml/run_aside.h"

#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

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

struct Aside {
  std::mutex mutex;
  std::condition_variable changed;
  bool done = false, abandoned = false;
  std::exception_ptr error;
};

struct LeftAlone {
  std::shared_ptr<Aside> aside;
  std::unique_ptr<std::function<void()>> work;
};

// Of this thread. When it ends before they do, what they own is never destroyed.
struct AllLeftAlone {
  std::vector<LeftAlone> works;
  ~AllLeftAlone() {
    for (LeftAlone& left : works) {
      const std::lock_guard lock(left.aside->mutex);
      if (!left.aside->done) static_cast<void>(left.work.release());
    }
  }
};

AllLeftAlone& all_left_alone() {
  thread_local AllLeftAlone all;
  return all;
}

}  // namespace

void clear_aside() {
  std::erase_if(all_left_alone().works, [](const LeftAlone& left) {
    const std::lock_guard lock(left.aside->mutex);
    return left.aside->done;
  });
}

void wait_aside(std::function<void()> given) {
  clear_aside();
  const auto aside = std::make_shared<Aside>();
  auto work = std::make_unique<std::function<void()>>(std::move(given));
  std::thread([aside, &call = *work] {
    std::exception_ptr error;
    try {
      call();
    } catch (...) {
      error = std::current_exception();
    }
    const std::lock_guard lock(aside->mutex);
    aside->error = error;
    aside->done = true;
    if (aside->abandoned) --left_alone;
    aside->changed.notify_all();
  }).detach();
  std::unique_lock lock(aside->mutex);
  while (!aside->done) {
    aside->changed.wait_for(lock, std::chrono::milliseconds(20));
    try {
      if (!aside->done) poll_interrupt();
    } catch (...) {  // interrupted, or out of time
      static const int registered = ::on_exit(end_at_once, nullptr);
      static_cast<void>(registered);
      aside->abandoned = true;
      ++left_alone;
      lock.unlock();
      all_left_alone().works.push_back({aside, std::move(work)});
      throw;
    }
  }
  if (aside->error) std::rethrow_exception(aside->error);
}

}  // namespace orrery::oml
