// SPDX-License-Identifier: Apache-2.0
// SignalIn: a signal object (Activate, chapter 19) as a source.
#include <fmt/format.h>

#include <algorithm>

#include "blocks/signal_generators/samples.h"
#include "blocks/signal_importers/signal_importers.h"

namespace orrery::blocks {
namespace {

struct SignalObject {
  std::vector<double> times;
  std::vector<SampledChannel> channels;
};

const Value* field_of(const Value& value, const std::string& name) {
  for (std::size_t k = 0; k < value.names.size() && k < value.items.size(); ++k) {
    if (value.names[k] == name) return &value.items[k];
  }
  return nullptr;
}

Scalar type_named(const Parameters& p, const Value& type) {
  for (int code = 0; type.is_text() && code <= static_cast<int>(Scalar::boolean); ++code) {
    if (type.text == name_of(static_cast<Scalar>(code))) return static_cast<Scalar>(code);
  }
  p.fail("signal", "the type of a channel must be a text such as 'double' or 'int32'");
}

SampledChannel channel_of(const Parameters& p, const Value& ch, std::size_t samples, std::size_t number) {
  const Value* data = field_of(ch, "data");
  if (data == nullptr || !data->is_number()) p.fail("signal", fmt::format("ch{{{}}} has no field data", number));
  const Value* type = field_of(ch, "type");
  const Scalar scalar = type != nullptr ? type_named(p, *type) : data->type;
  if (scalar == Scalar::c128) p.fail("signal", "complex channels cannot be read back");
  if (static_cast<std::size_t>(data->cols) % samples != 0 || data->cols == 0) {
    p.fail("signal", fmt::format("the data of ch{{{}}} have {} columns, which is no multiple of the {} samples", number,
                                 data->cols, samples));
  }
  const auto cols = static_cast<std::int32_t>(static_cast<std::size_t>(data->cols) / samples);
  return {{scalar, data->rows, cols}, data->real};
}

// A struct with time (one row, or three: times, event codes, phases) and a list ch of channels with type and data.
SignalObject signal_object(const Parameters& p) {
  const Value& given = p.value("signal");
  SignalObject signal;
  if (given.is_empty()) {  // the default, for ever
    const Value& otherwise = p.matrix("default");
    if (otherwise.is_complex()) p.fail("default", "must be real");
    signal.channels.push_back({{otherwise.type, otherwise.rows, otherwise.cols}, otherwise.real});
    return signal;
  }
  const Value* time = field_of(given, "time");
  const Value* ch = field_of(given, "ch");
  if (time == nullptr || ch == nullptr || !time->is_number() || !ch->is_list() ||
      (time->rows != 1 && time->rows != 3)) {
    p.fail("signal", fmt::format("must be a signal, a struct with fields time and ch, but is {}", describe(given)),
           "a SignalOut leaves one in the workspace");
  }
  for (std::size_t k = 0; k < time->real.size(); k += static_cast<std::size_t>(time->rows)) {
    signal.times.push_back(time->real[k]);
  }
  if (signal.times.empty()) p.fail("signal", "has no samples");
  const bool one = !ch->names.empty();  // ch is one struct rather than a list of them
  const std::vector<Value> items = one ? std::vector<Value>{*ch} : ch->items;
  for (const Value& item : items) {
    signal.channels.push_back(channel_of(p, item, signal.times.size(), signal.channels.size() + 1));
  }
  if (signal.channels.empty()) p.fail("signal", "has no channels");
  return signal;
}

}  // namespace

const BlockType signal_in = {
    .name = "SignalIn",
    .palette = "SignalImporters",
    .summary = "A signal of the workspace as a source, one output for each of its channels.",
    .description =
        "A signal is a struct: time has the times, ascending (further rows with event codes and phases are passed "
        "over), "
        "and ch{k} has type and data, the matrices of all samples side by side. Write the name of a variable, or "
        "GetFromBase('name', []). Where there is none, the output is the default.\n\n"
        "By time the signal is that of a SignalGenerator, and the activation output fires at each sample. By events "
        "each "
        "activation gives the next sample, whatever the times say. Channels that are not double need the method floor "
        "or "
        "ceil.",
    .icon = {.text = "signal →"},
    .parameters = sample_specs({{"signal", "[]", "the signal"},
                                {"default", "0", "output where there is no signal"},
                                {"by", "'time'", "what leads to the next sample", {"time", "events"}}}),
    .activation = Activation::always,
    .ports =
        [](Ports& p) {
          const SignalObject signal = signal_object(p.parameters());
          int number = 0;
          for (const SampledChannel& channel : signal.channels) {
            p.output(fmt::format("y{}", ++number), {channel.type.rows, channel.type.cols}, channel.type.scalar);
          }
          if (p.parameters().text("by") == "events") {
            p.activation_inputs(1);
          } else {
            p.activation_outputs(1);
          }
        },
    .build =
        [](Block& b) {
          const SignalObject signal = signal_object(b.parameters());
          if (signal.times.empty()) return b.out(1, b.parameter("default"));
          b.parameters().settle("signal", "its samples are kept with the model");
          const SampleRules rules = sample_rules(b, "signal");
          if (b.text("by") == "events") return build_samples_in_turn(b, signal.channels, signal.times.size(), rules);
          build_samples(b, signal.times, signal.channels, rules);
        },
};

}  // namespace orrery::blocks
