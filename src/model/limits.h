// SPDX-License-Identifier: Apache-2.0
// What the loader accepts at most, so that no file can exhaust memory, the stack or the reader's patience.
#pragma once

#include <cstddef>

namespace orrery::model {

inline constexpr std::size_t largest_file = std::size_t{512} << 20;
inline constexpr int deepest_nesting = 100;  // super blocks within super blocks
inline constexpr int deepest_json = 512;     // any JSON brackets; more than super blocks of that depth need
inline constexpr int most_errors = 100;      // reported for one file
inline constexpr int highest_port = 999'999;

}  // namespace orrery::model
