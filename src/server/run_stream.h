// SPDX-License-Identifier: Apache-2.0
// Rows and events of a run on their way from the worker to the server, some at a time.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "server/channel.h"
#include "sim/sink.h"

namespace orrery::server {

class RunStream final : public sim::Sink, public sim::LedgerSink {
 public:
  RunStream(Channel& channel, std::uint32_t run) : channel_(channel), run_(run) {}

  [[nodiscard]] bool begin(const sim::StreamHead& head) override;
  [[nodiscard]] bool rows(const sim::Block& block) override;
  void relabel_last(sim::Phase phase) override;
  [[nodiscard]] bool begin(const program::Program& program) override;
  [[nodiscard]] bool events(std::span<const sim::LedgerEntry> entries) override;
  void flush() override {}
  [[nodiscard]] bool end(const sim::Report& report, Diagnostics& diagnostics) override;

  // Sends what waits.
  bool send_waiting();
  std::size_t event_count() const { return event_count_; }
  const EventRecord& last_event() const { return last_event_; }
  // Paths of the blocks that the last event has activated, in their order.
  std::vector<std::string> activated() const;
  std::size_t rows_sent() const { return row_count_; }

 private:
  bool send_when_due();
  void describe(const program::Program& program);

  Channel& channel_;
  std::uint32_t run_;
  std::size_t columns_ = 0, row_count_ = 0, event_count_ = 0;
  std::vector<double> time_, values_;
  std::vector<signed char> phase_;
  std::vector<EventRecord> events_;
  EventRecord last_event_{};
  std::vector<std::string> origins_;
  std::vector<std::vector<std::uint32_t>> activates_;
  bool described_ = false;
  std::chrono::steady_clock::time_point sent_ = std::chrono::steady_clock::now();
};

}  // namespace orrery::server
