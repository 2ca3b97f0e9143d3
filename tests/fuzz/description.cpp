// SPDX-License-Identifier: Apache-2.0
// Model descriptions of FMUs.
#include "fmi/description.h"

#include "fuzz_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace orrery;
  Diagnostics diagnostics;
  const auto description = fmi::read_description(std::string(text_of(data, size)), "fuzz.fmu", diagnostics);
  if (!description && !diagnostics.has_errors()) __builtin_trap();
  return 0;
}
