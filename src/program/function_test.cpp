// SPDX-License-Identifier: Apache-2.0
// The rules of functions with statements, what they compute, and where their corners are.
#include "program/function.h"

#include <gtest/gtest.h>

#include "program/expr.h"
#include "program/motion.h"
#include "program/random_expression.h"
#include "program/verify.h"

namespace orrery::program {
namespace {

using Kind = Statement::Kind;

// Takes x, has the locals y (a double), v (three of them) and k (a count); gives y.
struct Small {
  Function f;
  Small() {
    f.name = "small";
    f.locals = {{"x", {}}, {"y", {}}, {"v", {Scalar::f64, 3, 1}}, {"k", {Scalar::i32, 1, 1}}};
    f.arguments = 1;
    f.results = {1};
  }
  Expr read(std::uint32_t local) { return {&f.graph, f.graph.read(local, f.locals[local].type)}; }
  ExprId number(double value) { return f.graph.constant(value); }
  std::string problem() const {
    const auto found = verify(f);
    return found.empty() ? "" : found[0];
  }
};

TEST(FunctionRules, WhatIsReadHasAValue) {
  Small s;
  EXPECT_NE(s.problem().find("the result y may have no value"), std::string::npos);
  Statement branch{.kind = Kind::branch, .value = (s.read(0) > 0).id()};
  branch.body.push_back({.kind = Kind::assign, .local = 1, .value = s.number(1)});
  s.f.body = {branch};
  EXPECT_NE(s.problem().find("the result y may have no value"), std::string::npos);
  branch.otherwise.push_back({.kind = Kind::assign, .local = 1, .value = s.number(2)});
  s.f.body = {branch};
  EXPECT_EQ(s.problem(), "");
  s.f.body.insert(s.f.body.begin(), {.kind = Kind::assign, .local = 1, .value = sum(s.read(2)).id()});
  EXPECT_NE(s.problem().find("v may be read before"), std::string::npos);
}

TEST(FunctionRules, LoopsMayNotRun) {
  Small s;
  Statement loop{.kind = Kind::count_loop, .local = 3, .value = s.f.graph.constant(3, Scalar::i32)};
  loop.body.push_back({.kind = Kind::assign, .local = 1, .value = s.number(1)});
  s.f.body = {loop};
  EXPECT_NE(s.problem().find("the result y may have no value"), std::string::npos);
  s.f.body.insert(s.f.body.begin(), {.kind = Kind::assign, .local = 1, .value = s.number(0)});
  EXPECT_EQ(s.problem(), "");
  s.f.body.push_back({.kind = Kind::leave});
  EXPECT_NE(s.problem().find("outside a loop"), std::string::npos);
}

TEST(FunctionRules, PureTypedAndNotTooDeep) {
  Small s;
  s.f.body.push_back({.kind = Kind::assign, .local = 1, .value = s.f.graph.time()});
  EXPECT_NE(s.problem().find("which is pure"), std::string::npos);
  Small typed;
  typed.f.body.push_back({.kind = Kind::assign, .local = 1, .value = typed.f.graph.boolean(true)});
  EXPECT_NE(typed.problem().find("is boolean, not double"), std::string::npos);
  Small element;
  element.f.body.push_back({.kind = Kind::assign, .local = 1, .value = element.number(0)});
  element.f.body.push_back({.kind = Kind::assign_element,
                            .local = 2,
                            .value = element.number(0),
                            .indices = {element.f.graph.constant(0, Scalar::i32)}});
  EXPECT_NE(element.problem().find("before it has a value"), std::string::npos);
  Small deep;
  Statement inner{.kind = Kind::assign, .local = 1, .value = deep.number(1)};
  for (int k = 0; k < deepest_statements + 2; ++k) {
    Statement outer{.kind = Kind::branch, .value = deep.f.graph.boolean(true)};
    outer.body.push_back(inner);
    inner = outer;
  }
  deep.f.body = {inner};
  EXPECT_NE(deep.problem().find("too deeply"), std::string::npos);
}

TEST(FunctionRules, TheProgramKnowsItsFunctions) {
  Small s;
  s.f.body.push_back({.kind = Kind::assign, .local = 1, .value = (s.read(0) * 2).id()});
  Program program;
  program.add_origin({});
  const SlotId slot = program.add_slot({.name = "out", .type = {}});
  const ExprId argument = program.graph.time();
  program.always.push_back(
      {slot, program.graph.call(program.graph.declare(make_function(std::move(s.f))), 0, {&argument, 1})});
  program.sources.emplace_back().kind = SourceKind::initial;
  EXPECT_TRUE(verify(program).empty()) << verify(program)[0];
  Environment e;
  e.time = 4;
  EXPECT_EQ(evaluate(program.graph, program.always[0].value, e), std::vector<double>{8});
}

// While the integrator steps nothing continuous reads corners that no mode guards and nobody was told of.
TEST(FunctionRules, CornersOfWhatMovesAreMarked) {
  for (const bool told : {false, true}) {
    Small s;
    s.f.unguarded = told;
    Statement branch{.kind = Kind::branch, .value = (s.read(0) > 1).id()};
    branch.body.push_back({.kind = Kind::assign, .local = 1, .value = s.number(1)});
    branch.otherwise.push_back({.kind = Kind::assign, .local = 1, .value = s.number(2)});
    s.f.body = {branch};
    const auto function = make_function(std::move(s.f));
    EXPECT_TRUE(function->has_corners);
    Program program;
    program.add_origin({});
    const SlotId x = program.add_slot({.name = "x", .type = {}, .kind = SlotKind::state});
    const ExprId argument = program.read(x);
    program.states = {x};
    program.derivatives = {program.graph.call(program.graph.declare(function), 0, {&argument, 1})};
    program.sources.emplace_back().kind = SourceKind::initial;
    EXPECT_EQ(verify(program).empty(), told);
  }
  Small smooth;
  smooth.f.body.push_back({.kind = Kind::assign, .local = 1, .value = apply(Op::sin, smooth.read(0)).id()});
  EXPECT_FALSE(make_function(std::move(smooth.f))->has_corners);
}

}  // namespace
}  // namespace orrery::program
