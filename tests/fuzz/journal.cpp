// SPDX-License-Identifier: Apache-2.0
// Journals of edited models: whatever is in them, what is recovered can be saved.
#include "edit/document.h"
#include "fuzz_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace orrery;
  const MemoryFile file(data, size);
  Diagnostics diagnostics;
  const auto document = edit::Document::recover(file.path(), diagnostics);
  if (!document) return 0;
  const std::string text = document->text();
  Diagnostics again;
  const auto model = model::parse(text, "fuzz.orr", again);
  if (!model || model::write(*model) != text) __builtin_trap();
  return 0;
}
