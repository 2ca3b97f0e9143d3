// SPDX-License-Identifier: Apache-2.0
// Makes a test FMU depend on the streams of the C++ library, as FMUs written in C++ do.
#include <iostream>

namespace {
struct Speaker {
  Speaker() { std::cout << std::flush; }
} speaker;
}  // namespace
