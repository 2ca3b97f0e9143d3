// SPDX-License-Identifier: Apache-2.0
// Systems whose structure is known: aliases, index, what is left to solve, and what is said of systems that are wrong.
#include "equations/system.h"

#include <gtest/gtest.h>

#include "equations/causalise.h"
#include "equations/check_structure.h"
#include "equations/eliminate_aliases.h"
#include "equations/reduce_index.h"
#include "program/evaluate.h"
#include "program/expr.h"
#include "program/variables.h"

namespace orrery::equations {
namespace {

using program::Expr;

struct Model {
  Model() { program.add_origin({"model", "model", 0}); }
  VariableId add(const std::string& name, double start = 0) { return system.add(name, start); }
  Expr at(VariableId v) { return {&program.graph, system.read(v)}; }
  Expr der(VariableId v) { return {&program.graph, system.der(v)}; }
  Expr time() { return {&program.graph, program.graph.time()}; }
  void zero(Expr residual) { system.equation(residual.id()); }

  program::Program program;
  System system{program};
  Unfolding values{program};
  Diagnostics diagnostics;
};

TEST(Aliases, FollowSignsAndKeepTheState) {
  Model m;
  const VariableId x = m.add("x"), a = m.add("a"), b = m.add("b"), c = m.add("c");
  m.zero(m.der(x) + 2.0 * m.at(c));
  m.zero(m.at(a) + m.at(x));   // a = -x
  m.zero(m.at(b) - m.at(a));   // b = a
  m.zero(-m.at(c) - m.at(b));  // c = -b = x
  eliminate_aliases(m.system);
  ASSERT_EQ(m.system.aliases.size(), 3u);
  for (const Alias& alias : m.system.aliases) {
    EXPECT_EQ(alias.of, x);
    EXPECT_EQ(alias.negated, alias.variable != c);
  }
  ASSERT_EQ(m.system.equations.size(), 1u);
  EXPECT_EQ(m.system.equations[0].residual, (m.der(x) + 2.0 * m.at(x)).id());
}

TEST(Aliases, AreOtherNamesInTheVariableTable) {
  Model m;
  const VariableId x = m.add("x", 1), a = m.add("a"), s = m.add("s");
  m.zero(m.der(x) + m.at(s));
  m.zero(m.at(a) + m.at(x));            // a = -x
  m.zero(m.at(s) - 3.0 * m.at(a) - 1);  // a formula that nobody else computes
  ASSERT_TRUE(causalise(m.system, m.values, m.diagnostics)) << to_text(m.diagnostics);
  const auto names = program::VariableNames(m.program);
  const program::Variable& alias = m.program.variables[names.find("model.a").value()];
  EXPECT_EQ(variable_source(m.program, alias), "-model.x");
  EXPECT_EQ(alias.kind, program::VariableKind::state);
  EXPECT_TRUE(alias.negated);
  EXPECT_EQ(variable_start(m.program, alias), std::vector<double>{-1});
  const program::Variable& formula = m.program.variables[names.find("model.s").value()];
  program::Environment e;
  for (const program::Slot& slot : m.program.slots)
    e.slots.push_back({slot.kind == program::SlotKind::state ? 2.0 : 77});
  const double value = program::evaluate(m.program.graph, formula.value, e).at(0);
  EXPECT_EQ(formula.negated ? -value : value, -5);  // 1 + 3 a = 1 - 3 x
}

TEST(Aliases, AVelocityThatIsADerivativeStays) {
  Model m;
  const VariableId x = m.add("x"), v = m.add("v");
  m.zero(m.der(x) - m.at(v));
  m.zero(m.der(v) + m.at(x));
  ASSERT_TRUE(causalise(m.system, m.values, m.diagnostics)) << to_text(m.diagnostics);
  ASSERT_EQ(m.program.states.size(), 2u);
  EXPECT_EQ(m.program.derivatives[0], m.at(v).id());
  EXPECT_TRUE(m.program.loops.empty());
}

// x1' = x2, …, xk' = u, x1 = sin(t): u is found after k differentiations, and k constraints are kept.
TEST(Index, AChainOfIntegratorsIsInverted) {
  for (std::size_t k = 1; k <= 5; ++k) {
    Model m;
    std::vector<VariableId> x;
    for (std::size_t i = 0; i < k; ++i) x.push_back(m.add("x" + std::to_string(i + 1)));
    const VariableId u = m.add("u");
    for (std::size_t i = 0; i < k; ++i) m.zero(m.der(x[i]) - m.at(i + 1 < k ? x[i + 1] : u));
    m.zero(m.at(x[0]) - apply(program::Op::sin, m.time()));
    ASSERT_TRUE(causalise(m.system, m.values, m.diagnostics)) << to_text(m.diagnostics);
    EXPECT_EQ(m.program.invariants.size(), k);
    EXPECT_EQ(m.program.states.size(), k);
    EXPECT_TRUE(m.program.loops.empty());
  }
}

// Nothing is differentiated where nothing has to be.
TEST(Index, ADeterminedSystemStaysAsItIs) {
  Model m;
  const VariableId x = m.add("x"), z = m.add("z");
  m.zero(m.der(x) + m.at(z) * m.at(z) * m.at(z));
  m.zero(m.at(z) + apply(program::Op::exp, m.at(z)) - m.at(x));
  ASSERT_TRUE(causalise(m.system, m.values, m.diagnostics)) << to_text(m.diagnostics);
  EXPECT_TRUE(m.program.invariants.empty());
  ASSERT_EQ(m.program.loops.size(), 1u);
  EXPECT_EQ(m.program.loops[0].unknowns.size(), 1u);
}

// An implicit pair of derivatives that a constraint ties: both, and what they need, are differentiated.
TEST(Index, AnUnknownWhoseDerivativeIsNeededBecomesAState) {
  Model m;
  const VariableId x = m.add("x"), y = m.add("y"), z = m.add("z"), u = m.add("u");
  m.zero(m.der(x) * m.der(x) * m.der(x) + m.der(x) - m.at(z));
  m.zero(m.der(y) - m.at(x));
  m.zero(m.at(z) * m.at(z) * m.at(z) + m.at(z) - m.at(y) - m.at(u));
  m.zero(m.at(x) + m.at(y) - m.time());
  ASSERT_TRUE(causalise(m.system, m.values, m.diagnostics)) << to_text(m.diagnostics);
  EXPECT_GE(m.program.invariants.size(), 1u);
}

TEST(Structure, TwoValuesForOneVariableAreNamed) {
  Model m;
  const VariableId x = m.add("x");
  m.zero(m.at(x) - 1.0);
  m.zero(m.at(x) * m.at(x) - 2.0);
  EXPECT_FALSE(check_structure(m.system, m.diagnostics));
  const Diagnostic& d = m.diagnostics.all().at(0);
  EXPECT_EQ(d.code, "too-many-equations");
  EXPECT_NE(d.message.find("2 equations for 1 unknown, model.x: 1 is too many"), std::string::npos) << d.message;
  EXPECT_EQ(d.notes.size(), 2u);
}

TEST(Structure, WhatNothingDeterminesIsNamed) {
  Model m;
  const VariableId x = m.add("x"), y = m.add("y"), z = m.add("z");
  m.zero(m.at(x) + m.at(y) - m.at(z));
  m.zero(m.at(x) - 1.0);
  EXPECT_FALSE(check_structure(m.system, m.diagnostics));
  const Diagnostic& d = m.diagnostics.all().at(0);
  EXPECT_EQ(d.code, "too-few-equations");
  EXPECT_NE(d.message.find("1 equation for 2 unknowns, model.y, model.z: 1 more is needed"), std::string::npos)
      << d.message;
}

TEST(Structure, BothSidesOfASingularSystemAreNamed) {
  Model m;
  const VariableId x = m.add("x"), y = m.add("y");
  m.zero(m.at(x) - m.time());
  m.zero(m.at(x) * m.at(x) - 2.0);
  static_cast<void>(y);
  EXPECT_FALSE(check_structure(m.system, m.diagnostics));
  const Diagnostic& d = m.diagnostics.all().at(0);
  EXPECT_EQ(d.code, "singular-system");
  EXPECT_EQ(d.notes.back(), "nothing determines model.y");
}

TEST(Index, WhatHasNoDerivativeIsSaid) {
  Model m;
  const VariableId x = m.add("x"), z = m.add("z");
  m.zero(m.der(x) - m.at(z));
  const int foreign = m.program.graph.declare({"f", {program::Type{}}, {program::Type{}}});
  const program::ExprId arguments[] = {m.at(x).id()};
  m.zero(Expr{&m.program.graph, m.program.graph.foreign(foreign, 0, arguments)} - 2.0);
  EXPECT_FALSE(causalise(m.system, m.values, m.diagnostics));
  EXPECT_EQ(m.diagnostics.all().at(0).code, "index-not-reduced");
}

}  // namespace
}  // namespace orrery::equations
