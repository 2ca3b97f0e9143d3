// SPDX-License-Identifier: Apache-2.0
// Random models of blocks of all palettes, linked at random: each compiles and runs, or is refused with an error that
// has a place; nothing crashes or hangs, and both tiers agree on those that run. ORRERY_RANDOM_MIX says how many there
// are.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <random>
#include <set>

#include "blocks/manual.h"
#include "diagram_builder.h"
#include "inside.h"
#include "run_model.h"

namespace orrery::tests::random_mix_test {
namespace {

// They need files or code, or ask for another run.
const std::set<std::string> apart = {"FMU",      "CCustomBlock", "OmlCustomBlock", "CppBlock",       "PCustomBlock",
                                     "FromCSV",  "FromText",     "FromMat",        "FromHDF",        "ToCSV",
                                     "ToText",   "ToMat",        "ToHDF",          "IncludeDiagram", "SuperBlock",
                                     "RealTime", "End",          "CsslBlock",      "Optimization",   "ExecOMLScript"};

struct Shape {
  const blocks::BlockType* type;
  DiagramBuilder::Texts texts;
  int inputs, outputs, activation_inputs, activation_outputs;
};

// Grows a model block by block. Each is linked at random to what is there; where the model no longer compiles it is
// linked anew, and left out after some tries, so that what grows is well-typed and still anything. A wild model then
// gets blocks that nobody has checked.
class Mixer {
 public:
  explicit Mixer(unsigned seed) : random_(seed) {
    for (const blocks::BlockType* type : blocks::library()) {
      if (!apart.contains(type->name) && type->ports != nullptr) types_.push_back(type);
    }
    std::shuffle(types_.begin(), types_.end(), random_);
  }

  model::Model make(bool wild) {
    DiagramBuilder d;
    d.model().settings.stop.text = "0.3";
    for (const char* type : {"SampleClock", "EventClock", "SineWaveGenerator", "Integral", "Counter"}) {
      const std::optional<Shape> shape = shape_of(*blocks::find_type(type), false);
      add(d.model().root, *shape, block_of(*shape, d.model().root.blocks.size()));
    }
    const int wanted = 14 + below(8);
    for (int k = 0; k < wanted; ++k) grow(d.model());
    for (int k = 0; wild && k < 3; ++k) {
      const auto [shape, block] = next_block(d.model().root.blocks.size());
      add(d.model().root, shape, copy_of(block));
    }
    return std::move(d.model());
  }

 private:
  int below(std::size_t n) { return static_cast<int>(random_() % n); }

  static model::BlockInstance copy_of(const model::BlockInstance& block) {
    model::BlockInstance copy;
    copy.name = block.name;
    copy.type = block.type;
    copy.parameters = block.parameters;
    if (!block.diagram) return copy;
    copy.diagram = std::make_unique<model::Diagram>();
    copy.diagram->atomic = block.diagram->atomic;
    copy.diagram->for_each = block.diagram->for_each;
    copy.diagram->count = block.diagram->count;
    copy.diagram->links = block.diagram->links;
    for (const model::BlockInstance& inner : block.diagram->blocks) copy.diagram->blocks.push_back(copy_of(inner));
    return copy;
  }

  void grow(model::Model& model) {
    const auto [shape, block] = next_block(model.root.blocks.size());
    for (int turn = 0; turn < 4; ++turn) {
      const std::size_t links = model.root.links.size();
      add(model.root, shape, copy_of(block));
      Diagnostics ignored;
      if (program_of(model, {}, ignored)) return;
      model.root.blocks.pop_back();
      model.root.links.resize(links);
      there_.pop_back();
    }
  }

  // Types take turns, so that none is forgotten; one block in nine is a super block.
  std::pair<Shape, model::BlockInstance> next_block(std::size_t number) {
    if (below(9) == 0) return super_block(number);
    for (;;) {
      const blocks::BlockType& type = *types_[next_++ % types_.size()];
      if (const auto shape = shape_of(type, true)) return {*shape, block_of(*shape, number)};
    }
  }

  static model::BlockInstance block_of(const Shape& shape, std::size_t number) {
    model::BlockInstance block;
    block.name = "b" + std::to_string(number);
    block.type = shape.type->name;
    for (const auto& [name, value] : shape.texts) block.parameters.push_back({name, value, 0});
    return block;
  }

  // An input, up to three blocks behind each other, an output.
  std::pair<Shape, model::BlockInstance> super_block(std::size_t number) {
    model::BlockInstance block;
    block.name = "b" + std::to_string(number);
    block.type = "SuperBlock";
    block.diagram = std::make_unique<model::Diagram>();
    block.diagram->atomic = below(2) == 0;
    if (below(4) == 0) {
      block.diagram->for_each = model::ForEach::elements;
      block.diagram->count = std::to_string(1 + below(3));
    }
    const auto put = [&](const char* name, const char* type) {
      model::BlockInstance port;
      port.name = name;
      port.type = type;
      block.diagram->blocks.push_back(std::move(port));
    };
    put("in", "Input");
    put("out", "Output");
    model::PortRef from{"in", 1};
    const int count = 1 + below(3);
    for (int k = 0; k < count;) {
      const auto shape = shape_of(*types_[next_++ % types_.size()], true);
      if (!shape || shape->inputs == 0 || shape->outputs == 0) continue;
      model::BlockInstance inner = block_of(*shape, static_cast<std::size_t>(k++));
      for (int p = 1; p <= shape->inputs; ++p) block.diagram->links.push_back({false, from, {{inner.name, p}}, {}, 0});
      from = {inner.name, 1};
      block.diagram->blocks.push_back(std::move(inner));
    }
    block.diagram->links.push_back({false, from, {{"out", 1}}, {}, 0});
    return {Shape{nullptr, {}, 1, 1, 0, 0}, std::move(block)};
  }

  std::optional<Shape> shape_of(const blocks::BlockType& type, bool vary) {
    Shape shape{&type, {}, 0, 0, 0, 0};
    std::vector<program::Value> values;
    for (const blocks::ParameterSpec& spec : type.parameters) {
      std::string text = spec.value;
      if (vary && !spec.choices.empty() && below(2) == 0)
        text = "'" + spec.choices[static_cast<std::size_t>(below(spec.choices.size()))] + "'";
      if (spec.name == "tag") text = below(2) == 0 ? "'s'" : "'w'";
      if (spec.name == "overflow" && text == "'error'") text = "'wrap'";
      Diagnostics ignored;
      auto value = spec.verbatim ? program::Value::string(text) : evaluator_.evaluate(text, {}, ignored);
      if (!value) return std::nullopt;
      values.push_back(*value);
      if (text != spec.value) shape.texts.emplace_back(spec.name, text);
    }
    try {
      const blocks::Parameters parameters(&type, values);
      blocks::Ports ports(parameters);
      type.ports(ports);
      shape.inputs = ports.input_count();
      shape.outputs = ports.output_count();
      shape.activation_inputs = ports.activation_input_count();
      shape.activation_outputs = ports.activation_output_count();
    } catch (const blocks::ParameterError&) {
      return std::nullopt;
    }
    return shape;
  }

  // The block and links at random from what is there to it; now and then none, and one in six also from it to itself.
  void add(model::Diagram& diagram, const Shape& shape, model::BlockInstance block) {
    const std::string name = block.name;
    diagram.blocks.push_back(std::move(block));
    there_.emplace_back(name, shape);
    const std::size_t sources = there_.size() - (below(6) == 0 ? 0 : 1);
    const auto link = [&](bool activation, int port) {
      for (int turn = 0; turn < 8 && sources > 0; ++turn) {
        const auto& [from, source] = there_[static_cast<std::size_t>(below(sources))];
        const int count = activation ? source.activation_outputs : source.outputs;
        if (count == 0) continue;
        diagram.links.push_back(
            {activation, {from, 1 + below(static_cast<std::size_t>(count))}, {{name, port}}, {}, 0});
        return;
      }
    };
    for (int p = 1; p <= shape.inputs; ++p) {
      if (below(15) != 0) link(false, p);
    }
    for (int p = 1; p <= shape.activation_inputs; ++p) {
      if (below(3) != 0) link(true, p);
    }
  }

  std::mt19937 random_;
  std::vector<const blocks::BlockType*> types_;
  std::size_t next_ = 0;
  std::vector<std::pair<std::string, Shape>> there_;
  api::OmlEvaluator evaluator_;
};

void collect_types(const model::Diagram& diagram, std::set<std::string>& types) {
  for (const model::BlockInstance& block : diagram.blocks) {
    types.insert(block.type);
    if (block.diagram) collect_types(*block.diagram, types);
  }
}

TEST(RandomMix, CompilesOrIsRefused) {
  const char* wanted = std::getenv("ORRERY_RANDOM_MIX");
  const int count = wanted == nullptr ? 100 : std::atoi(wanted);
  int ran = 0, failed = 0, refused = 0;
  std::set<std::string> used;
  for (int k = 0; k < count; ++k) {
    SCOPED_TRACE(k);
    const model::Model model = Mixer(static_cast<unsigned>(k) + 1).make(k % 5 == 0);
    collect_types(model.root, used);
    RunSetup setup;
    setup.watch = blocks_with_outputs(model);
    const ModelRun first = run_model(model, setup);
    if (!first.compiled || first.report.state == api::RunState::failed) {
      ++(first.compiled ? failed : refused);
      EXPECT_TRUE(first.diagnostics.has_errors()) << model::write(model);
      for (const Diagnostic& d : first.diagnostics.all()) {
        EXPECT_FALSE(d.code.empty());
        EXPECT_FALSE(d.place.block.empty() && d.place.file.empty()) << to_text(d) << model::write(model);
      }
      continue;
    }
    ++ran;
    if (k % 10 != 1) continue;
    setup.native = api::NativeCode::second;
    const ModelRun second = run_model(model, setup);
    EXPECT_EQ(first_difference(first.recording, second.recording), "") << model::write(model);
    EXPECT_EQ(first_difference(first.events, second.events), "") << model::write(model);
  }
  RecordProperty("ran", ran);
  RecordProperty("failed", failed);
  RecordProperty("refused", refused);
  EXPECT_GE(10 * ran, 6 * count) << failed << " failed, " << refused << " refused";
  if (count >= 100) {
    EXPECT_GE(refused, count / 20);
    EXPECT_GT(used.size(), 150u);
  }
}

}  // namespace
}  // namespace orrery::tests::random_mix_test
