// SPDX-License-Identifier: Apache-2.0
// What the versions of FMI have in common: a library, its functions, and the calls that differ in nothing but names.
#pragma once

#include "fmi/caller.h"
#include "fmi/instance.h"
#include "fmi/unwritten.h"

namespace orrery::fmi {

// The time of the next event an FMU has spoken of; one that it has not written, or that is no number, is none.
inline std::optional<double> time_or_none(bool defined, double time) {
  return defined && !std::isnan(time) ? std::optional(time) : std::nullopt;
}

// Functions is the table of a version.
template <class Functions>
class LoadedInstance : public Instance {
 public:
  LoadedInstance(const Functions& functions, std::unique_ptr<Binary> binary, Log& log, const Description& description)
      : binary_(std::move(binary)), f_(functions), call_(log), description_(description) {}

  const char* last_call() const override { return call_.last(); }
  const Death* death() const override { return call_.death(); }

  Status enter_configuration() override { return Status::ok; }
  Status exit_configuration() override { return Status::ok; }
  Status enter_step_mode() override { return Status::ok; }

  Status count_states(std::size_t& states, std::size_t& indicators) override {
    states = description_.states;
    indicators = description_.indicators;
    return Status::ok;
  }
  Status set_time(double t) override { return call_(f_.SetTime, c_, t); }
  Status set_states(std::span<const double> x) override {
    return call_(f_.SetContinuousStates, c_, x.data(), x.size());
  }
  Status get_states(std::span<double> x) override { return call_(f_.GetContinuousStates, c_, x.data(), x.size()); }
  Status get_state_references(std::span<ValueReference>) override { return Status::discard; }
  Status get_indicators(std::span<double> z) override {
    return call_.shared(f_.GetEventIndicators, c_, z.data(), z.size());
  }
  Status indicate(double t, std::span<const double> x, std::span<double> z) override {
    return f_.GetEventIndicators ? indicate_at(call_, f_, c_, t, x, z) : Instance::indicate(t, x, z);
  }
  bool under_one_guard(const std::function<void()>& body) override { return call_.under_one_guard(body); }

  Status get_intervals(References, std::span<ClockInterval>) override { return Status::error; }
  Status set_intervals(References, std::span<const double>) override { return Status::error; }
  Status get_shifts(References, std::span<double>) override { return Status::error; }
  Status activate_partition(ValueReference, double) override { return Status::error; }
  bool clocks_changed() override { return false; }

 protected:
  // Whether there is an instance to free. After a crash the library's own destructors are not trusted either.
  bool to_be_freed() {
    if (call_.death() != nullptr) binary_->abandon();
    return c_ != nullptr && !call_.fatal();
  }

  std::unique_ptr<Binary> binary_;
  Functions f_;
  Caller call_;
  const Description& description_;
  void* c_ = nullptr;  // the FMU's own handle
};

// 2.0 and 3.0: one set of modes, whatever the kind.
template <class Functions, class Boolean>
class ModalInstance : public LoadedInstance<Functions> {
 public:
  ModalInstance(const Functions& functions, std::unique_ptr<Binary> binary, Log& log, const Description& description,
                Kind kind)
      : LoadedInstance<Functions>(functions, std::move(binary), log, description),
        step_completion_needed_(kind == Kind::model_exchange &&
                                !description.model_exchange->step_completion_not_needed),
        directional_(description.interface(kind)->directional_derivatives) {}

  Status set_debug_logging(bool on, const std::vector<std::string>& categories) override {
    if (!f_.SetDebugLogging) return Status::ok;
    std::vector<const char*> names;
    for (const std::string& name : categories) names.push_back(name.c_str());
    return call_(f_.SetDebugLogging, c_, static_cast<Boolean>(on), names.size(), names.data());
  }
  Status terminate() override { return !f_.Terminate ? Status::ok : call_(f_.Terminate, c_); }
  Status reset() override { return call_(f_.Reset, c_); }
  Status enter_event_mode() override { return call_(f_.EnterEventMode, c_); }
  Status enter_continuous_mode() override { return call_(f_.EnterContinuousTimeMode, c_); }
  Status get_nominals(std::span<double> nominals) override {
    if (!f_.GetNominalsOfContinuousStates) return Status::ok;
    return call_(f_.GetNominalsOfContinuousStates, c_, nominals.data(), nominals.size());
  }
  Status completed_step(CompletedInfo& info) override {
    info = {};
    if (!step_completion_needed_ || !f_.CompletedIntegratorStep) return Status::ok;
    AnswerFlag<Boolean> event, terminate;
    const Status status = call_.shared(f_.CompletedIntegratorStep, c_, Boolean{true}, event.place(), terminate.place());
    info = {event.value_or(false), terminate.value_or(false)};
    return status;
  }
  Status complete(double t, std::span<const double> x, CompletedInfo& info) override {
    if (!step_completion_needed_ || !f_.CompletedIntegratorStep) return Instance::complete(t, x, info);
    AnswerFlag<Boolean> event, terminate;
    const Status status = complete_at(call_, f_, c_, t, x, Boolean{true}, event.place(), terminate.place());
    info = {event.value_or(false), terminate.value_or(false)};
    return status;
  }
  bool has_directional_derivatives() const override { return directional_ && f_.GetDirectionalDerivative; }

 protected:
  // For the destructors of versions: what they hold for the FMU's callbacks must still be there.
  void free_instance() {
    if (this->to_be_freed()) call_.plain(f_.FreeInstance, c_);
  }

  using LoadedInstance<Functions>::c_;
  using LoadedInstance<Functions>::call_;
  using LoadedInstance<Functions>::f_;

 private:
  bool step_completion_needed_, directional_;
};

}  // namespace orrery::fmi
