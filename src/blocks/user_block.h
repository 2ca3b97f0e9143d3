// SPDX-License-Identifier: Apache-2.0
// Blocks in shared libraries of users: the same BlockType as those of the library, loaded when a model names them.
//
//   #include "blocks/user_block.h"
//   const orrery::blocks::BlockType my_gain = {.name = "my_gain", …};
//   ORRERY_BLOCKS(&my_gain)
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>

#include "blocks/block.h"

namespace orrery::blocks {

// Raised when something changes that compiled blocks rely on; sizes of the structures tell the rest.
constexpr std::uint32_t block_interface = 1;
constexpr std::uint64_t block_layout =
    ((sizeof(BlockType) * 4099 + sizeof(Block)) * 4099 + sizeof(Ports)) * 4099 + sizeof(Parameters);

struct BlockLibrary {
  std::uint32_t interface;  // first, whatever becomes of the rest
  std::uint64_t layout;
  const BlockType* const* types;
  std::size_t count;
};

// Where the compiler finds them.
class UserTypes {
 public:
  virtual ~UserTypes() = default;
  // Throws ParameterError with the names of the block's parameters: library, block. The path is absolute, or relative
  // to the current folder.
  virtual const BlockType& find(const std::string& library, const std::string& block) const = 0;
};

}  // namespace orrery::blocks

#define ORRERY_BLOCKS(...)                                                                                       \
  extern "C" __attribute__((visibility("default"))) const orrery::blocks::BlockLibrary* orrery_blocks() {        \
    static const orrery::blocks::BlockType* const types[] = {__VA_ARGS__};                                       \
    static const orrery::blocks::BlockLibrary library = {orrery::blocks::block_interface,                        \
                                                         orrery::blocks::block_layout, types, std::size(types)}; \
    return &library;                                                                                             \
  }
