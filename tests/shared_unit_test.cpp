// SPDX-License-Identifier: Apache-2.0
// Atomic super blocks that are there many times are compiled once: the same results as one by one, in every case in
// which they are shared and in every case in which they cannot be.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>

#include "inside.h"
#include "semantics.h"

namespace orrery::tests::shared_unit_test {
namespace {

// A sampled controller: difference equations with memory, a limit, a switch that holds, a table by the period.
constexpr const char* controller = R"(
  r: Input port=1
  y: Input port=2
  tick: EventInput
  e: Sum signs='+-'
  p: Gain k=Kp
  i: DiscreteIntegral z0=0
  gi: Gain k=0.4
  old: DiscreteDelay z0=0.25
  d: Sum signs='+-'
  gd: Gain k=0.1
  all: Sum signs=3
  lim: Saturation lower=-2 upper=2
  f: DiscrTransFunc num=[1] den=[1,-0.5]
  big: CompareToConstant operator='>' value=1
  pick: Switch2
  dead: Deadzone lower=-0.01 upper=0.01
  n: DiscreteDelay z0=int16(3)
  one: Constant value=int16(1)
  inc: Sum signs='++'
  q: Quantization step=0.001
  sgn: Sign
  u: Output port=1
  k: Output port=2
  r:1 -> e:1
  y:1 -> e:2
  e:1 -> p:1 i:1 old:1 d:1 big:1 sgn:1
  i:1 -> gi:1
  old:1 -> d:2
  d:1 -> gd:1
  p:1 -> all:1
  gi:1 -> all:2
  gd:1 -> all:3
  all:1 -> lim:1
  lim:1 -> f:1
  big:1 -> pick:2
  f:1 -> pick:1 dead:1
  dead:1 -> pick:3
  pick:1 -> q:1
  q:1 -> u:1
  n:1 -> inc:1 k:1
  one:1 -> inc:2
  inc:1 -> n:1
  tick:1 => old:1 n:1 i:1
)";

std::string folder() {
  const std::string path = cache_of_this_process() + "/shared";
  std::filesystem::create_directories(path);
  return path;
}

// A file with the diagram, atomic, and a mask.
std::string part(const std::string& name, const std::string& text, const std::vector<model::MaskParameter>& mask = {}) {
  model::Model model = diagram(text);
  model.root.atomic = true;
  model.root.mask = mask;
  const std::string file = folder() + "/" + name;
  std::ofstream(file) << model::write(model);
  return file;
}

model::Model around(int count, const std::string& file, const std::string& parameters, const std::string& rest) {
  std::string text =
      "stop 3\nc: SampleClock period=0.1\nw: SineWaveGenerator frequency=3\ns: SampleHold\nv: "
      "SineWaveGenerator frequency=1 amplitude=0.5\nz: SampleHold\nw:1 -> s:1\nv:1 -> z:1\nc:1 => s:1 z:1\n";
  for (int k = 1; k <= count; ++k)
    text += fmt::format("C{}: IncludeDiagram file='{}' {}\n", k, std::filesystem::path(file).filename().string(),
                        parameters);
  model::Model model = diagram(text + rest);
  model.file = folder() + "/around.orr";
  return model;
}

// The same with blocks that are all alone: each parameter text is different, so that nothing can be shared.
ModelRun run_of(model::Model model, bool shared) {
  if (!shared) {
    int number = 0;
    for (model::BlockInstance& block : model.root.blocks) {
      if (block.type != "IncludeDiagram") continue;
      block.parameters[0].value += std::string(static_cast<std::size_t>(++number), ' ');
    }
  }
  RunSetup setup;
  ModelRun run = run_model(model, setup);
  EXPECT_FALSE(run.diagnostics.has_errors()) << to_text(run.diagnostics);
  return run;
}

// How many values the Program of a model has.
std::size_t slot_count(const model::Model& model) {
  Diagnostics diagnostics;
  const auto program = program_of(model, {}, diagnostics);
  EXPECT_TRUE(program) << to_text(diagnostics);
  return program ? program->slots.size() : 0;
}

std::string chain(int count, const std::string& sources) {
  std::string text = fmt::format("out: Scope inputs={}\n", 2 * count) + sources;
  for (int k = 1; k <= count; ++k) text += fmt::format("C{0}:1 -> out:{1}\nC{0}:2 -> out:{2}\n", k, 2 * k - 1, 2 * k);
  return text;
}

// The same model with the diagrams of its files drawn in it; apart: each with a remark of its own, so that none is like
// another.
model::Model drawn(const model::Model& including, const std::string& file, bool apart) {
  Diagnostics diagnostics;
  model::Model model = std::move(*model::parse(model::write(including), including.file, diagnostics));
  for (model::BlockInstance& block : model.root.blocks) {
    if (block.type != "IncludeDiagram") continue;
    block.type = "SuperBlock";
    block.parameters.erase(block.parameters.begin());
    block.diagram = std::make_unique<model::Diagram>(std::move(model::load(file, diagnostics)->root));
    if (apart) block.diagram->context = {"% " + block.name};
  }
  Diagnostics ignored;
  auto read = model::parse(model::write(model), folder() + "/drawn.orr", ignored);  // with lines
  EXPECT_TRUE(read) << to_text(ignored);
  return std::move(*read);
}

TEST(SharedUnits, ComputeWhatTheyWouldOneByOne) {
  const std::string file = part("controller.orr", controller, {{"Kp", "", "1.5"}});
  std::string links;
  for (int k = 1; k <= 6; ++k) links += fmt::format("s:1 -> C{0}:1\nc:1 => C{0}:1\n", k);
  links += "z:1 -> C1:2 C3:2 C4:2 C5:2\nC1:1 -> C2:2\nC2:1 -> C6:2\n";  // also one behind the other
  model::Model a = around(6, file, "Kp=2", chain(6, links)), b = around(6, file, "Kp=2", chain(6, links));
  const ModelRun one = run_of(std::move(a), true), each = run_of(std::move(b), false);
  EXPECT_GT(one.recording.rows(), 20u);
  EXPECT_EQ(first_difference(one.recording, each.recording), "");
  EXPECT_NE(last(one, "/out.1"), 0);
  EXPECT_EQ(last(one, "/out.2"), 33);  // int16, from 3, one more at each of the ticks before
}

TEST(SharedUnits, LeaveOneBlockForEachInstance) {
  const std::string file = part("controller.orr", controller, {{"Kp", "", "1.5"}});
  std::string links;
  for (int k = 1; k <= 6; ++k) links += fmt::format("s:1 -> C{0}:1\nc:1 => C{0}:1\nz:1 -> C{0}:2\n", k);
  model::Model each = around(6, file, "Kp=2", chain(6, links));
  int number = 0;
  for (model::BlockInstance& block : each.root.blocks) {
    if (block.type == "IncludeDiagram")
      block.parameters[0].value += std::string(static_cast<std::size_t>(++number), ' ');
  }
  EXPECT_LT(slot_count(around(6, file, "Kp=2", chain(6, links))) + 60, slot_count(each));
}

// Corners in continuous time are located, so the units come apart again.
TEST(SharedUnits, ComeApartWhereCornersAreToBeLocated) {
  const std::string file = part("corner.orr", "u: Input\na: Abs\ny: Output\nu:1 -> a:1\na:1 -> y:1");
  std::string links = "out: Scope inputs=5\n";
  for (int k = 1; k <= 5; ++k) links += fmt::format("w:1 -> C{0}:1\nC{0}:1 -> out:{0}\n", k);
  const ModelRun one = run_of(around(5, file, "", links), true), each = run_of(around(5, file, "", links), false);
  EXPECT_EQ(first_difference(one.recording, each.recording), "");
  EXPECT_EQ(first_difference(one.events, each.events), "");
}

// … and so they do for continuous states, events of their own, and what is shown inside.
TEST(SharedUnits, ComeApartWhereTheyAreMoreThanAFunction) {
  const char* insides[] = {
      "u: Input\ni: Integral x0=1\ny: Output\nu:1 -> i:1\ni:1 -> y:1",
      "u: Input\nd: EventDelay delay=0.03\nx: ExtractActivation\nn: Counter\ny: Output\nu:1 -> x:1\nx:1 => d:1\nd:1 => "
      "n:1\nn:1 -> y:1",
      "u: Input\ng: Gain k=2\nsc: Scope\ny: Output\nu:1 -> g:1\ng:1 -> sc:1 y:1",
      "u: Input\nt: Time\ns: Sum\ny: Output\nu:1 -> s:1\nt:1 -> s:2\ns:1 -> y:1",
      "u: Input\ny: Output\nu:1 -> y:1",
      "u: Input\nk: Constant value=4\ny: Output\nz: Output port=2\nk:1 -> y:1\nu:1 -> z:1",
      "u: Input\nr: Random seed=3\nx: ExtractActivation\ny: Output\nu:1 -> x:1\nx:1 => r:1\nr:1 -> y:1",
  };
  int number = 0;
  for (const char* inside : insides) {
    SCOPED_TRACE(inside);
    const std::string file = part(fmt::format("inside{}.orr", ++number), inside);
    std::string links = "out: Scope inputs=5\n";
    for (int k = 1; k <= 5; ++k) links += fmt::format("s:1 -> C{0}:1\nC{0}:1 -> out:{0}\n", k);
    const ModelRun one = run_of(around(5, file, "", links), true), each = run_of(around(5, file, "", links), false);
    EXPECT_EQ(first_difference(one.recording, each.recording), "");
    EXPECT_EQ(first_difference(one.events, each.events), "");
    const ModelRun inside_one = run_model(drawn(around(5, file, "", links), file, false), {});
    EXPECT_EQ(first_difference(inside_one.recording, each.recording), "");
    EXPECT_EQ(first_difference(inside_one.events, each.events), "");
  }
}

// A loop through units whose outputs do not depend on that input at once is no algebraic loop.
TEST(SharedUnits, HaveTheFeedthroughOfTheirInside) {
  const std::string file =
      part("delay.orr",
           "u: Input\nv: Input port=2\nd: DiscreteDelay z0=1\ns: Sum\ny: Output\nu:1 -> d:1\nd:1 -> "
           "s:1\nv:1 -> s:2\ns:1 -> y:1\nt: EventInput\nt:1 => d:1");
  std::string links = "out: Scope inputs=4\n";
  for (int k = 1; k <= 4; ++k)
    links += fmt::format("C{0}:1 -> C{1}:1 out:{0}\ns:1 -> C{0}:2\nc:1 => C{0}:1\n", k, k % 4 + 1);
  const ModelRun one = run_of(around(4, file, "", links), true), each = run_of(around(4, file, "", links), false);
  EXPECT_EQ(first_difference(one.recording, each.recording), "");
}

TEST(SharedUnits, AreRecognisedWhereTheyAreDrawn) {
  const std::string file = part("controller.orr", controller, {{"Kp", "", "1.5"}});
  std::string links;
  for (int k = 1; k <= 6; ++k) links += fmt::format("s:1 -> C{0}:1\nc:1 => C{0}:1\n", k);
  links += "z:1 -> C1:2 C3:2 C4:2 C5:2\nC1:1 -> C2:2\nC2:1 -> C6:2\n";
  const model::Model included = around(6, file, "Kp=2", chain(6, links));
  const ModelRun one = run_model(drawn(included, file, false), {}), each = run_model(drawn(included, file, true), {});
  ASSERT_FALSE(one.diagnostics.has_errors()) << to_text(one.diagnostics);
  EXPECT_EQ(first_difference(one.recording, each.recording), "");
  EXPECT_GT(one.recording.rows(), 20u);
  EXPECT_LT(slot_count(drawn(included, file, false)) + 60, slot_count(drawn(included, file, true)));
  EXPECT_EQ(slot_count(drawn(included, file, false)), slot_count(included));
}

// An input that nothing drives reads 0, also where all others get their types through it.
TEST(SharedUnits, MayHaveInputsThatNothingDrives) {
  const std::string file =
      part("two.orr",
           "u: Input\nv: Input port=2\nd: DiscreteDelay z0=1\ns: Sum signs='+-'\ny: Output\nu:1 -> d:1\nd:1 -> "
           "s:1\nv:1 -> s:2\ns:1 -> y:1");
  std::string links = "out: Scope inputs=5\n";
  for (int k = 1; k <= 5; ++k) links += fmt::format("s:1 -> C{0}:1\nC{0}:1 -> out:{0}\n", k);
  for (int k = 2; k <= 5; ++k) links += fmt::format("C{}:1 -> C{}:2\n", k - 1, k);
  const model::Model included = around(5, file, "", links);
  const ModelRun one = run_of(around(5, file, "", links), true), each = run_of(around(5, file, "", links), false),
                 inside = run_model(drawn(included, file, false), {});
  EXPECT_EQ(first_difference(one.recording, each.recording), "");
  EXPECT_EQ(first_difference(inside.recording, each.recording), "");
  EXPECT_NE(last(one, "/out.5"), 0);
}

// What is wrong inside is wrong in each of them, at the line where each is drawn.
TEST(SharedUnits, SayWhereEachIsDrawn) {
  const std::string narrow = part("narrow.orr",
                                  "u: Input\nk: Constant value=[1 2;3 4]\ng: MatrixMultiplication\ny: "
                                  "Output\nk:1 -> g:1\nu:1 -> g:2\ng:1 -> y:1");
  std::string three = "out: Scope inputs=4\nm: Mux inputs=3\ns:1 -> m:1 m:2 m:3\n";
  for (int k = 1; k <= 4; ++k) three += fmt::format("m:1 -> C{0}:1\nC{0}:1 -> out:{0}\n", k);
  const model::Model model = drawn(around(4, narrow, "", three), narrow, false);
  const ModelRun run = run_model(model, {});
  EXPECT_TRUE(run.diagnostics.has_errors());
  std::map<std::string, int> lines;
  for (const model::BlockInstance& block : model.root.blocks) {
    if (!block.diagram) continue;
    for (const model::BlockInstance& inner : block.diagram->blocks)
      lines["/" + block.name + "/" + inner.name] = inner.line;
  }
  int inside = 0;
  for (const Diagnostic& d : run.diagnostics.all()) {
    if (!lines.contains(d.place.block)) continue;
    ++inside;
    EXPECT_EQ(d.place.line, lines.at(d.place.block)) << to_text(d);
  }
  EXPECT_GE(inside, 4);
}

// For each part of the inputs.
TEST(SharedUnits, AreCopiesForEachPart) {
  const auto model = [&](const char* more) {
    model::Model m = diagram(
        "stop 3\nc: SampleClock period=0.1\nw: SineWaveGenerator frequency=3\ng: MatrixGain "
        "K=[1;2;3;4;5;6]\ns: SampleHold\nw:1 -> s:1\nc:1 => s:1\ns:1 -> g:1\ng:1 -> S:1\nS:1 -> "
        "out:1\nout: Scope");
    model::BlockInstance block;
    block.name = "S";
    block.type = "SuperBlock";
    block.diagram = std::make_unique<model::Diagram>(
        std::move(diagram(std::string("u: Input\nd: DiscreteDelay z0=1\ng: Gain k=2") + more +
                          "\na: Sum signs='+-'\ny: Output\nu:1 -> a:1 d:1\nd:1 -> g:1\ng:1 -> a:2\na:1 -> y:1")
                      .root));
    block.diagram->atomic = true;
    block.diagram->for_each = model::ForEach::elements;
    block.diagram->count = "6";
    m.root.blocks.push_back(std::move(block));
    return m;
  };
  const ModelRun one = run_model(model(""), {}), each = run_model(model("+0*__index__"), {});
  ASSERT_FALSE(one.diagnostics.has_errors()) << to_text(one.diagnostics);
  EXPECT_EQ(first_difference(one.recording, each.recording), "");
  EXPECT_LT(slot_count(model("")), slot_count(model("+0*__index__")));
}

TEST(SharedUnits, ShowTheirInsideToWhoeverAsks) {
  const std::string file = part("controller.orr", controller, {{"Kp", "", "1.5"}});
  std::string links;
  for (int k = 1; k <= 6; ++k) links += fmt::format("s:1 -> C{0}:1\nc:1 => C{0}:1\nz:1 -> C{0}:2\n", k);
  RunSetup setup;
  setup.watch = {"/C2/lim"};
  const ModelRun run = run_model(around(6, file, "Kp=2", chain(6, links)), setup);
  ASSERT_FALSE(run.diagnostics.has_errors()) << to_text(run.diagnostics);
  EXPECT_NE(run.recording.column("/C2/lim"), SIZE_MAX);
}

}  // namespace
}  // namespace orrery::tests::shared_unit_test
