// SPDX-License-Identifier: Apache-2.0
// LastInput, ControlledSaturation, Quantization, Hysteresis, Backlash, RateLimiter.
#include <fmt/format.h>

#include <cmath>

#include "blocks/checked_numbers.h"
#include "blocks/hybrid/hybrid.h"
#include "blocks/play.h"

namespace orrery::blocks {
namespace {

Expr quantized(const std::string& method, Expr u, Expr step) {
  const Expr n = u / step;
  if (method == "floor") return step * apply(Op::floor, n);
  if (method == "ceil") return step * apply(Op::ceil, n);
  if (method == "truncate") return step * apply(Op::trunc, n);
  if (method == "round") return step * apply(Op::ceil, n - 0.5);
  return step * select(n >= 0.0, apply(Op::trunc, n - 0.5) + 0.5, apply(Op::trunc, n + 0.5) - 0.5);
}

// A number that is in force from the last accepted point on, or from the last event.
void remember_at_steps_and_events(Block& b, const Variable& memory, Expr value) {
  b.on_activation().set(memory, value);
  b.on_step().set(memory, value);
}

void build_hysteresis(Block& b) {
  const double on = b.parameters().now_number("on"), off = b.parameters().now_number("off");
  if (!(on >= off)) b.fail("on", fmt::format("must not be below off, but {} is below {}", on, off));
  const Expr upper = b.finite("on"), lower = b.finite("off");
  // In continuous time it is what was remembered: a condition that its own output takes back would switch to and fro.
  std::vector<Expr> elements, remembered;
  for (std::int64_t k = 0; k < b.in().size(); ++k) {
    const Expr u = b.in()[k];
    const Variable is_on =
        b.memory(fmt::format("is_on{}", k + 1), b.constant(b.flag("initial") ? 1 : 0, Scalar::boolean));
    const Expr yes = b.constant(1, Scalar::boolean), no = b.constant(0, Scalar::boolean);
    const Expr now = select(u > upper, yes, select(u < lower, no, is_on));
    elements.push_back(select(now, b.real("high"), b.real("low")));
    remembered.push_back(select(is_on, b.real("high"), b.real("low")));
    b.on_start().set(is_on, now);
    b.on_activation().set(is_on, now);
    b.while_positive(select(is_on, b.constant(-1), u - upper)).set(is_on, yes);
    b.while_positive(select(is_on, lower - u, b.constant(-1))).set(is_on, no);
  }
  const Expr y = stack(b.out_type(), elements);
  b.out(1, y);
  b.read_memory(y, stack(b.out_type(), remembered));
}

}  // namespace

const BlockType last_input = {
    .name = "LastInput",
    .palette = "Hybrid",
    .summary = "The value its input had last: before the event that activates it, or at the last accepted step.",
    .description =
        "At an event it is the left limit of the input, so nothing feeds through. The initial value gives size and "
        "element type.",
    .icon = {.text = "u(t⁻)"},
    .parameters = {{"z0", "0", "output at the first activation; a value of any element type"}},
    .ports =
        [](Ports& p) {
          const Value& z0 = p.parameters().matrix("z0");
          p.input("u", {z0.rows, z0.cols}, z0.type).output("y", {z0.rows, z0.cols}, z0.type);
        },
    .build =
        [](Block& b) {
          const Variable z = b.memory("z", b.parameter("z0"));
          b.out(1, z);
          remember_at_steps_and_events(b, z, b.in());
        },
};

const BlockType controlled_saturation = {
    .name = "ControlledSaturation",
    .palette = "Hybrid",
    .summary = "Keeps input 2 between input 1, the lower limit, and input 3, the upper one, element by element.",
    .description = "Where the lower limit is above the upper one, the lower one counts.",
    .icon = {.lines = {{{{0, 0.2}, {0.3, 0.2}, {0.7, 0.8}, {1, 0.8}}}}, .inputs = {"low", "u", "high"}},
    .ports = [](Ports& p) { p.input_each(3, "u").output("y"); },
    .refine =
        [](Ports& p) {
          only_numbers(p);
          only_ordered(p);
          p.broadcast_to_output();
        },
    .build =
        [](Block& b) {
          const Expr below_high = select(b.in(2) > b.in(3), b.in(3), b.in(2));
          b.out(1, select(below_high < b.in(1), b.in(1), below_high));
        },
};

const BlockType quantization = {
    .name = "Quantization",
    .palette = "Hybrid",
    .summary = "Its input as a multiple of a step, element by element.",
    .description =
        "round takes the nearest multiple, of two the lower one; truncate the one towards zero; floor the one below, "
        "ceil the one above; middle an odd multiple of half the step. In continuous time the jumps are located.",
    .icon = {.lines = {{{{0, 0.1}, {0.33, 0.1}, {0.33, 0.5}, {0.66, 0.5}, {0.66, 0.9}, {1, 0.9}}}}},
    .parameters = {{"step", "0.1", "distance of the values"},
                   {"method", "'round'", "which multiple", {"round", "truncate", "floor", "ceil", "middle"}}},
    .ports = [](Ports& p) { p.input("u", {}, Scalar::f64).output("y", {}, Scalar::f64); },
    .build = [](Block& b) { b.out(1, quantized(b.text("method"), b.in(), b.positive_real("step"))); },
};

const BlockType hysteresis = {
    .name = "Hysteresis",
    .palette = "Hybrid",
    .summary = "Switches on above one limit and off below another, element by element.",
    .description = "Between the limits it stays as it was. The instants of switching are located.",
    .icon = {.lines = {{{{0, 0.15}, {0.7, 0.15}, {0.7, 0.85}}}, {{{1, 0.85}, {0.3, 0.85}, {0.3, 0.15}}}}},
    .parameters = {{"on", "1", "limit above which it is on"},
                   {"off", "0", "limit below which it is off"},
                   {"high", "1", "output while it is on"},
                   {"low", "0", "output while it is off"},
                   {"initial", "0", "1: on at the start, where the input is between the limits"}},
    .ports = [](Ports& p) { p.input("u", {}, Scalar::f64).output("y", {}, Scalar::f64); },
    .build = build_hysteresis,
};

const BlockType backlash = {
    .name = "Backlash",
    .palette = "Hybrid",
    .summary =
        "Play: its output follows the input at half a gap's distance, and stands while the input crosses the gap.",
    .description =
        "In continuous time the instants at which it begins to follow, and those at which the input turns back, are "
        "located.",
    .icon = {.lines = {{{{0, 0.1}, {0.4, 0.1}, {1, 0.9}}}, {{{1, 0.9}, {0.6, 0.9}, {0, 0.1}}}}},
    .parameters = {{"gap", "1", "width of the gap"}, {"y0", "0", "output at the start, the centre of the gap"}},
    .ports = [](Ports& p) { p.input("u", {}, Scalar::f64).output("y", {}, Scalar::f64); },
    .build =
        [](Block& b) {
          if (!(b.parameters().now_number("gap") >= 0)) b.fail("gap", "must not be negative");
          const Expr half = b.finite("gap") / 2.0;
          const Variable held = b.memory("held", b.parameter("y0", b.out_type()));
          b.out(1, follow_with_play(b, held, b.in() - half, b.in() + half));
        },
};

const BlockType rate_limiter = {
    .name = "RateLimiter",
    .palette = "Hybrid",
    .summary = "Follows its input no faster than two slopes allow.",
    .description =
        "It begins at what the input is when the run starts, or at y0. At events it moves towards the input by at most "
        "slope times the time since the last one. In continuous time the instants are located at which the input "
        "becomes too fast, and those at which it is met again.",
    .icon = {.lines = {{{{0, 0.1}, {0.3, 0.1}, {0.7, 0.9}, {1, 0.9}}},
                       {{{0.3, 0.1}, {0.3, 0.9}, {0.7, 0.9}}, true, true}}},
    .parameters = {{"upper", "1", "largest slope; inf for none"},
                   {"lower", "-1", "smallest slope, mostly negative; -inf for none"},
                   {"start", "'input'", "where it begins", {"input", "value"}},
                   {"y0", "0", "where it begins with start = 'value'"}},
    .ports = [](Ports& p) { p.input("u", {}, Scalar::f64).output("y", {}, Scalar::f64); },
    .build =
        [](Block& b) {
          check_limits(b.parameters());
          const Type type = b.out_type();
          const Expr yes = b.constant(1, Scalar::boolean);
          const Variable held = b.memory("held", b.parameter("y0", type));
          const Variable since = b.memory("since", b.constant(0));
          const Variable running = b.memory("running", b.constant(0, Scalar::boolean));
          const auto is_endless = [&](const char* name) {
            return !b.parameters().has_formula(name) && std::isinf(b.parameters().now_number(name));
          };
          const auto reach = [&](const char* name) {
            if (is_endless(name)) return b.fill(type, b.parameters().now_number(name));
            return held + b.real(name) * (b.time() - since);
          };
          const Expr highest = reach("upper"), lowest = reach("lower");
          const Expr never = b.fill(type.with(Scalar::boolean), 0);
          const Expr too_high = is_endless("upper") ? never : b.in() > highest;
          const Expr too_low = is_endless("lower") ? never : b.in() < lowest;
          const Expr limited = select(too_high, highest, select(too_low, lowest, b.in()));
          const Expr first = b.text("start") == "input" ? b.in() : b.parameter("y0", type);
          const Expr y = select(running, limited, first);
          b.out(1, y);
          b.on_start().set(held, first).set(since, b.time()).set(running, yes);
          const auto begin_here = [&](const Trigger& trigger) {
            trigger.set(held, y).set(since, b.time()).set(running, yes);
          };
          begin_here(b.on_activation());
          begin_here(b.on_left());
          // It follows the input until that is faster than the slopes allow: from there on they count.
          const Expr idle = b.constant(-1);
          for (std::int64_t k = 0; k < type.size(); ++k) {
            const Expr rate = b.rate(b.in()[k]);
            const Expr is_limited = too_high[k] || too_low[k];
            if (!is_endless("upper")) begin_here(b.while_positive(select(is_limited, idle, rate - b.real("upper"))));
            if (!is_endless("lower")) begin_here(b.while_positive(select(is_limited, idle, b.real("lower") - rate)));
          }
        },
};

}  // namespace orrery::blocks
