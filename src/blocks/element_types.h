// SPDX-License-Identifier: Apache-2.0
// The parameter `type` of blocks that give element types: its declaration and what it means.
#pragma once

#include "blocks/block.h"

namespace orrery::blocks {

inline ParameterSpec type_spec(std::string default_text, bool with_inherit = false) {
  ParameterSpec spec{"type",
                     std::move(default_text),
                     "element type of the output",
                     {"double", "complex", "int8", "int16", "int32", "uint8", "uint16", "uint32", "boolean"}};
  if (with_inherit) spec.choices.insert(spec.choices.begin(), "inherit");
  return spec;
}

inline Scalar element_type_of(const Parameters& parameters) {
  for (int code = 0; code <= static_cast<int>(Scalar::boolean); ++code) {
    if (parameters.text("type") == name_of(static_cast<Scalar>(code))) return static_cast<Scalar>(code);
  }
  parameters.fail("type", "'" + parameters.text("type") + "' is not an element type");
}

}  // namespace orrery::blocks
