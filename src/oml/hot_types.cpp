// SPDX-License-Identifier: Apache-2.0
// Types of variables and expressions, and the refusal of everything else.
#include "oml/hot_types.h"

#include <algorithm>
#include <cstring>
#include <iterator>

#include "oml/builtin.h"
#include "oml/scalar_code.h"

namespace orrery::oml {
namespace {

// Each gives the bits of the builtin of its name on scalars.
constexpr HotBuiltin hot_builtins[] = {
    {"abs", 1, "fabs(x)", nullptr},
    {"floor", 1, "floor(x)", nullptr},
    {"ceil", 1, "ceil(x)", nullptr},
    {"fix", 1, "trunc(x)", nullptr},
    {"round", 1, "round(x)", nullptr},
    {"sin", 1, "sin(x)", nullptr},
    {"cos", 1, "cos(x)", nullptr},
    {"tan", 1, "tan(x)", nullptr},
    {"atan", 1, "atan(x)", nullptr},
    {"exp", 1, "exp(x)", nullptr},
    {"sqrt", 1, "sqrt(x)", "x >= 0"},
    {"log", 1, "log(x)", "x > 0"},
    {"mod", 2, "hot_mod(x, y)", nullptr},
    {"rem", 2, "hot_rem(c, x, y)", nullptr},
    {"max", 2, "(y > x || (x != x && y == y) ? y : x)", nullptr},
    {"min", 2, "(y < x || (x != x && y == y) ? y : x)", nullptr},
};

struct HotConstant {
  const char* name;
  const char* text;
  unsigned type;
};
constexpr HotConstant hot_constants[] = {
    {"pi", "3.1415926535897931", number_type},
    {"true", "1.0", truth_type},
    {"false", "0.0", truth_type},
    {"Inf", "c->inf", number_type},
    {"inf", "c->inf", number_type},
    {"NaN", "c->nan", number_type},
    {"nan", "c->nan", number_type},
    {"eps", "2.220446049250313e-16", number_type},
};

constexpr std::size_t most_functions = 20;

bool is_measure(const std::string& name, std::size_t arguments) {
  return (arguments == 1 && (name == "numel" || name == "length")) || (arguments == 2 && name == "size");
}

}  // namespace

const HotBuiltin* find_hot_builtin(const std::string& name, std::size_t arguments) {
  for (const HotBuiltin& b : hot_builtins) {
    if (name == b.name && arguments == static_cast<std::size_t>(b.arguments)) return &b;
  }
  return nullptr;
}

const char* HotTypes::constant_text(const std::string& name, unsigned& type) {
  for (const HotConstant& c : hot_constants) {
    if (name != c.name) continue;
    type = c.type;
    return c.text;
  }
  throw NotCompiled();
}

const Function* HotTypes::callee(const Node& n, const HotScope& scope) {
  NodeExtra& extra = *n.first->extra;
  const CallSite* site = resolve_(extra, scope.function == nullptr);
  if (site == nullptr) throw NotCompiled();
  if (site->user != nullptr) return site->user;
  if (site->builtin == nullptr) throw NotCompiled();
  return nullptr;
}

void HotTypes::add(int slot, unsigned type, HotScope& scope) {
  unsigned& known = scope.types[static_cast<std::size_t>(slot)];
  if (is_array_type(known)) throw NotCompiled();
  changed_ = changed_ || (known | type) != known;
  known |= type;
}

void HotTypes::demand_scalar(const Node& n, HotScope& scope) {
  if (is_array_type(type_of(n, scope))) throw NotCompiled();
}

void HotTypes::visit_subscripts(const Node& n, HotScope& scope) {
  const auto& links = n.extra->links;
  if (links.size() != 1 || links[0].kind != Link::Kind::paren) throw NotCompiled();
  const auto& arguments = links[0].arguments;
  if (arguments.empty() || arguments.size() > 2) throw NotCompiled();
  for (const Node* a : arguments) {
    // A truth value as a subscript is a mask.
    const unsigned t = a->kind == NodeKind::end ? static_cast<unsigned>(number_type) : type_of(*a, scope);
    if ((t & ~(number_type | undefined_type)) != 0) throw NotCompiled();
  }
}

unsigned HotTypes::type_of_call(const Function& f, const std::vector<Node*>& arguments, HotScope& scope) {
  const bool plain = f.inputs.size() == arguments.size() && f.outputs.size() == 1 && !f.variadic_in &&
                     !f.variadic_out && f.parent == nullptr && f.nested.empty() && f.expression == nullptr &&
                     f.persistent_names.empty() && f.class_name.empty() && f.captured_slots.empty() &&
                     f.nargin_slot < 0 && f.nargout_slot < 0;
  if (!plain) throw NotCompiled();
  for (const Node* a : arguments) {
    if ((type_of(*a, scope) & ~(number_type | undefined_type)) != 0) throw NotCompiled();
  }
  if (functions_.find(&f) == functions_.end()) visit_function(f);
  return functions_[&f].result;
}

unsigned HotTypes::type_of_index(const Node& n, HotScope& scope) {
  if (n.slot < 0) throw NotCompiled();
  const auto& links = n.extra->links;
  if (links.size() != 1 || links[0].kind != Link::Kind::paren) throw NotCompiled();
  if (is_variable(n.slot, scope)) {
    const unsigned t = scope.types[static_cast<std::size_t>(n.slot)];
    if (t != reals_type && t != truths_type) throw NotCompiled();
    scope.used[static_cast<std::size_t>(n.slot)] = true;
    visit_subscripts(n, scope);
    return t == reals_type ? number_type : truth_type;
  }
  const auto& arguments = links[0].arguments;
  if (const Function* f = callee(n, scope)) return type_of_call(*f, arguments, scope);
  const std::string& name = n.first->extra->name;
  if (is_measure(name, arguments.size())) {
    const Node& a = *arguments[0];
    const unsigned t = a.kind == NodeKind::identifier ? scope.types[static_cast<std::size_t>(a.slot)] : 0u;
    const bool array = t == reals_type || t == truths_type;
    const bool dimension =
        arguments.size() == 1 || (arguments[1]->kind == NodeKind::constant &&
                                  (arguments[1]->value.number() == 1 || arguments[1]->value.number() == 2));
    if (!array || !dimension) throw NotCompiled();
    scope.used[static_cast<std::size_t>(a.slot)] = true;
    return number_type;
  }
  if (find_hot_builtin(name, arguments.size()) == nullptr) throw NotCompiled();
  for (const Node* a : arguments) {
    if ((type_of(*a, scope) & ~(number_type | undefined_type)) != 0) throw NotCompiled();
  }
  return number_type;
}

unsigned HotTypes::type_of(const Node& n, HotScope& scope) {
  switch (n.kind) {
    case NodeKind::constant:
      if (n.value.kind() == Kind::number) return number_type;
      if (n.value.kind() == Kind::boolean) return truth_type;
      break;
    case NodeKind::identifier: {
      if (n.slot < 0) break;
      const auto k = static_cast<std::size_t>(n.slot);
      if (is_variable(n.slot, scope)) {
        scope.used[k] = true;
        return scope.types[k] & ~undefined_type;
      }
      const CallSite* site = resolve_(*n.extra, scope.function == nullptr);
      unsigned type = 0;
      if (site == nullptr || site->builtin == nullptr) break;
      constant_text(n.extra->name, type);
      return type;
    }
    case NodeKind::end: return number_type;
    case NodeKind::unary: {
      const auto op = static_cast<UnaryOp>(n.op);
      if (op != UnaryOp::minus && op != UnaryOp::logical_not) break;
      demand_scalar(*n.first, scope);
      return op == UnaryOp::minus ? number_type : truth_type;
    }
    case NodeKind::binary: {
      const auto op = static_cast<BinaryOp>(n.op);
      double x = 0;
      if (!scalar_operation(op, 1, 1, x)) break;
      demand_scalar(*n.first, scope);
      demand_scalar(*n.second, scope);
      return gives_logical(op) ? truth_type : number_type;
    }
    case NodeKind::and_then:
    case NodeKind::or_else:
      demand_scalar(*n.first, scope);
      demand_scalar(*n.second, scope);
      return truth_type;
    case NodeKind::index: return type_of_index(n, scope);
    default: break;
  }
  throw NotCompiled();
}

void HotTypes::visit_assignment(const Statement& s, HotScope& scope) {
  const unsigned type = type_of(*s.value, scope);
  if (is_array_type(type)) throw NotCompiled();
  if (s.target->kind == NodeKind::identifier) return add(s.target->slot, type, scope);
  if (s.target->kind != NodeKind::index || s.target->slot < 0) throw NotCompiled();
  const auto k = static_cast<std::size_t>(s.target->slot);
  const unsigned array = scope.types[k];
  if (array != reals_type && array != truths_type) throw NotCompiled();
  if (array == truths_type && type != truth_type) throw NotCompiled();  // it would become an array of numbers
  scope.used[k] = scope.stored[k] = true;
  visit_subscripts(*s.target, scope);
}

void HotTypes::visit(const Statement& s, HotScope& scope) {
  if (s.print) throw NotCompiled();
  switch (s.kind) {
    case StatementKind::assign: return visit_assignment(s, scope);
    case StatementKind::if_chain:
      for (const Branch& b : s.branches) {
        if (b.condition != nullptr) demand_scalar(*b.condition, scope);
        visit(b.body, scope);
      }
      return;
    case StatementKind::while_loop: demand_scalar(*s.value, scope); return visit(s.body, scope);
    case StatementKind::for_loop:
      if (s.target->kind != NodeKind::identifier || s.value->kind != NodeKind::range) throw NotCompiled();
      for (const Node* n : {s.value->first, s.value->second, s.value->third}) {
        if (n != nullptr) demand_scalar(*n, scope);
      }
      add(s.target->slot, number_type, scope);
      return visit(s.body, scope);
    case StatementKind::break_loop:
    case StatementKind::continue_loop:
    case StatementKind::return_call: return;
    default: throw NotCompiled();
  }
}

void HotTypes::visit(const Block& block, HotScope& scope) {
  for (const Statement* s : block) visit(*s, scope);
}

// Which names are variables has to be known before anything is read.
void HotTypes::mark(const Block& block, HotScope& scope) {
  for (const Statement* s : block) {
    const bool names = s->kind == StatementKind::assign || s->kind == StatementKind::for_loop;
    if (names && s->target->kind == NodeKind::identifier)
      scope.assigned[static_cast<std::size_t>(s->target->slot)] = true;
    for (const Branch& b : s->branches) mark(b.body, scope);
    mark(s->body, scope);
  }
}

void HotTypes::visit_function(const Function& f) {
  if (functions_.size() >= most_functions) throw NotCompiled();
  HotScope& scope = functions_[&f];
  const std::size_t n = f.scope.names.size();
  if (scope.types.empty()) {
    scope.function = &f;
    scope.types.assign(n, undefined_type);
    scope.used.assign(n, false);
    scope.assigned.assign(n, false);
    scope.stored.assign(n, false);
    for (const int slot : f.input_slots) {
      if (slot < 0) throw NotCompiled();
      scope.types[static_cast<std::size_t>(slot)] = number_type;
    }
    for (const Node* d : f.defaults) {
      if (d != nullptr) throw NotCompiled();
    }
    mark(f.body, scope);
  }
  visit(f.body, scope);
  const unsigned result = scope.types[static_cast<std::size_t>(f.output_slots[0])] & ~undefined_type;
  changed_ = changed_ || result != scope.result;
  scope.result = result;
}

void HotTypes::infer(const Statement* loop, const Function* function) {
  if (loop != nullptr) mark({const_cast<Statement*>(loop)}, loop_);
  do {
    changed_ = false;
    if (loop != nullptr && loop->kind == StatementKind::for_loop) {
      // Its range is known by now, whatever it was made from.
      add(loop->target->slot, number_type, loop_);
      visit(loop->body, loop_);
    } else if (loop != nullptr) {
      visit(*loop, loop_);
    }
    if (function != nullptr && functions_.find(function) == functions_.end()) visit_function(*function);
    std::vector<const Function*> known;
    for (const auto& [f, scope] : functions_) known.push_back(f);
    for (const Function* f : known) visit_function(*f);
  } while (changed_);
  for (const auto& [f, scope] : functions_) {
    if (scope.result != number_type && scope.result != truth_type) throw NotCompiled();
  }
}

}  // namespace orrery::oml
