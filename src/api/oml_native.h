// SPDX-License-Identifier: Apache-2.0
// Hot loops of scripts as machine code, in the two tiers that models have.
#pragma once

#include <memory>

#include "oml/native_code.h"

namespace orrery::api {

// libtcc at once; what runs long is compiled once more by the machine's C compiler, in the background, and kept in the
// cache: the next run has it from the beginning. May be shared by interpreters of one thread.
std::shared_ptr<oml::NativeCompiler> oml_compiler();

}  // namespace orrery::api
