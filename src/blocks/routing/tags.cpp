// SPDX-License-Identifier: Apache-2.0
// Links without a line, for signals and for activations: one block gives a name, others of that name read it.
#include "blocks/routing/routing.h"

namespace orrery::blocks {
namespace {

constexpr const char* scope_rule =
    "A block that asks for the name takes a local one of its own diagram, else the scoped one of the nearest diagram "
    "around it, else a global one.";

}  // namespace

const BlockType set_signal = {
    .name = "SetSignal",
    .palette = "Routing",
    .summary = "Gives a signal a name, under which GetSignal blocks find it without a link.",
    .description = scope_rule,
    .icon = {.text = "⟨{tag}⟩"},
    .parameters = {tag_spec(), visibility_spec()},
    .role = Role::set_signal,
    .ports = [](Ports& p) { p.input("u").activation_inputs(0); },
};

const BlockType get_signal = {
    .name = "GetSignal",
    .palette = "Routing",
    .summary = "The signal that the SetSignal of the same name receives.",
    .description = scope_rule,
    .icon = {.text = "⟨{tag}⟩"},
    .parameters = {tag_spec()},
    .role = Role::get_signal,
    .ports = [](Ports& p) { p.output("y").activation_inputs(0); },
};

const BlockType signal_scoping = {
    .name = "SignalScoping",
    .palette = "Routing",
    .summary = "Makes the name of a SetSignal known in this diagram and in those inside it.",
    .description = "The SetSignal may stand in this diagram or in one inside it; its visibility is 'scoped'.",
    .icon = {.text = "⟨{tag}⟩ ↓"},
    .parameters = {tag_spec()},
    .role = Role::scope_signal,
    .ports = [](Ports& p) { p.activation_inputs(0); },
};

const BlockType set_activation_signal = {
    .name = "SetActivationSignal",
    .palette = "Routing",
    .summary = "Gives an activation a name, under which GetActivationSignal blocks find it without a link.",
    .description = scope_rule,
    .icon = {.text = "⟨{tag}⟩"},
    .parameters = {tag_spec(), visibility_spec()},
    .role = Role::set_activation,
    .ports = [](Ports& p) { p.activation_inputs(1); },
};

const BlockType get_activation_signal = {
    .name = "GetActivationSignal",
    .palette = "Routing",
    .summary = "The activation that the SetActivationSignal of the same name receives.",
    .description = scope_rule,
    .icon = {.text = "⟨{tag}⟩"},
    .parameters = {tag_spec()},
    .role = Role::get_activation,
    .ports = [](Ports& p) { p.activation_inputs(0).activation_outputs(1); },
};

const BlockType activation_signal_scoping = {
    .name = "ActivationSignalScoping",
    .palette = "Routing",
    .summary = "Makes the name of a SetActivationSignal known in this diagram and in those inside it.",
    .description = "The SetActivationSignal may stand in this diagram or in one inside it; its visibility is 'scoped'.",
    .icon = {.text = "⟨{tag}⟩ ↓"},
    .parameters = {tag_spec()},
    .role = Role::scope_activation,
    .ports = [](Ports& p) { p.activation_inputs(0); },
};

}  // namespace orrery::blocks
