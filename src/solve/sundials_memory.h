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

// Index of the first value that is not finite, -1: all are.
inline int first_not_finite(const double* values, std::size_t count) {
  double zero = 0;
  for (std::size_t i = 0; i < count; ++i) zero += 0 * values[i];
  if (zero == 0) return -1;
  const auto found = std::find_if(values, values + count, [](double v) { return !std::isfinite(v); });
  return static_cast<int>(found - values);
}

inline int sign_of(int code) { return code > 0 ? 1 : code < 0 ? -1 : 0; }

}  // namespace orrery::solve
