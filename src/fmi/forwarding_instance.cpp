// SPDX-License-Identifier: Apache-2.0
// From calls to bytes.
#include "fmi/caller.h"
#include "fmi/message.h"
#include "fmi/unwritten.h"

namespace orrery::fmi {
namespace {

class ForwardingInstance final : public Instance {
 public:
  explicit ForwardingInstance(std::unique_ptr<Transport> transport) : transport_(std::move(transport)) {
    static_cast<void>(read(send(Call::has_directional_derivatives), [&] { take(directional_); }));
  }
  ~ForwardingInstance() override {
    if (transport_->death() == nullptr && last_status_ != Status::fatal) static_cast<void>(send(Call::free_instance));
  }

  const char* last_call() const override { return last_call_.empty() ? name_of(call_) : last_call_.c_str(); }
  const Death* death() const override { return death_.code.empty() ? transport_->death() : &death_; }

  Status set_debug_logging(bool on, const std::vector<std::string>& categories) override {
    return send(Call::set_debug_logging, on, std::span<const std::string>(categories));
  }

  Status get_numbers(Type type, References r, std::span<double> values) override {
    return receive(send(Call::get_numbers, type, r, count(values)), values);
  }
  Status set_numbers(Type type, References r, std::span<const double> values) override {
    return send(Call::set_numbers, type, r, values);
  }
  Status get_integers(Type type, References r, std::span<std::int64_t> values) override {
    return receive(send(Call::get_integers, type, r, count(values)), values);
  }
  Status set_integers(Type type, References r, std::span<const std::int64_t> values) override {
    return send(Call::set_integers, type, r, values);
  }
  Status get_texts(Type type, References r, std::span<std::string> values) override {
    const Status status = send(Call::get_texts, type, r, count(values));
    return read(status, [&] {
      std::vector<std::string> texts;
      answer_.take(texts);
      if (texts.size() != values.size()) throw PacketError();
      std::move(texts.begin(), texts.end(), values.begin());
    });
  }
  Status set_texts(Type type, References r, std::span<const std::string> values) override {
    return send(Call::set_texts, type, r, values);
  }

  Status setup(const RunInterval& run) override {
    return send(Call::setup, run.start, run.stop.has_value(), run.stop.value_or(0), run.tolerance.has_value(),
                run.tolerance.value_or(0));
  }
  Status enter_configuration() override { return send(Call::enter_configuration); }
  Status exit_configuration() override { return send(Call::exit_configuration); }
  Status enter_initialization() override { return send(Call::enter_initialization); }
  Status exit_initialization(EventInfo& info) override { return take_events(send(Call::exit_initialization), info); }
  Status terminate() override { return send(Call::terminate); }
  Status reset() override { return send(Call::reset); }

  Status enter_event_mode() override { return send(Call::enter_event_mode); }
  Status update_discrete_states(EventInfo& info) override {
    return take_events(send(Call::update_discrete_states), info);
  }
  Status enter_continuous_mode() override { return send(Call::enter_continuous_mode); }
  Status enter_step_mode() override { return send(Call::enter_step_mode); }

  Status count_states(std::size_t& states, std::size_t& indicators) override {
    const Status status = send(Call::count_states);
    return read(status, [&] {
      const auto said_states = answer_.take<std::uint64_t>(), said_indicators = answer_.take<std::uint64_t>();
      if (said_states > most_values || said_indicators > most_values) throw PacketError();
      states = said_states;
      indicators = said_indicators;
    });
  }
  Status set_time(double t) override { return send(Call::set_time, t); }
  Status set_states(std::span<const double> x) override { return send(Call::set_states, x); }
  Status get_states(std::span<double> x) override { return receive(send(Call::get_states, count(x)), x); }
  Status get_nominals(std::span<double> nominals) override {
    return receive(send(Call::get_nominals, std::span<const double>(nominals)), nominals);
  }
  Status get_state_references(std::span<ValueReference> references) override {
    return receive(send(Call::get_state_references, count(references)), references);
  }
  Status get_derivatives(std::span<double> dx) override { return receive(send(Call::get_derivatives, count(dx)), dx); }
  Status get_indicators(std::span<double> z) override { return receive(send(Call::get_indicators, count(z)), z); }
  Status completed_step(CompletedInfo& info) override {
    const Status status = send(Call::completed_step);
    info = {};
    return read(status, [&] {
      take(info.enter_event_mode);
      take(info.terminate);
    });
  }
  bool has_directional_derivatives() const override { return directional_; }
  Status directional_derivative(References unknowns, References knowns, std::span<const double> seed,
                                std::span<double> result) override {
    return receive(send(Call::directional_derivative, unknowns, knowns, seed, count(result)), result);
  }

  Status do_step(double t, double h, StepInfo& info) override {
    const Status status = send(Call::do_step, t, h);
    info = {};
    info.reached = t;
    return read(status, [&] {
      for (bool* flag : {&info.event_needed, &info.terminate, &info.early_return}) take(*flag);
      info.reached = answer_.take<double>();
    });
  }
  Status set_input_derivatives(References r, int order, std::span<const double> values) override {
    return send(Call::set_input_derivatives, r, order, values);
  }
  Status get_output_derivatives(References r, int order, std::span<double> values) override {
    return receive(send(Call::get_output_derivatives, r, order, count(values)), values);
  }

  Status get_state(void*& state) override { return take_state(send(Call::get_state, number(state)), state); }
  Status set_state(void* state) override { return send(Call::set_state, number(state)); }
  Status free_state(void*& state) override { return take_state(send(Call::free_state, number(state)), state); }
  Status serialize_state(void* state, std::vector<char>& bytes) override {
    const Status status = send(Call::serialize_state, number(state));
    return read(status, [&] { answer_.take(bytes); });
  }
  Status deserialize_state(std::span<const char> bytes, void*& state) override {
    return take_state(send(Call::deserialize_state, number(state), bytes), state);
  }

  Status get_intervals(References clocks, std::span<ClockInterval> intervals) override {
    const Status status = send(Call::get_intervals, clocks);
    return read(status, [&] {
      for (ClockInterval& interval : intervals) {
        interval.known = answer_.take<ClockInterval::Known>();
        interval.seconds = answer_.take<double>();
      }
    });
  }
  Status set_intervals(References clocks, std::span<const double> seconds) override {
    return send(Call::set_intervals, clocks, seconds);
  }
  Status get_shifts(References clocks, std::span<double> seconds) override {
    return receive(send(Call::get_shifts, clocks), seconds);
  }
  Status activate_partition(ValueReference clock, double t) override {
    return send(Call::activate_partition, clock, t);
  }
  bool clocks_changed() override {
    bool changed = false;
    static_cast<void>(read(send(Call::clocks_changed), [&] { take(changed); }));
    return changed;
  }

 private:
  template <class Value>
  static std::uint64_t count(std::span<Value> values) {
    return values.size();
  }
  static std::uintptr_t number(void* state) { return reinterpret_cast<std::uintptr_t>(state); }
  void take(bool& flag) { flag = answer_.take<bool>(); }

  // Sends the call and reads the head of the answer.
  template <class... Values>
  Status send(Call call, const Values&... values) {
    call_ = call;
    last_call_.clear();
    request_.clear();
    (request_.put(values), ...);
    const std::span<const char> bytes = transport_->exchange(call, request_.bytes());
    if (transport_->death() != nullptr) return last_status_ = Status::fatal;
    try {
      PacketReader answer(bytes);
      last_status_ = answer.take<Status>();
      answer.take(rest_);
      answer_ = PacketReader(rest_);
      if (succeeded(last_status_)) return last_status_;
      answer.take(last_call_);
      answer.take(death_.code);
      answer.take(death_.message);
      if (!death_.code.empty() && death_.code != "fmi-memory" && death_.code != "fmi-hang") death_.code = "fmi-crash";
    } catch (const PacketError&) {
      break_off();
    }
    return last_status_;
  }
  template <class Read>
  Status read(Status status, const Read& what) {
    if (last_status_ == Status::fatal) return status;
    try {
      what();
    } catch (const PacketError&) {
      break_off();
    }
    return last_status_;
  }
  template <class Value>
  Status receive(Status status, std::span<Value> values) {
    return read(status, [&] {
      if constexpr (std::is_same_v<Value, double>) {
        // What the FMU has not written stays as it was, as if it had been called here.
        before_.assign(values.begin(), values.end());
        answer_.take_into(values);
        for (std::size_t k = 0; k < values.size(); ++k) {
          if (!is_written(values[k])) values[k] = before_[k];
        }
      } else {
        answer_.take_into(values);
      }
    });
  }
  Status take_events(Status status, EventInfo& info) {
    info = {};
    return read(status, [&] {
      for (bool* flag : {&info.again, &info.terminate, &info.nominals_changed, &info.states_changed}) take(*flag);
      const bool known = answer_.take<bool>();
      const double next = answer_.take<double>();
      if (known) info.next_time = next;
    });
  }
  Status take_state(Status status, void*& state) {
    return read(status, [&] { state = reinterpret_cast<void*>(answer_.take<std::uintptr_t>()); });
  }
  void break_off() {
    last_status_ = Status::fatal;
    death_ = Death{"fmi-crash", std::string("the answer to ") + name_of(call_) + " is damaged"};
  }

  std::unique_ptr<Transport> transport_;
  PacketWriter request_;
  PacketReader answer_;
  std::vector<char> rest_;
  std::vector<double> before_;
  std::string last_call_;
  Call call_ = Call::has_directional_derivatives;
  Status last_status_ = Status::ok;
  Death death_;
  bool directional_ = false;
};

}  // namespace

std::unique_ptr<Instance> make_forwarding_instance(std::unique_ptr<Transport> transport) {
  return std::make_unique<ForwardingInstance>(std::move(transport));
}

}  // namespace orrery::fmi
