// SPDX-License-Identifier: Apache-2.0
// A program that may take so long and so much memory, and no more.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace orrery::cli {

struct ProcessLimits {
  double seconds = 60;
  std::uint64_t memory_bytes = 0;  // of address space; 0: unlimited
};

// How it ended, or that it has not yet.
struct ProcessEnd {
  enum class Kind { running, exited, killed, out_of_time, not_started };
  Kind kind = Kind::running;
  int code = 0;  // exit code, or the signal
};

// With everything it starts it is one group of processes, which ends with this object.
class LimitedProcess {
 public:
  // Runs words[0] in `folder`; both outputs go to a file.
  LimitedProcess(const std::vector<std::string>& words, const std::string& folder, const std::string& output,
                 const ProcessLimits& limits);
  ~LimitedProcess();
  LimitedProcess(const LimitedProcess&) = delete;
  LimitedProcess& operator=(const LimitedProcess&) = delete;

  ProcessEnd look();
  double seconds() const;

 private:
  using Clock = std::chrono::steady_clock;
  void end_group() const;

  pid_t child_ = -1;
  Clock::time_point begin_ = Clock::now();
  double limit_ = 0;
  ProcessEnd end_;
};

}  // namespace orrery::cli
