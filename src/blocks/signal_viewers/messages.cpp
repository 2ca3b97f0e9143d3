// SPDX-License-Identifier: Apache-2.0
// Message, Assertion: what a model has to say while it runs.
#include "blocks/signal_viewers/signal_viewers.h"

namespace orrery::blocks {
namespace {

int places_in(const std::string& text) {
  int count = 0;
  for (std::size_t at = text.find("{}"); at != std::string::npos; at = text.find("{}", at + 2)) ++count;
  return count;
}

// Inputs for the places of the text, behind those the block has anyway.
void inputs_of_text(Ports& p) {
  const int count = places_in(p.parameters().text("text"));
  for (int k = 1; k <= count; ++k) {
    p.input("v" + std::to_string(k), scalar_size, ElementType(-100 - k));
  }
}

std::vector<Expr> values_from(const Block& b, int first) { return {b.inputs().begin() + first, b.inputs().end()}; }

Expr is_positive(Expr u) { return u.scalar_type() == Scalar::boolean ? u : u.as(Scalar::f64) > 0.0; }

}  // namespace

const BlockType message = {
    .name = "Message",
    .palette = "SignalViewers",
    .summary = "Says something when it is activated by an event, with numbers in it.",
    .description =
        "Each {} in the text is replaced by an input: the text '{} of {} parts' makes a block with two inputs.",
    .icon = {.text = "“{text}”"},
    .parameters = {{"text", "'here'", "what is said"}, {"severity", "'note'", "how it is said", {"note", "warning"}}},
    .ports = [](Ports& p) { inputs_of_text(p); },
    .refine = only_ordered,
    .build =
        [](Block& b) {
          const std::string& text = b.text("text");
          if (b.text("severity") == "note") {
            b.on_activation().note(text, values_from(b, 0));
          } else {
            b.on_activation().warn(text, values_from(b, 0));
          }
        },
};

const BlockType assertion = {
    .name = "Assertion",
    .palette = "SignalViewers",
    .summary = "Says what must hold: the run ends with an error, or warns, where its input is not positive.",
    .description =
        "The input is a condition, or a number that must be positive. In continuous time a solver that tries a point "
        "where it is not takes a smaller step, so that formulas that mean nothing there are not evaluated in vain; "
        "where the solution itself gets there, the run ends.\n\nEach {} in the text is replaced by a further input.",
    .icon = {.text = "u > 0 !"},
    .parameters = {{"text", "'an assertion does not hold'", "what is said"},
                   {"severity", "'error'", "what follows", {"error", "warning"}}},
    .ports =
        [](Ports& p) {
          p.input("u", scalar_size);
          inputs_of_text(p);
        },
    .refine = only_ordered,
    .build =
        [](Block& b) {
          const std::string& text = b.text("text");
          const bool warns = b.text("severity") == "warning";
          const Expr holds = is_positive(b.in());
          const std::vector<Expr> values = values_from(b, 1);
          b.require(holds, text, values, warns);
          const Trigger broken = b.on_activation().when(!holds);
          if (warns) {
            broken.warn(text, values);
          } else {
            broken.fail(text, values);
          }
        },
};

}  // namespace orrery::blocks
