// SPDX-License-Identifier: Apache-2.0
// Model files: what can be read is written, and what is written is read as the same.
#include "model/model.h"

#include "fuzz_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace orrery;
  Diagnostics diagnostics;
  const auto model = model::parse(text_of(data, size), "fuzz.orr", diagnostics);
  if (!model) return 0;
  const std::string text = model::write(*model);
  Diagnostics again;
  const auto second = model::parse(text, "fuzz.orr", again);
  if (!second || model::write(*second) != text) __builtin_trap();
  return 0;
}
