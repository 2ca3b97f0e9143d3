// SPDX-License-Identifier: Apache-2.0
// Events to their sinks, many at a time.
#include "sim/ledger_stream.h"

#include <utility>

namespace orrery::sim {

LedgerStream::LedgerStream(const program::Program& program, std::vector<LedgerSink*> sinks)
    : program_(program), sinks_(std::move(sinks)) {}

void LedgerStream::drain(Ledger& ledger, bool all) {
  constexpr std::size_t many = 4096;
  if (sinks_.empty()) return;
  const Clock::time_point now = Clock::now();
  const bool due = now - flushed_ >= std::chrono::seconds(1);
  if (!all && !due && ledger.entries.size() < many) return;
  for (LedgerSink* sink : sinks_) {
    if (!begun_) refused_ = !sink->begin(program_) || refused_;
    refused_ = !sink->events(ledger.entries) || refused_;
    if (due) sink->flush();
  }
  begun_ = true;
  if (due) flushed_ = now;
  sent_ += ledger.entries.size();
  ledger.entries.clear();
}

}  // namespace orrery::sim
