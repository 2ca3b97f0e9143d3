// SPDX-License-Identifier: Apache-2.0
// Step control lane by lane, as solve/runge_kutta_adaptive.h has it for one run.
#include "analyse/lanes.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "sim/solver_seat.h"
#include "solve/step_rules.h"

namespace orrery::analyse {
namespace {

constexpr double beta = 0.04, exponent = 1.0 / 5 - 0.75 * beta;
constexpr double least_factor = 0.2, greatest_factor = 10;
constexpr double log_safety = -0.10536051565782628, log_floor = -18.420680743952367, negligible = 1e-18;
enum Vector : int { state, end, slope };  // of the work

// Empty: nothing stands in the way.
std::string what_forbids_lanes(const sim::CompiledProgram& compiled, const sim::RunOptions& options) {
  const program::Program& program = compiled.program();
  if (!__builtin_cpu_supports("avx2")) return "this processor has no AVX2";
  if (program.states.empty()) return "it has no continuous states";
  const program::Table& initial = program.sources[0].table;
  bool events = program.sources.size() > 1 || !program.surfaces.empty() || !program.assertions.empty() ||
                !initial.schedules.empty() || !initial.actions.empty() || !initial.calls.empty() ||
                !program.inputs.empty();
  if (events) return "it has events, conditions or inputs";
  if (!program.loops.empty() || !program.start_system.empty() || !program.invariants.empty() ||
      !program.projections.empty())
    return "it has equations that must be solved";
  if (!program.histories.empty()) return "it has delays";
  if (!program.foreign_objects.empty() || !program.graph.foreign_functions().empty()) return "it has foreign code";
  if (options.solver != "dopri" && options.solver != "auto" && !options.solver.empty())
    return "its solver is " + options.solver + ", and lanes are integrated with dopri";
  if (options.interval > 0 || !options.row_times.empty()) return "it records at times of its own";
  if (options.limits.fixed > 0 || options.limits.initial > 0) return "its steps are given";
  return {};
}

}  // namespace

std::shared_ptr<const LaneCode> LaneCode::make(const sim::CompiledProgram& compiled, const sim::RunOptions& options,
                                               const std::vector<std::uint32_t>& probes, std::string& why) {
  why = what_forbids_lanes(compiled, options);
  if (!why.empty()) return nullptr;
  program::Program program = compiled.program();
  std::vector<program::ExprId> shown;
  for (const std::uint32_t probe : probes) {
    const program::SlotId slot = program.probes[probe].slot;
    program::ExprId value = program.read(slot);
    for (const program::Assign& assign : program.always) {
      if (assign.slot == slot && assign.guard == program::no_expr) value = assign.value;
    }
    shown.push_back(value);
  }
  native::UserText text;
  text.header_name = "orrery_no_header";
  text.code = lanes_text(compiled, shown, program, why);
  if (text.code.empty()) return nullptr;
  auto made = std::make_shared<LaneCode>();
  std::string messages;
  made->code_ = native::compile_user_code(text, messages);
  if (made->code_ == nullptr || made->code_->object == nullptr) {
    why = "the machine's C compiler does not make it" + (messages.empty() ? "" : ": " + messages.substr(0, 200));
    return nullptr;
  }
  made->attempt_ = reinterpret_cast<Attempt>(made->code_->symbol("orr_lane_attempt"));
  made->rates_ = reinterpret_cast<Evaluate>(made->code_->symbol("orr_lane_rates"));
  made->shown_ = reinterpret_cast<Evaluate>(made->code_->symbol("orr_lane_shown"));
  made->states_ = static_cast<int>(program.states.size());
  made->shown_count_ = shown.size();
  made->words_ = (compiled.layout().bytes + 7) / 8;
  made->limits_ = options.limits;
  // As for one run (sim/solver_seat.cpp).
  if (made->limits_.maximum <= 0) made->limits_.maximum = (options.stop - options.start) / 100;
  made->largest_ = solve::largest_step(made->limits_);
  const double factor = sim::tightening(options.tolerance.relative);
  made->relative_ = factor * options.tolerance.relative;
  const double absolute =
      factor * (options.tolerance.absolute > 0 ? options.tolerance.absolute : options.tolerance.relative);
  for (const program::SlotId slot : program.states) {
    const program::Slot& at = program.slots[slot];
    double own = at.absolute_tolerance > 0 ? factor * at.absolute_tolerance : absolute;
    if (at.absolute_tolerance <= 0 && !at.nominals.empty()) own *= at.nominals[0];
    if (at.kind != program::SlotKind::state) return why = "it has states that only watch conditions", nullptr;
    made->absolute_.push_back(std::max(own, 1e-300));
  }
  return made;
}

LaneRuns::LaneRuns(const LaneCode& code, double start, double stop) : code_(code), start_(start), stop_(stop) {
  const auto n = static_cast<std::size_t>(code.states_);
  work_.resize(9 * n);
  memory_.resize(code.words_);
  shown_.resize(std::max<std::size_t>(code.shown_count_, 1));
  at_.resize(n);
  for (int lane = 0; lane < lane_count; ++lane) t_[lane] = t_new_[lane] = start;
}

void LaneRuns::begin(int lane, const std::byte* memory) {
  for (std::size_t k = 0; k < code_.words_; ++k) std::memcpy(&memory_[k].value[lane], memory + 8 * k, 8);
  for (int i = 0; i < code_.states_; ++i) column(state, i)[lane] = memory_[static_cast<std::size_t>(i)].value[lane];
  t_[lane] = start_;
  take_[lane] = 0;
  Control& control = control_[static_cast<std::size_t>(lane)];
  control = {};
  control.log_error = log_floor;
  control.fresh = true;
  busy_[static_cast<std::size_t>(lane)] = true;
}

// HNW I, section II.4, as for one run. Other lanes are evaluated where they are, in vain.
void LaneRuns::choose_first_step(int lane) {
  const int n = code_.states_;
  const auto scale = [&](int i) {
    return code_.absolute_[static_cast<std::size_t>(i)] + code_.relative_ * std::abs(column(state, i)[lane]);
  };
  const auto norm = [&](auto&& value) {
    double sum = 0;
    for (int i = 0; i < n; ++i) {
      const double ratio = value(i) / scale(i);
      sum += ratio * ratio;
    }
    return std::sqrt(sum / n);
  };
  const double limit = std::min(stop_ - t_[lane], code_.largest_);
  const double size_x = norm([&](int i) { return column(state, i)[lane]; });
  const double size_f = norm([&](int i) { return column(slope, i)[lane]; });
  double h = size_x < 1e-5 || size_f < 1e-5 ? 1e-6 : 0.01 * size_x / size_f;
  h = std::max(std::min(h, limit), solve::smallest_step(t_[lane], code_.limits_));
  std::vector<Line> trial(static_cast<std::size_t>(n)), rates(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) {
    std::memcpy(trial[static_cast<std::size_t>(i)].value, column(state, i), sizeof(Line));
    trial[static_cast<std::size_t>(i)].value[lane] = column(state, i)[lane] + h * column(slope, i)[lane];
  }
  alignas(32) double t[lane_count];
  std::copy_n(t_, lane_count, t);
  t[lane] = t_[lane] + h;
  code_.rates_(&t, lanes(trial), lanes(rates), memory_.data());
  const double curvature =
      norm([&](int i) { return rates[static_cast<std::size_t>(i)].value[lane] - column(slope, i)[lane]; }) / h;
  const double largest = std::max(curvature, size_f);
  const double h1 = largest <= 1e-15 ? std::max(1e-6, h * 1e-3) : std::pow(0.01 / largest, 1.0 / 5);
  const double chosen = std::min({100 * h, h1, limit});
  control_[static_cast<std::size_t>(lane)].next = std::isfinite(chosen) && chosen > 0 ? chosen : h;
}

const std::array<LaneRuns::Event, lane_count>& LaneRuns::advance() {
  const int n = code_.states_;
  bool fresh = false;
  for (const Control& control : control_) fresh = fresh || control.fresh;
  if (fresh) {
    // States that the attempt would take over must be in their places for this.
    for (int i = 0; i < n; ++i) {
      for (int lane = 0; lane < lane_count; ++lane)
        if (take_[lane] != 0) column(state, i)[lane] = column(end, i)[lane];
    }
    code_.rates_(&t_, lanes(work_), reinterpret_cast<Lanes*>(column(slope, 0)), memory_.data());
    for (int lane = 0; lane < lane_count; ++lane) take_[lane] = 0;
  }
  events_.fill(Event::none);
  for (int lane = 0; lane < lane_count; ++lane) {
    const auto l = static_cast<std::size_t>(lane);
    Control& control = control_[l];
    h_[lane] = 0;
    t_new_[lane] = t_[lane];
    if (!busy_[l]) continue;
    const double t = t_[lane];
    if (control.fresh) {
      control.fresh = false;
      for (int i = 0; i < n; ++i)
        if (!std::isfinite(column(slope, i)[lane])) events_[l] = Event::failed;
      if (events_[l] == Event::failed || stop_ <= t) {
        busy_[l] = false;
        if (stop_ <= t) events_[l] = Event::finished;
        continue;
      }
      choose_first_step(lane);
    }
    double h = control.next;
    if (!control.rejected)
      h = std::clamp(h, std::min(solve::smallest_step(t, code_.limits_), code_.largest_), code_.largest_);
    control.wanted = h;
    const double remaining = stop_ - t;
    control.last = remaining <= 1.01 * h && remaining <= code_.largest_ * (1 + 1e-6);
    if (control.last) h = remaining;
    h_[lane] = h;
    t_new_[lane] = control.last ? stop_ : std::min(t + h, stop_);
  }
  code_.attempt_(&t_, &h_, &t_new_, take_, lanes(work_), code_.absolute_.data(), code_.relative_,
                 1.0 / static_cast<double>(n), &squared_, memory_.data());
  for (int lane = 0; lane < lane_count; ++lane) {
    const auto l = static_cast<std::size_t>(lane);
    Control& control = control_[l];
    take_[lane] = 0;
    if (!busy_[l]) continue;
    const double squared = squared_[lane], h = h_[lane];
    if (!(squared <= 1)) {
      const double smallest = solve::smallest_step(t_[lane], code_.limits_);
      double factor = least_factor;
      if (std::isfinite(squared))
        factor = std::max(least_factor, solve::rough_exp(log_safety - 0.5 * exponent * solve::rough_log(squared)));
      if (h > smallest) {
        control.next = std::max(h * factor, smallest);
        control.rejected = true;
      } else {
        events_[l] = Event::failed;
        busy_[l] = false;
      }
      continue;
    }
    const double log_error = squared <= negligible ? log_floor : solve::rough_log(squared);
    double factor = greatest_factor;
    if (squared > negligible)
      factor = solve::rough_exp(log_safety + 0.5 * (beta * control.log_error - exponent * log_error));
    factor = std::clamp(factor, least_factor, control.rejected ? 1.0 : greatest_factor);
    const bool cut = control.last && h < control.wanted;
    control.next = cut && factor >= 1 ? std::max(control.wanted, h * factor) : h * factor;
    if (!cut) control.log_error = std::max(log_error, log_floor);
    control.rejected = false;
    take_[lane] = -1;
    t_[lane] = t_new_[lane];
    events_[l] = t_[lane] >= stop_ ? Event::finished : Event::stepped;
    if (events_[l] == Event::finished) busy_[l] = false;
  }
  return events_;
}

const double (*LaneRuns::show())[lane_count] {
  const int n = code_.states_;
  for (int i = 0; i < n; ++i) {
    for (int lane = 0; lane < lane_count; ++lane)
      at_[static_cast<std::size_t>(i)].value[lane] = column(take_[lane] != 0 ? end : state, i)[lane];
  }
  code_.shown_(&t_, lanes(at_), lanes(shown_), memory_.data());
  return lanes(shown_);
}

}  // namespace orrery::analyse
