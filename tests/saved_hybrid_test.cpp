// SPDX-License-Identifier: Apache-2.0
// Runs that are saved in the middle of what a hybrid loop remembers: surfaces that have just fired, corners that are
// not held, motion along surfaces. They continue bit for bit.
#include "hybrid_runs.h"

namespace orrery::tests::saved_hybrid_test {
namespace {

const char* const ball_model = R"(
  stop 4
  g: Constant value=-9.81
  v: JumpStateSpace A=0 B=1 C=1 D=0
  h: Integral x0=1
  z: ZeroCross direction='both'
  back: Gain k=-0.8
  n: Counter
  S: Scope inputs=2
  g:1 -> v:1
  v:1 -> h:1 back:1 S:1
  back:1 -> v:2
  h:1 -> z:1 S:2
  z:1 => v:1 n:1)";

const char* const corner_model = R"(
  stop 6
  w: SineWaveGenerator
  a: Abs
  d: Deadzone lower=-0.5 upper=0.5
  x: Integral
  y: Integral
  z: ZeroCross direction='both'
  n: Counter
  S: Scope inputs=2
  w:1 -> a:1 d:1
  a:1 -> x:1
  d:1 -> y:1 z:1
  z:1 => n:1
  x:1 -> S:1
  y:1 -> S:2)";

// Empty from t = 2 on: the corner is crossed by errors, and let go.
const char* const tank_model = R"(
  stop 20
  h: Integral x0=1
  out: MathExpression expression='-sign(u1)*sqrt(abs(u1))'
  S: Scope
  h:1 -> out:1 S:1
  out:1 -> h:1)";

// Slides from 1 to 1.5 on one surface; the other one comes later.
const char* const sliding_model = R"(
  stop 3
  sliding true
  t: Time
  f: MathExpression inputs=2 expression='0.5+u2-2*sign(u1)'
  k: MathExpression expression='-sign(u1)'
  x: Integral x0=1
  y: Integral x0=1.25
  S: Scope inputs=2
  t:1 -> f:2
  x:1 -> f:1 S:1
  f:1 -> x:1
  y:1 -> k:1 S:2
  k:1 -> y:1)";

const char* const sampled_relay_model = R"(
  stop 5
  x: Integral x0=0.3
  c: SampleClock period=0.25
  r: SampleHold
  s: MathExpression expression='1-2*(u1>0)'
  f: MathExpression inputs=2 expression='u1+0.2*(u2>0.1)'
  z: ZeroCross direction='both'
  n: Counter
  S: Scope
  c:1 => r:1
  x:1 -> r:1 z:1 S:1 f:2
  r:1 -> s:1
  s:1 -> f:1
  f:1 -> x:1
  z:1 => n:1)";

class SavedHybridRuns : public testing::TestWithParam<std::string> {};

std::vector<std::string> methods_of_one_step() {
  std::vector<std::string> names;
  for (const solve::SolverInfo& info : solve::solvers()) {
    if (!info.multistep && info.name != "auto") names.push_back(info.name);
  }
  return names;
}

INSTANTIATE_TEST_SUITE_P(Solvers, SavedHybridRuns, testing::ValuesIn(methods_of_one_step()), name_of_solver);

// Saves after every few steps and events, and compares how the copy goes on with how the run itself does.
void expect_same_continuations(const std::string& text, int every) {
  Diagnostics diagnostics;
  auto compiled = compile_model(diagram(text), {}, diagnostics);
  ASSERT_TRUE(compiled) << to_text(diagnostics);
  api::Run original = start(*compiled);
  struct Copy {
    double time;
    std::size_t entries, rows;
    api::Run run;
  };
  std::vector<Copy> copies;
  api::RunState end = api::RunState::paused;
  for (int k = 1; end == api::RunState::paused; ++k) {
    end = original.step();
    if (end != api::RunState::paused || k % every != 0) continue;
    const bool by_bytes = copies.size() % 2 == 0;
    api::Run copy = by_bytes ? start(*compiled) : original.copy();
    ASSERT_TRUE(!by_bytes || copy.restore(original.save())) << to_text(copy.diagnostics());
    copies.push_back({original.time(), original.events().size(), original.results().rows(), std::move(copy)});
  }
  ASSERT_EQ(end, api::RunState::reached_stop) << to_text(original.diagnostics());
  ASSERT_GT(copies.size(), 2u);
  const std::vector<api::Event> entries = original.events();
  const std::vector<double> values = original.results().values;
  for (Copy& copy : copies) {
    while (copy.run.step() == api::RunState::paused) {
    }
    const std::vector<api::Event> rest(entries.begin() + static_cast<std::ptrdiff_t>(copy.entries), entries.end());
    ASSERT_EQ(first_difference(copy.run.events(), rest), "") << "saved at " << copy.time;
    const api::Results own = copy.run.results();
    ASSERT_GT(own.rows(), 0u);
    const std::size_t columns = own.names.size();
    for (std::size_t c = 0; c < columns; ++c) {
      const double here = own.values[own.values.size() - columns + c], there = values[values.size() - columns + c];
      ASSERT_EQ(here, there) << "column " << c << ", saved at " << copy.time;
    }
  }
}

TEST_P(SavedHybridRuns, ContinueBitForBit) {
  const bool fixed = solve::find_solver(GetParam())->fixed_step;
  const std::string settings = fmt::format("solver {}\n{}\n", GetParam(), fixed ? "step 0.01" : "rtol 1e-6");
  for (const char* model : {ball_model, corner_model, sampled_relay_model})
    expect_same_continuations(settings + model, 7);
  if (fixed) return;
  expect_same_continuations(settings + sliding_model, 3);
  expect_same_continuations(settings + tank_model, 40);
}

}  // namespace
}  // namespace orrery::tests::saved_hybrid_test
