// SPDX-License-Identifier: Apache-2.0
// Halving intervals until lines are good enough.
#include "sim/row_refiner.h"

#include <algorithm>
#include <cmath>

#include "sim/recorder.h"

namespace orrery::sim {

RowRefiner::RowRefiner(const program::Program& program, const program::Layout& layout) {
  for (const program::Probe& probe : program.probes) {
    const program::Type type = program.slots[probe.slot].type;
    if (!probe.bent || type.scalar != program::Scalar::f64) continue;
    for (std::int64_t k = 0; k < type.size(); ++k) {
      offsets_.push_back(layout.offset[probe.slot] + sizeof(double) * static_cast<std::size_t>(k));
    }
  }
  ranges_.resize(offsets_.size());
  left_.resize(offsets_.size());
  inside_.resize(offsets_.size());
}

void RowRefiner::read(const std::byte* memory, std::span<double> values) {
  for (std::size_t k = 0; k < offsets_.size(); ++k) {
    values[k] = read_number(memory + offsets_[k], program::Scalar::f64);
    if (!std::isfinite(values[k])) continue;
    ranges_[k].low = std::min(ranges_[k].low, values[k]);
    ranges_[k].high = std::max(ranges_[k].high, values[k]);
  }
}

// Looks at the middle, and at points no period divides evenly: a whole number of waves would look like a line at
// halves and thirds. The middle comes last, so that its values remain.
bool RowRefiner::bends(double from, double to) {
  const std::vector<double>& right = ends_.back();
  bool found = false;
  for (const double share : {0.1459, 0.3820, 0.6180, 0.8541, 0.5}) {
    (*evaluate_)(from + share * (to - from));
    read(memory_, inside_);
    for (std::size_t k = 0; k < offsets_.size() && !found; ++k) {
      const double size = std::max(std::fabs(ranges_[k].low), std::fabs(ranges_[k].high));
      const double range = std::max(ranges_[k].high - ranges_[k].low, 1e-9 * size);  // less is rounding
      found = std::fabs(inside_[k] - (left_[k] + share * (right[k] - left_[k]))) > allowed * range;
    }
  }
  return found;
}

// left_ holds the values at `from`, and at the end those at `to`.
void RowRefiner::halve(double from, double to, int depth) {
  const double middle = from + 0.5 * (to - from);
  if (depth < most_halvings && !exhausted() && middle > from && middle < to && bends(from, to)) {
    ends_.push_back(inside_);
    halve(from, middle, depth + 1);
    ends_.pop_back();
    ++rows_;
    (*evaluate_)(middle);
    (*take_)(middle);
    halve(middle, to, depth + 1);
    return;
  }
  left_ = ends_.back();
}

void RowRefiner::between(double from, double to, const std::byte* memory, const std::function<void(double)>& evaluate,
                         const std::function<void(double)>& take) {
  if (!active() || exhausted() || !(to > from)) return;
  memory_ = memory;
  evaluate_ = &evaluate;
  take_ = &take;
  evaluate(from);
  read(memory, left_);
  evaluate(to);
  read(memory, inside_);
  ends_.assign(1, inside_);
  halve(from, to, 0);
  evaluate(to);
}

std::vector<double> RowRefiner::save() const {
  std::vector<double> saved{static_cast<double>(rows_)};
  for (const Range& range : ranges_) saved.insert(saved.end(), {range.low, range.high});
  return saved;
}

bool RowRefiner::restore(const std::vector<double>& saved) {
  if (saved.size() != 1 + 2 * ranges_.size()) return false;
  rows_ = static_cast<long>(saved[0]);
  for (std::size_t k = 0; k < ranges_.size(); ++k) ranges_[k] = {saved[1 + 2 * k], saved[2 + 2 * k]};
  return true;
}

}  // namespace orrery::sim
