// SPDX-License-Identifier: Apache-2.0
// Moves the event ledger to its sinks while the run goes on.
#pragma once

#include <chrono>
#include <cstddef>
#include <vector>

#include "sim/sink.h"

namespace orrery::sim {

// Without sinks it does nothing, and the ledger stays in memory.
class LedgerStream {
 public:
  LedgerStream(const program::Program& program, std::vector<LedgerSink*> sinks);

  // Takes the entries out of the ledger when they are many, when a second has passed, or when `all` must go.
  void drain(Ledger& ledger, bool all);
  std::size_t sent() const { return sent_; }
  // A sink takes no more.
  bool refused() const { return refused_; }

 private:
  using Clock = std::chrono::steady_clock;

  const program::Program& program_;
  std::vector<LedgerSink*> sinks_;
  std::size_t sent_ = 0;
  bool begun_ = false;
  bool refused_ = false;
  Clock::time_point flushed_ = Clock::now();
};

}  // namespace orrery::sim
