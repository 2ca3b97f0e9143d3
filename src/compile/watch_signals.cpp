// SPDX-License-Identifier: Apache-2.0
// Making probes for watched signals.
#include "compile/watch_signals.h"

#include <fmt/format.h>

#include <optional>
#include <unordered_map>

#include "model/closest_name.h"

namespace orrery::compile {
namespace {

using program::no_expr;

struct Wanted {
  std::string path;
  std::optional<int> port = {};  // none: all outputs
};

Wanted parse(const std::string& name) {
  Wanted wanted{name, {}};
  const std::size_t colon = name.rfind(':');
  if (colon != std::string::npos && colon + 1 < name.size() &&
      name.find_first_not_of("0123456789", colon + 1) == std::string::npos && name.size() - colon < 8) {
    wanted = {name.substr(0, colon), std::stoi(name.substr(colon + 1))};
  }
  if (wanted.path.empty() || wanted.path[0] != '/') wanted.path = "/" + wanted.path;
  return wanted;
}

void add_probe(std::uint32_t block, int port, std::size_t port_count, program::SlotId signal,
               const SignalValues& values, program::Program& program) {
  program::Probe probe;
  probe.name = program.origins[block + 1].path + (port_count > 1 ? fmt::format(":{}", port) : "");
  probe.origin = block + 1;
  probe.slot = signal;
  const auto value = values.always[signal] != no_expr ? values.always[signal] : values.constant[signal];
  if (value != no_expr) {
    probe.continuous = true;
    if (!values.held[signal]) program.always.push_back({signal, value, no_expr, block + 1});
  }
  const auto index = static_cast<std::uint32_t>(program.probes.size());
  program.probes.push_back(std::move(probe));
  if (value != no_expr) return;
  for (program::Source& source : program.sources) {
    for (const program::Assign& assign : source.table.assigns) {
      if (assign.slot != signal) continue;
      source.table.actions.push_back({program::ActionKind::record, assign.guard, block + 1, index, {}});
    }
  }
}

}  // namespace

bool watch_signals(const FlatModel& model, const Bodies& bodies, const std::vector<std::string>& names,
                   const SignalValues& values, program::Program& program, Diagnostics& diagnostics) {
  if (names.empty()) return true;
  std::unordered_map<std::string_view, std::uint32_t> by_path;
  for (std::uint32_t b = 0; b < model.blocks.size(); ++b) by_path.emplace(model.blocks[b].path, b);
  bool ok = true;
  for (const std::string& name : names) {
    const Wanted wanted = parse(name);
    const auto found = by_path.find(wanted.path);
    const std::size_t count = found == by_path.end() ? 0 : bodies.signals[found->second].size();
    if (found == by_path.end() || count == 0 ||
        (wanted.port && (*wanted.port < 1 || *wanted.port > static_cast<int>(count)))) {
      std::vector<std::string_view> paths;
      for (const FlatBlock& block : model.blocks) {
        if (!block.outputs.empty()) paths.push_back(block.path);
      }
      diagnostics.error("unknown-signal", {model.file, 0, 0, {}, {}},
                        found == by_path.end()
                            ? fmt::format("there is no block {}", wanted.path)
                            : fmt::format("{} has {} output{}", wanted.path, count, count == 1 ? "" : "s"),
                        model::did_you_mean(wanted.path, paths));
      ok = false;
      continue;
    }
    for (std::size_t p = 0; p < count; ++p) {
      if (wanted.port && *wanted.port != static_cast<int>(p) + 1) continue;
      add_probe(found->second, static_cast<int>(p) + 1, count, bodies.signals[found->second][p], values, program);
    }
  }
  return ok;
}

}  // namespace orrery::compile
