// SPDX-License-Identifier: Apache-2.0
// Numbers and lists as XML Schema writes them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace orrery::fmi {

// "1e-005", "+2", " INF", "-INF", "NaN"; nothing when the whole text is not a number.
std::optional<double> parse_real(std::string_view text);
std::optional<std::uint64_t> parse_natural(std::string_view text);
std::optional<std::int64_t> parse_integer(std::string_view text);
std::optional<bool> parse_boolean(std::string_view text);    // true, false, 1, 0
std::vector<std::string> split_list(std::string_view text);  // at white space

}  // namespace orrery::fmi
