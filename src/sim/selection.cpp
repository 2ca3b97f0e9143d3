// SPDX-License-Identifier: Apache-2.0
// Copies what was chosen, unless that is everything.
#include "sim/selection.h"

#include <algorithm>
#include <utility>

namespace orrery::sim {

Selection::Selection(Sink& to, std::function<bool(const Column&)> wanted, std::size_t every)
    : to_(to), wanted_(std::move(wanted)), every_(std::max<std::size_t>(every, 1)) {}

bool Selection::begin(const StreamHead& head) {
  kept_.clear();
  columns_.clear();
  for (std::size_t k = 0; k < head.columns.size(); ++k) {
    if (wanted_ && !wanted_(head.columns[k])) continue;
    kept_.push_back(k);
    columns_.push_back(head.columns[k]);
  }
  whole_ = kept_.size() == head.columns.size();
  rows_ = taken_ = 0;
  last_taken_ = true;
  return to_.begin({head.program, head.options, columns_});
}

void Selection::take(const Block& block, std::size_t row) {
  const double* values = block.row(row);
  time_.push_back(block.time[row]);
  phase_.push_back(block.phase[row]);
  for (const std::size_t k : kept_) values_.push_back(values[k]);
}

bool Selection::rows(const Block& block) {
  if (whole_ && every_ == 1) return to_.rows(block);
  time_.clear();
  phase_.clear();
  values_.clear();
  const std::size_t past = (every_ - rows_ % every_) % every_;  // rows that come before the next chosen one
  for (std::size_t row = past; row < block.rows(); row += every_) take(block, row);
  rows_ += block.rows();
  if (block.rows() > 0) {
    const std::size_t last = block.rows() - 1;
    last_taken_ = (rows_ - 1) % every_ == 0;
    time_of_rest_ = block.time[last];
    phase_of_rest_ = block.phase[last];
    rest_.clear();
    for (const std::size_t k : kept_) rest_.push_back(block.row(last)[k]);
  }
  if (block.last && !last_taken_) {
    time_.push_back(time_of_rest_);
    phase_.push_back(phase_of_rest_);
    values_.insert(values_.end(), rest_.begin(), rest_.end());
    last_taken_ = true;
  }
  for (std::size_t k = 0; k < kept_.size(); ++k) {
    const std::size_t first = block.columns[kept_[k]].first;
    columns_[k].first = first == SIZE_MAX ? first : (first + every_ - 1) / every_;
  }
  const std::size_t before = std::exchange(taken_, taken_ + time_.size());
  if (time_.empty() && !block.last) return true;
  return to_.rows({columns_, before, time_, phase_, values_.data(), block.last});
}

void Selection::relabel_last(Phase phase) {
  if (last_taken_) {
    to_.relabel_last(phase);
  } else {
    phase_of_rest_ = phase;
  }
}

}  // namespace orrery::sim
