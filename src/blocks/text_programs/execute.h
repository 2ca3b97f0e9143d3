// SPDX-License-Identifier: Apache-2.0
// Statements carried out on formulas: assignments change a scope, branches become choices, what loops a function.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "blocks/text_programs/formulas.h"
#include "blocks/text_programs/scope.h"
#include "cssl/program.h"

namespace orrery::blocks::text_programs {

// What a statement does besides changing names; `guard` is the condition under which it is reached, without graph:
// always.
struct Effect {
  const cssl::Statement* statement;
  program::Expr guard;
  program::Expr value;                // of schedule and terminate
  std::vector<program::Expr> values;  // of write
};

class Execution {
 public:
  struct Options {
    std::function<program::Expr()> time;
    // Operators that remember; where there is none they are refused.
    std::function<program::Expr(const cssl::Node& node, Formulas& formulas)> remember = {};
    // Called for schedule, terminate, write, stop and calls of LOGD.
    std::function<void(const Effect&)> effect = {};
    // Where names without a value get one; nothing: an error.
    std::function<program::Expr(const std::string& name)> missing = {};
    std::string own_name = {};  // being assigned now
  };
  Execution(const cssl::Program& program, program::Graph& graph, Scope& scope, Options options);

  void run(const std::vector<cssl::Statement>& statements);
  void run(const cssl::Statement& statement);
  Formulas& formulas() { return formulas_; }
  program::Expr read(const std::string& name, cssl::Position at);
  const std::string& assigned() const { return assigned_; }

 private:
  void assign(const cssl::Statement& statement);
  void store(cssl::NodeId target, program::Expr value);
  void branch(const cssl::Statement& statement);
  void count_loop(const cssl::Statement& statement);
  void call_subroutine(const cssl::Statement& statement);
  void run_as_function(const std::vector<cssl::Statement>& statements);
  void iterate(const cssl::Statement& statement);
  program::Expr call_function(const cssl::Subprogram& subprogram, const std::vector<program::Expr>& arguments);
  void enter(const cssl::Subprogram& subprogram, const std::vector<program::Expr>& arguments, Scope& inside);
  void tell(const cssl::Statement& statement, program::Expr value = {});
  const cssl::Declared* declared(const std::string& name) const;
  [[noreturn]] void fail(cssl::Position at, const std::string& message, const std::string& help = {}) const;

  const cssl::Program& program_;
  program::Graph& graph_;
  Scope* scope_;
  Options options_;
  Formulas formulas_;
  program::Expr guard_;
  const cssl::Subprogram* inside_ = nullptr;
  int depth_ = 0;
  std::string assigned_;
};

// Whether the statements can only be carried out by a function: they jump, or loop an unknown number of times.
bool needs_function(const cssl::Program& program, const std::vector<cssl::Statement>& statements);

}  // namespace orrery::blocks::text_programs
