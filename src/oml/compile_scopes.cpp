// SPDX-License-Identifier: Apache-2.0
// Resolution of names to slots and marking of subtrees that the scalar fast path may try.
#include "oml/compile.h"

#include <algorithm>

#include "oml/error.h"
#include "oml/scalar_code.h"

namespace orrery::oml {
namespace {

bool is_fast_operator(BinaryOp op) { return op != BinaryOp::left_divide && op != BinaryOp::matrix_left_divide; }

bool contains_end(const Node* n) {
  if (n == nullptr) return false;
  if (n->kind == NodeKind::end) return true;
  if (contains_end(n->first) || contains_end(n->second) || contains_end(n->third)) return true;
  if (n->extra == nullptr || n->kind == NodeKind::anonymous) return false;
  for (const auto& row : n->extra->rows)
    for (const Node* item : row)
      if (contains_end(item)) return true;
  for (const Link& link : n->extra->links)
    if (link.uses_end) return true;
  return false;
}

void compile_links(Node* n, Scope& scope) {
  for (Link& link : n->extra->links) {
    for (Node* argument : link.arguments) {
      compile_expression(argument, scope);
      link.uses_end = link.uses_end || contains_end(argument);
    }
  }
}

void mark_pure(Node* n) {
  switch (n->kind) {
    case NodeKind::constant: n->pure = n->value.is_number(); break;
    case NodeKind::identifier: n->pure = true; break;
    case NodeKind::unary: {
      const auto op = static_cast<UnaryOp>(n->op);
      n->pure = n->first->pure && (op == UnaryOp::minus || op == UnaryOp::logical_not);
      break;
    }
    case NodeKind::binary:
      n->pure = n->first->pure && n->second->pure && is_fast_operator(static_cast<BinaryOp>(n->op));
      break;
    case NodeKind::and_then:
    case NodeKind::or_else: n->pure = n->first->pure && n->second->pure; break;
    case NodeKind::index: {
      const auto& links = n->extra->links;
      if (n->slot < 0 || links.size() != 1 || links[0].kind != Link::Kind::paren) break;
      const auto& arguments = links[0].arguments;
      n->pure = (arguments.size() == 1 || arguments.size() == 2) &&
                std::all_of(arguments.begin(), arguments.end(), [](const Node* a) { return a->pure; });
      break;
    }
    default: break;
  }
}

// The body of @(...) gets its own slots; every other name is captured from here when it has a value.
void compile_anonymous(Node* n, Scope& scope) {
  Function& f = *n->extra->function;
  for (const std::string& input : f.inputs) f.input_slots.push_back(input == "~" ? -1 : f.scope.find_or_add(input));
  if (f.variadic_in) f.varargin_slot = f.scope.find_or_add("varargin");
  const std::size_t own = f.scope.names.size();
  compile_expression(f.expression, f.scope);
  for (std::size_t k = own; k < f.scope.names.size(); ++k) {
    const std::string& name = f.scope.names[k];
    if (name == "nargin")
      f.nargin_slot = static_cast<int>(k);
    else {
      n->extra->captures.push_back(scope.find_or_add(name));
      f.captured_slots.push_back(static_cast<int>(k));
    }
  }
}

}  // namespace

void compile_expression(Node* n, Scope& scope) {
  if (n == nullptr) return;
  switch (n->kind) {
    case NodeKind::identifier: n->slot = scope.find_or_add(n->extra->name); break;
    case NodeKind::range:
      compile_expression(n->second, scope);
      compile_expression(n->third, scope);
      compile_expression(n->first, scope);
      break;
    case NodeKind::unary: compile_expression(n->first, scope); break;
    case NodeKind::binary:
    case NodeKind::and_then:
    case NodeKind::or_else:
    case NodeKind::update:
      compile_expression(n->first, scope);
      compile_expression(n->second, scope);
      break;
    case NodeKind::index:
      compile_expression(n->first, scope);
      if (n->first->kind == NodeKind::identifier) n->slot = n->first->slot;
      compile_links(n, scope);
      break;
    case NodeKind::matrix:
    case NodeKind::cell:
      for (auto& row : n->extra->rows)
        for (Node* item : row) compile_expression(item, scope);
      break;
    case NodeKind::anonymous: compile_anonymous(n, scope); break;
    default: break;
  }
  mark_pure(n);
}

namespace {

// Arithmetic on scalars gives a number; comparisons give a truth value, and names may hold one.
bool gives_number(const Node& n) {
  return n.pure && n.kind == NodeKind::binary && !gives_logical(static_cast<BinaryOp>(n.op));
}

void compile_statement(Statement* s, Scope& scope) {
  compile_expression(s->value, scope);
  compile_expression(s->target, scope);
  s->is_scalar = s->kind == StatementKind::assign && s->target->kind == NodeKind::identifier && gives_number(*s->value);
  for (Node* t : s->targets) compile_expression(t, scope);
  for (Branch& branch : s->branches) {
    compile_expression(branch.condition, scope);
    compile_block(branch.body, scope);
  }
  if (s->kind == StatementKind::expression) s->slot = scope.find_or_add("ans");
  if (s->kind == StatementKind::try_catch && !s->name.empty()) s->slot = scope.find_or_add(s->name);
  for (auto& [name, initial] : s->declared) {
    compile_expression(initial, scope);
    s->declared_slots.push_back(scope.find_or_add(name));
  }
  compile_block(s->body, scope);
  compile_block(s->handler, scope);
}

}  // namespace

void compile_block(const Block& block, Scope& scope) {
  for (Statement* s : block) compile_statement(s, scope);
}

void compile_function(Function& f) {
  for (const std::string& input : f.inputs) f.input_slots.push_back(input == "~" ? -1 : f.scope.find_or_add(input));
  for (const std::string& output : f.outputs) f.output_slots.push_back(f.scope.find_or_add(output));
  if (f.variadic_in) f.varargin_slot = f.scope.find_or_add("varargin");
  if (f.variadic_out) f.varargout_slot = f.scope.find_or_add("varargout");
  for (Node* d : f.defaults) compile_expression(d, f.scope);
  compile_block(f.body, f.scope);
  f.nargin_slot = f.scope.find("nargin");
  f.nargout_slot = f.scope.find("nargout");
  for (Function* inner : f.nested) {
    compile_function(*inner);
    const auto is_own = [&](const std::string& name) {
      return std::count(inner->inputs.begin(), inner->inputs.end(), name) != 0 ||
             std::count(inner->outputs.begin(), inner->outputs.end(), name) != 0 || name == "nargin" ||
             name == "nargout" || name == "varargin" || name == "varargout" || name == "ans";
    };
    for (std::size_t k = 0; k < inner->scope.names.size(); ++k) {
      const std::string& name = inner->scope.names[k];
      if (is_own(name)) continue;
      inner->shared.emplace_back(f.scope.find_or_add(name), static_cast<int>(k));
    }
  }
}

void compile_functions(const Script& script) {
  for (Function* f : script.functions) compile_function(*f);
  if (!script.only_functions) return;
  for (Function* f : script.functions) script.unit->private_functions[f->name] = f;
}

}  // namespace orrery::oml
