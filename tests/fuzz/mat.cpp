// SPDX-License-Identifier: Apache-2.0
// MAT files as scripts read them: the library may crash, in a process of its own, and we may not.
#include "fuzz_file.h"
#include "oml/builtins/mat_files.h"
#include "oml/error.h"
#include "oml/memory.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace orrery;
  const MemoryFile file(data, size);
  oml::memory_account().limit = std::size_t{64} << 20;
  if (!oml::is_mat_file(file.path())) return 0;
  try {
    oml::read_mat_file(file.path());
  } catch (const oml::OmlError&) {
  }
  return 0;
}
