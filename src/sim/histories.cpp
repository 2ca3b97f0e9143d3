// SPDX-License-Identifier: Apache-2.0
// Filling histories and counting the orders of their breaks.
#include "sim/histories.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "passes/smoothing_order.h"

namespace orrery::sim {
namespace {

constexpr int deepest = 12;                     // an interval is halved so often at most
constexpr int lowest_degree = 3;                // signals need not be as smooth as the states they are made of
constexpr double between[] = {0.2203, 0.7311};  // where a fit is checked
constexpr double share = 0.02;                  // of the tolerance that fits may take

}  // namespace

Histories::Histories(const CompiledProgram& machine) : machine_(machine), program_(machine.program()) {
  std::size_t first = 0;
  for (const program::History& history : program_.histories) {
    const auto size = static_cast<std::size_t>(program_.graph.type(history.value).size());
    tracks_.emplace_back(size);
    first_.push_back(first);
    first += size;
  }
  entry_ = {&Histories::look, this};
  bounds_.resize(2 * tracks_.size());
  pending_.resize(tracks_.size());
  broken_.resize(tracks_.size());
  if (empty()) return;
  for (std::uint32_t k = 0; k < program_.surfaces.size(); ++k) {
    const program::Surface& surface = program_.surfaces[k];
    if (surface.mode != program::no_slot && surface.history == program::no_history && !surface.shown)
      modes_.push_back(k);
  }
  for (const program::Source& source : program_.sources)
    always_disturbed_ = always_disturbed_ || (source.kind == program::SourceKind::instant && source.table.critical);
}

void Histories::point(std::byte* memory) {
  const program::PastValues* entry = &entry_;
  if (!empty()) std::memcpy(memory + machine_.layout().histories, &entry, sizeof entry);
}

double Histories::look(void* self, int history, int what, int order, int element, int present, const double* a) {
  const HistoryTrack& track = static_cast<const Histories*>(self)->tracks_[static_cast<std::size_t>(history)];
  const auto at = static_cast<std::size_t>(element);
  switch (static_cast<program::PastWhat>(what)) {
    case program::PastWhat::value:
      return present != 0 ? track.value(a[0], a[1], at, order, a[2], a[3]) : track.value(a[0], a[1], at, order);
    case program::PastWhat::weight: return track.weight(a[0], a[1], a[2]);
    case program::PastWhat::stretch: return track.stretch_at(a[0], a[1]);
    case program::PastWhat::begin: return order == 0 ? track.begin(a[0]) : track.begin_moves(a[0]);
    case program::PastWhat::end: return order == 0 ? track.end(a[0]) : track.end_moves(a[0]);
  }
  return std::numeric_limits<double>::quiet_NaN();
}

bool Histories::check(std::size_t k, const Place& place, Diagnostics& diagnostics) const {
  const Times& times = times_;
  const double least = bounds_[2 * k], largest = bounds_[2 * k + 1];
  const double horizon = times.stop - times.start;
  if (!(least >= 0) || !(largest >= least) || std::isinf(largest)) {
    diagnostics
        .error("bad-delay", place,
               fmt::format("delays from {} to {} are no range of times that have passed", least, largest),
               "give a delay that is not negative, and a largest one that is finite")
        .time = times.start;
    return false;
  }
  if (program_.histories[k].present) return true;
  if (!(least > 64 * times.same)) {
    diagnostics
        .error("bad-delay", place, fmt::format("the delay {} is too short to be told from none", least),
               "a delay of exactly 0 when the model is compiled is a wire; a VariableDelay with a smallest delay "
               "of 0 passes through what is younger than a step")
        .time = times.start;
    return false;
  }
  if (times.fixed_step > 0 && least < times.fixed_step * (1 - 1e-9)) {
    diagnostics
        .warning("delay-below-step", place,
                 fmt::format("the delay {} is shorter than the step {}", least, times.fixed_step),
                 "within a step the signal is extrapolated from the one before: choose a smaller step")
        .time = times.start;
  } else if (times.fixed_step <= 0 && horizon / least > most_steps) {
    diagnostics
        .error("too-many-steps", place,
               fmt::format("steps no longer than the delay {} make {:.1e} of them until the stop time", least,
                           horizon / least),
               "choose a longer delay, or a smaller stop time")
        .time = times.start;
    return false;
  }
  return true;
}

bool Histories::take_bounds(std::byte* memory, const PlaceOf& place_of, Diagnostics& diagnostics) {
  machine_.history_bounds()(times_.start, reinterpret_cast<const double*>(memory), bounds_.data(), memory, 0);
  for (std::size_t k = 0; k < tracks_.size(); ++k) {
    if (!check(k, place_of(program_.histories[k].origin), diagnostics)) return false;
  }
  use_bounds();
  return true;
}

void Histories::use_bounds() {
  least_ = std::numeric_limits<double>::infinity();
  longest_ = 0;
  for (std::size_t k = 0; k < tracks_.size(); ++k) {
    if (!program_.histories[k].present) least_ = std::min(least_, bounds_[2 * k]);
    longest_ = std::max(longest_, bounds_[2 * k + 1]);
  }
  const double span = std::max(longest_ + times_.stop - times_.start, 1.0);
  for (HistoryTrack& track : tracks_) track.open(times_.start - 2 * span, times_.stop + 2 * span, times_.same);
}

// All histories have the breaks of all: that does no harm before the start.
void Histories::fill_start(std::byte* memory) {
  if (empty()) return;
  const double to = times_.start, from = to - std::max(1.01 * longest_, 64 * times_.same);
  const auto evaluate = [&](double t, double* values) {
    machine_.history_starts()(t, reinterpret_cast<const double*>(memory), values, memory, 0);
  };
  std::vector<double> breaks{from};
  for (const program::History& history : program_.histories) {
    for (const double t : history.start_breaks) {
      if (t > from && t < to) breaks.push_back(t);
    }
  }
  std::sort(breaks.begin(), breaks.end());
  breaks.erase(std::unique(breaks.begin(), breaks.end()), breaks.end());
  values_.resize(machine_.history_count());
  for (std::size_t b = 0; b < breaks.size(); ++b) {
    const double end = b + 1 < breaks.size() ? breaks[b + 1] : to;
    evaluate(breaks[b] + 1e-9 * (end - breaks[b]), values_.data());
    for (std::size_t k = 0; k < tracks_.size(); ++k) tracks_[k].add_break(breaks[b], 0, values_.data() + first_[k]);
    // The ends of an interval belong to it, whatever a formula with a jump there says.
    const auto inside = [&](double t, double* values) {
      evaluate(std::clamp(t, breaks[b] + 1e-12 * (end - breaks[b]), end - 1e-12 * (end - breaks[b])), values);
    };
    fill(end, newton::highest_degree, inside);
  }
}

void Histories::fill(double t, int degree, const Evaluate& evaluate) {
  if (!(t > filled_to())) return;
  if (t - filled_to() <= 4 * times_.same) {
    for (HistoryTrack& track : tracks_) track.append(t, 0, nullptr);
    return;
  }
  fit(t, std::clamp(degree, lowest_degree, newton::highest_degree), evaluate, 0);
  for (std::size_t k = 0; k < tracks_.size(); ++k) tracks_[k].forget_before(t - 1.01 * bounds_[2 * k + 1]);
}

void Histories::fit(double end, int degree, const Evaluate& evaluate, int depth) {
  const double begin = filled_to(), width = end - begin;
  const std::size_t count = machine_.history_count();
  const std::span<const double> points = newton::points(degree);
  values_.resize(count * points.size());
  checks_.resize(count * std::size(between));
  for (std::size_t k = 0; k < points.size(); ++k) {
    evaluate(k == 1 ? end : begin + points[k] * width, values_.data() + k * count);
  }
  for (std::size_t k = 0; k < std::size(between); ++k) evaluate(begin + between[k] * width, checks_.data() + k * count);
  const bool good = fits(begin, end, degree, checks_);
  const bool smallest = depth == deepest || width < 256 * times_.same;
  if (!good && !smallest) {
    fit(begin + 0.5 * width, degree, evaluate, depth + 1);
    fit(end, degree, evaluate, depth + 1);
    return;
  }
  rough_ = rough_ || (!good && depth == deepest);
  for (std::size_t h = 0; h < tracks_.size(); ++h) {
    const std::size_t size = tracks_[h].elements();
    part_.resize(size * points.size());
    for (std::size_t k = 0; k < points.size(); ++k)
      std::copy_n(values_.data() + k * count + first_[h], size, part_.data() + k * size);
    tracks_[h].append(end, degree, part_.data());
  }
}

bool Histories::fits(double begin, double end, int degree, std::span<const double> checks) {
  const std::size_t count = machine_.history_count(), points = static_cast<std::size_t>(degree) + 1;
  for (std::size_t h = 0; h < tracks_.size(); ++h) {
    HistoryTrack& track = tracks_[h];
    const std::size_t size = track.elements();
    part_.resize(size * points);
    for (std::size_t k = 0; k < points; ++k)
      std::copy_n(values_.data() + k * count + first_[h], size, part_.data() + k * size);
    track.fit(begin, end, degree, part_.data());
    for (std::size_t e = 0; e < size; ++e) {
      double largest = 0;
      for (std::size_t k = 0; k < points; ++k) largest = std::max(largest, std::fabs(part_[k * size + e]));
      const double allowed = share * (times_.absolute + times_.relative * largest);
      for (std::size_t k = 0; k < std::size(between); ++k) {
        const double miss = track.fitted(e, begin + between[k] * (end - begin)) - checks[k * count + first_[h] + e];
        if (std::fabs(miss) > allowed) return false;
      }
    }
  }
  return true;
}

// Where looks are given the present value, steps grow from a small one after each break: what is younger than a step is
// read from a polynomial through the last one and now.
double Histories::reach(double t) const {
  double reach = std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < tracks_.size(); ++k) {
    if (!program_.histories[k].present) {
      reach = std::min(reach, tracks_[k].filled_to() + bounds_[2 * k]);
    } else {
      const double first = std::max(1e-6 * (times_.stop - times_.start), 256 * times_.same);
      reach = std::min(reach, t + std::max(2 * tracks_[k].last_length(), first));
    }
  }
  return reach;
}

bool Histories::modes_changed(const std::byte* memory) const {
  for (std::size_t k = 0; k < modes_.size(); ++k) {
    const program::SlotId slot = program_.surfaces[modes_[k]].mode;
    std::uint64_t value = 0;
    std::memcpy(&value, memory + machine_.layout().offset[slot],
                static_cast<std::size_t>(byte_size(program_.slots[slot].type.scalar)));
    if (value != mode_values_[k]) return true;
  }
  return false;
}

void Histories::enter_crossing(std::span<const CrossingSurface> crossings, const std::byte* memory, bool disturbed,
                               long events) {
  if (empty()) return;
  crossed_.clear();
  pending_known_ = false;
  for (const CrossingSurface& crossing : crossings) {
    const program::Surface& surface = program_.surfaces[crossing.surface];
    if (surface.history == program::no_history || surface.shown) continue;
    double stretch = 0;
    std::memcpy(&stretch, memory + machine_.layout().offset[surface.mode], sizeof stretch);
    crossed_.push_back({crossing.surface, stretch});
  }
  if (disturbed || always_disturbed_ || crossed_.empty()) return;
  pending_known_ = true;
  pending_events_ = events;
  mode_values_.assign(modes_.size(), 0);
  for (std::size_t k = 0; k < modes_.size(); ++k) {
    const program::SlotId slot = program_.surfaces[modes_[k]].mode;
    std::memcpy(&mode_values_[k], memory + machine_.layout().offset[slot],
                static_cast<std::size_t>(byte_size(program_.slots[slot].type.scalar)));
  }
}

void Histories::leave_crossing(const std::byte* memory) {
  if (empty() || !pending_known_) return;
  std::fill(pending_.begin(), pending_.end(), int{passes::never_reached});
  for (const Crossed& crossed : crossed_) {
    const program::Surface& surface = program_.surfaces[crossed.surface];
    double stretch = 0;
    std::memcpy(&stretch, memory + machine_.layout().offset[surface.mode], sizeof stretch);
    const int order = tracks_[surface.history].order_between(crossed.stretch, stretch);
    const auto& smoothing = machine_.smoothing()[machine_.smoothing().size() > 1 ? surface.history : 0];
    for (std::size_t h = 0; h < tracks_.size(); ++h) {
      if (smoothing[h] != passes::never_reached) pending_[h] = std::min(pending_[h], order + smoothing[h]);
    }
  }
}

// Sensitivities come behind the signals whose they are, and break where these do.
void Histories::begin_stretches(double t, const double* values, const std::byte* memory, int order, long events) {
  const bool known = pending_known_ && events == pending_events_ && !modes_changed(memory);
  pending_known_ = false;
  for (std::size_t k = 0; k < tracks_.size(); ++k) {
    const program::History& history = program_.histories[k];
    const bool sensitivity = history.of != program::no_history;
    int lowest = sensitivity ? broken_[history.of] : known ? pending_[k] : 1;
    if (!sensitivity && lowest <= order && !tracks_[k].ends_with(values + first_[k])) lowest = 0;
    broken_[k] = lowest;
    if (lowest > order) {
      tracks_[k].append(t, 0, nullptr);  // all have come as far
      continue;
    }
    double moved = 0;
    if (sensitivity) {
      const program::SlotId slot = program_.sensitivities.event_time[history.parameter];
      std::memcpy(&moved, memory + machine_.layout().offset[slot], sizeof moved);
    }
    tracks_[k].add_break(t, lowest, values + first_[k], moved);
  }
}

std::vector<double> Histories::save() const {
  std::vector<double> out = bounds_;
  for (const HistoryTrack& track : tracks_) track.save(out);
  return out;
}

bool Histories::restore(std::span<const double> in) {
  if (in.size() < bounds_.size()) return false;
  std::copy_n(in.begin(), bounds_.size(), bounds_.begin());
  in = in.subspan(bounds_.size());
  use_bounds();
  for (HistoryTrack& track : tracks_) {
    if (!track.restore(in)) return false;
  }
  return in.empty();
}

}  // namespace orrery::sim
