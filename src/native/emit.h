// SPDX-License-Identifier: Apache-2.0
// The C text of a program together with what its compilers must know about it.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "program/procedure.h"

namespace orrery::native {

struct Unit {
  std::string text;
  bool has_loops = false;  // worth -O2; straight-line code is not
};

Unit emit_unit(const program::Program& program, const program::Layout& layout,
               const std::vector<program::Procedure>& procedures);

}  // namespace orrery::native
