// SPDX-License-Identifier: Apache-2.0
// Functions with statements: derivatives against closed forms and differences, dependencies element by element.
#include "passes/differentiate_function.h"

#include <gtest/gtest.h>

#include <cmath>

#include "passes/differentiate.h"
#include "passes/find_dependencies.h"
#include "passes/function_dependencies.h"
#include "passes/inline_function.h"
#include "program/random_function.h"

namespace orrery::passes {
namespace {

using namespace program;
using Kind = Statement::Kind;

// y = newton(x): the square root of x by Newton's iteration from 1 until the change is small, elements of v scaled by
// it.
std::shared_ptr<const Function> newton() {
  Function f;
  f.name = "newton";
  f.locals = {{"x", {}}, {"v", {Scalar::f64, 3, 1}}, {"y", {}}, {"step", {}}, {"k", {Scalar::i32, 1, 1}}};
  f.arguments = 2;
  f.results = {2, 1};
  Graph& g = f.graph;
  const auto read = [&](std::uint32_t k) { return Expr{&g, g.read(k, f.locals[k].type)}; };
  const Expr x = read(0), y = read(2), step = read(3);
  f.body.push_back({.kind = Kind::assign, .local = 2, .value = g.constant(1)});
  f.body.push_back({.kind = Kind::assign, .local = 3, .value = g.constant(1)});
  Statement loop{.kind = Kind::while_loop, .value = (apply(Op::abs, step) > 1e-14).id()};
  loop.body.push_back({.kind = Kind::assign, .local = 3, .value = ((x - y * y) / (2 * y)).id()});
  loop.body.push_back({.kind = Kind::assign, .local = 2, .value = (y + step).id()});
  f.body.push_back(std::move(loop));
  Statement each{.kind = Kind::count_loop, .local = 4, .value = g.constant(3, Scalar::i32)};
  const ExprId here = read(4).id();
  each.body.push_back({.kind = Kind::assign_element,
                       .local = 1,
                       .value = (Expr{&g, g.gather(read(1).id(), here)} * y).id(),
                       .indices = {here}});
  f.body.push_back(std::move(each));
  return make_function(std::move(f));
}

TEST(DifferentiateFunction, IterationUntilConvergence) {
  Graph g;
  const ExprId arguments[] = {g.read(0, {}), g.read(1, {Scalar::f64, 3, 1})};
  const std::uint32_t f = g.declare(newton());
  const ExprId root = g.call(f, 0, arguments), scaled = g.call(f, 1, arguments);
  const Variable variables[] = {{0, 1}, {1, 3}};
  Gradients gradients(g, variables);
  Environment e;
  e.slots = {{5}, {2, -1, 0.5}};
  const auto partials = gradients.of(root);
  ASSERT_EQ(partials.size(), 1u) << "the root does not depend on v";
  EXPECT_NEAR(evaluate(g, partials[0].value, e)[0], 0.5 / std::sqrt(5), 1e-12);
  const auto row = gradients.of(scaled, 1);
  EXPECT_TRUE(gradients.complete());
  for (const Partial& p : row) {
    const double expected[] = {-0.5 / std::sqrt(5), 0, std::sqrt(5), 0};
    EXPECT_NEAR(evaluate(g, p.value, e)[0], expected[p.column], 1e-12) << p.column;
  }
  EXPECT_EQ(derivative_function(g, f), derivative_function(g, f)) << "made once";
  EXPECT_EQ(g.functions().size(), 2u);
}

TEST(DifferentiateFunction, DependenciesByElement) {
  Graph g;
  const ExprId arguments[] = {g.read(0, {}), g.read(1, {Scalar::f64, 3, 1})};
  const std::uint32_t f = g.declare(newton());
  Dependencies d(g);
  EXPECT_EQ(d.of(g.call(f, 0, arguments)), (std::vector<Leaf>{{0, 0}}));
  EXPECT_EQ(d.of(g.call(f, 1, arguments), 2).size(), 4u) << "its position is computed";
}

TEST(DifferentiateFunction, ArraysByIndex) {
  Graph g;
  const ExprId v = g.read(0, {Scalar::f64, 4, 1}), i = g.read(1, {Scalar::i32, 1, 1}), x = g.read(2, {});
  const ExprId parts[] = {g.update(v, i, x), v};
  const ExprId joined = g.concat({Scalar::f64, 8, 1}, parts);
  const ExprId two = g.binary(Op::mul, g.gather(joined, g.binary(Op::add, i, g.constant(1, Scalar::i32))), x);
  const Variable variables[] = {{0, 4}, {2, 1}};
  Gradients gradients(g, variables);
  for (double at : {0.0, 2.0, 3.0}) {
    Environment e;
    e.slots = {{1, 2, 3, 4}, {at}, {7}};
    double got[5] = {};
    for (const Partial& p : gradients.of(two)) got[p.column] = evaluate(g, p.value, e)[0];
    const auto position = static_cast<std::size_t>(at) + 1;  // in joined
    const double element = evaluate(g, joined, e)[position];
    for (std::size_t k = 0; k < 4; ++k) EXPECT_EQ(got[k], position % 4 == k ? 7 : 0) << at << " " << k;
    EXPECT_EQ(got[4], element);
  }
  Dependencies d(g);
  EXPECT_EQ(d.of(g.element(joined, 5)), (std::vector<Leaf>{{0, 1}}));
  EXPECT_EQ(d.of(g.element(joined, 1)).size(), 3u);
}

// Written out or called, the bits are the same.
TEST(InlineFunction, TheSameBits) {
  int small = 0;
  for (unsigned seed = 1; seed < 200; ++seed) {
    const auto function = RandomFunction(seed, {}).make(false);
    if (!is_small(*function)) continue;
    ++small;
    Graph g;
    std::vector<ExprId> arguments, called;
    for (SlotId s = 0; s < random_slots().size(); ++s) arguments.push_back(g.read(s, random_slots()[s]));
    const auto written = call_results(g, function, arguments);
    EXPECT_TRUE(g.functions().empty());
    const std::uint32_t number = g.declare(function);
    for (std::uint32_t r = 0; r < written.size(); ++r) called.push_back(g.call(number, r, arguments));
    const Environment e = random_environment(seed);
    const auto a = evaluate(g, written, e), b = evaluate(g, called, e);
    for (std::size_t k = 0; k < a.size(); ++k) EXPECT_TRUE(identical(a[k], b[k])) << "seed " << seed;
  }
  EXPECT_GT(small, 20);
}

// Wherever two differences agree, the derivative does too.
TEST(DifferentiateFunction, RandomFunctionsAgreeWithDifferences) {
  int compared = 0, differentiable = 0;
  for (unsigned seed = 1; seed < 60; ++seed) {
    Graph g;
    std::vector<ExprId> arguments;
    for (SlotId s = 0; s < random_slots().size(); ++s) arguments.push_back(g.read(s, random_slots()[s]));
    const auto functions = random_functions(seed, 2, true);
    const ExprId call = g.call(g.declare(functions.back()), 0, arguments);
    const Variable variables[] = {{0, 1}, {1, 3}, {2, 4}};
    Gradients gradients(g, variables);
    std::vector<ExprId> exact(8, g.constant(0));
    for (const Partial& p : gradients.of(call)) exact[p.column] = p.value;
    if (!gradients.complete()) continue;
    ++differentiable;
    Environment e = random_environment(seed);
    std::mt19937 dice(seed);
    for (SlotId s = 0; s < 3; ++s) {
      for (double& x : e.slots[s]) x = 0.3 + static_cast<double>(dice() % 1000) / 700;
    }
    std::size_t column = 0;
    for (SlotId s = 0; s < 3; ++s) {
      for (double& x : e.slots[s]) {
        const double keep = x, value = evaluate(g, exact[column++], e)[0];
        const auto difference = [&](double h) {
          x = keep + h;
          const double up = evaluate(g, call, e)[0];
          x = keep - h;
          const double down = evaluate(g, call, e)[0];
          x = keep;
          return (up - down) / (2 * h);
        };
        const double coarse = difference(2e-5), fine = difference(1e-5);
        const double size = 1 + std::fabs(fine);
        if (!std::isfinite(fine) || std::fabs(coarse - fine) > 1e-7 * size || std::fabs(fine) > 1e6) continue;
        ++compared;
        EXPECT_NEAR(value, fine, 1e-6 * size) << "seed " << seed << ", column " << column - 1;
      }
    }
  }
  EXPECT_GT(differentiable, 30);
  EXPECT_GT(compared, 150);
}

}  // namespace
}  // namespace orrery::passes
