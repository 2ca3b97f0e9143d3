// SPDX-License-Identifier: Apache-2.0
// Walking round an algebraic loop to describe it.
#include "compile/explain_loop.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

namespace orrery::compile {
namespace {

struct Step {
  std::uint32_t block;
  int input;  // 1-based; 0: through an activation condition
};

// The input of `block` through which a task of the loop reaches it, or 0.
int input_from(const FlatModel& model, const Bodies& bodies, std::uint32_t block, program::SlotId slot) {
  const FlatBlock& b = model.blocks[block];
  for (std::size_t p = 0; p < b.drivers.size(); ++p) {
    const PortOf driver = b.drivers[p];
    if (driver.block != no_block && bodies.signals[driver.block][static_cast<std::size_t>(driver.port - 1)] == slot) {
      return static_cast<int>(p) + 1;
    }
  }
  return 0;
}

}  // namespace

Diagnostic& explain_loop(const program::Program& program, const FlatModel& model, const Bodies& bodies,
                         const Part& loop, Reads& reads, Diagnostics& diagnostics) {
  std::unordered_map<program::SlotId, const Task*> in_loop;
  bool conditional = false;
  for (const Task& task : loop.tasks) {
    if (task.kind == Task::Kind::output) {
      in_loop.emplace(bodies.signals[task.block][task.index], &task);
    } else {
      conditional = true;
    }
  }
  // Follow, from the first task, one dependency inside the loop after the other until a block repeats.
  std::vector<Step> steps;
  const Task* task = &loop.tasks[0];
  std::vector<const Task*> seen;
  while (task != nullptr && std::find(seen.begin(), seen.end(), task) == seen.end()) {
    seen.push_back(task);
    const blocks::Body& body = bodies.of_block[task->block];
    const program::ExprId expr =
        task->kind == Task::Kind::output ? body.outputs[task->index] : body.passes[task->index].condition;
    const Task* next = nullptr;
    for (program::SlotId slot : reads.of(expr)) {
      const auto at = in_loop.find(slot);
      if (at == in_loop.end()) continue;
      next = at->second;
      steps.push_back({task->block, input_from(model, bodies, task->block, slot)});
      break;
    }
    task = next;
  }
  if (steps.empty()) steps.push_back({loop.tasks[0].block, 0});
  std::string path = model.blocks[steps.back().block].path;
  for (std::size_t k = steps.size() - 1; k-- > 0;) path += " -> " + model.blocks[steps[k].block].path;
  path += " -> " + model.blocks[steps.back().block].path;
  const FlatBlock& first = model.blocks[steps.back().block];
  auto& d = diagnostics.error("algebraic-loop", model.place(first), path,
                              conditional
                                  ? "the loop passes through an activation condition: insert a DiscreteDelay or Memory"
                                  : "it carries no real number to solve for: insert a Memory or DiscreteDelay");
  for (std::size_t k = steps.size(); k-- > 0;) {
    const FlatBlock& block = model.blocks[steps[k].block];
    const auto element = std::find_if(loop.tasks.begin(), loop.tasks.end(),
                                      [&](const Task& t) { return t.block == steps[k].block && t.element >= 0; });
    const bool matrix =
        element != loop.tasks.end() && !program.slots[bodies.signals[element->block][element->index]].type.is_scalar();
    const std::string which = matrix ? fmt::format(" element {}", element->element + 1) : "";
    d.notes.push_back(steps[k].input == 0 ? fmt::format("{} ({}): its output{} depends on its activation", block.path,
                                                        block.type->name, which)
                                          : fmt::format("{} ({}): its output{} depends directly on input {}",
                                                        block.path, block.type->name, which, steps[k].input));
  }
  return d;
}

}  // namespace orrery::compile
