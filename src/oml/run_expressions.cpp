// SPDX-License-Identifier: Apache-2.0
// Evaluation of expressions.
#include <cmath>

#include "oml/class_object.h"
#include "oml/convert.h"
#include "oml/indexing.h"
#include "oml/interpreter.h"
#include "oml/operators.h"
#include "oml/scalar_code.h"
#include "oml/symbolic.h"

namespace orrery::oml {

// The value in a slot, or null when the name is no variable here.
const Value* Interpreter::variable(int slot) {
  const Value& v = frame_->slots[slot];
  if (v.kind() == Kind::box) {
    const Value& inner = v.box().value;
    return inner.is_none() ? nullptr : &inner;
  }
  if (!v.is_none()) return &v;
  if (frame_->environment != nullptr && frame_->environment->parent) {
    return frame_->environment->parent->get(frame_->scope->names[static_cast<std::size_t>(slot)]);
  }
  return nullptr;
}

// A scalar without making values, by flat code that is made when it is first needed. Only pure nodes come here, so
// giving up half-way has no effect.
bool Interpreter::fast_number(const Node* n, double& x) {
  if (n->kind == NodeKind::identifier) {
    const Value& v = frame_->slots[n->slot];
    x = v.number();
    return v.kind() == Kind::number || v.kind() == Kind::boolean;
  }
  if (!n->code) n->code = std::make_shared<const ScalarCode>(compile_scalar(*n));
  return run_scalar(*n->code, frame_->slots, x);
}

Value Interpreter::eval_binary(const Node* n) {
  const auto op = static_cast<BinaryOp>(n->op);
  double x;
  if (n->pure && fast_number(n, x)) return gives_logical(op) ? Value(x != 0) : Value(x);
  Value a = eval(n->first), b = eval(n->second);
  if (a.is_number() && b.is_number() && scalar_operation(op, a.number(), b.number(), x)) {
    return gives_logical(op) ? Value(x != 0) : Value(x);
  }
  frame_->line = n->line;
  frame_->column = n->column;
  if (a.kind() == Kind::object || b.kind() == Kind::object) return object_binary(op, a, b);
  return apply_binary(op, std::move(a), std::move(b));
}

// && and || need no more than their first operand when that decides; of signals both are evaluated.
Value Interpreter::eval_short_circuit(const Node* n) {
  const bool both = n->kind == NodeKind::and_then;
  double x;
  if (n->first->pure && fast_number(n->first, x)) {
    if ((x != 0) != both) return Value(!both);
  } else {
    const Value a = eval(n->first);
    frame_->line = n->line;
    frame_->column = n->column;
    if (a.kind() == Kind::symbolic && a.symbolic().known() == nullptr) {
      return apply_binary(both ? BinaryOp::logical_and : BinaryOp::logical_or, a, eval(n->second));
    }
    if (is_true(a) != both) return Value(!both);
  }
  if (n->second->pure && fast_number(n->second, x)) return Value(x != 0);
  const Value b = eval(n->second);
  frame_->line = n->line;
  frame_->column = n->column;
  if (b.kind() == Kind::symbolic && b.symbolic().known() == nullptr) {
    return apply_binary(BinaryOp::not_equal, b, Value(0.0));
  }
  return Value(is_true(b));
}

// a(i) := b is a copy of a with other elements; a(i) := [] one without them (Activate, 2.2.2).
Value Interpreter::eval_update(const Node* n) {
  Value target = stored(eval(n->first->first));
  Borrowed subscripts(*this);
  eval_arguments(n->first->extra->links[0].arguments, &target, subscripts.list);
  Value value = eval(n->second);
  frame_->line = n->line;
  frame_->column = n->column;
  if (value.kind() == Kind::real && value.is_empty())
    delete_elements(target, subscripts.list);
  else
    assign_index(target, subscripts.list, std::move(value));
  return target;
}

Value Interpreter::eval(const Node* n) {
  switch (n->kind) {
    case NodeKind::constant: return n->value;
    case NodeKind::identifier: {
      const Value* v = variable(n->slot);
      if (v != nullptr) return *v;
      break;
    }
    case NodeKind::colon: return Value::text(":");
    case NodeKind::end:
      if (end_.subject == nullptr) fail("end is only valid inside an index");
      return Value(end_value(*end_.subject, end_.position, end_.count));
    case NodeKind::range: return eval_range(n);
    case NodeKind::unary: {
      Value a = eval(n->first);
      if (a.is_number() && static_cast<UnaryOp>(n->op) == UnaryOp::minus) return Value(-a.number());
      frame_->line = n->line;
      frame_->column = n->column;
      if (a.kind() == Kind::object) return object_unary(static_cast<UnaryOp>(n->op), a);
      return apply_unary(static_cast<UnaryOp>(n->op), std::move(a));
    }
    case NodeKind::binary: return eval_binary(n);
    case NodeKind::and_then:
    case NodeKind::or_else: return eval_short_circuit(n);
    case NodeKind::update: return eval_update(n);
    case NodeKind::index: {
      const auto& links = n->extra->links;
      if (n->slot >= 0 && links.size() == 1 && links[0].kind == Link::Kind::paren) {
        const Value* v = variable(n->slot);
        if (v != nullptr) {
          if (v->kind() != Kind::handle) {
            double x;
            if (n->pure && v->kind() == Kind::real && fast_number(n, x)) return Value(x);
            const Value held = *v;
            return index_once(held, links[0].arguments);
          }
        } else {
          NodeExtra& extra = *n->first->extra;
          const CallSite* site = resolve(extra, extra.name);
          if (site != nullptr && site->user != nullptr && classes_.empty() && !site->user->variadic_in &&
              site->user->parent == nullptr) {
            frame_->line = n->line;
            frame_->column = n->column;
            return call_user_direct(*site->user, links[0].arguments);
          }
        }
      }
      break;
    }
    case NodeKind::matrix: return eval_matrix(n);
    case NodeKind::cell: return eval_cell(n);
    case NodeKind::anonymous: return eval_anonymous(n);
    case NodeKind::handle: return eval_handle(n);
  }
  Borrowed out(*this);
  eval_list(n, 1, out.list);
  // c{[]} names nothing.
  if (out.list.empty() && n->kind == NodeKind::index && n->extra->links.back().kind == Link::Kind::brace)
    return Value::empty();
  if (out.list.empty() || out.list[0].is_none()) {
    frame_->line = n->line;
    frame_->column = n->column;
    fail("the expression has no value");
  }
  return std::move(out.list[0]);
}

// All values of an expression: calls may give several, c{:} and s.f any number.
void Interpreter::eval_list(const Node* n, int nargout, Values& out) {
  if (n->kind == NodeKind::index) return eval_index(n, nargout, out);
  if (n->kind == NodeKind::identifier) {
    const Value* v = variable(n->slot);
    if (v != nullptr) {
      out.push_back(*v);
      return;
    }
    frame_->line = n->line;
    frame_->column = n->column;
    const CallSite* site = resolve(*n->extra, n->extra->name);
    if (site == nullptr) fail_undefined(n->extra->name);
    Borrowed args(*this);
    call_nodes_ = nullptr;
    call_site(n->extra->name, *site, args.list, nargout, out);
    return;
  }
  out.push_back(eval(n));
}

void Interpreter::eval_arguments(const std::vector<Node*>& nodes, const Value* subject, Values& out) {
  const EndContext saved = end_;
  struct Restore {
    EndContext& where;
    const EndContext& what;
    ~Restore() { where = what; }
  } restore{end_, saved};
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    const Node* n = nodes[k];
    if (subject != nullptr) end_ = {subject, static_cast<int>(k), static_cast<int>(nodes.size())};
    if (n->kind == NodeKind::colon) {
      out.push_back(subject != nullptr ? Value::colon() : Value::text(":"));
    } else if (n->kind == NodeKind::index || n->kind == NodeKind::identifier) {
      const std::size_t before = out.size();
      eval_list(n, 1, out);
      // A list such as c{:} may be empty; a call must give a value.
      if (out.size() > before && out.back().is_none()) fail("an argument has no value");
    } else {
      out.push_back(eval(n));
    }
  }
}

Value Interpreter::index_once(const Value& v, const std::vector<Node*>& arguments) {
  Borrowed args(*this);
  eval_arguments(arguments, &v, args.list);
  return index_value(v, args.list);
}

void Interpreter::eval_index(const Node* n, int nargout, Values& out) {
  const auto& links = n->extra->links;
  if (n->slot >= 0) {
    const Value* v = variable(n->slot);
    if (v != nullptr) return eval_links(*v, links, 0, nargout, out);
    NodeExtra& extra = *n->first->extra;
    const CallSite* site = resolve(extra, extra.name);
    frame_->line = n->line;
    frame_->column = n->column;
    if (site == nullptr && classes_.empty()) fail_undefined(extra.name);
    if (site != nullptr && site->definition && links[0].kind == Link::Kind::field) {
      const std::shared_ptr<const ClassDefinition> cls = site->definition;
      Values first;
      const std::size_t next = follow_class(*cls, links, nargout, first);
      if (next == links.size() || first.empty()) {
        for (Value& each : first) out.push_back(std::move(each));
        return;
      }
      return eval_links(std::move(first[0]), links, next, nargout, out);
    }
    Borrowed args(*this);
    const bool with_arguments = links[0].kind == Link::Kind::paren;
    if (with_arguments) eval_arguments(links[0].arguments, nullptr, args.list);
    if (site != nullptr) site = resolve(extra, extra.name);  // the arguments may have defined it anew
    frame_->line = n->line;
    frame_->column = n->column;
    const std::size_t next = with_arguments ? 1 : 0;
    if (site == nullptr) {
      Values first;
      if (!dispatch_method(extra.name, args.list, next == links.size() ? nargout : 1, first))
        fail_undefined(extra.name);
      if (next == links.size() || first.empty()) {
        for (Value& each : first) out.push_back(std::move(each));
        return;
      }
      return eval_links(std::move(first[0]), links, next, nargout, out);
    }
    call_nodes_ = with_arguments ? &links[0].arguments : nullptr;
    if (next == links.size()) return call_site(extra.name, *site, args.list, nargout, out);
    Borrowed first(*this);
    call_site(extra.name, *site, args.list, 1, first.list);
    if (first.list.empty() || first.list[0].is_none()) fail("the call of " + extra.name + " gives no value");
    return eval_links(std::move(first.list[0]), links, next, nargout, out);
  }
  eval_links(eval(n->first), links, 0, nargout, out);
}

std::string Interpreter::field_name(const Link& link) {
  if (link.kind == Link::Kind::field) return link.field;
  return to_string(eval(link.arguments[0]));
}

void Interpreter::follow_field(const Value& current, const std::string& field, bool last, Values& out) {
  if (current.kind() == Kind::environment) {
    const auto& handle = *static_cast<EnvironmentHandle*>(current.heap());
    const bool runs = handle.link && handle.link->frame != nullptr;
    const Value* v = runs ? find_variable(*handle.link->frame, field) : handle.environment->get(field);
    if (v == nullptr) fail("the environment has no variable " + field);
    out.push_back(*v);
    return;
  }
  if (!current.is_struct()) fail("a field needs a struct, got a " + current.class_name());
  const StructArray& s = current.structure_ref();
  const int k = s.find(field);
  if (k < 0) fail("the struct has no field " + field);
  const Values& column = s.columns[static_cast<std::size_t>(k)];
  if (!last && column.size() != 1) fail("a field of a struct array gives a list that cannot be indexed");
  out.insert(out.end(), column.begin(), column.end());
}

void Interpreter::eval_links(Value current, const std::vector<Link>& links, std::size_t k, int nargout, Values& out) {
  for (; k < links.size(); ++k) {
    const Link& link = links[k];
    if (current.kind() == Kind::object && (link.kind == Link::Kind::field || link.kind == Link::Kind::dynamic_field)) {
      Values list;
      const Value object = current;
      const std::size_t next = follow_object(object, links, k, nargout, list);
      if (next == links.size()) {
        for (Value& v : list) out.push_back(std::move(v));
        return;
      }
      if (list.size() != 1 || list[0].is_none()) fail("a list of values cannot be indexed further");
      current = std::move(list[0]);
      k = next - 1;
      continue;
    }
    const bool last = k + 1 == links.size();
    Borrowed results(*this);
    if (link.kind == Link::Kind::paren) {
      const bool is_call = current.kind() == Kind::handle;
      Borrowed args(*this);
      eval_arguments(link.arguments, is_call ? nullptr : &current, args.list);
      if (is_call) {
        results.list = call(current, std::move(args.list), last ? nargout : 1);
      } else {
        results.list.push_back(index_value(current, args.list));
      }
    } else if (link.kind == Link::Kind::brace) {
      Borrowed args(*this);
      eval_arguments(link.arguments, &current, args.list);
      index_cell(current, args.list, results.list);
    } else {
      follow_field(current, field_name(link), last, results.list);
    }
    if (last) {
      for (Value& v : results.list) out.push_back(std::move(v));
      return;
    }
    if (results.list.size() != 1 || results.list[0].is_none()) fail("a list of values cannot be indexed further");
    current = std::move(results.list[0]);
  }
  out.push_back(std::move(current));
}

Value Interpreter::eval_range(const Node* n) {
  Value first = eval(n->first);
  Value middle = n->second != nullptr ? eval(n->second) : Value(1.0);
  Value last = eval(n->third);
  for (Value* v : {&first, &middle, &last}) {
    if (v->kind() != Kind::symbolic) continue;
    frame_->line = n->line;
    frame_->column = n->column;
    *v = settled(*v, "the size of a range depends on it",
                 "the range depends on a signal, so its size is not known; add the signal to a fixed range: u + (1:5)");
  }
  if (first.is_empty() || middle.is_empty() || last.is_empty()) return Value::zeros(Dims(1, 0));
  const double a = to_double(first), step = to_double(middle), b = to_double(last);
  if (!std::isfinite(a) || std::isnan(b) || !std::isfinite(step) || std::isinf(b)) {
    fail("the ends of a range must be finite");
  }
  Index count = 0;
  if (step != 0 && (b - a) / step >= 0) {
    // A small tolerance, so that 0:0.1:1 has eleven elements.
    const double turns = (b - a) / step;
    const double whole = std::floor(turns * (1 + 1e-15) + 1e-10);
    if (whole >= 9e15) fail("the range is too long");
    count = static_cast<Index>(whole) + 1;
  }
  if (first.is_text() && last.is_text()) {
    std::string text;
    for (Index i = 0; i < count; ++i) text += static_cast<char>(a + static_cast<double>(i) * step);
    return Value::text(text);
  }
  Value out(new Range(a, step, count));
  if (first.is_integer_class() || last.is_integer_class()) {
    const NumClass cls = first.is_integer_class() ? first.num_class() : last.num_class();
    out = stored(out);
    out.edit_real().cls = cls;
  }
  return out;
}

Value Interpreter::eval_matrix(const Node* n) {
  const auto& rows = n->extra->rows;
  if (rows.empty()) return Value::empty();
  Borrowed glued(*this);
  for (const auto& row : rows) {
    Borrowed items(*this);
    eval_arguments(row, nullptr, items.list);
    glued.list.push_back(concatenate(items.list, 1));
  }
  return glued.list.size() == 1 ? std::move(glued.list[0]) : concatenate(glued.list, 0);
}

// { } keeps its elements; nested cells stay elements.
Value Interpreter::eval_cell(const Node* n) {
  Values rows;
  for (const auto& row : n->extra->rows) {
    Borrowed items(*this);
    eval_arguments(row, nullptr, items.list);
    for (Value& v : items.list) v = stored(v);
    if (!items.list.empty()) rows.push_back(Value::cell_row(items.list));
  }
  if (rows.empty()) return Value::cell(Dims(0, 0));
  return rows.size() == 1 ? rows[0] : concatenate(rows, 0);
}

// @f: the handle that the variable f holds, or a handle of the function f.
Value Interpreter::eval_handle(const Node* n) {
  const std::string& name = n->extra->name;
  const Value* v = find_variable(*frame_, name);
  if (v != nullptr && v->kind() == Kind::handle) return *v;
  frame_->line = n->line;
  frame_->column = n->column;
  Value handle = make_handle(name);
  if (!handle.handle().user && handle.handle().builtin == nullptr && classes_.empty() && !is_callable(name))
    fail_undefined(name);
  return handle;
}

Value Interpreter::eval_anonymous(const Node* n) {
  auto* h = new FunctionHandle();
  Value out(h);
  const Function* f = n->extra->function;
  h->user = f->unit->share(f);
  for (int here : n->extra->captures) {
    const Value* v = variable(here);
    h->captured.push_back(v == nullptr ? Value() : *v);
  }
  return out;
}

bool Interpreter::condition(const Node* n) {
  double x;
  if (n->pure && fast_number(n, x)) return x != 0;
  const Value v = eval(n);
  frame_->line = n->line;
  frame_->column = n->column;
  return is_true(v);
}

}  // namespace orrery::oml
