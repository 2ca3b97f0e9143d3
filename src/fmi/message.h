// SPDX-License-Identifier: Apache-2.0
// Calls of an Instance as bytes: what another process executes, and what a recording keeps.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "fmi/instance.h"

namespace orrery::fmi {

enum class Call : std::uint32_t {
  has_directional_derivatives,
  set_debug_logging,
  get_numbers,
  set_numbers,
  get_integers,
  set_integers,
  get_texts,
  set_texts,
  setup,
  enter_configuration,
  exit_configuration,
  enter_initialization,
  exit_initialization,
  terminate,
  reset,
  enter_event_mode,
  update_discrete_states,
  enter_continuous_mode,
  enter_step_mode,
  count_states,
  set_time,
  set_states,
  get_states,
  get_nominals,
  get_state_references,
  get_derivatives,
  get_indicators,
  completed_step,
  directional_derivative,
  do_step,
  set_input_derivatives,
  get_output_derivatives,
  get_state,
  set_state,
  free_state,
  serialize_state,
  deserialize_state,
  get_intervals,
  set_intervals,
  get_shifts,
  activate_partition,
  clocks_changed,
  free_instance,
};
constexpr std::uint64_t most_values = std::uint64_t{1} << 28;  // of one call; beyond it a message is damaged
constexpr std::uint32_t call_count = static_cast<std::uint32_t>(Call::free_instance) + 1;
const char* name_of(Call call);

// Appends values to bytes. Numbers stand as they are in memory.
class PacketWriter {
 public:
  void clear() { bytes_.clear(); }
  std::span<const char> bytes() const { return bytes_; }

  template <class Value>
  requires std::is_trivially_copyable_v<Value>
  void put(const Value& value) { append(&value, sizeof value); }
  void put(const std::string& text) { put(std::span<const char>(text)); }
  template <class Value, std::size_t extent>
  requires std::is_trivially_copyable_v<Value>
  void put(const std::span<Value, extent>& values) {
    put(static_cast<std::uint64_t>(values.size()));
    append(values.data(), values.size_bytes());
  }
  void put(const std::span<const std::string>& texts) {
    put(static_cast<std::uint64_t>(texts.size()));
    for (const std::string& text : texts) put(text);
  }

 private:
  void append(const void* data, std::size_t size) {
    const char* begin = static_cast<const char*>(data);
    bytes_.insert(bytes_.end(), begin, begin + size);
  }
  std::vector<char> bytes_;
};

// Takes values from bytes in the same order. Bytes that end too early are an error of the recording, or of a broken
// process: PacketError.
struct PacketError : std::runtime_error {
  PacketError() : std::runtime_error("a message ends too early") {}
};

class PacketReader {
 public:
  PacketReader() = default;
  explicit PacketReader(std::span<const char> bytes) : bytes_(bytes) {}
  bool at_end() const { return at_ == bytes_.size(); }

  template <class Value>
  requires std::is_trivially_copyable_v<Value> Value take() {
    if constexpr (std::is_same_v<Value, bool>) {
      return *part(1) != 0;
    } else if constexpr (std::is_enum_v<Value>) {
      const int number = take<int>();
      if (number < 0 || number > last_number(Value{})) throw PacketError();
      return static_cast<Value>(number);
    } else {
      Value value;
      std::memcpy(&value, part(sizeof value), sizeof value);
      return value;
    }
  }
  // Into an array of the length that was put; more or less is an error.
  template <class Value>
  void take_into(std::span<Value> values) {
    if (take<std::uint64_t>() != values.size()) throw PacketError();
    if (!values.empty()) std::memcpy(values.data(), part(values.size_bytes()), values.size_bytes());
  }
  template <class Value>
  void take(std::vector<Value>& values) {
    const auto count = take<std::uint64_t>();
    if (count > (bytes_.size() - at_) / sizeof(Value)) throw PacketError();
    values.resize(count);
    if (count > 0) std::memcpy(values.data(), part(count * sizeof(Value)), count * sizeof(Value));
  }
  void take(std::string& text) {
    const auto count = take<std::uint64_t>();
    if (count > bytes_.size() - at_) throw PacketError();
    text.assign(part(count), count);
  }
  void take(std::vector<std::string>& texts) {
    const auto count = take<std::uint64_t>();
    if (count > (bytes_.size() - at_) / sizeof(std::uint64_t)) throw PacketError();
    texts.resize(count);
    for (std::string& text : texts) take(text);
  }

 private:
  static constexpr int last_number(Type) { return static_cast<int>(Type::clock); }
  static constexpr int last_number(Status) { return static_cast<int>(Status::pending); }
  static constexpr int last_number(ClockInterval::Known) { return static_cast<int>(ClockInterval::Known::changed); }

  const char* part(std::size_t size) {
    if (size > bytes_.size() - at_) throw PacketError();
    const char* begin = bytes_.data() + at_;
    at_ += size;
    return begin;
  }
  std::span<const char> bytes_;
  std::size_t at_ = 0;
};

// Executes calls on an instance. Every answer begins with a Status; an answer that is no success ends with the name of
// the FMI function and, when the instance is dead, the code and the message of its death.
class Dispatcher {
 public:
  explicit Dispatcher(Instance& instance) : fmu_(instance) {}
  void execute(Call call, PacketReader request, PacketWriter& answer);

 private:
  Status values(Call call, PacketReader& request);
  Status modes(Call call, PacketReader& request);
  Status model_exchange(Call call, PacketReader& request);
  Status co_simulation(Call call, PacketReader& request);
  Status whole_states(Call call, PacketReader& request);
  Status clocks(Call call, PacketReader& request);

  Instance& fmu_;
  PacketWriter out_;  // what follows the status
  std::vector<ValueReference> references_, more_references_;
  std::vector<double> numbers_, more_numbers_;
  std::vector<std::int64_t> integers_;
  std::vector<std::string> texts_;
  std::vector<char> bytes_;
  std::vector<ClockInterval> intervals_;
};

// Where calls go.
class Transport {
 public:
  virtual ~Transport() = default;
  // The answer stays valid until the next call. Nothing: there will be no answer any more, and death() says why.
  virtual std::span<const char> exchange(Call call, std::span<const char> request) = 0;
  virtual const Death* death() const = 0;
};

// An instance whose calls are sent away as bytes.
std::unique_ptr<Instance> make_forwarding_instance(std::unique_ptr<Transport> transport);

}  // namespace orrery::fmi
