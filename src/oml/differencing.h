// SPDX-License-Identifier: Apache-2.0
// While a search looks for slopes of a function by differences around the point it evaluated last. A builtin that knows
// its own derivatives there (a run of a model) may answer along them instead of computing anew.
#pragma once

#include "oml/interpreter.h"

namespace orrery::oml {

class Differencing {
 public:
  explicit Differencing(Interpreter& interpreter) : depth_(interpreter.extension<Depth>().now) { ++depth_; }
  ~Differencing() { --depth_; }
  Differencing(const Differencing&) = delete;
  Differencing& operator=(const Differencing&) = delete;

  static bool is_on(Interpreter& interpreter) { return interpreter.extension<Depth>().now > 0; }

 private:
  struct Depth {
    int now = 0;
  };
  int& depth_;
};

}  // namespace orrery::oml
