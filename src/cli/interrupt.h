// SPDX-License-Identifier: Apache-2.0
// Ctrl-C, a request to terminate or a lost terminal end a run in time to keep its results.
#pragma once

#include <atomic>

namespace orrery::cli {

// The first such signal sets it; the same signal once more ends the process.
extern std::atomic<bool> interrupted;
void catch_interrupt();

}  // namespace orrery::cli
