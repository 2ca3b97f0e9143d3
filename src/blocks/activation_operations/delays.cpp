// SPDX-License-Identifier: Apache-2.0
// EventDelay, EventVariableDelay, EventDelayedChannel: events that cause later events.
#include "blocks/activation_operations/activation_operations.h"

namespace orrery::blocks {

const BlockType event_delay = {
    .name = "EventDelay",
    .palette = "ActivationOperations",
    .summary = "Delays events by a constant time.",
    .description =
        "An event that arrives while another is under way replaces it: use an EventDelayedChannel for trains "
        "of events that follow each other closely.",
    .icon = {.text = "delay {delay}"},
    .parameters = {{"delay", "1", "time from an event to its echo; a negative delay cancels the pending event"}},
    .ports = [](Ports& p) { p.activation_outputs(1); },
    .build = [](Block& b) { b.on_activation().schedule(1, b.real("delay")); },
};

const BlockType event_variable_delay = {
    .name = "EventVariableDelay",
    .palette = "ActivationOperations",
    .summary = "Delays events by the value its input has when they arrive.",
    .description =
        "An event that arrives while another is under way replaces it; a negative delay cancels the pending "
        "event.",
    .icon = {.text = "delay u"},
    .ports = [](Ports& p) { p.input("delay", scalar_size, Scalar::f64).activation_outputs(1); },
    .build = [](Block& b) { b.on_activation().schedule(1, b.in()); },
};

const BlockType event_delayed_channel = {
    .name = "EventDelayedChannel",
    .palette = "ActivationOperations",
    .summary = "Delays each event by the value its input has when it arrives; many events can be under way.",
    .description = "Events may overtake each other. An event with a negative or infinite delay is dropped.",
    .icon = {.text = "⋯ delay u ⋯"},
    .ports = [](Ports& p) { p.input("delay", scalar_size, Scalar::f64).activation_outputs(1); },
    .build =
        [](Block& b) {
          b.queue(1);
          b.on_activation().when(!(b.in() < 0.0)).schedule(1, b.in());
        },
};

}  // namespace orrery::blocks
