// SPDX-License-Identifier: Apache-2.0
// Owners of the objects that SUNDIALS' integrators share.
#pragma once

#include <nvector/nvector_serial.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <type_traits>

#include "base/check.h"

namespace orrery::solve {

struct FreeVector {
  void operator()(N_Vector vector) const { N_VDestroy(vector); }
};
struct FreeContext {
  void operator()(SUNContext context) const { SUNContext_Free(&context); }
};
using Vector = std::unique_ptr<std::remove_pointer_t<N_Vector>, FreeVector>;
using Context = std::unique_ptr<std::remove_pointer_t<SUNContext>, FreeContext>;

inline Context make_context() {
  SUNContext context = nullptr;
  ORRERY_CHECK(SUNContext_Create(nullptr, &context) == 0);
  return Context(context);
}

[[gnu::noinline, gnu::cold]] inline int find_not_finite(const double* values, std::size_t count) {
  const auto found = std::find_if(values, values + count, [](double v) { return !std::isfinite(v); });
  return static_cast<int>(found - values);
}

// Index of the first value that is not finite, -1: all are.
inline int first_not_finite(const double* values, std::size_t count) {
  double zero = 0, side[3] = {};  // four sums: one would wait for each addition
  std::size_t k = 0;
  for (; k + 4 <= count; k += 4) {
    zero += 0 * values[k];
    side[0] += 0 * values[k + 1];
    side[1] += 0 * values[k + 2];
    side[2] += 0 * values[k + 3];
  }
  if (k > 0) zero += side[0] + side[1] + side[2];
  for (; k < count; ++k) zero += 0 * values[k];
  return zero == 0 ? -1 : find_not_finite(values, count);
}

inline int sign_of(int code) { return code > 0 ? 1 : code < 0 ? -1 : 0; }

}  // namespace orrery::solve
