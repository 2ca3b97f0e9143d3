// SPDX-License-Identifier: Apache-2.0
// The stop behind ORRERY_CHECK.
#include "base/check.h"

#include <cstdio>
#include <cstdlib>

namespace orrery {

void check_failed(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "orrery: internal error: %s does not hold at %s:%d\nplease report it\n", condition, file, line);
  std::abort();
}

}  // namespace orrery
