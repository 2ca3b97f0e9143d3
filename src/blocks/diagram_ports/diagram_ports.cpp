// SPDX-License-Identifier: Apache-2.0
// SuperBlock and the blocks that stand for its ports. They vanish when the compiler flattens the model, except on the
// top diagram, where they are the interface of the model itself.
#include "blocks/diagram_ports/diagram_ports.h"

namespace orrery::blocks {
namespace {

const ParameterSpec port_number = {"port", "1", "number of the port"};

InterfaceRule numbered(const Block& b) {
  InterfaceRule rule;
  rule.number = b.integer("port");
  return rule;
}

// Size and element type of an input of the model, as far as they are given.
void declare_input(Ports& p) {
  const std::vector<double>& given = p.parameters().reals("size");
  const auto part = [&](std::size_t k) {
    const double size = given.size() == 1 ? given[0] : given[k];
    if (size != -1 && (size < 1 || size != static_cast<int>(size)))
      p.parameters().fail("size", "must be whole numbers from 1 on, or -1");
    return static_cast<int>(size);
  };
  if (given.size() > 2) p.parameters().fail("size", "must be one number, or rows and columns");
  Size size;
  if (part(0) > 0) size.rows = part(0);
  const std::size_t last = given.size() - 1;
  if (part(last) > 0) size.cols = given.size() == 1 ? 1 : part(last);
  ElementType type = same_type;
  for (int code = 0; code <= static_cast<int>(Scalar::boolean); ++code) {
    if (p.parameters().text("type") == name_of(static_cast<Scalar>(code))) type = static_cast<Scalar>(code);
  }
  p.output("y", size, type).activation_inputs(0);
}

// What was set last; doubles go on from there at a given rate.
void build_input(Block& b) {
  InterfaceRule rule = numbered(b);
  const Type type = b.out_type();
  const Variable value = b.memory("value", b.fill(type, 0)), next = b.memory("next", b.fill(type, 0));
  rule.value = value.slot();
  rule.next = next.slot();
  b.on_fired(1).set(value, next);
  Expr now = value;
  if (type.scalar == Scalar::f64) {
    const Variable slope = b.memory("slope", b.fill(type, 0)), next_slope = b.memory("next_slope", b.fill(type, 0));
    const Variable since = b.memory("since", b.constant(0));
    rule.slope = slope.slot();
    rule.next_slope = next_slope.slot();
    rule.since = since.slot();
    b.on_fired(1).set(slope, next_slope);
    b.on_fired(1).set(since, b.time());
    now = now + slope * (b.time() - since);
  }
  b.out(1, now);
  b.fires_from_outside(1);
  b.stand_for_port(rule);
}

}  // namespace

const BlockType super_block = {
    .name = "SuperBlock",
    .palette = "Ports",
    .summary = "A diagram inside a block.",
    .description =
        "Its ports are the Input, Output, EventInput and EventOutput blocks of the diagram, its parameters those of "
        "the "
        "diagram's mask. An atomic one is a unit: what reads its inputs runs whenever any of them is activated, or "
        "when its EventInputs are, and RepeatActivation inside it repeats nothing but it. With for_each the diagram is "
        "there "
        "once for each element or column of the inputs; inside, __index__ is the number of the copy. A program of OML "
        "lines can build the diagram from the parameters. docs/super_blocks.md describes all this.",
    .ports = [](Ports& p) { p.activation_inputs(0); },
};

const BlockType input_port = {
    .name = "Input",
    .palette = "Ports",
    .summary = "An input of the super block around this diagram, or of the model.",
    .description =
        "On the top diagram it is an input of the model itself: 0 unless whoever runs the model sets it, or a table "
        "gives it over time (`--input`). A new value is an event. Size and type follow from what it drives, or from "
        "the parameters; inside a super block these two have no meaning.",
    .parameters = {port_number,
                   {"size", "-1",
                    "on the top diagram: rows and columns, or one number for rows; -1: from what it drives"},
                   {"type",
                    "''",
                    "on the top diagram: element type; empty: from what it drives",
                    {"", "double", "complex", "int8", "int16", "int32", "uint8", "uint16", "uint32", "boolean"}},
                   {"each",
                    "'part'",
                    "in a super block that is there for each part of its inputs: what one copy of it reads",
                    {"part", "whole"}}},
    .activation = Activation::always,
    .role = Role::diagram_input,
    .ports = declare_input,
    .build = build_input,
};

const BlockType output_port = {
    .name = "Output",
    .palette = "Ports",
    .summary = "An output of the super block around this diagram, or of the model.",
    .description = "On the top diagram it is an output of the model itself, and recorded as a Scope is.",
    .parameters = {port_number},
    .role = Role::diagram_output,
    .ports = [](Ports& p) { p.input("u"); },
    .build =
        [](Block& b) {
          b.record("", b.in());
          b.stand_for_port(numbered(b));
        },
};

const BlockType event_input_port = {
    .name = "EventInput",
    .palette = "Ports",
    .summary = "An activation input of the super block around this diagram, or of the model.",
    .description =
        "On the top diagram it is an activation input of the model itself, which fires when whoever runs the "
        "model says so, and never in a plain run.",
    .parameters = {port_number},
    .activation = Activation::always,
    .role = Role::diagram_event_input,
    .ports = [](Ports& p) { p.activation_inputs(0).activation_outputs(1); },
    .build =
        [](Block& b) {
          b.fires_from_outside(1);
          b.stand_for_port(numbered(b));
        },
};

const BlockType event_output_port = {
    .name = "EventOutput",
    .palette = "Ports",
    .summary = "An activation output of the super block around this diagram, or of the model.",
    .description =
        "On the top diagram it is an activation output of the model itself: its activations are counted and "
        "recorded.",
    .parameters = {port_number},
    .role = Role::diagram_event_output,
    .ports = [](Ports& p) { p.activation_inputs(1); },
    .build =
        [](Block& b) {
          b.record_event(1);
          b.stand_for_port(numbered(b));
        },
};

const BlockType linearisation_point = {
    .name = "LinearisationPoint",
    .palette = "Ports",
    .summary = "A place at which the model can be linearised: its input, unchanged.",
    .description =
        "`orrery linearise` takes such blocks as inputs and outputs of the linear model. As an input it opens the loop "
        "there: what follows is moved, and does not come back to it. In a run it does nothing. It is active at all "
        "times, as what "
        "it moves must be.",
    .activation = Activation::always,
    .role = Role::linearisation_point,
    .ports = [](Ports& p) { p.input("u").output("y").activation_inputs(0); },
    .build =
        [](Block& b) {
          const Type type = b.out_type();
          if (type.scalar != Scalar::f64) return b.out(1, b.in());
          // Whoever linearises sets "closed" to 0 to open the loop here.
          b.out(1, b.in() * b.memory("closed", b.constant(1)) + b.memory("moved", b.fill(type, 0)));
        },
};

}  // namespace orrery::blocks
