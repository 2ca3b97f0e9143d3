// SPDX-License-Identifier: Apache-2.0
// What an FMU in a process of its own answers: memory that it shares with us may hold anything at any time.
#include "fmi/message.h"
#include "fuzz_file.h"

namespace {

using namespace orrery;

// The bytes of the input, in pieces: two bytes of length and so much answer.
class FuzzTransport final : public fmi::Transport {
 public:
  FuzzTransport(const std::uint8_t* data, std::size_t size) : rest_(text_of(data, size)) {}
  std::span<const char> exchange(fmi::Call, std::span<const char>) override {
    if (rest_.size() < 2) return {};
    const std::size_t wanted = static_cast<unsigned char>(rest_[0]) + 256u * static_cast<unsigned char>(rest_[1]);
    rest_.remove_prefix(2);
    answer_.assign(rest_.substr(0, wanted));
    rest_.remove_prefix(std::min(wanted, rest_.size()));
    return {answer_.data(), answer_.size()};
  }
  const fmi::Death* death() const override { return rest_.size() < 2 ? &death_ : nullptr; }

 private:
  std::string_view rest_;
  std::string answer_;
  fmi::Death death_{"fmi-crash", "the input has ended"};
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto fmu = fmi::make_forwarding_instance(std::make_unique<FuzzTransport>(data, size));
  std::size_t states = 0, indicators = 0;
  double numbers[4] = {}, more[4] = {};
  std::int64_t integers[4] = {};
  const fmi::ValueReference references[4] = {0, 1, 2, 3};
  std::string texts[4];
  fmi::EventInfo events;
  fmi::StepInfo step;
  std::vector<char> bytes;
  void* state = nullptr;
  for (int round = 0; round < 3; ++round) {
    static_cast<void>(fmu->setup({}));
    static_cast<void>(fmu->exit_initialization(events));
    static_cast<void>(fmu->update_discrete_states(events));
    static_cast<void>(fmu->count_states(states, indicators));
    static_cast<void>(fmu->get_numbers(fmi::Type::float64, references, numbers));
    static_cast<void>(fmu->get_integers(fmi::Type::int64, references, integers));
    static_cast<void>(fmu->get_texts(fmi::Type::string, references, texts));
    static_cast<void>(fmu->get_states(numbers));
    static_cast<void>(fmu->get_derivatives(more));
    static_cast<void>(fmu->get_indicators(more));
    static_cast<void>(fmu->do_step(0, 1, step));
    static_cast<void>(fmu->get_state(state));
    static_cast<void>(fmu->serialize_state(state, bytes));
  }
  if (states > (std::size_t{1} << 28) || indicators > (std::size_t{1} << 28)) __builtin_trap();
  return 0;
}
