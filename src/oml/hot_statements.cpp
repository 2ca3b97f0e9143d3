// SPDX-License-Identifier: Apache-2.0
// Assignments, branches and loops; ranges are those of eval_range.
#include <fmt/format.h>

#include <utility>

#include "oml/hot_writer.h"

namespace orrery::oml {
namespace {

// A loop variable that its own body assigns is no counter.
bool assigns(const Block& block, int slot) {
  for (const Statement* s : block) {
    const bool names = s->kind == StatementKind::assign || s->kind == StatementKind::for_loop;
    if (names && s->target->kind == NodeKind::identifier && s->target->slot == slot) return true;
    if (assigns(s->body, slot)) return true;
    for (const Branch& b : s->branches) {
      if (assigns(b.body, slot)) return true;
    }
  }
  return false;
}

}  // namespace

void HotWriter::assignment(const Statement& s) {
  const std::string value = number(*s.value);
  if (s.target->kind == NodeKind::identifier) {
    const int slot = s.target->slot;
    if (!scope_.is_tagged(slot)) return line(fmt::format("v{} = {};", slot, value));
    const unsigned t = type(*s.value);
    const bool copy = s.value->kind == NodeKind::identifier && t != number_type && t != truth_type;
    line(fmt::format("v{} = {}; k{} = {};", slot, value, slot,
                     copy ? "k" + std::to_string(s.value->slot) : std::string(t == truth_type ? "2" : "1")));
    return;
  }
  const std::string x = kept(value);
  const std::string at = position(*s.target);
  const bool reals = scope_.types[static_cast<std::size_t>(s.target->slot)] == reals_type;
  line(fmt::format("a{}[{}] = {}{};", s.target->slot, at, reals ? "" : "(unsigned char)", x));
}

void HotWriter::write_if(const Statement& s, std::size_t k) {
  if (k == s.branches.size()) return;
  const Branch& b = s.branches[k];
  if (b.condition == nullptr) return block(b.body);
  line(fmt::format("if ({}) {{", truth(*b.condition)));
  block(b.body);
  if (k + 1 < s.branches.size()) {
    line("} else {");
    write_if(s, k + 1);
  }
  line("}");
}

void HotWriter::tick(bool outermost) {
  line("if (++turns > room || *c->stop) goto stop;");
  if (outermost) line("if (turns > c->pause) { --turns; ended = 3; goto out; }");
}

// The ends of a range, and how many turns it has.
std::string HotWriter::write_range(const Statement& s, int j, bool outermost) {
  const Node& range = *s.value;
  if (outermost) {
    line(
        fmt::format("f{}k = c->loops[{}].turn; f{}n = c->loops[{}].count; f{}b = c->loops[{}].base; f{}s = "
                    "c->loops[{}].step;",
                    j, j, j, j, j, j, j, j));
  } else {
    const std::string b = kept(number(*range.first)),
                      step = range.second == nullptr ? "1.0" : kept(number(*range.second)),
                      e = kept(number(*range.third)), turns = fresh(), count = "i" + fresh();
    line(fmt::format("if ({0} - {0} != 0 || {1} - {1} != 0 || {2} - {2} != 0) {3}", b, step, e, leave()));
    line(fmt::format(
        "long {} = 0; if ({} != 0 && ({} - {}) / {} >= 0) {{ double {} = floor(({} - {}) / {} * {} + {}); if "
        "({} >= 9e15) {} {} = (long){} + 1; }}",
        count, step, e, b, step, turns, e, b, step, hot_literal(1 + 1e-15), hot_literal(1e-10), turns, leave(), count,
        turns));
    line(fmt::format("f{}k = 0; f{}n = {}; f{}b = {}; f{}s = {};", j, j, count, j, b, j, step));
  }
  // Steps of 1 from what is whole by the text alone: less than 1e16, so no integer overflows.
  std::string base;
  const bool steps_by_one = range.kind == NodeKind::range && range.second == nullptr;
  return steps_by_one && whole(*range.first, base) ? fmt::format("({} + f{}k)", base, j) : "";
}

void HotWriter::write_loop(const Statement& s, bool outermost) {
  const long id = static_cast<long>(out_.statements.size());
  out_.statements.push_back(&s);
  const long at = std::exchange(at_, id);
  const int j = loops_++;
  const int around = std::exchange(inside_, j);
  const bool counts = s.kind == StatementKind::for_loop;
  // Loops that do not count have a place too, so that numbers agree.
  if (scope_.function == nullptr) out_.loops.push_back(&s);
  if (counts) {
    const std::string counter = write_range(s, j, outermost);
    // Of an empty loop only the last turn is seen, however many there are.
    if (s.body.empty()) line(fmt::format("if (f{}n > 0) f{}k = f{}n - 1;", j, j, j));
    line(fmt::format("for (; f{}k < f{}n; ++f{}k) {{", j, j, j));
    tick(outermost);
    line(fmt::format("v{} = f{}b + (double)f{}k * f{}s;", s.target->slot, j, j, j));
    if (scope_.is_tagged(s.target->slot)) line(fmt::format("k{} = 1;", s.target->slot));
    const auto outer = counters_;
    if (!counter.empty() && !assigns(s.body, s.target->slot)) counters_[s.target->slot] = counter;
    block(s.body);
    counters_ = outer;
  } else {
    line("for (;;) {");
    tick(outermost);
    line(fmt::format("if (!{}) break;", truth(*s.value)));
    block(s.body);
  }
  line(fmt::format("C{}: ;\n}}\nB{}: ;", j, j));
  inside_ = around;
  at_ = at;
}

void HotWriter::statement(const Statement& s) {
  switch (s.kind) {
    case StatementKind::break_loop:
    case StatementKind::continue_loop:
      if (inside_ < 0) throw NotCompiled();
      return line(fmt::format("goto {}{};", s.kind == StatementKind::break_loop ? "B" : "C", inside_));
    case StatementKind::return_call: return line(scope_.function != nullptr ? "goto done;" : "ended = 4; goto out;");
    case StatementKind::for_loop:
    case StatementKind::while_loop: return write_loop(s, false);
    default: break;
  }
  at_ = static_cast<long>(out_.statements.size());
  out_.statements.push_back(&s);
  if (s.kind == StatementKind::if_chain) {
    line("{");
    write_if(s, 0);
    return line("}");
  }
  line("{");
  assignment(s);
  line("}");
}

void HotWriter::block(const Block& b) {
  const long at = at_;
  for (const Statement* s : b) statement(*s);
  at_ = at;
}

}  // namespace orrery::oml
