// SPDX-License-Identifier: Apache-2.0
// Execution of statements.
#include <algorithm>

#include "oml/class_object.h"
#include "oml/convert.h"
#include "oml/indexing.h"
#include "oml/interpreter.h"
#include "oml/record_loops.h"
#include "oml/symbolic.h"

namespace orrery::oml {

Flow Interpreter::run_block(const Block& block) {
  for (const Statement* s : block) {
    if (s->is_scalar && !s->print && assign_scalar(*s)) continue;
    const Flow flow = run_statement(*s);
    if (flow != Flow::normal) return flow;
  }
  return Flow::normal;
}

// The body of a function or script: continue outside a loop does nothing.
void Interpreter::run_body(const Block& block) {
  for (const Statement* s : block) {
    if (s->is_scalar && !s->print && assign_scalar(*s)) continue;
    const Flow flow = run_statement(*s);
    if (flow == Flow::break_loop || flow == Flow::return_call) return;
  }
}

Flow Interpreter::run_statement(const Statement& s) {
  frame_->line = s.line;
  frame_->column = s.column;
  switch (s.kind) {
    case StatementKind::assign: run_assign(s); return Flow::normal;
    case StatementKind::expression: run_expression(s); return Flow::normal;
    case StatementKind::multi_assign: run_multi_assign(s); return Flow::normal;
    case StatementKind::if_chain: return run_if(s);
    case StatementKind::while_loop: return run_while(s);
    case StatementKind::for_loop: return run_for(s);
    case StatementKind::switch_case: return run_switch(s);
    case StatementKind::break_loop: return Flow::break_loop;
    case StatementKind::continue_loop: return Flow::continue_loop;
    case StatementKind::return_call: return Flow::return_call;
    case StatementKind::try_catch: return run_try(s);
    case StatementKind::global:
    case StatementKind::persistent: run_declaration(s); return Flow::normal;
    case StatementKind::define_class: define_class(s.definition); break;
    case StatementKind::define:
      if (s.function->parent == nullptr) define_function(s.function->unit->share(s.function));
      return Flow::normal;
  }
  return Flow::normal;
}

void Interpreter::run_expression(const Statement& s) {
  const Node* n = s.value;
  Borrowed out(*this);
  if (n->kind == NodeKind::identifier) {
    const Value* v = variable(n->slot);
    if (v != nullptr) {
      const Value held = *v;
      if (s.print) show(n->extra->name, held);
      return;
    }
  }
  eval_list(n, 0, out.list);
  for (Value& v : out.list) {
    if (v.is_none()) continue;
    store(s.slot, v);
    if (s.print) show("ans", v);
  }
}

Flow Interpreter::run_if(const Statement& s) {
  const bool recording = is_recording();
  for (std::size_t k = 0; k < s.branches.size(); ++k) {
    const Branch& branch = s.branches[k];
    if (recording && branch.condition != nullptr) {
      const Value v = eval(branch.condition);
      if (v.kind() == Kind::symbolic && v.symbolic().known() == nullptr) return write_if(s, k, v);
    }
    if (branch.condition == nullptr || condition(branch.condition)) return run_block(branch.body);
  }
  return Flow::normal;
}

namespace {

// Loops of more turns are written down where they work on signals.
constexpr Index longest_unrolled = 32;

}  // namespace

namespace {

// A loop that runs, for those within it that become hot.
class RunningLoop {
 public:
  RunningLoop(std::vector<const Statement*>& loops, const Statement& s) : loops_(loops) { loops_.push_back(&s); }
  ~RunningLoop() { loops_.pop_back(); }
  RunningLoop(const RunningLoop&) = delete;
  RunningLoop& operator=(const RunningLoop&) = delete;

 private:
  std::vector<const Statement*>& loops_;
};

constexpr std::uint32_t turns_until_hot = 4000;

// A turn counts by what it does: long bodies are worth compiling after fewer of them.
std::uint32_t weight_of_turn(const Statement& s) {
  return std::max<std::uint32_t>(1, static_cast<std::uint32_t>(s.body.size()) / 2);
}

}  // namespace

Flow Interpreter::run_while(const Statement& s) {
  if (record_endless(s)) return Flow::normal;
  const bool may_heat = may_be_hot();
  const std::uint32_t weight = weight_of_turn(s);
  const RunningLoop running(running_loops_, s);
  for (;;) {
    Index no_turn = 0;
    Flow hot_flow = Flow::normal;
    if (may_heat && (s.turns += weight) > turns_until_hot && run_hot(s, nullptr, no_turn, hot_flow)) {
      if (hot_flow == Flow::break_loop) return Flow::normal;
      if (hot_flow == Flow::return_call) return hot_flow;
      // Whatever comes next begins with the condition.
    }
    tick();
    frame_->line = s.line;
    double x;
    if (!(s.value->pure && fast_number(s.value, x))) {
      const Value v = eval(s.value);
      frame_->line = s.line;
      if (v.kind() == Kind::symbolic && v.symbolic().known() == nullptr) {
        if (is_recording())
          write_while_loop(s);
        else if (!try_recording(
                     s, &v.symbolic(), [&] { write_while_loop(s); }, true))
          static_cast<void>(is_true(v));  // tells that it cannot be known
        return Flow::normal;
      }
      x = is_true(v) ? 1 : 0;
    }
    if (x == 0) return Flow::normal;
    const CarriedOut inside(recording_, frame_);
    const Flow flow = run_block(s.body);
    if (flow == Flow::break_loop) return Flow::normal;
    if (flow == Flow::return_call) return flow;
  }
}

Flow Interpreter::run_for(const Statement& s) {
  if (record_open_range(s)) return Flow::normal;
  return run_for_value(s, eval(s.value));
}

namespace {

// Column k of what a loop walks over.
Value loop_column(const Value& v, Index rows, Index k) {
  if (rows == 1 && v.kind() == Kind::real && v.real().cls == NumClass::f64) return Value(v.real()[k]);
  const Value subscripts[] = {Value::colon(), Value(k + 1)};
  return index_value(v, subscripts);
}

}  // namespace

Flow Interpreter::run_for_value(const Statement& s, const Value& v) {
  const bool simple = s.target->kind == NodeKind::identifier;
  const auto turn = [&](Value item) {
    tick();
    if (simple)
      store(s.target->slot, std::move(item));
    else
      assign_to(s.target, std::move(item));
    return run_block(s.body);
  };
  if (v.kind() == Kind::range) {
    const Range& r = v.range();
    // Nothing to do in each turn: only the last value is seen, however long the range is.
    if (simple && s.body.empty()) {
      if (r.count > 0) static_cast<void>(turn(Value(r[r.count - 1])));
      return Flow::normal;
    }
    if (on_signals && is_recording() && (r.count > longest_unrolled || has_jumps(s.body))) {
      write_count_loop(s, {Value(r.base), Value(r.step), Value(static_cast<double>(r.count) - 1), 0});
      return Flow::normal;
    }
    return on_signals && !is_recording() ? run_or_record(s, r) : run_range(s, r);
  }
  const bool walks = v.is_arithmetic() || v.is_cell() || v.is_struct() || v.kind() == Kind::symbolic;
  const Dims d = v.dims();
  if (!walks || v.is_number() || (v.is_struct() && d.numel() == 1)) {
    const Flow flow = turn(v);
    return flow == Flow::return_call ? flow : Flow::normal;
  }
  if (d.numel() == 0) return Flow::normal;
  const CarriedOut inside(recording_, frame_);
  const Index columns = d.numel() / d.rows();
  for (Index k = 0; k < columns; ++k) {
    const Flow flow = turn(loop_column(v, d.rows(), k));
    if (flow == Flow::break_loop) break;
    if (flow == Flow::return_call) return flow;
  }
  return Flow::normal;
}

Flow Interpreter::run_range(const Statement& s, const Range& r, Index from) {
  const bool simple = s.target->kind == NodeKind::identifier;
  const bool is_long = on_signals && r.count > longest_unrolled && !is_recording();
  const CarriedOut inside(recording_, frame_);
  const bool may_heat = simple && may_be_hot();
  const std::uint32_t weight = weight_of_turn(s);
  const RunningLoop running(running_loops_, s);
  for (Index k = from; k < r.count; ++k) {
    if (is_long && k == 1 && record_rest(s, r, k)) return Flow::normal;
    Flow hot_flow = Flow::normal;
    if (may_heat && (s.turns += weight) > turns_until_hot && run_hot(s, &r, k, hot_flow)) {
      if (hot_flow == Flow::break_loop) break;
      if (hot_flow == Flow::return_call) return hot_flow;
      continue;
    }
    tick();
    if (simple && frame_->slots[s.target->slot].is_number())
      frame_->slots[s.target->slot].set_number(r[k]);
    else if (simple)
      store(s.target->slot, Value(r[k]));
    else
      assign_to(s.target, Value(r[k]));
    const Flow flow = run_block(s.body);
    if (flow == Flow::break_loop) break;
    if (flow == Flow::return_call) return flow;
  }
  return Flow::normal;
}

bool Interpreter::case_matches(const Value& subject, const Value& label) {
  if (label.is_cell()) {
    for (const Value& item : label.cell().data) {
      if (case_matches(subject, item)) return true;
    }
    return false;
  }
  for (const Value* v : {&subject, &label}) {
    if (v->kind() != Kind::symbolic) continue;
    const Value number = settled(*v, "a switch decides by its number",
                                 "the switch depends on a signal; write .switch u .case a, x … .otherwise z .end");
    return v == &subject ? case_matches(number, label) : case_matches(subject, number);
  }
  if (subject.is_text() != label.is_text()) return false;
  if (subject.is_text()) return to_string(subject) == to_string(label);
  if (!subject.is_arithmetic() || !label.is_arithmetic()) return false;
  if (label.is_empty() || subject.is_empty()) return label.is_empty() && subject.is_empty();
  if (label.is_scalar() && subject.is_scalar())
    return to_complex_scalar(full(subject)) == to_complex_scalar(full(label));
  return values_equal(subject, label);
}

Flow Interpreter::run_switch(const Statement& s) {
  const Value subject = eval(s.value);
  const Branch* chosen = nullptr;
  for (const Branch& branch : s.branches) {
    if (branch.condition == nullptr) {
      if (chosen == nullptr) chosen = &branch;
    } else if (case_matches(subject, eval(branch.condition))) {
      chosen = &branch;
      break;
    }
  }
  return chosen == nullptr ? Flow::normal : run_block(chosen->body);
}

Value Interpreter::error_value(const OmlError& e) {
  Value out = Value::structure();
  StructArray& s = out.edit_structure();
  s.set("message", Value::text(e.is_syntax() ? e.full_text() : "Error: " + e.message));
  s.set("identifier", Value::text(e.identifier));
  Value stack = Value::structure();
  StructArray& t = stack.edit_structure();
  t.set("file", Value::text(e.file));
  t.set("line", Value(e.line));
  t.set("column", Value(e.column));
  t.set("name", Value::text(e.function));
  t.is_caught_error = s.is_caught_error = true;
  s.set("stack", stack);
  return out;
}

Flow Interpreter::run_try(const Statement& s) {
  Frame* const frame = frame_;
  const int depth = depth_;
  const EndContext end = end_;
  try {
    return run_block(s.body);
  } catch (OmlError& e) {
    frame_ = frame;
    depth_ = depth;
    end_ = end;
    locate(e);
    last_error = e.full_text();
    if (s.slot >= 0) store(s.slot, error_value(e));
  }
  return run_block(s.handler);
}

void Interpreter::run_declaration(const Statement& s) {
  for (std::size_t k = 0; k < s.declared.size(); ++k) {
    const auto& [name, initial] = s.declared[k];
    const int slot = s.declared_slots[k];
    if (s.kind == StatementKind::global) {
      const bool is_new = globals_.find(name) == globals_.end();
      declare_global(*frame_, name);
      if (initial != nullptr && is_new) store(slot, eval(initial));
      continue;
    }
    const Function* f = frame_->function;
    if (f == nullptr) fail("persistent is only allowed in functions");
    auto& names = const_cast<Function*>(f)->persistent_names;
    std::size_t at = 0;
    while (at < names.size() && names[at] != name) ++at;
    if (at == names.size()) {
      names.push_back(name);
      auto* box = new Box();
      f->persistents.emplace_back(box);
      box->value = Value::empty();
      frame_->slots[slot] = f->persistents[at];
      if (initial != nullptr) store(slot, eval(initial));
      continue;
    }
    frame_->slots[slot] = f->persistents[at];
  }
}

}  // namespace orrery::oml
