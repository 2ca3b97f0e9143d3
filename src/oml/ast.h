// SPDX-License-Identifier: Apache-2.0
// The tree of a parsed text. compile_scopes turns names into slots in place; after that the tree is what runs.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "oml/operators.h"
#include "oml/value.h"

namespace orrery::oml {

enum class NodeKind : std::uint8_t {
  constant,
  identifier,
  colon,
  end,
  range,
  unary,
  binary,
  and_then,
  or_else,
  index,
  matrix,
  cell,
  anonymous,
  handle,
  update,  // first(...) := second: a copy with other elements
};

struct Node;
struct ScalarCode;
struct ClassDefinition;
struct HotCode;

// One link of a chain such as a(1).b{2}.
struct Link {
  enum class Kind : std::uint8_t { paren, brace, field, dynamic_field } kind = Kind::paren;
  std::vector<Node*> arguments;  // of ( ) and { }; the one expression of .(expr)
  std::string field;             // of .name
  bool uses_end = false;         // some argument contains `end`
};

// A function as found by name, remembered at the place of the call until the function table changes. The table or the
// unit of the call own the function: owning it here would tie a unit to itself.
struct CallSite {
  const Function* user = nullptr;
  const Builtin* builtin = nullptr;
  std::shared_ptr<const ClassDefinition> definition;  // of a class: the call makes an object
  std::string script;                                 // path of a script file
  std::uint64_t epoch = 0;
};

struct NodeExtra {
  std::string name;                      // identifier, handle
  std::vector<Link> links;               // index
  std::vector<std::vector<Node*>> rows;  // matrix, cell
  Function* function = nullptr;          // anonymous
  std::vector<int> captures;             // anonymous: slots here, as captured_slots of the function
  CallSite site;
};

struct Node {
  NodeKind kind = NodeKind::constant;
  std::uint8_t op = 0;  // BinaryOp or UnaryOp
  bool pure = false;    // only scalars, variables and arithmetic: may be tried on the fast path
  bool parenthesised = false;
  int line = 0;
  int column = 0;
  int slot = -1;          // identifier, index (its base when that is an identifier)
  int height = 1;         // of the tree below, which recursion will climb
  Node* first = nullptr;  // operands; base of an index chain
  Node* second = nullptr;
  Node* third = nullptr;  // range: first : second : third
  Value value;            // constant
  NodeExtra* extra = nullptr;
  mutable std::shared_ptr<const ScalarCode> code;  // of a pure node that has run
};

enum class StatementKind : std::uint8_t {
  expression,
  assign,
  multi_assign,
  if_chain,
  while_loop,
  for_loop,
  switch_case,
  break_loop,
  continue_loop,
  return_call,
  try_catch,
  global,
  persistent,
  define,
  define_class,
};

struct Statement;
using Block = std::vector<Statement*>;

struct Branch {
  Node* condition = nullptr;  // null: else / otherwise
  Block body;
};

struct Statement {
  StatementKind kind = StatementKind::expression;
  bool print = false;
  bool is_scalar = false;  // assign: a variable gets the number of a pure expression, when its operands are scalars
  int line = 0;
  int column = 0;
  Node* target = nullptr;      // assign; for: loop variable
  Node* value = nullptr;       // right side, condition, subject
  std::vector<Node*> targets;  // multi_assign; null for ~
  Block body;
  std::vector<Branch> branches;                         // if, switch
  Block handler;                                        // catch
  int slot = -1;                                        // catch variable
  std::vector<std::pair<std::string, Node*>> declared;  // global, persistent
  std::vector<int> declared_slots;
  std::string name;                             // catch variable
  Function* function = nullptr;                 // define
  std::shared_ptr<ClassDefinition> definition;  // define_class
  mutable std::uint32_t turns = 0;              // of a loop so far, as far as they are counted
  mutable std::shared_ptr<HotCode> hot;         // the machine code of a loop
};

// Names of one frame and their slots.
struct Scope {
  std::vector<std::string> names;
  std::unordered_map<std::string, int> slot_of;
  int find(const std::string& name) const {
    const auto it = slot_of.find(name);
    return it == slot_of.end() ? -1 : it->second;
  }
  int find_or_add(const std::string& name) {
    const auto [it, added] = slot_of.try_emplace(name, static_cast<int>(names.size()));
    if (added) names.push_back(name);
    return it->second;
  }
};

struct SourceUnit;

struct Function {
  std::string name;  // empty: anonymous
  std::string file;
  std::string help;                 // the comment lines under the head
  std::vector<std::string> inputs;  // "~" for ignored
  std::vector<std::string> outputs;
  std::vector<Node*> defaults;                     // per input; null without default
  bool variadic_in = false, variadic_out = false;  // last input varargin / last output varargout
  Block body;
  Node* expression = nullptr;  // anonymous functions
  Scope scope;
  std::vector<int> input_slots, output_slots;
  std::vector<int> captured_slots;  // anonymous functions
  int varargin_slot = -1, varargout_slot = -1, nargin_slot = -1, nargout_slot = -1;
  int line = 0;
  SourceUnit* unit = nullptr;  // owns this function
  std::vector<Function*> nested;
  Function* parent = nullptr;               // of a nested function
  std::vector<std::pair<int, int>> shared;  // nested: (slot in the parent, slot here)
  mutable std::vector<Value> persistents;   // boxes, one per declared persistent
  std::vector<std::string> persistent_names;
  std::string class_name;                // methods
  mutable std::uint32_t calls = 0;       // so far, as far as they are counted
  mutable std::shared_ptr<HotCode> hot;  // its machine code
  std::string source;                    // the text from its head to its end
};

// Owns the nodes and functions of one parsed text; references to its functions keep it alive.
struct SourceUnit : std::enable_shared_from_this<SourceUnit> {
  std::string file;  // as given by the user; empty for eval text
  std::deque<Node> nodes;
  std::deque<NodeExtra> extras;
  std::deque<Statement> statements;
  std::deque<Function> functions;
  // A function file: its functions see each other before anything else.
  std::unordered_map<std::string, Function*> private_functions;

  std::shared_ptr<const Function> share(const Function* f) { return {shared_from_this(), f}; }
};

// The outcome of parsing: statements and the functions defined among them.
struct Script {
  std::shared_ptr<SourceUnit> unit;
  Block body;
  std::vector<Function*> functions;  // in textual order, without nested and anonymous ones
  std::vector<std::shared_ptr<ClassDefinition>> classes;
  bool only_functions = false;
};

}  // namespace orrery::oml
