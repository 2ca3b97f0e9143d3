// SPDX-License-Identifier: Apache-2.0
// Ordering by strongly connected components of the dependency graph of one table.
#include "compile/order_table.h"

#include <algorithm>
#include <map>

#include "base/number_map.h"
#include "equations/adjacency.h"
#include "passes/find_dependencies.h"

namespace orrery::compile {
namespace {

using program::ExprId;
using program::SlotId;

// Dependencies among the members of a component (ascending), as positions in it.
std::vector<std::vector<std::uint32_t>> needs_within(const std::vector<std::uint32_t>& component,
                                                     const equations::Adjacency& needs) {
  std::vector<std::vector<std::uint32_t>> within(component.size());
  for (std::size_t i = 0; i < component.size(); ++i) {
    for (std::uint32_t w : needs[component[i]]) {
      const auto at = std::lower_bound(component.begin(), component.end(), w);
      if (at != component.end() && *at == w) within[i].push_back(static_cast<std::uint32_t>(at - component.begin()));
    }
  }
  return within;
}

void visit_parts(const std::vector<Task>& tasks, const equations::Adjacency& needs,
                 const std::function<void(const Part&)>& visit) {
  const equations::Adjacency components = equations::strong_components(needs);
  std::vector<std::uint32_t> component;
  Part part;
  for (std::uint32_t k = 0; k < components.rows(); ++k) {
    component.assign(components[k].begin(), components[k].end());
    std::sort(component.begin(), component.end());
    const auto first = needs[component[0]];
    part.cyclic = component.size() > 1 || std::find(first.begin(), first.end(), component[0]) != first.end();
    part.tasks.clear();
    for (std::uint32_t v : component) part.tasks.push_back(tasks[v]);
    part.needs.clear();
    if (part.cyclic) part.needs = needs_within(component, needs);
    visit(part);
  }
}

// The tasks of a group are one node of the graph of dependencies.
std::vector<Part> parts_with_groups(const std::vector<Task>& tasks,
                                    const std::vector<std::vector<std::uint32_t>>& needs,
                                    const std::unordered_map<std::uint32_t, std::uint32_t>& group_of) {
  std::map<std::uint32_t, std::uint32_t> first;  // by group
  std::vector<std::uint32_t> node(tasks.size());
  std::vector<std::vector<std::uint32_t>> tasks_of, needs_of;
  for (std::uint32_t v = 0; v < tasks.size(); ++v) {
    const auto group = group_of.find(tasks[v].block);
    const auto fresh = static_cast<std::uint32_t>(tasks_of.size());
    node[v] = group == group_of.end() ? fresh : first.emplace(group->second, fresh).first->second;
    if (node[v] == fresh) tasks_of.emplace_back();
    tasks_of[node[v]].push_back(v);
  }
  needs_of.resize(tasks_of.size());
  for (std::uint32_t v = 0; v < tasks.size(); ++v) {
    const bool grouped = group_of.contains(tasks[v].block);
    for (std::uint32_t w : needs[v]) {
      if (!grouped || node[w] != node[v]) needs_of[node[v]].push_back(node[w]);
    }
  }
  std::vector<Part> parts;
  for (auto& component : equations::strong_components(needs_of)) {
    std::vector<std::uint32_t> members;
    std::int32_t group = -1;
    for (std::uint32_t n : component) {
      members.insert(members.end(), tasks_of[n].begin(), tasks_of[n].end());
      const auto found = group_of.find(tasks[tasks_of[n][0]].block);
      if (found != group_of.end()) group = static_cast<std::int32_t>(found->second);
    }
    std::sort(members.begin(), members.end());
    Part part;
    part.group = group;
    const auto& own = needs_of[component[0]];
    part.cyclic = component.size() > 1 || std::find(own.begin(), own.end(), component[0]) != own.end();
    for (std::uint32_t v : members) part.tasks.push_back(tasks[v]);
    if (part.cyclic && group < 0) part.needs = needs_within(members, equations::adjacency_of(needs));
    parts.push_back(std::move(part));
  }
  return parts;
}

class Ordering {
 public:
  Ordering(const Bodies& bodies, const Plan& plan, Reads& reads) : bodies_(bodies), plan_(plan), reads_(reads) {}

  void run(const std::unordered_map<std::uint32_t, std::uint32_t>& group_of,
           const std::function<void(const Part&)>& visit) {
    for (std::uint32_t b : plan_.members) {
      first_output_.add(b, static_cast<std::uint32_t>(tasks_.size()));
      for (std::uint32_t k = 0; k < bodies_.of_block[b].outputs.size(); ++k) {
        tasks_.push_back({Task::Kind::output, b, k, -1, 0});
      }
    }
    for (std::uint32_t a = 0; a < plan_.atoms.size(); ++a) {
      if (plan_.atoms[a].kind != Atom::Kind::pass || !plan_.contains(plan_.atoms[a].index)) continue;
      pass_task_.emplace(a, static_cast<std::uint32_t>(tasks_.size()));
      tasks_.push_back({Task::Kind::pass, plan_.atoms[a].index, plan_.atoms[a].pass, -1, a});
    }
    equations::Adjacency needs;
    for (const Task& task : tasks_) {
      const blocks::Body& body = bodies_.of_block[task.block];
      need_guard(task.block, 0, needs.target);
      need_reads(task.kind == Task::Kind::output ? body.outputs[task.index] : body.passes[task.index].condition,
                 needs.target);
      needs.end_row();
    }
    if (group_of.empty()) return visit_parts(tasks_, needs, visit);
    std::vector<std::vector<std::uint32_t>> rows;
    for (std::uint32_t v = 0; v < needs.rows(); ++v) rows.emplace_back(needs[v].begin(), needs[v].end());
    need_rules(group_of, rows);
    for (const Part& part : parts_with_groups(tasks_, rows, group_of)) visit(part);
  }

 private:
  // A group is evaluated with all it does, so what its rules read comes before it.
  void need_rules(const std::unordered_map<std::uint32_t, std::uint32_t>& group_of,
                  std::vector<std::vector<std::uint32_t>>& needs) {
    std::map<std::uint32_t, std::uint32_t> first;  // task by group
    for (std::uint32_t v = 0; v < tasks_.size(); ++v) {
      const auto group = group_of.find(tasks_[v].block);
      if (group != group_of.end()) first.emplace(group->second, v);
    }
    for (const auto& [block, group] : group_of) {
      const auto task = first.find(group);
      if (task == first.end()) continue;
      std::vector<std::uint32_t>& list = needs[task->second];
      need_guard(block, 0, list);
      const blocks::Body& body = bodies_.of_block[block];
      for (const blocks::Rule& rule : body.rules) {
        need_reads(rule.condition, list);
        need_reads(rule.value, list);
        for (ExprId value : rule.values) need_reads(value, list);
      }
      for (const blocks::ProbeRule& probe : body.probes) need_reads(probe.value, list);
    }
  }

  // Port 0: all activation inputs of the block.
  void need_guard(std::uint32_t block, int port, auto& needs) {
    if (!pass_task_.empty()) {
      for (const ActivePort& active : plan_.active.of(block)) {
        if (port != 0 && active.port != port) continue;
        const auto pass = pass_task_.find(active.atom);
        if (pass != pass_task_.end()) needs.push_back(pass->second);
      }
    }
    const auto conditions = bodies_.conditions.find(block);
    if (conditions == bodies_.conditions.end()) return;
    for (SlotId signal : conditions->second) {
      const std::uint32_t first = first_output_.find(bodies_.owner[signal]);
      if (first != NumberMap::none) needs.push_back(first);
    }
  }

  void need_reads(ExprId expr, auto& needs) {
    if (expr == program::no_expr) return;
    for (SlotId slot : reads_.of(expr)) {
      const std::uint32_t owner = bodies_.owner[slot];
      const std::uint32_t first = owner == no_block ? NumberMap::none : first_output_.find(owner);
      if (first == NumberMap::none) continue;
      const auto& signals = bodies_.signals[owner];
      const auto port = std::find(signals.begin(), signals.end(), slot);
      if (port != signals.end()) needs.push_back(first + static_cast<std::uint32_t>(port - signals.begin()));
    }
  }

  const Bodies& bodies_;
  const Plan& plan_;
  Reads& reads_;
  std::vector<Task> tasks_;
  NumberMap first_output_;  // by block
  std::unordered_map<std::uint32_t, std::uint32_t> pass_task_;
};

}  // namespace

void order_table(const Bodies& bodies, const Plan& plan, Reads& reads,
                 const std::unordered_map<std::uint32_t, std::uint32_t>& group_of,
                 const std::function<void(const Part&)>& visit) {
  Ordering(bodies, plan, reads).run(group_of, visit);
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
  equations::Adjacency needs;
  for (const Task& task : tasks) {
    const blocks::Body& body = bodies.of_block[task.block];
    for (const passes::Leaf& leaf : dependencies.of(body.outputs[task.index], task.element)) {
      needs.target.push_back(first.at(leaf.slot) + leaf.element);
    }
    needs.end_row();
  }
  std::vector<Part> parts;
  visit_parts(tasks, needs, [&](const Part& found) { parts.push_back(found); });
  return parts;
}

}  // namespace orrery::compile
