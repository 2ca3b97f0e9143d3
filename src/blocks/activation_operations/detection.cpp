// SPDX-License-Identifier: Apache-2.0
// ZeroCross, ZeroCrossUp, ZeroCrossDown, EdgeTrigger, DiscrEdgeTrigger, RepeatActivation, End: blocks that act on what
// signals do.
#include "blocks/activation_operations/activation_operations.h"

#include <limits>

#include "program/pause.h"

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
  } else if (action == "message") {
    trigger.note(b.text("message"));
  } else if (action == "pause") {
    trigger.note(b.text("message"));
    b.body().rules.back().port = program::pausing_note;  // of a note; it has no other port
  } else {
    trigger.fail(b.text("message"));
  }
}

// The four ways to pass zero, and which of them a kind of edge counts.
struct EdgeKind {
  const char* name;
  bool from_below, to_above, from_above, to_below;
};
constexpr EdgeKind edge_kinds[] = {
    {"rising", false, true, false, false},    {"falling", false, false, true, false},
    {"both", false, true, true, false},       {"<0 to >=0", true, false, false, false},
    {">0 to <=0", false, false, true, false}, {"<=0 to >0", false, true, false, false},
    {">=0 to <0", false, false, false, true}, {"- to +", true, true, false, false},
    {"+ to -", false, false, true, true},     {"Zcross", true, true, true, true},
};

EdgeKind chosen_edge(const Block& b, bool located) {
  std::string name = b.text("edge");
  if (!located) name = name == "rising" ? "- to +" : name == "falling" ? "+ to -" : "Zcross";
  for (const EdgeKind& kind : edge_kinds) {
    if (name == kind.name) return kind;
  }
  b.fail("edge", "'" + name + "' is not a kind of edge");
}

void edge_ports(Ports& p) {
  p.input("u", scalar_size).activation_outputs(1);
  if (p.parameters().flag("show_direction")) p.output("direction", scalar_size, Scalar::f64);
}

// located: crossings in continuous time count as well.
void build_edge_trigger(Block& b, bool located) {
  const EdgeKind kind = chosen_edge(b, located);
  const Expr yes = b.constant(1, Scalar::boolean), no = b.constant(0, Scalar::boolean);
  const Expr u = signed_value(b.in()), was = signed_value(b.before(1));
  struct Way {
    Expr edge;  // when an event has just made it
    bool up;
    bool of_minus;  // it is about -u being positive
    bool begins;    // … beginning, or ceasing, to be so
  };
  std::vector<Way> ways;
  if (kind.from_below) ways.push_back({was < 0.0 && u >= 0.0, true, true, false});
  if (kind.to_above) ways.push_back({was <= 0.0 && u > 0.0, true, false, true});
  if (kind.from_above) ways.push_back({was > 0.0 && u <= 0.0, false, false, false});
  if (kind.to_below) ways.push_back({was >= 0.0 && u < 0.0, false, true, true});
  const Variable started = b.memory("started", no);
  Expr change = no, upwards = no;
  for (const Way& way : ways) {
    change = change || way.edge;
    if (way.up) upwards = upwards || way.edge;
  }
  change = started && change;
  b.pass_event(1, change);
  b.on_activation().set(started, yes);
  Variable direction;
  if (b.output_count() == 1) {
    direction = b.memory("direction", b.constant(0));
    const Expr now = select(upwards, b.constant(1), b.constant(-1));
    b.out(1, select(change, now, direction));
    b.on_activation().when(change).set(direction, now);
  }
  if (!located) return;
  // What an event has passed on already is no edge again where the crossing is judged at the end of its instant.
  const Variable passed_at = b.memory("passed_at", b.constant(-std::numeric_limits<double>::infinity()));
  b.on_activation().when(change).set(passed_at, b.time());
  const Expr is_new = passed_at != b.time();
  for (std::size_t k = 0; k < ways.size(); ++k) {
    const Way& way = ways[k];
    const Variable passed = b.memory("passed" + std::to_string(k + 1), no);
    b.on_activation().when(change).set(passed, way.edge);
    const Expr moving = way.of_minus ? -u : u;
    const Trigger trigger = (way.begins ? b.on_positive(moving) : b.on_not_positive(moving)).when(is_new || !passed);
    trigger.emit(1);
    if (b.output_count() == 1) trigger.set(direction, b.constant(way.up ? 1 : -1));
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
    .icon = {.lines = {{{{0, 0.5}, {1, 0.5}}, true}, {{{0, 0.2}, {1, 0.8}}}}},
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

const BlockType zero_cross_up = {
    .name = "ZeroCrossUp",
    .palette = "ActivationOperations",
    .summary = "An event when its input, or an element of it, crosses zero upwards in continuous time.",
    .description = "As ZeroCross with direction 'up'.",
    .icon = {.text = "− to +"},
    .activation = Activation::always,
    .ports = [](Ports& p) { p.input("u", {}, Scalar::f64).activation_outputs(1); },
    .build =
        [](Block& b) {
          for (std::int64_t k = 0; k < b.in().size(); ++k) b.on_rising(b.in()[k]).emit(1);
        },
};

const BlockType zero_cross_down = {
    .name = "ZeroCrossDown",
    .palette = "ActivationOperations",
    .summary = "An event when its input, or an element of it, crosses zero downwards in continuous time.",
    .description = "As ZeroCross with direction 'down'.",
    .icon = {.text = "+ to −"},
    .activation = Activation::always,
    .ports = [](Ports& p) { p.input("u", {}, Scalar::f64).activation_outputs(1); },
    .build =
        [](Block& b) {
          for (std::int64_t k = 0; k < b.in().size(); ++k) b.on_falling(b.in()[k]).emit(1);
        },
};

const BlockType edge_trigger = {
    .name = "EdgeTrigger",
    .palette = "ActivationOperations",
    .summary = "An event when its input becomes positive (rising) or stops being positive (falling).",
    .description =
        "In continuous time the crossing of zero is located. When an event changes the input, the block is "
        "activated by that event and passes it on, synchronously, if it is an edge. The first activation is "
        "no edge. A boolean input is positive when it is true.\n\n"
        "rising is '<=0 to >0', falling '>0 to <=0', both either of them. '- to +' counts what reaches zero from below "
        "and what leaves it upwards, '+ to -' the reverse, 'Zcross' all four.",
    .icon = {.text = "{edge}"},
    .parameters = {{"edge",
                    "'rising'",
                    "which edges count",
                    {"rising", "falling", "both", "<0 to >=0", ">0 to <=0", "<=0 to >0", ">=0 to <0", "- to +",
                     "+ to -", "Zcross"}},
                   {"show_direction", "0", "1: an output that is 1 after an edge upwards and -1 after one downwards"}},
    .ports = edge_ports,
    .refine = only_ordered,
    .build = [](Block& b) { build_edge_trigger(b, true); },
};

const BlockType discr_edge_trigger = {
    .name = "DiscrEdgeTrigger",
    .palette = "ActivationOperations",
    .summary = "Passes an event on when it has made its input rise or fall through zero.",
    .description =
        "As EdgeTrigger for signals that change at events: nothing is located in continuous time. rising is from "
        "negative to zero or more, or from zero to positive.",
    .icon = {.text = "{edge}"},
    .parameters =
        {{"edge", "'rising'", "rising: '- to +'; falling: '+ to -'; both: 'Zcross'", {"rising", "falling", "both"}},
         {"show_direction", "0", "1: an output that is 1 after an edge upwards and -1 after one downwards"}},
    .ports = edge_ports,
    .refine = only_ordered,
    .build = [](Block& b) { build_edge_trigger(b, false); },
};

const BlockType repeat_activation = {
    .name = "RepeatActivation",
    .palette = "ActivationOperations",
    .summary = "Has the event that activates it run once more in the same instant.",
    .description =
        "The event is repeated once all blocks it activates are done; the rest of the model sees one event. Activate "
        "it through an IfThenElse, or let it have an input that says whether to repeat: a condition such as 'the "
        "iteration has not converged'.",
    .icon = {.text = "↻"},
    .parameters = {{"when", "'activated'", "nonzero: the block has an input", {"activated", "nonzero"}}},
    .ports =
        [](Ports& p) {
          if (p.parameters().text("when") == "nonzero") p.input("again", scalar_size);
        },
    .build =
        [](Block& b) {
          if (b.input_count() == 0) return static_cast<void>(b.on_activation().repeat());
          b.on_activation().when(b.in()).repeat();
        },
};

const BlockType end = {
    .name = "End",
    .palette = "ActivationOperations",
    .summary = "Ends the simulation when it is activated, or when its input becomes positive.",
    .description =
        "stop ends the run with success, fail with an error, restart begins it again with parameters "
        "evaluated anew. message says the text and goes on. pause says it and, in the editor and wherever a program "
        "drives "
        "the run (`api::Run`), holds the run after this instant until it is told to go on; `orrery run`, sweeps and "
        "exported code, where nobody could do so, go on by themselves.",
    .icon = {.text = "{action}"},
    .parameters = {{"action", "'stop'", "what happens", {"stop", "fail", "restart", "message", "pause"}},
                   {"when", "'activated'", "positive: the block has an input", {"activated", "positive"}},
                   {"message", "'the model ended the simulation'", "text of the error or message"}},
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
