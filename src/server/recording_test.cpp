// SPDX-License-Identifier: Apache-2.0
// The pyramid against a look at every row.
#include "server/recording.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>

namespace orrery::server {
namespace {

struct Frame {
  bool buckets = false;
  std::uint32_t count = 0;
  std::vector<double> time;
  std::vector<std::vector<double>> lists;  // by channel one, or first, low, high, last
};

Frame read_frame(const std::string& bytes) {
  Frame frame;
  std::uint16_t channels = 0;
  std::memcpy(&channels, bytes.data() + 2, 2);
  std::memcpy(&frame.count, bytes.data() + 12, 4);
  frame.buckets = (bytes[1] & 1) != 0;
  const std::size_t lists = channels * (frame.buckets ? 4U : 1U);
  EXPECT_EQ(bytes.size(), 16 + frame.count * (8 + 8 * lists + 1));
  const char* at = bytes.data() + 16;
  const auto take = [&] {
    std::vector<double> list(frame.count);
    std::memcpy(list.data(), at, frame.count * 8);
    at += frame.count * 8;
    return list;
  };
  frame.time = take();
  for (std::size_t k = 0; k < lists; ++k) frame.lists.push_back(take());
  return frame;
}

RunRecording random_recording(std::size_t rows, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  RunRecording recording;
  recording.begin({{"a", "/A"}, {"b", "/B"}});
  double t = 0;
  std::vector<double> time, values;
  std::vector<signed char> phase;
  for (std::size_t k = 0; k < rows; ++k) {
    if (random() % 5 != 0) t += (random() % 100 == 0 ? 10.0 : 0.001) * std::abs(normal(random));
    time.push_back(t);
    values.push_back(normal(random));
    values.push_back(random() % 50 == 0 ? std::nan("") : normal(random));
    phase.push_back(0);
    if (time.size() < 1 + random() % 700 && k + 1 < rows) continue;
    EXPECT_TRUE(recording.add(time, values, phase));
    time.clear();
    values.clear();
    phase.clear();
  }
  return recording;
}

TEST(Recording, ExtentsAreThoseOfAllRows) {
  const RunRecording recording = random_recording(20000, 1);
  std::mt19937 random(2);
  for (int k = 0; k < 300; ++k) {
    std::size_t a = random() % recording.rows(), b = random() % recording.rows();
    if (a > b) std::swap(a, b);
    for (std::size_t column = 0; column < 2; ++column) {
      double low = std::nan(""), high = low;
      for (std::size_t row = a; row < b; ++row) {
        low = std::fmin(low, recording.value(row, column));
        high = std::fmax(high, recording.value(row, column));
      }
      const RunRecording::Extent found = recording.extent(column, a, b);
      if (std::isnan(low)) {
        EXPECT_TRUE(std::isnan(found.low) && std::isnan(found.high));
      } else {
        EXPECT_EQ(found.low, low);
        EXPECT_EQ(found.high, high);
      }
    }
  }
}

TEST(Recording, AViewShowsEveryExtremeAndIsSmall) {
  const RunRecording recording = random_recording(100000, 7);
  const double end = recording.time().back();
  for (const auto& [from, to] : {std::pair{0.0, end}, {end / 3, end / 2}, {0.0, end / 1000}}) {
    const Frame frame = read_frame(recording.frame({{0, 1}, from, to, 500}, 1, 0, true));
    EXPECT_LE(frame.count, 4 * 500 + 10U);
    EXPECT_TRUE(std::is_sorted(frame.time.begin(), frame.time.end()));
    double low = HUGE_VAL, high = -HUGE_VAL, shown_low = HUGE_VAL, shown_high = -HUGE_VAL;
    for (std::size_t row = 0; row < recording.rows(); ++row) {
      if (recording.time()[row] < from || recording.time()[row] > to) continue;
      low = std::fmin(low, recording.value(row, 0));
      high = std::fmax(high, recording.value(row, 0));
    }
    for (const double x : frame.lists[frame.buckets ? 1 : 0]) shown_low = std::fmin(shown_low, x);
    for (const double x : frame.lists[frame.buckets ? 2 : 0]) shown_high = std::fmax(shown_high, x);
    EXPECT_LE(shown_low, low);
    EXPECT_GE(shown_high, high);
  }
}

TEST(Recording, FewRowsAreSentAsTheyAre) {
  RunRecording recording;
  recording.begin({{"a", ""}});
  const std::vector<double> time{0, 1, 1, 2}, values{5, 6, -6, 7};
  ASSERT_TRUE(recording.add(time, values, std::vector<signed char>{6, -1, 1, 0}));
  recording.relabel_last(4);
  const std::string bytes = recording.frame({{0}, std::nan(""), std::nan(""), 100}, 3, 9, false);
  const Frame frame = read_frame(bytes);
  EXPECT_FALSE(frame.buckets);
  EXPECT_EQ(frame.time, time);
  EXPECT_EQ(frame.lists[0], values);
  EXPECT_EQ(static_cast<signed char>(bytes.back()), 4);
  EXPECT_EQ(static_cast<signed char>(bytes[bytes.size() - 3]), -1);
  // A row before the view and one after it: curves reach its edges.
  EXPECT_EQ(read_frame(recording.frame({{0}, 1.2, 1.4, 100}, 3, 9, false)).time, (std::vector<double>{1, 2}));
}

TEST(Recording, RefusesRowsOfAnotherWidth) {
  RunRecording recording;
  recording.begin({{"a", ""}});
  EXPECT_FALSE(recording.add(std::vector<double>{1}, std::vector<double>{1, 2}, std::vector<signed char>{0}));
  EXPECT_EQ(recording.rows(), 0U);
}

}  // namespace
}  // namespace orrery::server
