// SPDX-License-Identifier: Apache-2.0
// One instance of a diagram while the hierarchy is removed: what its blocks are, and where its links lead.
#pragma once

#include <map>
#include <memory>
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
  broken,
  off  // commented out
};

struct Level;

// The instances of the diagram of one super block: one, or one for each part of its inputs.
struct Inside {
  std::vector<std::unique_ptr<Level>> copies;
  // With for_each, by port: blocks that take inputs apart (no_block: all copies read the whole) and put outputs
  // together.
  std::vector<std::uint32_t> splits, joins;
};

struct Level {
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
  std::unordered_map<std::string, std::uint32_t> signal_setters = {};  // tag -> SetSignal block
  std::unordered_map<std::uint32_t, std::string> signal_tags = {};     // of GetSignal blocks
  std::vector<std::uint32_t> ends = {};  // blocks of all links, in their order: the source, then the targets
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
