// SPDX-License-Identifier: Apache-2.0
// What the bytes of a call say.
#include <fmt/format.h>

#include "fmi/call_file.h"
#include "fmi/caller.h"

namespace orrery::fmi {
namespace {

class Fields {
 public:
  explicit Fields(std::span<const char> bytes) : in_(bytes) {}
  std::vector<CallField> take_all() { return std::move(list_); }
  PacketReader& in() { return in_; }

  void number(std::string name, double value) { list_.push_back({std::move(name), fmt::format("{}", value), value}); }
  void text(std::string name, std::string value) { list_.push_back({std::move(name), std::move(value), {}}); }
  void flag(const char* name) { text(name, in_.take<bool>() ? "true" : "false"); }
  void real(const char* name) { number(name, in_.take<double>()); }
  void size(const char* name) { text(name, fmt::format("{}", in_.take<std::uint64_t>())); }
  void type() { text("type", name_of(in_.take<Type>())); }
  void references(const char* name = "references") {
    std::vector<ValueReference> list;
    in_.take(list);
    text(name, fmt::format("{}", fmt::join(list, " ")));
  }
  void numbers(const char* name) {
    std::vector<double> list;
    in_.take(list);
    for (std::size_t k = 0; k < list.size(); ++k) number(fmt::format("{}[{}]", name, k), list[k]);
  }
  void integers(const char* name) {
    std::vector<std::int64_t> list;
    in_.take(list);
    for (std::size_t k = 0; k < list.size(); ++k) text(fmt::format("{}[{}]", name, k), fmt::format("{}", list[k]));
  }
  void texts(const char* name) {
    std::vector<std::string> list;
    in_.take(list);
    for (std::size_t k = 0; k < list.size(); ++k) text(fmt::format("{}[{}]", name, k), '"' + list[k] + '"');
  }
  void bytes(const char* name) {
    std::vector<char> list;
    in_.take(list);
    text(name, fmt::format("{} bytes", list.size()));
  }

 private:
  PacketReader in_;
  std::vector<CallField> list_;
};

void read_request(Call call, Fields& f) {
  switch (call) {
    case Call::set_debug_logging: f.flag("on"); return f.texts("categories");
    case Call::get_numbers:
    case Call::get_integers:
    case Call::get_texts:
      f.type();
      f.references();
      return f.size("count");
    case Call::set_numbers: f.type(), f.references(); return f.numbers("values");
    case Call::set_integers: f.type(), f.references(); return f.integers("values");
    case Call::set_texts: f.type(), f.references(); return f.texts("values");
    case Call::setup:
      f.real("start");
      f.flag("stop_defined"), f.real("stop");
      f.flag("tolerance_defined");
      return f.real("tolerance");
    case Call::set_time: return f.real("time");
    case Call::set_states: return f.numbers("states");
    case Call::do_step: f.real("time"); return f.real("step");
    case Call::set_input_derivatives:
      f.references();
      f.text("order", fmt::format("{}", f.in().take<int>()));
      return f.numbers("values");
    case Call::get_output_derivatives: f.references(); return f.text("order", fmt::format("{}", f.in().take<int>()));
    case Call::directional_derivative: f.references("unknowns"), f.references("knowns"); return f.numbers("seed");
    case Call::get_intervals:
    case Call::get_shifts: return f.references("clocks");
    case Call::set_intervals: f.references("clocks"); return f.numbers("seconds");
    case Call::activate_partition:
      f.text("clock", fmt::format("{}", f.in().take<ValueReference>()));
      return f.real("time");
    default: return;
  }
}

void read_answer(Call call, Fields& f) {
  switch (call) {
    case Call::has_directional_derivatives: return f.flag("has");
    case Call::get_numbers: return f.numbers("values");
    case Call::get_integers: return f.integers("values");
    case Call::get_texts: return f.texts("values");
    case Call::exit_initialization:
    case Call::update_discrete_states:
      for (const char* name : {"again", "terminate", "nominals_changed", "states_changed", "next_time_defined"})
        f.flag(name);
      return f.real("next_time");
    case Call::count_states: f.size("states"); return f.size("indicators");
    case Call::get_states: return f.numbers("states");
    case Call::get_nominals: return f.numbers("nominals");
    case Call::get_state_references: return f.references();
    case Call::get_derivatives: return f.numbers("derivatives");
    case Call::get_indicators: return f.numbers("indicators");
    case Call::completed_step: f.flag("enter_event_mode"); return f.flag("terminate");
    case Call::directional_derivative: return f.numbers("result");
    case Call::do_step:
      for (const char* name : {"event_needed", "terminate", "early_return"}) f.flag(name);
      return f.real("reached");
    case Call::get_output_derivatives: return f.numbers("values");
    case Call::serialize_state: return f.bytes("state");
    case Call::get_shifts: return f.numbers("seconds");
    case Call::get_intervals:
      while (!f.in().at_end()) {
        f.text("known", fmt::format("{}", static_cast<int>(f.in().take<ClockInterval::Known>())));
        f.real("seconds");
      }
      return;
    case Call::clocks_changed: return f.flag("changed");
    default: return;
  }
}

}  // namespace

std::vector<CallField> fields_of_request(const CallRecord& record) {
  Fields fields(record.request);
  try {
    read_request(record.call, fields);
  } catch (const PacketError&) {
    fields.text("damaged", "");
  }
  return fields.take_all();
}

std::vector<CallField> fields_of_answer(const CallRecord& record) {
  Fields fields(record.answer);
  std::vector<CallField> all;
  if (!record.answered) return {{"status", "none", {}}};
  try {
    const Status status = fields.in().take<Status>();
    all.push_back({"status", name_of(status), {}});
    std::vector<char> rest;
    fields.in().take(rest);
    if (status == Status::fatal) return all;
    Fields inner(rest);
    read_answer(record.call, inner);
    for (CallField& field : inner.take_all()) all.push_back(std::move(field));
  } catch (const PacketError&) {
    all.push_back({"damaged", "", {}});
  }
  return all;
}

}  // namespace orrery::fmi
