// SPDX-License-Identifier: Apache-2.0
// How a block whose behaviour is a text gets it: the text is run on signals instead of numbers.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "program/expr.h"

namespace orrery::blocks {

struct NamedSignal {
  std::string name;
  program::Expr value;
};

// Knows the scope of one block instance. Throws ParameterError (without the parameter's name) when the text cannot be
// run.
class Tracer {
 public:
  virtual ~Tracer() = default;
  virtual program::Expr trace(std::string_view text, std::span<const NamedSignal> signals,
                              program::Graph& graph) const = 0;
};

}  // namespace orrery::blocks
