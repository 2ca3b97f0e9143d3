// SPDX-License-Identifier: Apache-2.0
// Expressions with variables replaced by what they stand for, which may read further ones.
#pragma once

#include <unordered_map>
#include <vector>

#include "program/program.h"

namespace orrery::equations {

// Unlike passes::Substitution, replacements are searched in turn; no variable may lead back to itself. Every node is
// rebuilt once, however long the chains are, as long as all replacements are set before the first apply().
class Unfolding {
 public:
  explicit Unfolding(program::Program& program) : program_(program), graph_(program.graph) {}

  // An element of a slot of doubles.
  void set(program::SlotId slot, std::int64_t element, program::ExprId value);
  program::ExprId apply(program::ExprId expression);  // no_expr stays no_expr
  bool empty() const { return values_.empty(); }
  bool replaces(program::SlotId slot, std::int64_t element) const;

 private:
  using Elements = std::unordered_map<std::int64_t, program::ExprId>;
  const Elements* replaced(program::ExprId id) const;  // id: a read
  bool rebuild_read(program::ExprId id, const Elements& elements);
  bool rebuild(program::ExprId id);
  bool wait_for(program::ExprId id);
  program::ExprId known(program::ExprId id) const {
    const auto found = memo_.find(id);
    return found == memo_.end() ? program::no_expr : found->second;
  }

  program::Program& program_;
  program::Graph& graph_;
  std::unordered_map<program::SlotId, Elements> values_;
  std::unordered_map<program::ExprId, program::ExprId> memo_;
  std::vector<program::ExprId> stack_, arguments_;
};

}  // namespace orrery::equations
