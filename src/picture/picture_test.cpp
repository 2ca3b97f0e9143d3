// SPDX-License-Identifier: Apache-2.0
// Layout, routes and drawing: what a reader of a diagram takes for granted.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <map>
#include <random>

#include "base/folders_for_tests.h"
#include "picture/arrange.h"
#include "picture/large_sheet_for_tests.h"
#include "picture/make_scene.h"
#include "picture/route.h"
#include "picture/svg.h"
#include "picture/text_widths.h"

namespace orrery::picture {
namespace {

model::Model parsed(const std::string& text) {
  Diagnostics diagnostics;
  auto model = model::parse(text, "m.orr", diagnostics);
  EXPECT_TRUE(model) << to_text(diagnostics);
  return model ? std::move(*model) : model::Model{};
}

void remove_layout(model::Diagram& diagram) {
  diagram.layout.clear();
  for (model::BlockInstance& block : diagram.blocks) {
    if (block.diagram) remove_layout(*block.diagram);
  }
}

std::vector<std::string> example_files() {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(source_folder() + "/examples")) {
    if (entry.path().extension() == ".orr") files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

template <typename Act>
void each_diagram(const model::Diagram& diagram, const std::string& path, Act&& act) {
  act(diagram, path);
  for (const model::BlockInstance& block : diagram.blocks) {
    if (block.diagram) each_diagram(*block.diagram, path + "/" + block.name, act);
  }
}

bool meet(const Box& a, const Box& b, double apart = 0) {
  return a.x < b.right() + apart && b.x < a.right() + apart && a.y < b.bottom() + apart && b.y < a.bottom() + apart;
}

const ScenePort* port_of(const Scene& scene, const model::PortRef& ref, bool activation, bool output) {
  for (const SceneBlock& block : scene.blocks) {
    if (block.name != ref.block) continue;
    for (const ScenePort& port : block.ports) {
      if (port.number == ref.port && port.activation == activation && port.output == output) return &port;
    }
  }
  return nullptr;
}

// No blocks on each other, links that begin and end at their ports, go in right angles and touch no other block.
// Returns how many links pass through a block.
int check_scene(const Scene& scene, const std::string& what) {
  for (std::size_t a = 0; a < scene.blocks.size(); ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      EXPECT_FALSE(meet(scene.blocks[a].box, scene.blocks[b].box))
          << what << ": " << scene.blocks[a].name << " on " << scene.blocks[b].name;
    }
  }
  int through = 0;
  for (const SceneLink& link : scene.links) {
    const ScenePort* from = port_of(scene, link.from, link.activation, true);
    for (const SceneBranch& branch : link.branches) {
      const ScenePort* to = port_of(scene, branch.to, link.activation, false);
      if (from == nullptr || to == nullptr || branch.points.size() < 2) {
        ADD_FAILURE() << what << ": " << link.from.block;
        continue;
      }
      EXPECT_EQ(branch.points.front(), from->at) << what;
      EXPECT_EQ(branch.points.back(), to->at) << what;
      for (std::size_t k = 1; k < branch.points.size(); ++k) {
        const Point &p = branch.points[k - 1], &q = branch.points[k];
        EXPECT_TRUE(p.x == q.x || p.y == q.y) << what << ": " << link.from.block << " > " << branch.to.block;
        const Box line{std::min(p.x, q.x), std::min(p.y, q.y), std::abs(p.x - q.x), std::abs(p.y - q.y)};
        for (const SceneBlock& block : scene.blocks) {
          const Box inner{block.box.x + 1, block.box.y + 1, block.box.width - 2, block.box.height - 2};
          // A port in a round block is not on the edge of its box.
          const bool own = (block.name == link.from.block && k == 1) ||
                           (block.name == branch.to.block && k + 1 == branch.points.size());
          if (!own && meet(line, inner)) ++through;
        }
      }
    }
  }
  return through;
}

std::string letter_case() {
  return R"({"orrery": 1, "blocks": [
    {"name": "R", "type": "StepGenerator"}, {"name": "E", "type": "Sum", "parameters": {"signs": "'+-'"}},
    {"name": "C", "type": "SampleHold"}, {"name": "P", "type": "ContTransFunc"}, {"name": "S", "type": "Scope"},
    {"name": "T", "type": "SampleClock"}],
    "links": [{"from": "R:1", "to": ["E:1"]}, {"from": "E:1", "to": ["C:1"]}, {"from": "C:1", "to": ["P:1"]},
    {"from": "P:1", "to": ["S:1", "E:2"]}, {"event": "T:1", "to": ["C:1"]}]})";
}

TEST(Arrange, DrawsALoopAsATextbookDoes) {
  const model::Model model = parsed(letter_case());
  const Scene scene = make_scene(model.root, "", {});
  EXPECT_EQ(check_scene(scene, "loop"), 0);
  std::map<std::string, Box> at;
  for (const SceneBlock& block : scene.blocks) at[block.name] = block.box;
  // From left to right on one line, the clock above what it activates.
  for (const auto& [left, right] :
       std::vector<std::pair<std::string, std::string>>{{"R", "E"}, {"E", "C"}, {"C", "P"}, {"P", "S"}}) {
    EXPECT_LT(at[left].right(), at[right].x) << left;
  }
  for (const char* name : {"E", "C", "P"}) EXPECT_EQ(at[name].centre().y, at["R"].centre().y) << name;
  EXPECT_LT(at["T"].bottom(), at["C"].y);
  EXPECT_EQ(at["T"].centre().x, at["C"].centre().x);
  // The way back runs below all of them and has a junction where it begins.
  for (const SceneLink& link : scene.links) {
    if (link.from.block != "P") continue;
    EXPECT_EQ(link.junctions.size(), 1u);
    double lowest = 0;
    for (const Point& p : link.branches[1].points) lowest = std::max(lowest, p.y);
    EXPECT_GT(lowest, at["P"].bottom());
  }
}

TEST(Arrange, ExamplesAreClear) {
  int diagrams = 0;
  for (const std::string& file : example_files()) {
    Diagnostics diagnostics;
    auto model = model::load(file, diagnostics);
    ASSERT_TRUE(model) << to_text(diagnostics);
    for (const bool stored : {true, false}) {
      if (!stored) remove_layout(model->root);
      each_diagram(model->root, "", [&](const model::Diagram& diagram, const std::string& path) {
        ++diagrams;
        const Scene scene = make_scene(diagram, path, {});
        EXPECT_EQ(check_scene(scene, file + path), 0) << file << path;
        EXPECT_EQ(svg(scene, Theme::light), svg(make_scene(diagram, path, {}), Theme::light));
      });
    }
  }
  EXPECT_GT(diagrams, 60);
}

// Loops in cascade with cross links and clocks.
struct Graph {
  std::vector<ArrangeNode> nodes;
  std::vector<ArrangeEdge> edges;
};
Graph random_graph(int count, unsigned seed) {
  std::mt19937 random(seed);
  Graph graph;
  int start = 0;
  for (int k = 0; k < count; ++k) {
    graph.nodes.push_back({70, random() % 2 == 0 ? 40.0 : 60.0, 0, 0});
    if (k == start) continue;
    graph.edges.push_back({k - 1, k, 20, 20, 1, false, true});
    if (random() % 7 == 0 || k - start > 8) {
      graph.edges.push_back({k, start, 20, 30, 2, false, true});
      if (random() % 3 > 0 && k + 1 < count) graph.edges.push_back({k, k + 1, 20, 20, 1, false, true});
      start = k + 1;
    }
    if (random() % 6 == 0)
      graph.edges.push_back({static_cast<int>(random() % static_cast<unsigned>(k)), k, 20, 30, 2, false, true});
  }
  return graph;
}

TEST(Arrange, RandomGraphsDoNotOverlapAndAreTheSameAgain) {
  for (unsigned seed = 1; seed <= 40; ++seed) {
    const Graph graph = random_graph(60, seed);
    const auto places = arrange(graph.nodes, graph.edges);
    const auto again = arrange(graph.nodes, graph.edges);
    ASSERT_EQ(places.size(), graph.nodes.size());
    for (std::size_t a = 0; a < places.size(); ++a) {
      ASSERT_EQ(places[a], again[a]);
      for (std::size_t b = 0; b < a; ++b) {
        const Box box_a{places[a].x, places[a].y, 70, graph.nodes[a].height},
            box_b{places[b].x, places[b].y, 70, graph.nodes[b].height};
        ASSERT_FALSE(meet(box_a, box_b)) << seed << ": " << a << " " << b;
      }
    }
  }
}

TEST(Arrange, MissingPlacesAreFilledAndTheRestStays) {
  std::string text = letter_case();
  text.insert(text.rfind('}'), R"(, "layout": {"R": [1000, 500, 70, 40], "E": [1200, 505, 30, 30, "flip"]})");
  const model::Model model = parsed(text);
  const Scene scene = make_scene(model.root, "", {});
  EXPECT_EQ(scene.blocks[0].box.x, 1000);
  EXPECT_EQ(scene.blocks[1].box.y, 505);
  // Turned around: its output is on the left, its first input on the right.
  EXPECT_EQ(port_of(scene, {"E", 1}, false, true)->side, Side::left);
  EXPECT_EQ(port_of(scene, {"E", 1}, false, false)->side, Side::right);
  EXPECT_EQ(check_scene(scene, "partly placed"), 0);
}

TEST(Route, KeepsBendsOfTheUser) {
  std::string text = letter_case();
  text.insert(text.rfind('}'), R"(, "bends": {"R:1>E:1": [[90, -100], [110, -100]]})");
  const model::Model model = parsed(text);
  const Scene scene = make_scene(model.root, "", {});
  const auto& points = scene.links[0].branches[0].points;
  EXPECT_NE(std::find(points.begin(), points.end(), Point{90, -100}), points.end());
  EXPECT_NE(std::find(points.begin(), points.end(), Point{110, -100}), points.end());
}

TEST(Route, MovedBlocksAreRoutedAnew) {
  const std::vector<Obstacle> blocks = {{{0, 0, 70, 40}, 0}, {{200, 0, 70, 40}, 0}, {{100, 200, 70, 40}, 0}};
  RouteNet net{{{70, 20}, Side::right, 0}, {{{{200, 20}, Side::left, 1}, {}}}};
  Router router(blocks, {net});
  ASSERT_EQ(router.paths()[0][0].size(), 2u);
  net.branches[0].to.at = {200, 120};
  router.move(1, {{200, 100, 70, 40}, 0}, {0}, {net});
  ASSERT_EQ(router.paths()[0][0].size(), 4u);
  EXPECT_EQ(router.paths()[0][0].back(), (Point{200, 120}));
}

TEST(Facts, LiteralsOnly) {
  EXPECT_EQ(literal_value("2.5")->scalar(), 2.5);
  EXPECT_EQ(literal_value("[1 -2; 3,4]")->real, (std::vector<double>{1, 3, -2, 4}));
  EXPECT_EQ(literal_value("'+-'")->text, "+-");
  EXPECT_FALSE(literal_value("k"));
  EXPECT_FALSE(literal_value("[1 k]"));
  EXPECT_FALSE(literal_value("'a' 'b'"));
  EXPECT_EQ(value_text(program::Value::number(-0.25)), "−0.25");
}

TEST(Text, WidthsAndEllipsis) {
  EXPECT_NEAR(text_width("0", 1000), 625, 1e-9);
  EXPECT_EQ(fit_text("abc", 12, 100), "abc");
  const std::string cut = fit_text("a long name that does not fit", 12, 60);
  EXPECT_TRUE(cut.ends_with("…"));
  EXPECT_LE(text_width(cut, 12), 60);
}

TEST(Svg, EscapesWhateverNamesHold) {
  const model::Model model = parsed(
      R"({"orrery": 1, "blocks": [{"name": "<&\">", "type": "Nothing<x>", "off": true}], "notes": [{"text": "a<b\nc", "at": [0, -50, 80, 40]}]})");
  for (const Theme theme : {Theme::light, Theme::dark}) {
    const std::string text = svg(make_scene(model.root, "", {}), theme);
    EXPECT_NE(text.find("&lt;&amp;&quot;&gt;"), std::string::npos);
    EXPECT_EQ(text.find("<x>"), std::string::npos);
    EXPECT_NE(text.find("a&lt;b"), std::string::npos);
    EXPECT_NE(text.find("class=\"hatch\""), std::string::npos);
  }
}

TEST(Scene, LargeSheetsHaveNoLinkThroughABlock) {
  EXPECT_EQ(check_scene(make_scene(large_diagram(1'000), "", {}), "large"), 0);
}

// Ten curves into one scope: lines that climb beside each other stand in the order of their ends.
TEST(Scene, ManyLinksIntoOneBlockDoNotCross) {
  Diagnostics diagnostics;
  const auto model = model::load(source_folder() + "/examples/book/ch18_interpolation.orr", diagnostics);
  ASSERT_TRUE(model) << to_text(diagnostics);
  const Scene scene = make_scene(model->root, "", {});
  EXPECT_EQ(scene.links.size(), 10u);
  EXPECT_TRUE(scene.crossings.empty());
}

TEST(Scene, ExtremeLayoutsDoNotHarm) {
  const model::Model model = parsed(
      R"({"orrery": 1, "blocks": [{"name": "A", "type": "Gain"}, {"name": "B", "type": "Gain"}, {"name": "C", "type": "Gain"}],
      "links": [{"from": "A:1", "to": ["B:1", "B:999999", "C:1"]}],
      "layout": {"A": [1e300, 0, 70, 40], "B": [-1e6, 1e6, 70, 40], "C": [0, 0, -5, 1e18]}})");
  const std::string text = svg(make_scene(model.root, "", {}), Theme::light);
  EXPECT_LT(text.size(), 200'000u);
}

}  // namespace
}  // namespace orrery::picture
