// SPDX-License-Identifier: Apache-2.0
// ORRERY_CHECK: stops the program when one of our own invariants is broken. Never for user mistakes.
#pragma once

namespace orrery {

[[noreturn]] void check_failed(const char* condition, const char* file, int line);

}  // namespace orrery

#define ORRERY_CHECK(condition) ((condition) ? (void)0 : ::orrery::check_failed(#condition, __FILE__, __LINE__))
