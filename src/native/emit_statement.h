// SPDX-License-Identifier: Apache-2.0
// Statements that compute one named value: assignments, loops over matrices, calls of kernels and foreign functions.
#pragma once

#include <functional>
#include <string>

#include "native/emit_expression.h"

namespace orrery::native {

class StatementPrinter {
 public:
  StatementPrinter(const program::Program& program, const Plan& plan, ExpressionPrinter& expressions,
                   Prologue& prologue, bool indents)
      : program_(program),
        graph_(program.graph),
        plan_(plan),
        expressions_(expressions),
        prologue_(prologue),
        indents_(indents) {}

  // Statements since begin().
  void begin();
  std::string take() { return std::move(out_); }
  void line(const std::string& text);
  // One line: what is appended to the text between these two.
  std::string& begin_line();
  void end_line();
  void indent(int by) { indentation_ += by; }
  std::size_t lines() const { return lines_; }
  std::size_t loops() const { return loops_; }

  // Computes a node that has a name or a place.
  void define(program::ExprId id);
  void stack_part(program::ExprId id, std::uint32_t from, std::uint32_t to);
  // A variable declared before the statements that set it.
  void declare(program::ExprId id);
  // Sets the variable or array of `id` to another expression (scalars fill arrays).
  void assign(program::ExprId id, program::ExprId value);
  void copy(const Reference& target, const program::Type& type, program::ExprId value);
  // Writes the new elements of an update where the others are already.
  void update_in_place(program::ExprId id, const Reference& target);
  // Declared at the top of its function, because late stores outside its scope use it.
  bool is_hoisted(const PlannedNode& n) const { return n.held && n.scope != 0 && !n.crosses; }

 private:
  std::string variable(program::ExprId id, bool declares) const;
  void for_each(std::int64_t count, const std::function<std::string(Subscript)>& statement);
  void define_array(program::ExprId id);
  void define_complex(program::ExprId id);
  void reduce(program::ExprId id);
  void transpose(program::ExprId id);
  void matrix(program::ExprId id);
  void update(program::ExprId id);
  void concat(program::ExprId id);
  void call_function(program::ExprId id);
  void call_foreign(program::ExprId id);
  std::string scratch(std::int64_t offset) const { return "w + " + std::to_string(plan_.scratch + offset); }

  const program::Program& program_;
  const program::Graph& graph_;
  const Plan& plan_;
  ExpressionPrinter& expressions_;
  Prologue& prologue_;
  std::string out_;
  bool indents_;
  int indentation_ = 0;
  std::size_t lines_ = 0;
  std::size_t loops_ = 0;
};

}  // namespace orrery::native
