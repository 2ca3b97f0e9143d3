// SPDX-License-Identifier: Apache-2.0
// Programs of the classic languages: the first byte chooses one. Read, checked, put in order, made a model; their units
// and their layout.
#include "cssl/check_units.h"
#include "cssl/format.h"
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
  if (!program) return 0;
  cssl::to_model(*program, diagnostics);
  Diagnostics units;
  cssl::check_units(*program, units);
  // What has been laid out is laid out.
  Diagnostics layout;
  const auto once = cssl::format(language, std::string(program->source->text()), "fuzz.csl", layout);
  if (!once) return 0;
  const auto twice = cssl::format(language, *once, "fuzz.csl", layout);
  if (!twice || *twice != *once) __builtin_trap();
  return 0;
}
