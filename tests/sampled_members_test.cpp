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

}  // namespace
}  // namespace orrery::tests::sampled_members_test
