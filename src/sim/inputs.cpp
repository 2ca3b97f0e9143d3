// SPDX-License-Identifier: Apache-2.0
// The inputs of a model while it runs: set from outside, or by tables over time.
#include <algorithm>
#include <cmath>

#include "program/evaluate.h"
#include "sim/hybrid_run.h"

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

void HybridRun::write_elements(program::SlotId slot, std::span<const double> values) {
  if (slot == program::no_slot) return;
  const program::Type type = program_.slots[slot].type;
  const std::size_t count = width_of(type);
  const auto bytes = static_cast<std::size_t>(type.scalar == program::Scalar::c128 ? 8 : byte_size(type.scalar));
  std::byte* at = memory_.data() + machine_->layout().offset[slot];
  for (std::size_t k = 0; k < count; ++k, at += bytes) {
    const double value = values.empty() ? 0 : values[values.size() == 1 ? 0 : k];
    write_number(type.scalar, at, program::evaluate_cast(program::Scalar::f64, type.scalar, value));
  }
}

void HybridRun::set_parameter(const ParameterSetting& setting) {
  std::erase_if(options_.parameters, [&](const ParameterSetting& known) { return known.name == setting.name; });
  options_.parameters.push_back(setting);
}

void HybridRun::set_input(std::size_t input, std::span<const double> value, std::span<const double> slope) {
  const program::InputPort& port = program_.inputs[input];
  for (std::size_t k = 0; k < options_.inputs.size(); ++k) {
    if (options_.inputs[k].input != input) continue;
    series_at_.resize(options_.inputs.size());
    series_at_[k] = options_.inputs[k].time.size();
  }
  write_elements(port.next, value);
  write_elements(port.next_slope, slope);
  if (initialised_) {
    calendar_of(port.source).program(port.source, due(t_));
    return;
  }
  write_elements(port.value, value);
  write_elements(port.slope, slope);
  write_elements(port.since, {&t_, 1});
}

void HybridRun::fire_input(std::size_t input) {
  const std::uint32_t source = program_.inputs[input].source;
  calendar_of(source).program(source, due(t_));
}

// How the input goes on from a point, after which another time follows.
std::vector<double> HybridRun::slope_after(const InputSeries& series, std::size_t point, std::size_t width) const {
  if (program_.inputs[series.input].slope == program::no_slot || point + 1 >= series.time.size()) return {};
  const double duration = series.time[point + 1] - series.time[point];
  std::vector<double> slope(width);
  for (std::size_t k = 0; k < width; ++k) {
    slope[k] = (series.values[(point + 1) * width + k] - series.values[point * width + k]) / duration;
  }
  return slope;
}

// The next point at which the input does something else than before, as an event of its source.
void HybridRun::program_series(std::size_t k) {
  const InputSeries& series = options_.inputs[k];
  const program::InputPort& port = program_.inputs[series.input];
  const std::size_t width = width_of(program_.slots[port.value].type), count = series.time.size();
  std::size_t& at = series_at_[k];
  const auto stands_still = [&](std::size_t j) {
    const bool as_before = j > 0 && same_point(series, j, j - 1, width);
    return as_before && (port.slope == program::no_slot || j + 1 >= count || same_point(series, j, j + 1, width));
  };
  while (at < count && stands_still(at)) ++at;
  if (at < count) calendar_of(port.source).program(port.source, due(series.time[at]));
}

void HybridRun::begin_series() {
  series_at_.resize(options_.inputs.size());
  for (std::size_t k = 0; k < options_.inputs.size(); ++k) {
    const InputSeries& series = options_.inputs[k];
    if (series.time.empty() || series_at_[k] == series.time.size()) continue;
    const program::InputPort& port = program_.inputs[series.input];
    const std::size_t width = width_of(program_.slots[port.value].type);
    const auto after = std::upper_bound(series.time.begin(), series.time.end(), t_) - series.time.begin();
    series_at_[k] = static_cast<std::size_t>(after);
    const std::size_t point = after > 0 ? series_at_[k] - 1 : 0;
    std::vector<double> value(series.values.begin() + static_cast<std::ptrdiff_t>(point * width),
                              series.values.begin() + static_cast<std::ptrdiff_t>((point + 1) * width));
    std::vector<double> slope = after > 0 ? slope_after(series, point, width) : std::vector<double>();
    for (std::size_t e = 0; e < slope.size(); ++e) value[e] += slope[e] * (t_ - series.time[point]);
    for (const program::SlotId slot : {port.value, port.next}) write_elements(slot, value);
    for (const program::SlotId slot : {port.slope, port.next_slope}) write_elements(slot, slope);
    write_elements(port.since, {&t_, 1});
    program_series(k);
  }
}

// Before the source of an input fires: what its table takes over, and when the next point is due.
void HybridRun::stage_input(std::uint32_t source) {
  for (std::size_t k = 0; k < options_.inputs.size(); ++k) {
    const InputSeries& series = options_.inputs[k];
    const program::InputPort& port = program_.inputs[series.input];
    if (port.source != source || series_at_[k] >= series.time.size()) continue;
    const std::size_t width = width_of(program_.slots[port.value].type);
    std::size_t point = series_at_[k];
    while (point + 1 < series.time.size() && series.time[point + 1] <= std::max(series.time[point], t_)) ++point;
    write_elements(port.next, {series.values.data() + point * width, width});
    write_elements(port.next_slope, slope_after(series, point, width));
    series_at_[k] = point + 1;
    program_series(k);
  }
}

// Events of this instant may have changed what modes depend on; those are found anew when the run goes on.
bool HybridRun::look(const std::vector<std::uint32_t>& loops, const std::function<void()>& evaluate) {
  freshen();
  const bool preview = initialised_ && restart_needed_ && watch_.has_modes() && !sensitivity_;
  if (preview) preview_modes();
  const bool solved = loops.empty() || loop_solver_->solve(loops, t_, states(), 0);
  if (solved) evaluate();
  if (preview) keep_modes(true);
  return solved;
}

bool HybridRun::evaluate_signal(std::uint32_t signal) {
  const SignalCode* code = machine_->signal(signal, diagnostics_);
  if (code == nullptr) return false;
  if (!code->code && code->loops.empty()) return true;
  return look(code->loops, [&] {
    if (code->code) code->code->function(0)(t_, states(), y_.data(), memory_.data(), 0);
  });
}

void HybridRun::evaluate_probes() {
  look(machine_->always_loops(), [this] { evaluate_always(t_, states()); });
}

}  // namespace orrery::sim
