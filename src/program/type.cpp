// SPDX-License-Identifier: Apache-2.0
// Names, sizes and ranges of element types.
#include "program/type.h"

#include <fmt/format.h>

namespace orrery::program {
namespace {

struct Facts {
  const char* name;
  const char* c_name;
  int bytes;
  double lowest;
  double highest;
};

constexpr Facts table[] = {
    {"double", "double", 8, 0, 0},
    {"complex", "double", 16, 0, 0},
    {"int8", "signed char", 1, -128, 127},
    {"int16", "short", 2, -32768, 32767},
    {"int32", "int", 4, -2147483648.0, 2147483647.0},
    {"uint8", "unsigned char", 1, 0, 255},
    {"uint16", "unsigned short", 2, 0, 65535},
    {"uint32", "unsigned int", 4, 0, 4294967295.0},
    {"boolean", "unsigned char", 1, 0, 1},
};

const Facts& facts(Scalar scalar) { return table[static_cast<int>(scalar)]; }

}  // namespace

int byte_size(Scalar scalar) { return facts(scalar).bytes; }
const char* name_of(Scalar scalar) { return facts(scalar).name; }
const char* c_name_of(Scalar scalar) { return facts(scalar).c_name; }
double lowest_value(Scalar scalar) { return facts(scalar).lowest; }
double highest_value(Scalar scalar) { return facts(scalar).highest; }

std::string to_text(const Type& type) {
  if (type.is_scalar()) return name_of(type.scalar);
  return fmt::format("{} {}x{}", name_of(type.scalar), type.rows, type.cols);
}

}  // namespace orrery::program
