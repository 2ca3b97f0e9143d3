// SPDX-License-Identifier: Apache-2.0
// Anim2D (Activate, chapter 20): objects, colours, frozen copies, and the three examples against the laws they state.
#include "api/animation.h"

#include <gtest/gtest.h>

#include <cmath>

#include "api/run.h"
#include "base/folders_for_tests.h"

namespace orrery::tests {
namespace {

using Kind = api::FigureObject::Kind;

struct Played {
  api::FigureInfo info;
  api::Results results;
};

// Runs a model and gives the rows of its only figure.
Played play(const api::Model& model) {
  Diagnostics diagnostics;
  const auto compiled = model.compile(diagnostics);
  EXPECT_TRUE(compiled.has_value()) << (diagnostics.all().empty() ? "" : diagnostics.all()[0].message);
  if (!compiled || compiled->figures().size() != 1) return {};
  api::Run run = compiled->start();
  EXPECT_EQ(run.run(), api::RunState::reached_stop);
  return {compiled->figures()[0], run.results()};
}

Played play_text(const std::string& text) {
  Diagnostics diagnostics;
  const auto model = api::Model::read(text, "figure.orr", diagnostics);
  EXPECT_TRUE(model.has_value()) << diagnostics.all()[0].message;
  return play(*model);
}

Played play_example(const std::string& name) {
  Diagnostics diagnostics;
  const auto model = api::Model::open(source_folder() + "/examples/book/" + name, diagnostics);
  EXPECT_TRUE(model.has_value());
  return play(*model);
}

api::FigureState state_at(const Played& played, double time) {
  api::FigureState state(played.info);
  std::vector<std::size_t> columns;
  for (std::size_t k = 0; k < played.results.names.size(); ++k)
    if (played.results.names[k].starts_with(played.info.block + ".")) columns.push_back(k);
  EXPECT_EQ(columns.size(), api::figure_columns(played.info));
  std::vector<double> row(columns.size());
  for (std::size_t k = 0; k < played.results.rows() && played.results.time[k] <= time; ++k) {
    for (std::size_t c = 0; c < columns.size(); ++c) row[c] = played.results.value(k, columns[c]);
    state.take_row(row.data());
  }
  return state;
}

std::string figure_model(const std::string& blocks, const std::string& links, const std::string& anim) {
  return R"({"orrery": 2, "name": "figure", "simulation": {"stop": "3"}, "blocks": [
    {"name": "Time", "type": "Time"},)" +
         blocks + R"({"name": "Figure", "type": "Anim2D", "parameters": {)" + anim + R"(}}], "links": [)" + links +
         "]}";
}

TEST(Anim2D, AllTypesOfObjectsTakeTheirColoursInTurn) {
  const Played played = play_text(figure_model(
      R"({"name": "Lines", "type": "Constant", "parameters": {"value": "[0 0; 1 0; 1 1]"}},
         {"name": "Circles", "type": "MatrixExpression", "parameters": {"expression": "'[u1 2 0.5; 3 4 1]'"}},
         {"name": "Boxes", "type": "Constant", "parameters": {"value": "[1 2 3 4]"}},
         {"name": "Segments", "type": "Constant", "parameters": {"value": "[0 1 2 3]"}},
         {"name": "Red", "type": "Constant", "parameters": {"value": "[5 5 1 1 0 0; 6 6 1 2 -1 0]"}},)",
      R"({"from": "Time:1", "to": ["Circles:1"]}, {"from": "Lines:1", "to": ["Figure:1", "Figure:2"]},
         {"from": "Circles:1", "to": ["Figure:3"]}, {"from": "Boxes:1", "to": ["Figure:4"]},
         {"from": "Segments:1", "to": ["Figure:5"]}, {"from": "Red:1", "to": ["Figure:6"]})",
      R"("inputs": "6", "types": "[1 2 3 4 5 103]", "colours": "[1 0 0; 0 1 0; -1 -1 -1]")"));
  const std::vector<api::FigureObject> objects = state_at(played, 2).objects();
  ASSERT_EQ(objects.size(), 8U);
  const Kind kinds[] = {Kind::polygon,   Kind::polyline, Kind::circle, Kind::circle,
                        Kind::rectangle, Kind::segment,  Kind::circle, Kind::circle};
  for (std::size_t k = 0; k < 8; ++k) EXPECT_EQ(objects[k].kind, kinds[k]) << k;
  EXPECT_EQ(objects[0].numbers, (std::vector<double>{0, 0, 1, 0, 1, 1}));
  EXPECT_NEAR(objects[2].numbers[0], 2, 0.1);  // the last row that is not after it
  EXPECT_EQ(objects[3].numbers, (std::vector<double>{3, 4, 1}));
  EXPECT_EQ(objects[4].numbers, (std::vector<double>{1, 2, 3, 4}));
  EXPECT_EQ(objects[5].numbers, (std::vector<double>{0, 1, 2, 3}));
  // Three rows for six objects; those with colours of their own take none.
  EXPECT_EQ(api::colour_text(*objects[0].colour), "#ff0000");
  EXPECT_EQ(api::colour_text(*objects[1].colour), "#00ff00");
  EXPECT_FALSE(objects[2].colour.has_value());
  EXPECT_EQ(api::colour_text(*objects[3].colour), "#ff0000");
  EXPECT_FALSE(objects[5].colour.has_value());
  EXPECT_EQ(api::colour_text(*objects[6].colour), "#ff0000");
  EXPECT_FALSE(objects[7].colour.has_value());  // a negative part
}

// Moves at 0, 1, 2; copies at 0.5 and 1.5: they are where the objects were put last.
TEST(Anim2D, CopiesAreWhereTheObjectsAre) {
  const Played played = play_text(figure_model(
      R"({"name": "Circle", "type": "MatrixExpression", "parameters": {"expression": "'[u1 0 1]'"}},
         {"name": "Floor", "type": "Constant", "parameters": {"value": "[0 0; 9 0; 9 -1]"}},
         {"name": "Move", "type": "SampleClock", "parameters": {"period": "1"}},
         {"name": "Copy", "type": "EventGenerate", "parameters": {"times": "[0.5 1.5]", "outputs": "'one'"}},)",
      R"({"from": "Time:1", "to": ["Circle:1"]}, {"from": "Floor:1", "to": ["Figure:1"]},
         {"from": "Circle:1", "to": ["Figure:2"]}, {"event": "Move:1", "to": ["Figure:1"]},
         {"event": "Copy:1", "to": ["Figure:2"]})",
      R"("inputs": "2", "types": "[-1 3]")"));
  EXPECT_EQ(state_at(played, 0.4).copies().size(), 0U);
  EXPECT_EQ(state_at(played, 0.6).copies().size(), 1U);
  const api::FigureState state = state_at(played, 2.5);
  ASSERT_EQ(state.copies().size(), 2U);
  ASSERT_EQ(state.copy(0).size(), 1U);  // without the floor
  EXPECT_EQ(state.copy(0)[0].numbers, (std::vector<double>{0, 0, 1}));
  EXPECT_EQ(state.copy(1)[0].numbers, (std::vector<double>{1, 0, 1}));
  // Floor, copies, circle.
  const std::vector<api::FigureObject> objects = state.objects();
  ASSERT_EQ(objects.size(), 4U);
  EXPECT_EQ(objects[0].kind, Kind::polygon);
  EXPECT_EQ(objects[3].numbers, (std::vector<double>{2, 0, 1}));
  const std::string svg = api::figure_svg(played.info, objects, picture::Theme::light);
  EXPECT_NE(svg.find("<circle cx=\"80\" cy=\"400\" r=\"40\""), std::string::npos) << svg;  // zoom 40, 10 units high
}

TEST(Anim2D, TheFirstEventPutsObjectsWhereTheInputsAre) {
  const Played played = play_text(figure_model(
      R"({"name": "Circle", "type": "MatrixExpression", "parameters": {"expression": "'[u1 0 1]'"}},
         {"name": "Copy", "type": "EventGenerate", "parameters": {"times": "1.25"}},)",
      R"({"from": "Time:1", "to": ["Circle:1"]}, {"from": "Circle:1", "to": ["Figure:1"]},
         {"event": "Copy:1", "to": ["Figure:2"]})",
      R"("types": "3")"));
  const api::FigureState state = state_at(played, 3);
  // With an activation link the block does not inherit: the first event puts it where the input is.
  ASSERT_EQ(state.copies().size(), 1U);
  EXPECT_DOUBLE_EQ(state.copy(0)[0].numbers[0], 1.25);
}

TEST(Anim2D, RefusesWhatMakesNoFigure) {
  const auto code_of = [](const std::string& anim) {
    Diagnostics diagnostics;
    const auto model =
        api::Model::read(figure_model(R"({"name": "C", "type": "Constant", "parameters": {"value": "[0 0 1]"}},)",
                                      R"({"from": "C:1", "to": ["Figure:1"]})", anim),
                         "figure.orr", diagnostics);
    EXPECT_TRUE(model && !model->compile(diagnostics)) << anim;
    for (const Diagnostic& one : diagnostics.all())
      if (one.severity == Severity::error) return one.code;
    return std::string();
  };
  EXPECT_EQ(code_of(R"("types": "6")"), "bad-parameter");
  EXPECT_EQ(code_of(R"("types": "[3 3]")"), "bad-parameter");
  EXPECT_EQ(code_of(R"("types": "3.5")"), "bad-parameter");
  EXPECT_EQ(code_of(R"("canvas": "[0 0 1]")"), "bad-parameter");
  EXPECT_EQ(code_of(R"("canvas": "[0 0 1 -1]")"), "bad-parameter");
  EXPECT_EQ(code_of(R"("colours": "[1 2 0]")"), "bad-parameter");
  EXPECT_EQ(code_of(R"("colours": "[1 0]")"), "bad-parameter");
  EXPECT_EQ(code_of(R"("zoom": "0")"), "bad-parameter");
  EXPECT_FALSE(code_of(R"("types": "4")").empty());  // a circle is no rectangle
}

// Elastic impacts keep the energy, and no ball is ever in another or in a wall.
TEST(Anim2D, BallsKeepTheirEnergyAndTheirDistance) {
  const Played played = play_example("ch20_balls.orr");
  const api::Results& results = played.results;
  const std::size_t energy = results.column("/Total.energy");
  ASSERT_NE(energy, SIZE_MAX);
  const double first = results.value(0, energy);
  for (std::size_t k = 0; k < results.rows(); ++k) EXPECT_NEAR(results.value(k, energy), first, 1e-7 * first);
  const double r[] = {0.5, 0.7, 0.4, 0.6};
  for (double t = 0; t <= 10; t += 0.37) {
    const std::vector<api::FigureObject> balls = state_at(played, t).moving();
    ASSERT_EQ(balls.size(), 4U);
    for (std::size_t i = 0; i < 4; ++i) {
      const double x = balls[i].numbers[0], y = balls[i].numbers[1];
      EXPECT_EQ(balls[i].numbers[2], r[i]);
      EXPECT_TRUE(x > r[i] - 1e-6 && x < 8 - r[i] + 1e-6 && y > r[i] - 1e-6 && y < 6 - r[i] + 1e-6) << t;
      for (std::size_t j = 0; j < i; ++j)
        EXPECT_GT(std::hypot(x - balls[j].numbers[0], y - balls[j].numbers[1]), r[i] + r[j] - 1e-6) << t;
    }
  }
  EXPECT_EQ(state_at(played, 10).copies().size(), 1U);
}

// The levels again from the law alone, with the recorded pump and valve, by Heun's method with small steps.
TEST(Anim2D, TanksFollowTheirLaw) {
  const Played played = play_example("ch20_tanks.orr");
  const api::Results& results = played.results;
  const std::size_t h1 = results.column("/Levels.first"), h2 = results.column("/Levels.second"),
                    pump = results.column("/Signals.pump"), valve = results.column("/Signals.valve");
  ASSERT_NE(h1, SIZE_MAX);
  ASSERT_NE(valve, SIZE_MAX);
  double a = 2, b = 1;
  int pumped = 0, opened = 0;
  for (std::size_t k = 0; k + 1 < results.rows(); ++k) {
    const double p = results.value(k, pump), v = std::isnan(results.value(k, valve)) ? 0 : results.value(k, valve);
    pumped += p > 0;
    opened += v > 0;
    const double length = results.time[k + 1] - results.time[k];
    const int steps = std::max(1, static_cast<int>(std::ceil(length / 1e-3)));
    const double h = length / steps;
    const auto rates = [&](double x, double y, double& dx, double& dy) {
      const double f1 = 0.02 * std::copysign(std::sqrt(2 * 9.81 * std::abs(x - y)), x - y);
      const double f2 = 0.015 * std::sqrt(2 * 9.81 * std::max(y, 0.0)) * v;
      dx = 0.12 * p - f1;
      dy = f1 - f2;
    };
    for (int s = 0; s < steps; ++s) {
      double ax, bx, ay, by;
      rates(a, b, ax, bx);
      rates(a + h * ax, b + h * bx, ay, by);
      a += h / 2 * (ax + ay);
      b += h / 2 * (bx + by);
    }
    ASSERT_NEAR(results.value(k + 1, h1), a, 1e-4) << results.time[k + 1];
    ASSERT_NEAR(results.value(k + 1, h2), b, 1e-4) << results.time[k + 1];
  }
  EXPECT_GT(pumped, 0);
  EXPECT_GT(opened, 0);
  EXPECT_EQ(state_at(played, 99).copies().size(), 4U);  // 20, 40, 60, 80
}

TEST(Anim2D, TheDiskRollsWithoutLoss) {
  const Played played = play_example("ch20_rolling_disk.orr");
  const api::Results& results = played.results;
  const std::size_t energy = results.column("/Total.energy");
  ASSERT_NE(energy, SIZE_MAX);
  const double first = results.value(0, energy);
  for (std::size_t k = 0; k < results.rows(); ++k) EXPECT_NEAR(results.value(k, energy), first, 1e-8 * first);
  // A copy every 0.8 s, each of the disk and its spoke; the floor once.
  const api::FigureState state = state_at(played, 7);
  EXPECT_EQ(state.copies().size(), 9U);
  EXPECT_EQ(state.copy(0).size(), 2U);
  EXPECT_EQ(state.still().size(), 1U);
}

TEST(Anim2D, HeadlessPicturesNameWhatIsMissing) {
  Diagnostics diagnostics;
  const std::string folder = source_folder() + "/examples/";
  EXPECT_FALSE(api::animation_picture({folder + "bouncing_ball.orr", 1, "", {}, {}}, diagnostics));
  ASSERT_FALSE(diagnostics.all().empty());
  EXPECT_EQ(diagnostics.all().back().code, "no-animation");
  Diagnostics none;
  const auto svg = api::animation_picture({folder + "book/ch20_balls.orr", 0.5, "", {}, {}}, none);
  ASSERT_TRUE(svg.has_value()) << none.all()[0].message;
  EXPECT_EQ(std::count(svg->begin(), svg->end(), '\n'), 3 + 1 + 4 + 4 + 2);  // box, four copies, four balls
  Diagnostics other;
  EXPECT_FALSE(api::animation_picture({folder + "book/ch20_balls.orr", -1, "", {}, {}}, other));
  EXPECT_EQ(other.all().back().code, "bad-time");
}

}  // namespace
}  // namespace orrery::tests
