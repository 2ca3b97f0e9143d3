// SPDX-License-Identifier: Apache-2.0
// Ordering by strongly connected components of the dependency graph of one table.
#include "compile/order_table.h"

#include <algorithm>
#include <map>

#include "equations/adjacency.h"
#include "passes/find_dependencies.h"

namespace orrery::compile {
namespace {

using program::ExprId;
using program::SlotId;

// Dependencies among the members of a component (ascending), as positions in it.
std::vector<std::vector<std::uint32_t>> needs_within(const std::vector<std::uint32_t>& component,
                                                     const std::vector<std::vector<std::uint32_t>>& needs) {
  std::vector<std::vector<std::uint32_t>> within(component.size());
  for (std::size_t i = 0; i < component.size(); ++i) {
    for (std::uint32_t w : needs[component[i]]) {
      const auto at = std::lower_bound(component.begin(), component.end(), w);
      if (at != component.end() && *at == w) within[i].push_back(static_cast<std::uint32_t>(at - component.begin()));
    }
  }
  return within;
}

std::vector<Part> parts_of(const std::vector<Task>& tasks, const std::vector<std::vector<std::uint32_t>>& needs) {
  std::vector<Part> parts;
  for (auto& component : equations::strong_components(needs)) {
    std::sort(component.begin(), component.end());
    Part part;
    part.cyclic = component.size() > 1 || std::find(needs[component[0]].begin(), needs[component[0]].end(),
                                                    component[0]) != needs[component[0]].end();
    for (std::uint32_t v : component) part.tasks.push_back(tasks[v]);
    if (part.cyclic) part.needs = needs_within(component, needs);
    parts.push_back(std::move(part));
  }
  return parts;
}

class Ordering {
 public:
  Ordering(const Bodies& bodies, const Plan& plan, Reads& reads) : bodies_(bodies), plan_(plan), reads_(reads) {}

  std::vector<Part> run() {
    for (std::uint32_t b : plan_.members) {
      first_output_.emplace(b, static_cast<std::uint32_t>(tasks_.size()));
      for (std::uint32_t k = 0; k < bodies_.of_block[b].outputs.size(); ++k) {
        tasks_.push_back({Task::Kind::output, b, k, -1, 0});
      }
    }
    for (std::uint32_t a = 0; a < plan_.atoms.size(); ++a) {
      if (plan_.atoms[a].kind != Atom::Kind::pass) continue;
      pass_task_.emplace(a, static_cast<std::uint32_t>(tasks_.size()));
      tasks_.push_back({Task::Kind::pass, plan_.atoms[a].index, plan_.atoms[a].pass, -1, a});
    }
    std::vector<std::vector<std::uint32_t>> needs(tasks_.size());
    for (std::size_t v = 0; v < tasks_.size(); ++v) {
      const Task& task = tasks_[v];
      const blocks::Body& body = bodies_.of_block[task.block];
      need_guard(task.block, 0, needs[v]);
      need_reads(task.kind == Task::Kind::output ? body.outputs[task.index] : body.passes[task.index].condition,
                 needs[v]);
    }
    return parts_of(tasks_, needs);
  }

 private:
  // Port 0: all activation inputs of the block.
  void need_guard(std::uint32_t block, int port, std::vector<std::uint32_t>& needs) {
    for (const ActivePort& active : plan_.active.at(block)) {
      if (port != 0 && active.port != port) continue;
      const auto pass = pass_task_.find(active.atom);
      if (pass != pass_task_.end()) needs.push_back(pass->second);
    }
  }

  void need_reads(ExprId expr, std::vector<std::uint32_t>& needs) {
    if (expr == program::no_expr) return;
    for (SlotId slot : reads_.of(expr)) {
      const std::uint32_t owner = bodies_.owner[slot];
      const auto first = first_output_.find(owner);
      if (first == first_output_.end()) continue;
      const auto& signals = bodies_.signals[owner];
      const auto port = std::find(signals.begin(), signals.end(), slot);
      if (port != signals.end()) needs.push_back(first->second + static_cast<std::uint32_t>(port - signals.begin()));
    }
  }

  const Bodies& bodies_;
  const Plan& plan_;
  Reads& reads_;
  std::vector<Task> tasks_;
  std::unordered_map<std::uint32_t, std::uint32_t> first_output_;
  std::unordered_map<std::uint32_t, std::uint32_t> pass_task_;
};

}  // namespace

std::vector<Part> order_table(const Bodies& bodies, const Plan& plan, Reads& reads) {
  return Ordering(bodies, plan, reads).run();
}

std::vector<Part> order_elements(program::Program& program, const Bodies& bodies, const Part& part) {
  std::vector<Task> tasks;
  std::unordered_map<SlotId, std::uint32_t> first;  // task of element 0
  std::vector<SlotId> slots;
  for (const Task& task : part.tasks) {
    const SlotId slot = bodies.signals[task.block][task.index];
    slots.push_back(slot);
    first.emplace(slot, static_cast<std::uint32_t>(tasks.size()));
    for (std::int64_t k = 0; k < program.slots[slot].type.size(); ++k) {
      tasks.push_back({Task::Kind::output, task.block, task.index, k, 0});
    }
  }
  passes::Dependencies dependencies(program.graph, slots);
  std::vector<std::vector<std::uint32_t>> needs(tasks.size());
  for (std::size_t v = 0; v < tasks.size(); ++v) {
    const blocks::Body& body = bodies.of_block[tasks[v].block];
    for (const passes::Leaf& leaf : dependencies.of(body.outputs[tasks[v].index], tasks[v].element)) {
      needs[v].push_back(first.at(leaf.slot) + leaf.element);
    }
  }
  return parts_of(tasks, needs);
}

}  // namespace orrery::compile
