// SPDX-License-Identifier: Apache-2.0
// Descriptions of libraries of blocks.
#include "model/library.h"

#include "fuzz_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace orrery;
  static const FuzzFolder folder;
  folder.write("library.json", data, size);
  Diagnostics diagnostics;
  const auto library = model::load_library(folder.path(), diagnostics);
  if (!library && !diagnostics.has_errors()) __builtin_trap();
  if (!library) return 0;
  for (const std::string& block : model::list_blocks(*library)) static_cast<void>(model::block_file(*library, block));
  Diagnostics again;
  const bool saved = model::save_library(*library, again);
  const auto second = model::load_library(folder.path(), again);
  if (!saved || !second || second->name != library->name || second->key != library->key) __builtin_trap();
  return 0;
}
