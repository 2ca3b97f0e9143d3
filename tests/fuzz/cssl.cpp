// SPDX-License-Identifier: Apache-2.0
// Programs of the classic languages: the first byte chooses one. Read, checked, put in order and made a model.
#include "cssl/languages.h"
#include "cssl/to_model.h"
#include "fuzz_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace orrery;
  if (size == 0) return 0;
  const auto languages = cssl::languages();
  const cssl::Language& language = languages[data[0] % languages.size()];
  Diagnostics diagnostics;
  const auto program = cssl::read(language, std::string(text_of(data + 1, size - 1)), "fuzz.csl", diagnostics);
  if (program.has_value() == diagnostics.has_errors()) __builtin_trap();
  if (program) cssl::to_model(*program, diagnostics);
  return 0;
}
