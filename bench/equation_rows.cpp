// SPDX-License-Identifier: Apache-2.0
// Matching, components and tearing of a million equations: a chain, a mesh and a random system.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <random>

#include "bench.h"
#include "equations/graphs_for_tests.h"

namespace orrery::bench {
namespace {

// What the machine itself makes of systems without order: so many reads in memory of their size, each of which says
// where the next one is. 16 bytes are what the passes keep of an equation and an unknown for each entry.
double seconds_of_reading(std::uint32_t count) {
  struct alignas(16) Place {
    std::uint32_t next;
  };
  std::vector<std::uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0u);
  std::shuffle(order.begin(), order.end(), std::mt19937(1));
  LargeArray<Place> places(count);
  for (std::uint32_t k = 0; k < count; ++k) places[order[k]].next = order[(k + 1) % count];
  double best = 1e9;
  for (int round = 0; round < 3; ++round) {
    const double start = cpu_seconds();
    std::uint32_t at = 0;
    for (std::uint32_t k = 0; k < count; ++k) at = places[at].next;
    if (at == 0) best = std::min(best, cpu_seconds() - start);  // around once
  }
  return best;
}

}  // namespace

std::vector<Row> equation_rows() {
  print_heading("systems of equations: matching, components, tearing");
  const std::pair<const char*, std::function<equations::Adjacency(std::uint32_t)>> kinds[] = {
      {"chain", equations::chain}, {"mesh", equations::mesh}, {"random", [](std::uint32_t n) {
                                                                 return equations::random_system(n);
                                                               }}};
  std::vector<Row> rows;
  for (const auto& [name, make] : kinds) {
    constexpr std::uint32_t sizes[] = {62'500, 125'000, 250'000, 500'000, 1'000'000};
    double before = 0, read_before = 0;
    std::uint64_t work_before = 0;
    for (const std::uint32_t n : sizes) {
      const equations::Adjacency occurs = make(n);
      equations::Analysis analysis;
      double best = 1e9;
      for (int k = 0; k < 5; ++k) {
        const double start = cpu_seconds();
        analysis = equations::analyse(occurs);
        best = std::min(best, cpu_seconds() - start);
      }
      Row row{.name = fmt::format("{}, {} equations", name, n), .unit = "s"};
      row.orrery = best;
      if (n == 1'000'000) row.goal = 2;
      row.result = fmt::format("{} groups, {} torn", analysis.groups, analysis.torn);
      const std::uint64_t work = analysis.matching_work + analysis.tearing_work;
      const double read = seconds_of_reading(n);
      if (before > 0)
        row.result += fmt::format(
            ", {:.2f} times half of it (entries read {:.2f} times, reading in no order {:.2f} times)", best / before,
            static_cast<double>(work) / static_cast<double>(work_before), read / read_before);
      work_before = work;
      read_before = read;
      row.correct = analysis.complete;
      before = best;
      print(row);
      rows.push_back(row);
    }
  }
  return rows;
}

}  // namespace orrery::bench
