// SPDX-License-Identifier: Apache-2.0
// Clocks, medians and the two forms of the results.
#include "measure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <fstream>
#include <nlohmann/json.hpp>

namespace orrery::bench {
namespace {

constexpr double enough_seconds = 4;  // for one group of candidates
constexpr double measurable_seconds = 2e-3;

std::optional<double> quotient(std::optional<double> a, std::optional<double> b) {
  if (!a || !b || !(*b > 0)) return std::nullopt;
  return *a / *b;
}

std::string text_of(std::optional<double> value) { return value ? fmt::format("{:.4g}", *value) : "-"; }

}  // namespace

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

std::optional<double> Row::ratio_c() const { return quotient(orrery, c); }
std::optional<double> Row::ratio_peer() const { return quotient(peer, orrery); }

bool Row::reached() const {
  const auto within = [](std::optional<double> value, std::optional<double> limit) {
    return !value || !limit || *value <= *limit;
  };
  return within(ratio_c(), goal_c) && within(goal_peer, ratio_peer()) && within(orrery, goal);
}

std::vector<double> medians(const std::vector<std::function<double()>>& candidates, int rounds) {
  std::vector<std::vector<double>> times(candidates.size());
  const double start = cpu_seconds();
  for (int round = 0; round < rounds; ++round) {
    if (round >= 3 && cpu_seconds() - start > enough_seconds) break;
    for (std::size_t k = 0; k < candidates.size(); ++k) times[k].push_back(candidates[k]());
  }
  std::vector<double> result;
  for (auto& of_one : times) {
    std::nth_element(of_one.begin(), of_one.begin() + static_cast<std::ptrdiff_t>(of_one.size() / 2), of_one.end());
    result.push_back(of_one[of_one.size() / 2]);
  }
  return result;
}

double seconds_per_call(const std::function<void()>& call) {
  for (long calls = 1;; calls *= 4) {
    const double start = cpu_seconds();
    for (long k = 0; k < calls; ++k) call();
    const double seconds = cpu_seconds() - start;
    if (seconds > measurable_seconds) return seconds / static_cast<double>(calls);
  }
}

void print_heading(const std::string& title) {
  fmt::print("\n{}\n{:<34}{:>11}{:>11}{:>9}{:>11}{:>9}  {:<11}{}\n", title, "", "orrery", "C", "ratio", "peer", "ratio",
             "unit", "result");
}

void print(const Row& row) {
  fmt::print("{:<34}{:>11}{:>11}{:>9}{:>11}{:>9}  {:<11}{}{}{}\n", row.name, text_of(row.orrery), text_of(row.c),
             row.ratio_c() ? fmt::format("{:.2f}", *row.ratio_c()) : "-", text_of(row.peer),
             row.ratio_peer() ? fmt::format("{:.1f}", *row.ratio_peer()) : "-", row.unit, row.result,
             row.correct ? "" : "  WRONG", row.reached() ? "" : "  goal missed");
  std::fflush(stdout);
}

bool write_json(const std::vector<Row>& rows, const std::string& file) {
  using nlohmann::ordered_json;
  const auto number = [](std::optional<double> value) { return value ? ordered_json(*value) : ordered_json(nullptr); };
  ordered_json list = ordered_json::array();
  for (const Row& row : rows) {
    list.push_back({{"name", row.name},
                    {"orrery", number(row.orrery)},
                    {"c", number(row.c)},
                    {"ratio_c", number(row.ratio_c())},
                    {"peer", number(row.peer)},
                    {"ratio_peer", number(row.ratio_peer())},
                    {"unit", row.unit}});
  }
  std::ofstream out(file);
  out << list.dump(1) << '\n';
  return out.good();
}

}  // namespace orrery::bench
