// SPDX-License-Identifier: Apache-2.0
// One sweep finds what follows from parameters, a walk from the roots finds the largest such expressions.
#include "passes/compute_at_start.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>

#include "passes/rewrite_program.h"
#include "passes/slice.h"
#include "passes/substitute.h"

namespace orrery::passes {

using namespace program;

namespace {

enum class Reads : std::uint8_t { nothing, parameters, more };

std::vector<Reads> classify(const Program& program) {
  std::vector<bool> known(program.slots.size(), false);
  for (const Parameter& parameter : program.parameters) {
    known[parameter.slot] = true;
    if (parameter.given != no_slot) known[parameter.given] = true;
  }
  for (const Assign& assign : program.start) {
    if (program.slots[assign.slot].kind == SlotKind::parameter) known[assign.slot] = true;
  }
  // What the start solves for is known later than what it computes.
  for (const Assign& assign : program.start_system.found) known[assign.slot] = false;
  const Graph& graph = program.graph;
  std::vector<Reads> reads(graph.size(), Reads::nothing);
  for (ExprId id = 0; id < graph.size(); ++id) {
    const Node& node = graph[id];
    if (node.op == Op::time || node.op == Op::clock_active) reads[id] = Reads::more;
    if (node.op == Op::read) reads[id] = known[node.payload] ? Reads::parameters : Reads::more;
    for (const ExprId argument : graph.arguments(id)) reads[id] = std::max(reads[id], reads[argument]);
  }
  return reads;
}

// What costs nothing to read, or is only a way to arrange other values.
bool is_plain(const Graph& graph, ExprId id) {
  const Op op = graph[id].op;
  return op == Op::read || op == Op::stack || (op == Op::element && graph[graph.arguments(id)[0]].op == Op::read);
}

class Moving {
 public:
  explicit Moving(Program& program) : program_(program), reads_(classify(program)), replace_(program.graph) {}

  ExprId apply(ExprId root) {
    if (root == no_expr) return no_expr;
    std::vector<ExprId> waiting{root};
    while (!waiting.empty()) {
      const ExprId id = waiting.back();
      waiting.pop_back();
      if (id >= reads_.size() || reads_[id] == Reads::nothing || seen_[id]) continue;
      seen_[id] = true;
      if (reads_[id] == Reads::parameters && !is_plain(program_.graph, id)) {
        move(id);
        continue;
      }
      const auto arguments = program_.graph.arguments(id);
      waiting.insert(waiting.end(), arguments.begin(), arguments.end());
    }
    return root;
  }

  void rewrite() {
    if (moved_.empty()) return;
    std::vector<Assign> start = std::exchange(program_.start, {});
    rewrite_program(program_, [&](ExprId id) { return replace_.apply(id); });
    program_.start = std::move(start);
    program_.start.insert(program_.start.end(), moved_.begin(), moved_.end());
  }

 private:
  void move(ExprId id) {
    const Type type = program_.graph.type(id);
    const SlotId slot =
        program_.add_slot({fmt::format("derived{}", program_.slots.size()), type, SlotKind::parameter, 0});
    replace_.set_node(id, program_.read(slot));
    moved_.push_back({slot, id});
  }

  Program& program_;
  std::vector<Reads> reads_;
  std::vector<bool> seen_ = std::vector<bool>(reads_.size(), false);
  Substitution replace_;
  std::vector<Assign> moved_;
};

// Computations of slots that nobody reads; parameters that can be set, states and memories stay.
void drop_unread(Program& program) {
  std::vector<ExprId> roots;
  std::vector<Assign> start = std::exchange(program.start, {});
  rewrite_program(program, [&](ExprId id) {
    roots.push_back(id);
    return id;
  });
  std::vector<bool> read(program.slots.size(), false);
  const auto mark = [&](std::span<const ExprId> expressions) {
    for (const SlotId slot : slots_read(program.graph, expressions)) read[slot] = true;
  };
  mark(roots);
  for (const Parameter& parameter : program.parameters) read[parameter.slot] = true;
  for (const Probe& probe : program.probes) read[probe.slot] = true;
  for (auto assign = start.rbegin(); assign != start.rend(); ++assign) {
    if (program.slots[assign->slot].kind == SlotKind::parameter && !read[assign->slot]) continue;
    const ExprId expressions[] = {assign->value, assign->guard};
    mark(expressions);
    program.start.push_back(*assign);
  }
  std::reverse(program.start.begin(), program.start.end());
}

}  // namespace

void compute_at_start(Program& program) {
  if (program.parameters.empty()) return;
  Moving moving(program);
  std::vector<Assign> start = std::exchange(program.start, {});
  rewrite_program(program, [&](ExprId id) { return moving.apply(id); });
  program.start = std::move(start);
  moving.rewrite();
  drop_unread(program);
}

}  // namespace orrery::passes
