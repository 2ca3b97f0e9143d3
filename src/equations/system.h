// SPDX-License-Identifier: Apache-2.0
// A system of equations before it is causal: variables, some of which are derivatives of others, and residuals that are
// zero. Expressions are nodes of the Program's own graph, and variables are slots of it.
//
// Whoever has equations without a direction fills a System: text languages, circuits, Constraint and ImplicitDerivative
// blocks. causalise.h makes states, derivatives, loops and invariants of a Program from it.
#pragma once

#include <string>
#include <vector>

#include "equations/adjacency.h"
#include "passes/find_dependencies.h"
#include "program/program.h"

namespace orrery::equations {

using VariableId = std::uint32_t;

// How gladly a variable is taken as a state where there is a choice.
enum class StateSelect : std::uint8_t { never, avoid, standard, prefer, always };

// One element of a slot of doubles. A variable with a derivative is a state of the motion; the others are found from
// the equations.
struct Variable {
  program::SlotId slot = program::no_slot;
  std::int64_t element = 0;
  VariableId derivative = none;              // the variable that is its derivative
  program::ExprId rate = program::no_expr;   // or the expression
  bool fixed = false;                        // the start value holds; else it is where the search begins
  program::ExprId start = program::no_expr;  // over parameters; no_expr: the initial value of the slot
  double nominal = 1;
  StateSelect select = StateSelect::standard;
  program::OriginId origin = 0;

  bool is_state() const { return derivative != none || rate != program::no_expr; }
};

// 0 = residual, a scalar. An equation that was made by differentiating another one says so.
struct Equation {
  program::ExprId residual = program::no_expr;
  program::OriginId origin = 0;
  std::uint32_t differentiated = 0;  // how often
  std::string text = {};             // as its author wrote it, for messages; empty: printed from the residual
};

// The expression by which a variable is replaced.
struct Alias {
  VariableId variable, of;
  bool negated = false;
};

struct System {
  explicit System(program::Program& owner) : program(&owner) {}

  program::Program* program;
  std::vector<Variable> variables;
  std::vector<Equation> equations;
  std::vector<Equation> initial;           // hold at the start only
  std::vector<program::SlotId> sought;     // parameters and memories (doubles) that the start determines
  std::vector<Equation> invariants;        // of index reduction: hold along the motion, over states alone
  std::vector<Alias> aliases;              // of alias elimination
  std::vector<program::Surface> surfaces;  // of modes that the equations read, in terms of variables

  program::ExprId read(VariableId id) const {
    const Variable& v = variables[id];
    const program::ExprId whole = program->read(v.slot);
    return program->slots[v.slot].type.is_scalar() ? whole : program->graph.element(whole, v.element);
  }
  program::ExprId rate_of(VariableId id) const {
    const Variable& v = variables[id];
    return v.rate != program::no_expr ? v.rate : read(v.derivative);
  }

  // A new variable with a slot of its own.
  VariableId add(std::string name, double start = 0, bool fixed = false, program::OriginId origin = 0);
  // The derivative of a variable, made when it is asked for first.
  VariableId derivative_of(VariableId id);
  program::ExprId der(VariableId id) { return read(derivative_of(id)); }
  void equation(program::ExprId residual, program::OriginId origin = 0, std::string text = {}) {
    equations.push_back({residual, origin, 0, std::move(text)});
  }
  void initial_equation(program::ExprId residual, program::OriginId origin = 0, std::string text = {}) {
    initial.push_back({residual, origin, 0, std::move(text)});
  }
  // `actual`, which the start reaches from `simplified` where it does not find its solution at once.
  program::ExprId homotopy(program::ExprId actual, program::ExprId simplified);
};

// Variables by slot and element, and where they occur.
class VariableIndex {
 public:
  explicit VariableIndex(const System& system);
  VariableId find(program::SlotId slot, std::int64_t element) const;
  void add(VariableId id, const Variable& variable);
  // The variables an expression reads, ascending.
  std::vector<VariableId> read_by(program::ExprId expression);

 private:
  const System& system_;
  std::vector<std::vector<VariableId>> by_slot_;
  passes::Dependencies dependencies_;
};

// "/Plant.x", "/Plant.x[2]"
std::string name_of(const System& system, VariableId id);
std::string text_of(const System& system, const Equation& equation);
Place place_of(const program::Program& program, program::OriginId origin);

}  // namespace orrery::equations
