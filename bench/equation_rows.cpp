// SPDX-License-Identifier: Apache-2.0
// Matching, components and tearing of a million equations: a chain, a mesh and a random system.
#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "bench.h"
#include "equations/graphs_for_tests.h"

namespace orrery::bench {

std::vector<Row> equation_rows() {
  print_heading("systems of equations: matching, components, tearing");
  const std::pair<const char*, std::function<equations::Adjacency(std::uint32_t)>> kinds[] = {
      {"chain", equations::chain}, {"mesh", equations::mesh}, {"random", [](std::uint32_t n) {
                                                                 return equations::random_system(n);
                                                               }}};
  std::vector<Row> rows;
  for (const auto& [name, make] : kinds) {
    constexpr std::uint32_t sizes[] = {250'000, 500'000, 1'000'000};
    double before = 0;
    for (const std::uint32_t n : sizes) {
      const equations::Adjacency occurs = make(n);
      equations::Analysis analysis;
      double best = 1e9;
      for (int k = 0; k < 3; ++k) {
        const double start = cpu_seconds();
        analysis = equations::analyse(occurs);
        best = std::min(best, cpu_seconds() - start);
      }
      Row row{.name = fmt::format("{}, {} equations", name, n), .unit = "s"};
      row.orrery = best;
      if (n == 1'000'000) row.goal = 2;
      row.result = fmt::format("{} groups, {} torn", analysis.groups, analysis.torn);
      if (before > 0) row.result += fmt::format(", {:.2f} times half of it", best / before);
      row.correct = analysis.complete;
      before = best;
      print(row);
      rows.push_back(row);
    }
  }
  return rows;
}

}  // namespace orrery::bench
