// SPDX-License-Identifier: Apache-2.0
// Recycling of large blocks by the C library's heap.
#include "oml/recycling.h"

#include <cstdlib>  // tells which C library this is

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace orrery::oml {

void recycle_large_arrays() {
#ifdef __GLIBC__
  constexpr int largest_recycled = 32 << 20, largest_kept = 256 << 20;  // the first is the most that glibc takes
  mallopt(M_MMAP_THRESHOLD, largest_recycled);
  mallopt(M_TRIM_THRESHOLD, largest_kept);
#endif
}

}  // namespace orrery::oml
