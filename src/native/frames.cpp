// SPDX-License-Identifier: Apache-2.0
// Functions as small programs.
#include "native/frames.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"
#include "native/plan.h"

namespace orrery::native {
namespace {

using program::Procedure;
using program::Scalar;
using program::Statement;
using program::Store;

Store to_output(program::Graph& graph, std::uint32_t index, program::ExprId value) {
  return {.target = Store::Target::output, .index = index, .value = graph.cast(Scalar::f64, value)};
}

void add_procedure(FunctionFrame& frame, const Statement& s) {
  if (s.value == program::no_expr) return;
  program::Graph& graph = frame.program.graph;
  Procedure procedure;
  procedure.name = fmt::format("f{}_s{}", frame.index, frame.procedures.size());
  program::SlotId slot = program::no_slot;
  switch (s.kind) {
    case Statement::Kind::assign: procedure.stores.push_back({.index = s.local, .value = s.value}); break;
    case Statement::Kind::assign_element: {
      for (std::size_t i = 0; i < s.indices.size(); ++i) {
        procedure.stores.push_back(to_output(graph, static_cast<std::uint32_t>(i), s.indices[i]));
      }
      slot = frame.program.add_slot({.name = "element", .type = graph.type(s.value)});
      procedure.stores.push_back({.index = slot, .value = s.value});
      break;
    }
    default: procedure.stores.push_back(to_output(graph, 0, s.value)); break;
  }
  frame.procedures.push_back(std::move(procedure));
  frame.element_slot.push_back(slot);
}

}  // namespace

Frames::Frames(const program::Program& program) {
  for (const program::ListedFunction& listed : program::list_functions(program.graph)) add(listed);
}

void Frames::add(const program::ListedFunction& listed) {
  const program::Function& function = *listed.function;
  FunctionFrame& frame = frames_.emplace_back();
  frame.function = &function;
  frame.index = static_cast<std::uint32_t>(frames_.size());
  frame.first_site = listed.first_site;
  frame.program.graph = function.graph;
  frame.program.add_origin({function.name, "function", 0});
  for (const program::Local& local : function.locals) {
    frame.program.add_slot({.name = local.name, .type = local.type, .kind = program::SlotKind::signal});
  }
  program::visit_statements(function.body, [&](const Statement& s) { add_procedure(frame, s); });
  program::Program bare;  // the record of trouble is elsewhere
  bare.slots = frame.program.slots;
  frame.layout = lay_out(bare);
  for (std::uint32_t& offset : frame.layout.offset) offset += frame_head;
  frame.workspace = frame_head + frame.layout.bytes;
  Planner planner(frame.program, this, &frame);
  std::uint32_t most = 0;
  for (const Procedure& procedure : frame.procedures) most = std::max(most, planner.plan(procedure).workspace);
  frame.doubles = frame.workspace / 8 + most;
}

const FunctionFrame& Frames::of(const program::Function& function) const {
  const auto found = std::ranges::find(frames_, &function, &FunctionFrame::function);
  ORRERY_CHECK(found != frames_.end());
  return *found;
}

}  // namespace orrery::native
