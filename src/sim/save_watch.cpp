// SPDX-License-Identifier: Apache-2.0
// What a SurfaceWatch knows, as numbers that a saved run keeps.
#include "sim/surface_watch.h"

namespace orrery::sim {

// Row by row, a number for each surface; then those of the whole watch, then lists with their lengths.
std::vector<double> SurfaceWatch::save() const {
  std::vector<double> out;
  const auto row = [&out](const auto& values) { out.insert(out.end(), values.begin(), values.end()); };
  row(signs_);
  row(g_);
  row(band_);
  row(left_at_);
  row(leads_away_);
  row(at_zero_);
  row(fired_at_);
  row(fired_value_);
  row(fired_direction_);
  for (const Leaving& leaving : leaving_) out.insert(out.end(), {leaving.rate, leaving.second});
  for (const Stillness& stillness : stillness_) out.insert(out.end(), {stillness.noise, stillness.limit});
  out.insert(out.end(), {t_, leaving_until_, begun_at_, some_leave_ ? 1.0 : 0.0});
  for (const auto* list : {&muted_, &turned_}) {
    out.push_back(static_cast<double>(list->size()));
    row(*list);
  }
  return out;
}

bool SurfaceWatch::restore(std::span<const double> saved) {
  const std::size_t count = kinds_.size();
  constexpr std::size_t rows = 13, single = 4, lists = 2;
  if (saved.size() < rows * count + single + lists) return false;
  std::size_t at = 0;
  const auto row = [&]<class T>(std::vector<T>& values) {
    for (std::size_t k = 0; k < count; ++k) values[k] = static_cast<T>(saved[at++]);
  };
  row(signs_);
  row(g_);
  row(band_);
  row(left_at_);
  row(leads_away_);
  row(at_zero_);
  row(fired_at_);
  row(fired_value_);
  row(fired_direction_);
  for (Leaving& leaving : leaving_) {
    leaving.rate = saved[at++];
    leaving.second = saved[at++];
  }
  still_.clear();
  for (std::size_t k = 0; k < count; ++k) {
    stillness_[k] = {saved[at], saved[at + 1]};
    at += 2;
    if (stillness_[k].limit >= 0) still_.push_back(static_cast<std::uint32_t>(k));
  }
  sense_.assign(signs_.begin(), signs_.end());
  never_begun_ = false;
  t_ = saved[at++];
  leaving_until_ = saved[at++];
  begun_at_ = saved[at++];
  some_leave_ = saved[at++] != 0;
  for (auto* list : {&muted_, &turned_}) {
    list->clear();
    if (at >= saved.size() || !(saved[at] <= static_cast<double>(saved.size() - at - 1))) return false;
    for (auto left = static_cast<std::size_t>(saved[at++]); left > 0; --left) {
      if (!(saved[at] >= 0 && saved[at] < static_cast<double>(count))) return false;
      list->push_back(static_cast<std::uint32_t>(saved[at++]));
    }
  }
  return at == saved.size();
}

}  // namespace orrery::sim
