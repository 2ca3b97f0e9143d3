// SPDX-License-Identifier: Apache-2.0
// A process and all that it starts, which end together: a keeper between it and us adopts what it leaves alone.
#pragma once

#include <sys/types.h>

#include <functional>
#include <utility>

namespace orrery {

// Us - keeper - worker - whatever the worker starts. The keeper is the subreaper of its descendants (prctl(2)), so one
// that forks twice and changes its session becomes its child. When the worker ends, or we do, it kills all of them, and
// ends as the worker has.
class KeptProcess {
 public:
  KeptProcess() = default;
  KeptProcess(KeptProcess&& other) noexcept
      : keeper_(std::exchange(other.keeper_, 0)), words_(std::exchange(other.words_, -1)), status_(other.status_) {}
  KeptProcess& operator=(KeptProcess&&) = delete;
  ~KeptProcess() { end(); }

  // Forks; `work` runs in the worker, is given the process of its keeper and never returns. False: it cannot.
  bool start(const std::function<void(pid_t keeper)>& work);
  bool has_ended();
  // Kills what still runs, and waits for it.
  void end();
  int status() const { return status_; }  // of the worker, as of waitpid; once it has ended

 private:
  pid_t keeper_ = 0;  // 0: there is none any more
  int words_ = -1;    // the keeper reads the other end; closed: we are gone
  int status_ = 0;
};

}  // namespace orrery
