// SPDX-License-Identifier: Apache-2.0
// How a block whose behaviour is a text gets it: the text is run on signals instead of numbers.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "program/expr.h"
#include "program/value.h"

namespace orrery::blocks {

struct NamedSignal {
  std::string name;
  program::Expr value;
};

// The struct `block` of a function block = f(block, flag) (Activate, 22.6.3). What has no value is an Expr without
// graph.
struct BlockFields {
  std::vector<program::Expr> io;     // inputs, then outputs
  std::vector<program::Expr> state;  // discrete states
  std::vector<program::Expr> x;      // continuous state, its derivative
  program::Expr nevprt, t;
};

// Knows the scope of one block instance. Throws ParameterError (without the parameter's name) when the text cannot be
// run.
class Tracer {
 public:
  virtual ~Tracer() = default;
  // The value of an expression.
  virtual program::Expr trace(std::string_view text, std::span<const NamedSignal> signals,
                              program::Graph& graph) const = 0;
  // What the first function of the text leaves in `block`. `parameters` becomes block.params.
  virtual BlockFields call(std::string_view text, int flag, const BlockFields& fields, const program::Value& parameters,
                           program::Graph& graph) const = 0;
};

}  // namespace orrery::blocks
