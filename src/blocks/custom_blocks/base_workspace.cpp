// SPDX-License-Identifier: Apache-2.0
// FromBase and ToBase: values that pass from one run to the next through the base workspace (Activate, 6.1).
#include <fmt/format.h>

#include <cctype>

#include "blocks/custom_blocks/custom_blocks.h"
#include "blocks/tracer.h"

namespace orrery::blocks {
namespace {

const std::string& variable_name(const Parameters& p) {
  const std::string& name = p.text("name");
  bool good = !name.empty() && !std::isdigit(static_cast<unsigned char>(name[0]));
  for (const char c : name) good = good && (std::isalnum(static_cast<unsigned char>(c)) || c == '_');
  if (!good) p.fail("name", fmt::format("'{}' is not the name of a variable", name));
  return name;
}

Expr base_value(const Parameters& p, program::Graph& graph) {
  const Value& fallback = p.matrix("default");
  if (fallback.is_complex()) p.fail("default", "must be real");
  p.settle("default", "the base workspace holds numbers");
  const Expr given{&graph, graph.constant(Type{fallback.type, fallback.rows, fallback.cols}, fallback.real)};
  const std::string& name = variable_name(p);
  if (p.tracer() == nullptr) return given;
  const NamedSignal signals[] = {{"default_value", given}};
  try {
    return p.tracer()->trace(fmt::format("GetFromBase('{}', default_value)", name), signals, graph);
  } catch (const ParameterError& error) {
    p.fail("name", error);
  }
}

}  // namespace

const BlockType from_base = {
    .name = "FromBase",
    .palette = "CustomBlocks",
    .summary = "The value that a variable of the base workspace has when the run starts.",
    .description = "ToBase, AddToBase and scripts set such variables; they outlive the run.",
    .parameters = {{"name", "'p'", "name of the variable"},
                   {"default", "0", "value when there is no such variable; it gives the size otherwise too"}},
    .activation = Activation::initial,
    .ports =
        [](Ports& p) {
          program::Graph scratch;
          const Type type = base_value(p.parameters(), scratch).type();
          p.output("y", {type.rows, type.cols}, type.scalar);
        },
    // A memory, so that another value is no other code.
    .build = [](Block& b) { b.out(1, b.memory("value", base_value(b.parameters(), b.graph()))); },
    .traces = true,
};

const BlockType to_base = {
    .name = "ToBase",
    .palette = "CustomBlocks",
    .summary = "Sets a variable of the base workspace to the last value of its input.",
    .description =
        "The variable is set when the run ends, before a run that an End block asks for begins, and only if the block "
        "was activated. Contexts read it with GetFromBase, diagrams with FromBase.",
    .parameters = {{"name", "'p'", "name of the variable"}},
    .role = Role::base_variable,
    .ports = [](Ports& p) { p.input("u"); },
    .refine = only_ordered,
    .build =
        [](Block& b) {
          b.record(variable_name(b.parameters()), b.in());
          b.record_event(1);
        },
};

}  // namespace orrery::blocks
