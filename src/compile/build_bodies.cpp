// SPDX-License-Identifier: Apache-2.0
// Building block bodies into the Program's graph.
#include "compile/build_bodies.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace orrery::compile {
namespace {

using program::Scalar;
using program::Type;

Type type_of(const blocks::Port& port) { return {static_cast<Scalar>(port.type), port.rows, port.cols}; }

program::ExprId zeros(program::Graph& graph, Type type) {
  const auto count = static_cast<std::size_t>(type.size()) * (type.scalar == Scalar::c128 ? 2 : 1);
  return graph.constant(type, std::vector<double>(count, 0.0));
}

// A state that begins at infinity or at nothing is a slip in the parameter that gives its value.
void check_initial_states(const FlatModel& model, const FlatBlock& block, program::OriginId origin, std::size_t from,
                          const program::Program& program, Diagnostics& diagnostics) {
  const auto is_finite = [](double x) { return std::isfinite(x); };
  for (std::size_t s = from; s < program.slots.size(); ++s) {
    const program::Slot& slot = program.slots[s];
    if (slot.origin != origin || slot.kind != program::SlotKind::state || slot.initial == program::no_expr) continue;
    if (!program.graph.is_constant(slot.initial)) continue;
    const auto data = program.graph.constant_data(slot.initial);
    const auto wrong = std::find_if_not(data.begin(), data.end(), is_finite);
    if (wrong == data.end()) continue;
    std::string parameter;  // the one that has this value: x0 of a state x, else the first
    for (const blocks::ParameterSpec& spec : block.type->parameters) {
      const program::Value& value = block.parameters.value(spec.name);
      const auto same = [&](double x) { return x == *wrong || (std::isnan(x) && std::isnan(*wrong)); };
      if (!value.is_number() || std::none_of(value.real.begin(), value.real.end(), same)) continue;
      if (parameter.empty() || spec.name == slot.name + "0") parameter = spec.name;
    }
    diagnostics.error("bad-parameter", model.place(block, parameter.empty() ? "" : "parameter " + parameter),
                      fmt::format("the state {} would begin at {}", slot.name, *wrong),
                      "give it a finite value to begin with");
  }
}

}  // namespace

Bodies build_bodies(const FlatModel& model, program::Program& program, Diagnostics& diagnostics) {
  Bodies bodies;
  program.add_origin({model.file, "model", 0});
  bodies.signals.resize(model.blocks.size());
  bodies.of_block = BodyList(model.blocks.size());
  for (std::size_t b = 0; b < model.blocks.size(); ++b) {
    const FlatBlock& block = model.blocks[b];
    const auto origin = program.add_origin({block.path, block.type->name, block.model_line});
    for (std::size_t p = 0; p < block.outputs.size(); ++p) {
      bodies.signals[b].push_back(
          program.add_slot({fmt::format("y{}", p + 1), type_of(block.outputs[p]), program::SlotKind::signal, origin}));
    }
  }
  for (std::uint32_t b = 0; b < model.blocks.size(); ++b) {
    for (std::uint32_t c : model.blocks[b].conditions) bodies.conditions[b].push_back(bodies.signals[c][0]);
  }
  for (std::size_t b = 0; b < model.blocks.size(); ++b) {
    const FlatBlock& block = model.blocks[b];
    std::vector<program::Expr> inputs;
    for (std::size_t p = 0; p < block.inputs.size(); ++p) {
      const PortOf driver = block.drivers[p];
      const program::ExprId id =
          driver.block == no_block
              ? zeros(program.graph, type_of(block.inputs[p]))
              : program.read(bodies.signals[driver.block][static_cast<std::size_t>(driver.port - 1)]);
      inputs.emplace_back(&program.graph, id);
    }
    std::vector<Type> outputs;
    for (const blocks::Port& port : block.outputs) outputs.push_back(type_of(port));
    blocks::Block builder(program, static_cast<program::OriginId>(b + 1), block.parameters, std::move(inputs),
                          std::move(outputs), block.activation_input_count);
    const std::size_t first_slot = program.slots.size();
    try {
      if (block.type->build != nullptr) block.type->build(builder);
      for (std::size_t p = 0; p < builder.body().outputs.size(); ++p) {
        if (builder.body().outputs[p] == program::no_expr)
          builder.body().outputs[p] = zeros(program.graph, type_of(block.outputs[p]));
      }
    } catch (const blocks::ParameterError& error) {
      diagnostics.error(error.code, model.place(block, error.parameter.empty() ? "" : "parameter " + error.parameter),
                        error.message, error.help);
    }
    check_initial_states(model, block, static_cast<program::OriginId>(b + 1), first_slot, program, diagnostics);
    bodies.of_block.set(b, std::move(builder.body()));
  }
  bodies.owner.assign(program.slots.size(), no_block);
  for (std::size_t s = 0; s < program.slots.size(); ++s) {
    if (program.slots[s].origin > 0) bodies.owner[s] = program.slots[s].origin - 1;
  }
  return bodies;
}

}  // namespace orrery::compile
