// SPDX-License-Identifier: Apache-2.0
// Launching and talking to an FMU.
#include "foreign/fmu_instance.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "fmi/caller.h"
#include "fmi/release.h"
#include "fmi/surroundings.h"
#include "fmi/unpack.h"
#include "fmi/values.h"
#include "foreign/exchange_instance.h"
#include "foreign/scheduled_instance.h"
#include "foreign/stepping_instance.h"

namespace orrery::foreign {
namespace {

constexpr int most_event_iterations = 1000;

double negated(const fmi::Variable& variable, double value) {
  if (variable.alias != fmi::Alias::negated) return value;
  return variable.type == fmi::Type::boolean ? 1 - value : 0 - value;
}

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words(1);
  for (const char c : text) {
    if (c == ',') {
      words.emplace_back();
    } else if (c != ' ') {
      words.back() += c;
    }
  }
  std::erase(words, "");
  return words;
}

}  // namespace

FmuInstance::FmuInstance(std::shared_ptr<const FmuInterface> interface, const FmuSettings& settings,
                         const program::ForeignRun& run)
    : shared_(std::move(interface)), interface_(*shared_), settings_(settings), run_(run) {
  for (const FmuPort& port : interface_.inputs) sent_.emplace_back(static_cast<std::size_t>(port.type.size()));
  sent_known_.assign(sent_.size(), false);
  for (std::size_t k : interface_.output_clocks) {
    output_references_.push_back(interface_.description.variables[k].reference);
  }
  fired_.assign(output_references_.size(), false);
  kept_.resize(interface_.outputs.size());
}

FmuInstance::~FmuInstance() {
  if (!fmu_) return;
  const bool alone = interface_.description.interface(interface_.kind)->only_once_per_process;
  fmi::release({shared_, std::move(log_), std::move(fmu_), ended_, alone});
}

bool FmuInstance::launch(const Place& place, Diagnostics& diagnostics) {
  place_ = place;
  diagnostics_ = &diagnostics;
  const fmi::Description& description = interface_.description;
  const fmi::Interface& interface = *description.interface(interface_.kind);
  Diagnostics own;
  log_ = std::make_unique<fmi::Log>(description, interface_.file);
  const std::string level = other(settings_, "log_level");
  // "nothing" opens no log at all.
  const std::string log = level == "nothing" ? "" : other(settings_, "log");
  log_->set_least(fmi::least_of_level(level));
  const auto archive = fmi::Archive::open(interface_.file, own);
  if (archive && (log.empty() || log_->open(log, own))) {
    fmi::LaunchOptions options;
    options.instance.name = place.block.empty() ? "fmu" : place.block.substr(place.block.rfind('/') + 1);
    options.instance.kind = interface_.kind;
    options.instance.resources = other(settings_, "resources");
    options.instance.visible = !other(settings_, "visible").empty();
    options.instance.logging = !log.empty();
    options.instance.event_mode = interface.event_mode;
    options.instance.early_return = interface.event_mode;
    options.safe = !other(settings_, "safe").empty();
    if (!prepare(options, place, diagnostics)) return false;
    const fmi::Surroundings surroundings(fmi::Surroundings::Folder::left);
    fmu_ = fmi::launch(*archive, description, *log_, options, own);
  }
  for (Diagnostic diagnostic : own.all()) {
    if (diagnostic.place.file != interface_.file) diagnostic.message += " (" + diagnostic.place.file + ")";
    diagnostic.place = place;
    diagnostic.notes.push_back("FMU: " + interface_.file);
    diagnostics.add(std::move(diagnostic));
  }
  if (!fmu_) return false;
  if (!log.empty()) {
    auto categories = words_of(other(settings_, "log_categories"));
    log_->set_categories(categories);
    if (categories.empty()) categories = description.log_categories;
    if (!fmi::succeeded(fmu_->set_debug_logging(true, categories))) {
      warn("fmi-no-logging", fmt::format("{} failed; the log may be empty", fmu_->last_call()));
    }
  }
  speaks_ = !log.empty() && !other(settings_, "log_own").empty();
  say(Status::ok, fmt::format("{}: {} of {}", place.block, fmi::name_of(interface_.kind), interface_.file));
  const std::string results = other(settings_, "results");
  if (results.empty()) return true;
  results_ = FmuResults::create(results, settings_, interface_, place, diagnostics);
  return results_ != nullptr;
}

void FmuInstance::say(Status status, const std::string& text) {
  if (speaks_) log_->note(status, text);
}

void FmuInstance::warn(std::string code, std::string message) {
  say(Status::warning, message);
  if (diagnostics_ != nullptr) diagnostics_->warning(std::move(code), place_, std::move(message));
}

bool FmuInstance::set_start_values(bool structural) {
  bool configuring = false;
  for (const auto& [index, text] : interface_.start) {
    const fmi::Variable& variable = interface_.description.variables[index];
    if ((variable.causality == fmi::Causality::structural_parameter) != structural) continue;
    if (structural && !configuring && !check(fmu_->enter_configuration())) return false;
    configuring = structural;
    Diagnostics diagnostics;  // the value was checked when the interface was read
    if (!check(fmi::set_value(*fmu_, interface_.description, variable, text, diagnostics))) return false;
  }
  return !configuring || check(fmu_->exit_configuration());
}

bool FmuInstance::enter_initialisation() {
  fmi::RunInterval interval;
  interval.start = run_.start;
  if (!other(settings_, "tolerance").empty()) interval.tolerance = run_.relative_tolerance;
  return set_start_values(true) && check(fmu_->setup(interval)) && set_start_values(false) &&
         check(fmu_->enter_initialization());
}

bool FmuInstance::leave_initialisation(fmi::EventInfo& events) {
  clocks_ = fmi::ClockCalendar(interface_.description, run_.start);
  for (const FmuPort& port : interface_.outputs) {
    const auto& clocks = interface_.variable(port).clocks;
    ticking_.insert(ticking_.end(), clocks.begin(), clocks.end());
  }
  keep_clocked_outputs();
  ticking_.clear();
  return check(fmu_->exit_initialization(events));
}

bool FmuInstance::tick_clocks(double t) {
  ticking_.clear();
  if (!clocks_known_ || clocks_.empty()) return true;
  const double rounding = 16 * std::numeric_limits<double>::epsilon() * std::max(std::fabs(t), std::fabs(run_.stop));
  ticking_ = clocks_.take_due(t, rounding);
  const std::vector<double> active(ticking_.size(), 1);
  return ticking_.empty() || check(fmu_->set_numbers(fmi::Type::clock, ticking_, active));
}

std::vector<std::uint32_t> FmuInstance::settable(const std::vector<std::uint32_t>& ports) const {
  std::vector<std::uint32_t> list;
  for (std::uint32_t k : ports) {
    const auto& clocks = interface_.variable(interface_.inputs[k]).clocks;
    const bool ticks =
        std::find_first_of(clocks.begin(), clocks.end(), ticking_.begin(), ticking_.end()) != clocks.end();
    if (clocks.empty() || ticks) list.push_back(k);
  }
  return list;
}

void FmuInstance::note_ticks(double t, const double* flags) {
  for (std::size_t k = 0; k < interface_.input_clocks.size(); ++k) {
    if (flags[k] != 0) clocks_.trigger(interface_.description.variables[interface_.input_clocks[k]].reference, t);
  }
}

std::vector<std::uint32_t> FmuInstance::take_fired() {
  std::vector<std::uint32_t> list;
  for (std::uint32_t k = 0; k < fired_.size(); ++k) {
    if (fired_[k] && !alone_) list.push_back(k);
    fired_[k] = false;
  }
  return list;
}

bool FmuInstance::read_output_clocks() {
  if (output_references_.empty()) return true;
  std::vector<double> active(output_references_.size(), 0);
  if (!check(fmu_->get_numbers(fmi::Type::clock, output_references_, active))) return false;
  for (std::size_t k = 0; k < active.size(); ++k) {
    if (active[k] == 0) continue;
    fired_[k] = true;
    if (alone_) ++alone_->counts.output_ticks;
    ticking_.push_back(output_references_[k]);
  }
  return true;
}

// Some FMUs give clocked variables only while the clock is active.
void FmuInstance::keep_clocked_outputs() {
  for (std::size_t k = 0; k < interface_.outputs.size() && !ticking_.empty(); ++k) {
    const FmuPort& port = interface_.outputs[k];
    const auto& clocks = interface_.variable(port).clocks;
    if (std::find_first_of(clocks.begin(), clocks.end(), ticking_.begin(), ticking_.end()) == clocks.end()) continue;
    std::vector<double> values(static_cast<std::size_t>(port.type.size()));
    if (fmi::succeeded(get_output(k, values.data()))) kept_[k] = std::move(values);
  }
}

bool FmuInstance::iterate_events(double t, fmi::EventInfo& events, bool at_least_once) {
  events.again = events.again || at_least_once;
  bool states_changed = false, nominals_changed = false;
  for (int k = 0; events.again && !events.terminate; ++k) {
    if (k == most_event_iterations) {
      complain("fmi-event-iteration",
               fmt::format("the event iteration does not end: {} asks for more after {} calls", fmu_->last_call(), k));
      return false;
    }
    if (!read_output_clocks()) return false;
    keep_clocked_outputs();
    ticking_.clear();  // the update makes them inactive
    if (!check(fmu_->update_discrete_states(events)) || !store(FmuResults::Why::iteration, t)) return false;
    states_changed = states_changed || events.states_changed;
    nominals_changed = nominals_changed || events.nominals_changed;
  }
  events.states_changed = states_changed;
  events.nominals_changed = nominals_changed;
  if (clocks_.empty()) return true;
  clocks_known_ = true;
  if (!check(clocks_.ask(*fmu_, t))) return false;
  const double tick = clocks_.next();
  if (std::isfinite(tick) && tick < events.next_time.value_or(tick + 1)) events.next_time = tick;
  return true;
}

FmuInstance::Group& FmuInstance::group_of(fmi::Type type) {
  for (Group& group : groups_) {
    if (group.type == type) return group;
  }
  groups_.push_back({type, {}, {}});
  return groups_.back();
}

bool FmuInstance::has(const std::vector<std::uint32_t>& ports, const double* const* values) const {
  for (std::size_t i = 0; i < ports.size(); ++i) {
    const std::vector<double>& sent = sent_[ports[i]];
    if (!sent_known_[ports[i]] || std::memcmp(sent.data(), values[i], sent.size() * sizeof(double)) != 0) return false;
  }
  return true;
}

fmi::Status FmuInstance::set_inputs(const std::vector<std::uint32_t>& ports, const double* const* values) {
  bool any = false;
  for (std::size_t i = 0; i < ports.size(); ++i) {
    const std::uint32_t k = ports[i];
    const std::size_t bytes = sent_[k].size() * sizeof(double);
    if (sent_known_[k] && std::memcmp(sent_[k].data(), values[i], bytes) == 0) continue;
    std::memcpy(sent_[k].data(), values[i], bytes);
    sent_known_[k] = true;
    any = true;
    const FmuPort& port = interface_.inputs[k];
    const fmi::Variable& variable = interface_.variable(port);
    Group& group = group_of(variable.type);
    group.references.push_back(variable.reference);
    const std::size_t first = group.values.size();
    group.values.resize(first + sent_[k].size());
    for (std::size_t e = 0; e < sent_[k].size(); ++e) {
      const std::size_t place = port.order.empty() ? e : port.order[e];
      group.values[first + place] = negated(variable, sent_[k][e]);
    }
  }
  Status worst = Status::ok;
  for (Group& group : groups_) {
    if (!any) break;
    if (group.references.empty()) continue;
    if (fmi::succeeded(worst)) worst = fmu_->set_numbers(group.type, group.references, group.values);
    group.references.clear();
    group.values.clear();
  }
  if (!fmi::succeeded(worst)) forget_inputs();
  return worst;
}

fmi::Status FmuInstance::get_output(std::size_t k, double* values) {
  const FmuPort& port = interface_.outputs[k];
  const fmi::Variable& variable = interface_.variable(port);
  const auto count = static_cast<std::size_t>(port.type.size());
  numbers_.resize(count);
  const Status status = fmu_->get_numbers(variable.type, {&variable.reference, 1}, numbers_);
  if (!fmi::succeeded(status) && !kept_[k].empty() && fmu_->death() == nullptr) {
    std::copy(kept_[k].begin(), kept_[k].end(), values);
    return Status::ok;
  }
  for (std::size_t e = 0; e < count; ++e) {
    values[e] = negated(variable, numbers_[port.order.empty() ? e : port.order[e]]);
  }
  return status;
}

const std::vector<const double*>& FmuInstance::split_inputs(const double* values) {
  split_.clear();
  for (const FmuPort& port : interface_.inputs) {
    split_.push_back(values);
    values += port.type.size();
  }
  return split_;
}

bool FmuInstance::check(Status status) noexcept {
  if (fmi::succeeded(status)) return true;
  complain("fmi-call-failed", fmt::format("{} returned {}", fmu_->last_call(), fmi::name_of(status)));
  return false;
}

void FmuInstance::complain(std::string code, std::string message) {
  say(Status::error, message);
  trouble_ = Trouble{std::move(code), std::move(message)};
}

bool FmuInstance::note(Status status) noexcept {
  if (check(status)) return true;
  // Many FMUs say "error" where "discard" is meant: outside the domain of a function. Another point may do.
  const bool over = status == Status::fatal || fmu_->death() != nullptr;
  health_ = std::max(health_, over ? program::ForeignHealth::failed : program::ForeignHealth::retry);
  return false;
}

bool FmuInstance::guard(const std::function<void()>& body) {
  if (fmu_->under_one_guard(body)) return true;
  note(Status::fatal);
  return false;
}

program::ForeignHealth FmuInstance::health() noexcept { return std::exchange(health_, program::ForeignHealth::well); }

void FmuInstance::report(const Place& place, double t, Diagnostics& diagnostics) {
  if (!trouble_) return;
  const fmi::Death* death = fmu_ ? fmu_->death() : nullptr;
  const char* slow =
      death != nullptr && death->code == "fmi-hang" && alone_ ? "--time-limit changes how long a call may take" : "";
  const char* more = alone_ ? "--log - shows all that the FMU says" : "the parameter log shows all that the FMU says";
  Diagnostic& error = death != nullptr ? diagnostics.error(death->code, place, death->message, slow)
                                       : diagnostics.error(trouble_->code, place, trouble_->message, more);
  error.time = t;
  if (!alone_) error.notes.push_back("FMU: " + interface_.file);
  for (const std::string& words : log_->last_words()) error.notes.push_back(words);
  trouble_.reset();
}

bool FmuInstance::store(FmuResults::Why why, double t) {
  constexpr const char* names[] = {"step", "state event", "time event", "step event", "external event", "iteration",
                                   ""};
  if (speaks_ && why != FmuResults::Why::output) {
    say(Status::ok, fmt::format("{} at t = {}", names[static_cast<int>(why)], t));
  }
  return !results_ || !results_->wants(why) || check(results_->store(*fmu_, t));
}

bool FmuInstance::save_state(std::vector<std::byte>& bytes) {
  const fmi::Interface& interface = *interface_.description.interface(interface_.kind);
  if (!interface.get_set_state || !interface.serialize_state || !clocks_.empty()) return false;
  void* state = nullptr;
  std::vector<char> text;
  if (!fmi::succeeded(fmu_->get_state(state))) return false;
  const bool ok = fmi::succeeded(fmu_->serialize_state(state, text));
  static_cast<void>(fmu_->free_state(state));
  const auto* data = reinterpret_cast<const std::byte*>(text.data());
  bytes.insert(bytes.end(), data, data + text.size());
  return ok;
}

bool FmuInstance::restore_state(std::span<const std::byte> bytes) {
  void* state = nullptr;
  const std::span text{reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  if (!fmi::succeeded(fmu_->deserialize_state(text, state))) return false;
  const bool ok = fmi::succeeded(fmu_->set_state(state));
  static_cast<void>(fmu_->free_state(state));
  forget_inputs();
  return ok;
}

std::unique_ptr<program::ForeignInstance> open_fmu(std::shared_ptr<const FmuInterface> interface,
                                                   const FmuSettings& settings, const program::ForeignRun& run,
                                                   const Place& place, Diagnostics& diagnostics) {
  std::unique_ptr<FmuInstance> instance;
  const fmi::Kind kind = interface->kind;
  if (kind == fmi::Kind::model_exchange) {
    instance = std::make_unique<ExchangeInstance>(std::move(interface), settings, run);
  } else if (kind == fmi::Kind::co_simulation) {
    instance = std::make_unique<SteppingInstance>(std::move(interface), settings, run);
  } else {
    instance = std::make_unique<ScheduledInstance>(std::move(interface), settings, run);
  }
  if (!instance->launch(place, diagnostics)) return nullptr;
  return instance;
}

}  // namespace orrery::foreign
