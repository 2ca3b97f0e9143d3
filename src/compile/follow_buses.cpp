// SPDX-License-Identifier: Apache-2.0
// Buses: signals with names on one link. Each input follows the names to the block that drives it, so that nothing of a
// bus is left in the flat model.
#include <fmt/format.h>

#include <algorithm>

#include "blocks/bus_operations/bus_operations.h"
#include "blocks/signal_generators/signal_generators.h"
#include "compile/flattening.h"

namespace orrery::compile {
namespace {

// "a.b.c" as c, b, a: the next name is the last.
std::vector<std::string> path_of(const std::string& dotted) {
  std::vector<std::string> path;
  for (std::size_t from = 0; from <= dotted.size();) {
    const std::size_t to = std::min(dotted.find('.', from), dotted.size());
    path.insert(path.begin(), dotted.substr(from, to - from));
    from = to + 1;
  }
  return path;
}

std::string dotted(std::vector<std::string> path) {
  std::reverse(path.begin(), path.end());
  return fmt::format("{}", fmt::join(path, "."));
}

// Whether the names to be taken out next are those of `first`, all of them.
bool begins_with(const std::vector<std::string>& path, const std::vector<std::string>& first) {
  return path.size() >= first.size() && std::equal(first.rbegin(), first.rend(), path.rbegin());
}

}  // namespace

// Goes on through a bus block: false where the way ends here, at a bus or for want of a signal of this name.
bool Flattening::follow_bus_block(const Level& level, std::uint32_t k, int port, BusPath& path, int& target_port,
                                  Followed& result) {
  const std::vector<std::string>& names = level.bus_names.at(k);
  const BlockRole role = level.roles[k];
  target_port = 1;
  if (role == BlockRole::bus_extractor) {
    const BusPath more = path_of(names[static_cast<std::size_t>(port - 1)]);
    path.insert(path.end(), more.begin(), more.end());
    return true;
  }
  for (std::size_t n = 0; n < names.size(); ++n) {
    const BusPath own = path_of(names[n]);
    if (!begins_with(path, own)) continue;
    path.resize(path.size() - own.size());
    target_port = static_cast<int>(n) + (role == BlockRole::bus_assignment ? 2 : 1);
    return true;
  }
  if (role == BlockRole::bus_assignment) return true;  // as it comes
  const bool inner = std::any_of(names.begin(), names.end(), [&](const std::string& name) {
    return begins_with(path_of(name), path);  // a part of a constant that is itself a bus
  });
  result.is_bus = path.empty() || inner;
  result.lacks_name = !result.is_bus;
  result.bus_level = &level;
  result.bus_block = k;
  result.rest = path;
  return false;
}

// The names of the signals of the bus at which a way has ended.
std::vector<std::string> Flattening::names_at(const Followed& followed) const {
  std::vector<std::string> result;
  if (followed.bus_level == nullptr) return result;
  for (const std::string& name : followed.bus_level->bus_names.at(followed.bus_block)) {
    BusPath own = path_of(name);
    if (followed.is_bus) {
      if (!begins_with(own, followed.rest)) continue;
      own.resize(own.size() - followed.rest.size());
    }
    if (std::find(result.begin(), result.end(), own.back()) == result.end()) result.push_back(own.back());
  }
  return result;
}

Flattening::Followed Flattening::follow_input(const Level& level, std::uint32_t k, int port, BusPath path) {
  const auto link = level.regular.find(port_key(k, port));
  return link == level.regular.end() ? Followed{} : resolve(level, link->second, std::move(path));
}

// Names that a bus does not have are told of where they are asked for, whether or not somebody reads the signal.
void Flattening::check_buses(const Level& level) {
  for (const auto& [k, names] : level.bus_names) {
    if (level.roles[k] != BlockRole::bus_extractor && level.roles[k] != BlockRole::bus_assignment) continue;
    for (const std::string& name : names) {
      const Followed found = follow_input(level, k, 1, path_of(name));
      if (!found.lacks_name) continue;
      const std::vector<std::string> there = names_at(found);
      diagnostics_.error("no-such-signal", place(level, level.diagram->blocks[k], "parameter names"),
                         there.empty() ? fmt::format("there is no {}: a signal arrives here, or a part of that name is "
                                                     "one, and no bus",
                                                     name)
                                       : fmt::format("the bus has no signal {}; where it is looked for there are {}",
                                                     name, fmt::join(there, ", ")),
                         "names of signals within a bus in a bus are joined by dots: inner.speed");
    }
  }
}

// All signals of a bus, those of buses in it included.
void Flattening::find_bus_signals(const Level& level, PortOf source, const BusPath& path, std::vector<BusPath>& found) {
  const Followed followed = resolve(level, source, path);
  if (!followed.is_bus) {
    if (!followed.lacks_name) found.push_back(path);
    return;
  }
  for (const std::string& name : names_at(followed)) {
    BusPath longer = path;
    longer.insert(longer.begin(), name);
    find_bus_signals(level, source, longer, found);
  }
}

// The inputs of a unit are there for their activations: of a bus all its signals count.
void Flattening::drive_unit(FlatBlock& unit, const Level& level, std::uint32_t k) {
  const std::size_t count = unit.drivers.size();
  for (std::size_t p = 0; p < count; ++p) {
    const auto link = level.regular.find(port_key(k, static_cast<int>(p) + 1));
    if (link == level.regular.end()) continue;
    Followed followed = resolve(level, link->second);
    if (!followed.is_bus) {
      keep(unit, p, std::move(followed));
      continue;
    }
    std::vector<BusPath> signals;
    find_bus_signals(level, link->second, {}, signals);
    for (const BusPath& path : signals) {
      const int number = static_cast<int>(unit.inputs.size()) + 1;
      unit.inputs.push_back(
          {fmt::format("u{}.{}", p + 1, dotted(path)), -2 * number - 1000, -2 * number - 1001, -5000 - number});
      unit.drivers.emplace_back();
      keep(unit, unit.drivers.size() - 1, resolve(level, link->second, path));
    }
  }
}

// A Constant for each number in the table.
void Flattening::add_bus_constant(Level& level, std::uint32_t k, const blocks::Parameters& parameters) {
  std::vector<std::pair<std::string, Value>> numbers;
  blocks::list_bus_constants(parameters, numbers);
  for (auto& [name, value] : numbers) {
    level.bus_names[k].push_back(name);
    level.bus_values[k].push_back(add_hidden(level, k, blocks::constant, {std::move(value)}, "." + name));
  }
}

}  // namespace orrery::compile
