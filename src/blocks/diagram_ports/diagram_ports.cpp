// SPDX-License-Identifier: Apache-2.0
// SuperBlock and the blocks that stand for its ports. They vanish when the compiler flattens the model.
#include "blocks/diagram_ports/diagram_ports.h"

namespace orrery::blocks {

const BlockType super_block = {
    .name = "SuperBlock",
    .palette = "Ports",
    .summary = "A diagram inside a block.",
    .description = "Its ports are the Input, Output, EventInput and EventOutput blocks of the diagram.",
    .ports = [](Ports& p) { p.activation_inputs(0); },
};

const BlockType input_port = {
    .name = "Input",
    .palette = "Ports",
    .summary = "An input of the super block around this diagram.",
    .parameters = {{"port", "1", "number of the port"}},
    .role = Role::diagram_input,
    .ports = [](Ports& p) { p.output("y").activation_inputs(0); },
};

const BlockType output_port = {
    .name = "Output",
    .palette = "Ports",
    .summary = "An output of the super block around this diagram.",
    .parameters = {{"port", "1", "number of the port"}},
    .role = Role::diagram_output,
    .ports = [](Ports& p) { p.input("u").activation_inputs(0); },
};

const BlockType event_input_port = {
    .name = "EventInput",
    .palette = "Ports",
    .summary = "An activation input of the super block around this diagram.",
    .parameters = {{"port", "1", "number of the port"}},
    .role = Role::diagram_event_input,
    .ports = [](Ports& p) { p.activation_inputs(0).activation_outputs(1); },
};

const BlockType event_output_port = {
    .name = "EventOutput",
    .palette = "Ports",
    .summary = "An activation output of the super block around this diagram.",
    .parameters = {{"port", "1", "number of the port"}},
    .role = Role::diagram_event_output,
    .ports = [](Ports& p) { p.activation_inputs(1); },
};

}  // namespace orrery::blocks
