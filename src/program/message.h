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

// Each "{}" of the text becomes the next of the values.
inline std::string fill_in(std::string_view text, std::span<const double> values) {
  std::string filled;
  for (const double value : values) {
    const std::size_t place = text.find("{}");
    if (place == std::string_view::npos) break;
    filled.append(text.substr(0, place)) += value_text(value);
    text.remove_prefix(place + 2);
  }
  return filled.append(text);
}

}  // namespace orrery::program
