// SPDX-License-Identifier: Apache-2.0
// Ten thousand coupled equations with a thousand loops, and ten times as many: memory grows with their number, whatever
// the solver.
#include <malloc.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>

#include "equation_model.h"

namespace orrery::equations {
namespace {

using program::apply;
using program::Expr;
using program::Op;

// Ten equations each: a state, a loop of two unknowns that neighbours reach through the states, and what follows.
void make_ring(EquationModel& m, int loops) {
  std::vector<Expr> x;
  for (int k = 0; k < loops; ++k) x.push_back(m.variable("x" + std::to_string(k), 1 + 0.001 * (k % 7)));
  for (int k = 0; k < loops; ++k) {
    const auto name = [k](const char* what) { return what + std::to_string(k); };
    const Expr before = x[static_cast<std::size_t>((k + loops - 1) % loops)], own = x[static_cast<std::size_t>(k)];
    const Expr a = m.variable(name("a")), b = m.variable(name("b"));
    m.zero(a + 0.3 * apply(Op::sin, b) - own);
    m.zero(b + 0.3 * apply(Op::sin, a) - before);
    Expr last = a + b;
    for (int p = 0; p < 7; ++p) {
      const Expr next = m.variable(name(("p" + std::to_string(p) + "_").c_str()));
      m.zero(next - (0.9 * last + 0.01 * own));
      last = next;
    }
    m.zero(m.der(name("x")) + own - 0.2 * last);
  }
  m.show("x0", x[0]);
}

struct Cost {
  double bytes = 0, seconds = 0, x0 = 0;
};

double bytes_in_use() {
  const auto info = mallinfo2();
  return static_cast<double>(info.uordblks + info.hblkhd);
}

// Of the compiled program and the run, after it.
Cost run_ring(int loops, const char* solver) {
  Cost cost;
  EquationModel m;
  make_ring(m, loops);
  const std::clock_t begin = std::clock();
  EXPECT_TRUE(m.close()) << to_text(m.diagnostics);
  EXPECT_EQ(m.program.loops.size(), static_cast<std::size_t>(loops));
  sim::RunOptions options;
  options.stop = 0.5;
  options.solver = solver;
  options.native.second_tier = false;
  Diagnostics messages;
  const double before = bytes_in_use();
  const auto simulation = sim::Simulation::create(m.program, options, messages);
  EXPECT_TRUE(simulation) << to_text(messages);
  if (!simulation) return cost;
  EXPECT_EQ(simulation->run(), sim::End::reached_stop) << to_text(messages);
  cost.bytes = bytes_in_use() - before;
  cost.seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  const sim::Recording& recording = simulation->recording();
  cost.x0 = recording.value(recording.rows() - 1, 0);
  return cost;
}

TEST(LargeSystems, MemoryGrowsWithTheNumberOfLoops) {
  double first = 0;
  for (const char* solver : {"dopri", "cvode-bdf-newton", "ida"}) {
    const Cost half = run_ring(500, solver), whole = run_ring(1000, solver);
    EXPECT_LT(whole.bytes, 2.4 * half.bytes) << solver;
    EXPECT_LT(whole.bytes, 400e6) << solver;
    if (first == 0) first = whole.x0;
    EXPECT_NEAR(whole.x0, first, 1e-4) << solver;
    testing::Test::RecordProperty(std::string(solver) + " MB", static_cast<int>(whole.bytes / 1e6));
    testing::Test::RecordProperty(std::string(solver) + " CPU ms", static_cast<int>(1e3 * whole.seconds));
  }
}

// A hundred thousand equations with ten thousand loops.
TEST(LargeSystems, MemoryStaysLinearForAHundredThousandEquations) {
  const bool all = std::getenv("ORRERY_LARGE_SYSTEMS") != nullptr;  // for longer runs by hand: the other solvers too
  const Cost tenth = run_ring(1000, "dopri"), whole = run_ring(10000, "dopri");
  EXPECT_LT(whole.bytes, 12 * tenth.bytes);
  EXPECT_NEAR(whole.x0, tenth.x0, 1e-4) << "neighbours ten thousand loops away do not matter";
  testing::Test::RecordProperty("MB", static_cast<int>(whole.bytes / 1e6));
  testing::Test::RecordProperty("CPU ms", static_cast<int>(1e3 * whole.seconds));
  if (!all) return;
  for (const char* solver : {"cvode-bdf-newton", "ida"}) {
    const Cost small = run_ring(1000, solver), large = run_ring(10000, solver);
    EXPECT_LT(large.bytes, 12 * small.bytes) << solver;
    EXPECT_NEAR(large.x0, whole.x0, 1e-4) << solver;
    std::printf("%s: %.0f MB, %.1f CPU-s; a tenth: %.0f MB, %.1f CPU-s\n", solver, large.bytes / 1e6, large.seconds,
                small.bytes / 1e6, small.seconds);
  }
}

}  // namespace
}  // namespace orrery::equations
