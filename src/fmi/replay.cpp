// SPDX-License-Identifier: Apache-2.0
// Plays, compares and prints recordings.
#include "fmi/replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "fmi/call_file.h"
#include "fmi/caller.h"
#include "fmi/launch.h"
#include "fmi/run_header.h"

namespace orrery::fmi {
namespace {

constexpr std::size_t most_reported = 20;
constexpr std::size_t most_printed_values = 12;  // of one call, in print

std::optional<RunHeader> header_of(const CallFile& file, Diagnostics& diagnostics) {
  auto header = parse_run_header(file.header());
  if (!header)
    diagnostics.error("fmi-bad-recording", {file.path(), 0, 0, {}, {}}, "the header of the recording is damaged");
  return header;
}

std::string to_text(const std::vector<CallField>& fields) {
  std::string text;
  for (std::size_t k = 0; k < std::min(fields.size(), most_printed_values); ++k) {
    text += fmt::format("{}{}={}", k == 0 ? "" : " ", fields[k].name, fields[k].text);
  }
  if (fields.size() > most_printed_values) text += fmt::format(" … {} more", fields.size() - most_printed_values);
  return text;
}

bool same(const CallField& a, const CallField& b, double tolerance) {
  if (a.name != b.name) return false;
  if (!a.number || !b.number) return a.text == b.text;
  const double x = *a.number, y = *b.number;
  return x == y || (std::isnan(x) && std::isnan(y)) ||
         std::fabs(x - y) <= tolerance * (1 + std::max(std::fabs(x), std::fabs(y)));
}

// Calls with whole states name them by addresses, which are others in every run.
class StateNames {
 public:
  static bool concerns(Call call) { return call >= Call::get_state && call <= Call::deserialize_state; }
  void translate_request(std::vector<char>& request) {
    const auto found = actual_.find(first_word(request, 0));
    const std::uintptr_t word = found == actual_.end() ? 0 : found->second;
    if (request.size() >= sizeof word) std::memcpy(request.data(), &word, sizeof word);
  }
  // Both answers are a status, a length and the address.
  void learn(Call call, const std::vector<char>& recorded, std::span<const char> answer) {
    if (call == Call::serialize_state || call == Call::set_state) return;
    constexpr std::size_t place = sizeof(Status) + sizeof(std::uint64_t);
    actual_[first_word(recorded, place)] = first_word(answer, place);
  }

 private:
  static std::uintptr_t first_word(std::span<const char> bytes, std::size_t place) {
    std::uintptr_t word = 0;
    if (bytes.size() >= place + sizeof word) std::memcpy(&word, bytes.data() + place, sizeof word);
    return word;
  }
  std::map<std::uintptr_t, std::uintptr_t> actual_{{0, 0}};
};

void compare_calls(CallFile& file, Instance& instance, const std::string& fmu, double tolerance, Comparison& result) {
  Dispatcher dispatcher(instance);
  StateNames states;
  PacketWriter answer;
  while (auto record = file.next()) {
    if (!record->answered || record->call == Call::free_instance) break;
    ++result.calls;
    CallRecord actual{record->call, record->request, {}, true};
    if (StateNames::concerns(record->call)) states.translate_request(actual.request);
    try {
      dispatcher.execute(record->call, PacketReader(actual.request), answer);
    } catch (const PacketError&) {
      result.diagnostics.error("fmi-bad-recording", {file.path(), 0, 0, {}, {}},
                               fmt::format("call {} is damaged", result.calls));
      return;
    }
    if (StateNames::concerns(record->call)) states.learn(record->call, record->answer, answer.bytes());
    actual.answer.assign(answer.bytes().begin(), answer.bytes().end());
    const auto expected = fields_of_answer(*record), got = fields_of_answer(actual);
    const auto equal = [&](const CallField& a, const CallField& b) { return same(a, b, tolerance); };
    const auto [at, other] = std::mismatch(expected.begin(), expected.end(), got.begin(), got.end(), equal);
    if (at == expected.end() && other == got.end()) continue;
    if (static_cast<std::size_t>(++result.differing) > most_reported) continue;
    const auto words = [](auto field, const auto& list) { return field == list.end() ? "nothing" : field->text; };
    Diagnostic& error = result.diagnostics.error(
        "fmi-replay-differs", {fmu, 0, 0, {}, {}},
        fmt::format("call {}, {}: {} is {}, recorded was {}", result.calls, name_of(record->call),
                    at != expected.end() ? at->name : other->name, words(other, got), words(at, expected)));
    error.notes.push_back(to_text(fields_of_request(*record)));
    if (instance.death() != nullptr) {
      error.notes.push_back(instance.death()->message);
      return;
    }
  }
}

}  // namespace

Comparison compare_with(const std::string& recording, const std::string& fmu, const CompareOptions& options) {
  Comparison result;
  const auto file = CallFile::open(recording, result.diagnostics);
  const auto header = file ? header_of(*file, result.diagnostics) : std::nullopt;
  if (!header) return result;
  const auto archive = Archive::open(fmu, result.diagnostics);
  const auto xml = archive ? archive->read("modelDescription.xml", result.diagnostics) : std::nullopt;
  const auto description = xml ? read_description(*xml, fmu, result.diagnostics) : std::nullopt;
  if (!description || result.diagnostics.has_errors()) return result;
  LaunchOptions launching;
  launching.safe = options.safe;
  Diagnostics reading;
  const auto recorded = read_description(header->xml, header->fmu, reading);
  InstanceOptions& instance_options = launching.instance;
  const Description& source = recorded ? *recorded : *description;
  instance_options.kind = header->options.kind.value_or(source.model_exchange  ? Kind::model_exchange
                                                        : source.co_simulation ? Kind::co_simulation
                                                                               : Kind::scheduled_execution);
  const Interface* interface = description->interface(instance_options.kind);
  if (interface == nullptr) {
    result.diagnostics.error("fmi-no-interface", {fmu, 0, 0, {}, {}},
                             fmt::format("the FMU does not offer {}", name_of(instance_options.kind)));
    return result;
  }
  instance_options.name = description->model_name;
  instance_options.event_mode = instance_options.early_return = interface->event_mode;
  Log log(*description, fmu);
  const auto instance = launch(*archive, *description, log, launching, result.diagnostics);
  if (instance) compare_calls(*file, *instance, fmu, options.tolerance, result);
  return result;
}

Diagnostics print_calls(const std::string& recording, const std::function<void(const std::string&)>& print) {
  Diagnostics diagnostics;
  const auto file = CallFile::open(recording, diagnostics);
  if (!file) return diagnostics;
  for (long number = 1;; ++number) {
    const auto record = file->next();
    if (!record) return diagnostics;
    print(fmt::format("{} {}({}) -> {}\n", number, name_of(record->call), to_text(fields_of_request(*record)),
                      to_text(fields_of_answer(*record))));
  }
}

}  // namespace orrery::fmi
