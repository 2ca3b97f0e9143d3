// SPDX-License-Identifier: Apache-2.0
// RampSaturate, Trapezoid, ModuloCounter, Toggle: generators whose corners are events they program for themselves.
#include <fmt/format.h>

#include <cmath>

#include "blocks/element_types.h"
#include "blocks/signal_generators/signal_generators.h"

namespace orrery::blocks {
namespace {

Expr not_negative(Block& b, const char* name) {
  const double now = b.parameters().now_number(name);
  if (!(now >= 0) || std::isinf(now)) b.fail(name, fmt::format("must be finite and not negative, but is {}", now));
  return b.real(name);
}

void build_ramp_saturate(Block& b) {
  const Expr start = b.finite("start"), duration = b.positive_real("duration");
  const Expr height = b.finite("height"), offset = b.finite("offset");
  const Variable stage = b.memory("stage", b.constant(0));
  const Expr end = start + duration;
  const Expr at_start = select(b.time() < start, b.constant(0), select(b.time() < end, b.constant(1), b.constant(2)));
  b.on_start().set(stage, at_start);
  b.on_start().when(at_start < 2.0).schedule(1, select(at_start == 0.0, start, end) - b.time());
  b.on_fired(1).set(stage, stage + 1.0);
  b.on_fired(1).when(stage == 0.0).schedule(1, end - b.time());
  b.out(1, offset + select(stage == 0.0, b.constant(0),
                           select(stage == 1.0, height * ((b.time() - start) / duration), height)));
}

// The corners of one period after the other are numbered: rise, top, fall, foot.
void build_trapezoid(Block& b) {
  const Expr start = b.finite("start"), period = b.positive_real("period"), amplitude = b.finite("amplitude");
  const Expr rising = not_negative(b, "rising"), width = not_negative(b, "width"), falling = not_negative(b, "falling");
  const Parameters& p = b.parameters();
  if (p.now_number("rising") + p.now_number("width") + p.now_number("falling") > p.now_number("period")) {
    b.fail("period", "is shorter than rising, width and falling together");
  }
  const double cycles = b.integer("cycles");
  const Expr ends[] = {b.constant(0), rising, rising + width, rising + width + falling};
  const auto corner_time = [&](Expr number) {
    const Expr cycle = apply(Op::floor, number / 4.0);
    const Expr part = number - 4.0 * cycle;
    const Expr inside =
        select(part == 0.0, ends[0], select(part == 1.0, ends[1], select(part == 2.0, ends[2], ends[3])));
    return start + cycle * period + inside;
  };
  const auto may_come = [&](Expr number) {
    return cycles < 0 ? b.constant(1, Scalar::boolean) : number < 4.0 * cycles;
  };
  const Expr now = b.time();
  const Expr cycle = apply(Op::floor, (now - start) / period);
  const Expr inside = now - start - cycle * period;
  Expr passed = 4.0 * cycle + 1.0;
  for (int k = 1; k < 4; ++k) passed = passed + (inside >= ends[k]).as(Scalar::f64);
  passed = select(now < start, b.constant(0), passed);
  if (cycles >= 0) passed = min(passed, b.constant(4.0 * cycles));
  const Variable number = b.memory("number", b.constant(0));
  b.on_start().set(number, passed).when(may_come(passed)).schedule(1, max(corner_time(passed) - now, b.constant(0)));
  b.on_fired(1)
      .set(number, number + 1.0)
      .when(may_come(number + 1.0))
      .schedule(1, max(corner_time(number + 1.0) - now, b.constant(0)));
  const Expr of_cycle = apply(Op::floor, (number - 1.0) / 4.0);
  const Expr since = now - (start + of_cycle * period);
  const Expr stage = select(number == 0.0, b.constant(4), number - 4.0 * of_cycle);
  const auto share = [&](Expr length, Expr value) {
    return select(length > 0.0, value / select(length > 0.0, length, b.constant(1)), b.constant(1));
  };
  const Expr y =
      select(stage == 1.0, share(rising, since),
             select(stage == 2.0, b.constant(1), select(stage == 3.0, share(falling, ends[3] - since), b.constant(0))));
  b.out(1, b.finite("offset") + amplitude * y);
}

}  // namespace

const BlockType ramp_saturate = {
    .name = "RampSaturate",
    .palette = "SignalGenerators",
    .summary = "Constant, then a ramp to another value within a given time, then constant again.",
    .description = "The activation output fires where the ramp begins and where it ends.",
    .icon = {.lines = {{{{0, 0.15}, {0.3, 0.15}, {0.7, 0.85}, {1, 0.85}}}}},
    .parameters = {{"height", "1", "what is gained from begin to end"},
                   {"duration", "2", "time from begin to end"},
                   {"offset", "0", "value before the ramp"},
                   {"start", "0", "time at which the ramp begins"}},
    .activation = Activation::always,
    .ports = [](Ports& p) { p.output("y", scalar_size, Scalar::f64).activation_outputs(1); },
    .build = build_ramp_saturate,
};

const BlockType trapezoid = {
    .name = "Trapezoid",
    .palette = "SignalGenerators",
    .summary = "Rises, stays, falls and waits, periodically.",
    .description = "The activation output fires at each corner.",
    .icon = {.lines = {{{{0, 0.15}, {0.15, 0.15}, {0.35, 0.85}, {0.65, 0.85}, {0.85, 0.15}, {1, 0.15}}}}},
    .parameters = {{"amplitude", "1", "height above offset"},
                   {"rising", "0.25", "time of the rise"},
                   {"width", "0.5", "time at the upper value"},
                   {"falling", "0.25", "time of the fall"},
                   {"period", "2", "time from one rise to the next"},
                   {"start", "0", "time of the first rise"},
                   {"offset", "0", "lower value"},
                   {"cycles", "-1", "number of periods; negative: without end"}},
    .activation = Activation::always,
    .ports = [](Ports& p) { p.output("y", scalar_size, Scalar::f64).activation_outputs(1); },
    .build = build_trapezoid,
};

const BlockType modulo_counter = {
    .name = "ModuloCounter",
    .palette = "SignalGenerators",
    .summary = "Counts its activations modulo a number.",
    .description = "At each activation the output becomes (output + step) mod base.",
    .icon = {.text = "mod {base}"},
    .parameters = {{"base", "8", "modulus, a whole number from 1 on"},
                   {"step", "1", "what is added, a whole number"},
                   {"initial", "-1", "value before the first activation; -1: base - 1, so that it begins with 0"},
                   type_spec("'double'")},
    .ports = [](Ports& p) { p.output("y", scalar_size, element_type_of(p.parameters())); },
    .build =
        [](Block& b) {
          const int base = b.integer("base"), step = b.integer("step"), initial = b.integer("initial");
          if (base < 1) b.fail("base", "must be a whole number from 1 on");
          if (initial < -1 || initial >= base) b.fail("initial", "must be from 0 to base - 1, or -1");
          const Variable n = b.memory("n", b.constant(initial == -1 ? base - 1 : initial));
          const Expr next = apply(Op::mod, n + static_cast<double>(step), b.constant(base));
          b.out(1, next.as(b.out_type().scalar));
          b.on_activation().set(n, next);
        },
};

const BlockType toggle = {
    .name = "Toggle",
    .palette = "SignalGenerators",
    .summary = "Gives one value and another in turn, from one activation to the next.",
    .description = "The first value gives the element type; one of the two may be a scalar.",
    .icon = {.text = "{first} / {second}"},
    .parameters = {{"first", "0", "value at the first activation"}, {"second", "1", "value at the second one"}},
    .ports =
        [](Ports& p) {
          const Value& first = p.parameters().matrix("first");
          const Value& larger = first.size() > 1 ? first : p.parameters().matrix("second");
          p.output("y", {larger.rows, larger.cols}, first.type);
        },
    .build =
        [](Block& b) {
          const Variable is_second = b.memory("is_second", b.constant(0, Scalar::boolean));
          b.out(1, select(is_second, b.parameter("second", b.out_type()), b.parameter("first", b.out_type())));
          b.on_activation().set(is_second, !is_second);
        },
};

}  // namespace orrery::blocks
