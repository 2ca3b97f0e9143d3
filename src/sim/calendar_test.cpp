// SPDX-License-Identifier: Apache-2.0
// The calendar against a plain sorted list.
#include "sim/calendar.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace orrery::sim {
namespace {

TEST(Calendar, OrdersByTimeThenByProgramming) {
  Calendar calendar(4, std::vector<bool>(4, false));
  calendar.program(2, {1.0, 0});
  calendar.program(0, {1.0, 1});
  calendar.program(1, {0.5, 2});
  std::vector<std::uint32_t> order;
  while (!calendar.empty()) {
    order.push_back(calendar.next_source());
    calendar.pop();
  }
  EXPECT_EQ(order, (std::vector<std::uint32_t>{1, 2, 0}));
}

TEST(Calendar, ReplacesCancelsAndQueues) {
  Calendar calendar(2, {false, true});
  calendar.program(0, {3, 0});
  calendar.program(0, {2, 1});
  EXPECT_EQ(calendar.next().time, 2);
  calendar.cancel(0);
  EXPECT_TRUE(calendar.empty());
  for (double t : {5.0, 4.0, 6.0}) calendar.program(1, {t, 10});
  std::vector<double> times;
  for (; !calendar.empty(); calendar.pop()) times.push_back(calendar.next().time);
  EXPECT_EQ(times, (std::vector<double>{4, 5, 6}));
}

TEST(Calendar, AgreesWithASortedListOnRandomWork) {
  std::mt19937 random(7);
  constexpr std::uint32_t count = 50;
  Calendar calendar(count, std::vector<bool>(count, false));
  std::vector<std::pair<Pending, std::uint32_t>> list;
  for (std::uint64_t step = 0; step < 20000; ++step) {
    const auto source = static_cast<std::uint32_t>(random() % count);
    const auto drop = [&](std::uint32_t s) { std::erase_if(list, [&](const auto& item) { return item.second == s; }); };
    switch (random() % 3) {
      case 0: {
        const Pending event{static_cast<double>(random() % 20), step};
        drop(source);
        list.push_back({event, source});
        calendar.program(source, event);
        break;
      }
      case 1:
        drop(source);
        calendar.cancel(source);
        break;
      default:
        if (list.empty()) break;
        const auto first =
            std::min_element(list.begin(), list.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
        ASSERT_EQ(calendar.next_source(), first->second);
        if (list.size() > 1) {
          ASSERT_GE(calendar.second().time, first->first.time);
        }
        list.erase(first);
        calendar.pop();
    }
    ASSERT_EQ(calendar.empty(), list.empty());
  }
}

TEST(Calendar, SavesAndRestores) {
  Calendar calendar(3, {false, false, true});
  calendar.program(0, {1, 4});
  calendar.program(2, {2, 5});
  calendar.program(2, {3, 6});
  std::vector<double> saved;
  calendar.save(saved);
  Calendar other(3, {false, false, true});
  other.program(1, {0, 0});
  other.restore(saved.data(), saved.size() / 3);
  std::vector<double> times;
  for (; !other.empty(); other.pop()) times.push_back(other.next().time);
  EXPECT_EQ(times, (std::vector<double>{1, 2, 3}));
}

}  // namespace
}  // namespace orrery::sim
