// SPDX-License-Identifier: Apache-2.0
// Models of examples/book that find something over several runs, those with blocks in C, and the last ones of chapters
// 1 and 10.
#include <algorithm>
#include <cmath>
#include <fstream>
#include <numbers>
#include <sstream>

#include "book_run.h"

namespace orrery::tests::book_searches_test {
namespace {

double largest(const Numbers& list) {
  double most = 0;
  for (const double x : list) most = std::max(most, std::abs(x));
  return most;
}

// Of the run that ended the search: numbers computed elsewhere (ScriptedShooting has them to 1e-7).
TEST(BookSearches, Chapter4SolverFindsRootsOverRestarts) {
  const api::RunResult root = run_book("ch4_solver_test");
  const double expected[] = {1, 2, -1, 0.5};
  for (int k = 0; k < 4; ++k) EXPECT_NEAR(curve(root, fmt::format("p[{}]", k + 1)).back(), expected[k], 1e-9);
  EXPECT_EQ(root.runs, 14);
  const api::RunResult shot = run_book("ch4_shooting_restarts");
  EXPECT_EQ(shot.runs, 7);
  EXPECT_NEAR(curve(shot, "s[1]").back(), 9, 1e-5);
  EXPECT_NEAR(times_of(shot, "/Landed", sim::Cause::crossing).back(), 1.903765366, 1e-6);
}

// x1 = sin(pi t)/pi and the cost 1; the context sees in run 10 that run 9 has met the end.
TEST(BookSearches, Chapter4GeodesicIsFoundByTheContext) {
  const api::RunResult arc = run_book("ch4_geodesic_restarts");
  EXPECT_EQ(arc.runs, 10);
  const Numbers x1 = curve(arc, "x1");
  for (std::size_t r = 0; r < x1.size(); ++r)
    EXPECT_NEAR(x1[r], std::sin(std::numbers::pi * arc.recording.time[r]) / std::numbers::pi, 2e-6);
  EXPECT_NEAR(curve(arc, "cost").back(), 1, 1e-5);
}

// 752.3 m and 15.767 s by an independent search; nothing can be better than the optimum by more than its last digit.
TEST(BookSearches, Chapter6Optima) {
  const double way = curve(run_book("ch6_car_max_distance"), "distance").back();
  EXPECT_NEAR(way, 752.363, 2e-3);
  const api::RunResult speed = run_book("ch6_car_min_time_speed");
  EXPECT_NEAR(speed.recording.time.back(), 15.7662, 1e-3);
  EXPECT_NEAR(curve(speed, "speed").back(), 100 / 3.6, 1e-8);
}

// Delays up to a tenth of the period do little; up to four tenths it falls.
TEST(BookSearches, Chapter1PendulumStandsUnderShortRandomDelays) {
  const Numbers angle = curve(run_book("ch1_pendulum_random_delay"), "angle");
  EXPECT_LT(largest(angle), 0.06);
  EXPECT_LT(std::abs(angle.back()), 1e-3);
  const api::RunResult late = run_book("ch1_pendulum_random_delay", 0, {{"longest", "0.06"}});
  EXPECT_GT(largest(curve(late, "angle")), 1);
  // Each control is on its way for a time of its own, between nothing and the longest.
  const Numbers times = times_of(run_book("ch1_pendulum_random_delay"), "/Arrival", sim::Cause::programmed);
  ASSERT_EQ(times.size(), 67u);
  for (std::size_t k = 0; k < times.size(); ++k) {
    EXPECT_GE(times[k], 0.15 * static_cast<double>(k) - 1e-12);
    EXPECT_LE(times[k], 0.15 * static_cast<double>(k) + 0.015 + 1e-12);
  }
}

TEST(BookSearches, Chapter9CounterInC) {
  const api::RunResult run = run_book("ch9_counter_in_c");
  EXPECT_EQ(settled_curve(run, "count").front(), 120);
  EXPECT_EQ(curve(run, "count").back(), 120 + 20 - 256);
  const Numbers times = times_of(run, "/Count", sim::Cause::programmed);  // 120 … 126 at 0 … 6, then 127
  ASSERT_FALSE(times.empty());
  for (const double t : times) EXPECT_EQ(t, 6);
  EXPECT_EQ(curve(run, "overflows").back(), 1);
}

TEST(BookSearches, Chapter9WritesAFile) {
  const std::string file = cache_of_this_process() + "/ch9_write_to_file.txt";
  run_book("ch9_write_to_file", 0, {{"file", "'" + file + "'"}}, "2");
  std::stringstream text;
  text << std::ifstream(file).rdbuf();
  EXPECT_EQ(text.str(), "time, value\n0, 0\n0.5, 0.479426\n1, 0.841471\n1.5, 0.997495\n2, 0.909297\n5 lines\n");
}

// The length stays within the tolerance where it is put right, and drifts where it is not.
TEST(BookSearches, Chapter10ProjectionKeepsTheLength) {
  const api::RunResult run = run_book("ch10_pendulum_projection");
  EXPECT_LT(largest(curve(run, "kept")), 1e-4);
  EXPECT_GT(largest(curve(run, "free")), 1e-3);
}

}  // namespace
}  // namespace orrery::tests::book_searches_test
