// SPDX-License-Identifier: Apache-2.0
// Some columns, and some rows, of what goes to a sink.
#pragma once

#include <functional>
#include <vector>

#include "sim/sink.h"

namespace orrery::sim {

// Of the rows every n-th, from the first one on, and the last.
class Selection final : public Sink {
 public:
  Selection(Sink& to, std::function<bool(const Column&)> wanted, std::size_t every = 1);

  [[nodiscard]] bool begin(const StreamHead& head) override;
  [[nodiscard]] bool rows(const Block& block) override;
  void relabel_last(Phase phase) override;
  void flush() override { to_.flush(); }
  [[nodiscard]] bool end(const Report& report, Diagnostics& diagnostics) override {
    return to_.end(report, diagnostics);
  }
  bool keeps_rows() const override { return to_.keeps_rows(); }

 private:
  void take(const Block& block, std::size_t row);

  Sink& to_;
  std::function<bool(const Column&)> wanted_;
  std::size_t every_;
  bool whole_ = true;              // all columns
  std::vector<std::size_t> kept_;  // places of the columns
  std::vector<Column> columns_;
  std::size_t rows_ = 0;    // that came
  std::size_t taken_ = 0;   // that went on
  bool last_taken_ = true;  // of those that came
  // What goes on with the next block.
  std::vector<double> time_, values_;
  std::vector<Phase> phase_;
  // The last row that came, where it has not gone on: it may be the last of all.
  double time_of_rest_ = 0;
  Phase phase_of_rest_ = Phase::mesh;
  std::vector<double> rest_;
};

}  // namespace orrery::sim
