// SPDX-License-Identifier: Apache-2.0
// Specifications of searches: read, or refused with a line; no file that they name is opened.
#include "api/optimise_spec.h"
#include "fuzz_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace orrery;
  Diagnostics diagnostics;
  const auto spec = api::parse_optimise_spec(std::string(text_of(data, size)), "fuzz.opt", diagnostics);
  if (spec.has_value() == diagnostics.has_errors()) __builtin_trap();
  return 0;
}
