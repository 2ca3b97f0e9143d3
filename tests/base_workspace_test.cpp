// SPDX-License-Identifier: Apache-2.0
// FromBase and ToBase: values of the base workspace at activations.
#include <gtest/gtest.h>

#include <cmath>

#include "semantics.h"

namespace orrery::tests::base_workspace_test {
namespace {

// The value of the last row of each instant.
std::vector<double> settled(const ModelRun& run, const std::string& column) {
  std::vector<double> values;
  const std::size_t c = run.recording.column(column);
  for (std::size_t r = 0; r < run.recording.rows(); ++r) {
    if (r + 1 == run.recording.rows() || run.recording.time[r + 1] != run.recording.time[r])
      values.push_back(run.recording.value(r, c));
  }
  return values;
}

// At each tick FromBase sees what the ticks before have written, and the default before the first.
TEST(BaseWorkspace, IsReadAndWrittenAtActivations) {
  const auto run = simulate(R"(
    stop 4
    c: SampleClock period=1
    n: Counter from=10 to=1000
    w: ToBase name='p'
    r: FromBase name='p' default=7
    once: FromBase name='p' default=7
    m: Mux inputs=2
    o: Scope inputs=2
    c:1 => n:1 r:1
    n:1 -> w:1
    r:1 -> o:1
    once:1 -> m:1 m:2
    m:1 -> o:2
  )");
  EXPECT_EQ(settled(run, "/o.1"), (std::vector<double>{7, 10, 11, 12, 13}));
  for (const double x : settled(run, "/o.2[1]")) EXPECT_EQ(x, 7);
}

// Slower readers see the last value; types and sizes are kept; several names at once.
TEST(BaseWorkspace, KeepsNamesTypesAndSizesApart) {
  const auto run = simulate(R"(
    stop 6
    c: SampleClock period=1
    d: SampleClock period=2 offset=1
    n: Counter to=1000
    i: DataTypeConversion type='int16'
    g: MatrixGain K=[1;2]
    wi: ToBase name='whole'
    wv: ToBase name='pair'
    ri: FromBase name='whole' default=int16(-5)
    rv: FromBase name='pair' default=[0;0]
    o: Scope inputs=2
    c:1 => n:1
    d:1 => ri:1 rv:1
    n:1 -> i:1 g:1
    i:1 -> wi:1
    g:1 -> wv:1
    ri:1 -> o:1
    rv:1 -> o:2
  )");
  EXPECT_EQ(last(run, "/o.1"), 4);  // at 5, before what the tick of 5 writes
  EXPECT_EQ(last(run, "/o.2[2]"), 8);
}

TEST(BaseWorkspace, AnotherSizeIsAnErrorOfTheRun) {
  const auto run = run_model(
      diagram(
          "stop 3\nc: SampleClock period=1\nk: Constant value=[1;2]\nh: SampleHold\nw: ToBase name='p'\nr: FromBase "
          "name='p'\no: Scope\nk:1 -> h:1\nc:1 => h:1 r:1\nh:1 -> w:1\nr:1 -> o:1"),
      {});
  EXPECT_TRUE(has_code(run, "block-error")) << to_text(run.diagnostics);
}

// The same bits on both tiers.
TEST(BaseWorkspace, AgreesOnBothTiers) {
  const model::Model model = diagram(
      "stop 4\nc: SampleClock period=0.5\nr: FromBase name='x' default=1\ng: Gain k=-1.5\nw: ToBase name='x'\no: "
      "Scope\n"
      "c:1 => r:1\nr:1 -> g:1 o:1\ng:1 -> w:1");
  RunSetup setup;
  const ModelRun first = run_model(model, setup);
  setup.native = api::NativeCode::second;
  const ModelRun second = run_model(model, setup);
  EXPECT_EQ(first_difference(first.recording, second.recording), "");
  EXPECT_NEAR(last(first, "/o.1"), std::pow(-1.5, 8), 1e-12);
}

}  // namespace
}  // namespace orrery::tests::base_workspace_test
