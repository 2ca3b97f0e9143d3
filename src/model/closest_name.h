// SPDX-License-Identifier: Apache-2.0
// "Did you mean …?": the known name nearest to a mistyped one.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace orrery::model {

// The candidate with the smallest edit distance (case counts half), or empty when none is near enough to suggest.
std::string_view closest_name(std::string_view name, std::span<const std::string_view> candidates);
// "did you mean \"Gain\"?" or, when nothing is near, an empty text.
std::string did_you_mean(std::string_view name, std::span<const std::string_view> candidates);

}  // namespace orrery::model
