// SPDX-License-Identifier: Apache-2.0
// One instance of a diagram while the hierarchy is removed: what its blocks are, and where its links lead.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "compile/flat_model.h"

namespace orrery::compile {

enum class BlockRole : std::uint8_t {
  basic,
  super,
  input,
  output,
  event_input,
  event_output,
  set_signal,
  get_signal,
  set_activation,
  get_activation,
  bus_creator,
  bus_extractor,
  bus_assignment,
  bus_constant,
  broken,
  off  // commented out
};

struct Level;

// A SetSignal or SetActivationSignal, and where it stands.
struct Setter {
  const Level* level = nullptr;
  std::uint32_t block = no_block;
};
using Setters = std::unordered_map<std::string, Setter>;  // by tag

// What a tag names: names of signals and of activations are apart.
enum class TagKind : std::uint8_t { signal, activation };

struct Tag {
  std::string name;
  std::string visibility = {};  // of setters: local, scoped, global
};

// The instances of the diagram of one super block: one, or one for each part of its inputs.
struct Inside {
  std::vector<std::unique_ptr<Level>> copies;
  // With for_each, by port: blocks that take inputs apart (no_block: all copies read the whole) and put outputs
  // together.
  std::vector<std::uint32_t> splits, joins;
  std::vector<std::uint32_t> shared = {};  // instances of one unit, in the place of copies
};

class SharedUnit;

struct Level {
  // Super blocks that are the same but for their names, and what they share once that has been tried.
  struct Instances {
    std::uint32_t first = no_block;
    int count = 0;
    bool tried = false;
    std::shared_ptr<const SharedUnit> unit = {};
  };
  const model::Diagram* diagram = nullptr;
  Level* parent = nullptr;
  std::uint32_t index_in_parent = 0;
  int copy = -1;  // of a super block with for_each: which part of the inputs it has, from 0
  std::uint32_t sync_domain = 0;
  std::string prefix;                // "/Plant/"
  std::uint32_t file = 0;            // in FlatModel::files
  int include_line = 0;              // in the model's own file: of the block that includes the file of this diagram
  std::uint32_t unit = no_unit;      // the innermost atomic super block around
  std::uint32_t boundary = no_unit;  // the unit that this diagram itself is
  std::vector<std::uint32_t> conditions = {};                                // flat blocks that say whether it runs
  std::vector<std::pair<std::uint32_t, std::uint32_t>> own_conditions = {};  // of this diagram: flat block, port block
  std::unordered_map<std::string_view, std::uint32_t> index = {};
  std::vector<BlockRole> roles = {};
  std::vector<std::uint32_t> flat = {};  // flat block, by block of the diagram
  std::vector<int> port_number = {};     // of Input, Output, EventInput, EventOutput
  std::vector<bool> reads_whole = {};    // of Input, with for_each: every copy has all of it
  std::map<std::uint32_t, Inside> children = {};
  std::map<std::uint32_t, Tag> tags = {};              // of blocks that set or get a signal or an activation
  std::set<std::pair<TagKind, std::string>> scoped{};  // tags that a scoping block bounds to this diagram
  Setters local_setters[2], scoped_setters[2];         // by TagKind: for this diagram; for those inside it as well
  std::uint32_t always_port = no_block;                // flat block that takes the place of continuous time
  // Names of the signals that a bus block joins, takes out or replaces, one for each port; of a constant the flat
  // blocks too.
  std::map<std::uint32_t, std::vector<std::string>> bus_names = {};
  std::map<std::uint32_t, std::vector<std::uint32_t>> bus_values = {};
  std::vector<std::uint32_t> ends = {};  // blocks of all links, in their order: the source, then the targets
  bool is_unit = false;                  // the inside of a shared unit, opened by itself
  bool in_unit = false;                  // a part of such an inside
  std::vector<Instances> instances = {};
  std::vector<std::uint32_t> instances_of = {};  // by block: which of them it is
  // (block, port) of a target -> its sources, regular and activation links apart.
  std::unordered_map<std::uint64_t, PortOf> regular = {};
  std::unordered_map<std::uint64_t, std::vector<PortOf>> activation = {};

  // Of the block's ports; no_block: there is none.
  std::uint32_t find_port(BlockRole role, int number) const;
  int highest_port(BlockRole role) const;
};

inline std::uint64_t port_key(std::uint32_t block, int port) {
  return static_cast<std::uint64_t>(block) << 24 | static_cast<std::uint64_t>(port);
}

}  // namespace orrery::compile
