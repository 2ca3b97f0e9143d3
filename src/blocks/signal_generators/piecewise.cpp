// SPDX-License-Identifier: Apache-2.0
// StepGenerator, Ramp, SquareWaveGenerator, Sawtooth: generators that jump or bend at instants known in advance.
//
// Each such instant is an event the block programs for itself, so the integrator stops exactly there. Periodic instants
// are computed from their number, never by adding up periods.
#include <fmt/format.h>

#include <cmath>

#include "blocks/signal_generators/signal_generators.h"

namespace orrery::blocks {
namespace {

// Fires `port` at all instants first + k * period after the start of the run; `waits`: from `first` on. The number of
// the instant to come, counted, as the time of an event that waited for the end of a fixed step does not tell which it
// was; where the event is handled it is the one that fires.
Variable fire_periodically(Block& b, int port, Expr first, Expr period, bool waits = false) {
  const Variable next = b.memory(fmt::format("next{}", port), b.constant(0));
  const Expr later = apply(Op::floor, (b.time() - first) / period) + 1.0;
  const Expr begin = waits ? select(b.time() < first, b.constant(0), later) : later;
  b.on_start().set(next, begin).schedule(port, (first + begin * period) - b.time());
  const Expr delay = (first + (next + 1.0) * period) - b.time();
  b.on_fired(port).set(next, next + 1.0).schedule(port, select(delay > 0.0, delay, b.constant(0)));
  return next;
}

// Position within the period that began at first + k * period: from 0 to 1.
Expr phase_of(Block& b, Expr first, Expr period) {
  const Expr periods = (b.time() - first) / period;
  return periods - apply(Op::floor, periods);
}

}  // namespace

const BlockType step_generator = {
    .name = "StepGenerator",
    .palette = "SignalGenerators",
    .summary = "Jumps from one value to another at a given time.",
    .description = "The activation output fires at the jump. A step that lies before the start has already happened.",
    .icon = {.lines = {{{{0, 0.2}, {0.5, 0.2}, {0.5, 0.8}, {1, 0.8}}}}},
    .parameters = {{"time", "1", "time of the jump"},
                   {"before", "0", "value before the jump"},
                   {"after", "1", "value from the jump on; of the size of `before`, or one of them a scalar"}},
    .activation = Activation::always,
    .ports =
        [](Ports& p) {
          const Value& before = p.parameters().matrix("before");
          const Value& larger = before.size() > 1 ? before : p.parameters().matrix("after");
          p.output("y", {larger.rows, larger.cols}, Scalar::f64).activation_outputs(1);
        },
    .build =
        [](Block& b) {
          const Expr at = b.real("time");
          if (std::isnan(b.parameters().now_number("time")))
            b.fail("time", "must not be nan", "inf for a step that never comes");
          const Expr before = b.parameter("before", b.out_type());
          const Expr after = b.parameter("after", b.out_type());
          const Variable y = b.memory("y", select(at > 0.0, before, after));
          b.on_start().set(y, select(b.time() < at, before, after));
          b.on_start().when(b.time() < at).schedule(1, at - b.time());
          b.on_fired(1).set(y, after);
          b.out(1, y);
        },
};

const BlockType ramp = {
    .name = "Ramp",
    .palette = "SignalGenerators",
    .summary = "Constant until a given time, then growing at a given rate.",
    .description = "The activation output fires when the ramp begins.",
    .icon = {.lines = {{{{0, 0.2}, {0.4, 0.2}, {1, 0.9}}}}},
    .parameters = {{"slope", "1", "rate of growth"},
                   {"start", "0", "time at which the ramp begins"},
                   {"initial", "0", "value before the ramp"}},
    .activation = Activation::always,
    .ports = [](Ports& p) { p.output("y", scalar_size, Scalar::f64).activation_outputs(1); },
    .build =
        [](Block& b) {
          const Expr start = b.finite("start"), rate = b.real("slope");
          const Variable slope = b.memory("slope", select(start > 0.0, b.constant(0), rate));
          b.on_start().set(slope, select(b.time() < start, b.constant(0), rate));
          b.on_start().when(b.time() < start).schedule(1, start - b.time());
          b.on_fired(1).set(slope, rate);
          b.out(1, b.real("initial") + slope * (b.time() - start));
        },
};

const BlockType square_wave_generator = {
    .name = "SquareWaveGenerator",
    .palette = "SignalGenerators",
    .summary = "Alternates between two values.",
    .description =
        "Each period begins with the first value. Activation output 1 fires when the first value comes, output 2 when "
        "the second does.",
    .icon = {.lines = {{{{0, 0.15},
                         {0.15, 0.15},
                         {0.15, 0.85},
                         {0.5, 0.85},
                         {0.5, 0.15},
                         {0.85, 0.15},
                         {0.85, 0.85},
                         {1, 0.85}}}}},
    .parameters = {{"first", "1", "value with which a period begins"},
                   {"second", "-1", "value with which it ends"},
                   {"period", "1", "time from one beginning to the next"},
                   {"duty", "50", "part of the period with the first value, in percent, between 0 and 100"},
                   {"start", "0", "time at which the wave begins"},
                   {"before",
                    "'second'",
                    "what comes before the start: the second value, or the wave as if it had always been",
                    {"second", "wave"}}},
    .activation = Activation::always,
    .ports = [](Ports& p) { p.output("y", scalar_size, Scalar::f64).activation_outputs(2); },
    .build =
        [](Block& b) {
          const Expr period = b.positive_real("period"), duty = b.positive_real("duty") / 100.0;
          const Expr start = b.finite("start");
          if (b.parameters().now_number("duty") >= 100)
            b.fail("duty", "must be less than 100", "use a Constant for a wave that never changes");
          const bool waits = b.text("before") == "second";
          const Expr yes = b.constant(1, Scalar::boolean), no = b.constant(0, Scalar::boolean);
          const Variable is_first = b.memory("is_first", yes);
          const Expr inside = phase_of(b, start, period) < duty;
          b.on_start().set(is_first, waits ? inside && b.time() >= start : inside);
          fire_periodically(b, 1, start, period, waits);
          fire_periodically(b, 2, start + duty * period, period, waits);
          b.on_fired(1).set(is_first, yes);
          b.on_fired(2).set(is_first, no);
          b.out(1, select(is_first, b.finite("first"), b.finite("second")));
        },
};

const BlockType sawtooth = {
    .name = "Sawtooth",
    .palette = "SignalGenerators",
    .summary = "Rises steadily from lower to upper, then falls back at once, periodically.",
    .description = "The activation output fires when the wave falls back.",
    .icon = {.lines = {{{{0, 0.15}, {0.5, 0.85}, {0.5, 0.15}, {1, 0.85}}}}},
    .parameters = {{"lower", "0", "value at which a tooth begins"},
                   {"upper", "1", "value at which it ends"},
                   {"period", "1", "length of a tooth"},
                   {"start", "0", "a time at which a tooth begins"}},
    .activation = Activation::always,
    .ports = [](Ports& p) { p.output("y", scalar_size, Scalar::f64).activation_outputs(1); },
    .build =
        [](Block& b) {
          const Expr period = b.positive_real("period"), start = b.finite("start");
          const Expr height = b.real("upper") - b.real("lower");
          const Variable tooth = b.memory("tooth", b.constant(0));  // number of the tooth now running
          b.on_start().set(tooth, apply(Op::floor, (b.time() - start) / period));
          b.on_fired(1).set(tooth, fire_periodically(b, 1, start, period));
          b.out(1, b.real("lower") + height * ((b.time() - start) / period - tooth));
        },
};

}  // namespace orrery::blocks
