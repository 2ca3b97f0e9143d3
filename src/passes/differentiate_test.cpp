// SPDX-License-Identifier: Apache-2.0
// Derivatives against central differences of evaluate(), and closed forms.
#include "passes/differentiate.h"

#include <cmath>

#include <gtest/gtest.h>

#include "passes/find_dependencies.h"
#include "program/evaluate.h"
#include "program/expr.h"

namespace orrery::passes {
namespace {

using namespace program;

// Slots: 0 and 1 scalars, 2 a vector of three, 3 a 2x2 matrix.
struct Case {
  const char* name;
  std::function<Expr(Expr x, Expr y, Expr v, Expr m)> make;
};

double value(const Graph& g, ExprId id, const Environment& e) { return evaluate(g, id, e)[0]; }

class Differentiate : public testing::TestWithParam<Case> {};

TEST_P(Differentiate, AgreesWithDifferences) {
  for (bool fold : {true, false}) {
    Graph g({fold, true});
    Expr x{&g, g.read(0, {})}, y{&g, g.read(1, {})}, v{&g, g.read(2, {Scalar::f64, 3, 1})};
    Expr m{&g, g.read(3, {Scalar::f64, 2, 2})};
    Expr f = GetParam().make(x, y, v, m);
    ASSERT_TRUE(f.type().is_scalar());
    Environment e;
    e.slots = {{0.4}, {0.7}, {1.5, -0.3, 0.8}, {2, 0.5, -0.25, 1.5}};
    Variable variables[] = {{0, 1}, {1, 1}, {2, 3}, {3, 4}};
    Gradients gradients(g, variables);
    std::vector<double> exact(9);
    for (const Partial& p : gradients.of(f.id())) exact[p.column] = value(g, p.value, e);
    EXPECT_TRUE(gradients.complete());
    std::size_t column = 0;
    for (std::size_t s = 0; s < 4; ++s) {
      for (double& z : e.slots[s]) {
        double keep = z;
        constexpr double h = 1e-6;
        z = keep + h;
        double up = value(g, f.id(), e);
        z = keep - h;
        double down = value(g, f.id(), e);
        z = keep;
        EXPECT_NEAR(exact[column++], (up - down) / (2 * h), 1e-7) << "column " << column - 1;
      }
    }
  }
}

Expr f1(Op op, Expr x) { return apply(op, x); }

INSTANTIATE_TEST_SUITE_P(
    Rules, Differentiate,
    testing::Values(
        Case{"polynomial", [](Expr x, Expr y, Expr, Expr) { return x * x * y - 3 * y + x / y - (-x); }},
        Case{"circular",
             [](Expr x, Expr y, Expr, Expr) { return f1(Op::sin, x * y) + f1(Op::cos, x) * f1(Op::tan, y); }},
        Case{"inverse_circular",
             [](Expr x, Expr y, Expr, Expr) { return f1(Op::asin, x) + f1(Op::acos, y) * f1(Op::atan, x * y); }},
        Case{"hyperbolic",
             [](Expr x, Expr y, Expr, Expr) { return f1(Op::sinh, x) * f1(Op::cosh, y) + f1(Op::tanh, x - y); }},
        Case{"inverse_hyperbolic",
             [](Expr x, Expr y, Expr, Expr) { return f1(Op::asinh, x) + f1(Op::acosh, y + 1) + f1(Op::atanh, x); }},
        Case{"exponential",
             [](Expr x, Expr y, Expr, Expr) { return f1(Op::exp, x) * f1(Op::log, y) + f1(Op::log10, x + y); }},
        Case{"roots",
             [](Expr x, Expr y, Expr, Expr) { return f1(Op::sqrt, x) + f1(Op::abs, x - y) + f1(Op::floor, y); }},
        Case{"powers",
             [](Expr x, Expr y, Expr, Expr) { return apply(Op::pow, x, y) + apply(Op::pow, y, x * 0 + 2.5) + x * x; }},
        Case{"angles", [](Expr x, Expr y, Expr, Expr) { return apply(Op::atan2, x, y) + apply(Op::hypot, x, y); }},
        Case{"remainders",
             [](Expr x, Expr y, Expr, Expr) { return apply(Op::mod, 5 * x, y) + apply(Op::rem, -3 * y, x); }},
        Case{"choices",
             [](Expr x, Expr y, Expr, Expr) { return min(x, y) * 3 + max(x * 4, y) + select(x < y, x * x, y * y); }},
        Case{"reductions",
             [](Expr x, Expr, Expr v, Expr) {
               return sum(v * x) + apply(Op::product, v) + apply(Op::minimum, v) * 2 + apply(Op::maximum, v * v);
             }},
        Case{"structure", [](Expr x, Expr, Expr v, Expr m) { return transpose(m).at(0, 1) * v[2] + (m * x)[3]; }},
        Case{"matmul", [](Expr, Expr, Expr, Expr m) { return sum(matmul(m, matmul(m, m))); }},
        Case{"solve",
             [](Expr x, Expr y, Expr, Expr m) {
               Expr parts[] = {x, y};
               return apply(Op::solve, m, stack(parts))[0] * 2 + apply(Op::solve, m, stack(parts))[1];
             }},
        Case{"inverse",
             [](Expr x, Expr, Expr, Expr m) { return apply(Op::inverse, m * x)[1] + sum(apply(Op::inverse, m)); }},
        Case{"determinant", [](Expr x, Expr, Expr, Expr m) { return apply(Op::determinant, m * x); }}),
    [](const auto& one) { return one.param.name; });

TEST(DifferentiateForms, AreWhatOneWouldWrite) {
  Graph g;
  Expr x{&g, g.read(0, {})}, y{&g, g.read(1, {})};
  EXPECT_EQ(differentiate(g, (3 * x + y).id(), 0), g.constant(3));
  EXPECT_EQ(differentiate(g, (x * y).id(), 0), y.id());
  EXPECT_EQ(differentiate(g, apply(Op::sin, x).id(), 0), apply(Op::cos, x).id());
  EXPECT_TRUE(g.is_constant(differentiate(g, y.id(), 0), 0));
}

TEST(DifferentiateForms, TheOtherBranchDoesNotSpoilTheDerivative) {
  Graph g;
  Expr x{&g, g.read(0, {})};
  Expr f = select(x > 0, apply(Op::sqrt, x), x);
  Environment e;
  e.slots = {{-1}};
  EXPECT_EQ(value(g, differentiate(g, f.id(), 0), e), 1);
}

TEST(DifferentiateForms, ForeignCallsAreReported) {
  Graph g;
  Expr x{&g, g.read(0, {})};
  ExprId argument = x.id();
  ExprId call = g.foreign(g.declare({"f", {{}}, {{}}}), 0, {&argument, 1});
  Variable variable{0, 1};
  Gradients gradients(g, {&variable, 1});
  gradients.of((Expr{&g, call} + x).id());
  EXPECT_FALSE(gradients.complete());
}

// f(a, b) = (a b, a^2) with a a column of two and b a scalar: (a1 b, a2 b, a1^2, a2^2), and its declared partials.
TEST(DifferentiateForms, ForeignCallsWithPartialsFollowTheChainRule) {
  Graph g;
  const Type pair{Scalar::f64, 2, 1};
  const int partials = g.declare({"df", {pair, {}}, {{Scalar::f64, 6, 1}}});
  ForeignFunction f{"f", {pair, {}}, {pair, pair}};
  f.depends_on = {{0, 2}, {1, 2}, {0}, {1}};
  f.partials = partials;
  const int function = g.declare(f);
  Expr x{&g, g.read(0, pair)}, u{&g, g.read(1, {})};
  ExprId arguments[] = {(x * 3).id(), (u * u).id()};
  Expr product{&g, g.foreign(function, 0, arguments)}, square{&g, g.foreign(function, 1, arguments)};
  Environment e;
  e.slots = {{2, 5}, {7}};
  e.foreign = [&](int which, int result, std::span<const Operand> in, std::span<double> out) {
    const double a1 = in[0].data[0], a2 = in[0].data[1], b = in[1].data[0];
    const double values[] = {a1 * b, a2 * b, a1 * a1, a2 * a2};
    const double slopes[] = {b, a1, b, a2, 2 * a1, 2 * a2};
    if (which == partials) {
      std::copy_n(slopes, 6, out.begin());
    } else {
      std::copy_n(values + 2 * result, 2, out.begin());
    }
  };
  const Variable variables[] = {{0, 2}, {1, 1}};
  Gradients gradients(g, variables);
  const auto first = gradients.of(product.id(), 0);
  ASSERT_EQ(first.size(), 2u) << "not of the other element of x";
  EXPECT_EQ(value(g, first[0].value, e), 3 * 49);     // d(3 x1 u^2)/dx1
  EXPECT_EQ(value(g, first[1].value, e), 6 * 2 * 7);  // d/du
  const auto second = gradients.of((square * product).id(), 1);
  ASSERT_EQ(second.size(), 2u);
  EXPECT_EQ(second[0].column, 1u);
  EXPECT_EQ(value(g, second[0].value, e), 81 * 25 * 49);  // d(27 x2^3 u^2)/dx2
  EXPECT_EQ(value(g, second[1].value, e), 54 * 125 * 7);
  EXPECT_TRUE(gradients.complete());
  const auto leaves = Dependencies(g).of(square.id(), 1);
  ASSERT_EQ(leaves.size(), 1u);
  EXPECT_EQ(leaves[0], (Leaf{0, 1}));
}

// A history of sin: its derivatives are known, and the present value counts with the weight that the run tells.
TEST(DifferentiateForms, ThePastChangesWithTheTimeLookedAtAndWithThePresentValue) {
  Graph g;
  const Expr x{&g, g.read(0, {})}, y{&g, g.read(1, {})};
  const ExprId stretch = g.constant(4), looked[] = {(x * x).id(), stretch, (3 * y).id(), g.time()};
  const ExprId past = g.past({0, PastWhat::value, 0, 0}, looked);
  Environment e;
  e.slots = {{0.4}, {0.7}};
  e.past.call = [](void*, int, int what, int order, int, int present, const double* a) {
    constexpr double weight = 0.25;
    if (what == static_cast<int>(PastWhat::weight)) return weight;
    return std::sin(a[0] + order * std::acos(0.0)) + (present != 0 && order == 0 ? weight * a[2] : 0);
  };
  const Variable variables[] = {{0, 1}, {1, 1}};
  Gradients gradients(g, variables);
  double exact[2] = {};
  for (const Partial& p : gradients.of(past)) exact[p.column] = value(g, p.value, e);
  EXPECT_TRUE(gradients.complete());
  EXPECT_NEAR(exact[0], std::cos(0.16) * 0.8, 1e-14);
  EXPECT_NEAR(exact[1], 0.75, 1e-14);
}

TEST(DifferentiateForms, WideSumsAndDeepChains) {
  Graph g;
  constexpr SlotId n = 20000;
  std::vector<Variable> variables;
  Expr total{&g, g.constant(0)};
  for (SlotId s = 0; s < n; ++s) {
    variables.push_back({s, 1});
    Expr x{&g, g.read(s, {})};
    total = total + x * x;
  }
  for (int i = 0; i < 100000; ++i) total = apply(Op::sin, total);
  Gradients gradients(g, variables);
  EXPECT_EQ(gradients.of(total.id()).size(), n);
}

}  // namespace
}  // namespace orrery::passes
