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

// "/Plant/Mass.x": what the block /Plant/Mass keeps under the name x.
std::optional<WatchedSignal> find_kept(const std::unordered_map<std::string_view, std::uint32_t>& by_path,
                                       const std::string& name, program::Program& program) {
  const std::size_t dot = name.rfind('.');
  if (dot == std::string::npos) return std::nullopt;
  const auto block = by_path.find(std::string_view(name).substr(0, dot));
  if (block == by_path.end()) return std::nullopt;
  for (program::SlotId id = 0; id < program.slots.size(); ++id) {
    const program::Slot slot = program.slots[id];
    const bool kept = slot.kind == program::SlotKind::state || slot.kind == program::SlotKind::discrete ||
                      slot.kind == program::SlotKind::unknown;
    if (!kept || slot.origin != block->second + 1 || name.compare(dot + 1, std::string::npos, slot.name) != 0) continue;
    const program::SlotId shown =
        program.add_slot({slot.name + "_shown", slot.type, program::SlotKind::signal, slot.origin});
    return WatchedSignal{block->second, 0, true, shown, program.read(id), name};
  }
  return std::nullopt;
}

void add_kept(const WatchedSignal& watched, program::Program& program) {
  program::Probe probe;
  probe.name = watched.name;
  probe.origin = watched.block + 1;
  probe.slot = watched.slot;
  probe.continuous = true;
  program.probes.push_back(std::move(probe));
  program.always.push_back({watched.slot, watched.value, no_expr, watched.block + 1});
}

void add_probe(const WatchedSignal& watched, const SignalValues& values, program::Program& program) {
  program::Probe probe;
  probe.name = program.origins[watched.block + 1].path + (watched.only ? "" : fmt::format(":{}", watched.port));
  probe.origin = watched.block + 1;
  probe.slot = watched.slot;
  const bool always = values.always[watched.slot] != no_expr;
  const program::ExprId constant = values.constant[watched.slot];
  probe.continuous = always || constant != no_expr;
  if (!always && constant != no_expr) {
    program.always.push_back({watched.slot, constant, no_expr, watched.block + 1});
  }
  const bool by_events = !probe.continuous;
  const auto index = static_cast<std::uint32_t>(program.probes.size());
  program.probes.push_back(std::move(probe));
  if (!by_events) return;
  for (program::Source& source : program.sources) {
    for (const program::Assign& assign : source.table.assigns) {
      if (assign.slot != watched.slot) continue;
      source.table.actions.push_back({program::ActionKind::record, assign.guard, watched.block + 1, index, {}});
    }
  }
}

}  // namespace

std::vector<WatchedSignal> find_watched(const FlatModel& model, const Bodies& bodies,
                                        const std::vector<std::string>& names, program::Program& program,
                                        Diagnostics& diagnostics) {
  std::vector<WatchedSignal> watched;
  if (names.empty()) return watched;
  std::unordered_map<std::string_view, std::uint32_t> by_path;
  for (std::uint32_t b = 0; b < model.blocks.size(); ++b) by_path.emplace(model.blocks[b].path, b);
  for (const std::string& name : names) {
    const Wanted wanted = parse(name);
    const auto found = by_path.find(wanted.path);
    if (found == by_path.end()) {
      if (const auto kept = find_kept(by_path, wanted.path, program)) {
        watched.push_back(*kept);
        continue;
      }
    }
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
      continue;
    }
    for (std::size_t p = 0; p < count; ++p) {
      if (wanted.port && *wanted.port != static_cast<int>(p) + 1) continue;
      watched.push_back({found->second, static_cast<int>(p) + 1, count == 1, bodies.signals[found->second][p]});
    }
  }
  return watched;
}

void add_probes(const std::vector<WatchedSignal>& watched, const SignalValues& values, program::Program& program) {
  for (const WatchedSignal& signal : watched) {
    if (signal.value != no_expr) {
      add_kept(signal, program);
    } else {
      add_probe(signal, values, program);
    }
  }
}

}  // namespace orrery::compile
