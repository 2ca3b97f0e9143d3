// SPDX-License-Identifier: Apache-2.0
// DiscreteDelay, Memory, SampleHold, DiscreteIntegral, DiscrStateSpace, DiscrTransFunc, Counter: memories that events
// change.
#include <fmt/format.h>

#include <cmath>

#include "blocks/checked_numbers.h"
#include "blocks/dynamical/dynamical.h"
#include "blocks/dynamical/linear_system.h"
#include "blocks/element_types.h"

namespace orrery::blocks {
namespace {

// The initial value gives size and type, so that a loop through the block needs no other hint.
void delay_ports(Ports& p) {
  const Value& z0 = p.parameters().matrix("z0");
  p.input("u", {z0.rows, z0.cols}, z0.type).output("y", {z0.rows, z0.cols}, z0.type);
}

void build_delay(Block& b) {
  const Variable z = b.memory("z", b.parameter("z0"));
  b.out(1, z);
  b.on_activation().set(z, b.in());
}

void build_discrete_linear(Block& b, const LinearSystem& system) {
  const Expr u = b.in();
  if (system.order() == 0) return b.out(1, output(b, system, Expr{}, u));
  const Type size{Scalar::f64, system.order(), 1};
  const bool has_x0 = b.parameters().type() != &discr_trans_func;
  const Variable x = b.memory("x", has_x0 ? b.parameter("x0", size) : b.fill(size, 0));
  b.out(1, output(b, system, x, u));
  b.on_activation().set(x, change(b, system, x, u));
}

}  // namespace

const BlockType discrete_delay = {
    .name = "DiscreteDelay",
    .palette = "Dynamical",
    .summary = "The value its input had at the previous activation (1/z).",
    .description = "The initial value gives size and element type.",
    .icon = {.numerator = "1", .denominator = "z"},
    .parameters = {{"z0", "0", "output at the first activation; a value of any element type"}},
    .ports = delay_ports,
    .build = build_delay,
};

const BlockType memory = {
    .name = "Memory",
    .palette = "Dynamical",
    .summary = "The value its input had when it was last activated; used to break loops.",
    .description =
        "The initial value gives size and element type. Events count as activations, continuous time does "
        "not.",
    .icon = {.text = "memory"},
    .parameters = {{"z0", "0", "output at the first activation; a value of any element type"}},
    .ports = delay_ports,
    .build = build_delay,
};

const BlockType sample_hold = {
    .name = "SampleHold",
    .palette = "Dynamical",
    .summary = "Copies its input when it is activated and holds it until the next activation.",
    .icon = {.text = "S/H"},
    .ports = [](Ports& p) { p.input("u").output("y"); },
    .build = [](Block& b) { b.out(1, b.in()); },
};

const BlockType discrete_integral = {
    .name = "DiscreteIntegral",
    .palette = "Dynamical",
    .summary = "The integral of a sampled signal.",
    .description =
        "forward adds T u(k-1), backward T u(k), trapezoidal T (u(k-1) + u(k)) / 2. The initial value gives "
        "the size.",
    .icon = {.numerator = "T", .denominator = "z − 1"},
    .parameters = {{"method", "'forward'", "rule of integration", {"forward", "backward", "trapezoidal"}},
                   {"T", "1", "sample period, the time between two activations"},
                   {"z0", "0", "initial value"}},
    .ports =
        [](Ports& p) {
          const Value& z0 = p.parameters().matrix("z0");
          p.input("u", {z0.rows, z0.cols}, Scalar::f64).output("y", {z0.rows, z0.cols}, Scalar::f64);
        },
    .build =
        [](Block& b) {
          const std::string& method = b.text("method");
          const Expr period = b.positive_real("T");
          const Variable z = b.memory("z", b.parameter("z0", b.out_type()));
          if (method == "forward") {
            b.out(1, z);
            b.on_activation().set(z, z + period * b.in());
          } else {
            const Expr now = (method == "backward" ? period : period / 2.0) * b.in();
            b.out(1, z + now);
            b.on_activation().set(z, method == "backward" ? z + now : z + 2.0 * now);
          }
        },
};

const BlockType discr_state_space = {
    .name = "DiscrStateSpace",
    .palette = "Dynamical",
    .summary = "A linear system in discrete time: x(k+1) = A x(k) + B u(k), y(k) = C x(k) + D u(k).",
    .icon = {.text = "x⁺ = Ax + Bu\ny = Cx + Du"},
    .parameters = {{"A", "0.5", "n x n"},
                   {"B", "1", "n x number of inputs"},
                   {"C", "1", "number of outputs x n"},
                   {"D", "0", "number of outputs x number of inputs; 0 for none"},
                   {"x0", "0", "initial state; a scalar, or n numbers"}},
    .ports = [](Ports& p) { declare_ports(p, state_space(p.parameters())); },
    .build = [](Block& b) { build_discrete_linear(b, state_space(b)); },
};

const BlockType discr_trans_func = {
    .name = "DiscrTransFunc",
    .palette = "Dynamical",
    .summary = "A linear system in discrete time given by its transfer function num(z) / den(z).",
    .description = "The states are those of the controllable canonical form and start at zero.",
    .icon = {.numerator = "{num|z}", .denominator = "{den|z}"},
    .parameters = {{"num", "1", "coefficients of the numerator, highest power first"},
                   {"den", "[1 -0.5]", "coefficients of the denominator, highest power first"}},
    .ports = [](Ports& p) { declare_ports(p, transfer_function(p.parameters())); },
    .build = [](Block& b) { build_discrete_linear(b, transfer_function(b)); },
};

const BlockType counter = {
    .name = "Counter",
    .palette = "Dynamical",
    .summary = "Counts its activations from one number to another, then starts again.",
    .icon = {.text = "1, 2, 3 …"},
    .parameters = {{"direction", "'up'", "whether a step is added or subtracted", {"up", "down"}},
                   {"from", "0", "number at the first activation"},
                   {"to", "inf", "last number; the next activation starts again with `from`"},
                   {"step", "1", "step, greater than 0"},
                   {"initial", "[]", "number at the first activation; []: `from`"},
                   type_spec("'double'")},
    .ports = [](Ports& p) { p.output("y", scalar_size, element_type_of(p.parameters())); },
    .build =
        [](Block& b) {
          const bool up = b.text("direction") == "up";
          const double from = finite_number(b.parameters(), "from");
          const double step = b.positive("step");
          if (std::isnan(b.number("to"))) b.fail("to", "must not be nan", "inf to count without end");
          // `inf` is the default, so it means "without end" in both directions.
          const double to = std::isinf(b.number("to")) ? (up ? HUGE_VAL : -HUGE_VAL) : b.number("to");
          if (up ? to < from : to > from) {
            b.fail("to", fmt::format("{} cannot be reached from {} by counting {}", to, from, up ? "up" : "down"));
          }
          // Steps are counted, as adding them up would round again and again and miss the last number.
          const double steps = std::fabs(to - from) / step;
          const double last = std::floor(steps * (1 + 1e-12) + 1e-9);
          const bool ends_there = std::isfinite(last) && std::fabs(steps - last) <= 1e-9 + 1e-12 * steps;
          double begin = 0;  // in steps
          if (b.parameters().given("initial")) {
            const double initial = finite_number(b.parameters(), "initial");
            begin = (up ? initial - from : from - initial) / step;
            if (begin < 0 || begin > last) b.fail("initial", fmt::format("{} is not between from and to", initial));
          }
          const Variable n = b.memory("n", b.constant(begin));
          const Expr reached = up ? from + step * n : from - step * n;
          const Expr y = ends_there ? select(n == last, b.constant(to), reached) : reached;
          b.out(1, y.as(b.out_type().scalar));
          b.on_activation().set(n, select(n + 1.0 > last, b.constant(0), n + 1.0));
        },
};

}  // namespace orrery::blocks
