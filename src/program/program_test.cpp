// SPDX-License-Identifier: Apache-2.0
// Layout, printing and verification of programs.
#include "program/program.h"

#include <cstring>

#include <gtest/gtest.h>

#include "program/expr.h"
#include "program/print.h"
#include "program/procedure.h"
#include "program/verify.h"

namespace orrery::program {
namespace {

// A bouncing ball with a mode, a clock and a probe.
Program sample() {
  Program p;
  p.add_origin({"model", "", 0});
  OriginId ball = p.add_origin({"/Ball", "Ball", 4});
  Type boolean{Scalar::boolean, 1, 1};
  SlotId up = p.add_slot({"up", boolean, SlotKind::mode, ball});
  SlotId count = p.add_slot({"count", {Scalar::i16, 1, 1}, SlotKind::discrete, ball, p.graph.constant(7, Scalar::i16)});
  SlotId x = p.add_slot({"x", {Scalar::f64, 2, 1}, SlotKind::state, ball});
  SlotId z = p.add_slot({"z", {Scalar::c128, 1, 1}, SlotKind::discrete, ball});
  SlotId y = p.add_slot({"y", {}, SlotKind::signal, ball});
  SlotId direction = p.add_slot({"d", {Scalar::i8, 1, 1}, SlotKind::direction, ball});
  double initial[2] = {10, 0};
  p.slots[x].initial = p.graph.constant(p.slots[x].type, initial);
  double turn[2] = {1, -2};
  p.slots[z].initial = p.graph.constant(p.slots[z].type, turn);
  Expr state{&p.graph, p.read(x)}, n{&p.graph, p.read(count)}, mode{&p.graph, p.read(up)};
  p.states = {x};
  Expr parts[] = {state[1], select(mode, state[0], -state[0]) * 2 - 9.81};
  p.derivatives = {stack(parts).id()};
  p.sources.resize(3);
  p.sources[0].kind = SourceKind::initial;
  p.sources[1].kind = SourceKind::crossing;
  p.sources[1].origin = ball;
  p.sources[1].table.assigns = {{count, (n + 1).id(), (n < 100).id()}};
  p.sources[1].table.schedules = {{2, p.graph.constant(0.5), no_expr}};
  p.sources[1].table.critical = true;
  p.sources[2].kind = SourceKind::programmed;
  p.sources[2].port = 1;
  p.sources[2].table.actions = {{ActionKind::stop, (n == 3).id()}};
  p.surfaces.push_back({.value = state[0].id(), .crossing = Crossing::falling, .source = 1, .direction = direction});
  p.surfaces.push_back({.value = (state[1] - 3).id(), .mode = up});
  p.always = {{y, (state[0] * (state[1] + 1)).id()}};
  p.probes.push_back({"/Scope.1", y, ball, true});
  return p;
}

TEST(Layout, StatesFirstThenWidest) {
  Program p = sample();
  Layout layout = lay_out(p);
  EXPECT_EQ(layout.offset[2], 0u);   // x
  EXPECT_EQ(layout.offset[3], 16u);  // z
  EXPECT_EQ(layout.offset[4], 32u);  // y
  EXPECT_EQ(layout.offset[1], 40u);  // count
  EXPECT_EQ(layout.bytes % 16, 0u);
  std::vector<std::byte> memory = initial_memory(p, layout);
  double x0 = 0, im = 0;
  std::int16_t count = 0;
  std::memcpy(&x0, memory.data(), 8);
  std::memcpy(&im, memory.data() + 24, 8);
  std::memcpy(&count, memory.data() + 40, 2);
  EXPECT_EQ(x0, 10);
  EXPECT_EQ(im, -2);
  EXPECT_EQ(count, 7);
}

TEST(Print, Sample) {
  EXPECT_EQ(to_text(sample()),
            "slots\n"
            "  mode boolean /Ball.up  // Ball\n"
            "  discrete int16 /Ball.count = 7  // Ball\n"
            "  state double 2x1 /Ball.x = [10; 0]  // Ball\n"
            "  discrete complex /Ball.z = (1-2i)  // Ball\n"
            "  signal double /Ball.y  // Ball\n"
            "  direction int8 /Ball.d  // Ball\n"
            "\nsource 0: initial model\n"
            "\nsource 1: crossing /Ball, critical\n"
            "  /Ball.count := /Ball.count + 1 when /Ball.count < 100\n"
            "  schedule source 2 after 0.5\n"
            "\nsource 2: programmed model output 1\n"
            "  stop when /Ball.count == 3\n"
            "\nderivatives\n"
            "  der(/Ball.x) = stack(/Ball.x[1], select(/Ball.up, /Ball.x[0], -/Ball.x[0]) * 2 - 9.81)\n"
            "\nsurfaces\n"
            "  source 1 on zero of /Ball.x[0] (falling), direction in /Ball.d\n"
            "  mode /Ball.up is /Ball.x[1] - 3 >= 0\n"
            "\nalways\n"
            "  /Ball.y := /Ball.x[0] * (/Ball.x[1] + 1)\n"
            "\nprobes\n"
            "  /Scope.1 shows /Ball.y, continuous\n");
}

TEST(Print, MinimalParenthesesAndNames) {
  Program p;
  for (const char* name : {"a", "b", "c"}) p.add_slot({name, {}, SlotKind::signal});
  Expr a{&p.graph, p.read(0)}, b{&p.graph, p.read(1)}, c{&p.graph, p.read(2)};
  EXPECT_EQ(to_text(p, (a - (b - c)).id()), "a - (b - c)");
  EXPECT_EQ(to_text(p, (a - b - c).id()), "a - b - c");
  EXPECT_EQ(to_text(p, ((a + b) * c / (a * b)).id()), "(a + b) * c / (a * b)");
  EXPECT_EQ(to_text(p, (-(a + b)).id()), "-(a + b)");
  EXPECT_EQ(to_text(p, ((a < b) && !(b < c)).id()), "a < b && !(b < c)");
  Expr shared = apply(Op::sin, a * b + c);
  EXPECT_EQ(to_text(p, (shared * shared).id()), "t1 = sin(a * b + c); t1 * t1");
  Expr deep = a;
  for (int i = 0; i < 100000; ++i) deep = deep * b + c;
  EXPECT_LT(to_text(p, deep.id()).size(), 8000000u);
}

TEST(Verify, SampleIsSound) { EXPECT_EQ(verify(sample()), std::vector<std::string>{}); }

void expect_problem(const Program& p, const char* part) {
  std::vector<std::string> problems = verify(p);
  ASSERT_FALSE(problems.empty()) << part;
  bool found = false;
  for (const std::string& text : problems) found = found || text.find(part) != std::string::npos;
  EXPECT_TRUE(found) << problems[0] << " instead of " << part;
}

TEST(Verify, FindsBrokenRules) {
  Program p = sample();
  p.always.push_back(p.always[0]);
  expect_problem(p, "written twice");
  p = sample();
  p.always[0].value = p.read(1);
  expect_problem(p, "not double");
  p = sample();
  p.always[0].guard = p.read(1);
  expect_problem(p, "guard");
  p = sample();
  p.derivatives.clear();
  expect_problem(p, "1 states but 0 derivatives");
  p = sample();
  p.sources[1].table.schedules[0].source = 9;
  expect_problem(p, "source 9");
  p = sample();
  p.slots[1].initial = p.read(1);
  expect_problem(p, "not a constant");
  p = sample();
  p.surfaces[1].mode = 4;
  expect_problem(p, "kind");
  p = sample();
  p.probes[0].slot = 99;
  expect_problem(p, "probe");
}

TEST(Verify, WhatMovesReachesCornersThroughModesOnly) {
  Program p = sample();
  Expr time{&p.graph, p.graph.time()};
  const Expr n = apply(Op::floor, time);
  p.always[0].value = n.id();
  expect_problem(p, "floor of something that moves");
  p.fixed_step = true;
  EXPECT_TRUE(verify(p).empty());
  p.fixed_step = false;
  const SlotId held = p.add_slot({"n", {}, SlotKind::mode});
  p.always[0].value = p.read(held);
  p.surfaces.push_back({.value = (time - Expr{&p.graph, p.read(held)}).id(), .mode = held, .settled = n.id()});
  EXPECT_EQ(verify(p), std::vector<std::string>{});
  p.surfaces.back().settled = no_expr;
  expect_problem(p, "what the number becomes");
}

TEST(Verify, DisjointGuardsMayShareASlot) {
  Program p = sample();
  Expr mode{&p.graph, p.read(0)}, n{&p.graph, p.read(1)};
  Assign first = p.always[0], second = first;
  first.guard = mode.id();
  second.guard = (!mode && n < 3).id();
  p.always = {first, second};
  EXPECT_TRUE(verify(p).empty());
  p.always[0].guard = (n == 1).id();
  p.always[1].guard = (n == 2).id();
  EXPECT_TRUE(verify(p).empty());
  p.always[1].guard = (n < 2).id();
  EXPECT_FALSE(verify(p).empty());
}

}  // namespace
}  // namespace orrery::program
