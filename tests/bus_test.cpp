// SPDX-License-Identifier: Apache-2.0
// Buses and tags: links that carry many signals, and links without a line. Nothing of them is left at run time.
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "semantics.h"

namespace orrery::tests::bus_test {
namespace {

model::BlockInstance inside(const std::string& name, const std::string& text, bool atomic = false) {
  model::BlockInstance block;
  block.name = name;
  block.type = "SuperBlock";
  block.diagram = std::make_unique<model::Diagram>(std::move(diagram(text).root));
  block.diagram->atomic = atomic;
  return block;
}

ModelRun run_well(const model::Model& model) {
  ModelRun result = run_model(model, {});
  EXPECT_FALSE(result.diagnostics.has_errors()) << to_text(result.diagnostics);
  return result;
}

std::string first_error(const model::Model& model) {
  const ModelRun result = run_model(model, {});
  for (const Diagnostic& d : result.diagnostics.all()) {
    if (d.severity == Severity::error) return d.code + " at " + d.place.block;
  }
  return {};
}

constexpr const char* nested = R"(
  stop 2
  t: Time
  c: Constant value=[1;2;3]
  n: Constant value=int8(-7)
  inner: BusCreator names='speed,code'
  outer: BusCreator names='motor,vector'
  t:1 -> inner:1
  n:1 -> inner:2
  inner:1 -> outer:1
  c:1 -> outer:2
)";

TEST(Buses, NamesLeadThroughBusesInBuses) {
  const auto result = run_well(diagram(std::string(nested) + R"(
    x: BusExtractor names='motor.code,vector,motor'
    y: BusExtractor names='speed'
    out: Scope inputs=3
    outer:1 -> x:1
    x:3 -> y:1
    x:1 -> out:1
    x:2 -> out:2
    y:1 -> out:3
  )"));
  EXPECT_EQ(last(result, "/out.1"), -7);
  EXPECT_EQ(last(result, "/out.2[3]"), 3);
  EXPECT_EQ(last(result, "/out.3"), 2);
}

TEST(Buses, AssignmentReplacesWhatItNamesAndNothingElse) {
  const auto result = run_well(diagram(std::string(nested) + R"(
    k: Constant value=42
    a: BusAssignment names='motor.speed'
    x: BusExtractor names='motor.code,motor.speed,vector'
    out: Scope inputs=3
    outer:1 -> a:1
    k:1 -> a:2
    a:1 -> x:1
    x:1 -> out:1
    x:2 -> out:2
    x:3 -> out:3
  )"));
  EXPECT_EQ(last(result, "/out.1"), -7);
  EXPECT_EQ(last(result, "/out.2"), 42);
  EXPECT_EQ(last(result, "/out.3[2]"), 2);
}

TEST(Buses, ConstantsAreStructs) {
  const auto result = run_well(diagram(R"(
    stop 1
    b: BusConstant value=struct('a',1,'in',struct('b',[5;6],'c',7))
    x: BusExtractor names='in.b,a,in'
    y: BusExtractor names='c'
    out: Scope inputs=3
    b:1 -> x:1
    x:1 -> out:1
    x:2 -> out:2
    x:3 -> y:1
    y:1 -> out:3
  )"));
  EXPECT_EQ(last(result, "/out.1[2]"), 6);
  EXPECT_EQ(last(result, "/out.2"), 1);
  EXPECT_EQ(last(result, "/out.3"), 7);
}

// A bus costs nothing: the same model with links gives the same Program, signal for signal.
TEST(Buses, NothingIsLeftOfThem) {
  const auto blocks_of = [](const std::string& text) {
    Diagnostics diagnostics;
    const auto compiled = compile_model(diagram(text), {}, diagnostics);
    EXPECT_TRUE(compiled) << to_text(diagnostics);
    return compiled ? compiled->signals().size() : 0;
  };
  const std::string rest = "g: Gain k=3\nout: Scope\ng:1 -> out:1\n";
  EXPECT_EQ(
      blocks_of(std::string(nested) + rest + "x: BusExtractor names='motor.speed'\nouter:1 -> x:1\nx:1 -> g:1\n"),
      blocks_of("stop 2\nt: Time\nc: Constant value=[1;2;3]\nn: Constant value=int8(-7)\n" + rest + "t:1 -> g:1\n"));
}

TEST(Buses, GoThroughPortsOfSuperBlocksAndUnits) {
  for (const bool atomic : {false, true}) {
    model::Model model = diagram(R"(
      stop 6
      two: SampleClock period=2
      three: SampleClock period=3
      t: Time
      a: SampleHold
      b: SampleHold
      bus: BusCreator names='a,b'
      out: Scope inputs=2
      t:1 -> a:1 b:1
      two:1 => a:1
      three:1 => b:1
      a:1 -> bus:1
      b:1 -> bus:2
      bus:1 -> S:1
      S:1 -> x:1
      x: BusExtractor names='n,b'
      x:1 -> out:1
      x:2 -> out:2)");
    model.root.blocks.push_back(inside("S", R"(
      u: BusInput
      x: BusExtractor names='a,b'
      one: MatrixExpression expression='u1*0+1'
      n: DiscrStateSpace A=1 B=1 C=1 D=1 x0=0
      bus: BusCreator names='n,b'
      y: BusOutput
      u:1 -> x:1
      x:1 -> one:1
      one:1 -> n:1
      n:1 -> bus:1
      x:2 -> bus:2
      bus:1 -> y:1)",
                                       atomic));
    const auto result = run_well(model);
    EXPECT_EQ(last(result, "/out.1"), atomic ? 5 : 4);  // ticks of either clock, or of the first
    EXPECT_EQ(last(result, "/out.2"), 6);
  }
}

TEST(Buses, AreNoSignals) {
  EXPECT_EQ(first_error(diagram(std::string(nested) + "g: Gain\nouter:1 -> g:1\nout: Scope\ng:1 -> out:1")),
            "bus-not-signal at /g");
  EXPECT_EQ(first_error(diagram(std::string(nested) + "x: BusExtractor names='motor.sped'\nouter:1 -> x:1")),
            "no-such-signal at /x");
  EXPECT_EQ(first_error(diagram("stop 1\nt: Time\nx: BusExtractor names='a'\nt:1 -> x:1")), "no-such-signal at /x");
  EXPECT_EQ(first_error(diagram(std::string(nested) + "k: Constant\na: BusAssignment names='motors'\nouter:1 -> "
                                                      "a:1\nk:1 -> a:2")),
            "no-such-signal at /a");
  EXPECT_EQ(first_error(diagram("stop 1\nb: BusCreator names='a,a'")), "bad-parameter at /b");
  EXPECT_EQ(first_error(diagram("stop 1\nb: BusCreator names='a,b.c'")), "bad-parameter at /b");
  EXPECT_EQ(first_error(diagram("stop 1\nb: BusConstant value=3")), "bad-parameter at /b");
  EXPECT_EQ(first_error(diagram("stop 1\nb: BusInput")), "misplaced-block at /b");
  EXPECT_EQ(
      first_error(diagram("stop 1\na: BusCreator names='x'\nb: BusExtractor names='x'\na:1 -> b:1\nb:1 -> a:1\ng: "
                          "Gain\nb:1 -> g:1")),
      "link-loop at /a");
}

// Tags: local before scoped before global; a scoping block lifts the name to its diagram.
TEST(Tags, AreKnownWhereTheirVisibilitySays) {
  const auto value_of = [](const std::string& outer, const std::string& inner_set, const std::string& inner_get) {
    model::Model model = diagram("stop 1\none: Constant value=1\nout: Scope\nG:1 -> out:1\n" + outer);
    model.root.blocks.push_back(
        inside("P", "two: Constant value=2\ns: SetSignal tag='s' " + inner_set + "\ntwo:1 -> s:1"));
    model.root.blocks.push_back(inside("G", "g: GetSignal tag='s'\ny: Output\ng:1 -> y:1\n" + inner_get));
    const ModelRun result = run_model(model, {});
    if (result.diagnostics.has_errors()) {
      for (const Diagnostic& d : result.diagnostics.all()) {
        if (d.severity == Severity::error) return d.code;
      }
    }
    return std::to_string(static_cast<int>(last(result, "/out.1")));
  };
  const std::string set_one = "a: SetSignal tag='s'\none:1 -> a:1\n";
  EXPECT_EQ(value_of("", "visibility='global'", ""), "2");
  EXPECT_EQ(value_of("", "visibility='scoped'", ""), "unknown-tag");
  EXPECT_EQ(value_of("sc: SignalScoping tag='s'", "visibility='scoped'", ""), "2");
  EXPECT_EQ(value_of("sc: SignalScoping tag='s'", "visibility='local'", ""), "unknown-tag");
  EXPECT_EQ(value_of(set_one, "visibility='local'", ""), "1");
  EXPECT_EQ(value_of(set_one, "visibility='global'", ""), "1");  // a scoped one is nearer
  EXPECT_EQ(value_of(set_one + "sc: SignalScoping tag='s'", "visibility='scoped'", ""), "duplicate-tag");
  EXPECT_EQ(value_of(set_one, "visibility='local'",
                     "h: Constant value=3\nl: SetSignal tag='s' visibility='local'\nh:1 -> l:1"),
            "3");
}

TEST(Tags, CarryActivations) {
  model::Model model = diagram(R"(
    stop 10
    c: SampleClock period=2
    s: SetActivationSignal tag='tick'
    g: GetActivationSignal tag='tick'
    n: Counter
    out: Scope inputs=2
    c:1 => s:1
    g:1 => n:1
    n:1 -> out:1
    S:1 -> out:2)");
  model.root.blocks.push_back(inside("S", R"(
    g: GetActivationSignal tag='tick'
    n: Counter
    y: Output
    g:1 => n:1
    n:1 -> y:1)"));
  const auto result = run_well(model);
  EXPECT_EQ(last(result, "/out.1"), last(result, "/out.2"));
  EXPECT_EQ(last(result, "/out.1"), 5);  // counts from 0 at 0, 2, 4, 6, 8, 10
  EXPECT_EQ(first_error(diagram("stop 1\ng: GetActivationSignal tag='no'\nn: Counter\ng:1 => n:1")),
            "unknown-tag at /g");
  // A signal of that name is something else.
  EXPECT_EQ(first_error(diagram("stop 1\nt: Time\ns: SetSignal tag='no'\nt:1 -> s:1\ng: GetActivationSignal "
                                "tag='no'\nn: Counter\ng:1 => n:1")),
            "unknown-tag at /g");
  EXPECT_EQ(first_error(diagram("stop 1\ng: GetActivationSignal tag='a'\ns: SetActivationSignal tag='a'\ng:1 => "
                                "s:1\nn: Counter\ng:1 => n:1")),
            "link-loop at /s");
}

// In the diagram of an EventPortZero sources are sampled, everywhere inside it, and nothing else is changed.
TEST(EventPortZero, TakesThePlaceOfContinuousTime) {
  model::Model model = diagram(R"(
    stop 1
    c: SampleClock period=0.3
    t: Time
    out: Scope inputs=3
    c:1 => S:1
    S:1 -> out:1
    S:2 -> out:2
    t:1 -> out:3)");
  auto super = inside("S", R"(
    e: EventInput
    z: EventPortZero
    t: Time
    y: Output
    w: Output port=2
    e:1 => z:1
    t:1 -> y:1
    D:1 -> w:1)");
  super.diagram->blocks.push_back(inside("D", "s: SineWaveGenerator frequency=1\ny: Output\ns:1 -> y:1"));
  model.root.blocks.push_back(std::move(super));
  const auto result = run_well(model);
  EXPECT_NEAR(last(result, "/out.1"), 0.9, 1e-15);
  EXPECT_NEAR(last(result, "/out.2"), std::sin(0.9), 1e-15);
  EXPECT_EQ(last(result, "/out.3"), 1);
  // Between the ticks nothing moves.
  const std::size_t column = result.recording.column("/out.1");
  std::set<double> seen;
  for (std::size_t r = 0; r < result.recording.rows(); ++r) seen.insert(result.recording.value(r, column));
  EXPECT_EQ(seen.size(), 4u);
}

TEST(EventPortZero, HasNoRoomForContinuousStates) {
  const std::string text = R"(
    stop 1
    c: %s
    z: EventPortZero
    i: Integral x0=1
    k: Constant value=2
    out: Scope
    c:1 => z:1
    k:1 -> i:1
    i:1 -> out:1)";
  const auto with = [&](const std::string& source) {
    std::string model = text;
    return model.replace(model.find("%s"), 2, source);
  };
  EXPECT_EQ(first_error(diagram(with("SampleClock period=0.3"))), "no-continuous-time at /i");
  EXPECT_NEAR(last(run_well(diagram(with("AlwaysActivate"))), "/out.1"), 3, 1e-9);
  EXPECT_EQ(first_error(diagram("stop 1\nc: SampleClock\na: EventPortZero\nb: EventPortZero\nc:1 => a:1 b:1")),
            "misplaced-block at /b");
}

}  // namespace
}  // namespace orrery::tests::bus_test
