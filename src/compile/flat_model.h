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
  std::uint32_t sync_domain = 0;  // SyncTag domain of its diagram
  std::vector<blocks::Port> inputs;
  std::vector<blocks::Port> outputs;
  int activation_input_count = 0;
  int activation_output_count = 0;
  std::vector<PortOf> drivers;                          // by input port; no_block: unconnected
  std::vector<std::vector<PortOf>> activation_drivers;  // by activation input port

  bool has_activation_links() const {
    for (const auto& drivers_of_port : activation_drivers) {
      if (!drivers_of_port.empty()) return true;
    }
    return false;
  }
};

struct FlatModel {
  std::string file;
  std::vector<FlatBlock> blocks;
  std::uint32_t sync_domains = 1;

  Place place(const FlatBlock& block, std::string port = {}) const {
    return {file, block.line, 0, block.path, std::move(port)};
  }
};

}  // namespace orrery::compile
