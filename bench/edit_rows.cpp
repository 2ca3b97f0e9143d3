// SPDX-License-Identifier: Apache-2.0
// What an edit of a large sheet costs the server of the editor: the command, the scene around it, and what is sent.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "bench.h"
#include "edit/command_text.h"
#include "picture/large_sheet_for_tests.h"
#include "picture/make_scene.h"
#include "picture/update_scene.h"
#include "server/scene_json.h"

namespace orrery::bench {
namespace {

// Seconds of one edit, kept or tried, of a sheet with so many blocks.
double edit_seconds(int blocks, bool kept) {
  model::Model model;
  model.root = picture::large_diagram(blocks);
  model.root.layout = picture::arranged_layout(model.root, "", {}, picture::Arrange::all);
  edit::Document document(std::move(model));
  picture::Scene scene = picture::make_scene(document.model().root, "", {});
  const std::string block = "/" + document.model().root.blocks[static_cast<std::size_t>(blocks / 2)].name;
  std::vector<double> times;
  for (int k = 0; k < 21; ++k) {
    const std::vector<std::vector<std::string>> steps = {{"move", block, "by", k % 2 == 0 ? "10,0" : "-10,0"}};
    Diagnostics diagnostics;
    std::size_t sent = 0;
    const double start = cpu_seconds();
    const auto command = [&](edit::Edit& edit) { edit::run_steps(edit, steps); };
    const auto look = [&](const std::vector<edit::Operation>& operations) {
      const auto replaced = edit::replaced_blocks(operations, "");
      auto before = picture::update_scene(scene, document.model().root, "", {}, *replaced, !kept);
      sent = server::change_json(*before, scene, {1, document.revision(), "/"}).size();
      if (!kept) picture::restore(scene, std::move(*before));
    };
    if (kept) {
      document.perform("move", command, diagnostics);
      look(document.history().back().operations);
    } else {
      document.attempt(command, look, diagnostics);
    }
    if (sent > 0) times.push_back(cpu_seconds() - start);
  }
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

}  // namespace

std::vector<Row> edit_rows() {
  print_heading("the editor: a block is moved, the drawing follows");
  std::vector<Row> rows;
  for (const auto& [blocks, goal] : {std::pair{1'000, 0.005}, {10'000, 0.1}}) {
    for (const bool kept : {true, false}) {
      Row row{.name = fmt::format("{} blocks, {}", blocks, kept ? "kept" : "while dragging"), .unit = "s"};
      row.orrery = edit_seconds(blocks, kept);
      row.goal = goal;
      print(row);
      rows.push_back(row);
    }
  }
  return rows;
}

}  // namespace orrery::bench
