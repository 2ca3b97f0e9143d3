// SPDX-License-Identifier: Apache-2.0
// The place where expressions of a compiler graph enter the interpreter: an opaque value with virtual operations.
#pragma once

#include <optional>
#include <string>

#include "oml/operators.h"
#include "oml/value.h"

namespace orrery::oml {

class Interpreter;

// An operand that is not a number yet. The interpreter hands every operation with such an operand to it;
// an operation that cannot be done symbolically throws OmlError.
struct SymbolicValue : Heap {
  SymbolicValue() : Heap(Kind::symbolic) {}
  virtual ~SymbolicValue() = default;
  virtual Index rows() const = 0;
  virtual Index cols() const = 0;
  virtual std::string text() const = 0;
  // The number it has at present, where it has one: a parameter that is to stay a name. nullptr: none before the
  // simulation.
  virtual const Value* known() const { return nullptr; }
  // Somebody goes on with the number instead of the formula, for this reason.
  virtual void settle(const std::string& reason) const { static_cast<void>(reason); }
  // Called on the left operand when it is symbolic, on the right one otherwise.
  virtual Value binary(BinaryOp op, const Value& left, const Value& right) const = 0;
  virtual Value unary(UnaryOp op, const Value& operand) const = 0;
  // A builtin with at least one symbolic argument. Nothing: the builtin only moves values about, so it runs as usual.
  virtual std::optional<Values> call(Interpreter& interpreter, const std::string& builtin, const Values& arguments,
                                     int nargout) const = 0;
  virtual Value index(const Value& self, const Values& subscripts) const = 0;
  // target(subscripts) = value, where one of the three is symbolic.
  virtual Value assign(const Value& target, const Values& subscripts, const Value& value) const = 0;
  // target(subscripts) = [], where target is symbolic.
  virtual Value remove(const Value& target, const Values& subscripts) const = 0;
  // One row or one column of operands glued together.
  virtual Value concatenate(const Values& parts, bool vertically) const = 0;
};

// The number of a value, which settles it for this reason; an error with `otherwise` where it has none.
Value settled(const Value& v, const std::string& reason, const char* otherwise);

}  // namespace orrery::oml
