// SPDX-License-Identifier: Apache-2.0
// Super blocks as blocks in C: the new model gives the bits of the old one.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "api/export_block.h"
#include "api/export_custom_block.h"
#include "notation.h"
#include "run_model.h"

namespace orrery::tests::exported_block_test {
namespace {

// A model whose block Part has a diagram of its own.
model::Model with_part(const std::string& outside, const std::string& inside) {
  model::Model model = diagram(outside);
  auto part = std::ranges::find(model.root.blocks, std::string("Part"), &model::BlockInstance::name);
  part->diagram = std::make_unique<model::Diagram>(std::move(diagram(inside).root));
  return model;
}

model::Model copy_of(const model::Model& model) {
  Diagnostics diagnostics;
  return std::move(*model::parse(model::write(model), model.file, diagnostics));
}

api::ExportRequest request_for(bool atomic) {
  api::ExportRequest request;
  request.run.allow = Capabilities::all();
  request.block = "/Part";
  request.atomic = atomic;
  return request;
}

// Exports the block and runs both models, with a context that comes later; where they differ, or nothing.
std::string difference(model::Model model, bool atomic = false, const std::string& later = "") {
  Diagnostics diagnostics;
  auto coded = api::with_custom_block(copy_of(model), request_for(atomic), diagnostics);
  if (!coded) return to_text(diagnostics);
  if (atomic) api::find_super_block(model, "/Part", diagnostics)->diagram->atomic = true;
  for (model::Model* one : {&model, &*coded}) {
    if (!later.empty()) one->root.context = {later};
  }
  api::RunRequest run;
  run.allow = Capabilities::all();
  api::OmlEvaluator first(Consent::everything()), second(Consent::everything());
  const api::RunResult a = api::run(model, run, first), b = api::run(*coded, run, second);
  if (!a.started || !b.started || b.report.end == sim::End::failed)
    return "does not run: " + to_text(a.diagnostics) + to_text(b.diagnostics);
  const auto& x = a.recording;
  const auto& y = b.recording;
  if (x.rows() < 5) return "too few rows";
  if (x.rows() != y.rows()) return fmt::format("{} rows, not {}", y.rows(), x.rows());
  for (std::size_t r = 0; r < x.rows(); ++r) {
    if (x.time[r] != y.time[r]) return fmt::format("row {}: time {}, not {}", r, y.time[r], x.time[r]);
    for (std::size_t c = 0; c < x.columns.size(); ++c) {
      const double p = x.value(r, c), q = y.value(r, c);
      if (std::isnan(p) && std::isnan(q)) continue;
      if (std::memcmp(&p, &q, sizeof p) != 0)
        return fmt::format("t = {}, {}: {:.17g}, not {:.17g}", x.time[r], x.columns[c].name, q, p);
    }
  }
  return {};
}

const std::string lag =
    "u: Input\ne: Sum signs='+-'\nx: Integral x0=a\nk: Gain k=3\ny: Output\nu:1 -> e:1\nk:1 -> e:2\ne:1 "
    "-> x:1\nx:1 -> k:1 y:1\n";

TEST(ExportedBlocks, OfContinuousTimeHaveTheBits) {
  for (const char* solver : {"solver rk4\nstep 0.01\n", "solver euler\nstep 0.1\n", "solver dopri\n"}) {
    model::Model model = with_part(
        std::string(
            "stop 2\ns: SineWaveGenerator frequency=3\nPart: SuperBlock\no: Scope\ns:1 -> Part:1\nPart:1 -> o:1\n") +
            solver,
        lag);
    model.root.context = {"a = 0.5;"};
    EXPECT_EQ(difference(std::move(model)), "") << solver;
  }
}

// Outputs that depend on inputs at once, also inside a loop that only a true dependency leaves open.
TEST(ExportedBlocks, KnowWhatDependsOnWhat) {
  EXPECT_EQ(
      difference(with_part("stop 2\nsolver rk4\nstep 0.01\nPart: SuperBlock\ng: Gain k=-2\no: Scope\nPart:1 -> g:1 "
                           "o:1\ng:1 -> Part:1\n",
                           "u: Input\nx: Integral x0=1\ny: Output\nu:1 -> x:1\nx:1 -> y:1\n")),
      "");
  EXPECT_EQ(difference(with_part(
                "stop 2\nsolver rk4\nstep 0.01\ns: SineWaveGenerator\nPart: SuperBlock\no: "
                "Scope inputs=2\ns:1 -> Part:1\nPart:1 -> o:1\nPart:2 -> o:2\n",
                "u: Input\nm: MatrixGain K=[1,2;3,4]*[1;1]\nt: Time\na: Sum\nz: Output\ny: Output port=2\nu:1 -> "
                "m:1 a:1\nt:1 -> a:2\nm:1 -> z:1\na:1 -> y:1\n")),
            "");
}

const std::string sampled =
    "stop 20\nsolver rk4\nstep 0.1\ns: SineWaveGenerator\nc: SampleClock period=1\nh: SampleHold\nPart: SuperBlock\no: "
    "Scope\ns:1 -> h:1\nc:1 => h:1\nh:1 -> Part:1\nPart:1 -> o:1\n";

TEST(ExportedBlocks, InheritActivationsThroughTheirInputs) {
  const std::string filter =
      "u: Input\nd: DiscreteDelay\ng: Gain k=0.9\na: Sum\ny: Output\nu:1 -> a:1\nd:1 -> g:1\ng:1 -> a:2\na:1 -> d:1 "
      "y:1\n";
  for (const bool atomic : {false, true}) EXPECT_EQ(difference(with_part(sampled, filter), atomic), "") << atomic;
  const std::string whole =
      "u: Input\nc: DataTypeConversion type='int32'\nn: Counter from=3\nd: DiscreteDelay z0=int32(5)\ny: Output\nu:1 "
      "-> "
      "c:1\nc:1 -> d:1\nd:1 -> y:1\n";
  EXPECT_EQ(difference(with_part(sampled, whole)), "");
}

// The two delays of the book's figure 22.16: fed by clocks of periods 2 and 3, alone and together at 6.
TEST(ExportedBlocks, HaveOneBodyForAllMasks) {
  const std::string outside =
      "stop 30\nt: Time\na: SampleClock period=2\nb: SampleClock period=3\nh: SampleHold\nk: SampleHold\nPart: "
      "SuperBlock\no: Scope inputs=2\nt:1 -> h:1 k:1\na:1 => h:1\nb:1 => k:1\nh:1 -> Part:1\nk:1 -> Part:2\nPart:1 -> "
      "o:1\nPart:2 -> o:2\n";
  const std::string plain =
      "u: Input\nv: Input port=2\nd: DiscreteDelay\ne: DiscreteDelay\ny: Output\nz: Output port=2\nu:1 -> d:1\nv:1 -> "
      "e:1\nd:1 -> y:1\ne:1 -> z:1\n";
  for (const bool atomic : {false, true}) EXPECT_EQ(difference(with_part(outside, plain), atomic), "") << atomic;
}

TEST(ExportedBlocks, TakeActivationLinksAndSplitThem) {
  const std::string outside =
      "stop 10\nsolver rk4\nstep 0.05\ns: SineWaveGenerator\na: SampleClock period=0.5\nb: SampleClock "
      "period=0.75\nPart: SuperBlock\no: Scope\ns:1 -> Part:1\na:1 => Part:1\nb:1 => Part:2\nPart:1 -> o:1\n";
  // A sampled integral, another gain by the second clock, and a condition inside.
  const std::string inside =
      "u: Input\ne: EventInput\nf: EventInput port=2\ni: IfThenElse\nd: DiscreteDelay\na: Sum\nn: DiscreteDelay\nb: "
      "Sum "
      "signs='+-'\nw: Sum\ny: Output\nu:1 -> a:1 b:1 i:1\nd:1 -> a:2 w:1\na:1 -> d:1\nn:1 -> b:2 w:2\nb:1 -> "
      "n:1\nw:1 -> y:1\ne:1 => i:1\ni:1 => d:1\nf:1 => n:1\n";
  EXPECT_EQ(difference(with_part(outside, inside), true), "");
  // Nobody outside sees a condition inside of a block in C; without it the part need not be a unit.
  const std::string without =
      "u: Input\ne: EventInput\nf: EventInput port=2\nd: DiscreteDelay\na: Sum\nn: DiscreteDelay\nb: Sum "
      "signs='+-'\nw: Sum\ny: Output\nu:1 -> a:1 b:1\nd:1 -> a:2 w:1\na:1 -> d:1\nn:1 -> b:2 w:2\nb:1 -> "
      "n:1\nw:1 -> y:1\ne:1 => d:1\nf:1 => n:1\n";
  for (const bool atomic : {false, true}) EXPECT_EQ(difference(with_part(outside, without), atomic), "") << atomic;
}

// What a mask shows stays a parameter of the block in C: another value is a new run of the old model.
TEST(ExportedBlocks, KeepTheParametersOfTheirMask) {
  model::Model model = with_part(
      "stop 2\nsolver rk4\nstep 0.01\ns: SineWaveGenerator\nPart: SuperBlock a=2*B+C\no: Scope\ns:1 -> Part:1\nPart:1 "
      "-> "
      "o:1\n",
      lag);
  model.root.context = {"B = 1; C = 0.5;"};
  api::find_super_block(model, "/Part", *std::make_unique<Diagnostics>())->diagram->mask = {{"a", {}, "1"}};
  EXPECT_EQ(difference(copy_of(model)), "");
  EXPECT_EQ(difference(copy_of(model), false, "B = 4; C = -0.25;"), "");
  Diagnostics diagnostics;
  auto coded = api::with_custom_block(copy_of(model), request_for(false), diagnostics);
  ASSERT_TRUE(coded) << to_text(diagnostics);
  std::string names;
  for (const auto& mask : api::find_super_block(*coded, "/Part", diagnostics)->diagram->mask) names += mask.name + " ";
  EXPECT_EQ(names, "B C ");  // not a
}

TEST(ExportedBlocks, NameWhatCannotGo) {
  const auto said = [](const std::string& inside) {
    Diagnostics diagnostics;
    const std::string outside =
        "stop 2\ns: SineWaveGenerator\nPart: SuperBlock\no: Scope\ns:1 -> Part:1\nPart:1 -> o:1\n";
    EXPECT_FALSE(api::with_custom_block(with_part(outside, inside), request_for(false), diagnostics)) << inside;
    std::string text;
    for (const Diagnostic& d : diagnostics.all()) {
      if (d.code == "not-exportable") text += d.place.block + ": " + d.message + "\n";
    }
    return text;
  };
  const std::string clock =
      said("u: Input\nc: SampleClock period=1\nh: SampleHold\ny: Output\nu:1 -> h:1\nc:1 => h:1\nh:1 -> y:1\n");
  EXPECT_NE(clock.find("/Part/c: SampleClock cannot be in a block in C: it is a clock"), std::string::npos) << clock;
  const std::string corner = said("u: Input\na: Abs\nx: Integral\ny: Output\nu:1 -> a:1\na:1 -> x:1\nx:1 -> y:1\n");
  EXPECT_NE(corner.find("/Part/a: Abs cannot be"), std::string::npos) << corner;
}

}  // namespace
}  // namespace orrery::tests::exported_block_test
