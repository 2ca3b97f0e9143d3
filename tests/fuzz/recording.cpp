// SPDX-License-Identifier: Apache-2.0
// Recordings of calls: printed, and played to somebody who asks for everything.
#include "fmi/call_file.h"
#include "fmi/replay.h"
#include "fuzz_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace orrery;
  const MemoryFile input(data, size);
  fmi::print_calls(input.path(), [](const std::string&) {});
  Diagnostics diagnostics;
  auto file = fmi::CallFile::open(input.path(), diagnostics);
  if (!file) return 0;
  const auto fmu = fmi::play_calls(std::move(file));
  std::size_t states = 0, indicators = 0;
  double numbers[4] = {};
  const fmi::ValueReference references[4] = {0, 1, 2, 3};
  std::string texts[4];
  fmi::EventInfo events;
  fmi::StepInfo step;
  std::vector<char> bytes;
  void* state = nullptr;
  for (int round = 0; round < 3; ++round) {
    static_cast<void>(fmu->setup({}));
    static_cast<void>(fmu->exit_initialization(events));
    static_cast<void>(fmu->count_states(states, indicators));
    static_cast<void>(fmu->get_numbers(fmi::Type::float64, references, numbers));
    static_cast<void>(fmu->get_texts(fmi::Type::string, references, texts));
    static_cast<void>(fmu->do_step(0, 1, step));
    static_cast<void>(fmu->get_state(state));
    static_cast<void>(fmu->serialize_state(state, bytes));
    if (states > (std::size_t{1} << 28) || indicators > (std::size_t{1} << 28)) __builtin_trap();
  }
  return 0;
}
