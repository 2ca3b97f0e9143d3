// SPDX-License-Identifier: Apache-2.0
// What FMUs of both kinds share in a run: launching, start values, inputs and outputs, failures, stored results.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fmi/clock_calendar.h"
#include "fmi/launch.h"
#include "foreign/fmu_interface.h"
#include "foreign/fmu_results.h"
#include "foreign/lone_fmu.h"
#include "program/foreign.h"

namespace orrery::foreign {

class FmuInstance : public program::ForeignInstance {
 public:
  FmuInstance(std::shared_ptr<const FmuInterface> interface, const FmuSettings& settings,
              const program::ForeignRun& run);
  ~FmuInstance() override;

  [[nodiscard]] bool launch(const Place& place, Diagnostics& diagnostics);
  // Of an FMU that is the whole model (lone_fmu.h): takes what was launched, goes to the end of the initialisation, and
  // is told what to record.
  void be_alone(std::unique_ptr<LoneFmu> alone) { alone_ = std::move(alone); }
  void adopt(std::unique_ptr<fmi::Log> log, std::unique_ptr<fmi::Instance> fmu, const Place& place,
             Diagnostics& diagnostics);
  bool initialise(const std::string& input_text);
  void record(const std::vector<const fmi::Variable*>& variables);
  const LoneFmu& alone() const { return *alone_; }
  fmi::Instance& fmu() { return *fmu_; }
  void skip_termination() { ended_ = true; }  // it is released without: something went wrong
  bool guard(const std::function<void()>& body) override;
  program::ForeignHealth health() noexcept override;
  void report(const Place& place, double t, Diagnostics& diagnostics) override;

 protected:
  using Status = fmi::Status;

  // What a kind of FMU wants of its instance; false, and a diagnostic, when that cannot be.
  [[nodiscard]] virtual bool prepare(fmi::LaunchOptions& /*options*/, const Place& /*place*/,
                                     Diagnostics& /*diagnostics*/) {
    return true;
  }
  // Alone, at the end of the initialisation; false, and trouble, when the FMU cannot go on.
  virtual bool initialised() { return true; }
  fmi::Status read_row(double t, double* row);
  // In event mode: those of the table, after a jump at t.
  bool set_event_inputs(double t);
  // From a new instance to initialisation mode, start values set.
  bool enter_initialisation();
  bool leave_initialisation(fmi::EventInfo& events);
  // Event mode has just been entered: due clocks become active.
  bool tick_clocks(double t);
  // Those of the ports that may be set in this event: what belongs to a clock only while it ticks.
  std::vector<std::uint32_t> settable(const std::vector<std::uint32_t>& ports) const;
  // The input clocks that others tick: flags as procedures get them, behind the inputs.
  void note_ticks(double t, const double* flags);
  // Output clocks that have ticked since the last question, as ForeignOutcome wants them.
  std::vector<std::uint32_t> take_fired();
  bool read_output_clocks();
  // Calls update_discrete_states until nothing changes; the FMU is in event mode before and after. The next tick
  // counts as a time event.
  bool iterate_events(double t, fmi::EventInfo& events, bool at_least_once);

  // Sets those of the given inputs (by port) that the FMU does not have yet; values[i] belongs to ports[i].
  Status set_inputs(const std::vector<std::uint32_t>& ports, const double* const* values);
  // Whether the FMU has them all.
  bool has(const std::vector<std::uint32_t>& ports, const double* const* values) const;
  Status get_output(std::size_t port, double* values);
  const std::vector<double>& sent(std::size_t port) const { return sent_[port]; }  // the value the FMU has
  bool has_been_sent(std::size_t port, const double* values) const {
    return sent_known_[port] && std::equal(sent_[port].begin(), sent_[port].end(), values);
  }
  void forget_inputs() { std::fill(sent_known_.begin(), sent_known_.end(), false); }
  // All values of all inputs, one input after the other, as procedures get them. Valid until the next call.
  const std::vector<const double*>& split_inputs(const double* values);

  // True when a call went well; otherwise it is remembered for report().
  bool check(Status status) noexcept;
  void complain(std::string code, std::string message);  // what went wrong was no call
  // The same for functions: what shows in health().
  bool note(Status status) noexcept;
  // A row of results, for one of the reasons that were asked for.
  bool store(FmuResults::Why why, double t);
  // Whether store() does anything.
  bool stores(FmuResults::Why why) const { return speaks_ || (results_ && results_->wants(why)); }

  bool save_state(std::vector<std::byte>& bytes);
  bool restore_state(std::span<const std::byte> bytes);
  void warn(std::string code, std::string message);
  // A line of our own in the log, where the block's parameter wants them.
  void say(Status status, const std::string& text);

  const std::shared_ptr<const FmuInterface> shared_;
  const FmuInterface& interface_;
  const FmuSettings settings_;
  const program::ForeignRun run_;
  std::unique_ptr<fmi::Log> log_;
  std::unique_ptr<fmi::Instance> fmu_;
  bool ended_ = false;
  bool speaks_ = false;  // our own messages go to the log
  fmi::ClockCalendar clocks_;
  std::unique_ptr<LoneFmu> alone_;  // nullptr: a block of a diagram
  Place place_;
  Diagnostics* diagnostics_ = nullptr;

 private:
  bool clocks_known_ = false;  // the FMU has been asked for their intervals
  bool set_start_values(bool structural);

  struct Group {
    fmi::Type type;
    std::vector<fmi::ValueReference> references;
    std::vector<double> values;
  };
  Group& group_of(fmi::Type type);
  void keep_clocked_outputs();

  std::unique_ptr<FmuResults> results_;
  std::vector<std::vector<double>> sent_;  // by input port
  std::vector<bool> sent_known_;
  std::vector<const double*> split_;
  std::vector<Group> groups_;
  std::vector<double> numbers_;
  std::vector<fmi::ValueReference> ticking_;            // clocks that are active in the event now handled
  std::vector<bool> fired_;                             // by output clock
  std::vector<std::vector<double>> kept_;               // clocked outputs, as they were when their clock ticked
  std::vector<fmi::ValueReference> output_references_;  // of the output clocks
  struct Trouble {
    std::string code;
    std::string message;
  };
  std::optional<Trouble> trouble_;
  program::ForeignHealth health_ = program::ForeignHealth::well;
};

// Opens an FMU for a run, as the kind its interface says.
std::unique_ptr<program::ForeignInstance> open_fmu(std::shared_ptr<const FmuInterface> interface,
                                                   const FmuSettings& settings, const program::ForeignRun& run,
                                                   const Place& place, Diagnostics& diagnostics);

}  // namespace orrery::foreign
