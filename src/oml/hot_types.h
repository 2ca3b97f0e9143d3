// SPDX-License-Identifier: Apache-2.0
// What the variables of a hot loop or function may hold: sets of types, found by going over the text until nothing is
// added any more.
#pragma once

#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "oml/hot_text.h"

namespace orrery::oml {

// Thrown within the writers only: there is something that is not compiled.
struct NotCompiled {};

enum HotType : unsigned {
  undefined_type = 1,
  number_type = 2,
  truth_type = 4,
  reals_type = 8,
  truths_type = 16,
  other_type = 32,  // what is not compiled
};

// Not a scalar.
inline bool is_array_type(unsigned type) { return (type & (reals_type | truths_type | other_type)) != 0; }

// One frame: the loop's, or that of a function.
struct HotScope {
  const Function* function = nullptr;        // null: the loop's
  std::vector<unsigned> types;               // of each slot
  std::vector<bool> used, assigned, stored;  // stored: elements are written
  unsigned result = 0;                       // of a function: the types it returns

  // Needs a tag beside its number.
  bool is_tagged(int slot) const {
    const unsigned t = types[static_cast<std::size_t>(slot)];
    return t != number_type && t != truth_type;
  }
};

// A builtin on numbers as C.
struct HotBuiltin {
  const char* name;
  int arguments;
  const char* text;   // of the arguments x and y
  const char* guard;  // what must hold for a real result; null: nothing
};
const HotBuiltin* find_hot_builtin(const std::string& name, std::size_t arguments);

class HotTypes {
 public:
  HotTypes(HotScope loop, const ResolveCall& resolve) : resolve_(resolve), loop_(std::move(loop)) {}

  // Until nothing changes. The body of a loop, or nothing and a function.
  void infer(const Statement* loop, const Function* function);

  HotScope& loop() { return loop_; }
  // By address: functions call each other.
  std::map<const Function*, HotScope>& functions() { return functions_; }
  unsigned type_of(const Node& n, HotScope& scope);
  // What a name without arguments is, when it is no variable: "pi" as text; type tells which.
  static const char* constant_text(const std::string& name, unsigned& type);
  // The function that is called at an index node whose base is no variable; null: a builtin.
  const Function* callee(const Node& n, const HotScope& scope);
  static bool is_variable(int slot, const HotScope& scope) {
    const auto k = static_cast<std::size_t>(slot);
    return scope.assigned[k] || (scope.types[k] & ~undefined_type) != 0;
  }

 private:
  void visit(const Block& block, HotScope& scope);
  void visit(const Statement& s, HotScope& scope);
  void visit_assignment(const Statement& s, HotScope& scope);
  void add(int slot, unsigned type, HotScope& scope);
  void visit_subscripts(const Node& n, HotScope& scope);
  unsigned type_of_index(const Node& n, HotScope& scope);
  unsigned type_of_call(const Function& f, const std::vector<Node*>& arguments, HotScope& scope);
  void demand_scalar(const Node& n, HotScope& scope);
  void visit_function(const Function& f);
  void mark(const Block& block, HotScope& scope);

  const ResolveCall& resolve_;
  HotScope loop_;
  std::map<const Function*, HotScope> functions_;
  bool changed_ = false;
};

}  // namespace orrery::oml
