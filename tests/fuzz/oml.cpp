// SPDX-License-Identifier: Apache-2.0
// Scripts, with nothing allowed and little time and memory.
#include "fuzz_file.h"
#include "oml/interpreter.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace orrery;
  oml::InterpreterOptions options;
  options.output = [](std::string_view) {};
  options.consent = {};
  options.memory_limit = std::size_t{64} << 20;
  options.max_steps = 10'000;
  options.max_call_depth = 50;
  options.most_seconds = 2;
  oml::Interpreter interpreter(std::move(options));
  interpreter.run_text(text_of(data, size), "fuzz.oml");
  return 0;
}
