// SPDX-License-Identifier: Apache-2.0
// Blocks that are always active and that an event activates as well, through an input that it changes: their jumps are
// those of just after the instant, with what the event has made of the input.
#include "hybrid_runs.h"

namespace orrery::tests::sampled_members_test {
namespace {

// A formula of x = x0 + rate t and of n = 0, 1, 2, …, which a clock counts at 1, 2, 3, …, and what it sees of it.
struct Mixture {
  const char *formula, *x0, *rate;
  std::vector<double> values;
};

const Mixture mixtures[] = {
    {"floor(u1)+u2", "0", "1", {1, 3, 5, 7}},   {"floor(u1+u2)", "0", "1", {1, 3, 5, 7}},
    {"floor(u1+u2)", "8", "-1", {6, 6, 6, 6}},  {"ceil(u1-2*u2)", "0", "1", {2, 1, 0, -1}},
    {"mod(u1+u2,1)", "0", "1", {0, 0, 0, 0}},   {"(u1>u2+1)*1", "0", "1", {1, 1, 1, 1}},
    {"(u1>=u2+1)*1", "0", "1", {1, 1, 1, 1}},   {"(u1>=3-u2)*1", "4", "-1", {0, 0, 0, 0}},
    {"(u1>3-u2)*1", "4", "-1", {0, 0, 0, 0}},   {"sign(u1-2*u2)", "0", "1", {1, 1, -1, -1}},
    {"max(u1-2,0)+u2", "0", "1", {0, 1, 3, 5}}, {"sqrt(max(u1-u2-1,0))", "0", "1", {0, 0, 0, 0}},
};

void expect_mixture(const std::string& settings, const Mixture& mixture) {
  for (const char* reader : {"", "d: Integral\nf:1 -> d:1\n"}) {  // nothing continuous reads it, or something does
    const auto run = run_hybrid(settings + fmt::format(R"(
      r: Constant value={}
      x: Integral x0={}
      n: Counter
      f: MathExpression inputs=2 expression='{}'
      k: SampleClock period=1 offset=1
      s: SampleHold
      k:1 => n:1 s:1
      r:1 -> x:1
      x:1 -> f:1
      n:1 -> f:2
      f:1 -> s:1
      {})",
                                                       mixture.rate, mixture.x0, mixture.formula, reader),
                                {"/s"});
    ASSERT_FALSE(run.diagnostics.has_errors()) << to_text(run.diagnostics);
    std::vector<double> seen(mixture.values.size(), NAN);  // the last row of each instant counts
    const std::vector<double> shown = column_of(run, "/s");
    for (std::size_t r = 0; r < shown.size(); ++r) {
      const double at = std::round(run.recording.time[r]);
      if (at >= 1 && at <= static_cast<double>(seen.size())) seen[static_cast<std::size_t>(at) - 1] = shown[r];
    }
    for (std::size_t k = 0; k < seen.size(); ++k)
      EXPECT_NEAR(seen[k], mixture.values[k], 1e-6) << mixture.formula << " at " << k + 1 << " " << reader;
  }
}

class SampledMembers : public WithEverySolver {};

INSTANTIATE_TEST_SUITE_P(Solvers, SampledMembers, testing::ValuesIn(variable_step_solvers()), name_of_solver);

TEST_P(SampledMembers, JumpJustAfterTheInstant) {
  for (const Mixture& mixture : mixtures) expect_mixture(settings("stop 4"), mixture);
}

TEST(FixedStepSampledMembers, JumpJustAfterTheInstant) {
  for (const char* solver : {"euler", "rk4", "rk5"}) {
    for (const Mixture& mixture : mixtures)
      expect_mixture(fmt::format("solver {}\nstep 0.1\nstop 4\n", solver), mixture);
  }
}

// A conditional block on such a signal, and one that jumps in front of another.
TEST_P(SampledMembers, DecideWhatConditionalBlocksPassOn) {
  const auto run = run_hybrid(settings("stop 4.5") + R"(
    r: Constant
    x: Integral
    n: Counter
    f: MathExpression inputs=2 expression='floor(u1)-u2-1'
    g: MathExpression expression='sign(u1+0.5)'
    k: SampleClock period=1 offset=1
    i: IfThenElse
    yes: Counter from=1
    no: Counter from=1
    k:1 => n:1 i:1
    r:1 -> x:1
    x:1 -> f:1
    n:1 -> f:2
    f:1 -> g:1
    g:1 -> i:1
    i:1 => yes:1
    i:2 => no:1)",
                              {"/yes", "/no"});
  EXPECT_EQ(last(run, "/yes"), 4) << to_text(run.diagnostics);
  EXPECT_TRUE(std::isnan(last(run, "/no")));
}

// Through algebraic loops: y - sin(y) / 2 = x, and the linear y = x / 2 + y / 2 with an input that the event changes,
// both with y = 2 at the instant, and floor(x + n - n) = 2 inside a loop that doubles it.
void expect_loops(const std::string& settings) {
  for (const double rate : {1.0, -1.0}) {
    for (const double instant : {1.0, 0.7}) {
      const auto run =
          run_hybrid(settings + fmt::format(R"(
        r: Constant value=[{0};{0}]
        x: Integral x0=[{1:.17g};{2:.17g}]
        parts: Demux sizes=[1,1]
        y: Sum signs='++'
        bend: MathExpression expression='0.5*sin(u1)'
        n: Counter
        l: MathExpression expression='0.5*u1+u2+0*u3' inputs=3
        half: Gain k=0.5
        in: MathExpression expression='floor(u1+u2-u2)' inputs=2
        d: Sum signs='++'
        again: Gain k=0.5
        all: Mux inputs=3
        floors: MatrixExpression expression='floor(u1)'
        at: EventGenerate times={3}
        s: SampleHold
        r:1 -> x:1
        x:1 -> parts:1
        parts:1 -> y:1
        bend:1 -> y:2
        y:1 -> bend:1 all:1
        parts:2 -> l:1 in:1
        half:1 -> l:2
        n:1 -> l:3 in:2
        l:1 -> half:1 all:2
        in:1 -> d:1
        again:1 -> d:2
        d:1 -> again:1 all:3
        all:1 -> floors:1
        floors:1 -> s:1
        at:1 => n:1 s:1)",
                                            rate, 2 - std::sin(2.0) / 2 - rate * instant, 2 - rate * instant, instant),
                     {"/s"});
      ASSERT_FALSE(run.diagnostics.has_errors()) << to_text(run.diagnostics);
      const double expected = rate > 0 ? 2 : 1;
      EXPECT_EQ(last(run, "/s[1]"), expected) << rate << " " << instant;
      EXPECT_EQ(last(run, "/s[2]"), expected) << rate << " " << instant;
      EXPECT_EQ(last(run, "/s[3]"), 2 * expected) << rate << " " << instant;
    }
  }
}

TEST_P(SampledMembers, JumpJustAfterTheInstantThroughLoops) { expect_loops(settings("stop 2")); }

TEST(FixedStepSampledMembers, JumpJustAfterTheInstantThroughLoops) {
  for (const char* solver : {"euler", "rk4", "trapezoidal-implicit"})
    expect_loops(fmt::format("solver {}\nstep 0.1\nstop 2\n", solver));
}

}  // namespace
}  // namespace orrery::tests::sampled_members_test
