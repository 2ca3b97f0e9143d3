// SPDX-License-Identifier: Apache-2.0
// Whole models, with nothing allowed: compiled, or refused with a reason.
#include "api/model.h"
#include "fuzz_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace orrery;
  Diagnostics diagnostics;
  const auto model = api::Model::read(text_of(data, size), "fuzz.orr", diagnostics);
  if (!model && !diagnostics.has_errors()) __builtin_trap();
  if (!model) return 0;
  api::CompileOptions options;
  options.native = api::NativeCode::first;
  options.script_seconds = 2;
  const auto compiled = model->compile(options, diagnostics);
  if (!compiled && !diagnostics.has_errors()) __builtin_trap();
  return 0;
}
