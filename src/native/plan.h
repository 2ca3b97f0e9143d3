// SPDX-License-Identifier: Apache-2.0
// How one procedure becomes C: which expressions get a name, under which conditions they are computed, and how the
// statements are divided into functions.
//
// Scopes form a tree: the procedure, guards of stores, and the arms of expensive selects. An expression belongs to the
// innermost scope that contains all its uses, so what only a guarded store needs is computed only when the guard holds.
// Stores to slots that the procedure also reads wait until their readers have been computed ("late" stores).
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "program/procedure.h"

namespace orrery::native {

class Frames;
struct FunctionFrame;

using ScopeId = std::uint32_t;
using FunctionId = std::uint32_t;
using Index = std::uint32_t;  // of a node within its plan
constexpr std::uint32_t none = UINT32_MAX;

enum class Form : std::uint8_t {
  unused,
  leaf,      // its text stands wherever it is used
  inlined,   // part of the one expression that uses it
  variable,  // a local variable, or a number of the workspace when several functions use it
  array,     // elements in the workspace
  target,    // an array computed right where its only store wants it
};

struct PlannedNode {
  program::ExprId id = 0;
  Form form = Form::unused;
  bool is_if = false;     // a select printed as if and else
  bool pointer = false;   // some use needs its elements in memory
  bool named = false;     // some use repeats its text
  bool held = false;      // a late store or its guard needs it
  bool unstable = false;  // a read of a slot that the procedure stores to
  bool crosses = false;   // used by other functions than the one that computes it
  bool needed = false;    // where it is computed, something surely needs it; else its trouble is kept quiet
  std::uint32_t uses = 0;
  std::uint32_t size = 0;      // operations in its text when inlined
  std::uint32_t store = none;  // the last store that has it as its value
  Index leader = none;         // call, foreign: the node that makes the call for all its results
  ScopeId arms = none;         // selects with arms of their own: scope if true; the next one is the other
  ScopeId scope = none;
  FunctionId function = none;
  std::uint32_t storage = 0;  // workspace: first double
  std::uint32_t base = 0;     // call, foreign: first double of all results of the call
  std::uint32_t name = 0;     // variable: its number
};

struct Item {
  enum class Kind : std::uint8_t { node, stack_part, store, late_stores, guard, arm_value };
  Kind kind;
  std::uint32_t index;             // node; store; first late store; scope (guard, arm_value)
  std::uint32_t from = 0, to = 0;  // stack_part: elements; late_stores: positions in Plan::late
  std::uint64_t weight = 1;        // about how many statements
  FunctionId function = 0;
};

struct Scope {
  ScopeId parent = none;
  std::uint32_t depth = 0;
  Index condition = none;  // guards
  Index select = none;     // arms: the select, and which arm
  int arm = 0;
  std::uint64_t cost = 0;
  std::vector<Item> items{};
  std::vector<ScopeId> guards{};  // children that are guards
};

// functions[0] is the procedure itself; the others hold items first..last-1 of a scope.
struct PlannedFunction {
  ScopeId scope = 0;
  std::size_t first = 0;
  std::size_t last = 0;
};

struct Plan {
  const program::Procedure* procedure = nullptr;
  std::vector<PlannedNode> nodes;  // ascending ids
  std::vector<Scope> scopes;
  std::vector<ScopeId> store_scope;  // by store; none: never happens
  std::vector<std::uint32_t> late;   // stores that wait, in order
  std::vector<bool> is_late;         // by store
  std::vector<bool> is_ordered;      // by store: a number, or new elements of its slot; it waits for the readers of
                                     // its slot only, see order_stores.h
  std::vector<PlannedFunction> functions;
  std::uint32_t workspace = 0;  // doubles
  std::uint32_t scratch = 0;    // first double of the region matrix kernels and functions work in
};

// Makes plans for procedures of one program, one at a time: `index_of` is valid for the plan made last.
class Planner {
 public:
  explicit Planner(const program::Program& program);
  // For the statements of a function, which is seen as a program.
  Planner(const program::Program& program, const Frames* frames, const FunctionFrame* inside);

  Plan plan(const program::Procedure& procedure);
  Index index_of(program::ExprId id) const { return index_of_[id]; }
  const Frames& frames() const { return *frames_; }
  const FunctionFrame* inside() const { return inside_; }  // nullptr: procedures of the program itself

 private:
  const program::Program& program_;
  std::shared_ptr<const Frames> own_frames_;
  const Frames* frames_ = nullptr;
  const FunctionFrame* inside_ = nullptr;
  std::vector<Index> index_of_;
  std::vector<program::ExprId> marked_;
};

// Complex numbers, scalars too, are handled as arrays of doubles.
inline bool is_array(const program::Type& type) { return !type.is_scalar() || type.scalar == program::Scalar::c128; }
// Results of one call belong together.
inline bool is_call(program::Op op) { return op == program::Op::call || op == program::Op::foreign; }
// Calls into libm.
bool is_function(program::Op op);
// matmul … expm: computed by kernels that take addresses.
bool is_whole_matrix(program::Op op);
// Element by element, with a real or boolean result: can be part of a fused loop.
bool is_fusable(const program::Node& node);
// Doubles that an array of this type takes in the workspace.
std::uint32_t workspace_doubles(const program::Type& type);

constexpr std::uint32_t stack_limit = 8192;  // doubles of workspace that may be on the stack: 64 KiB

}  // namespace orrery::native
