// SPDX-License-Identifier: Apache-2.0
// Modes in the place of corners and jumps: while the integrator steps, and while equations are solved, functions are
// smooth. Every language makes its modes here (docs/semantics.md, 7):
//
//   a < b, a <= b       a boolean mode
//   a == b, a ~= b      two of them, for the instant of touching and that of leaving
//   min, max, abs, sign choices on such modes
//   the stretch of a history to which a time belongs          a number that is held, too
//   floor, ceil, round, trunc, mod, rem, casts to integers, search    a number that is held, with the surfaces that
//   bound it
#pragma once

#include <unordered_map>
#include <vector>

#include "base/number_map.h"
#include "program/program.h"

namespace orrery::passes {

struct ModeBound {
  program::ExprId value;  // scalar
  bool strict;            // > 0 rather than >= 0
};

// A mode and what it stands for: a truth value, which is that of its only bound, or a double, which is right as long as
// all its bounds hold.
struct MadeMode {
  program::SlotId mode;
  program::ExprId condition;
  std::vector<ModeBound> bounds;
  program::ExprId written;                      // as it was written, for messages: the comparison, or mod(u, 2)
  std::uint32_t history = program::no_history;  // the mode is a stretch of it
  bool steady = false;                          // … and the time that is looked at goes on as fast as now
};

// The expressions of one origin. Adds the slots of the modes to the program. A condition may read modes made before it.
class ModeMaker {
 public:
  ModeMaker(program::Program& program, program::OriginId origin)
      : program_(program), g_(program.graph), origin_(origin) {}

  // In a system that is solved for these slots: nothing but them moves.
  ModeMaker(program::Program& program, program::OriginId origin, const std::vector<program::SlotId>& moving)
      : program_(program), g_(program.graph), origin_(origin), moving_(&moving) {}

  // What takes the place of an expression; to be called first.
  void replace(program::ExprId value, program::ExprId smooth) {
    if (value != smooth) done_.add(value, apply(smooth));
  }
  // The expression with modes; no_expr stays no_expr.
  program::ExprId apply(program::ExprId root);
  const std::vector<MadeMode>& modes() const { return modes_; }

 private:
  using ExprId = program::ExprId;
  using Op = program::Op;
  using Scalar = program::Scalar;

  bool is_still(ExprId root);
  bool is_still_slot(program::SlotId slot) const;
  ExprId guarded(ExprId id);
  ExprId corner(Op op, Scalar result, const std::vector<ExprId>& a);
  ExprId number(double value) { return g_.constant(value); }
  ExprId negate(ExprId a) { return g_.unary(Op::logical_not, a); }
  ExprId plus(ExprId a, double b) { return g_.binary(Op::add, a, number(b)); }
  ExprId minus(ExprId a, ExprId b) { return g_.binary(Op::sub, a, b); }
  ExprId relation(Op op, ExprId a, ExprId b);
  ExprId differs(ExprId a, ExprId b);
  ExprId magnitude(ExprId a);
  ExprId stretch(ExprId time, ExprId now);
  ExprId whole(ExprId u, bool down);
  ExprId towards_zero(ExprId settled, ExprId u, double reach, double lowest, double highest);
  ExprId to_integer(Scalar type, ExprId u);
  ExprId quotient(ExprId x, ExprId y);
  ExprId modulo(ExprId x, ExprId y);
  ExprId remainder(ExprId x, ExprId y);
  ExprId extreme(Op reduction, ExprId matrix);
  ExprId interval(ExprId table, ExprId x);
  template <class Bounds>
  ExprId mode(ExprId condition, program::Type type, Bounds&& bounds);

  program::Program& program_;
  program::Graph& g_;
  program::OriginId origin_;
  const std::vector<program::SlotId>* moving_ = nullptr;  // nullptr: all that moves in continuous time
  std::vector<MadeMode> modes_;
  ExprId written_ = program::no_expr;  // the operation that is being replaced
  NumberMap done_;
  std::unordered_map<ExprId, bool> still_;
  std::unordered_map<ExprId, ExprId> mode_of_;  // by condition
};

}  // namespace orrery::passes
