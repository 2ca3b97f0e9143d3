// SPDX-License-Identifier: Apache-2.0
// Random models of blocks of all palettes, linked at random: each compiles and runs, or is refused with an error that
// has a place; nothing crashes or hangs, and both tiers agree on those that run. ORRERY_RANDOM_MIX says how many there
// are.
#include <gtest/gtest.h>

#include <cstdlib>
#include <random>
#include <set>

#include "blocks/manual.h"
#include "diagram_builder.h"
#include "run_model.h"

namespace orrery::tests::random_mix_test {
namespace {

// They need files or code, or ask for another run.
const std::set<std::string> apart = {"FMU",      "CCustomBlock", "OmlCustomBlock", "CppBlock",       "PCustomBlock",
                                     "FromCSV",  "FromText",     "FromMat",        "FromHDF",        "ToCSV",
                                     "ToText",   "ToMat",        "ToHDF",          "IncludeDiagram", "SuperBlock",
                                     "RealTime", "End",          "Optimization"};

struct Shape {
  const blocks::BlockType* type;
  DiagramBuilder::Texts texts;
  int inputs, outputs, activation_inputs, activation_outputs;
};

class Mixer {
 public:
  explicit Mixer(unsigned seed) : random_(seed) {
    for (const blocks::BlockType* type : blocks::library()) {
      if (!apart.contains(type->name) && type->ports != nullptr) types_.push_back(type);
    }
  }

  model::Model make() {
    DiagramBuilder d;
    d.model().settings.stop.text = "0.3";
    fill(d.model().root, 8 + below(14), 0);
    return std::move(d.model());
  }

 private:
  int below(std::size_t n) { return static_cast<int>(random_() % n); }

  std::optional<Shape> pick() {
    const blocks::BlockType* type = types_[static_cast<std::size_t>(below(types_.size()))];
    Shape shape{type, {}, 0, 0, 0, 0};
    std::vector<program::Value> values;
    for (const blocks::ParameterSpec& spec : type->parameters) {
      std::string text = spec.value;
      if (!spec.choices.empty() && below(2) == 0)
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
      const blocks::Parameters parameters(type, values);
      blocks::Ports ports(parameters);
      type->ports(ports);
      shape.inputs = ports.input_count();
      shape.outputs = ports.output_count();
      shape.activation_inputs = ports.activation_input_count();
      shape.activation_outputs = ports.activation_output_count();
    } catch (const blocks::ParameterError&) {
      return std::nullopt;
    }
    return shape;
  }

  void fill(model::Diagram& diagram, int count, int depth) {
    std::vector<std::pair<std::string, Shape>> there;
    for (int k = 0; k < count; ++k) {
      model::BlockInstance block;
      block.name = "b" + std::to_string(k);
      Shape shape{nullptr, {}, 0, 0, 0, 0};
      if (depth < 2 && below(9) == 0) {
        block.type = "SuperBlock";
        block.diagram = std::make_unique<model::Diagram>();
        block.diagram->atomic = below(2) == 0;
        if (below(4) == 0) {
          block.diagram->for_each = model::ForEach::elements;
          block.diagram->count = std::to_string(1 + below(5));
        }
        fill(*block.diagram, 3 + below(5), depth + 1);
        for (const model::BlockInstance& inner : block.diagram->blocks) {
          const blocks::Role role = inner.diagram ? blocks::Role::ordinary : blocks::role_of(inner.type);
          if (role == blocks::Role::diagram_input) shape.inputs = 1;
          if (role == blocks::Role::diagram_output) shape.outputs = 1;
          if (role == blocks::Role::diagram_event_input) shape.activation_inputs = 1;
          if (role == blocks::Role::diagram_event_output) shape.activation_outputs = 1;
        }
      } else {
        auto picked = pick();
        if (!picked) continue;
        shape = *picked;
        block.type = shape.type->name;
        for (const auto& [name, value] : shape.texts) block.parameters.push_back({name, value, 0});
      }
      there.emplace_back(block.name, shape);
      diagram.blocks.push_back(std::move(block));
    }
    join(diagram, there);
  }

  void join(model::Diagram& diagram, const std::vector<std::pair<std::string, Shape>>& there) {
    for (const auto& [name, shape] : there) {
      for (int p = 1; p <= shape.inputs; ++p) {
        if (below(10) == 0) continue;
        const auto& [from, source] = there[static_cast<std::size_t>(below(there.size()))];
        if (source.outputs == 0) continue;
        diagram.links.push_back(
            {false, {from, 1 + below(static_cast<std::size_t>(source.outputs))}, {{name, p}}, {}, 0});
      }
      for (int p = 1; p <= shape.activation_inputs; ++p) {
        if (below(2) == 0) continue;
        const auto& [from, source] = there[static_cast<std::size_t>(below(there.size()))];
        if (source.activation_outputs == 0) continue;
        diagram.links.push_back(
            {true, {from, 1 + below(static_cast<std::size_t>(source.activation_outputs))}, {{name, p}}, {}, 0});
      }
    }
  }

  std::mt19937 random_;
  std::vector<const blocks::BlockType*> types_;
  api::OmlEvaluator evaluator_;
};

TEST(RandomMix, DISABLED_CompilesOrIsRefused) {
  const char* wanted = std::getenv("ORRERY_RANDOM_MIX");
  const int count = wanted == nullptr ? 100 : std::atoi(wanted);
  int compiled = 0, refused = 0;
  std::set<std::string> used;
  for (int k = 0; k < count; ++k) {
    SCOPED_TRACE(k);
    const model::Model model = Mixer(static_cast<unsigned>(k) + 1).make();
    for (const model::BlockInstance& block : model.root.blocks) used.insert(block.type);
    const ModelRun first = run_model(model, {});
    if (!first.compiled) {
      ++refused;
      EXPECT_TRUE(first.diagnostics.has_errors()) << model::write(model);
      for (const Diagnostic& d : first.diagnostics.all()) {
        EXPECT_FALSE(d.code.empty());
        EXPECT_FALSE(d.place.block.empty() && d.place.file.empty()) << to_text(d) << model::write(model);
      }
      continue;
    }
    ++compiled;
    if (first.report.state == api::RunState::failed) {
      EXPECT_TRUE(first.diagnostics.has_errors()) << model::write(model);
    }
  }
  EXPECT_GT(compiled, count / 20);
  EXPECT_GT(refused, count / 20);
  if (count >= 100) {
    EXPECT_GT(used.size(), 150u);
  }
}

}  // namespace
}  // namespace orrery::tests::random_mix_test
