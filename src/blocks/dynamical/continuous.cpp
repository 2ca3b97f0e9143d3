// SPDX-License-Identifier: Apache-2.0
// Integral, ContStateSpace, ContTransFunc, JumpStateSpace: blocks with continuous states.
#include <algorithm>
#include <cmath>

#include "blocks/checked_numbers.h"
#include "blocks/dynamical/dynamical.h"
#include "blocks/dynamical/linear_system.h"

namespace orrery::blocks {
namespace {

bool is_limited(const Block& b, const char* name) {
  const auto& limit = b.parameters().now_reals(name);
  return b.parameters().has_formula(name) ||
         std::any_of(limit.begin(), limit.end(), [](double x) { return !std::isinf(x); });
}

// What enters the state from outside, at the start and at a reset, is cut to the limits: beyond them it would have to
// be integrated away.
Expr initial_value(Block& b) {
  const Type type = b.out_type();
  if (!is_limited(b, "upper") && !is_limited(b, "lower")) return b.parameter("x0", type);
  const Expr highest = b.parameter("upper", type);  // refused where the sizes differ
  const Expr lowest = b.parameter("lower", type);
  if (b.parameters().has_formula("x0") || b.parameters().has_formula("lower") || b.parameters().has_formula("upper")) {
    return min(max(b.parameter("x0", type), lowest), highest);
  }
  const auto& lower = b.parameters().now_reals("lower");
  const auto& upper = b.parameters().now_reals("upper");
  std::vector<double> x0 = b.parameters().now_reals("x0");
  for (std::size_t k = 0; k < x0.size(); ++k) {
    x0[k] = std::clamp(x0[k], lower[lower.size() == 1 ? 0 : k], upper[upper.size() == 1 ? 0 : k]);
  }
  return b.constant(type, x0);
}

Expr within_limits(Block& b, Expr x) {
  if (is_limited(b, "upper")) x = min(x, b.parameter("upper", x.type()));
  if (is_limited(b, "lower")) x = max(x, b.parameter("lower", x.type()));
  return x;
}

// At a limit the state stands still while the input pushes outwards. Both facts become modes, so the instants of
// arrival and of departure are located; where nothing pushes, the limit is not looked at, so that a state that leaves
// it slowly is not caught by roundings. A state that arrives is put on the limit. The output is cut as well, for steps
// of fixed size: in the others the state is where it should be.
void integrate_within_limits(Block& b, const Variable& x, Expr u) {
  const Expr zero = b.fill(x.type(), 0);
  Expr rate = u;
  Expr y = x;
  if (is_limited(b, "upper")) {
    const Expr upper = b.parameter("upper", x.type());
    const Expr pushes = u > 0.0;
    rate = select(pushes && select(pushes, x - upper, b.fill(x.type(), -1)) >= 0.0, zero, rate);
    y = min(y, upper);
  }
  if (is_limited(b, "lower")) {
    const Expr lower = b.parameter("lower", x.type());
    const Expr pushes = u < 0.0;
    rate = select(pushes && select(pushes, lower - x, b.fill(x.type(), -1)) >= 0.0, zero, rate);
    y = max(y, lower);
  }
  b.der(x, rate);
  b.out(1, y);
  b.read_smoothly(y, x);
  for (const char* name : {"upper", "lower"}) {
    const auto& now = b.parameters().now_reals(name);
    const bool varies = b.parameters().has_formula(name);
    const Expr limit = b.parameter(name, x.type());
    for (std::int64_t k = 0; k < x.size(); ++k) {
      const Expr at = limit[k];
      if (!varies && std::isinf(now[now.size() == 1 ? 0 : static_cast<std::size_t>(k)])) continue;
      const Trigger arrives = *name == 'u' ? b.on_rising(x[k] - at) : b.on_falling(x[k] - at);
      arrives.set(x, within_limits(b, x));
    }
  }
}

void build_continuous_linear(Block& b, const LinearSystem& system) {
  const Expr u = b.in(1);
  if (system.order() == 0) return b.out(1, output(b, system, Expr{}, u));
  const Type size{Scalar::f64, system.order(), 1};
  const bool has_x0 = b.parameters().type() != &cont_trans_func;
  const Variable x = b.state("x", has_x0 ? b.parameter("x0", size) : b.fill(size, 0));
  b.der(x, change(b, system, x, u));
  b.out(1, output(b, system, x, u));
  if (b.input_count() == 2) b.on_activation(1).set(x, b.in(2));
}

}  // namespace

const BlockType integral = {
    .name = "Integral",
    .palette = "Dynamical",
    .summary = "The integral of its input over time.",
    .description =
        "The initial value gives the size. With reset 'activation' the block has an activation input, and "
        "the state jumps to the value of a second input when it is activated.\n\n"
        "With limits the state stops at the limit and leaves it when the input changes its sign; both "
        "instants are located. An initial value or a jump beyond a limit is cut to it.",
    .icon = {.numerator = "1", .denominator = "s"},
    .parameters = {{"x0", "0", "initial value"},
                   {"reset", "'none'", "whether the state can jump", {"none", "activation"}},
                   {"lower", "-inf", "lower limit; -inf for none"},
                   {"upper", "inf", "upper limit; inf for none"}},
    .activation = Activation::always,
    .ports =
        [](Ports& p) {
          const Value& x0 = p.parameters().matrix("x0");
          const bool reset = p.parameters().text("reset") == "activation";
          const Size size{x0.rows, x0.cols};
          p.input("u", size, Scalar::f64).output("y", size, Scalar::f64);
          if (reset) p.input("reset", size, Scalar::f64).activation_inputs(1);
        },
    .build =
        [](Block& b) {
          check_limits(b.parameters());
          const Variable x = b.state("x", initial_value(b));
          integrate_within_limits(b, x, b.in(1));
          if (b.input_count() == 2) b.on_activation(1).set(x, within_limits(b, b.in(2)));
        },
};

const BlockType cont_state_space = {
    .name = "ContStateSpace",
    .palette = "Dynamical",
    .summary = "A linear system: dx/dt = A x + B u, y = C x + D u.",
    .icon = {.text = "ẋ = Ax + Bu\ny = Cx + Du"},
    .parameters = {{"A", "-1", "n x n"},
                   {"B", "1", "n x number of inputs"},
                   {"C", "1", "number of outputs x n"},
                   {"D", "0", "number of outputs x number of inputs; 0 for none"},
                   {"x0", "0", "initial state; a scalar, or n numbers"}},
    .activation = Activation::always,
    .ports = [](Ports& p) { declare_ports(p, state_space(p.parameters())); },
    .build = [](Block& b) { build_continuous_linear(b, state_space(b)); },
};

const BlockType cont_trans_func = {
    .name = "ContTransFunc",
    .palette = "Dynamical",
    .summary = "A linear system given by its transfer function num(s) / den(s).",
    .description = "The states are those of the controllable canonical form and start at zero.",
    .icon = {.numerator = "{num|s}", .denominator = "{den|s}"},
    .parameters = {{"num", "1", "coefficients of the numerator, highest power first"},
                   {"den", "[1 1]", "coefficients of the denominator, highest power first"}},
    .activation = Activation::always,
    .ports = [](Ports& p) { declare_ports(p, transfer_function(p.parameters())); },
    .build = [](Block& b) { build_continuous_linear(b, transfer_function(b)); },
};

const BlockType jump_state_space = {
    .name = "JumpStateSpace",
    .palette = "Dynamical",
    .summary = "A linear system whose state jumps to the value of input 2 when the block is activated.",
    .icon = {.text = "ẋ = Ax + Bu\nx := u₂"},
    .parameters = {{"A", "0", "n x n"},
                   {"B", "1", "n x number of inputs"},
                   {"C", "1", "number of outputs x n"},
                   {"D", "0", "number of outputs x number of inputs; 0 for none"},
                   {"x0", "0", "initial state; a scalar, or n numbers"}},
    .activation = Activation::always,
    .ports =
        [](Ports& p) {
          const LinearSystem system = state_space(p.parameters());
          declare_ports(p, system);
          p.input("jump", {system.order(), 1}, Scalar::f64).activation_inputs(1);
        },
    .build = [](Block& b) { build_continuous_linear(b, state_space(b)); },
};

}  // namespace orrery::blocks
