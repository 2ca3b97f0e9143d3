// SPDX-License-Identifier: Apache-2.0
// Constraint, ImplicitDerivative, LoopBreaker: blocks that ask for values which solve equations (Activate, 10.2, 10.3).
#include "blocks/dynamical/dynamical.h"

namespace orrery::blocks {
namespace {

Size size_of(const Value& value) { return {value.rows, value.cols}; }

// +1 for differential, -1 for algebraic, for each element.
std::vector<bool> differential_marks(const Block& b, std::int64_t count) {
  const std::vector<double>& marks = b.parameters().reals("xproperties");
  if (marks.size() != 1 && static_cast<std::int64_t>(marks.size()) != count) {
    b.fail("xproperties", "must be one number or as many as there are states");
  }
  std::vector<bool> differential;
  for (std::int64_t k = 0; k < count; ++k) {
    const double mark = marks[marks.size() == 1 ? 0 : static_cast<std::size_t>(k)];
    if (mark != 1 && mark != -1) b.fail("xproperties", "holds +1 (differential) or -1 (algebraic)");
    differential.push_back(mark > 0);
  }
  return differential;
}

// Differential elements are states whose derivative is asked for; algebraic ones are asked for themselves.
void build_implicit(Block& b) {
  const Type type = b.out_type(1);
  const Expr x0 = b.parameter("x0", type);
  const Expr xd0 = b.parameter("xd0", type);
  const std::vector<bool> differential = differential_marks(b, type.size());
  std::vector<ExprId> guess;
  for (std::int64_t k = 0; k < type.size(); ++k) {
    guess.push_back((differential[static_cast<std::size_t>(k)] ? xd0 : x0)[k].id());
  }
  const Variable x = b.state("x", x0);
  const Variable v = b.unknown("v", Expr{&b.graph(), b.graph().stack(type, guess)});
  const Expr zero = b.constant(0);
  std::vector<ExprId> value, rate;
  for (std::int64_t k = 0; k < type.size(); ++k) {
    const bool d = differential[static_cast<std::size_t>(k)];
    value.push_back((d ? x[k] : v[k]).id());
    rate.push_back((d ? v[k] : zero).id());
  }
  const Expr derivative{&b.graph(), b.graph().stack(type, rate)};
  b.der(x, derivative);
  b.equation(v, b.in(1));
  b.out(1, Expr{&b.graph(), b.graph().stack(type, value)});
  b.out(2, derivative);
}

}  // namespace

const BlockType constraint = {
    .name = "Constraint",
    .palette = "Dynamical",
    .summary = "Gives the value for which its input is zero.",
    .description =
        "The input must depend on the output, through whatever blocks: together they are an equation, one for each "
        "element. Equations of several Constraint blocks that depend on each other are solved together. An equation "
        "between states, such as the length of a pendulum whose output is the force in the rod, is differentiated "
        "until it determines the output, and kept as an invariant. Where equations can never determine their unknowns "
        "the message names them.\n\n"
        "The guess is where the search for the first solution begins; later the last solution takes its place. While "
        "the blocks that compute the input are not active, the output keeps its value.",
    .icon = {.text = "f(y) = 0"},
    .parameters = {{"guess", "0", "where the search begins; its size is that of input and output"}},
    .activation = Activation::always,
    .ports =
        [](Ports& p) {
          const Size size = size_of(p.parameters().matrix("guess"));
          p.input("residual", size, Scalar::f64).output("y", size, Scalar::f64);
        },
    .build =
        [](Block& b) {
          const Variable z = b.unknown("z", b.parameter("guess", b.out_type()));
          b.equation(z, b.in(1));
          b.out(1, z);
        },
};

const BlockType implicit_derivative = {
    .name = "ImplicitDerivative",
    .palette = "Dynamical",
    .summary = "States and their derivatives such that the input, a residual of both, is zero.",
    .description =
        "An implicit differential equation 0 = F(t, x, dx/dt, ...): output 1 is x, output 2 its derivative, and the "
        "blocks between them and the input compute F. An element that is marked algebraic has no derivative: x itself "
        "is found from the equations, beginning at x0, and output 2 is zero there.\n\n"
        "Any solver can be used: explicit ones solve the equations within each evaluation, DAE solvers (ida, daskr, "
        "radau, sdirk) take them into their own.",
    .icon = {.text = "F(ẋ, x) = 0"},
    .parameters = {{"x0", "0", "initial value (algebraic: guess); its size is that of input and outputs"},
                   {"xd0", "0", "guess of the initial derivative"},
                   {"xproperties", "1", "for each element +1: differential, -1: algebraic; or one number for all"}},
    .activation = Activation::always,
    .ports =
        [](Ports& p) {
          const Size size = size_of(p.parameters().matrix("x0"));
          p.input("residual", size, Scalar::f64).output("x", size, Scalar::f64).output("xd", size, Scalar::f64);
        },
    .build = build_implicit,
};

const BlockType loop_breaker = {
    .name = "LoopBreaker",
    .palette = "Dynamical",
    .summary = "Passes its input on; an algebraic loop through it is solved for this signal.",
    .description =
        "Algebraic loops are found and solved without it. With it the user chooses the signal to solve for and where "
        "the search for the first solution begins, which matters when there are several.",
    .icon = {.text = "⊣⊢"},
    .parameters = {{"guess", "0", "where the search begins; its size is that of input and output"}},
    .activation = Activation::always,
    .ports =
        [](Ports& p) {
          const Size size = size_of(p.parameters().matrix("guess"));
          p.input("u", size, Scalar::f64).output("y", size, Scalar::f64);
        },
    .build =
        [](Block& b) {
          const Variable z = b.unknown("z", b.parameter("guess", b.out_type()));
          b.equation(z, b.in(1) - z);
          b.out(1, z);
        },
};

const BlockType invariant = {
    .name = "Invariant",
    .palette = "Dynamical",
    .summary = "Says that its input stays zero: after each step the states are put back to where it is.",
    .description =
        "For quantities that the exact solution keeps by itself and a numerical one does not, such as the length of a "
        "pendulum in Cartesian coordinates. The solver finds the smallest change of the states that makes the input "
        "zero and applies it after each step (kind CONSTRAINT of chapter 10.3).",
    .icon = {.text = "c(x) = 0"},
    .activation = Activation::always,
    .ports = [](Ports& p) { p.input("c", {}, Scalar::f64); },
    .build = [](Block& b) { b.keep_zero(b.in(1)); },
};

const BlockType initial_equation = {
    .name = "InitialEquation",
    .palette = "Dynamical",
    .summary = "Says that its input is zero when the run starts; states that are free begin where it is.",
    .description =
        "The setting initial of the model says which states are free: \"initial\": {\"/Plant/Tank\": \"free\"}, or on "
        "the command line --initial /Plant/Tank=free. Their initial values are then where the search begins. There "
        "must "
        "be as many initial equations as free states; of more free states than equations the first of the file keep "
        "their initial values. States that are to begin with zero derivatives need no block: \"rest\" instead of "
        "\"free\". --explain-start tells what was found.",
    .icon = {.text = "at start: 0"},
    .activation = Activation::always,
    .ports = [](Ports& p) { p.input("u", {}, Scalar::f64); },
    .build = [](Block& b) { b.zero_at_start(b.in(1)); },
};

const BlockType projected_integral = {
    .name = "ProjectedIntegral",
    .palette = "Dynamical",
    .summary = "The integral of its first input; after each step the state is put to its second input.",
    .description =
        "For models that know the way back to where their states should be: the second input is that point, computed "
        "from the outputs of the blocks concerned (kind PROJECTION of chapter 10.3). It is repeated until the states "
        "no longer move.",
    .icon = {.text = "∫ and project"},
    .parameters = {{"x0", "0", "initial value; its size is that of inputs and output"}},
    .activation = Activation::always,
    .ports =
        [](Ports& p) {
          const Size size = size_of(p.parameters().matrix("x0"));
          p.input("u", size, Scalar::f64).input("projected", size, Scalar::f64).output("y", size, Scalar::f64);
        },
    .build =
        [](Block& b) {
          const Variable x = b.state("x", b.parameter("x0", b.out_type()));
          b.der(x, b.in(1));
          b.project(x, b.in(2));
          b.out(1, x);
        },
};

}  // namespace orrery::blocks
