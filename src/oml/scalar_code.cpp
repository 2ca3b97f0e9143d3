// SPDX-License-Identifier: Apache-2.0
// Translation of pure expressions to flat code, and its interpreter.
#include "oml/scalar_code.h"

#include <algorithm>

#include "oml/ast.h"

namespace orrery::oml {
namespace {

using Action = ScalarStep::Action;
using Operand = ScalarStep::Operand;

bool is_leaf(const Node& n) { return n.kind == NodeKind::constant || n.kind == NodeKind::identifier; }

bool commutes(BinaryOp op) { return op == BinaryOp::add || op == BinaryOp::times || op == BinaryOp::matrix_times; }

// The value of a node goes to the accumulator; `live` says that the accumulator holds something still needed.
class Translator {
 public:
  ScalarCode finished(const Node& n) {
    add(n, false);
    if (highest_ > ScalarCode::stack_size) code_.steps.clear();
    return std::move(code_);
  }

 private:
  void add_leaf(ScalarStep step, const Node& n) {
    if (n.kind == NodeKind::constant) {
      step.operand = Operand::constant;
      step.constant = n.value.number();
    } else {
      step.operand = Operand::slot;
      step.slot = n.slot;
    }
    code_.steps.push_back(step);
  }

  void add_action(Action action, std::int32_t slot = 0) {
    ScalarStep step;
    step.action = action;
    step.slot = slot;
    code_.steps.push_back(step);
  }

  void add_binary(const Node& n, bool live) {
    ScalarStep step;
    step.op = static_cast<BinaryOp>(n.op);
    if (is_leaf(*n.second)) {
      add(*n.first, live);
      add_leaf(step, *n.second);
    } else if (commutes(step.op) && is_leaf(*n.first)) {
      add(*n.second, live);
      add_leaf(step, *n.first);
    } else {
      add(*n.first, live);
      add(*n.second, true);
      step.operand = Operand::stack;
      code_.steps.push_back(step);
      --height_;
    }
  }

  void add_choice(const Node& n, bool live) {
    add(*n.first, live);
    const std::size_t jump = code_.steps.size();
    add_action(n.kind == NodeKind::and_then ? Action::leave_if_zero : Action::leave_if_true);
    add(*n.second, false);
    add_action(Action::truth);
    code_.steps[jump].slot = static_cast<std::int32_t>(code_.steps.size());
  }

  void add(const Node& n, bool live) {
    switch (n.kind) {
      case NodeKind::binary: return add_binary(n, live);
      case NodeKind::unary:
        add(*n.first, live);
        return add_action(static_cast<UnaryOp>(n.op) == UnaryOp::minus ? Action::negate : Action::invert);
      case NodeKind::and_then:
      case NodeKind::or_else: return add_choice(n, live);
      case NodeKind::index: {
        const auto& arguments = n.extra->links[0].arguments;
        add(*arguments[0], live);
        if (arguments.size() == 1) return add_action(Action::element, n.slot);
        add(*arguments[1], true);
        --height_;
        return add_action(Action::element_2d, n.slot);
      }
      default: {
        ScalarStep step;
        step.action = Action::load;
        step.push = live;
        if (live) highest_ = std::max(highest_, ++height_);
        add_leaf(step, n);
      }
    }
  }

  ScalarCode code_;
  int height_ = 0, highest_ = 0;
};

// Element of a full array of doubles or truth values; column 0: `row` counts through the whole array.
bool read_element(const Value& v, double row, double column, double& x) {
  const bool real = v.kind() == Kind::real;
  if (!real && v.kind() != Kind::logical) return false;
  if (real && v.real().cls != NumClass::f64) return false;
  const Dims& d = real ? v.real().dims : v.bytes().dims;
  Index position;
  if (column == 0) {
    position = quick_position(row, real ? v.real().size() : v.bytes().size());
    if (position < 0) return false;
  } else {
    const Index r = quick_position(row, d.rows()), c = quick_position(column, d.cols());
    if (r < 0 || c < 0 || d.count() != 2) return false;
    position = r + c * d.rows();
  }
  x = real ? v.real()[position] : v.bytes()[position];
  return true;
}

}  // namespace

ScalarCode compile_scalar(const Node& n) { return Translator().finished(n); }

bool run_scalar(const ScalarCode& code, const Value* slots, double& x) {
  double stack[ScalarCode::stack_size + 1];
  int top = 0;
  double a = 0, element = 0;
  const ScalarStep* const first = code.steps.data();
  const ScalarStep* const last = first + code.steps.size();
  if (first == last) return false;
  for (const ScalarStep* s = first; s != last; ++s) {
    double b = s->constant;
    if (s->operand == Operand::slot) {
      const Value& v = slots[s->slot];
      if (v.kind() != Kind::number && v.kind() != Kind::boolean) return false;
      b = v.number();
    } else if (s->operand == Operand::stack) {
      b = a;
      a = stack[--top];
    }
    if (s->action == Action::operate) {
      if (!scalar_operation(s->op, a, b, a)) return false;
      continue;
    }
    switch (s->action) {
      case Action::load:
        if (s->push) stack[top++] = a;
        a = b;
        break;
      case Action::negate: a = -a; break;
      case Action::invert: a = a == 0; break;
      case Action::truth: a = a != 0; break;
      case Action::leave_if_zero:
        if (a == 0) s = first + s->slot - 1;
        break;
      case Action::leave_if_true:
        if (a == 0) break;
        a = 1;
        s = first + s->slot - 1;
        break;
      case Action::element:
        if (!read_element(slots[s->slot], a, 0, element)) return false;
        a = element;
        break;
      case Action::element_2d:
        // A column 0 is no element.
        if (a == 0 || !read_element(slots[s->slot], stack[--top], a, element)) return false;
        a = element;
        break;
      default: return false;
    }
  }
  x = a;
  return true;
}

}  // namespace orrery::oml
