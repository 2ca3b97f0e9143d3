// SPDX-License-Identifier: Apache-2.0
// What a sweep takes from the rows of a run as they come: numbers, and where that is not enough whole columns.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/sink.h"

namespace orrery::analyse {

enum class Reduction : std::uint8_t { first, last, least, most, mean, rms };

// By the name that expressions use: "first", "final", "min", "max", "mean", "rms". False: there is none.
[[nodiscard]] bool find_reduction(const std::string& name, Reduction& reduction);

struct SignalReduction {
  Reduction reduction = Reduction::last;
  std::string signal;  // a column of the recording
  bool operator==(const SignalReduction&) const = default;
};

// Signals of a run as columns.
struct KeptRows {
  std::vector<std::string> names;
  std::vector<double> time;
  std::vector<std::vector<double>> columns;
};

// Takes the rows of one run after the other. Means are over time: the integral of straight lines between rows, divided
// by the time between the first and the last of them; with no time between, the mean of the rows.
class KeepSink final : public sim::Sink {
 public:
  // With `keeps_rows`, whole columns are kept as well.
  KeepSink(const std::vector<SignalReduction>& reductions, bool keeps_rows);

  [[nodiscard]] bool begin(const sim::StreamHead& head) override;
  [[nodiscard]] bool rows(const sim::Block& block) override;
  // Of the run whose rows came last.
  void reduced(std::vector<double>& out) const;
  const KeptRows& rows() const { return rows_; }
  const std::vector<sim::Column>& columns() const { return head_; }
  // Whether what happens between the first row and the last matters.
  bool needs_all_rows() const;

 private:
  struct Running {
    double result = 0, integral = 0, sum = 0, before = 0;
    std::size_t rows = 0;
  };
  void take(std::size_t which, double t, double value);

  const std::vector<SignalReduction>& reductions_;
  bool keeps_rows_;
  std::vector<std::size_t> columns_;  // by reduction
  std::vector<sim::Column> head_;
  std::vector<Running> running_;
  double first_time_ = 0, last_time_ = 0;
  bool any_ = false;
  KeptRows rows_;
};

}  // namespace orrery::analyse
