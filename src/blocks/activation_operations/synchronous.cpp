// SPDX-License-Identifier: Apache-2.0
// EventUnion, ActivationIntersection, IfThenElse, SwitchCase, FrequencyDivider, ExtractActivation: activations that
// pass through a block within one instant.
#include "blocks/activation_operations/activation_operations.h"

namespace orrery::blocks {

const BlockType event_union = {
    .name = "EventUnion",
    .palette = "ActivationOperations",
    .summary = "Passes on every activation of any of its activation inputs.",
    .icon = {.text = "∪"},
    .parameters = {{"inputs", "2", "number of activation inputs"}},
    .ports = [](Ports& p) { p.activation_inputs(p.parameters().count("inputs")).activation_outputs(1); },
    .build = [](Block& b) { b.pass(1); },
};

const BlockType activation_intersection = {
    .name = "ActivationIntersection",
    .palette = "ActivationOperations",
    .summary = "Passes on the activations that reach both its activation inputs synchronously.",
    .icon = {.text = "∩"},
    .ports = [](Ports& p) { p.activation_inputs(2).activation_outputs(1); },
    .build = [](Block& b) { b.pass(1, b.active(1) && b.active(2)); },
};

const BlockType if_then_else = {
    .name = "IfThenElse",
    .palette = "ActivationOperations",
    .summary = "Passes its activation on through output 1 when the input is positive (or true), else through output 2.",
    .description = "The outputs are synchronous with the activation that reaches the block.",
    .icon = {.text = "if u > 0", .events = {"then", "else"}},
    .ports = [](Ports& p) { p.input("u", scalar_size).activation_outputs(2); },
    .refine = only_ordered,
    .build =
        [](Block& b) {
          const Expr condition = b.in().scalar_type() == Scalar::boolean ? b.in() : b.in() > 0.0;
          b.pass(1, condition);
          b.pass(2, !condition);
        },
};

const BlockType switch_case = {
    .name = "SwitchCase",
    .palette = "ActivationOperations",
    .summary = "Passes its activation on through the output that the value of the input selects.",
    .description =
        "Output 1 is for values below base + 1, output 2 from base + 1 to below base + 2, and so on; the last "
        "output is for all greater values. The outputs are synchronous with the activation that reaches the "
        "block.",
    .icon = {.text = "case u", .events = {"#"}},
    .parameters = {{"cases", "2", "number of outputs"}, {"base", "1", "whole number that selects output 1"}},
    .ports = [](Ports& p) { p.input("u", scalar_size).activation_outputs(p.parameters().count("cases")); },
    .refine = only_ordered,
    .build =
        [](Block& b) {
          const int cases = b.count("cases");
          const int base = b.integer("base");
          Expr reached = b.constant(1, Scalar::boolean);  // u is not below this case
          for (int k = 1; k < cases; ++k) {
            const Expr beyond = b.in().as(Scalar::f64) >= static_cast<double>(base) + k;
            b.pass(k, reached && !beyond);
            reached = beyond;
          }
          b.pass(cases, reached);
        },
};

const BlockType frequency_divider = {
    .name = "FrequencyDivider",
    .palette = "ActivationOperations",
    .summary = "Passes on every n-th event it receives, in the same instant.",
    .icon = {.text = "÷ {factor}"},
    .parameters = {{"factor", "2", "n, a whole number from 1 on"},
                   {"phase", "0", "number of events before the first one that passes, less than n"}},
    .ports = [](Ports& p) { p.activation_outputs(1); },
    .build =
        [](Block& b) {
          const int factor = b.count("factor");
          const int phase = b.integer("phase");
          if (phase < 0 || phase >= factor) b.fail("phase", "must be from 0 to factor - 1");
          const Variable count = b.memory("count", b.constant(0, Scalar::i32));
          b.pass_event(1, count == static_cast<double>(phase));
          b.on_activation().set(
              count, select(count + 1.0 < static_cast<double>(factor), count + 1.0, b.constant(0, Scalar::i32)));
        },
};

const BlockType extract_activation = {
    .name = "ExtractActivation",
    .palette = "ActivationOperations",
    .summary = "The activation of the block that drives its input.",
    .icon = {.text = "u ↯"},
    .ports = [](Ports& p) { p.input("u").activation_outputs(1); },
    .build = [](Block& b) { b.pass(1); },
};

const BlockType event_port_zero = {
    .name = "EventPortZero",
    .palette = "ActivationOperations",
    .summary = "What activates this block takes the place of continuous time in its diagram.",
    .description =
        "Blocks of the diagram that are always active by themselves (sources, for instance), and those in diagrams "
        "inside it that have no EventPortZero of their own, are active only when this block is. Blocks with continuous "
        "states cannot be there, unless it is activated at all times.",
    .icon = {.text = "0"},
    .role = Role::always_port,
    .ports = [](Ports& p) { p.activation_inputs(1); },
    .build = [](Block& b) { b.pass(1); },
};

}  // namespace orrery::blocks
