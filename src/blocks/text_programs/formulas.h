// SPDX-License-Identifier: Apache-2.0
// Expressions of the classic languages as formulas of a graph.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cssl/operators.h"
#include "cssl/program.h"
#include "program/expr.h"

namespace orrery::blocks::text_programs {

// Everything an expression needs from whoever carries it out.
struct FormulaContext {
  std::function<program::Expr(const std::string& name, cssl::Position at)> read;
  std::function<program::Expr()> time;
  // Operators that remember, and calls of subprograms.
  std::function<program::Expr(const cssl::Node& node)> remember;
  std::function<program::Expr(const cssl::Subprogram& subprogram, const std::vector<program::Expr>& arguments)> call;
  // Of arrays and whole numbers; nothing where a name has no declaration.
  std::function<const cssl::Declared*(const std::string& name)> declared;
};

class Formulas {
 public:
  Formulas(const cssl::Program& program, program::Graph& graph, FormulaContext context)
      : program_(program), graph_(graph), context_(std::move(context)) {}

  program::Expr evaluate(cssl::NodeId id);
  program::Expr number(cssl::NodeId id);  // a double; arrays stay arrays
  program::Expr truth(cssl::NodeId id);
  program::Expr constant(double value) { return {&graph_, graph_.constant(value)}; }
  // The position of an element, from 0, as int32.
  program::Expr position(const cssl::Node& element, const cssl::Declared& declared);
  // As a variable of this declaration holds it: cut to a whole number, or a truth value.
  program::Expr converted(program::Expr value, const cssl::Declared* declared);
  bool is_whole(cssl::NodeId id) const;

 private:
  program::Expr call(const cssl::Node& node);
  program::Expr apply(const std::string& name, const std::vector<program::Expr>& arguments, const cssl::Node& node);
  program::Expr look_up(const cssl::Table& table, const std::vector<program::Expr>& arguments);
  program::Expr binary(const cssl::Node& node);
  program::Expr element(const cssl::Node& node, const cssl::Declared& declared);
  program::Expr power(program::Expr base, const cssl::Node& node);

  const cssl::Program& program_;
  program::Graph& graph_;
  FormulaContext context_;
};

}  // namespace orrery::blocks::text_programs
