// SPDX-License-Identifier: Apache-2.0
// Archives of FMUs: listing and unpacking all files, with small limits.
#include "fmi/unpack.h"

#include "fuzz_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace orrery;
  const MemoryFile file(data, size);
  fmi::UnpackLimits limits;
  limits.files = 100;
  limits.bytes = limits.description_bytes = std::uint64_t{1} << 20;
  limits.free_bytes = std::uint64_t{1} << 16;
  Diagnostics diagnostics;
  const auto archive = fmi::Archive::open(file.path(), diagnostics, limits);
  if (!archive) return 0;
  for (const std::string& name : archive->files()) {
    if (name.empty() || name[0] == '/' || ("/" + name + "/").find("/../") != std::string::npos) __builtin_trap();
    archive->read(name, diagnostics);
  }
  return 0;
}
