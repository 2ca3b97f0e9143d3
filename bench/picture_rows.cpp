// SPDX-License-Identifier: Apache-2.0
// Automatic layout and routes of large sheets, and a block that is dragged.
#include <fmt/format.h>

#include <algorithm>

#include "bench.h"
#include "picture/large_sheet_for_tests.h"
#include "picture/make_scene.h"
#include "picture/route.h"

namespace orrery::bench {
namespace {

// A block with 24 links in the middle of a thousand others.
double drag_seconds() {
  std::vector<picture::Obstacle> blocks;
  std::vector<picture::RouteNet> nets;
  for (int k = 0; k < 1000; ++k) blocks.push_back({{(k % 40) * 130.0, (k / 40) * 90.0, 70, 40}, 18});
  const auto end = [&](int block, bool out, double y) {
    const picture::Box& box = blocks[static_cast<std::size_t>(block)].box;
    return picture::RouteEnd{
        {out ? box.right() : box.x, box.y + y}, out ? picture::Side::right : picture::Side::left, block};
  };
  for (int k = 0; k + 1 < 1000; ++k) {
    if (k % 40 != 39) nets.push_back({end(k, true, 20), {{end(k + 1, false, 20), {}}}});
  }
  const int dragged = 500;
  std::vector<int> own;
  blocks.push_back({{5300, 900, 70, 240}, 18});
  const int big = static_cast<int>(blocks.size()) - 1;
  for (int k = 0; k < 24; ++k) {
    own.push_back(static_cast<int>(nets.size()));
    const int other = dragged - 12 * 40 + k * 41;
    if (k % 2 == 0)
      nets.push_back({end(other, true, 20), {{end(big, false, 10.0 + 10 * k), {}}}});
    else
      nets.push_back({end(big, true, 10.0 + 10 * k), {{end(other, false, 20), {}}}});
  }
  picture::Router router(blocks, nets);
  const int moves = 50;
  const double start = cpu_seconds();
  for (int m = 1; m <= moves; ++m) {
    picture::Obstacle place = blocks.back();
    place.box.x -= 10.0 * m;
    std::vector<picture::RouteNet> changed;
    for (const int n : own) {
      picture::RouteNet net = nets[static_cast<std::size_t>(n)];
      if (net.from.block == big) net.from.at.x -= 10.0 * m;
      for (auto& branch : net.branches) {
        if (branch.to.block == big) branch.to.at.x -= 10.0 * m;
      }
      changed.push_back(std::move(net));
    }
    router.move(big, place, own, changed);
  }
  return (cpu_seconds() - start) / moves;
}

}  // namespace

std::vector<Row> picture_rows() {
  print_heading("pictures: arrange and route");
  std::vector<Row> rows;
  double before = 0;
  for (const auto& [count, goal] : {std::pair{1'000, 0.04}, {10'000, 0.5}}) {
    const model::Diagram diagram = picture::large_diagram(count);
    double best = 1e9;
    picture::Scene scene;
    for (int k = 0; k < 3; ++k) {
      const double start = cpu_seconds();
      scene = picture::make_scene(diagram, "", {});
      best = std::min(best, cpu_seconds() - start);
    }
    Row row{.name = fmt::format("{} blocks", count), .unit = "s"};
    row.orrery = best;
    row.goal = goal;
    row.result = fmt::format("{} links", scene.links.size());
    if (before > 0) row.result += fmt::format(", {:.1f} times a tenth of it", best / before);
    before = best;
    print(row);
    rows.push_back(row);
  }
  Row drag{.name = "drag of a block with 24 links", .unit = "s"};
  drag.orrery = drag_seconds();
  drag.goal = 0.002;
  print(drag);
  rows.push_back(drag);
  return rows;
}

}  // namespace orrery::bench
