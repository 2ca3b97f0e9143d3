// SPDX-License-Identifier: Apache-2.0
// A thread and what it has to do, in order.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace orrery::server {

class WorkQueue {
 public:
  WorkQueue() : thread_([this] { work(); }) {}
  ~WorkQueue() { finish(); }
  WorkQueue(const WorkQueue&) = delete;
  WorkQueue& operator=(const WorkQueue&) = delete;

  void post(std::function<void()> job) {
    const std::lock_guard lock(mutex_);
    if (over_) return;
    jobs_.push_back(std::move(job));
    wake_.notify_one();
  }
  // What waits is done, then the thread ends. Never from the thread itself.
  void finish() {
    {
      const std::lock_guard lock(mutex_);
      over_ = true;
      wake_.notify_one();
    }
    if (thread_.joinable()) thread_.join();
  }

 private:
  void work() {
    for (;;) {
      std::function<void()> job;
      {
        std::unique_lock lock(mutex_);
        wake_.wait(lock, [&] { return over_ || !jobs_.empty(); });
        if (jobs_.empty()) return;
        job = std::move(jobs_.front());
        jobs_.pop_front();
      }
      job();
    }
  }

  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::function<void()>> jobs_;
  bool over_ = false;
  std::thread thread_;
};

}  // namespace orrery::server
