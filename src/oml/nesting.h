// SPDX-License-Identifier: Apache-2.0
// A limit on recursion through nested cells and structs, so that no value can exhaust the stack.
#pragma once

#include "oml/error.h"

namespace orrery::oml {

class NestingGuard {
 public:
  NestingGuard() {
    if (++depth() > 1000) {
      --depth();
      fail("cells or structs are nested too deeply");
    }
  }
  ~NestingGuard() { --depth(); }
  NestingGuard(const NestingGuard&) = delete;
  NestingGuard& operator=(const NestingGuard&) = delete;

 private:
  static int& depth() {
    thread_local int value = 0;
    return value;
  }
};

}  // namespace orrery::oml
