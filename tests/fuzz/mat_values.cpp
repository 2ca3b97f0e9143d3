// SPDX-License-Identifier: Apache-2.0
// What the reader of MAT files sends: a reader that was taken over may send anything.
#include "fuzz_file.h"
#include "oml/error.h"
#include "oml/memory.h"
#include "oml/value_bytes.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace orrery;
  oml::memory_account().limit = std::size_t{256} << 20;
  try {
    const auto values = oml::from_bytes(text_of(data, size));
    const std::string bytes = oml::to_bytes(values);
    if (oml::to_bytes(oml::from_bytes(bytes)) != bytes) __builtin_trap();
  } catch (const oml::OmlError&) {
  }
  return 0;
}
