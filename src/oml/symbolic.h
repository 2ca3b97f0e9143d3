// SPDX-License-Identifier: Apache-2.0
// The place where expressions of a compiler graph enter the interpreter: an opaque value with virtual operations.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "oml/operators.h"
#include "oml/value.h"

namespace orrery::oml {

class Interpreter;

// Writes a loop down as a function. Places are values whose leaves (numbers and symbolic values, also in cells and
// structs) stand for variables of the function. Throws OmlError for what cannot be written.
class LoopWriter {
 public:
  virtual ~LoopWriter() = default;
  virtual Value place(const std::string& name, const Value& start) = 0;
  virtual Value place_inside(const std::string& name, const Value& like) = 0;  // it has no value before the loop
  // All at the same time; those that are equal stay.
  virtual void assign(const std::vector<std::pair<Value, Value>>& changes) = 0;
  // floor(last) + 1 turns, none when that is not positive; the number of the turn, from 0.
  virtual Value open_count(const Value& last) = 0;
  virtual void open_while(const Value& condition) = 0;
  virtual void open_if(const Value& condition) = 0;
  virtual void open_else() = 0;
  virtual void close() = 0;
  virtual void leave() = 0;
  virtual void go_on() = 0;
  virtual void finish() = 0;
  virtual Value result(const Value& place) = 0;  // after finish()
  // After an error: now it knows better what the places must hold, from the beginning.
  virtual bool wants_another_try() = 0;
};

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
  // To write down a loop that works on it; nothing: loops are carried out.
  virtual std::unique_ptr<LoopWriter> write_loop(Interpreter& interpreter) const {
    static_cast<void>(interpreter);
    return nullptr;
  }
  // One row or one column of operands glued together.
  virtual Value concatenate(const Values& parts, bool vertically) const = 0;
};

// The number of a value, which settles it for this reason; an error with `otherwise` where it has none.
Value settled(const Value& v, const std::string& reason, const char* otherwise);

}  // namespace orrery::oml
