// SPDX-License-Identifier: Apache-2.0
// With its modes in place a guarded formula has the value of the plain one, and all surfaces of a held number hold.
#include "blocks/guard_body.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "program/evaluate.h"
#include "program/expr.h"
#include "program/motion.h"

namespace orrery::blocks {
namespace {

using program::Expr;
using program::no_expr;
using program::Op;
using program::Scalar;
using program::SlotKind;
using program::Type;

// One formula of two signals u and v of a type.
class Formula {
 public:
  explicit Formula(Type type = {}) {
    program_.add_origin({"model", "", 0});
    u_ = program_.add_slot({"u", type, SlotKind::signal});
    v_ = program_.add_slot({"v", type, SlotKind::signal});
  }
  Expr u() { return {&program_.graph, program_.read(u_)}; }
  Expr v() { return {&program_.graph, program_.read(v_)}; }
  program::Program& program() { return program_; }

  void set(Expr value) {
    plain_ = value.id();
    Body body;
    body.outputs = {plain_};
    const bool needed = needs_guard(body, program_.graph);
    guarded_ = guard_body(body, program_, 0);
    EXPECT_TRUE(needed || (guarded_.modes.empty() && guarded_.outputs == body.outputs));
  }
  const Body& guarded() const { return guarded_; }

  // The plain value, and that of the guarded formula once its modes are what their conditions say.
  std::pair<double, double> at(const std::vector<double>& u, const std::vector<double>& v = {0}) {
    program::Environment environment;
    environment.slots.resize(program_.slots.size());
    environment.slots[u_] = u;
    environment.slots[v_] = v;
    for (const ModeRule& mode : guarded_.modes) {
      environment.slots[mode.mode] = program::evaluate(program_.graph, mode.condition, environment);
      const bool held = program_.slots[mode.mode].type.scalar == Scalar::f64;
      for (const ModeSurface& surface : mode.surfaces) {
        const double value = program::evaluate(program_.graph, surface.value, environment)[0];
        const bool holds = surface.strict ? value > 0 : value >= 0;
        EXPECT_EQ(holds, held || environment.slots[mode.mode][0] != 0) << u[0] << " and " << v[0];
      }
    }
    return {program::evaluate(program_.graph, plain_, environment)[0],
            program::evaluate(program_.graph, guarded_.outputs[0], environment)[0]};
  }

 private:
  program::Program program_;
  program::SlotId u_, v_;
  program::ExprId plain_ = no_expr;
  Body guarded_;
};

std::vector<double> test_numbers() {
  std::vector<double> numbers{0, -0.0, 0.49999999999999994, -0.49999999999999994, 1e-300, -1e-300, 1e9, -1e9};
  for (int k = -9; k <= 9; ++k) {
    for (const double x : {0.5 * k, 0.3 * k}) {
      numbers.insert(numbers.end(), {x, std::nextafter(x, 100), std::nextafter(x, -100)});
    }
  }
  std::mt19937 random(7);
  std::uniform_real_distribution<double> any(-300, 300);
  for (int k = 0; k < 50; ++k) numbers.push_back(any(random));
  return numbers;
}

void expect_same(Formula& formula, double tolerance = 0) {
  for (const double u : test_numbers()) {
    for (const double v : {0.0, 1.0, -1.0, 0.3, -2.5, 7.0, u}) {
      const auto [plain, guarded] = formula.at({u}, {v});
      if (std::isnan(plain)) {
        EXPECT_TRUE(std::isnan(guarded)) << u << " and " << v;
      } else {
        EXPECT_NEAR(plain, guarded, tolerance * (1 + std::fabs(u))) << u << " and " << v;
      }
    }
  }
}

TEST(GuardBody, KeepsTheValueOfEveryOperation) {
  for (const Op op : {Op::abs, Op::sign, Op::floor, Op::ceil, Op::round, Op::trunc}) {
    Formula formula;
    formula.set(apply(op, formula.u()));
    EXPECT_FALSE(formula.guarded().modes.empty()) << name_of(op);
    expect_same(formula);
  }
  for (const Op op : {Op::min, Op::max, Op::less, Op::less_equal, Op::equal, Op::not_equal}) {
    Formula formula;
    formula.set(apply(op, formula.u(), formula.v()));
    EXPECT_FALSE(formula.guarded().modes.empty()) << name_of(op);
    expect_same(formula);
  }
  for (const Scalar scalar : {Scalar::i8, Scalar::u8, Scalar::i32, Scalar::u32, Scalar::boolean}) {
    Formula formula;
    formula.set(formula.u().as(scalar));
    expect_same(formula);
  }
}

// The remainder is the same but for the rounding of n y; at the very corner the two may lie on different sides of it.
TEST(GuardBody, KeepsTheValueOfRemainders) {
  for (const Op op : {Op::mod, Op::rem}) {
    Formula formula;
    formula.set(apply(op, formula.u(), formula.v()));
    for (const double u : {0.0, 0.7, -0.7, 2.9, -2.9, 100.1, -31.4}) {
      for (const double v : {1.0, -1.0, 0.3, -2.5, 0.0}) {
        const auto [plain, guarded] = formula.at({u}, {v});
        if (std::isnan(plain)) {
          EXPECT_TRUE(std::isnan(guarded));
        } else {
          EXPECT_NEAR(plain, guarded, 1e-13) << name_of(op) << " of " << u << " and " << v;
        }
      }
    }
    Formula by_one;
    by_one.set(apply(op, by_one.u(), Expr{&by_one.program().graph, by_one.program().graph.constant(1)}));
    expect_same(by_one);
  }
}

TEST(GuardBody, WorksElementByElementAndOnReductions) {
  Formula formula({Scalar::f64, 3, 1});
  program::Graph& graph = formula.program().graph;
  formula.set({&graph, graph.reduce(Op::maximum, apply(Op::floor, formula.u()).id())});
  EXPECT_EQ(formula.guarded().modes.size(), 3u);  // what is held does not move: its maximum needs no mode
  EXPECT_EQ(formula.at({1.5, 7.2, -3}, {0, 0, 0}), (std::pair{7.0, 7.0}));
  Formula largest({Scalar::f64, 3, 1});
  largest.set({&largest.program().graph, largest.program().graph.reduce(Op::minimum, largest.u().id())});
  EXPECT_EQ(largest.guarded().modes.size(), 2u);
  EXPECT_EQ(largest.at({1.5, 7.2, -3}, {0, 0, 0}), (std::pair{-3.0, -3.0}));
}

TEST(GuardBody, LeavesAloneWhatOnlyEventsChange) {
  Formula integers({Scalar::i32, 1, 1});
  integers.set(apply(Op::abs, integers.u()));
  EXPECT_TRUE(integers.guarded().modes.empty());
  Formula formula;
  const program::SlotId memory = formula.program().add_slot({"z", {}, SlotKind::discrete});
  formula.set(apply(Op::floor, Expr{&formula.program().graph, formula.program().read(memory)}));
  EXPECT_TRUE(formula.guarded().modes.empty());
}

TEST(GuardBody, OneModeForAConditionAndItsOpposite) {
  Formula formula;
  const Expr u = formula.u();
  formula.set(select(u < 3.0, u, u * 2.0) + select(u >= 3.0, u, u * 4.0) + select(u < 3.0, u, u));
  EXPECT_EQ(formula.guarded().modes.size(), 1u);
  EXPECT_EQ(formula.at({2}), (std::pair{12.0, 12.0}));
  EXPECT_EQ(formula.at({3}), (std::pair{12.0, 12.0}));
}

}  // namespace
}  // namespace orrery::blocks
