// SPDX-License-Identifier: Apache-2.0
// Calling flag blocks.
#include "foreign/flag_block_instance.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <limits>

#include "base/printable.h"
#include "foreign/flag_numbers.h"

namespace orrery::foreign {

namespace flags = blocks::flag_calls;
using program::ForeignHealth;
using program::ForeignOutcome;

namespace {

// Most of what comes and goes is one number, for which memcpy would be a call.
inline void copy_bytes(void* to, const void* from, std::size_t bytes) noexcept {
  if (bytes == sizeof(double)) {
    std::memcpy(to, from, sizeof(double));
  } else {
    std::memcpy(to, from, bytes);
  }
}

}  // namespace

FlagBlockInstance::FlagBlockInstance(blocks::FlagShape shape, const program::ForeignRun& run, const Place& place,
                                     Diagnostics& diagnostics, bool shared)
    : shape_(std::move(shape)),
      place_(place),
      run_(run),
      memory_(std::make_unique<FlagMemory>(shared)),
      label_(place.block.substr(place.block.rfind('/') + 1)),
      file_(place.file),
      name_(std::filesystem::path(place.file).stem()),
      owner_(std::make_unique<FlagOwner>()),
      diagnostics_(diagnostics) {}

FlagBlockInstance::~FlagBlockInstance() { owner_->release(); }

void FlagBlockInstance::complain(std::string code, std::string message) {
  if (!trouble_.empty()) return;
  trouble_code_ = std::move(code);
  trouble_ = std::move(message);
}

[[gnu::always_inline]] inline void FlagBlockInstance::set_phase(int phase) noexcept {
  block_->sim->phase = phase;
  block_->sim->modes_fixed = phase == PHASE_TRY_MFX ? 1 : 0;
}

// Numbers, and of the structure what a block says with it; `work` is a pointer of the other process, which nobody here
// follows.
void FlagBlockInstance::take_results() {
  memory_->receive_numbers();
  const vss_block theirs = memory_->received(block_);
  block_->error = theirs.error;
  block_->work = theirs.work;
  block_->analytic_jacobian = theirs.analytic_jacobian;
  const vss_simulator said = memory_->received(block_->sim);
  block_->sim->hmax = said.hmax;
  block_->sim->stop_requested = said.stop_requested;
  block_->sim->hot_restart = said.hot_restart;
  answer_->message[sizeof answer_->message - 1] = 0;
  answer_->said[sizeof answer_->said - 1] = 0;
}

// Warnings become ours, the first ones of them; notes go to standard error.
void FlagBlockInstance::pass_on() noexcept {
  constexpr int most_warnings = 20;
  std::string_view rest = answer_->said;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size() - 1);
    const std::string line(rest.substr(1, end - 1));
    if (rest[0] == 'n') {
      std::fprintf(stderr, "%s: %s\n", printable(place_.block).c_str(), printable(line).c_str());
    } else if (warnings_++ < most_warnings) {
      diagnostics_.warning("block-warning", place_, line).time = block_->sim->time;
    }
    rest.remove_prefix(end + 1);
  }
  answer_->warnings = 0;
  answer_->said[0] = 0;
}

// Nothing of the last call counts. Of these three, calls would cost as much as what they do.
[[gnu::always_inline]] inline bool FlagBlockInstance::call(int flag) noexcept {
  FlagAnswer& a = *answer_;
  a.discard = a.failed = false;
  block_->error = 0;
  if (function_ != nullptr) {
    function_(block_, flag);
  } else if (!invoke(flag)) {
    set_health(ForeignHealth::failed);
    return false;
  }
  if (a.warnings > 0) pass_on();
  if (a.failed || block_->error != 0) {
    if (a.failed) {
      complain("block-error", a.message);
    } else {
      complain("block-error", fmt::format("the block reports the error {}", block_->error));
    }
    set_health(ForeignHealth::failed);
    return false;
  }
  if (a.discard && flag != VssFlag_Derivatives) {
    complain("block-error", "Discard was called where no derivative was wanted");
    set_health(ForeignHealth::failed);
    return false;
  }
  if (a.discard && health_ == ForeignHealth::well) set_health(ForeignHealth::retry);
  return !a.discard;
}

ForeignOutcome FlagBlockInstance::open(std::span<double> initial) {
  ForeignOutcome outcome;
  if (block_ == nullptr && !allocate()) {
    complain("block-error", "the machine gives no memory for the block");
    outcome.ok = false;
    return outcome;
  }
  open_ = true;
  block_->sim->initialising = 1;
  set_phase(PHASE_DISCRETE);
  outcome.ok = call(VssFlag_Initialize);
  std::vector<double> all(initial.size() + static_cast<std::size_t>(shape_.events) + 1);
  give_results(all, 0);
  std::copy_n(all.begin(), initial.size(), initial.begin());
  return outcome;
}

// States, z, oz, modes, delays, epoch, as procedures give them.
void FlagBlockInstance::give_results(std::span<double> results, double epoch) {
  std::size_t next = 0;
  const auto put = [&](double value) {
    if (next < results.size()) results[next++] = value;
  };
  for (int k = 0; k < block_->nstate; ++k) put(block_->state[k]);
  for (int k = 0; k < block_->ndstate; ++k) put(block_->dstate[k]);
  for (std::size_t m = 0; m < shape_.oz.size(); ++m) {
    for (std::size_t k = 0; k < elements(shape_.oz[m]); ++k)
      put(number_at(block_->odstate[m].type, block_->odstate[m].real, k));
  }
  for (int k = 0; k < block_->nmode; ++k) put(block_->mode[k]);
  for (int k = 0; k < block_->nevoutput; ++k) put(block_->evoutput[k]);
  put(epoch);
}

// In the order in which blocks/custom_blocks/flag_block.cpp lists them; the code of the event comes behind these.
std::vector<FlagBlockInstance::Argument> FlagBlockInstance::places_of_arguments(bool feedthrough_only) const {
  const vss_block& b = *block_;
  std::vector<Argument> places;
  const auto doubles = [&](double* to, int count) {
    if (count > 0) places.push_back({to, static_cast<std::size_t>(count) * sizeof(double)});
  };
  doubles(b.state, b.nstate);
  if (b.implicit != 0) doubles(b.derivative, b.nstate);
  doubles(b.dstate, b.ndstate);
  for (std::size_t m = 0; m < shape_.oz.size(); ++m) places.push_back({b.odstate[m].real, stored_bytes(shape_.oz[m])});
  if (b.nmode > 0) places.push_back({b.mode, static_cast<std::size_t>(b.nmode), true});
  for (std::size_t m = 0; m < shape_.inputs.size(); ++m) {
    if (feedthrough_only && !shape_.inputs[m].feedthrough) continue;
    places.push_back({b.input[m].real, stored_bytes(shape_.inputs[m])});
    if (b.input[m].type == SCSCOMPLEX_N) places.push_back({b.input[m].imag, stored_bytes(shape_.inputs[m])});
  }
  return places;
}

[[gnu::always_inline]] inline void FlagBlockInstance::place_arguments(const void* const* arguments,
                                                                      const std::vector<Argument>& places) noexcept {
  vss_block& b = *block_;
  b.sim->time = *static_cast<const double*>(*arguments++);
  for (const Argument& place : places) {
    if (place.modes) {
      const auto* modes = static_cast<const double*>(*arguments++);
      for (int k = 0; k < b.nmode; ++k) b.mode[k] = static_cast<int>(modes[k]);
    } else {
      copy_bytes(place.to, *arguments++, place.bytes);
    }
  }
  b.event_code = static_cast<int>(*static_cast<const double*>(*arguments));
}

void FlagBlockInstance::outputs(const void* const* arguments, void* const* results) noexcept {
  place_arguments(arguments, for_outputs_);
  set_phase(block_->event_code > 0 ? PHASE_DISCRETE : PHASE_TRY_MFX);
  call(VssFlag_OutputUpdate);
  for (const Argument& from : results_) {
    if (*results != nullptr) copy_bytes(*results, from.to, from.bytes);  // nullptr: nobody reads it
    ++results;
  }
}

program::ForeignEntry FlagBlockInstance::entry(int function) {
  if (function != flags::outputs) return ForeignInstance::entry(function);
  return {[](void* self, int, const void* const* arguments, void* const* results) {
            static_cast<FlagBlockInstance*>(self)->outputs(arguments, results);
          },
          this, function};
}

// By states from the block, by inputs from differences of its derivatives; row by row.
void FlagBlockInstance::partials(const void* const* arguments, double* slopes) noexcept {
  place_arguments(arguments, for_others_);
  set_phase(PHASE_TRY_MFX);
  vss_block& b = *block_;
  const auto n = static_cast<std::size_t>(b.nstate);
  b.sim->alpha = 1;
  b.sim->beta = 0;
  call(VssFlag_Jacobians);
  std::vector<double> columns(b.jacobian, b.jacobian + n * n), base(n);
  call(VssFlag_Derivatives);
  std::copy_n(b.derivative, n, base.begin());
  for (std::size_t m = 0; m < shape_.inputs.size(); ++m) {
    if (!is_floating(shape_.inputs[m].type.scalar)) continue;
    for (void* part : {b.input[m].real, b.input[m].imag}) {
      for (std::size_t k = 0; part != nullptr && k < elements(shape_.inputs[m]); ++k) {
        double& u = static_cast<double*>(part)[k];
        const double kept = u, step = 1.5e-8 * std::max(1.0, std::fabs(u));
        u = kept + step;
        call(VssFlag_Derivatives);
        for (std::size_t r = 0; r < n; ++r) columns.push_back((b.derivative[r] - base[r]) / (u - kept));
        u = kept;
      }
    }
  }
  const std::size_t count = columns.size() / n;
  for (std::size_t r = 0; r < n; ++r) {
    for (std::size_t c = 0; c < count; ++c) slopes[r * count + c] = columns[c * n + r];
  }
}

void FlagBlockInstance::compute(int function, const void* const* arguments, void* const* results) noexcept {
  auto* numbers = static_cast<double*>(results[0]);
  vss_block& b = *block_;
  if (function == flags::outputs) return outputs(arguments, results);
  if (function == flags::derivative_partials) return partials(arguments, numbers);
  place_arguments(arguments, for_others_);
  set_phase(PHASE_TRY_MFX);
  const double* from = nullptr;
  std::size_t count = 0;
  bool ok = true;
  if (function == flags::derivatives) {
    ok = call(VssFlag_Derivatives);
    from = b.implicit != 0 ? b.residual : b.derivative;
    count = static_cast<std::size_t>(b.nstate);
  } else if (function == flags::surfaces) {
    ok = call(VssFlag_ZeroCrossings);
    from = b.zcross;
    count = static_cast<std::size_t>(b.nzcross);
  } else {
    ok = call(VssFlag_Projection);
    from = b.constraint;
    count = static_cast<std::size_t>(shape_.projects ? b.nstate : shape_.constraints);
  }
  std::memcpy(numbers, from, count * sizeof(double));
  if (!ok) std::fill_n(numbers, count, std::numeric_limits<double>::quiet_NaN());
}

void FlagBlockInstance::take(const double*& next, double* to, std::size_t count) noexcept {
  std::copy_n(next, count, to);
  next += count;
}

void FlagBlockInstance::take_typed(const double*& next, vss_matrix& to) noexcept {
  const auto count = static_cast<std::size_t>(to.size[0]) * static_cast<std::size_t>(to.size[1]);
  Scalar scalar = Scalar::f64;
  for (int code = 0; code <= static_cast<int>(Scalar::boolean); ++code) {
    if (vss_type(static_cast<Scalar>(code)) == to.type) scalar = static_cast<Scalar>(code);
  }
  if (scalar == Scalar::c128) scalar = Scalar::f64;
  for (std::size_t k = 0; k < count; ++k) put_number(scalar, to.real, k, *next++);
  if (to.type == SCSCOMPLEX_N) take(next, static_cast<double*>(to.imag), count);
}

// The modes that belong to the values of this moment.
void FlagBlockInstance::find_modes() noexcept {
  if (shape_.modes == 0) return;
  const int phase = block_->sim->phase;
  set_phase(PHASE_TRY_MRLX);
  call(VssFlag_ZeroCrossings);
  set_phase(phase);
}

ForeignOutcome FlagBlockInstance::procedure(int procedure, double) {
  ForeignOutcome outcome;
  vss_block& b = *block_;
  FlagAnswer& a = *answer_;
  a.stop = a.cold_restart = false;
  std::fill_n(b.evoutput, b.nevoutput, -1.0);
  switch (procedure) {
    case flags::start:
      set_phase(PHASE_EXIT_INITIALIZATION);
      outcome.ok = call(VssFlag_Reinitialize);
      b.sim->initialising = 0;
      find_modes();
      if (outcome.ok && b.nevoutput > 0) outcome.ok = call(VssFlag_EventScheduling);
      break;
    case flags::event:
    case flags::crossing:
      set_phase(procedure == flags::event ? PHASE_DISCRETE : PHASE_ZCROSS);
      if (procedure == flags::crossing) b.event_code = -1;
      if (b.noutput == 0 && procedure == flags::event) outcome.ok = call(VssFlag_OutputUpdate);
      if (outcome.ok) outcome.ok = call(VssFlag_StateUpdate);
      if (outcome.ok && b.nevoutput > 0) outcome.ok = call(VssFlag_EventScheduling);
      find_modes();
      break;
    case flags::step:
      set_phase(PHASE_MESHPOINT);
      outcome.ok = call(VssFlag_OutputUpdate);
      b.sim->last_step = b.sim->time - b.sim->mesh_point;
      b.sim->mesh_point = b.sim->time;
      break;
    default: terminate(); break;
  }
  outcome.ok = outcome.ok && health_ != ForeignHealth::failed;
  outcome.stop = a.stop;
  return outcome;
}

ForeignOutcome FlagBlockInstance::perform(int which, double t, std::span<const double> arguments,
                                          std::span<double> results) {
  ForeignOutcome outcome;
  if (ended_) return outcome;
  vss_block& b = *block_;
  const double* next = arguments.data();
  b.sim->time = *next++;
  take(next, b.state, static_cast<std::size_t>(b.nstate));
  if (b.implicit != 0) take(next, b.derivative, static_cast<std::size_t>(b.nstate));
  take(next, b.dstate, static_cast<std::size_t>(b.ndstate));
  for (int k = 0; k < b.nodstate; ++k) take_typed(next, b.odstate[k]);
  for (int k = 0; k < b.nmode; ++k) b.mode[k] = static_cast<int>(*next++);
  for (int k = 0; k < b.ninput; ++k) take_typed(next, b.input[k]);
  b.event_code = static_cast<int>(*next++);
  for (int k = 0; k < b.nzcross; ++k) b.jroot[k] = static_cast<int>(*next++);
  std::fill_n(b.evoutput, b.nevoutput, -1.0);
  before_.assign(results.size(), 0);
  give_results(before_, epoch_);
  outcome = procedure(which, t);
  if (!outcome.ok || results.empty()) return outcome;
  give_results(results, epoch_);
  const bool moved = !std::equal(results.begin(), results.end(), before_.begin());
  outcome.changed = moved || b.work != nullptr || answer_->cold_restart || which == flags::start;
  if (outcome.changed) results.back() = ++epoch_;
  for (int k = 0; k < b.nevoutput; ++k) {
    if (std::isnan(b.evoutput[k])) {
      complain("block-error", fmt::format("the delay of activation output {} is not a number", k + 1));
      outcome.ok = false;
    }
    if (b.evoutput[k] >= 0 && outcome.fired.empty()) outcome.fired.push_back(0);
  }
  return outcome;
}

void FlagBlockInstance::terminate() noexcept {
  if (!open_ || ended_) return;
  ended_ = true;
  block_->sim->terminating = 1;
  if (health_ != ForeignHealth::failed || trouble_code_ == "block-error") call(VssFlag_Terminate);
  owner_->release();
}

ForeignHealth FlagBlockInstance::health() noexcept {
  const ForeignHealth now = health_;
  if (health_ == ForeignHealth::retry) set_health(ForeignHealth::well);
  return now;
}

void FlagBlockInstance::report(const Place& place, double t, Diagnostics& diagnostics) {
  const bool said = !trouble_.empty();
  Diagnostic& d = diagnostics.error(said ? trouble_code_ : "block-error", place,
                                    said ? trouble_ : "the block could not compute its derivative here");
  d.time = t;
}

bool FlagBlockInstance::save(std::vector<std::byte>& bytes) {
  if (block_ == nullptr || block_->work != nullptr) return false;  // what it keeps there nobody knows
  const double head[] = {epoch_, block_->sim->mesh_point};
  bytes.resize(sizeof head);
  std::memcpy(bytes.data(), head, sizeof head);
  return true;
}

bool FlagBlockInstance::restore(std::span<const std::byte> bytes) {
  double head[2] = {};
  if (bytes.size() != sizeof head) return false;
  std::memcpy(head, bytes.data(), sizeof head);
  epoch_ = head[0];
  block_->sim->mesh_point = head[1];
  return true;
}

}  // namespace orrery::foreign
