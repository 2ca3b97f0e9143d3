// SPDX-License-Identifier: Apache-2.0
// Messages of a model with numbers in them.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <span>
#include <string>
#include <string_view>

namespace orrery::program {

// A number for people; what is none has no sign.
inline std::string value_text(double value) { return std::isnan(value) ? "NaN" : fmt::format("{:.6g}", value); }

// Where a value stands: "{}", or "{|a|b|c}", of which the value says which item it is, from 0.
struct MessagePlace {
  std::size_t begin = std::string_view::npos, end = 0;
};
inline MessagePlace next_place(std::string_view text) {
  const std::size_t plain = text.find("{}"), choice = text.find("{|");
  if (plain == std::string_view::npos && choice == std::string_view::npos) return {};
  if (plain < choice) return {plain, plain + 2};
  const std::size_t end = text.find('}', choice);
  return end == std::string_view::npos ? MessagePlace{} : MessagePlace{choice, end + 1};
}

// Item number `which` of "{|a|b|c}".
inline std::string_view chosen_item(std::string_view place, double which) {
  place = place.substr(2, place.size() - 3);
  for (double k = 0; k < which; ++k) {
    const std::size_t bar = place.find('|');
    if (bar == std::string_view::npos) return {};
    place.remove_prefix(bar + 1);
  }
  return place.substr(0, place.find('|'));
}

// Each place of the text becomes the next of the values.
inline std::string fill_in(std::string_view text, std::span<const double> values) {
  std::string filled;
  for (const double value : values) {
    const MessagePlace place = next_place(text);
    if (place.begin == std::string_view::npos) break;
    filled.append(text.substr(0, place.begin));
    if (place.end == place.begin + 2) {
      filled += value_text(value);
    } else {
      filled += chosen_item(text.substr(place.begin, place.end - place.begin), value);
    }
    text.remove_prefix(place.end);
  }
  return filled.append(text);
}

}  // namespace orrery::program
