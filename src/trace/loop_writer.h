// SPDX-License-Identifier: Apache-2.0
// Loops of OML on signals as functions of a Program.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "oml/symbolic.h"
#include "passes/visit.h"
#include "program/expr.h"
#include "program/function.h"

namespace orrery::trace {

// Places are placeholders of the graph while the loop is written. What does not depend on them is computed outside and
// handed over as an argument.
class SignalLoop final : public oml::LoopWriter {
 public:
  explicit SignalLoop(program::Graph& graph) : graph_(graph) {}

  oml::Value place(const std::string& name, const oml::Value& start) override { return placed(name, start, true); }
  oml::Value place_inside(const std::string& name, const oml::Value& like) override {
    return placed(name, like, false);
  }
  void assign(const std::vector<std::pair<oml::Value, oml::Value>>& changes) override;
  oml::Value open_count(const oml::Value& last) override;
  void open_while(const oml::Value& condition) override;
  void open_if(const oml::Value& condition) override;
  void open_else() override { open_.back().in_else = true; }
  void close() override;
  void leave() override { emit({.kind = program::Statement::Kind::leave}); }
  void go_on() override { emit({.kind = program::Statement::Kind::go_on}); }
  void finish() override;
  oml::Value result(const oml::Value& place) override;
  bool wants_another_try() override;

 private:
  enum class Role { start, inside, counter, temporary };
  struct Place {
    std::string name;
    program::Type type;
    Role role;
    program::ExprId start;        // Role::start
    program::ExprId placeholder;  // in the graph
    std::size_t leaf = SIZE_MAX;  // Role::start, inside: its number among all leaves
    oml::Value original = {};     // Role::start: what it is when the loop never assigns it
    bool assigned = false;
    std::uint32_t local = 0;
    program::ExprId result = program::no_expr;
  };
  struct Open {
    program::Statement statement;
    bool in_else = false;
  };
  struct Change {
    std::size_t place;
    program::Expr value;
  };

  oml::Value placed(const std::string& name, const oml::Value& value, bool before);
  std::size_t add_place(std::string name, program::Type type, Role role, program::ExprId start);
  std::size_t place_of(program::ExprId id) const;
  void compare(const oml::Value& place, const oml::Value& value, std::vector<Change>& changes);
  program::Expr fitted(std::size_t place, const oml::Value& value);
  bool reads(program::ExprId root, program::ExprId placeholder) const;
  void emit(program::Statement statement);
  void emit_assign(std::size_t place, program::ExprId value);
  program::ExprId truth(const oml::Value& condition);
  std::uint32_t site(program::Site::Kind kind);
  bool depends(program::ExprId id);
  std::vector<program::ExprId> find_invariants();

  program::Graph& graph_;
  std::vector<Place> places_;
  std::map<program::ExprId, std::size_t> place_by_id_;
  std::size_t next_leaf_ = 0;
  std::map<std::size_t, program::Scalar> wider_;  // by leaf: what its place must be able to hold
  // Leaves that the loop does not seem to assign: in another try they are what they are, numbers for example.
  std::set<std::size_t> fixed_;
  bool tried_fixed_ = false;
  bool another_try_ = false;
  std::vector<program::Statement> body_;
  std::vector<Open> open_;
  passes::AnyBelow depends_;  // on a place of this loop
};

}  // namespace orrery::trace
