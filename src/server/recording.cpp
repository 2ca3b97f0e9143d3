// SPDX-License-Identifier: Apache-2.0
// The pyramid: whole buckets of a level make one of the next.
#include "server/recording.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace orrery::server {
namespace {

constexpr std::size_t most_recorded_bytes = 2UL << 30;
constexpr std::size_t most_singles = 4;       // points of a pixel that are sent as they are
constexpr std::size_t most_points = 500'000;  // pixels of all columns of a frame
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

template <typename T>
void put(std::string& bytes, T value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

}  // namespace

void RunRecording::begin(std::vector<RecordedColumn> columns) {
  columns_ = std::move(columns);
  time_.clear();
  phase_.clear();
  data_.assign(columns_.size(), {});
  events.clear();
}

std::size_t RunRecording::bytes() const {
  return time_.size() * (9 + columns_.size() * 9) + events.size() * sizeof(EventRecord);
}

RunRecording::Extent RunRecording::join(Extent a, Extent b) {
  return {std::fmin(a.low, b.low), std::fmax(a.high, b.high)};  // of a number and NaN the number
}

bool RunRecording::add(std::span<const double> time, std::span<const double> values,
                       std::span<const signed char> phase) {
  const std::size_t width = columns_.size();
  if (values.size() != time.size() * width || phase.size() != time.size() || bytes() > most_recorded_bytes)
    return false;
  time_.insert(time_.end(), time.begin(), time.end());
  phase_.insert(phase_.end(), phase.begin(), phase.end());
  for (std::size_t c = 0; c < width; ++c) {
    Channel& channel = data_[c];
    for (std::size_t k = 0; k < time.size(); ++k) channel.values.push_back(values[k * width + c]);
    extend(channel);
  }
  return true;
}

void RunRecording::extend(Channel& channel) const {
  if (channel.levels.empty()) channel.levels.emplace_back();
  for (std::size_t whole = channel.values.size() / bucket; channel.levels[0].size() < whole;) {
    Extent all{not_a_number, not_a_number};
    const double* at = channel.values.data() + channel.levels[0].size() * bucket;
    for (std::size_t k = 0; k < bucket; ++k) all = join(all, {at[k], at[k]});
    channel.levels[0].push_back(all);
  }
  for (std::size_t level = 1; channel.levels[level - 1].size() >= fan; ++level) {
    if (channel.levels.size() == level) channel.levels.emplace_back();
    const std::vector<Extent>& below = channel.levels[level - 1];
    std::vector<Extent>& here = channel.levels[level];
    while (here.size() < below.size() / fan) {
      Extent all = below[here.size() * fan];
      for (std::size_t k = 1; k < fan; ++k) all = join(all, below[here.size() * fan + k]);
      here.push_back(all);
    }
  }
}

void RunRecording::relabel_last(signed char phase) {
  if (!phase_.empty()) phase_.back() = phase;
}

RunRecording::Extent RunRecording::extent(std::size_t column, std::size_t first, std::size_t last) const {
  const Channel& channel = data_[column];
  Extent all{not_a_number, not_a_number};
  while (first < last) {
    // The largest bucket that begins here and does not go too far.
    std::size_t size = 1, level = SIZE_MAX, next = bucket;
    for (std::size_t k = 0; k < channel.levels.size(); ++k, next *= fan) {
      if (first % next != 0 || first + next > last || first / next >= channel.levels[k].size()) break;
      size = next;
      level = k;
    }
    if (level == SIZE_MAX) {
      all = join(all, {channel.values[first], channel.values[first]});
    } else {
      all = join(all, channel.levels[level][first / size]);
    }
    first += size;
  }
  return all;
}

std::string RunRecording::frame(const SampleView& view, std::uint32_t run, std::uint32_t watch, bool ended) const {
  const std::size_t rows = time_.size();
  const double from = std::isnan(view.from) ? (rows > 0 ? time_.front() : 0) : view.from;
  const double to = std::isnan(view.to) ? (rows > 0 ? time_.back() : 0) : view.to;
  // One row more on both sides: curves go on to the edge of the view.
  std::size_t first = static_cast<std::size_t>(std::lower_bound(time_.begin(), time_.end(), from) - time_.begin());
  std::size_t last = static_cast<std::size_t>(std::upper_bound(time_.begin(), time_.end(), to) - time_.begin());
  if (first > 0) --first;
  if (last < rows) ++last;
  // Many curves at once are drawn with fewer points each: a frame has a size that can be sent.
  const std::size_t most = std::max<std::size_t>(most_points / std::max<std::size_t>(view.columns.size(), 1), 16);
  const std::size_t pixels = std::min(static_cast<std::size_t>(std::clamp(view.pixels, 16, 10000)), most);
  struct Piece {
    std::size_t begin, end;
  };
  std::vector<Piece> pieces;
  bool buckets = false;
  if (last - first <= most_singles * pixels) {
    for (std::size_t k = first; k < last; ++k) pieces.push_back({k, k + 1});
  } else {
    buckets = true;
    const double width = (to - from) / static_cast<double>(pixels);
    for (std::size_t at = first, pixel = 1; at < last; ++pixel) {
      std::size_t end = last;
      if (pixel <= pixels) {
        const double edge = from + width * static_cast<double>(pixel);
        end = static_cast<std::size_t>(std::lower_bound(time_.begin() + static_cast<std::ptrdiff_t>(at),
                                                        time_.begin() + static_cast<std::ptrdiff_t>(last), edge) -
                                       time_.begin());
      }
      if (end - at <= most_singles) {
        for (; at < end; ++at) pieces.push_back({at, at + 1});
      } else {
        pieces.push_back({at, end});
        at = end;
      }
    }
  }
  std::string bytes;
  bytes.reserve(16 + pieces.size() * (9 + view.columns.size() * (buckets ? 32 : 8)));
  put<std::uint8_t>(bytes, 1);
  put<std::uint8_t>(bytes, static_cast<std::uint8_t>((buckets ? 1 : 0) | (ended ? 2 : 0)));
  put<std::uint16_t>(bytes, static_cast<std::uint16_t>(view.columns.size()));
  put(bytes, run);
  put(bytes, watch);
  put(bytes, static_cast<std::uint32_t>(pieces.size()));
  for (const Piece& piece : pieces) put(bytes, time_[piece.begin]);
  for (const std::size_t column : view.columns) {
    const std::vector<double>& values = data_[column].values;
    if (!buckets) {
      for (const Piece& piece : pieces) put(bytes, values[piece.begin]);
      continue;
    }
    std::vector<Extent> extents;
    extents.reserve(pieces.size());
    for (const Piece& piece : pieces) {
      extents.push_back(piece.end - piece.begin == 1 ? Extent{values[piece.begin], values[piece.begin]}
                                                     : extent(column, piece.begin, piece.end));
    }
    for (const Piece& piece : pieces) put(bytes, values[piece.begin]);
    for (const Extent& piece : extents) put(bytes, piece.low);
    for (const Extent& piece : extents) put(bytes, piece.high);
    for (const Piece& piece : pieces) put(bytes, values[piece.end - 1]);
  }
  for (const Piece& piece : pieces)
    put<std::uint8_t>(bytes, piece.end - piece.begin == 1 ? static_cast<std::uint8_t>(phase_[piece.begin]) : 0);
  return bytes;
}

}  // namespace orrery::server
