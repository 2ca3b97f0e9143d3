// SPDX-License-Identifier: Apache-2.0
// Loops and functions that run often, as machine code: when they are compiled, how they are entered, and how the
// interpreter goes on where the code met a surprise.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "oml/convert.h"
#include "oml/hot_text.h"
#include "oml/interpreter.h"

namespace orrery::oml {

// The code of a loop or function, and the memory it works on.
struct HotCode {
  HotText text;
  std::unique_ptr<NativeCode> code;  // null: it cannot be compiled
  std::uint64_t epoch = 0;           // of the functions it was made with
  std::vector<Kind> kinds;           // of the variables it was made for
  int makings = 0, surprises = 0;
  std::vector<double> numbers;
  std::vector<unsigned char> tags;
  std::vector<HotArray> arrays;
  std::vector<HotLoopState> loops;
  HotContext context = {};
  double seconds = 0;
  bool is_running = false;
};

// Where the code has stopped.
struct HotPlace {
  const Statement* at = nullptr;
  std::vector<const Statement*> loops;
  std::vector<HotLoopState> states;
};

namespace {

constexpr int most_makings = 4;     // with other types, or other functions
constexpr int most_surprises = 16;  // then it is left to the interpreter
constexpr std::uint32_t calls_until_hot = 1000;
constexpr unsigned long turns_between_looks = 100'000;  // for a faster tier
constexpr Index longest_stored_range = 1'000'000;
const volatile char never = 0;

using Clock = std::chrono::steady_clock;

bool contains(const Block& block, const Statement* s);
bool contains(const Statement& in, const Statement* s) {
  if (&in == s || contains(in.body, s)) return true;
  return std::any_of(in.branches.begin(), in.branches.end(), [&](const Branch& b) { return contains(b.body, s); });
}
bool contains(const Block& block, const Statement* s) {
  return std::any_of(block.begin(), block.end(), [&](const Statement* in) { return contains(*in, s); });
}

void prepare(HotCode& hot, const InterpreterOptions& options) {
  const std::size_t n = hot.text.variables.size();
  hot.numbers.assign(std::max<std::size_t>(n, 16), 0);
  hot.tags.assign(std::max<std::size_t>(n, 16), 0);
  hot.arrays.assign(n, {});
  hot.loops.assign(hot.text.loops.size() + 1, {});
  hot.context = {};
  hot.context.numbers = hot.numbers.data();
  hot.context.tags = hot.tags.data();
  hot.context.arrays = hot.arrays.data();
  hot.context.loops = hot.loops.data();
  hot.context.stop = options.interrupt != nullptr ? reinterpret_cast<const volatile char*>(options.interrupt) : &never;
  hot.context.nan = std::numeric_limits<double>::quiet_NaN();
  hot.context.inf = std::numeric_limits<double>::infinity();
}

// Whether the variables are what the code was made for; scalars may be either kind, which the code is told.
bool fits(const HotCode& hot, const Value* slots) {
  for (std::size_t k = 0; k < hot.kinds.size(); ++k) {
    if (slots[hot.text.variables[k].slot].kind() != hot.kinds[k]) return false;
    const Value& v = slots[hot.text.variables[k].slot];
    if (v.kind() == Kind::real && (v.real().cls != NumClass::f64 || v.real().dims.count() != 2)) return false;
    if (v.kind() == Kind::logical && v.bytes().dims.count() != 2) return false;
  }
  return true;
}

void load(HotCode& hot, Value* slots) {
  for (std::size_t k = 0; k < hot.text.variables.size(); ++k) {
    const HotVariable& variable = hot.text.variables[k];
    Value& v = slots[variable.slot];
    if (!variable.is_array) {
      hot.tags[k] = v.kind() == Kind::number ? 1 : v.kind() == Kind::boolean ? 2 : 0;
      hot.numbers[k] = hot.tags[k] != 0 ? v.number() : 0;
      continue;
    }
    HotArray& array = hot.arrays[k];
    const Dims d = v.dims();
    array = {nullptr, nullptr, static_cast<long>(v.numel()), static_cast<long>(d.rows()), static_cast<long>(d.cols())};
    // Code that only reads shares the array with others.
    if (v.kind() == Kind::real) {
      array.reals = variable.is_written ? v.edit_real().data.data() : const_cast<double*>(v.real().data.data());
    } else {
      array.bytes = variable.is_written ? v.edit_bytes().data.data() : const_cast<std::uint8_t*>(v.bytes().data.data());
    }
  }
}

void store_back(const HotCode& hot, Value* slots) {
  for (std::size_t k = 0; k < hot.text.variables.size(); ++k) {
    const HotVariable& variable = hot.text.variables[k];
    if (variable.is_array || !variable.is_written || hot.tags[k] == 0) continue;
    slots[variable.slot] = hot.tags[k] == 2 ? Value(hot.numbers[k] != 0) : Value(hot.numbers[k]);
  }
}

}  // namespace

// The code of a loop for the variables as they are; null: there is none.
HotCode* Interpreter::hot_code(const Statement& s) {
  if (!s.hot) s.hot = std::make_shared<HotCode>();
  HotCode& hot = *s.hot;
  if (hot.surprises > most_surprises || hot.is_running) return nullptr;
  if (hot.code != nullptr && hot.epoch == epoch_ && fits(hot, frame_->slots)) return &hot;
  if (hot.makings >= most_makings || (frame_->environment != nullptr && frame_->environment->parent)) return nullptr;
  // A workspace may have fewer places than names.
  const std::size_t count = frame_->storage.empty() ? frame_->scope->names.size()
                                                    : std::min(frame_->scope->names.size(), frame_->storage.size());
  for (std::size_t k = 0; k < count; ++k) {
    Value& v = frame_->slots[k];
    if (v.kind() == Kind::range && v.range().count <= longest_stored_range) v = stored(v);
  }
  const auto resolve_call = [this](NodeExtra& extra, bool in_loop) -> const CallSite* {
    return in_loop ? resolve(extra, extra.name) : extra.site.epoch == epoch_ ? &extra.site : nullptr;
  };
  ++hot.makings;
  hot.epoch = epoch_;
  hot.code = nullptr;
  auto text = write_hot_loop(s, frame_->slots, count, resolve_call);
  if (!text) return nullptr;
  hot.text = std::move(*text);
  hot.code = options_.native->compile(hot.text.text);
  hot.kinds.clear();
  for (const HotVariable& v : hot.text.variables) hot.kinds.push_back(frame_->slots[v.slot].kind());
  prepare(hot, options_);
  return hot.code != nullptr ? &hot : nullptr;
}

HotEnd Interpreter::enter_hot(HotCode& hot, const Range* r, Index turn) {
  HotContext& c = hot.context;
  load(hot, frame_->slots);
  if (r != nullptr) hot.loops[0] = {static_cast<long>(turn), static_cast<long>(r->count), r->base, r->step};
  c.limit = options_.max_steps;
  c.deepest = options_.max_call_depth - depth_;
  const auto begin = Clock::now();
  HotEnd end;
  hot.is_running = true;
  do {
    c.steps = steps_;
    const auto now = Clock::now();
    auto* const run = reinterpret_cast<HotFunction>(hot.code->function(hot.seconds));
    c.pause = hot.code->is_final() ? std::numeric_limits<unsigned long>::max() : turns_between_looks;
    end = static_cast<HotEnd>(run(&c));
    hot.seconds = std::chrono::duration<double>(Clock::now() - now).count();
    steps_ = c.steps;
  } while (end == HotEnd::paused);
  hot.is_running = false;
  hot.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  store_back(hot, frame_->slots);
  return end;
}

// True: the code has run. Of a counting loop `turn` is the last turn that has been made, of which `flow` tells the end;
// otherwise break_loop: the loop has ended.
bool Interpreter::run_hot(const Statement& s, const Range* r, Index& turn, Flow& flow) {
  // The loops around are worth a try at their next turn.
  for (const Statement* around : running_loops_) around->turns = std::max(around->turns, s.turns);
  HotCode* const hot = hot_code(s);
  if (hot == nullptr) {
    s.turns = 0;  // asked again after a while: types may settle
    return false;
  }
  const std::shared_ptr<HotCode> held = s.hot;
  const HotEnd end = enter_hot(*hot, r, turn);
  switch (end) {
    case HotEnd::done: flow = Flow::break_loop; return true;
    case HotEnd::returned: flow = Flow::return_call; return true;
    case HotEnd::interrupted: throw Interrupted{};
    default: break;
  }
  ++hot->surprises;
  // Kept apart: what runs from here on may enter the code again.
  const HotPlace place{hot->text.statements[static_cast<std::size_t>(hot->context.at)], hot->text.loops, hot->loops};
  turn = place.states[0].turn;
  flow = place.at == &s ? Flow::normal : resume(s.body, place);
  return true;
}

// Goes on at a statement somewhere within the block, as if all before it had been interpreted.
Flow Interpreter::resume(const Block& block, const HotPlace& place) {
  std::size_t k = 0;
  while (k < block.size() && !contains(*block[k], place.at)) ++k;
  if (k == block.size()) return Flow::normal;
  const Flow flow = resume_statement(*block[k], place);
  if (flow != Flow::normal) return flow;
  return run_block(Block(block.begin() + static_cast<std::ptrdiff_t>(k) + 1, block.end()));
}

Flow Interpreter::resume_statement(const Statement& s, const HotPlace& place) {
  if (&s == place.at) return run_statement(s);
  for (const Branch& b : s.branches) {
    if (contains(b.body, place.at)) return resume(b.body, place);
  }
  const auto number = std::find(place.loops.begin(), place.loops.end(), &s) - place.loops.begin();
  const HotLoopState& state = place.states[static_cast<std::size_t>(number)];
  const Flow flow = resume(s.body, place);
  if (flow == Flow::return_call) return flow;
  if (flow == Flow::break_loop) return Flow::normal;
  if (s.kind == StatementKind::while_loop) return run_while(s);
  const Range rest(state.base, state.step, state.count);
  return run_range(s, rest, state.turn + 1);
}

// A function of numbers: the result, or false, and nothing has happened.
bool Interpreter::call_hot(const Function& f, Value* slots, Value& out) {
  if (++f.calls <= calls_until_hot) return false;
  if (!f.hot) f.hot = std::make_shared<HotCode>();
  HotCode& hot = *f.hot;
  if (hot.surprises > most_surprises || hot.is_running) return false;
  for (const int slot : f.input_slots) {
    if (slot < 0 || !slots[slot].is_number()) return false;
  }
  if (hot.makings == 0 || hot.epoch != epoch_) {
    if (hot.makings >= most_makings || f.inputs.size() > 12) return false;
    ++hot.makings;
    hot.epoch = epoch_;
    hot.code = nullptr;
    const auto text = write_hot_function(f, [this](NodeExtra& extra, bool) -> const CallSite* {
      return extra.site.epoch == epoch_ ? &extra.site : nullptr;
    });
    if (text) {
      hot.text = *text;
      hot.code = options_.native->compile(text->text);
    }
    prepare(hot, options_);
  }
  if (hot.code == nullptr) return false;
  for (std::size_t k = 0; k < f.inputs.size(); ++k) hot.numbers[k] = slots[f.input_slots[k]].number();
  HotContext& c = hot.context;
  c.steps = steps_;
  c.limit = options_.max_steps;
  c.deepest = options_.max_call_depth - depth_;
  const auto begin = Clock::now();
  auto* const run = reinterpret_cast<HotFunction>(hot.code->function(hot.seconds));
  const long failed = run(&c);
  hot.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  steps_ = c.steps;
  if (failed != 0) {
    ++hot.surprises;
    tick();
    return false;
  }
  out = hot.tags[f.inputs.size()] == 2 ? Value(hot.numbers[f.inputs.size()] != 0) : Value(hot.numbers[f.inputs.size()]);
  return true;
}

}  // namespace orrery::oml
