// SPDX-License-Identifier: Apache-2.0
// ZeroCross, EdgeTrigger, RepeatActivation, End: blocks that act on what signals do.
#include "blocks/activation_operations/activation_operations.h"

#include <limits>

namespace orrery::blocks {
namespace {

// Negative when the signal is false, positive when it is true, so that its edges are crossings of zero.
Expr signed_value(Expr u) {
  if (u.scalar_type() != Scalar::boolean) return u.as(Scalar::f64);
  return u.as(Scalar::f64) - 0.5;
}

void act(Block& b, const Trigger& trigger) {
  const std::string& action = b.text("action");
  if (action == "stop") {
    trigger.stop();
  } else if (action == "restart") {
    trigger.restart();
  } else {
    trigger.fail(b.text("message"));
  }
}

}  // namespace

const BlockType zero_cross = {
    .name = "ZeroCross",
    .palette = "ActivationOperations",
    .summary = "An event when its input, or an element of it, crosses zero in continuous time.",
    .description =
        "The instant is located to the time tolerance of the run. Touching zero without a change of sign is "
        "no crossing, nor is leaving zero after resting there; a jump across zero at an event, and coming to rest at "
        "zero, are.",
    .parameters = {{"direction", "'both'", "up: from negative to positive; down: the reverse", {"up", "down", "both"}}},
    .activation = Activation::always,
    .ports = [](Ports& p) { p.input("u", {}, Scalar::f64).activation_outputs(1); },
    .build =
        [](Block& b) {
          const std::string& direction = b.text("direction");
          for (std::int64_t k = 0; k < b.in().size(); ++k) {
            const Expr u = b.in()[k];
            (direction == "up" ? b.on_rising(u) : direction == "down" ? b.on_falling(u) : b.on_crossing(u)).emit(1);
          }
        },
};

const BlockType edge_trigger = {
    .name = "EdgeTrigger",
    .palette = "ActivationOperations",
    .summary = "An event when its input becomes positive (rising) or stops being positive (falling).",
    .description =
        "In continuous time the crossing of zero is located. When an event changes the input, the block is "
        "activated by that event and passes it on, synchronously, if it is an edge. The first activation is "
        "no edge. A boolean input is positive when it is true.",
    .parameters = {{"edge", "'rising'", "which edges count", {"rising", "falling", "both"}}},
    .ports = [](Ports& p) { p.input("u", scalar_size).activation_outputs(1); },
    .refine = only_ordered,
    .build =
        [](Block& b) {
          const bool rising = b.text("edge") != "falling";
          const bool falling = b.text("edge") != "rising";
          const Expr yes = b.constant(1, Scalar::boolean);
          const Expr no = b.constant(0, Scalar::boolean);
          const Expr u = signed_value(b.in());
          const Expr is_above = u > 0.0;
          const Expr was_above = signed_value(b.before(1)) > 0.0;
          const Variable started = b.memory("started", no);
          const Expr change = started && was_above != is_above;
          b.pass_event(1, rising && falling ? change : change && (rising ? is_above : was_above));
          b.on_activation().set(started, yes);
          // What an event has passed on already is no edge again where the crossing is judged at the end of its
          // instant.
          const Variable passed_at = b.memory("passed_at", b.constant(-std::numeric_limits<double>::infinity()));
          const Variable passed_up = b.memory("passed_up", no);
          b.on_activation().when(change).set(passed_at, b.time()).set(passed_up, is_above);
          const Expr is_new = passed_at != b.time();
          if (rising) b.on_positive(u).when(is_new || !passed_up).emit(1);
          if (falling) b.on_not_positive(u).when(is_new || passed_up).emit(1);
        },
};

const BlockType repeat_activation = {
    .name = "RepeatActivation",
    .palette = "ActivationOperations",
    .summary = "Has the event that activates it run once more in the same instant while its input is not zero.",
    .description =
        "The event is repeated once all blocks it activates are done; the rest of the model sees one event. "
        "The input is a condition such as 'the iteration has not converged'.",
    .ports = [](Ports& p) { p.input("again", scalar_size); },
    .build = [](Block& b) { b.on_activation().when(b.in()).repeat(); },
};

const BlockType end = {
    .name = "End",
    .palette = "ActivationOperations",
    .summary = "Ends the simulation when it is activated, or when its input becomes positive.",
    .description =
        "stop ends the run with success, fail with an error, restart begins it again with parameters "
        "evaluated anew.",
    .parameters = {{"action", "'stop'", "what happens", {"stop", "fail", "restart"}},
                   {"when", "'activated'", "positive: the block has an input", {"activated", "positive"}},
                   {"message", "'the model ended the simulation'", "text of the error"}},
    .ports =
        [](Ports& p) {
          p.parameters().text("message");  // refused where it is not a text, whatever the action is
          if (p.parameters().text("when") == "positive") p.input("u", scalar_size);
        },
    .refine = only_ordered,
    .build =
        [](Block& b) {
          if (b.input_count() == 0) return act(b, b.on_activation());
          const Expr u = signed_value(b.in());
          act(b, b.on_activation().when(u > 0.0));
          act(b, b.on_positive(u));
        },
};

}  // namespace orrery::blocks
