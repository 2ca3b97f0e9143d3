// SPDX-License-Identifier: Apache-2.0
// An exception that crosses the border of a C interface.
#include <stdexcept>

extern "C" void throw_something() { throw std::runtime_error("thrown by a test"); }
