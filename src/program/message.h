// SPDX-License-Identifier: Apache-2.0
// Messages of a model with numbers in them.
#pragma once

#include <fmt/format.h>

#include <span>
#include <string>
#include <string_view>

namespace orrery::program {

// Each "{}" of the text becomes the next of the values.
inline std::string fill_in(std::string_view text, std::span<const double> values) {
  std::string filled;
  for (const double value : values) {
    const std::size_t place = text.find("{}");
    if (place == std::string_view::npos) break;
    filled += fmt::format("{}{:.6g}", text.substr(0, place), value);
    text.remove_prefix(place + 2);
  }
  return filled.append(text);
}

}  // namespace orrery::program
