// SPDX-License-Identifier: Apache-2.0
// Histories alone: polynomials are exact, stretches have two sides, what is dropped is not missed, bytes come back.
#include "sim/history_track.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

namespace orrery::sim {
namespace {

void append(HistoryTrack& track, double end, int degree, const std::function<double(double)>& u) {
  const double begin = track.filled_to();
  std::vector<double> values;
  for (const double point : newton::points(degree)) values.push_back(u(begin + point * (end - begin)));
  track.append(end, degree, values.data());
}

TEST(HistoryTrack, KeepsPolynomialsAndTheirDerivatives) {
  HistoryTrack track(1);
  track.open(-1e3, 1e3, 1e-14);
  const auto u = [](double t) { return 1 - 2 * t + 0.5 * std::pow(t, 3) - 0.1 * std::pow(t, 5); };
  const double first = u(0);
  track.add_break(0, 0, &first);
  for (const double end : {0.7, 1.1, 2.5}) append(track, end, 7, u);
  for (double t = 0; t <= 2.5; t += 0.01) {
    EXPECT_NEAR(track.value(t, 0, 0, 0), u(t), 1e-13);
    EXPECT_NEAR(track.value(t, 0, 0, 1), -2 + 1.5 * t * t - 0.5 * std::pow(t, 4), 1e-11);
    EXPECT_NEAR(track.value(t, 0, 0, 2), 3 * t - 2 * std::pow(t, 3), 1e-9);
  }
}

TEST(HistoryTrack, ConstantsStayWhatTheyAreToTheLastBit) {
  HistoryTrack track(1);
  const double value = 0.1;
  track.add_break(0, 0, &value);
  for (int degree = 1; degree <= newton::highest_degree; ++degree)
    append(track, degree, degree, [&](double) { return value; });
  for (double t = -3; t < 20; t += 0.37) EXPECT_EQ(track.value(t, 0, 0, 0), value);
}

TEST(HistoryTrack, HasBothSidesOfABreak) {
  HistoryTrack track(1);
  track.open(-1e3, 1e3, 1e-12);
  double right = 1;
  track.add_break(0, 0, &right);
  append(track, 1, 3, [](double) { return 1; });
  right = 5;
  EXPECT_FALSE(track.ends_with(&right));
  track.add_break(1, 0, &right);
  EXPECT_EQ(track.value(1, 1, 0, 0), 5);  // nothing is known of it but where it begins
  append(track, 2, 3, [](double t) { return 4 + t; });
  EXPECT_EQ(track.value(1, 0, 0, 0), 1);
  EXPECT_EQ(track.value(1, 1, 0, 0), 5);
  EXPECT_EQ(track.begin(1), 1);
  EXPECT_EQ(track.end(0), 1);
  EXPECT_EQ(track.begin(0), -1e3);
  EXPECT_EQ(track.end(1), 1e3);
  EXPECT_EQ(track.stretch_at(1, 2), 1);    // time stands: the break has been passed
  EXPECT_EQ(track.stretch_at(1, 2.5), 0);  // within a step it is the end of the stretch
  EXPECT_EQ(track.stretch_at(1 - 1e-9, 2), 0);
  EXPECT_EQ(track.order_between(0, 1), 0);
}

// Between the last accepted point and now: the polynomial through the last one's points and the present value.
TEST(HistoryTrack, GoesOnThroughThePresentValue) {
  HistoryTrack track(1);
  track.open(-1e3, 1e3, 1e-14);
  const auto u = [](double t) { return std::pow(t, 4) - t; };
  const double first = 0;
  track.add_break(0, 0, &first);
  append(track, 1, 3, u);  // one degree less than it takes
  for (const double t : {1.0, 1.2, 1.4}) EXPECT_NEAR(track.value(t, 0, 0, 0, u(1.5), 1.5), u(t), 1e-13);
  EXPECT_EQ(track.value(1.5, 0, 0, 0, 77, 1.5), 77);
  EXPECT_EQ(track.weight(1.5, 0, 1.5), 1);
  EXPECT_EQ(track.weight(0.9, 0, 1.5), 0);
}

TEST(HistoryTrack, ForgetsAndComesBackFromBytes) {
  HistoryTrack track(2);
  track.open(-1e3, 1e3, 1e-14);
  const std::vector<double> start = {0, 1};
  const auto fill = [&](double end) {
    std::vector<double> values;
    for (const double point : newton::points(3)) {
      const double t = track.filled_to() + point * (end - track.filled_to());
      values.insert(values.end(), {std::sin(t), std::cos(t)});
    }
    track.append(end, 3, values.data());
  };
  for (int k = 0; k < 1000; ++k) {
    if (k % 10 == 0) {
      const double right[] = {std::sin(0.1 * k), std::cos(0.1 * k)};
      track.add_break(0.1 * k, 1, right);
    }
    fill(0.1 * (k + 1));
    track.forget_before(0.1 * (k + 1) - 2);
  }
  std::vector<double> saved;
  track.save(saved);
  EXPECT_LT(saved.size(), 6000u);
  HistoryTrack copy(2);
  copy.open(-1e3, 1e3, 1e-14);
  std::span<const double> rest = saved;
  ASSERT_TRUE(copy.restore(rest));
  EXPECT_TRUE(rest.empty());
  for (double t = 98; t < 100; t += 0.013) {
    const double stretch = track.stretch_at(t, 100);
    EXPECT_EQ(stretch, std::floor(t + 1e-12));
    EXPECT_NEAR(track.value(t, stretch, 1, 0), std::cos(t), 1e-5);
    EXPECT_EQ(track.value(t, stretch, 1, 0), copy.value(t, stretch, 1, 0));
  }
  std::span<const double> cut = std::span(saved).first(saved.size() - 1);
  EXPECT_FALSE(copy.restore(cut));
}

}  // namespace
}  // namespace orrery::sim
