// SPDX-License-Identifier: Apache-2.0
// The second sweep of flattening: all flat blocks exist, so every input can follow its links.
#include <fmt/format.h>

#include <algorithm>

#include "compile/flattening.h"

namespace orrery::compile {

// Fills in the driver of an input, and from whom it inherits.
void Flattening::keep(FlatBlock& block, std::size_t input, Followed followed) {
  if (followed.is_bus) {
    diagnostics_.error(
        "bus-not-signal", flat_.place(block, fmt::format("input {}", input + 1)),
        fmt::format("a bus arrives here, where one signal is needed; it has {}", fmt::join(names_at(followed), ", ")),
        "take the signal out of it with a BusExtractor");
  }
  block.drivers[input] = followed.driver;
  if (followed.inherits.empty()) return;
  if (block.inherits.size() <= input) block.inherits.resize(input + 1);
  block.inherits[input] = std::move(followed.inherits);
}

void Flattening::drive(FlatBlock& block, std::size_t input, const Level& level, std::uint32_t k, int port) {
  const auto link = level.regular.find(port_key(k, port));
  if (link != level.regular.end()) keep(block, input, resolve(level, link->second));
}

void Flattening::connect(Level& level) {
  check_targets(level);
  check_buses(level);
  for (std::uint32_t k = 0; k < level.flat.size(); ++k) {
    if (level.flat[k] == no_block) continue;
    FlatBlock& block = flat_.blocks[level.flat[k]];
    for (std::size_t p = 0; p < block.drivers.size(); ++p) drive(block, p, level, k, static_cast<int>(p) + 1);
    for (std::size_t p = 0; p < block.activation_drivers.size(); ++p) {
      visits_.clear();
      follow_activation(level, k, static_cast<int>(p) + 1, block.activation_drivers[p], 0);
    }
  }
  for (const auto& [flat, k] : level.own_conditions) keep(flat_.blocks[flat], 0, resolve(level, {k, 1}));
  for (auto& [k, inside] : level.children) connect_inside(level, k, inside);
}

void Flattening::connect_inside(Level& level, std::uint32_t k, Inside& inside) {
  if (!inside.shared.empty()) return connect_shared(level, k, inside);
  for (std::size_t p = 0; p < inside.splits.size(); ++p) {
    if (inside.splits[p] != no_block) drive(flat_.blocks[inside.splits[p]], 0, level, k, static_cast<int>(p) + 1);
  }
  for (std::size_t p = 0; p < inside.joins.size(); ++p) {
    FlatBlock& join = flat_.blocks[inside.joins[p]];
    for (std::size_t c = 0; c < inside.copies.size(); ++c) {
      const Level& copy = *inside.copies[c];
      const std::uint32_t output = copy.find_port(BlockRole::output, static_cast<int>(p) + 1);
      if (output != no_block) drive(join, c, copy, output, 1);
    }
  }
  for (const auto& child : inside.copies) {
    if (child->boundary != no_unit) {
      FlatBlock& unit = flat_.blocks[flat_.units[child->boundary].block];
      drive_unit(unit, level, k);
      drop_unconnected(unit);
      for (int p = 1; p <= child->highest_port(BlockRole::event_input); ++p) {
        visits_.clear();
        follow_activation(level, k, p, unit.activation_drivers[0], 0);
      }
    }
    if (child == inside.copies.front()) warn_of_event_inputs(level, k, *child);
    connect(*child);
  }
}

// The blocks that read such an input are told of by themselves.
void Flattening::drop_unconnected(FlatBlock& unit) {
  unit.inherits.resize(unit.drivers.size());
  for (std::size_t p = unit.drivers.size(); p-- > 0;) {
    if (unit.drivers[p].block != no_block) continue;
    const auto at = static_cast<std::ptrdiff_t>(p);
    unit.drivers.erase(unit.drivers.begin() + at);
    unit.inherits.erase(unit.inherits.begin() + at);
    unit.inputs.erase(unit.inputs.begin() + at);
  }
}

// Blocks behind an EventInput that nothing drives would silently run when their inputs do, or not at all.
void Flattening::warn_of_event_inputs(const Level& level, std::uint32_t k, const Level& child) {
  for (std::uint32_t inner = 0; inner < child.roles.size(); ++inner) {
    if (child.roles[inner] != BlockRole::event_input) continue;
    const int port = child.port_number[inner];
    const bool used = std::any_of(child.activation.begin(), child.activation.end(), [inner](const auto& links) {
      return std::any_of(links.second.begin(), links.second.end(),
                         [inner](const PortOf& source) { return source.block == inner; });
    });
    if (!used || level.activation.contains(port_key(k, port))) continue;
    Place where = place(level, level.diagram->blocks[k]);
    where.port = fmt::format("activation input {}", port);
    diagnostics_.warning(
        "unconnected-activation", std::move(where),
        "nothing activates it: the blocks that it leads to inside are activated as if it were not there",
        "link an activation output to it");
  }
}

Flattening::PortCounts Flattening::counts_of(const Level& level, std::uint32_t k) const {
  switch (level.roles[k]) {
    case BlockRole::super: {
      const Inside& inside = level.children.at(k);
      if (!inside.shared.empty()) {
        const FlatBlock& first = flat_.blocks[inside.shared[0]];
        return {static_cast<int>(first.inputs.size()), static_cast<int>(first.outputs.size()),
                first.activation_input_count, 0};
      }
      if (inside.copies.empty()) return {1 << 20, 1 << 20, 1 << 20, 1 << 20};  // reported: how many there are
      const Level& child = *inside.copies.front();
      return {child.highest_port(BlockRole::input), child.highest_port(BlockRole::output),
              child.highest_port(BlockRole::event_input), child.highest_port(BlockRole::event_output)};
    }
    case BlockRole::input:
    case BlockRole::get_signal: return {0, 1, 0, 0};
    case BlockRole::output:
    case BlockRole::set_signal: return {1, 0, 0, 0};
    case BlockRole::event_input:
    case BlockRole::get_activation: return {0, 0, 0, 1};
    case BlockRole::event_output:
    case BlockRole::set_activation: return {0, 0, 1, 0};
    case BlockRole::bus_creator: return {static_cast<int>(level.bus_names.at(k).size()), 1, 0, 0};
    case BlockRole::bus_extractor: return {1, static_cast<int>(level.bus_names.at(k).size()), 0, 0};
    case BlockRole::bus_assignment: return {1 + static_cast<int>(level.bus_names.at(k).size()), 1, 0, 0};
    case BlockRole::bus_constant: return {0, 1, 0, 0};
    case BlockRole::off:
    case BlockRole::broken: return {1 << 20, 1 << 20, 1 << 20, 1 << 20};
    case BlockRole::basic: break;
  }
  if (level.flat[k] == no_block) return {0, 0, 0, 0};
  const FlatBlock& b = flat_.blocks[level.flat[k]];
  return {static_cast<int>(b.inputs.size()), static_cast<int>(b.outputs.size()), b.activation_input_count,
          b.activation_output_count};
}

void Flattening::check_targets(const Level& level) {
  auto end = level.ends.begin();
  for (const model::Link& link : level.diagram->links) {
    const std::uint32_t from = *end++;
    if (from != no_block) {
      const PortCounts source = counts_of(level, from);
      check_port(level, link, from, link.from.port, link.activation ? source.activation_outputs : source.outputs,
                 link.activation ? "activation output" : "output");
    }
    for (const model::PortRef& target : link.to) {
      const std::uint32_t to = *end++;
      if (from == no_block || to == no_block) continue;
      const PortCounts sink = counts_of(level, to);
      check_port(level, link, to, target.port, link.activation ? sink.activation_inputs : sink.inputs,
                 link.activation ? "activation input" : "input");
    }
  }
}

void Flattening::check_port(const Level& level, const model::Link& link, std::uint32_t k, int port, int count,
                            const char* kind) {
  if (port >= 1 && port <= count) return;
  Place where = place(level, level.diagram->blocks[k], fmt::format("{} {}", kind, port));
  where.line = link.line;
  diagnostics_.error("no-such-port", where,
                     count == 0 ? fmt::format("a {} has no {}s", level.diagram->blocks[k].type, kind)
                                : fmt::format("the block has {} {}{}", count, kind, count == 1 ? "" : "s"),
                     "correct the port number in the link");
}

// The basic block's output behind a source of a diagram, through super blocks and signal tags. Where the way leads out
// of an atomic super block, its own activation is inherited and nothing beyond; where it leads into one, that of the
// whole super block besides what the driver has.
Flattening::Followed Flattening::resolve(const Level& start, PortOf source, BusPath path) {
  const Level* level = &start;
  Followed result;
  bool within = true;  // no boundary was crossed outwards
  const auto inherit = [&](std::uint32_t unit) {
    const PortOf from{flat_.units[unit].block, 0};
    if (within && std::find(result.inherits.begin(), result.inherits.end(), from) == result.inherits.end())
      result.inherits.push_back(from);
  };
  const auto ends_at = [&](PortOf driver) {
    if (!path.empty()) {  // one signal, out of which none can be taken
      result.lacks_name = true;
      result.rest = path;
      return std::move(result);
    }
    result.driver = driver;
    if (!result.inherits.empty() && within) result.inherits.push_back(driver);
    return std::move(result);
  };
  for (int hops = 0; hops < 10000; ++hops) {
    const auto [k, port] = source;
    std::uint32_t target = no_block;  // the block whose input is to be followed next
    int target_port = 1;
    switch (level->roles[k]) {
      case BlockRole::super: {  // continue at the inner Output block
        const Inside& inside = level->children.at(k);
        if (!inside.joins.empty()) {
          if (static_cast<std::size_t>(port) > inside.joins.size()) return {};
          return ends_at({inside.joins[static_cast<std::size_t>(port - 1)], 1});
        }
        if (inside.copies.empty()) return {};
        level = inside.copies.front().get();
        if (level->boundary != no_unit) inherit(level->boundary);
        target = level->find_port(BlockRole::output, port);
        break;
      }
      case BlockRole::input: {  // continue outside
        if (level->parent == nullptr) return {};
        if (level->boundary != no_unit) {
          inherit(level->boundary);
          within = false;
        }
        target_port = level->port_number[k];
        const std::vector<std::uint32_t>& splits = level->parent->children.at(level->index_in_parent).splits;
        const auto at = static_cast<std::size_t>(target_port - 1);
        if (level->copy >= 0 && target_port >= 1 && at < splits.size() && splits[at] != no_block)
          return ends_at({splits[at], level->copy + 1});
        target = level->index_in_parent;
        level = level->parent;
        break;
      }
      case BlockRole::get_signal: {
        target = k;
        if (!follow_tag(TagKind::signal, level, target)) return {};
        break;
      }
      case BlockRole::bus_creator:
      case BlockRole::bus_extractor:
      case BlockRole::bus_assignment: {
        target = k;
        if (!follow_bus_block(*level, k, port, path, target_port, result)) return result;
        break;
      }
      case BlockRole::bus_constant: {
        if (!follow_bus_block(*level, k, port, path, target_port, result)) return result;
        return ends_at({level->bus_values.at(k)[static_cast<std::size_t>(target_port - 1)], 1});
      }
      case BlockRole::basic: return ends_at({level->flat[k], port});
      default: return {};
    }
    if (target == no_block) return {};
    const auto link = level->regular.find(port_key(target, target_port));
    if (link == level->regular.end()) return {};
    source = link->second;
  }
  diagnostics_.error("link-loop", place(start, start.diagram->blocks[source.block % start.diagram->blocks.size()]),
                     "the link leads back to itself without passing a block", "put a block into the loop");
  return {};
}

// Many ways may lead through the ports of super blocks to one source: each port is followed once.
void Flattening::follow_activation(const Level& level, std::uint32_t k, int port, std::vector<PortOf>& found,
                                   int depth) {
  const auto links = level.activation.find(port_key(k, port));
  if (links == level.activation.end()) return;
  const auto [visit, is_new] = visits_.try_emplace({&level, port_key(k, port)}, Visit::under_way);
  if (visit->second == Visit::done) return;
  if (!is_new || depth > 1000) {
    diagnostics_.error("link-loop", place(level, level.diagram->blocks[k]),
                       "the activation link leads back to itself without passing a block", "put a block into the loop");
    return;
  }
  for (const PortOf& source : links->second) {
    switch (level.roles[source.block]) {
      case BlockRole::super:
        for (const auto& child : level.children.at(source.block).copies) {
          const std::uint32_t inner = child->find_port(BlockRole::event_output, source.port);
          if (inner != no_block) follow_activation(*child, inner, 1, found, depth + 1);
        }
        break;
      case BlockRole::event_input:
        if (level.parent != nullptr) {
          follow_activation(*level.parent, level.index_in_parent, level.port_number[source.block], found, depth + 1);
        }
        break;
      case BlockRole::get_activation: {
        const Level* at = &level;
        std::uint32_t setter = source.block;
        if (follow_tag(TagKind::activation, at, setter)) follow_activation(*at, setter, 1, found, depth + 1);
        break;
      }
      case BlockRole::basic: found.push_back({level.flat[source.block], source.port}); break;
      default: break;
    }
  }
  visit->second = Visit::done;
}

}  // namespace orrery::compile
