// SPDX-License-Identifier: Apache-2.0
// The inputs of a model while it runs: set from outside, or by tables over time.
#include <algorithm>
#include <cmath>

#include "program/evaluate.h"
#include "sim/model_inputs.h"
#include "sim/saved_bytes.h"

namespace orrery::sim {
namespace {

// Numbers of a point: complex elements have two.
std::size_t width_of(const program::Type& type) {
  return static_cast<std::size_t>(type.size()) * (type.scalar == program::Scalar::c128 ? 2 : 1);
}

bool same_point(const InputSeries& series, std::size_t a, std::size_t b, std::size_t width) {
  const auto* at = series.values.data();
  return std::equal(at + a * width, at + (a + 1) * width, at + b * width);
}

}  // namespace

void ModelInputs::write(program::SlotId slot, std::span<const double> values) {
  if (slot == program::no_slot) return;
  const program::Type type = run_.program.slots[slot].type;
  const std::size_t count = width_of(type);
  const auto bytes = static_cast<std::size_t>(type.scalar == program::Scalar::c128 ? 8 : byte_size(type.scalar));
  std::byte* at = run_.memory.data() + run_.machine.layout().offset[slot];
  for (std::size_t k = 0; k < count; ++k, at += bytes) {
    const double value = values.empty() ? 0 : values[values.size() == 1 ? 0 : k];
    write_number(type.scalar, at, program::evaluate_cast(program::Scalar::f64, type.scalar, value));
  }
}

void ModelInputs::set(std::size_t input, std::span<const double> value, std::span<const double> slope, bool has_begun) {
  const program::InputPort& port = run_.program.inputs[input];
  for (std::size_t k = 0; k < run_.options.inputs.size(); ++k) {
    if (run_.options.inputs[k].input != input) continue;
    next_.resize(run_.options.inputs.size());
    next_[k] = run_.options.inputs[k].time.size();
  }
  write(port.next, value);
  write(port.next_slope, slope);
  if (has_begun) {
    queue_.program(port.source, run_.t);
    return;
  }
  write(port.value, value);
  write(port.slope, slope);
  write(port.since, {&run_.t, 1});
}

void ModelInputs::fire(std::size_t input) {
  const std::uint32_t source = run_.program.inputs[input].source;
  queue_.program(source, run_.t);
}

// How the input goes on from a point, after which another time follows.
std::vector<double> ModelInputs::slope_after(const InputSeries& series, std::size_t point, std::size_t width) const {
  if (run_.program.inputs[series.input].slope == program::no_slot || point + 1 >= series.time.size()) return {};
  const double duration = series.time[point + 1] - series.time[point];
  std::vector<double> slope(width);
  for (std::size_t k = 0; k < width; ++k) {
    slope[k] = (series.values[(point + 1) * width + k] - series.values[point * width + k]) / duration;
  }
  return slope;
}

// The next point at which the input does something else than before, as an event of its source.
void ModelInputs::program_next(std::size_t k) {
  const InputSeries& series = run_.options.inputs[k];
  const program::InputPort& port = run_.program.inputs[series.input];
  const std::size_t width = width_of(run_.program.slots[port.value].type), count = series.time.size();
  std::size_t& at = next_[k];
  const auto stands_still = [&](std::size_t j) {
    const bool as_before = j > 0 && same_point(series, j, j - 1, width);
    return as_before && (port.slope == program::no_slot || j + 1 >= count || same_point(series, j, j + 1, width));
  };
  while (at < count && stands_still(at)) ++at;
  if (at < count) queue_.program(port.source, series.time[at]);
}

void ModelInputs::begin() {
  next_.resize(run_.options.inputs.size());
  for (std::size_t k = 0; k < run_.options.inputs.size(); ++k) {
    const InputSeries& series = run_.options.inputs[k];
    if (series.time.empty() || next_[k] == series.time.size()) continue;
    const program::InputPort& port = run_.program.inputs[series.input];
    const std::size_t width = width_of(run_.program.slots[port.value].type);
    const auto after = std::upper_bound(series.time.begin(), series.time.end(), run_.t) - series.time.begin();
    next_[k] = static_cast<std::size_t>(after);
    const std::size_t point = after > 0 ? next_[k] - 1 : 0;
    std::vector<double> value(series.values.begin() + static_cast<std::ptrdiff_t>(point * width),
                              series.values.begin() + static_cast<std::ptrdiff_t>((point + 1) * width));
    std::vector<double> slope = after > 0 ? slope_after(series, point, width) : std::vector<double>();
    for (std::size_t e = 0; e < slope.size(); ++e) value[e] += slope[e] * (run_.t - series.time[point]);
    for (const program::SlotId slot : {port.value, port.next}) write(slot, value);
    for (const program::SlotId slot : {port.slope, port.next_slope}) write(slot, slope);
    write(port.since, {&run_.t, 1});
    program_next(k);
  }
}

void ModelInputs::stage(std::uint32_t source) {
  for (std::size_t k = 0; k < run_.options.inputs.size(); ++k) {
    const InputSeries& series = run_.options.inputs[k];
    const program::InputPort& port = run_.program.inputs[series.input];
    if (port.source != source || next_[k] >= series.time.size()) continue;
    const std::size_t width = width_of(run_.program.slots[port.value].type);
    std::size_t point = next_[k];
    while (point + 1 < series.time.size() && series.time[point + 1] <= std::max(series.time[point], run_.t)) ++point;
    write(port.next, {series.values.data() + point * width, width});
    write(port.next_slope, slope_after(series, point, width));
    next_[k] = point + 1;
    program_next(k);
  }
}

void ModelInputs::save(SaveWriter& out) const { out.write(next_); }

bool ModelInputs::restore(SaveReader& in) {
  std::vector<std::size_t> next;
  if (!in.read(next) || (!next.empty() && next.size() != run_.options.inputs.size())) return false;
  next_ = std::move(next);
  return true;
}

}  // namespace orrery::sim
