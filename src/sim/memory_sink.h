// SPDX-License-Identifier: Apache-2.0
// Keeps all rows.
#pragma once

#include <utility>

#include "sim/sink.h"

namespace orrery::sim {

class MemorySink final : public Sink {
 public:
  [[nodiscard]] bool begin(const StreamHead& head) override {
    recording_ = {};
    recording_.columns.assign(head.columns.begin(), head.columns.end());
    return true;
  }
  [[nodiscard]] bool rows(const Block& block) override {
    for (std::size_t k = 0; k < block.columns.size(); ++k) recording_.columns[k].first = block.columns[k].first;
    recording_.time.insert(recording_.time.end(), block.time.begin(), block.time.end());
    recording_.phase.insert(recording_.phase.end(), block.phase.begin(), block.phase.end());
    recording_.values.insert(recording_.values.end(), block.values, block.values + block.rows() * block.columns.size());
    return true;
  }
  void relabel_last(Phase phase) override {
    if (!recording_.phase.empty()) recording_.phase.back() = phase;
  }
  bool keeps_rows() const override { return true; }

  const Recording& recording() const { return recording_; }
  Recording release() { return std::exchange(recording_, {}); }

 private:
  Recording recording_;
};

}  // namespace orrery::sim
