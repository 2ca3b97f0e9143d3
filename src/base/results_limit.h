// SPDX-License-Identifier: Apache-2.0
// How much the results of a run may take.
#pragma once

#include <unistd.h>

namespace orrery {

// Bytes that the results of one run may take: beyond that they would push everything else out.
inline double default_results_limit() {
  return 0.25 * static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
}

}  // namespace orrery
