// SPDX-License-Identifier: Apache-2.0
// Blocks in C: code of the model, or a shared library beside it; in this process or in one of its own.
#pragma once

#include <string>

#include "program/foreign_kinds.h"

namespace orrery::foreign {

// Paths of files are relative to the folder of the model file. It is native code, which the user must have allowed.
program::ForeignKind c_block_kind(std::string model_file);

}  // namespace orrery::foreign
