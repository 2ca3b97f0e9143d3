// SPDX-License-Identifier: Apache-2.0
// The loop itself, its bookkeeping, and saving a run.
#include "sim/hybrid_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "solve/dae.h"

namespace orrery::sim {
namespace {

constexpr std::uint64_t save_mark = 0x34'65'76'61'53'72'72'4f;  // "OrrSave4"

template <class T>
void append(std::vector<std::byte>& out, const T* data, std::size_t count) {
  const auto* bytes = reinterpret_cast<const std::byte*>(data);
  const std::uint64_t size = count * sizeof(T);
  const auto* head = reinterpret_cast<const std::byte*>(&size);
  out.insert(out.end(), head, head + sizeof size);
  out.insert(out.end(), bytes, bytes + size);
}

// ODE solvers count from 0, DAE solvers from 1000; -1 stands for none.
constexpr int first_dae = 1000;

int solver_number(const solve::SolverInfo* solver) {
  for (std::size_t k = 0; k < solve::solvers().size(); ++k) {
    if (&solve::solvers()[k] == solver) return static_cast<int>(k);
  }
  for (std::size_t k = 0; k < solve::dae_solvers().size(); ++k) {
    if (&solve::dae_solvers()[k] == solver) return first_dae + static_cast<int>(k);
  }
  return -1;
}

const solve::SolverInfo* solver_by_number(double number) {
  const auto& list = number < first_dae ? solve::solvers() : solve::dae_solvers();
  const double index = number < first_dae ? number : number - first_dae;
  return index >= 0 && index < static_cast<double>(list.size()) ? &list[static_cast<std::size_t>(index)] : nullptr;
}

// Reads back what append() wrote; false when the bytes are not what is expected.
class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  template <class T>
  bool read(std::vector<T>& out) {
    std::uint64_t size = 0;
    if (bytes_.size() < sizeof size) return false;
    std::memcpy(&size, bytes_.data(), sizeof size);
    bytes_ = bytes_.subspan(sizeof size);
    if (size > bytes_.size() || size % sizeof(T) != 0) return false;
    out.resize(size / sizeof(T));
    if (size > 0) std::memcpy(out.data(), bytes_.data(), size);
    bytes_ = bytes_.subspan(size);
    return true;
  }

 private:
  std::span<const std::byte> bytes_;
};

}  // namespace

End HybridRun::run(double until) {
  started_ = std::chrono::steady_clock::now();
  until_ = until;
  if (!initialised_) {
    const Flow flow = initialise();
    if (loops_failed_) return report_loop_failure(), finish(End::failed);
    if (flow != Flow::on) return finish(end_of(flow));
  }
  std::optional<End> end;
  while (!end) {
    if (foreign_.empty()) {
      end = some_rounds(until);
    } else if (!foreign_.guard([&] { end = some_rounds(until); })) {
      static_cast<void>(foreign_.health());
      report_foreign_failure();
      end = End::failed;
    }
  }
  return finish(*end);
}

// Of the loop, as many as are made under one guard of foreign code. Nothing: the run goes on.
std::optional<End> HybridRun::some_rounds(double until) {
  constexpr int at_once = 64;
  for (int k = 0; k < at_once; ++k) {
    if (!housekeeping()) return End::failed;
    if (interrupted()) return End::interrupted;
    // A step may end within rounding before an event: the instant is the event's.
    if (const double event = next_event_time(); event > t_ && event <= t_ + time_tolerance_ && !program_.fixed_step) {
      if (has_continuous_ && integrator_started_) {
        move_to(std::min(instant_at(event), options_.stop));
      } else {
        t_ = std::min(instant_at(event), options_.stop);
      }
    }
    if (report_.events >= pace_events_ && !events_come_to_an_end()) return End::failed;
    Flow flow = discrete_phase(t_ + time_tolerance_);
    if (loops_failed_) flow = report_loop_failure();
    if (flow != Flow::on) return end_of(flow);
    if (t_ >= options_.stop - time_tolerance_) {
      // What the events of the last instant carried across zero still fires in it.
      if (!has_continuous_ || !restart_needed_) return End::reached_stop;
      if (!relax_modes()) return End::failed;
      if (!find_jumps()) return End::reached_stop;
      flow = handle_crossing(Crossed::jumped);
      if (flow != Flow::on) return end_of(flow);
      continue;
    }
    if (t_ >= until) return End::paused;
    if (has_continuous_) {
      flow = program_.fixed_step ? fixed_step_phase() : continuous_phase();
      if (loops_failed_) flow = report_loop_failure();
      if (flow != Flow::on) return end_of(flow);
      continue;
    }
    flow = end_instant();
    if (flow != Flow::on) return end_of(flow);
    if (!assertions_hold()) return End::failed;
    run_ticks(std::min(options_.stop, until));
    const double next = std::min({next_event_time(), options_.stop, std::max(until, t_)});
    record_between(t_, next);
    t_ = std::max(t_, instant_at(next));
  }
  return std::nullopt;
}

End HybridRun::finish(End end) {
  freshen();
  if (initialised_ && end == End::stopped && watch_.has_modes() && !sensitivity_) preview_modes();
  const bool ends = initialised_ && (end == End::reached_stop || end == End::stopped || end == End::restart);
  if (ends && !ended_ && (!assertions_hold() || !run_final_sources())) end = End::failed;
  const bool is_row = end != End::failed && !(end == End::paused && options_.grid_only);
  if (initialised_ && is_row) take_row(Phase::mesh);
  warn_about_rows();
  recorder_.deliver(end != End::paused);
  ledger_stream_.drain(ledger_, true);
  if (recorder_.refused() || ledger_stream_.refused()) end = End::failed;  // their sinks say why
  if (results_overflow()) {
    report_full_results();
    end = End::failed;
  }
  seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count();
  report_.newton_condition = newton_condition();
  report_.end = end;
  return end;
}

// The last that happens; what it programs never comes.
bool HybridRun::run_final_sources() {
  ended_ = true;
  for (const std::uint32_t source : final_sources_) {
    const Flow flow = fire(source, Cause::final, 0, 0);
    if (loops_failed_) return report_loop_failure(), false;
    if (flow == Flow::failed) return false;
  }
  return true;
}

// Now and then: results, the second tier, progress. False: there is no room left for results.
bool HybridRun::housekeeping() {
  if ((++housekeeping_count_ & 63) != 0) return true;
  recorder_.flush_when_due();
  ledger_stream_.drain(ledger_, false);
  if (results_overflow() || recorder_.refused() || ledger_stream_.refused()) return false;
  machine_->poll();
  derivatives_ = machine_->derivatives();
  if ((housekeeping_count_ & 1023) != 0) return true;
  const double elapsed = std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count();
  if (!second_tier_asked_ && elapsed > 0.02) {
    second_tier_asked_ = true;
    machine_->request_second_tier();
  }
  if (options_.progress) options_.progress(t_);
  return true;
}

// Looks at the pace of events every few millions of them: a run that would need a lifetime says so. One burst is no
// reason to stop, three in a row are.
bool HybridRun::events_come_to_an_end() {
  constexpr long often = 2'000'000;
  const double events = static_cast<double>(report_.events - (pace_events_ - often));
  const double needed = events / std::max(t_ - pace_time_, 1e-300) * (options_.stop - t_);
  hurried_ = pace_events_ > 0 && needed > most_events ? hurried_ + 1 : 0;
  pace_events_ = report_.events + often;
  pace_time_ = t_;
  if (hurried_ < 3) return true;
  diagnostics_
      .error("too-many-events", place_of(0),
             fmt::format("{} events have brought the run to t = {:.6g}; at this pace it needs about {:.1e} more",
                         report_.events, t_, needed),
             "look for a period or delay that is far too short (--events FILE lists who fires), or a smaller stop time")
      .time = t_;
  return false;
}

bool HybridRun::results_overflow() const {
  return recorder_.overflowed() ||
         static_cast<double>(ledger_.entries.size() * sizeof(LedgerEntry)) > options_.results_limit;
}

HybridRun::Flow HybridRun::report_full_results() {
  const double wanted = options_.interval > 0 ? (options_.stop - options_.start) / options_.interval : 0;
  std::string what = fmt::format("{} events were listed", ledger_.entries.size());
  if (wanted > recorder_.most_rows()) {
    what = fmt::format("{:.3g} rows of {} values were asked for", wanted, recorder_.columns());
  } else if (recorder_.overflowed()) {
    what = fmt::format("{} rows of {} values were recorded", recorder_.rows(), recorder_.columns());
  }
  auto& d = diagnostics_.error(
      "results-too-large", place_of(0),
      fmt::format("{}, which is more than the {:.3g} GB that results may take", what, options_.results_limit / 1e9),
      "record fewer signals (--vars), at fewer points (--interval), or no events");
  d.time = t_;
  return Flow::failed;
}

Report HybridRun::report() const {
  Report report = report_;
  report.time = t_;
  report.solver = has_continuous_ && solver_ != nullptr ? solver_->name : "none";
  report.solver_reason = has_continuous_ ? solver_reason_ : "nothing continuous";
  if (loop_solver_) report.loops = loop_solver_->statistics();
  report.solver_statistics = earlier_;
  if (integrator_) report.solver_statistics.add(integrator_->statistics());
  if (earlier_.switches > 0) report.solver_statistics.stiff_steps = report.solver_statistics.steps - earlier_.steps;
  report.limited_by = limiting_states(report.solver_statistics.limiting);
  report.busiest_surfaces = busiest_surfaces();
  report.tier = machine_->code().tier();
  report.second_tier_note = machine_->code().second_tier_note();
  report.lacks_cache_folder = machine_->code().lacks_cache_folder();
  report.compile_seconds = machine_->code().first_tier_seconds();
  report.solve_seconds = seconds_;
  report.memory_bytes = memory_.size();
  report.rows = recorder_.rows();
  report.ledger_entries = ledger_stream_.sent() + ledger_.entries.size();
  report.sink_seconds = recorder_.seconds_in_sinks();
  return report;
}

double HybridRun::value(program::SlotId slot, std::size_t element) const {
  const program::Type type = program_.slots[slot].type;
  return read_number(
      memory_.data() + machine_->layout().offset[slot] + element * static_cast<std::size_t>(byte_size(type.scalar)),
      type.scalar);
}

Place HybridRun::place_of(program::OriginId origin) const {
  const program::Origin& what = program_.origins[origin];
  if (origin == 0) return {what.path, 0, 0, {}, {}};
  return {program_.origins[0].path, what.line, 0, what.path, {}};
}

std::string HybridRun::state_name(int index) const {
  std::int64_t first = 0;
  for (program::SlotId slot : solver_vector()) {
    const program::Slot& state = program_.slots[slot];
    const std::int64_t size = state.type.size();
    if (index < first + size) {
      const std::string name = fmt::format("{}.{}", program_.origins[state.origin].path, state.name);
      return size == 1 ? name : fmt::format("{}[{}]", name, index - first + 1);
    }
    first += size;
  }
  return fmt::format("{}", index);
}

std::vector<std::byte> HybridRun::save() const {
  std::vector<std::byte> out;
  const std::vector<double> numbers = {t_,
                                       watch_.time(),
                                       static_cast<double>(next_row_),
                                       static_cast<double>(programmed_),
                                       (restart_needed_ ? 1.0 : 0.0) + (in_instant_ ? 2.0 : 0.0),
                                       initialised_ ? 1.0 : 0.0,
                                       integrator_started_ ? 1.0 : 0.0,
                                       static_cast<double>(solver_number(solver_))};
  std::vector<double> hard, soft;
  hard_.save(hard);
  soft_.save(soft);
  std::vector<std::byte> integrator;
  if (integrator_ && !integrator_->save(integrator)) integrator.clear();
  append(out, &save_mark, 1);
  append(out, memory_.data(), memory_.size());
  append(out, numbers.data(), numbers.size());
  append(out, hard.data(), hard.size());
  append(out, soft.data(), soft.size());
  append(out, tick_.data(), tick_.size());
  append(out, watch_.signs().data(), watch_.signs().size());
  append(out, watch_.last().data(), watch_.last().size());
  append(out, rhythms_.data(), rhythms_.size());
  append(out, integrator.data(), integrator.size());
  append(out, nominals_.data(), nominals_.size());
  const std::vector<double> curves = refiner_.save();
  append(out, curves.data(), curves.size());
  const std::vector<double> sliding = sliding_ ? sliding_->save() : std::vector<double>{};
  append(out, sliding.data(), sliding.size());
  for (const auto& part : foreign_.save()) append(out, part.data(), part.size());
  return out;
}

bool HybridRun::restore(std::span<const std::byte> bytes) {
  std::vector<std::uint64_t> mark;
  std::vector<std::byte> memory, integrator;
  std::vector<double> numbers, hard, soft, last, nominals, curves, sliding;
  std::vector<Rhythm> rhythms;
  std::vector<std::int64_t> tick;
  std::vector<std::int8_t> signs;
  Reader reader(bytes);
  if (!reader.read(mark) || mark.size() != 1 || mark[0] != save_mark || !reader.read(memory) || !reader.read(numbers) ||
      !reader.read(hard) || !reader.read(soft) || !reader.read(tick) || !reader.read(signs) || !reader.read(last) ||
      !reader.read(rhythms) || !reader.read(integrator) || !reader.read(nominals) || !reader.read(curves) ||
      !reader.read(sliding)) {
    return false;
  }
  if (memory.size() != memory_.size() || numbers.size() != 8 || tick.size() != tick_.size() ||
      signs.size() != watch_.size() || last.size() != watch_.size() || rhythms.size() != rhythms_.size() ||
      nominals.size() != nominals_.size() || !refiner_.restore(curves) || (sliding_ && !sliding_->restore(sliding))) {
    return false;
  }
  std::vector<std::vector<std::byte>> foreign(program_.foreign_objects.size());
  for (auto& part : foreign) {
    if (!reader.read(part)) return false;
  }
  if (!open_foreign()) return false;
  // What `auto` chose at the start of the saved run, not what it would choose now.
  const solve::SolverInfo* saved = solver_by_number(numbers[7]);
  if (is_automatic() && saved != nullptr && saved != solver_) {
    solver_ = saved;
    integrator_.reset();
    stiffness_.reset();
  }
  if (nominals != nominals_) integrator_.reset();
  nominals_ = std::move(nominals);
  if (has_continuous_ && !integrator_ && !make_integrator()) return false;
  std::copy(memory.begin(), memory.end(), memory_.begin());
  foreign_.point(machine_->layout(), memory_.data());
  if (!foreign_.restore(foreign)) return false;
  t_ = numbers[0];
  next_row_ = static_cast<std::int64_t>(numbers[2]);
  programmed_ = static_cast<std::uint64_t>(numbers[3]);
  restart_needed_ = numbers[4] == 1 || numbers[4] == 3;
  in_instant_ = numbers[4] >= 2;
  initialised_ = numbers[5] != 0;
  integrator_started_ = numbers[6] != 0;
  hard_.restore(hard.data(), hard.size() / 3);
  soft_.restore(soft.data(), soft.size() / 3);
  tick_ = std::move(tick);
  watch_.restore(numbers[1], std::move(signs), std::move(last));
  rhythms_ = std::move(rhythms);
  // A multistep method has lost its history: it starts cold, which the ledger shows.
  if (integrator_ && (integrator.empty() || !integrator_->restore(integrator))) {
    restart_needed_ = true;
    integrator_started_ = false;
    if (options_.record_events) ledger_.entries.push_back({t_, Cause::initial, 0, 0, 0, 0, 0, true});
  }
  return true;
}

}  // namespace orrery::sim
