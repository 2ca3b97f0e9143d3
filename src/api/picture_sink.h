// SPDX-License-Identifier: Apache-2.0
// What a run looks like, in a bounded amount of memory: curves with as many points as a drawing can show, and the
// smallest, largest and last values.
#pragma once

#include <string>
#include <vector>

#include "io/chart.h"
#include "sim/sink.h"

namespace orrery::api {

// Points of a curve. When there are too many, time is cut into far more pieces than a drawing has columns, and each
// keeps its first, lowest, highest and last point.
class ReducedCurve {
 public:
  explicit ReducedCurve(std::size_t most) : most_(most) {}

  void add(double time, double value) {
    if (time_.size() == most_) reduce();
    time_.push_back(time);
    value_.push_back(value);
  }
  const std::vector<double>& time() const { return time_; }
  const std::vector<double>& value() const { return value_; }

 private:
  void reduce();

  std::size_t most_;
  std::vector<double> time_, value_;
};

class PictureSink final : public sim::Sink {
 public:
  [[nodiscard]] bool begin(const sim::StreamHead& head) override;
  [[nodiscard]] bool rows(const sim::Block& block) override;
  // One panel per sink of the model. It refers to this object.
  io::Chart chart() const;

 private:
  struct Drawn {
    std::size_t panel;
    std::string name;
    io::CurveStyle style;
    ReducedCurve points;
  };
  std::string title_;
  std::vector<std::string> panels_;
  std::vector<Drawn> curves_;  // by column
};

class ValueSummary final : public sim::Sink {
 public:
  [[nodiscard]] bool begin(const sim::StreamHead& head) override;
  [[nodiscard]] bool rows(const sim::Block& block) override;
  std::size_t rows() const { return rows_; }
  std::size_t columns() const { return values_.size(); }
  // Final, smallest and largest value of the first signals.
  std::string table(std::size_t most_rows) const;

 private:
  struct Values {
    std::string name;
    bool any = false;
    double low = 1.0 / 0.0, high = -1.0 / 0.0, last = 0;
  };
  std::vector<Values> values_;
  std::size_t rows_ = 0;
};

}  // namespace orrery::api
