// SPDX-License-Identifier: Apache-2.0
// AndActivations, EventToCode: which activations came, as numbers.
#include <cmath>

#include "blocks/activation_operations/activation_operations.h"

namespace orrery::blocks {

const BlockType and_activations = {
    .name = "AndActivations",
    .palette = "ActivationOperations",
    .summary = "1 when both its activation inputs are active in the same instant, 0 when only one is.",
    .icon = {.text = "∧"},
    .ports = [](Ports& p) { p.output("y", scalar_size, Scalar::f64).activation_inputs(2); },
    .build = [](Block& b) { b.out(1, (b.active(1) && b.active(2)).as(Scalar::f64)); },
};

const BlockType event_to_code = {
    .name = "EventToCode",
    .palette = "ActivationOperations",
    .summary = "Which of its activation inputs are active, as a number: 2^(p-1) added up over the active ports p.",
    .icon = {.text = "Σ 2ᵖ⁻¹", .activations = {"#"}},
    .parameters = {{"inputs", "2", "number of activation inputs, 53 at most"}},
    .ports =
        [](Ports& p) {
          const int count = p.parameters().count("inputs");
          if (count > 53) p.parameters().fail("inputs", "must be 53 at most: a double holds no larger code exactly");
          p.output("y", scalar_size, Scalar::f64).activation_inputs(count);
        },
    .build =
        [](Block& b) {
          Expr code = b.constant(0);
          for (int p = 1; p <= b.count("inputs"); ++p) {
            code = code + std::ldexp(1.0, p - 1) * b.active(p).as(Scalar::f64);
          }
          b.out(1, code);
        },
};

}  // namespace orrery::blocks
