// SPDX-License-Identifier: Apache-2.0
// Patterns, colours and exact Jacobians of chains and of the Brusselator.
#include "passes/build_jacobian.h"

#include <set>

#include <gtest/gtest.h>

#include "passes/colour_columns.h"
#include "passes/jacobian_pattern.h"
#include "program/evaluate.h"
#include "program/expr.h"

namespace orrery::passes {
namespace {

using namespace program;

SlotId add_state(Program& p, Type type = {}) {
  SlotId slot = p.add_slot({"x", type, SlotKind::state});
  p.states.push_back(slot);
  return slot;
}

// x_i' = x_{i-1} - 2 x_i + x_{i+1}, one scalar state each.
Program chain(SlotId n) {
  Program p;
  std::vector<Expr> x;
  for (SlotId i = 0; i < n; ++i) add_state(p);
  for (SlotId i = 0; i < n; ++i) x.push_back({&p.graph, p.read(i)});
  for (SlotId i = 0; i < n; ++i) {
    Expr d = x[i] * -2;
    if (i > 0) d = d + x[i - 1];
    if (i + 1 < n) d = d + x[i + 1];
    p.derivatives.push_back(d.id());
  }
  return p;
}

// The 1-D Brusselator with diffusion (Hairer and Wanner, Solving ODEs II, IV.10) on n points: u and v in one vector.
Program brusselator(std::int32_t n) {
  Program p;
  Type type{Scalar::f64, 2 * n, 1};
  SlotId slot = add_state(p, type);
  Expr s{&p.graph, p.read(slot)};
  std::vector<Expr> d;
  double c = 0.02 * (n + 1) * (n + 1);
  Expr one{&p.graph, p.graph.constant(1)}, three{&p.graph, p.graph.constant(3)};
  for (std::int32_t i = 0; i < n; ++i) {
    Expr u = s[2 * i], v = s[2 * i + 1];
    Expr ul = i > 0 ? s[2 * i - 2] : one, ur = i + 1 < n ? s[2 * i + 2] : one;
    Expr vl = i > 0 ? s[2 * i - 1] : three, vr = i + 1 < n ? s[2 * i + 3] : three;
    d.push_back(1 + u * u * v - 4 * u + c * (ul - 2 * u + ur));
    d.push_back(3 * u - u * u * v + c * (vl - 2 * v + vr));
  }
  p.derivatives.push_back(stack(type, d).id());
  return p;
}

void expect_valid(const Sparsity& pattern, const Colouring& colouring) {
  std::vector<std::set<std::int32_t>> rows(static_cast<std::size_t>(pattern.rows));
  for (std::int32_t c = 0; c < pattern.n; ++c) {
    for (std::int32_t i = pattern.column_start[c]; i < pattern.column_start[c + 1]; ++i) {
      ASSERT_TRUE(rows[pattern.row[i]].insert(colouring.colour[c]).second);
    }
  }
}

TEST(Jacobian, TridiagonalChain) {
  Program p = chain(5);
  Jacobian j = build_jacobian(p);
  EXPECT_TRUE(j.exact);
  EXPECT_EQ(j.pattern, jacobian_pattern(p));
  EXPECT_EQ(j.pattern.column_start, (std::vector<std::int32_t>{0, 2, 5, 8, 11, 13}));
  EXPECT_EQ(j.pattern.row, (std::vector<std::int32_t>{0, 1, 0, 1, 2, 1, 2, 3, 2, 3, 4, 3, 4}));
  EXPECT_TRUE(p.graph.is_constant(j.procedure.stores[0].value, -2));
  EXPECT_TRUE(p.graph.is_constant(j.procedure.stores[1].value, 1));
  Colouring colouring = colour_columns(j.pattern);
  EXPECT_EQ(colouring.count, 3);
  expect_valid(j.pattern, colouring);
}

TEST(Jacobian, BrusselatorAgreesWithDifferences) {
  Program p = brusselator(20);
  Jacobian j = build_jacobian(p);
  Environment e;
  e.slots.emplace_back();
  for (int i = 0; i < 40; ++i) e.slots[0].push_back(1 + 0.1 * i);
  std::vector<ExprId> entries;
  for (const Store& store : j.procedure.stores) entries.push_back(store.value);
  auto values = evaluate(p.graph, entries, e);
  for (std::int32_t c = 0; c < j.pattern.n; ++c) {
    double keep = e.slots[0][c];
    e.slots[0][c] = keep + 1e-5;
    auto up = evaluate(p.graph, p.derivatives[0], e);
    e.slots[0][c] = keep - 1e-5;
    auto down = evaluate(p.graph, p.derivatives[0], e);
    e.slots[0][c] = keep;
    std::vector<double> column(40);
    for (std::int32_t i = j.pattern.column_start[c]; i < j.pattern.column_start[c + 1]; ++i) {
      column[j.pattern.row[i]] = values[i][0];
    }
    for (int r = 0; r < 40; ++r) EXPECT_NEAR(column[r], (up[r] - down[r]) / 2e-5, 1e-5);
  }
}

TEST(Jacobian, LinearVectorSystemHasItsMatrix) {
  Program p;
  SlotId slot = add_state(p, {Scalar::f64, 40, 1});
  std::vector<double> a(1600);
  for (int i = 0; i < 40; ++i) a[i * 41] = i + 1;
  a[39] = 7;  // row 39, column 0
  Expr matrix{&p.graph, p.graph.constant(Type{Scalar::f64, 40, 40}, a)};
  p.derivatives = {matmul(matrix, Expr{&p.graph, p.read(slot)}).id()};
  Jacobian j = build_jacobian(p);
  EXPECT_EQ(j.pattern.nonzeros(), 41u);
  EXPECT_EQ(j.pattern, jacobian_pattern(p));
  EXPECT_TRUE(p.graph.is_constant(j.procedure.stores[1].value, 7));
}

TEST(Jacobian, DenseRowsColourFast) {
  Sparsity pattern;
  pattern.rows = 2;
  pattern.n = 100000;
  for (std::int32_t c = 0; c <= pattern.n; ++c) pattern.column_start.push_back(c);
  pattern.row.assign(100000, 0);
  EXPECT_EQ(colour_columns(pattern).count, 100000);
}

TEST(Jacobian, OfALargeModelStaysSparse) {
  Program c = chain(100000);
  Jacobian j = build_jacobian(c);
  Colouring colouring = colour_columns(jacobian_pattern(c));
  EXPECT_EQ(colouring.count, 3);
  EXPECT_EQ(j.pattern.nonzeros(), 299998u);
}

// What differentiation adds to the graph, for twice the model.
TEST(Jacobian, GrowsWithTheModel) {
  const auto added = [](int cells) {
    Program p = brusselator(cells);
    const std::size_t before = p.graph.size();
    Jacobian j = build_jacobian(p);
    EXPECT_EQ(j.pattern, jacobian_pattern(p));
    return static_cast<double>(p.graph.size() - before);
  };
  EXPECT_NEAR(added(1000) / added(500), 2, 0.01);
}

}  // namespace
}  // namespace orrery::passes
