// SPDX-License-Identifier: Apache-2.0
// Reductions of rows as they come.
#include "analyse/sweep_keep.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace orrery::analyse {

bool find_reduction(const std::string& name, Reduction& reduction) {
  static const std::pair<const char*, Reduction> names[] = {{"first", Reduction::first}, {"final", Reduction::last},
                                                            {"min", Reduction::least},   {"max", Reduction::most},
                                                            {"mean", Reduction::mean},   {"rms", Reduction::rms}};
  for (const auto& [known, kind] : names) {
    if (name == known) return reduction = kind, true;
  }
  return false;
}

KeepSink::KeepSink(const std::vector<SignalReduction>& reductions, bool keeps_rows)
    : reductions_(reductions), keeps_rows_(keeps_rows), columns_(reductions.size()), running_(reductions.size()) {}

bool KeepSink::begin(const sim::StreamHead& head) {
  any_ = false;
  std::fill(running_.begin(), running_.end(), Running{});
  rows_.time.clear();
  if (rows_.names.empty()) {
    for (std::size_t k = 0; k < reductions_.size(); ++k) {
      const auto named = [&](const sim::Column& column) { return column.name == reductions_[k].signal; };
      columns_[k] = static_cast<std::size_t>(std::find_if(head.columns.begin(), head.columns.end(), named) -
                                             head.columns.begin());
    }
    for (const sim::Column& column : head.columns) rows_.names.push_back(column.name);
    rows_.columns.resize(head.columns.size());
    head_.assign(head.columns.begin(), head.columns.end());
  }
  for (auto& column : rows_.columns) column.clear();
  return true;
}

bool KeepSink::needs_all_rows() const {
  return keeps_rows_ || std::any_of(reductions_.begin(), reductions_.end(), [](const SignalReduction& each) {
           return each.reduction != Reduction::first && each.reduction != Reduction::last;
         });
}

void KeepSink::take(std::size_t which, double t, double value) {
  Running& running = running_[which];
  const Reduction reduction = reductions_[which].reduction;
  const bool first = running.rows++ == 0;
  switch (reduction) {
    case Reduction::first:
      if (first) running.result = value;
      break;
    case Reduction::last: running.result = value; break;
    case Reduction::least:
      if (first || value < running.result || std::isnan(value)) running.result = value;
      break;
    case Reduction::most:
      if (first || value > running.result || std::isnan(value)) running.result = value;
      break;
    case Reduction::mean:
    case Reduction::rms: {
      const double width = t - last_time_;
      const bool square = reduction == Reduction::rms;
      // Of a straight line; of its square the exact integral.
      if (!first) {
        running.integral += square
                                ? width * (running.before * running.before + running.before * value + value * value) / 3
                                : width * 0.5 * (running.before + value);
      }
      running.sum += square ? value * value : value;
      running.before = value;
      break;
    }
  }
}

bool KeepSink::rows(const sim::Block& block) {
  for (std::size_t row = 0; row < block.rows(); ++row) {
    const double t = block.time[row];
    const double* values = block.row(row);
    if (!any_) first_time_ = last_time_ = t;
    any_ = true;
    for (std::size_t k = 0; k < reductions_.size(); ++k) {
      if (columns_[k] < block.columns.size()) take(k, t, values[columns_[k]]);
    }
    last_time_ = t;
    if (!keeps_rows_) continue;
    rows_.time.push_back(t);
    for (std::size_t c = 0; c < rows_.columns.size(); ++c) rows_.columns[c].push_back(values[c]);
  }
  return true;
}

void KeepSink::reduced(std::vector<double>& out) const {
  out.clear();
  for (std::size_t k = 0; k < reductions_.size(); ++k) {
    const Running& running = running_[k];
    const Reduction reduction = reductions_[k].reduction;
    double value = running.rows == 0 ? std::numeric_limits<double>::quiet_NaN() : running.result;
    if (running.rows > 0 && (reduction == Reduction::mean || reduction == Reduction::rms)) {
      const double width = last_time_ - first_time_;
      value = width > 0 ? running.integral / width : running.sum / static_cast<double>(running.rows);
      if (reduction == Reduction::rms) value = std::sqrt(value);
    }
    out.push_back(value);
  }
}

}  // namespace orrery::analyse
