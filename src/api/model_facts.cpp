// SPDX-License-Identifier: Apache-2.0
// Reads the facts off a flat model and a Program.
#include "api/model_facts.h"

#include <fmt/format.h>

#include "compile/compile.h"
#include "io/number_text.h"
#include "program/program.h"

namespace orrery::api {
namespace {

std::string type_text(const blocks::Port& port) {
  std::string text = port.type >= 0 ? program::name_of(static_cast<program::Scalar>(port.type)) : "?";
  if (port.rows != 1 || port.cols != 1) {
    const auto size = [](int n) { return n <= 0 ? std::string("?") : std::to_string(n); };
    text += fmt::format(" {}x{}", size(port.rows), size(port.cols));
  }
  return text;
}

// The slowest clock that fits is what a person calls the rhythm of a block.
std::string period_text(const program::Program& program, const program::Source& source) {
  if (source.kind != program::SourceKind::clock || source.domain >= program.domains.size()) return "event";
  return fmt::format("{} s", io::number_text(program.domains[source.domain].base.value()));
}

}  // namespace

void add_evaluated(const compile::Evaluated& model, ModelFacts& facts) {
  for (const compile::FlatBlock& block : model.flat.blocks) {
    picture::BlockFacts known;
    known.ports = {static_cast<int>(block.inputs.size()), static_cast<int>(block.outputs.size()),
                   block.activation_input_count, block.activation_output_count};
    for (const blocks::ParameterSpec& spec : block.type->parameters)
      known.values.emplace_back(spec.name, block.parameters.value(spec.name));
    facts.blocks.insert_or_assign(block.path, std::move(known));
    std::vector<std::string> inputs, outputs;
    for (const blocks::Port& port : block.inputs) inputs.push_back(type_text(port));
    for (const blocks::Port& port : block.outputs) outputs.push_back(type_text(port));
    facts.inputs.insert_or_assign(block.path, std::move(inputs));
    facts.outputs.insert_or_assign(block.path, std::move(outputs));
  }
}

void add_compiled(const program::Program& program, ModelFacts& facts) {
  std::vector<const program::Clock*> own_clock(program.origins.size());
  for (const program::Clock& clock : program.clocks) own_clock[clock.origin] = &clock;
  for (const program::Source& source : program.sources) {
    const bool periodic = source.kind == program::SourceKind::clock;
    if (!periodic && source.kind != program::SourceKind::programmed && source.kind != program::SourceKind::crossing)
      continue;
    int order = 0;
    for (const program::OriginId origin : source.activates) {
      ++order;
      BlockTiming& timing = facts.timing[program.origins[origin].path];
      if (timing.order == 0) timing.order = order;
      if (timing.clock.empty() || (periodic && timing.clock == "event")) timing.clock = period_text(program, source);
    }
  }
  for (std::size_t k = 0; k < own_clock.size(); ++k) {
    if (own_clock[k] == nullptr) continue;
    facts.timing[program.origins[k].path].clock = fmt::format("{} s", io::number_text(own_clock[k]->period.value()));
  }
}

}  // namespace orrery::api
