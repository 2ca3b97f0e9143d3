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

// One object stands for the base workspace of a run: its functions and procedures are the variables that blocks name.
struct BaseEntry {
  std::uint32_t object = 0;
  int variable = 0;
};

BaseEntry base_entry(Block& b, const Type& type) {
  program::ForeignObject object;
  object.kind = "base_workspace";
  object.settings = {
      {"variable", fmt::format("{} {} {}", variable_name(b.parameters()), static_cast<int>(type.scalar), type.size())}};
  const std::uint32_t number = b.foreign_object(std::move(object));
  return {number, static_cast<int>(b.program().foreign_objects[number].settings.size()) - 1};
}

}  // namespace

// The count of activations is an argument, so that each of them reads anew and once.
const BlockType from_base = {
    .name = "FromBase",
    .palette = "CustomBlocks",
    .summary = "The value that a variable of the base workspace has when the block is activated.",
    .description =
        "ToBase, AddToBase and scripts set such variables; they outlive the run. Without activation links the variable "
        "is read when the run starts; with them at each activation: what a ToBase block of this run has written "
        "before, "
        "else the value of the start. A value written in the same event is seen at the next one.",
    .parameters = {{"name", "'p'", "name of the variable"},
                   {"default", "0", "value when there is no such variable; it gives the size otherwise too"}},
    .activation = Activation::initial,
    .ports =
        [](Ports& p) {
          program::Graph scratch;
          const Type type = base_value(p.parameters(), scratch).type();
          p.output("y", {type.rows, type.cols}, type.scalar);
        },
    .build =
        [](Block& b) {
          // A memory, so that another value is no other code.
          const Variable given = b.memory("value", base_value(b.parameters(), b.graph()));
          const BaseEntry entry = base_entry(b, b.out_type());
          const Variable count = b.memory("count", b.constant(0, Scalar::i32));
          const program::ForeignFunction read{
              "base_workspace", {count.type(), given.type()}, {b.out_type()}, entry.object, entry.variable};
          b.out(1, b.foreign(b.declare(read), {count, given}));
          b.on_activation().set(count, count + b.constant(1, Scalar::i32));
        },
    .traces = true,
};

const BlockType to_base = {
    .name = "ToBase",
    .palette = "CustomBlocks",
    .summary = "Sets a variable of the base workspace to its input, at each activation.",
    .description =
        "FromBase blocks of the run see the value from the next event on. Scripts, contexts (GetFromBase) and the run "
        "that "
        "an End block asks for see the last one: the workspace itself changes when the run ends, so that runs beside "
        "each "
        "other do not disturb each other. A block that was never activated sets nothing; in continuous time it is "
        "activated by events, and once more at the end.",
    .parameters = {{"name", "'p'", "name of the variable"}},
    .role = Role::base_variable,
    .ports = [](Ports& p) { p.input("u"); },
    .refine = only_ordered,
    .build =
        [](Block& b) {
          b.record(variable_name(b.parameters()), b.in());
          b.record_event(1);
          const BaseEntry entry = base_entry(b, b.in().type());
          CallRule write{entry.object, entry.variable, {}, {}};
          for (std::int64_t k = 0; k < b.in().size(); ++k)
            write.arguments.push_back((b.in().type().is_scalar() ? b.in() : b.in()[k]).as(Scalar::f64).id());
          b.on_activation().call(std::move(write));
        },
};

}  // namespace orrery::blocks
