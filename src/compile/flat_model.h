// SPDX-License-Identifier: Apache-2.0
// A model without hierarchy: basic blocks with evaluated parameters, and who drives which port.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "blocks/block.h"
#include "model/model.h"

namespace orrery::compile {

constexpr std::uint32_t no_block = UINT32_MAX;
constexpr std::uint32_t no_unit = UINT32_MAX;

// An output port (regular or activation) of a flat block; ports are 1-based.
struct PortOf {
  std::uint32_t block = no_block;
  int port = 0;
  friend bool operator==(const PortOf&, const PortOf&) = default;
};

struct FlatBlock {
  std::string path;  // "/Plant/Mass"
  const blocks::BlockType* type = nullptr;
  blocks::Parameters parameters;
  model::Activation activation = model::Activation::by_type;
  int line = 0;
  std::uint32_t file = 0;                // in FlatModel::files
  int model_line = 0;                    // in the model's own file: of itself, or of the block that includes its file
  std::uint32_t sync_domain = 0;         // SyncTag domain of its diagram
  std::uint32_t unit = no_unit;          // the innermost atomic super block around it
  std::uint32_t always_port = no_block;  // the block whose activation it has instead of continuous time
  std::vector<blocks::Port> inputs;
  std::vector<blocks::Port> outputs;
  int activation_input_count = 0;
  int activation_output_count = 0;
  std::vector<PortOf> drivers;                          // by input port; no_block: unconnected
  std::vector<std::vector<PortOf>> activation_drivers;  // by activation input port
  // By input port: the blocks whose activations it inherits instead of that of its driver. Where an input comes through
  // the boundary of an atomic super block that is the block which stands for all its inputs. Empty: the driver.
  std::vector<std::vector<PortOf>> inherits = {};
  std::vector<std::uint32_t> conditions = {};  // it runs only while outputs 1 of all these blocks are true

  bool has_activation_links() const {
    for (const auto& drivers_of_port : activation_drivers) {
      if (!drivers_of_port.empty()) return true;
    }
    return false;
  }
  // Calls visit(block) for each block from which input p inherits.
  template <class Visit>
  void visit_inherited(std::size_t p, Visit&& visit) const {
    if (p < inherits.size() && !inherits[p].empty()) {
      for (const PortOf& from : inherits[p]) visit(from.block);
    } else if (drivers[p].block != no_block) {
      visit(drivers[p].block);
    }
  }
};

// An atomic super block: everything inside it, and the block that stands for the activation of its inputs.
struct AtomicUnit {
  std::uint32_t parent = no_unit;
  std::uint32_t block = no_block;
};

struct FlatModel {
  std::string file;
  std::vector<std::string> files = {};  // [0] is the model's own, others are included
  std::vector<FlatBlock> blocks;
  std::vector<AtomicUnit> units = {};
  std::uint32_t sync_domains = 1;

  Place place(const FlatBlock& block, std::string port = {}) const {
    return {block.file == 0 ? file : files[block.file], block.line, 0, block.path, std::move(port)};
  }
};

}  // namespace orrery::compile
