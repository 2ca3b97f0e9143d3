// SPDX-License-Identifier: Apache-2.0
// Which rows a recording has, and what they hold (docs/semantics.md, 11).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "api/results.h"
#include "semantics.h"

namespace orrery::tests::recording_test {
namespace {

api::RunResult run(const std::string& text, double interval = 0, std::vector<std::string> signals = {}) {
  api::RunRequest request;
  request.tier = api::TierChoice::first;
  request.interval = interval;
  request.signals = std::move(signals);
  api::RunResult result = run_text(model::write(diagram(text)), request);
  EXPECT_FALSE(result.failed()) << to_text(result.diagnostics);
  return result;
}

std::vector<double> column(const sim::Recording& recording, std::size_t k) {
  std::vector<double> values;
  for (std::size_t r = 0; r < recording.rows(); ++r) values.push_back(recording.value(r, k));
  return values;
}

// Two rows for each tick, the value before it and after it, whatever other clocks of the domain do.
TEST(Recording, HasRowsOfAScopesOwnTicksOnly) {
  const auto result = run(R"(
    stop 30
    fast: SampleClock period=1e-4
    slow: SampleClock period=1
    n: Counter
    out: Scope
    fast:1 => n:1
    slow:1 => out:1
    n:1 -> out:1)");
  EXPECT_GE(result.recording.rows(), 31u);
  EXPECT_LE(result.recording.rows(), 64u);
  EXPECT_EQ(last(result, "/out.1"), 300000);
}

// The same between a clock and programmed events, where each has a table of its own.
TEST(Recording, HasNoRowsForEventsThatNoProbeSees) {
  const auto result = run(R"(
    stop 30
    fast: EventClock period=1e-3
    slow: SampleClock period=1
    n: Counter
    out: Scope
    x: Integral
    one: Constant
    one:1 -> x:1
    fast:1 => n:1
    slow:1 => out:1
    n:1 -> out:1)");
  EXPECT_LE(result.recording.rows(), 64u);
}

TEST(Recording, WithAnIntervalHasTheGridAlone) {
  const std::string model = R"(
    stop 10
    fast: SampleClock period=0.01
    n: Counter
    x: Integral
    one: Constant
    one:1 -> x:1
    out: Scope inputs=2
    fast:1 => n:1
    n:1 -> out:1
    x:1 -> out:2)";
  const auto result = run(model, 0.5);
  const std::vector<double>& times = result.recording.time;
  ASSERT_EQ(times.size(), 21u);
  for (std::size_t k = 0; k < times.size(); ++k) EXPECT_NEAR(times[k], 0.5 * static_cast<double>(k), 1e-12);
  // A row that falls on a tick shows what the tick has left.
  const std::vector<double> counts = column(result.recording, 0);
  EXPECT_EQ(counts[result.recording.rows() - 3], 900);
  EXPECT_EQ(counts.front(), 0);  // the first tick has been
  EXPECT_EQ(counts.back(), 1000);
}

TEST(Recording, FollowsCurvesThatOnlyTimeDrives) {
  for (const char* states : {"", "x: Integral\none: Constant\none:1 -> x:1\n"}) {
    for (const double periods : {101.0, 100.0, 300.0}) {
      const auto result =
          run(fmt::format("stop 10\n{}t: Time\ns: MathExpression expression='sin(2*pi*{}*u1)'\nout: Scope\n"
                          "t:1 -> s:1\ns:1 -> out:1",
                          states, periods / 10));
      const std::vector<double> values = column(result.recording, 0);
      EXPECT_GT(*std::max_element(values.begin(), values.end()), 0.99) << periods << states;
      EXPECT_LT(*std::min_element(values.begin(), values.end()), -0.99) << periods << states;
      EXPECT_GT(values.size(), static_cast<std::size_t>(8 * periods));
      EXPECT_LT(values.size(), static_cast<std::size_t>(60 * periods));
      EXPECT_TRUE(std::is_sorted(result.recording.time.begin(), result.recording.time.end()));
    }
  }
}

// Lines need no more points, and states make the steps they need.
TEST(Recording, AddsNoRowsToLinesAndStates) {
  const auto lines = run("stop 10\nt: Time\ng: Gain k=3\nout: Scope\nt:1 -> g:1\ng:1 -> out:1");
  EXPECT_EQ(lines.recording.rows(), 101u);
  const auto states = run("stop 10\nx: Integral x0=1\ng: Gain k=-1\nout: Scope\nx:1 -> g:1 out:1\ng:1 -> x:1");
  EXPECT_EQ(states.recording.rows(), static_cast<std::size_t>(states.report.mesh_points) + 1);
}

TEST(Recording, HasNoValueBeforeTheFirstActivation) {
  const auto result = run(R"(
    stop 4
    clock: SampleClock period=1 offset=2
    five: Constant value=5
    hold: SampleHold
    t: Time
    clock:1 => hold:1
    five:1 -> hold:1
    out: Scope
    hold:1 -> out:1
    all: Scope
    t:1 -> all:1)");
  const sim::Recording& recording = result.recording;
  ASSERT_EQ(recording.columns[0].name, "/out.1");
  EXPECT_EQ(recording.columns[1].first, 0u);
  ASSERT_GT(recording.columns[0].first, 0u);
  ASSERT_LT(recording.columns[0].first, recording.rows());
  for (std::size_t r = 0; r < recording.rows(); ++r) {
    EXPECT_EQ(std::isnan(recording.value(r, 0)), r < recording.columns[0].first);
    if (recording.time[r] < 1.999) {
      EXPECT_TRUE(std::isnan(recording.value(r, 0)));
    }
  }
  EXPECT_NEAR(recording.time[recording.columns[0].first], 2, 1e-12);
  // Neither smallest nor largest value.
  const std::string table = api::value_table(result, 10);
  EXPECT_NE(table.find("/out.1      5    5    5"), std::string::npos) << table;
  EXPECT_TRUE(result.diagnostics.all().empty()) << to_text(result.diagnostics);
}

TEST(Recording, OfAWatchedBlockBeginsWithItsFirstActivation) {
  const auto result = run(R"(
    stop 4
    never: EventGenerate times=9
    clock: SampleClock period=1 offset=2
    n: Counter from=7
    m: Counter from=7
    clock:1 => n:1
    never:1 => m:1)",
                          0, {"/n", "/m"});
  EXPECT_EQ(result.recording.time[result.recording.columns[0].first], 2);
  EXPECT_GE(result.recording.columns[1].first, result.recording.rows());
}

TEST(Recording, WarnsOnceOfASignalThatIsNotANumber) {
  const auto result = run(R"(
    stop 4
    t: Time
    b: Bias bias=-2
    e: MathFunc function='sqrt'
    out: Scope
    t:1 -> b:1
    b:1 -> e:1
    e:1 -> out:1)");
  ASSERT_EQ(result.diagnostics.all().size(), 1u) << to_text(result.diagnostics);
  EXPECT_EQ(result.diagnostics.all()[0].code, "nan-signal");
  EXPECT_EQ(result.diagnostics.all()[0].time, 0.0);
}

TEST(Recording, WarnsOnceOfASignalThatIsInfinite) {
  const auto result = run(R"(
    stop 2
    t: Time
    e: MathExpression expression='log(floor(u1))'
    out: Scope
    t:1 -> e:1
    e:1 -> out:1)");
  ASSERT_EQ(result.diagnostics.all().size(), 1u) << to_text(result.diagnostics);
  EXPECT_EQ(result.diagnostics.all()[0].code, "infinite-signal");
  EXPECT_EQ(result.diagnostics.all()[0].time, 0.0);
}

TEST(Counting, ReachesItsLastNumber) {
  const auto result = run(R"(
    stop 8
    clock: SampleClock period=1
    n: Counter from=0 to=0.3 step=0.1
    m: Counter direction='down' from=1 to=-10 step=4
    out: Scope inputs=2
    clock:1 => n:1 m:1
    n:1 -> out:1
    m:1 -> out:2)");
  std::vector<double> up, down;
  for (std::size_t r = 0; r < result.recording.rows(); ++r) {
    if (result.recording.phase[r] != sim::Phase::event) continue;
    up.push_back(result.recording.value(r, 0));
    down.push_back(result.recording.value(r, 1));
  }
  ASSERT_EQ(up.size(), 9u);
  EXPECT_EQ(up[3], 0.3);
  EXPECT_EQ(up[4], 0);
  EXPECT_EQ(down, (std::vector<double>{1, -3, -7, 1, -3, -7, 1, -3, -7}));
}

TEST(ManyTimes, AreGeneratedInOrder) {
  for (const int count : {17, 100, 1000, 100000}) {
    for (const int start : {0, 5}) {
      const auto result =
          run(fmt::format("start {0}\nstop {1}\ng: EventGenerate outputs='one' times=((1:{1}).^2)/{1}\nn: "
                          "Counter\nlate: SampleHold\nt: Time\n"
                          "g:1 => n:1 late:1\nt:1 -> late:1\nout: Display\nat: Display\nn:1 -> out:1\nlate:1 -> at:1",
                          start, count));
      const int passed =
          static_cast<int>(std::ceil(std::sqrt(static_cast<double>(start) * count))) - (start > 0 ? 1 : 0);
      EXPECT_EQ(last(result, "/out.1"), count - passed - 1) << count << " from " << start;
      EXPECT_EQ(last(result, "/at.1"), count);
    }
  }
}

// The row of the start shows what its last event has left, and so does the row of the stop; the grid counts from the
// start.
TEST(Recording, WithAnIntervalHasOneRowForTheStartAndOneForTheStop) {
  for (const char* solver : {"dopri", "radau", "lsoda", "rk4", "euler-implicit"}) {
    const bool fixed = std::string(solver) == "rk4" || std::string(solver) == "euler-implicit";
    const auto result = run(std::string("start 3\nstop 5\nsolver ") + solver + (fixed ? "\nstep 0.125" : "") + R"(
      c: SampleClock
      n: Counter from=7
      d: EventDelay delay=0
      m: Counter from=40
      x: Integral reset='activation' x0=1
      k: Constant value=2
      one: Constant
      out: Scope inputs=3
      c:1 => n:1 d:1
      d:1 => m:1 x:1
      one:1 -> x:1
      k:1 -> x:2
      n:1 -> out:1
      m:1 -> out:2
      x:1 -> out:3)",
                            0.75);
    ASSERT_EQ(result.recording.time, (std::vector<double>{3, 3.75, 4.5, 5})) << solver;
    EXPECT_EQ(column(result.recording, 0), (std::vector<double>{7, 7, 8, 9})) << solver;
    EXPECT_EQ(column(result.recording, 1), (std::vector<double>{40, 40, 41, 42})) << solver;
    const std::vector<double> x = column(result.recording, 2);
    for (std::size_t k = 0; k < 4; ++k) EXPECT_NEAR(x[k], (std::vector<double>{2, 2.75, 2.5, 2})[k], 1e-9) << solver;
    EXPECT_EQ(result.recording.phase[0], sim::Phase::initial) << solver;
  }
}

TEST(Warnings, OfBlocksThatNoEventReaches) {
  const auto codes = [](const std::string& text) {
    std::vector<std::string> found;
    const auto result = run(text);
    for (const Diagnostic& d : result.diagnostics.all()) found.push_back(d.code + " " + d.place.block);
    return found;
  };
  using Codes = std::vector<std::string>;
  EXPECT_EQ(codes("t: Time\nz: DiscreteDelay\nout: Scope\nt:1 -> z:1\nz:1 -> out:1"), Codes{"never-activated /z"});
  EXPECT_EQ(codes("t: Time\nd: EventVariableDelay\nn: Counter\nt:1 -> d:1\nd:1 => n:1"), Codes{"never-activated /d"});
  EXPECT_EQ(codes("c: SampleClock\ne: EventScope inputs=2\nc:1 => e:2"), Codes{"unconnected-activation /e"});
  // A conditional block makes no event of continuous time.
  EXPECT_EQ(codes("t: Time\ni: IfThenElse\nn: Counter\nt:1 -> i:1\ni:1 => n:1"), Codes{"never-activated /n"});
  // All of these run.
  EXPECT_EQ(codes("t: Time\nc: SampleClock\nz: DiscreteDelay\nc:1 => z:1\nt:1 -> z:1"), Codes{});
  EXPECT_EQ(codes("t: Time\nc: SampleClock\ns: SampleHold\nz: DiscreteDelay\nc:1 => s:1\nt:1 -> s:1\ns:1 -> z:1"),
            Codes{});
  EXPECT_EQ(codes("r: Random\nk: Constant\nz: Memory\nk:1 -> z:1"), Codes{});
  EXPECT_EQ(codes("t: Time\nb: Bias bias=-5\nz: ZeroCross\nn: Counter\nt:1 -> b:1\nb:1 -> z:1\nz:1 => n:1"), Codes{});
  EXPECT_EQ(codes("t: Time\nx: Integral reset='activation'\nt:1 -> x:1 x:2"), Codes{});
}

// One warning for each thing that is missing, with all whom it concerns.
TEST(Warnings, OfRingsThatNoEventReaches) {
  const auto warned = [](const std::string& text) {
    const auto result = run(text);
    std::string blocks;
    for (const Diagnostic& d : result.diagnostics.all()) {
      if (d.code == "never-activated") blocks += d.place.block;
    }
    return blocks;
  };
  EXPECT_EQ(warned("z: DiscreteDelay\nz:1 -> z:1\no: Scope\nz:1 -> o:1"), "/z");
  EXPECT_EQ(warned("g: Gain\nz: DiscreteDelay\ny: DiscreteDelay\nz:1 -> y:1\ny:1 -> g:1\ng:1 -> z:1"), "/g");
  EXPECT_EQ(warned("k: SampleClock\nz: DiscreteDelay\ny: DiscreteDelay\nz:1 -> y:1\ny:1 -> z:1\nk:1 => z:1"), "");
  EXPECT_EQ(warned("c: Constant\nz: DiscreteDelay\nc:1 -> z:1"), "");  // it runs at the start, which its input does
}

TEST(Warnings, NameTheRootOfASilenceAndWhomItConcerns) {
  const auto warnings = [](const std::string& text) {
    std::vector<std::string> found;
    const auto result = run(text);
    for (const Diagnostic& d : result.diagnostics.all()) {
      found.push_back(d.code + " " + d.place.block + (d.notes.empty() ? "" : ": " + d.notes[0]));
    }
    return found;
  };
  using Texts = std::vector<std::string>;
  const std::string also = ": because of this these never run either: ";
  EXPECT_EQ(warnings("t: Time\nd: EventVariableDelay\ne: EventDelay\ni: IfThenElse\nn: Counter\nz: DiscreteDelay\n"
                     "t:1 -> d:1\nd:1 => e:1\ne:1 => i:1\nt:1 -> i:1\ni:2 => n:1\nn:1 -> z:1"),
            Texts{"never-activated /d" + also + "/e, /i, /n, /z"});
  // A gain hands on what it inherits, which is nothing.
  EXPECT_EQ(warnings("t: Time\nd: EventVariableDelay\nn: Counter\ng: Gain\nz: DiscreteDelay\n"
                     "t:1 -> d:1\nd:1 => n:1\nn:1 -> g:1\ng:1 -> z:1"),
            Texts{"never-activated /d" + also + "/n, /z"});
  // Two delays that wait for each other, whatever comes first in the file.
  EXPECT_EQ(warnings("n: Counter\nd: EventDelay\ne: EventDelay\nd:1 => e:1\ne:1 => d:1\ne:1 => n:1"),
            Texts{"never-activated /d" + also + "/n, /e"});
  EXPECT_EQ(warnings("t: Time\nd: EventVariableDelay\nm: Counter\ne: EventVariableDelay\nn: Counter\n"
                     "t:1 -> d:1 e:1\nd:1 => m:1\ne:1 => n:1"),
            (Texts{"never-activated /d" + also + "/m", "never-activated /e" + also + "/n"}));
  std::string many = "t: Time\nd: EventVariableDelay\nt:1 -> d:1\n";
  for (int k = 0; k < 50; ++k) many += "n" + std::to_string(k) + ": Counter\nd:1 => n" + std::to_string(k) + ":1\n";
  const Texts one = warnings(many);
  ASSERT_EQ(one.size(), 1u);
  EXPECT_TRUE(one[0].ends_with("/n9 and 40 more")) << one[0];
  // What starts a cycle of delays lets it run.
  EXPECT_EQ(warnings("s: SampleClock period=-1\nd: EventDelay\ne: EventDelay\nd:1 => e:1\ne:1 => d:1\ns:1 => d:1"),
            Texts{});
}

// Several elements that cross in one instant make one event, and none of them is lost.
TEST(Warnings, NoneWhereElementsCrossAtOnce) {
  const auto result = run(R"(
    stop 3
    t: Time
    a: Bias bias=-1
    b: Gain k=-2
    m: Mux
    z: ZeroCross
    n: Counter from=1
    out: Scope
    t:1 -> a:1
    a:1 -> b:1 m:1
    b:1 -> m:2
    m:1 -> z:1
    z:1 => n:1
    n:1 -> out:1)");
  EXPECT_TRUE(result.diagnostics.all().empty()) << to_text(result.diagnostics);
  EXPECT_EQ(column(result.recording, 0).back(), 1);
}

}  // namespace
}  // namespace orrery::tests::recording_test
