// SPDX-License-Identifier: Apache-2.0
// Counting what procedures do.
#include "export/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "native/plan.h"
#include "program/evaluate.h"

namespace orrery::code_export {
namespace {

using program::ExprId;
using program::Op;

struct Counts {
  std::int64_t sums = 0, products = 0, quotients = 0, others = 0;
  std::map<std::string, std::int64_t> calls;  // of libm
};

bool needs_libm(Op op) { return native::is_function(op) && !native::is_call(op) && op != Op::search && op != Op::past; }

bool is_operation(Op op) {
  return op != Op::constant && op != Op::read && op != Op::time && op != Op::element && op != Op::reshape &&
         op != Op::clock_active;
}

void count(const program::Graph& graph, ExprId id, Counts& counts) {
  const program::Node& node = graph[id];
  const std::int64_t elements = std::max<std::int64_t>(1, node.type.size());
  switch (node.op) {
    case Op::add:
    case Op::sub:
    case Op::neg: counts.sums += elements; return;
    case Op::mul: counts.products += elements; return;
    case Op::div: counts.quotients += elements; return;
    case Op::matmul: {
      const std::int64_t inner = graph.type(graph.arguments(id)[0]).cols;
      counts.products += elements * inner;
      counts.sums += elements * std::max<std::int64_t>(0, inner - 1);
      return;
    }
    default: break;
  }
  if (needs_libm(node.op)) {
    counts.calls[program::name_of(node.op)] += elements;
  } else if (is_operation(node.op)) {
    counts.others += elements;
  }
}

std::vector<ExprId> roots_of(const program::Procedure& procedure) {
  std::vector<ExprId> roots;
  for (const program::Store& store : procedure.stores) {
    roots.push_back(store.value);
    if (store.guard != program::no_expr) roots.push_back(store.guard);
  }
  return roots;
}

// What a block costs: bytes of an instance, operations of all procedures. What several share is the first one's.
struct BlockCost {
  std::int64_t bytes = 0, operations = 0;
};

std::int64_t total_of(const Counts& counts) {
  std::int64_t total = counts.sums + counts.products + counts.quotients + counts.others;
  for (const auto& [name, times] : counts.calls) total += times;
  return total;
}

std::map<std::string, BlockCost> costs_of(const CModel& model) {
  const program::Program& program = model.program;
  const auto name = [&](program::OriginId origin) {
    return origin == 0 ? std::string("(parameters)") : program.origins[origin].path;
  };
  std::map<std::string, BlockCost> costs;
  for (const program::Procedure& procedure : model.procedures) {
    std::set<ExprId> seen;
    for (const program::Store& store : procedure.stores) {
      std::vector<ExprId> roots = {store.value};
      if (store.guard != program::no_expr) roots.push_back(store.guard);
      Counts counts;
      for (const ExprId id : program::reachable(program.graph, roots)) {
        if (seen.insert(id).second) count(program.graph, id, counts);
      }
      if (const std::int64_t total = total_of(counts)) costs[name(store.origin)].operations += total;
    }
  }
  for (const program::SlotId id : model.slots) {
    const program::Slot& slot = program.slots[id];
    costs[name(slot.origin)].bytes += slot.type.size() * program::byte_size(slot.type.scalar);
  }
  return costs;
}

std::string calls_text(const Counts& counts) {
  std::string text;
  for (const auto& [name, times] : counts.calls) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", times, name);
  return text.empty() ? "-" : text;
}

}  // namespace

std::string report_text(const CModel& model) {
  const program::Program& program = model.program;
  std::string text = fmt::format("{}\n\n{:<32} {:>6} {:>6} {:>6} {:>6} {:>8}  libm\n", model.name, "procedure", "+ -",
                                 "*", "/", "other", "stack");
  native::Planner planner(program);
  std::uint32_t deepest = 0;
  for (const program::Procedure& procedure : model.procedures) {
    Counts counts;
    for (const ExprId id : program::reachable(program.graph, roots_of(procedure))) count(program.graph, id, counts);
    const std::uint32_t doubles = planner.plan(procedure).workspace;
    deepest = std::max(deepest, doubles);
    text += fmt::format("{:<32} {:>6} {:>6} {:>6} {:>6} {:>8}  {}\n", procedure.name, counts.sums, counts.products,
                        counts.quotients, counts.others, 8 * doubles, calls_text(counts));
  }
  std::int64_t all = 0;
  text += fmt::format("\n{:<32} {:>6} {:>10}\n", "block", "bytes", "operations");
  for (const auto& [block, cost] : costs_of(model)) {
    text += fmt::format("{:<32} {:>6} {:>10}\n", block, cost.bytes, cost.operations);
    all += cost.bytes;
  }
  text += fmt::format("\nmemory of an instance: {} bytes without padding; temporaries on the stack: {} bytes at most\n",
                      all, 8 * deepest);
  return text + "Operations are those of the worst case: every branch counts, loops inside functions once.\n";
}

bool fits_target(const CModel& model, const std::string& target, Diagnostics& diagnostics) {
  const program::Program& program = model.program;
  std::set<std::pair<program::OriginId, std::string>> said;
  for (const program::Procedure& procedure : model.procedures) {
    for (const program::Store& store : procedure.stores) {
      const ExprId roots[] = {store.value};
      for (const ExprId id : program::reachable(program.graph, roots)) {
        const program::Node& node = program.graph[id];
        std::string lack;
        if (target == "no-libm" && needs_libm(node.op)) lack = program::name_of(node.op);
        if (target == "no-double" && is_operation(node.op) && program::is_floating(node.type.scalar) &&
            node.op != Op::cast)
          lack = fmt::format("{} of doubles", program::name_of(node.op));
        if (lack.empty() || !said.insert({store.origin, lack}).second) continue;
        const program::Origin& what = program.origins[store.origin];
        const Place place{program.origins[0].path,
                          store.origin == 0 ? 0 : what.line,
                          0,
                          store.origin == 0 ? std::string() : what.path,
                          {}};
        diagnostics.error("target-lacks", place,
                          fmt::format("it needs {}, which the target {} does not have", lack, target),
                          "use a table or a polynomial instead, or choose another target");
      }
    }
  }
  return said.empty();
}

}  // namespace orrery::code_export
