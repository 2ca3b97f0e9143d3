// SPDX-License-Identifier: Apache-2.0
// Loops on symbolic values are written down as statements of a function instead of being carried out turn by turn.
//
// A variable that the loop assigns becomes a place. The body runs once on places; what has changed is written down
// wherever control flow forks or joins.
#include <algorithm>

#include "oml/convert.h"
#include "oml/record_loops.h"
#include "oml/symbolic.h"

namespace orrery::oml {

namespace {

bool is_unknown_value(const Value& v) { return v.kind() == Kind::symbolic && v.symbolic().known() == nullptr; }

// Some value inside that is not known; nullptr: there is none.
const SymbolicValue* find_unknown(const Value& v) {
  if (is_unknown_value(v)) return &v.symbolic();
  if (v.is_cell()) {
    for (const Value& item : v.cell().data) {
      if (const SymbolicValue* found = find_unknown(item)) return found;
    }
  } else if (v.is_struct()) {
    for (const Values& column : v.structure_ref().columns) {
      for (const Value& item : column) {
        if (const SymbolicValue* found = find_unknown(item)) return found;
      }
    }
  }
  return nullptr;
}

void add_target(const Node* target, std::vector<int>& slots) {
  if (target != nullptr && target->slot >= 0) slots.push_back(target->slot);
}

// False: there are statements that cannot be written down.
bool find_targets(const Block& block, std::vector<int>& slots) {
  for (const Statement* s : block) {
    switch (s->kind) {
      case StatementKind::try_catch:
      case StatementKind::global:
      case StatementKind::persistent:
      case StatementKind::define:
      case StatementKind::define_class: return false;
      case StatementKind::expression:
        if (s->slot >= 0 && s->value->kind != NodeKind::identifier) slots.push_back(s->slot);
        break;
      default: break;
    }
    if (s->kind == StatementKind::assign || s->kind == StatementKind::for_loop) add_target(s->target, slots);
    for (const Node* target : s->targets) add_target(target, slots);
    if (!find_targets(s->body, slots)) return false;
    for (const Branch& branch : s->branches) {
      if (!find_targets(branch.body, slots)) return false;
    }
  }
  return true;
}

bool leaves(const Block& block) {
  return std::any_of(block.begin(), block.end(), [](const Statement* s) {
    if (s->kind == StatementKind::break_loop) return true;
    return std::any_of(s->branches.begin(), s->branches.end(), [](const Branch& b) { return leaves(b.body); });
  });
}

}  // namespace

bool Interpreter::is_recording() const { return recording_ != nullptr && recording_->frame == frame_; }

Value Interpreter::slot_value(int slot) const {
  const Value& v = frame_->slots[slot];
  return v.kind() == Kind::box ? Value() : v;
}

// What the variables have become goes to their places, and they stand for the places again.
void Interpreter::write_changes() {
  LoopRecording& r = *recording_;
  std::vector<std::pair<Value, Value>> changes;
  for (std::size_t k = 0; k < r.slots.size(); ++k) {
    Value now = slot_value(r.slots[k]);
    if (now.is_none()) continue;
    if (r.places[k].is_none()) r.places[k] = r.writer->place_inside(frame_->scope->names[r.slots[k]], now);
    changes.emplace_back(r.places[k], std::move(now));
  }
  r.writer->assign(changes);
  return_to_places();
}

void Interpreter::return_to_places() {
  LoopRecording& r = *recording_;
  for (std::size_t k = 0; k < r.slots.size(); ++k) frame_->slots[r.slots[k]] = r.places[k];
}

// A jump at the end of statements that were written down.
void Interpreter::write_jump(Flow flow) {
  if (flow == Flow::normal) return;
  if (flow == Flow::return_call) fail("a return inside a loop depends on a signal; leave the loop with break instead");
  if (recording_->carried_out > 0) {
    fail("a break or continue depends on a signal, but its loop is carried out turn by turn");
  }
  if (flow == Flow::break_loop)
    recording_->writer->leave();
  else
    recording_->writer->go_on();
}

// The body of a loop whose head is written down.
void Interpreter::write_body(const Statement& s) {
  const int outer = std::exchange(recording_->carried_out, 0);
  const Flow flow = run_block(s.body);
  write_changes();
  write_jump(flow == Flow::continue_loop ? Flow::normal : flow);
  recording_->carried_out = outer;
  recording_->writer->close();
}

void Interpreter::write_count_loop(const Statement& s, const CountedRange& range) {
  write_changes();
  frame_->line = s.line;
  const Value k = recording_->writer->open_count(range.last);
  const Value turn = range.from == 0 ? k : apply_binary(BinaryOp::add, k, Value(range.from));
  Value item = apply_binary(BinaryOp::add, range.base, apply_binary(BinaryOp::times, turn, range.step));
  if (s.target->kind == NodeKind::identifier)
    store(s.target->slot, std::move(item));
  else
    assign_to(s.target, std::move(item));
  write_body(s);
}

void Interpreter::write_while_loop(const Statement& s) {
  write_changes();
  frame_->line = s.line;
  recording_->writer->open_while(eval(s.value));
  write_body(s);
}

// Branch `first` of a chain has a condition that is not known.
Flow Interpreter::write_if(const Statement& s, std::size_t first, const Value& unknown) {
  Value condition = unknown;
  std::size_t opened = 0;
  bool jumps = true;  // whatever is taken
  bool complete = false;
  for (std::size_t k = first; k < s.branches.size() && !complete; ++k) {
    const Branch& branch = s.branches[k];
    if (k > first && branch.condition != nullptr) condition = eval(branch.condition);
    const bool otherwise = branch.condition == nullptr || (!is_unknown_value(condition) && is_true(condition));
    if (!otherwise && !is_unknown_value(condition)) continue;
    if (!otherwise) {
      if (opened == 0) write_changes();
      // The values that the condition was made of are in their places now.
      condition = eval(branch.condition);
      frame_->line = s.line;
      recording_->writer->open_if(condition);
      ++opened;
    }
    const Flow flow = run_block(branch.body);
    write_changes();
    write_jump(flow);
    jumps = jumps && flow != Flow::normal;
    complete = otherwise;
    if (!otherwise) recording_->writer->open_else();
  }
  jumps = jumps && complete;
  for (; opened > 0; --opened) recording_->writer->close();
  return_to_places();
  return jumps ? Flow::continue_loop : Flow::normal;
}

// Runs `work`, which writes a loop down, and gives the variables what the function returns.
void Interpreter::record(const Statement& s, LoopWriter& writer, const std::function<void()>& work) {
  LoopRecording recording{frame_, &writer, {}, {}, 0};
  if (!find_targets(s.body, recording.slots))
    fail("try, global, persistent and definitions cannot stand in such a loop");
  add_target(s.target, recording.slots);
  std::sort(recording.slots.begin(), recording.slots.end());
  recording.slots.erase(std::unique(recording.slots.begin(), recording.slots.end()), recording.slots.end());
  for (const int slot : recording.slots) {
    if (frame_->slots[slot].kind() == Kind::box) fail("a variable that functions share changes in the loop");
    const Value start = frame_->slots[slot];
    recording.places.push_back(start.is_none() ? Value() : writer.place(frame_->scope->names[slot], start));
    frame_->slots[slot] = recording.places.back();
  }
  LoopRecording* const outer = std::exchange(recording_, &recording);
  try {
    work();
    writer.finish();
  } catch (...) {
    recording_ = outer;
    throw;
  }
  recording_ = outer;
  for (std::size_t k = 0; k < recording.slots.size(); ++k) {
    const Value& place = recording.places[k];
    frame_->slots[recording.slots[k]] = place.is_none() ? Value() : writer.result(place);
  }
}

// Writes a loop down; false when that is not possible and nothing has happened.
bool Interpreter::try_recording(const Statement& s, const SymbolicValue* unknown, const std::function<void()>& work,
                                bool must) {
  auto writer = unknown == nullptr ? nullptr : unknown->write_loop(*this);
  if (writer == nullptr) return false;
  std::vector<int> slots;
  if (!find_targets(s.body, slots) && !must) return false;
  add_target(s.target, slots);
  Values before;
  for (const int slot : slots) before.push_back(frame_->slots[slot]);
  Frame* const frame = frame_;
  const int depth = depth_;
  const EndContext end = end_;
  LoopRecording* const outer = recording_;
  for (int attempt = 0;; ++attempt) {
    try {
      record(s, *writer, work);
      return true;
    } catch (OmlError&) {
      const bool again = writer->wants_another_try() && attempt < 8;
      if (must && !again) throw;
      frame_ = frame;
      depth_ = depth;
      end_ = end;
      recording_ = outer;
      for (std::size_t k = 0; k < slots.size(); ++k) frame_->slots[slots[k]] = before[k];
      if (!again) return false;
    }
  }
}

// Some value among those that the loop assigns, or of the whole frame, that is not known.
const SymbolicValue* Interpreter::unknown_in_loop(const Statement& s) const {
  std::vector<int> slots;
  if (!find_targets(s.body, slots)) return nullptr;
  for (const int slot : slots) {
    if (const SymbolicValue* found = find_unknown(slot_value(slot))) return found;
  }
  return nullptr;
}

// `while true` with a break inside, where some variable is a signal.
bool Interpreter::record_endless(const Statement& s) {
  if (s.value->kind != NodeKind::constant || !leaves(s.body)) return false;
  const SymbolicValue* unknown = nullptr;
  for (std::size_t k = 0; k < frame_->scope->names.size() && unknown == nullptr; ++k) {
    unknown = find_unknown(slot_value(static_cast<int>(k)));
  }
  if (unknown == nullptr) return false;
  if (!is_recording())
    return try_recording(
        s, unknown, [&] { write_while_loop(s); }, false);
  write_while_loop(s);
  return true;
}

// A range whose ends are not known; false: it is an ordinary one.
bool Interpreter::record_open_range(const Statement& s) {
  const Node* n = s.value;
  if (n->kind != NodeKind::range) return false;
  const Node* parts[] = {n->first, n->second, n->third};
  double x;
  const auto is_plain = [&](const Node* part) { return part == nullptr || (part->pure && fast_number(part, x)); };
  if (std::all_of(std::begin(parts), std::end(parts), is_plain)) return false;
  const Value first = eval(n->first), step = n->second != nullptr ? eval(n->second) : Value(1.0), last = eval(n->third);
  const SymbolicValue* unknown = nullptr;
  for (const Value* v : {&first, &step, &last}) {
    if (unknown == nullptr) unknown = find_unknown(*v);
  }
  if (unknown == nullptr) return false;
  frame_->line = n->line;
  // As eval_range counts.
  const Value span = apply_binary(BinaryOp::divide, apply_binary(BinaryOp::subtract, last, first), step);
  const Value turns = apply_binary(BinaryOp::add, apply_binary(BinaryOp::times, span, Value(1 + 1e-15)), Value(1e-10));
  const CountedRange range{first, step, turns, 0};
  const auto work = [&] { write_count_loop(s, range); };
  if (is_recording())
    work();
  else
    try_recording(s, unknown, work, true);
  return true;
}

// The turns of a long loop after its first, where that has made something symbolic.
bool Interpreter::record_rest(const Statement& s, const Range& r, Index from) {
  const SymbolicValue* unknown = unknown_in_loop(s);
  if (unknown == nullptr) return false;
  const double last = static_cast<double>(r.count - from) - 1;
  const CountedRange range{Value(r.base), Value(r.step), Value(last), from};
  const auto work = [&] { write_count_loop(s, range); };
  return try_recording(s, unknown, work, false);
}

}  // namespace orrery::oml
