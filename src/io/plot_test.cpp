// SPDX-License-Identifier: Apache-2.0
// Axes, reduction of long curves, SVG and terminal drawings, text tables.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "io/axis.h"
#include "io/polyline.h"
#include "io/svg_plot.h"
#include "io/terminal_plot.h"
#include "io/text_table.h"

namespace orrery::io {
namespace {

Curve curve_of(const std::vector<double>& time, const std::vector<double>& value, std::string name = "y") {
  return {std::move(name), time.data(), value.data(), time.size(), 1, CurveStyle::line, 1};
}

std::vector<std::string> labels_of(Range range, int count) {
  std::vector<std::string> labels;
  for (const Tick& tick : round_ticks(range, count)) labels.push_back(tick.label);
  return labels;
}

using Labels = std::vector<std::string>;

TEST(Ticks, AreRoundAndHaveTheDigitsTheyNeed) {
  EXPECT_EQ(labels_of({0, 10}, 5), (Labels{"0", "2", "4", "6", "8", "10"}));
  EXPECT_EQ(labels_of({-0.25, 0.25}, 4), (Labels{"-0.2", "-0.1", "0.0", "0.1", "0.2"}));
  EXPECT_EQ(labels_of({1e9, 3e9}, 4), (Labels{"1e+09", "1.5e+09", "2e+09", "2.5e+09", "3e+09"}));
  EXPECT_EQ(labels_of({0, 2e-7}, 2), (Labels{"0", "1e-07", "2e-07"}));
}

TEST(Ticks, StayFewForAnyRange) {
  for (const Range range : {Range{-1e300, 1e300}, Range{1, 1 + 1e-11}, Range{0, 5e-300}, Range{1e15, 1e15 + 1000}}) {
    const auto ticks = round_ticks(range, 6);
    EXPECT_LE(ticks.size(), 14U);
    EXPECT_GE(ticks.size(), 2U);
  }
}

TEST(Range, OfConstantEmptyAndInfiniteCurvesCanBeDrawn) {
  const std::vector<double> time{0, 1}, same{3, 3}, none{NAN, INFINITY};
  EXPECT_LT(value_range({"", {curve_of(time, same)}}).low, 3);
  EXPECT_GT(value_range({"", {curve_of(time, none)}}).width(), 0);
  EXPECT_GT(value_range({"", {}}).width(), 0);
}

TEST(Polyline, KeepsExtremesAndFewPoints) {
  std::vector<double> time, value;
  for (int k = 0; k < 200000; ++k) {
    time.push_back(k);
    value.push_back(k == 123456 ? 50.0 : std::sin(k));
  }
  const Frame frame{{0, 199999}, {0, 100}, 100, 100};
  const auto lines = polylines(curve_of(time, value), frame);
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_LE(lines[0].size(), 404U);
  EXPECT_EQ(std::max_element(lines[0].begin(), lines[0].end(), [](Point a, Point b) { return a.y < b.y; })->y, 50);
}

TEST(Polyline, DrawsStairsJumpsAndGaps) {
  const std::vector<double> time{0, 1, 2, 3, 4}, value{0, 1, NAN, 2, 2};
  const Frame frame{{0, 4}, {0, 4}, 400, 4};
  Curve curve = curve_of(time, value);
  curve.style = CurveStyle::stairs;
  const auto lines = polylines(curve, frame);
  ASSERT_EQ(lines.size(), 2U);
  ASSERT_EQ(lines[0].size(), 3U);
  EXPECT_EQ(lines[0][1].x, lines[0][2].x);
  EXPECT_EQ(lines[0][1].y, 0);
  EXPECT_EQ(lines[0][2].y, 1);
}

TEST(Polyline, DrawsAStrokeForEachEvent) {
  const std::vector<double> time{0, 1, 1, 2, 3}, count{0, 0, 1, 1, 2};
  Curve curve = curve_of(time, count);
  curve.style = CurveStyle::events;
  curve.level = 2;
  const Range value = value_range({"", {curve}});
  EXPECT_EQ(value.low, 1.5);
  EXPECT_EQ(value.high, 2.5);
  const auto lines = polylines(curve, {{0, 4}, value, 400, 1});
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[0][0].x, 100);
  EXPECT_EQ(lines[0][1].x, 100);
  EXPECT_EQ(lines[1][0].x, 300);
}

TEST(Svg, EscapesNamesAndIsSmallForLongCurves) {
  std::vector<double> time, value;
  for (int k = 0; k < 300000; ++k) {
    time.push_back(k * 1e-3);
    value.push_back(std::sin(k * 0.7));
  }
  const std::string svg = svg_plot({"a < b & \"c\"", {{"/Scope", {curve_of(time, value, "<y>")}}}});
  EXPECT_NE(svg.find("a &lt; b &amp; &quot;c&quot;"), std::string::npos);
  EXPECT_EQ(svg.find("<y>"), std::string::npos);
  EXPECT_LT(svg.size(), 250000U);
  EXPECT_TRUE(svg.ends_with("</svg>\n"));
  EXPECT_EQ(svg.find("nan"), std::string::npos);
}

TEST(Svg, DrawsAnEmptyChart) { EXPECT_NE(svg_plot({"nothing", {}}).find("</svg>"), std::string::npos); }

TEST(TerminalPlot, FitsItsSizeInBothAlphabets) {
  const std::vector<double> time{0, 1, 1, 2}, value{0, 1, -1, 0};
  for (const bool unicode : {true, false}) {
    const std::string text = terminal_plot({"/Scope", {curve_of(time, value)}}, {unicode, false, 60, 12});
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 15);
    std::size_t start = 0;
    while (start < text.size()) {
      const std::size_t end = text.find('\n', start);
      EXPECT_LE(display_width(text.substr(start, end - start)), 72U);
      start = end + 1;
    }
    const bool ascii = std::all_of(text.begin(), text.end(), [](char c) { return c >= 0; });
    EXPECT_EQ(ascii, !unicode);
  }
}

TEST(TextTable, AlignsColumnsAndCountsCodePoints) {
  const TextTable table{{"name", "n"}, {Align::left, Align::right}, {{"é", "1"}, {"longer", "23"}}};
  EXPECT_EQ(to_text(table, " "), " name     n\n é        1\n longer  23\n");
}

}  // namespace
}  // namespace orrery::io
