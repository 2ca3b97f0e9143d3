// SPDX-License-Identifier: Apache-2.0
// FixedDelay, VariableDelay: signals as they were some time ago.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "blocks/dynamical/dynamical.h"

namespace orrery::blocks {
namespace {

const ParameterSpec init_spec = {
    "init", "0",
    "value before the start: one number or one of the size of the input; with init_times a "
    "column of values for each time"};
const ParameterSpec times_spec = {"init_times", "[]",
                                  "times, ascending, between which init is linear; one that comes twice is a jump"};

bool has_table(const Parameters& parameters) { return parameters.given("init_times"); }

void refine_delay(Ports& p) {
  const Value& init = p.parameters().matrix("init");
  if (!has_table(p.parameters()) && init.size() > 1) {
    p.set_input_size(1, init.rows, init.cols);
    p.set_output_size(1, init.rows, init.cols);
  }
}

// Histories keep doubles: a complex number as its two parts, which other types fit exactly.
Expr to_doubles(Expr u) {
  if (u.scalar_type() != Scalar::c128) return u.as(Scalar::f64);
  std::vector<Expr> parts;
  for (std::int64_t k = 0; k < u.size(); ++k) {
    parts.push_back(apply(Op::real, u[k]));
    parts.push_back(apply(Op::imag, u[k]));
  }
  return stack(parts);
}

Expr from_doubles(Expr past, Type type) {
  if (type.scalar != Scalar::c128) return past.as(type.scalar);
  std::vector<Expr> elements;
  for (std::int64_t k = 0; k < type.size(); ++k) {
    elements.push_back(apply(Op::complex_pair, past[2 * k], past[2 * k + 1]));
  }
  return type.is_scalar() ? elements[0] : stack(type, elements);
}

// Linear between the points of the table, and constant outside.
Expr table_start(Block& b, Type type, std::vector<double>& times) {
  if (type.scalar != Scalar::f64) b.fail("init_times", fmt::format("is for double signals, not for {}", to_text(type)));
  times = b.parameters().reals("init_times");
  const std::vector<double>& values = b.parameters().reals("init");
  const auto size = static_cast<std::size_t>(type.size());
  if (!std::is_sorted(times.begin(), times.end())) b.fail("init_times", "must not descend");
  if (values.size() != size * times.size()) {
    b.fail("init", fmt::format("must have {} values, {} for each of {} times, but has {}", size * times.size(), size,
                               times.size(), values.size()));
  }
  const auto column = [&](std::size_t k) {
    return b.constant(type, {values.begin() + static_cast<std::ptrdiff_t>(k * size),
                             values.begin() + static_cast<std::ptrdiff_t>((k + 1) * size)});
  };
  Expr value = column(0);
  for (std::size_t k = 1; k < times.size(); ++k) {
    if (times[k] == times[k - 1]) continue;
    const Expr share = (b.time() - times[k - 1]) / (times[k] - times[k - 1]);
    value = select(b.time() < times[k - 1], value, column(k - 1) + share * (column(k) - column(k - 1)));
  }
  return select(b.time() < times.back(), value, column(times.size() - 1));
}

Expr delayed(Block& b, Expr delay, Block::PastOptions options) {
  const Type type = b.in().type();
  options.start =
      has_table(b.parameters()) ? table_start(b, type, options.start_breaks) : to_doubles(b.parameter("init", type));
  return from_doubles(b.past(to_doubles(b.in()), delay, options), type);
}

void build_fixed_delay(Block& b) {
  const double now = b.parameters().now_number("T");
  if (!(now >= 0) || std::isinf(now))
    b.fail("T", fmt::format("must be a finite time that is not negative, but is {}", now));
  if (now == 0) {
    static_cast<void>(b.number("T"));  // without a delay it is a wire, which another value would not make of it
    return b.out(1, b.in());
  }
  const Expr delay = b.real("T");
  b.out(1, delayed(b, delay, {.least = delay, .largest = delay, .start = {}}));
}

void build_variable_delay(Block& b) {
  const double least = b.parameters().now_number("min"), largest = b.parameters().now_number("max");
  if (!(least >= 0)) b.fail("min", fmt::format("must not be negative, but is {}", least));
  if (!(largest > 0) || std::isinf(largest) || !(largest >= least))
    b.fail("max", fmt::format("must be a finite time greater than 0 and not below min, but is {}", largest),
           "what is older is forgotten: give the longest delay that occurs");
  if (least == 0) static_cast<void>(b.number("min"));
  const Expr smallest = b.real("min"), longest = b.real("max"), delay = b.in(2);
  const Expr margin = 1e-9 * longest;
  b.require(delay >= smallest - margin && delay <= longest + margin, "the delay is {}, which is not between {} and {}",
            {delay, smallest, longest});
  b.out(1, delayed(b, delay, {.least = smallest, .largest = longest, .start = {}, .present = least == 0}));
}

}  // namespace

const BlockType fixed_delay = {
    .name = "FixedDelay",
    .palette = "Dynamical",
    .summary = "Its input as it was a fixed time ago: y(t) = u(t - T).",
    .description =
        "The past is kept as the solver's own polynomials, so what is delayed is as exact as what was computed. Jumps "
        "and corners of the input arrive at their instants: there the integrator stops. Steps are not longer than T. A "
        "delay of 0 is a wire.\n\n"
        "Before the start the input is taken to have been init: a constant, or a table over init_times.",
    .icon = {.text = "u(t − {T})"},
    .parameters = {{"T", "1", "the delay, not negative"}, init_spec, times_spec},
    .activation = Activation::always,
    .ports = [](Ports& p) { p.input("u").output("y"); },
    .refine = refine_delay,
    .build = build_fixed_delay,
};

const BlockType variable_delay = {
    .name = "VariableDelay",
    .palette = "Dynamical",
    .summary = "Its first input as it was as long ago as the second one says: y(t) = u(t - d(t)).",
    .description =
        "As FixedDelay. The delay must stay between min and max: what is older than max is forgotten, and a delay "
        "outside ends the run with an error at the instant.\n\n"
        "With min = 0 the output may depend on the present input, so that a loop through the block is algebraic. A min "
        "greater than 0 breaks loops, and bounds the steps.",
    .icon = {.text = "u(t − d)"},
    .parameters = {{"min", "0", "the shortest delay that occurs"},
                   {"max", "1", "the longest delay that occurs"},
                   init_spec,
                   times_spec},
    .activation = Activation::always,
    .ports = [](Ports& p) { p.input("u").input("d", scalar_size, Scalar::f64).output("y"); },
    .refine = refine_delay,
    .build = build_variable_delay,
};

}  // namespace orrery::blocks
