// SPDX-License-Identifier: Apache-2.0
// Jacobians of random whole Programs, and derivatives of random functions with statements, against complex steps.
#include <gtest/gtest.h>

#include "passes/build_jacobian.h"
#include "passes/differentiate.h"
#include "passes/random_program.h"
#include "program/complex_step.h"

namespace orrery::passes {
namespace {

using namespace program;
using Numbers = ComplexStep::Numbers;

// Numbers of no special kind; the others as random expressions like them.
Environment smooth_environment(const Program& p, unsigned seed) {
  std::mt19937 dice(seed);
  Environment e;
  e.time = 0.4375;
  for (const Slot& slot : p.slots) {
    e.slots.emplace_back(static_cast<std::size_t>(slot.type.size()) * (slot.type.scalar == Scalar::c128 ? 2 : 1));
    for (double& x : e.slots.back()) {
      const double any = 0.3 + static_cast<double>(dice() % 1000) / 700;
      x = slot.type.scalar == Scalar::f64 ? any : evaluate_cast(Scalar::f64, slot.type.scalar, std::floor(3 * any) - 1);
    }
  }
  return e;
}

std::vector<Numbers> without_steps(const Environment& e) {
  std::vector<Numbers> slots;
  for (const auto& slot : e.slots) slots.emplace_back(slot.begin(), slot.end());
  return slots;
}

// Complex numbers and histories are not continued by complex steps.
bool has_complex_step(const Graph& graph, ExprId root) {
  const auto below = reachable(graph, {&root, 1});
  return std::none_of(below.begin(), below.end(), [&](ExprId id) {
    const Op op = graph[id].op;
    if (op == Op::call) {
      const Function& function = graph.function_of(id);
      for (const Local& local : function.locals) {
        if (local.type.scalar == Scalar::c128) return true;
      }
    }
    return graph.type(id).scalar == Scalar::c128 || op == Op::past || op == Op::expm;
  });
}

struct Compared {
  int entries = 0, zeros = 0, rows = 0;
};

// One row of a Jacobian.
void compare_row(Program& p, const std::vector<SlotId>& columns, ExprId row, const Environment& e,
                 const std::string& what, Compared& compared) {
  if (!has_complex_step(p.graph, row)) return;
  const Jacobian jacobian = build_jacobian(p, columns, {&row, 1});
  if (!jacobian.exact) return;
  const auto size = static_cast<std::size_t>(p.graph.type(row).size());
  const std::vector<double> judged = evaluate(p.graph, row, e);
  std::vector<ExprId> values;
  for (const Store& store : jacobian.procedure.stores) values.push_back(store.value);
  std::vector<double> entries;
  for (const auto& value : evaluate(p.graph, values, e)) entries.insert(entries.end(), value.begin(), value.end());
  ++compared.rows;
  std::size_t column = 0;
  for (const SlotId slot : columns) {
    for (std::size_t k = 0; k < e.slots[slot].size(); ++k, ++column) {
      std::vector<Numbers> slots = without_steps(e);
      slots[slot][k] += ComplexStep::Number{0, ComplexStep::h};
      ComplexStep step(p.graph, std::move(slots), e.time);
      const Numbers stepped = step.value(row);
      for (std::size_t r = 0; r < size; ++r) {
        const double exact = stepped[r].imag() / ComplexStep::h;
        // Infinite numbers on the way have no complex continuation.
        const bool usual = std::isfinite(judged[r]) && std::isfinite(stepped[r].real()) && std::isfinite(exact);
        if (!usual || step.largest() > 1e6) continue;
        EXPECT_NEAR(stepped[r].real(), judged[r], 1e-9 * (1 + step.largest())) << what;
        const auto begin = jacobian.pattern.row.begin() + jacobian.pattern.column_start[column];
        const auto end = jacobian.pattern.row.begin() + jacobian.pattern.column_start[column + 1];
        const auto entry = std::find(begin, end, static_cast<std::int32_t>(r));
        if (entry == end) {
          EXPECT_EQ(exact, 0) << what << ": column " << column << " is not in the pattern";
          ++compared.zeros;
          continue;
        }
        const double value = entries[static_cast<std::size_t>(entry - jacobian.pattern.row.begin())];
        EXPECT_NEAR(value, exact, 1e-8 * (1 + std::fabs(exact))) << what << ", column " << column;
        compared.entries += exact != 0;
      }
    }
  }
}

TEST(ProgramDerivatives, AreThoseOfComplexSteps) {
  Compared all, invariants, starts;
  for (unsigned seed = 1; seed <= 120; ++seed) {
    Program p = RandomProgram(seed).make();
    const Environment e = smooth_environment(p, seed);
    const std::string name = "seed " + std::to_string(seed);
    std::vector<SlotId> moving = p.states;
    moving.insert(moving.end(), p.loops[0].unknowns.begin(), p.loops[0].unknowns.end());
    for (const ExprId row : std::vector<ExprId>(p.derivatives)) compare_row(p, moving, row, e, name + " rate", all);
    for (const ExprId row : std::vector<ExprId>(p.invariants))
      compare_row(p, moving, row, e, name + " invariant", invariants);
    for (std::size_t k = 0; k < p.loops.size(); ++k) {
      const Loop loop = p.loops[k];
      for (const ExprId row : loop.residuals) {
        compare_row(p, loop.unknowns, row, e, name + " loop " + std::to_string(k),
                    loop.source == Loop::start ? starts : all);
      }
    }
    ASSERT_FALSE(HasFailure()) << name;
  }
  for (const Compared& c : {all, invariants, starts}) {
    EXPECT_GT(c.rows, 60);
    EXPECT_GT(c.entries, 100);
  }
  EXPECT_GT(all.zeros, 100);
}

TEST(ProgramDerivatives, OfRandomFunctionsAreThoseOfComplexSteps) {
  int compared = 0, differentiable = 0, loops = 0;
  for (unsigned seed = 1; seed < 400; ++seed) {
    Program p;
    for (const Type& type : random_slots()) p.add_slot({.name = "in", .type = type});
    std::vector<ExprId> arguments;
    for (SlotId s = 0; s < p.slots.size(); ++s) arguments.push_back(p.read(s));
    const auto functions = random_functions(seed, 2, true);
    const Function& last = *functions.back();
    const ExprId call = p.graph.call(p.graph.declare(functions.back()), 0, arguments);
    const Variable variables[] = {{0, 1}, {1, 3}, {2, 4}};
    Gradients gradients(p.graph, variables);
    std::vector<ExprId> exact(8, p.graph.constant(0));
    for (const Partial& partial : gradients.of(call)) exact[partial.column] = partial.value;
    if (!gradients.complete()) continue;
    ++differentiable;
    Environment e = smooth_environment(p, seed);
    std::size_t column = 0;
    for (SlotId s = 0; s < 3; ++s) {
      for (std::size_t k = 0; k < e.slots[s].size(); ++k, ++column) {
        std::vector<Numbers> slots = without_steps(e);
        slots[s][k] += ComplexStep::Number{0, ComplexStep::h};
        ComplexStep step(p.graph, std::move(slots));
        const auto stepped = step.value(call)[0];
        const double derivative = stepped.imag() / ComplexStep::h, judged = evaluate(p.graph, call, e)[0];
        const bool usual = std::isfinite(judged) && std::isfinite(stepped.real()) && std::isfinite(derivative);
        if (!usual || step.largest() > 1e6) continue;
        EXPECT_NEAR(stepped.real(), judged, 1e-9 * (1 + std::fabs(judged))) << "seed " << seed;
        EXPECT_NEAR(evaluate(p.graph, exact[column], e)[0], derivative, 1e-8 * (1 + std::fabs(derivative)))
            << "seed " << seed << ", column " << column << "\n"
            << to_text(last);
        compared += derivative != 0;
      }
    }
    visit_statements(last.body, [&](const Statement& s) { loops += s.kind == Statement::Kind::count_loop; });
  }
  EXPECT_GT(differentiable, 60);
  EXPECT_GT(compared, 100);
  EXPECT_GT(loops, 30);
}

}  // namespace
}  // namespace orrery::passes
