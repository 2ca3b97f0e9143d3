// SPDX-License-Identifier: Apache-2.0
// One text for a block in C: description, model, and the function that the simulator calls.
#include "export/block_code.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "export/c_files.h"
#include "export/export_texts.h"
#include "export/refuse.h"
#include "native/code.h"
#include "passes/slice.h"

namespace orrery::code_export {
namespace {

constexpr std::size_t most_block_bytes = 1 << 18;

bool check_block(const CModel& model, Diagnostics& diagnostics) {
  const program::Program& program = model.program;
  Refusals refusals(program, diagnostics, "the super block", "cannot be in a block in C");
  std::set<std::uint32_t> from_outside;
  for (const program::InputPort& port : program.inputs) from_outside.insert(port.source);
  for (std::uint32_t k = 0; k < program.sources.size(); ++k) {
    const program::Source& source = program.sources[k];
    switch (source.kind) {
      case program::SourceKind::initial: break;
      case program::SourceKind::programmed:
        if (!from_outside.contains(k))
          refusals.add(source.origin, "it programs events of its own",
                       "let its activation come through an EventInput, with the block outside");
        break;
      case program::SourceKind::clock:
        for (const program::Clock& clock : program.clocks)
          refusals.add(clock.origin, "it is a clock", "put it outside, with an EventInput in its place");
        break;
      case program::SourceKind::crossing:
        refusals.add(source.origin, "it waits for a zero-crossing", "put it outside");
        break;
      default: refusals.add(source.origin, "it acts after steps, at instants or at the end", "put it outside"); break;
    }
    for (const program::Action& action : source.table.actions) {
      if (action.kind != program::ActionKind::record)
        refusals.add(action.origin, "it tells, stops or repeats something", "put it outside");
    }
  }
  for (const program::Surface& surface : program.surfaces) {
    if (surface.mode != program::no_slot)
      refusals.add(surface.origin, "its corner needs a mode with a variable step",
                   "choose a solver with fixed steps, or put it outside");
  }
  for (const program::Loop& loop : program.loops) {
    if (loop.solution.empty())
      refusals.add(loop.blocks.empty() ? 0 : loop.blocks[0], "its equations are solved by iteration",
                   "break the loop with a Memory or LoopBreaker block");
  }
  for (const program::OutputPort& port : program.outputs) {
    if (port.activation)
      refusals.add(port.origin, "activations that a block in C makes are no part of the event that made them",
                   "let it be an Output, and an IfThenElse outside");
  }
  for (const program::Assertion& assertion : program.assertions)
    refusals.add(assertion.origin, "it asserts something", "put it outside");
  for (const program::Parameter& parameter : program.parameters) {
    if (program.slots[parameter.slot].type.scalar != program::Scalar::f64)
      refusals.add(0, fmt::format("its parameter {} is not of type double", parameter.name), "convert it inside");
  }
  return !refusals.any();
}

// Members, each at a multiple of its width at most 8, and what the compiler and the run-time add.
std::size_t memory_bound(const CModel& model) {
  std::size_t bytes = 256;
  for (const program::SlotId id : model.slots) {
    const program::Slot& slot = model.program.slots[id];
    bytes +=
        static_cast<std::size_t>(std::max<std::int64_t>(1, slot.type.size()) * program::byte_size(slot.type.scalar)) +
        7;
  }
  program::Layout layout = program::lay_out(model.program);
  const std::size_t before = layout.bytes;
  native::reserve_workspace(model.program, model.procedures, layout);
  return bytes + (layout.bytes - before);
}

std::string without_line(std::string text, const std::string& line) {
  const std::size_t at = text.find(line);
  return at == std::string::npos ? text : text.erase(at, line.size());
}

void fill(std::string& text, const std::string& mark, const std::string& value) {
  for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at + value.size()))
    text.replace(at, mark.size(), value);
}

// An input that what is shown depends on at once, in continuous time or at an event.
std::vector<bool> feedthrough_of(const CModel& model, std::size_t activations) {
  const program::Program& program = model.program;
  std::set<program::SlotId> shown;
  for (const program::OutputPort& port : program.outputs) shown.insert(program.probes[port.probe].slot);
  std::vector<program::ExprId> roots;
  for (const program::Procedure& procedure : model.procedures) {
    for (const program::Store& store : procedure.stores) {
      if (store.target != program::Store::Target::slot || !shown.contains(store.index)) continue;
      roots.push_back(store.value);
      if (store.guard != program::no_expr) roots.push_back(store.guard);
    }
  }
  const auto read = passes::slots_read(program.graph, roots);
  std::vector<bool> list;
  for (std::size_t k = 0; k + activations + 1 < program.inputs.size(); ++k)
    list.push_back(std::ranges::find(read, program.inputs[k].value) != read.end());
  return list;
}

}  // namespace

std::optional<BlockCode> block_code(const CModel& model, std::size_t activations, Diagnostics& diagnostics) {
  if (!check_block(model, diagnostics)) return std::nullopt;
  BlockCode made;
  made.bytes = memory_bound(model);
  if (made.bytes > most_block_bytes) {
    diagnostics.error("not-exportable", {model.program.origins[0].path, 0, 0, {}, {}},
                      fmt::format("the super block remembers {} bytes, more than the {} of a block in C", made.bytes,
                                  most_block_bytes),
                      "put large matrices outside");
    return std::nullopt;
  }
  std::string body = with_name(text_of_orrery_block_c, model.name);
  fill(body, "@BYTES@", std::to_string(made.bytes));
  fill(body, "@RESULTS@", std::to_string(std::max<std::size_t>(1, model.cut.output_size + 1)));
  made.code = std::string(text_of_orrery_rt_h) + "\n" + without_line(model.header, "#include \"orrery_rt.h\"\n") +
              "\n" + without_line(model.source, fmt::format("#include \"{}.h\"\n", model.name)) + "\n" + body;
  made.function = model.name + "_block";
  made.feedthrough = feedthrough_of(model, activations);
  return made;
}

}  // namespace orrery::code_export
