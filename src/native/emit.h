// SPDX-License-Identifier: Apache-2.0
// The C text of a program together with what its compilers must know about it.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "program/procedure.h"

namespace orrery::native {

// For people: comments, indentation, numbers where they stand. For compilers: numbers that repeat have names, because
// libtcc makes an object of every literal it meets.
enum class Style { readable, compact };

struct Unit {
  std::string text;
  bool has_loops = false;  // worth -O2; straight-line code is not
};

Unit emit_unit(const program::Program& program, const program::Layout& layout,
               const std::vector<program::Procedure>& procedures, Style style);

}  // namespace orrery::native
