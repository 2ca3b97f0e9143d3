// SPDX-License-Identifier: Apache-2.0
// EventDelay, EventVariableDelay, EventDelayedChannel: events that cause later events.
#include <limits>
#include <numeric>

#include "blocks/activation_operations/activation_operations.h"

namespace orrery::blocks {
namespace {

constexpr double never = std::numeric_limits<double>::infinity();

// Values under way lie in an array of places; a place is free while its time is infinite.
void carry_values(Block& b) {
  const int capacity = b.count("capacity");
  const Expr delay = b.in(1), value = b.in(2);
  const Type places{Scalar::f64, capacity, 1};
  const auto size = static_cast<int>(value.size());
  const Variable due = b.memory("due", b.fill(places, never));
  const Variable entered = b.memory("entered", b.fill(places, 0));
  const Variable carried =
      b.memory("carried", b.fill(Type{value.scalar_type(), size, capacity}, 0));  // a column for each place
  const Variable number = b.memory("number", b.constant(0));
  const Variable last = b.memory("last", b.fill(value.type(), 0));
  std::vector<double> count(static_cast<std::size_t>(std::max(capacity, size)));
  std::iota(count.begin(), count.end(), 0.0);
  const auto whole_numbers = [&](Type type) {
    return b.constant(type, {count.begin(), count.begin() + static_cast<std::ptrdiff_t>(type.size())});
  };
  const Expr all = whole_numbers(places);
  const Expr elements = whole_numbers({Scalar::f64, value.rows(), value.cols()});
  const Expr none = b.fill(places, capacity), always = b.fill(places, never);
  const auto least = [](const Expr& list) { return apply(Op::minimum, list); };

  b.activate_itself(1, 2);
  const Expr leaves = b.active(2);
  const Expr is_due = due == least(due);
  const Expr first = least(select(is_due, entered, always));  // of those that are due, by their numbers
  const Expr from = least(select(is_due && entered == first, all, none));
  const Expr y = select(leaves, gather(carried, from * static_cast<double>(size) + elements), last);
  b.out(1, y);

  const Expr enters = b.active(1) && !(delay < 0.0) && delay != never;
  const Expr left = select(leaves, update(due, from, b.constant(never)), due);
  const Expr to = least(select(left == never, all, none));
  const Expr place = min(to, b.constant(capacity - 1));
  const Trigger event = b.on_activation();
  event.set(last, y)
      .set(number, select(enters, number + 1.0, number))
      .set(due, select(enters, update(left, place, b.time() + delay), left))
      .set(entered, select(enters, update(entered, place, number), entered))
      .set(carried, select(enters, update(carried, place * static_cast<double>(size) + elements, value), carried));
  event.when(enters).schedule(1, delay);
  event.when(enters && to >= static_cast<double>(capacity))
      .fail("more events are under way than the capacity of {}", {b.constant(capacity)});
}

}  // namespace

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
    .description =
        "Events may overtake each other. An event with a negative or infinite delay is dropped.\n\n"
        "With `values`, input 2 travels along: what it is when an event enters through activation input 1 becomes the "
        "output when that event leaves, of simultaneous ones in the order in which they entered. Activation input 2 "
        "delivers; the block's own output does so without a link.",
    .icon = {.text = "⋯ delay u ⋯"},
    .parameters = {{"values", "0", "1: a value travels with each event"},
                   {"capacity", "1000", "with values: how many events may be under way"}},
    .ports =
        [](Ports& p) {
          p.input("delay", scalar_size, Scalar::f64);
          if (p.parameters().flag("values")) p.input("value").output("y").activation_inputs(2);
          p.activation_outputs(1);
        },
    .build =
        [](Block& b) {
          b.queue(1);
          if (!b.flag("values")) {
            b.on_activation().when(!(b.in() < 0.0)).schedule(1, b.in());
            return;
          }
          carry_values(b);
        },
};

}  // namespace orrery::blocks
