// SPDX-License-Identifier: Apache-2.0
// Initial equations: states, parameters and memories that are found when a run starts.
#include <random>

#include "equation_model.h"
#include "passes/add_sensitivities.h"
#include "passes/substitute.h"
#include "program/evaluate.h"
#include "program/print.h"

namespace orrery::equations {
namespace {

using program::apply;
using program::Expr;
using program::Op;

// A tank with inflow q and outflow k sqrt(h).
void make_tank(EquationModel& m, Expr q, double k) {
  const Expr h = m.variable("h", 1);
  m.zero(m.der("h") - q + k * apply(Op::sqrt, h));
  m.show("h", h);
}

TEST(StartSystems, ATankBeginsInItsSteadyState) {
  EquationModel m;
  make_tank(m, m.number(3), 2);
  m.initial(m.der("h"));
  ASSERT_TRUE(m.close()) << to_text(m.diagnostics);
  const auto run = m.run("dopri", 10, 1e-9);
  ASSERT_EQ(run.end, sim::End::reached_stop) << run.messages;
  for (const double h : run.columns.at("h")) EXPECT_NEAR(h, 2.25, 1e-9);
  ASSERT_EQ(run.start.blocks.size(), 1u);
  EXPECT_EQ(run.start.blocks[0].names, std::vector<std::string>{"model.h"});
  EXPECT_EQ(run.start.blocks[0].guesses, std::vector<double>{1});
  EXPECT_LT(run.start.blocks[0].residual, 1e-12);
}

// The stiffness with which a mass hangs where it is said to: k x = m g.
TEST(StartSystems, AParameterIsFound) {
  EquationModel m;
  const Expr x = m.variable("x", 0.25, true), v = m.variable("v", 0, true);
  const program::SlotId stiffness = m.parameter("k", 1);
  const Expr k = m.at_slot(stiffness);
  m.zero(m.der("x") - v);
  m.zero(m.der("v") + k * x - 9.81);
  m.initial(m.der("v"));
  m.system.sought.push_back(stiffness);
  m.show("x", x);
  m.show("k", k);
  ASSERT_TRUE(m.close()) << to_text(m.diagnostics);
  const auto run = m.run("dopri", 5, 1e-9);
  ASSERT_EQ(run.end, sim::End::reached_stop) << run.messages;
  EXPECT_NEAR(run.last("k"), 9.81 / 0.25, 1e-12);
  EXPECT_NEAR(run.last("x"), 0.25, 1e-9);
}

TEST(StartSystems, AMemoryIsFound) {
  EquationModel m;
  const Expr x = m.variable("x", 2, true);
  const program::SlotId offset =
      m.program.add_slot({"offset", {}, program::SlotKind::discrete, 0, m.number(0).id(), 0, {}});
  m.zero(m.der("x") + x * x - m.at_slot(offset));
  m.initial(m.der("x"));
  m.system.sought.push_back(offset);
  m.show("x", x);
  ASSERT_TRUE(m.close()) << to_text(m.diagnostics);
  const auto run = m.run("dopri", 1, 1e-9);
  ASSERT_EQ(run.end, sim::End::reached_stop) << run.messages;
  EXPECT_NEAR(run.last("x"), 2, 1e-9);
}

// What follows from a parameter that is found is computed with it.
TEST(StartSystems, StartValuesFollowParametersThatAreFound) {
  EquationModel m;
  const program::SlotId p = m.parameter("p", 1), twice = m.parameter("twice", 0);
  m.program.start.push_back({twice, (2.0 * m.at_slot(p)).id()});
  const Expr x = m.variable("x"), y = m.variable("y", 0, true);
  m.system.variables[m.id("x")].fixed = true;
  m.system.variables[m.id("x")].start = (m.at_slot(twice) + 1.0).id();
  m.zero(m.der("x") + x - y);
  m.zero(m.der("y"));
  m.initial(m.der("x") + 7.0);  // x = 7, so p = 3
  m.system.sought.push_back(p);
  m.show("x", x);
  m.show("twice", m.at_slot(twice));
  ASSERT_TRUE(m.close()) << to_text(m.diagnostics);
  const auto run = m.run("dopri", 0, 1e-9);
  ASSERT_EQ(run.end, sim::End::reached_stop) << run.messages;
  EXPECT_NEAR(run.last("twice"), 6, 1e-12);
  EXPECT_NEAR(run.last("x"), 7, 1e-12);
}

// x' = v, v' = -g + ..., of a unit pendulum; what is not fixed follows from the rod.
void make_rod(EquationModel& m, double vx) {
  const Expr x = m.variable("x", 0.6, true), y = m.variable("y", -1), force = m.variable("force");
  m.zero(m.second("x", vx) + force * x);
  m.zero(m.second("y") + force * y + 9.81);
  m.zero(x * x + y * y - 1.0);
  m.show("y", y);
  m.show("vy", m.der("y"));
}

TEST(StartSystems, TheRodOfAPendulumCompletesItsStart) {
  EquationModel m;
  make_rod(m, 2);
  m.system.variables[m.system.derivative_of(m.id("x"))].fixed = true;
  ASSERT_TRUE(m.close()) << to_text(m.diagnostics);
  const auto run = m.run("dopri", 0, 1e-9);
  ASSERT_EQ(run.end, sim::End::reached_stop) << run.messages;
  EXPECT_EQ(run.messages, "");
  EXPECT_NEAR(run.last("y"), -0.8, 1e-12);
  EXPECT_NEAR(run.last("vy"), 1.5, 1e-12);  // x vx + y vy = 0
}

TEST(StartSystems, WhatIsFreeAndNotAskedForKeepsItsStart) {
  EquationModel m;
  make_rod(m, 2);
  ASSERT_TRUE(m.close()) << to_text(m.diagnostics);
  // Of the two velocities the one listed first is kept.
  EXPECT_EQ(m.program.start_system.given, std::vector<std::string>{"model.der(x)"});
  const auto run = m.run("dopri", 0, 1e-9);
  EXPECT_NEAR(run.last("vy"), 1.5, 1e-12);
}

TEST(StartSystems, PreferredStatesKeepTheirStart) {
  EquationModel m;
  const Expr a = m.variable("a", 1), b = m.variable("b", 2);
  m.system.variables[m.id("b")].select = StateSelect::prefer;
  m.zero(m.der("a") + a);
  m.zero(m.der("b") + b);
  m.initial(a + b - 10.0);
  m.show("a", a);
  m.show("b", b);
  ASSERT_TRUE(m.close()) << to_text(m.diagnostics);
  EXPECT_EQ(m.program.start_system.given, std::vector<std::string>{"model.b"});
  const auto run = m.run("dopri", 0, 1e-9);
  EXPECT_DOUBLE_EQ(run.last("a"), 8);
  EXPECT_DOUBLE_EQ(run.last("b"), 2);
}

TEST(StartSystems, TooManyFixedValuesAreNamedWhereTheyContradict) {
  for (const double y : {-0.8, -0.7}) {
    EquationModel m;
    make_rod(m, 0);
    m.system.variables[m.id("y")].fixed = true;
    m.program.slots[m.system.variables[m.id("y")].slot].initial = m.program.graph.constant(y);
    ASSERT_TRUE(m.close()) << to_text(m.diagnostics);
    const auto run = m.run("dopri", 0, 1e-9);
    EXPECT_EQ(run.end, y == -0.8 ? sim::End::reached_stop : sim::End::failed) << run.messages;
    if (y == -0.8) continue;
    EXPECT_NE(run.messages.find("start-contradiction"), std::string::npos) << run.messages;
    EXPECT_NE(run.messages.find("off by -0.15"), std::string::npos) << run.messages;
  }
}

TEST(StartSystems, WhatNothingDeterminesIsNamed) {
  EquationModel m;
  const Expr x = m.variable("x", 1, true);
  const program::SlotId p = m.parameter("p", 1), q = m.parameter("q", 1);
  m.zero(m.der("x") - m.at_slot(p) * m.at_slot(q) + x);
  m.initial(m.der("x"));
  m.system.sought = {p, q};
  ASSERT_FALSE(m.close());
  const std::string text = to_text(m.diagnostics);
  EXPECT_NE(text.find("start-not-determined"), std::string::npos) << text;
  EXPECT_NE(text.find("1 equations of the start for 2 unknowns: model.p, model.q"), std::string::npos) << text;
}

TEST(StartSystems, NoSolutionIsToldWithItsUnknowns) {
  EquationModel m;
  make_tank(m, m.number(-3), 2);  // sqrt(h) = -1.5
  m.initial(m.der("h"));
  ASSERT_TRUE(m.close()) << to_text(m.diagnostics);
  const auto run = m.run("dopri", 1, 1e-9);
  EXPECT_EQ(run.end, sim::End::failed);
  EXPECT_NE(run.messages.find("start-not-found"), std::string::npos) << run.messages;
  EXPECT_NE(run.messages.find("model.h: from 1"), std::string::npos) << run.messages;
}

// tanh(50 (x - 30)) is flat to the last bit where the search begins.
TEST(StartSystems, AreContinuedFromASimplerProblem) {
  for (const bool helped : {false, true}) {
    EquationModel m;
    const Expr x = m.variable("x", 0);
    const Expr actual = apply(Op::tanh, 50.0 * (x - 30.0)) - 0.5, simple = x - 20.0;
    m.zero(m.der("x"));
    m.initial(helped ? Expr{&m.program.graph, m.system.homotopy(actual.id(), simple.id())} : actual);
    m.show("x", x);
    ASSERT_TRUE(m.close()) << to_text(m.diagnostics);
    const auto run = m.run("dopri", 1, 1e-9);
    ASSERT_EQ(run.end, helped ? sim::End::reached_stop : sim::End::failed) << run.messages;
    if (!helped) continue;
    EXPECT_TRUE(run.start.continued);
    EXPECT_NEAR(run.last("x"), 30 + std::atanh(0.5) / 50, 1e-12);
  }
}

// max(x, 0) + x = 3, and -min(x, 0) - x = 3.
TEST(StartSystems, HaveConditionsOfTheirOwn) {
  for (const double sign : {1.0, -1.0}) {
    EquationModel m;
    const Expr x = m.variable("x", -4 * sign);
    m.zero(m.der("x"));
    m.initial(select(sign * x > 0.0, 2.0 * x, x) - 3.0 * sign);
    m.show("x", x);
    ASSERT_TRUE(m.close()) << to_text(m.diagnostics);
    EXPECT_TRUE(m.program.surfaces.empty());
    const auto run = m.run("dopri", 0, 1e-9);
    ASSERT_EQ(run.end, sim::End::reached_stop) << run.messages;
    EXPECT_NEAR(run.last("x"), 1.5 * sign, 1e-12);
  }
}

// h = (q / k)^2 at all times, dh/dq = 2 q / k^2.
TEST(StartSystems, SensitivitiesGoThroughThem) {
  EquationModel m;
  const program::SlotId q = m.parameter("q", 3);
  make_tank(m, m.at_slot(q), 2);
  m.initial(m.der("h"));
  ASSERT_TRUE(m.close()) << to_text(m.diagnostics);
  ASSERT_TRUE(passes::add_sensitivities(m.program, {"q"}));
  for (const std::string& problem : program::verify(m.program)) ADD_FAILURE() << problem;
  const auto run = m.run("dopri", 4, 1e-9);
  ASSERT_EQ(run.end, sim::End::reached_stop) << run.messages;
  EXPECT_NEAR(run.columns.at("d(h)/d(q)").front(), 1.5, 1e-12);
  EXPECT_NEAR(run.last("d(h)/d(q)"), 1.5, 1e-8);
}

TEST(StartSystems, ArePrinted) {
  EquationModel m;
  make_tank(m, m.number(3), 2);
  m.initial(m.der("h"));
  ASSERT_TRUE(m.close());
  const std::string text = program::to_text(m.program);
  EXPECT_NE(text.find("loop at the start"), std::string::npos) << text;
  EXPECT_NE(text.find("guesses of the start"), std::string::npos) << text;
  EXPECT_NE(text.find("found at the start"), std::string::npos) << text;
}

// Random systems with a known solution, of states, parameters and memories: what is found fulfils the equations as the
// judge of all operations evaluates them, and both tiers of native code find the same bits.
TEST(StartSystems, RandomOnesFulfilTheirEquations) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> unit(-1, 1);
  for (int round = 0; round < 60; ++round) {
    EquationModel m;
    const std::size_t count = 2 + random() % 8;
    std::vector<Expr> z;
    std::vector<double> solution;
    for (std::size_t k = 0; k < count; ++k) {
      const std::string name = "z" + std::to_string(k);
      solution.push_back(2 * unit(random));
      const double guess = solution.back() + 0.1 * unit(random);
      const auto kind = random() % 3;
      if (kind == 0) {
        z.push_back(m.variable(name, guess));
        m.zero(m.der(name) + z.back());
      } else {
        const auto slot =
            kind == 1 ? m.parameter(name, guess)
                      : m.program.add_slot({name, {}, program::SlotKind::discrete, 0, m.number(guess).id(), 0, {}});
        m.system.sought.push_back(slot);
        z.push_back(m.at_slot(slot));
      }
      m.show(name, z.back());
    }
    std::vector<Expr> left;
    for (std::size_t e = 0; e < count; ++e) {
      Expr sum = (4.0 + unit(random)) * z[e];
      for (int t = 0; t < 3; ++t) {
        const Expr a = z[random() % count], b = z[random() % count];
        const double factor = 0.5 * unit(random);
        switch (random() % 4) {
          case 0: sum = sum + factor * apply(Op::sin, a + b); break;
          case 1: sum = sum + factor * apply(Op::tanh, a * b); break;
          case 2: sum = sum + factor * apply(Op::abs, a - 0.3); break;
          default: sum = sum + factor * a; break;
        }
      }
      left.push_back(sum);
    }
    // Evaluated by the judge at the solution, and later at what was found.
    const auto judge = [&](const std::vector<double>& at) {
      passes::Substitution to_numbers(m.program.graph);
      for (std::size_t k = 0; k < count; ++k) to_numbers.set_node(z[k].id(), m.number(at[k]).id());
      std::vector<double> values;
      for (const Expr& one : left) {
        const program::ExprId number = to_numbers.apply(one.id());
        values.push_back(m.program.graph.constant_data(number)[0]);
      }
      return values;
    };
    const std::vector<double> right = judge(solution);
    for (std::size_t e = 0; e < count; ++e) m.initial(left[e] - right[e]);
    ASSERT_TRUE(m.close()) << round << to_text(m.diagnostics);
    std::vector<double> found[2];
    for (const bool second : {false, true}) {
      if (second && round % 10 != 0) continue;
      const auto run = m.run("dopri", 0, 1e-9, 0, second);
      ASSERT_EQ(run.end, sim::End::reached_stop) << round << run.messages;
      for (std::size_t k = 0; k < count; ++k) found[second].push_back(run.columns.at("z" + std::to_string(k)).front());
      const std::vector<double> reached = judge(found[second]);
      for (std::size_t e = 0; e < count; ++e) ASSERT_NEAR(reached[e], right[e], 1e-11) << round;
    }
    if (found[1].empty()) continue;
    ASSERT_EQ(found[0], found[1]) << round;
  }
}

}  // namespace
}  // namespace orrery::equations
