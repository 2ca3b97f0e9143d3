// SPDX-License-Identifier: Apache-2.0
// SampleClock, ReSampleClock, SyncTag, EventClock, EventGenerate, InitialEvent, AlwaysActivate: where activations
// begin.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "blocks/activation_operations/activation_operations.h"

namespace orrery::blocks {
namespace {

// Late events are due at once: a negative delay would cancel them.
Expr delay_to(Block& b, Expr time) { return max(time - b.time(), b.constant(0)); }

// A number, or [x; y; z] for x / y * 10^z.
Rational clock_time(Block& b, const char* name) {
  const Value& given = b.parameters().matrix(name);
  if (given.size() != 3) return b.exact(name);
  const std::vector<double>& parts = b.parameters().reals(name);
  const auto whole = [](double x) { return std::isfinite(x) && x == std::floor(x) && std::fabs(x) < 1e15; };
  if (!std::all_of(parts.begin(), parts.end(), whole) || !(parts[0] >= 0) || !(parts[1] > 0) ||
      std::fabs(parts[2]) > 15) {
    b.fail(name, "must be [x; y; z] of whole numbers, x not negative, y greater than 0, z from -15 to 15");
  }
  std::int64_t top = static_cast<std::int64_t>(parts[0]), bottom = static_cast<std::int64_t>(parts[1]);
  bool fits = true;
  for (int k = 0; k < std::abs(static_cast<int>(parts[2])); ++k) {
    std::int64_t& grows = parts[2] > 0 ? top : bottom;
    fits = fits && !__builtin_mul_overflow(grows, std::int64_t{10}, &grows);
  }
  const auto exact = fits ? make_rational(top, bottom) : std::nullopt;
  if (!exact) b.fail(name, "is a fraction of numbers that are too large");
  return *exact;
}

constexpr std::size_t few_times = 16;

// The time with this number, counted from 0.
Expr time_number(Expr times, Expr number) {
  Expr time = times[times.size() - 1];
  for (std::int64_t k = times.size() - 1; k-- > 0;) {
    time = select(number <= static_cast<double>(k), times[k], time);
  }
  return time;
}

void generate_few(Block& b, Expr times) {
  const Variable number = b.memory("number", b.constant(0));
  Expr passed = b.constant(0);
  for (std::int64_t k = 0; k < times.size(); ++k) {
    passed = passed + select(b.time() > times[k], b.constant(1), b.constant(0));
  }
  b.on_start()
      .when(b.time() <= times[times.size() - 1])
      .set(number, passed)
      .schedule(1, delay_to(b, time_number(times, passed)));
  b.on_fired(1)
      .when(number < static_cast<double>(times.size() - 1))
      .set(number, number + 1.0)
      .schedule(1, delay_to(b, time_number(times, number + 1.0)));
}

// One activation output for each time, in any order; times before the start never come.
void generate_each(Block& b) {
  const std::vector<double>& now = b.parameters().now_reals("times");
  if (now.empty()) b.fail("times", "must be one or more numbers");
  const Expr times = b.parameter("times", {Scalar::f64, static_cast<std::int32_t>(now.size()), 1});
  for (std::size_t k = 0; k < now.size(); ++k) {
    if (std::isnan(now[k])) b.fail("times", "must not be nan", "inf for an event that never comes");
    const Expr time = times[static_cast<std::int64_t>(k)];
    if (std::isinf(now[k]) && !b.parameters().has_formula("times")) continue;
    b.on_start().when(b.time() <= time).schedule(static_cast<int>(k) + 1, time - b.time());
  }
}

// The next time is looked up by its number, however many there are.
void generate_many(Block& b, const std::vector<double>& times) {
  const Expr listed = b.constant({Scalar::f64, static_cast<std::int32_t>(times.size()), 1}, times);
  const auto delay_to_number = [&](Expr k) { return delay_to(b, gather(listed, k.as(Scalar::i32))); };
  const Variable number = b.memory("number", b.constant(0));
  const Expr passed = program::sum((listed < b.time()).as(Scalar::f64));
  b.on_start().when(b.time() <= times.back()).set(number, passed).schedule(1, delay_to_number(passed));
  b.on_fired(1)
      .when(number < static_cast<double>(times.size() - 1))
      .set(number, number + 1.0)
      .schedule(1, delay_to_number(number + 1.0));
}

}  // namespace

const BlockType sample_clock = {
    .name = "SampleClock",
    .palette = "ActivationOperations",
    .summary = "A periodic activation, synchronous with all SampleClocks of the model.",
    .description =
        "Ticks happen at start + offset + k * period. Clocks that tick in the same instant make one event; a "
        "SyncTag sets the clocks of its diagram apart. Period 0 is the always active signal, period -1 the "
        "initial activation.\n\nPeriod and offset are kept as exact fractions, so ticks never drift apart.",
    .icon = {.text = "every {period}"},
    .parameters = {{"period", "1", "time between ticks; 0: always, -1: initially; [x; y; z]: x / y * 10^z"},
                   {"offset", "0", "time of the first tick, written as the period"}},
    .ports = [](Ports& p) { p.activation_inputs(0).activation_outputs(1); },
    .build =
        [](Block& b) {
          if (b.parameters().matrix("period").size() != 3) {
            const double period = b.number("period");
            if (period == 0) return b.always(1);
            if (period == -1) return b.initially(1);
          }
          b.clock(1, clock_time(b, "period"), clock_time(b, "offset"));
        },
};

const BlockType re_sample_clock = {
    .name = "ReSampleClock",
    .palette = "ActivationOperations",
    .summary = "Every n-th tick of the periodic activation it receives, or more ticks than these, synchronous with it.",
    .description = "The new period is the old one times factor divided by up.",
    .icon = {.numerator = "{up}", .denominator = "{factor}"},
    .parameters = {{"factor", "2", "n, a whole number from 1 on"},
                   {"phase", "0", "number of ticks before the first one that passes"},
                   {"up", "1", "number of ticks that take the place of one, a whole number from 1 on"}},
    .ports = [](Ports& p) { p.activation_outputs(1); },
    .build =
        [](Block& b) {
          if (b.integer("phase") < 0) b.fail("phase", "must not be negative");
          b.resample(1, b.count("factor"), b.integer("phase"), b.count("up"));
        },
};

const BlockType sync_tag = {
    .name = "SyncTag",
    .palette = "ActivationOperations",
    .summary = "Makes the clocks of its diagram independent of those outside.",
    .description =
        "The SampleClocks and ReSampleClocks of the diagram, and of the diagrams inside it, are synchronous "
        "among themselves only.",
    .icon = {.text = "sync"},
    .role = Role::sync_tag,
    .ports = [](Ports& p) { p.activation_inputs(0); },
};

const BlockType event_clock = {
    .name = "EventClock",
    .palette = "ActivationOperations",
    .summary = "Events at regular intervals, asynchronous with all others.",
    .description = "Event k is programmed when event k - 1 fires, for start + offset + k * period.",
    .icon = {.text = "↯ {period}"},
    .parameters = {{"period", "1", "time between events"}, {"offset", "0", "time of the first event"}},
    .ports = [](Ports& p) { p.activation_inputs(0).activation_outputs(1); },
    .build =
        [](Block& b) {
          const Expr period = b.positive_real("period"), offset = b.real("offset");
          const double now = b.parameters().now_number("offset");
          if (!(now >= 0)) b.fail("offset", fmt::format("must not be negative, but is {}", now));
          // Counted, as the time of an event that waited for the end of a fixed step does not tell which it was.
          const Variable first = b.memory("first", offset);
          const Variable number = b.memory("number", b.constant(0));
          b.on_start().set(first, b.time() + offset).schedule(1, offset);
          b.on_fired(1).set(number, number + 1.0).schedule(1, delay_to(b, first + (number + 1.0) * period));
        },
};

const BlockType event_generate = {
    .name = "EventGenerate",
    .palette = "ActivationOperations",
    .summary = "Events at given times.",
    .description =
        "Each time has an activation output of its own, or all share one and are then in ascending order. Times before "
        "the start are passed over.",
    .icon = {.text = "{times}"},
    .parameters = {{"times", "1", "time of the event, or several in ascending order"},
                   {"outputs",
                    "'each'",
                    "whether each event has an activation output of its own, or all of them one",
                    {"each", "one"}}},
    .ports =
        [](Ports& p) {
          const bool each = p.parameters().text("outputs") == "each";
          const std::size_t count = p.parameters().now_reals("times").size();
          if (each && count > 1000) p.parameters().fail("outputs", "must be 'one' for so many events");
          p.activation_inputs(0).activation_outputs(each ? std::max(static_cast<int>(count), 1) : 1);
        },
    .build =
        [](Block& b) {
          if (b.text("outputs") == "each") return generate_each(b);
          std::vector<double> times = b.parameters().now_reals("times");
          const bool numbers = std::none_of(times.begin(), times.end(), [](double t) { return std::isnan(t); });
          if (times.empty() || !numbers || !std::is_sorted(times.begin(), times.end(), std::less_equal<>())) {
            b.fail("times", "must be one or more numbers in ascending order");
          }
          if (times.size() <= few_times) {
            return generate_few(b, b.parameter("times", {Scalar::f64, static_cast<std::int32_t>(times.size()), 1}));
          }
          b.parameters().settle("times", "so many times are a table of the EventGenerate");
          std::erase_if(times, [](double t) { return std::isinf(t); });  // never
          generate_many(b, times);
        },
};

const BlockType initial_event = {
    .name = "InitialEvent",
    .palette = "ActivationOperations",
    .summary = "One activation, when the simulation starts.",
    .icon = {.text = "t = 0"},
    .ports = [](Ports& p) { p.activation_inputs(0).activation_outputs(1); },
    .build = [](Block& b) { b.initially(1); },
};

const BlockType final_event = {
    .name = "FinalEvent",
    .palette = "ActivationOperations",
    .summary = "One activation, the last: when the simulation ends, unless it failed.",
    .description =
        "It comes after all other events, at the stop time or where an End block ended the run. What it programs never "
        "comes.",
    .icon = {.text = "the end"},
    .ports = [](Ports& p) { p.activation_inputs(0).activation_outputs(1); },
    .build = [](Block& b) { b.fires_at_end(1); },
};

const BlockType always_activate = {
    .name = "AlwaysActivate",
    .palette = "ActivationOperations",
    .summary = "The always active signal: continuous time.",
    .icon = {.text = "always"},
    .ports = [](Ports& p) { p.activation_inputs(0).activation_outputs(1); },
    .build = [](Block& b) { b.always(1); },
};

}  // namespace orrery::blocks
