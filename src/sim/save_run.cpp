// SPDX-License-Identifier: Apache-2.0
// A run as bytes: first what it is made of, by name, then its state.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "program/print.h"
#include "sim/hybrid_run.h"
#include "solve/dae.h"

namespace orrery::sim {
namespace {

constexpr char save_mark[] = "OrrerySave";
constexpr std::uint32_t save_version = 5;

template <class T>
void append(std::vector<std::byte>& out, const T* data, std::size_t count) {
  const auto* bytes = reinterpret_cast<const std::byte*>(data);
  const std::uint64_t size = count * sizeof(T);
  const auto* head = reinterpret_cast<const std::byte*>(&size);
  out.insert(out.end(), head, head + sizeof size);
  out.insert(out.end(), bytes, bytes + size);
}

// The same method may be known for ODEs and for DAEs.
std::string solver_text(const solve::SolverInfo* solver) {
  if (solver == nullptr) return {};
  const auto is_it = [&](const solve::SolverInfo& info) { return &info == solver; };
  return (std::ranges::any_of(solve::dae_solvers(), is_it) ? "dae " : "ode ") + solver->name;
}

const solve::SolverInfo* solver_of(const std::string& text) {
  const auto& list = text.starts_with("dae ") ? solve::dae_solvers() : solve::solvers();
  for (const solve::SolverInfo& info : list) {
    if (text.size() > 4 && info.name == text.substr(4)) return &info;
  }
  return nullptr;
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
  bool read(std::string& out) {
    std::vector<char> text;
    if (!read(text)) return false;
    out.assign(text.begin(), text.end());
    return true;
  }
  std::span<const std::byte> rest() const { return bytes_; }

 private:
  std::span<const std::byte> bytes_;
};

// The first line in which two texts differ; "nothing" where one has ended.
std::pair<std::string, std::string> first_difference(const std::string& a, const std::string& b) {
  const auto [x, y] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  const auto line = [](const std::string& text, std::string::const_iterator at) {
    const auto position = static_cast<std::size_t>(at - text.begin());
    const std::size_t start = position == 0 ? 0 : text.rfind('\n', position - 1) + 1;
    const std::string found = text.substr(start, text.find('\n', start) - start);
    return found.empty() ? std::string("nothing more") : found;
  };
  return {line(a, x), line(b, y)};
}

}  // namespace

// A line for each part of the run that a save holds numbers of.
std::string HybridRun::names_of_parts() const {
  std::string text = program_.fixed_step ? "fixed steps\n" : "variable steps\n";
  for (program::SlotId slot = 0; slot < program_.slots.size(); ++slot) {
    const program::Slot& what = program_.slots[slot];
    text += fmt::format("{} {} ({})\n", name_of(what.kind), slot_name(program_, slot), to_text(what.type));
  }
  for (const program::Source& source : program_.sources) {
    text += fmt::format("{} events of {}:{}\n", name_of(source.kind),
                        source.origin == 0 ? "the model" : program_.origins[source.origin].path,
                        source.kind == program::SourceKind::clock ? static_cast<int>(source.domain) : source.port);
  }
  for (const program::Surface& surface : program_.surfaces) {
    text += fmt::format("surface {} of {}\n", surface.text, program_.origins[surface.origin].path);
  }
  for (const program::History& history : program_.histories) {
    text += fmt::format("history of {} numbers for {}\n", program_.graph.type(history.value).size(),
                        program_.origins[history.origin].path);
  }
  for (const program::Clock& clock : program_.clocks) {
    text += fmt::format("clock {} with period {}/{}\n", program_.origins[clock.origin].path, clock.period.numerator,
                        clock.period.denominator);
  }
  for (const program::ForeignObject& object : program_.foreign_objects) {
    text += fmt::format("{} {}\n", object.kind, program_.origins[object.origin].path);
  }
  for (const InputSeries& series : options_.inputs) {
    text +=
        fmt::format("table of {} points for the input {}\n", series.time.size(), program_.inputs[series.input].name);
  }
  return text;
}

std::vector<std::byte> HybridRun::save() const {
  std::vector<std::byte> out;
  append(out, save_mark, sizeof save_mark);
  append(out, &save_version, 1);
  const std::string names = names_of_parts();
  append(out, names.data(), names.size());
  save_state(out);
  return out;
}

bool HybridRun::refuse_save(std::string message, std::string note) {
  Diagnostic& refused = diagnostics_.error("save-mismatch", place_of(0), std::move(message),
                                           "restore it into a run of the model and the version that saved it");
  if (!note.empty()) refused.notes.push_back(std::move(note));
  return false;
}

bool HybridRun::restore(std::span<const std::byte> bytes) {
  Reader reader(bytes);
  std::string mark, names;
  std::vector<std::uint32_t> version;
  if (!reader.read(mark) || mark != std::string(save_mark, sizeof save_mark) || !reader.read(version) ||
      version.size() != 1) {
    return refuse_save("these bytes are no saved run");
  }
  if (version[0] != save_version) {
    return refuse_save(
        fmt::format("the run was saved in format {}, and this version reads format {}", version[0], save_version));
  }
  if (!reader.read(names)) return refuse_save("the saved run is cut off");
  if (const std::string own = names_of_parts(); own != names) {
    const auto [saved, here] = first_difference(names, own);
    return refuse_save("the saved run is of another model",
                       fmt::format("the first difference: saved was {}; here is {}", saved, here));
  }
  return restore_state(reader.rest());
}

bool HybridRun::copy(const Simulation& other) {
  const auto* run = dynamic_cast<const HybridRun*>(&other);
  if (run == nullptr || &run->program_.graph != &program_.graph) return restore(other.save());
  std::vector<std::byte> state;
  run->save_state(state);
  return restore_state(state);
}

void HybridRun::save_state(std::vector<std::byte>& out) const {
  const std::vector<double> numbers = {t_,
                                       watch_.time(),
                                       static_cast<double>(next_row_),
                                       static_cast<double>(programmed_),
                                       (restart_needed_ ? 1.0 : 0.0) + (in_instant_ ? 2.0 : 0.0),
                                       initialised_ ? 1.0 : 0.0,
                                       integrator_started_ ? 1.0 : 0.0};
  const std::string solver = solver_text(solver_);
  std::vector<double> hard, soft;
  hard_.save(hard);
  soft_.save(soft);
  std::vector<std::byte> integrator;
  if (integrator_ && !integrator_->save(integrator)) integrator.clear();
  append(out, solver.data(), solver.size());
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
  append(out, series_at_.data(), series_at_.size());
  const std::vector<double> past = histories_.save();
  append(out, past.data(), past.size());
  for (const auto& part : foreign_.save()) append(out, part.data(), part.size());
}

bool HybridRun::restore_state(std::span<const std::byte> bytes) {
  const auto refuse = [this] { return refuse_save("the saved run is cut off, or its parts have other sizes"); };
  std::string solver;
  std::vector<std::size_t> series;
  std::vector<std::byte> memory, integrator;
  std::vector<double> numbers, hard, soft, last, nominals, curves, sliding, past;
  std::vector<Rhythm> rhythms;
  std::vector<std::int64_t> tick;
  std::vector<std::int8_t> signs;
  Reader reader(bytes);
  if (!reader.read(solver) || !reader.read(memory) || !reader.read(numbers) || !reader.read(hard) ||
      !reader.read(soft) || !reader.read(tick) || !reader.read(signs) || !reader.read(last) || !reader.read(rhythms) ||
      !reader.read(integrator) || !reader.read(nominals) || !reader.read(curves) || !reader.read(sliding) ||
      !reader.read(series) || !reader.read(past)) {
    return refuse();
  }
  if (memory.size() != memory_.size() || numbers.size() != 7 || tick.size() != tick_.size() ||
      signs.size() != watch_.size() || last.size() != watch_.size() || rhythms.size() != rhythms_.size() ||
      nominals.size() != nominals_.size() || !refiner_.restore(curves) || (sliding_ && !sliding_->restore(sliding))) {
    return refuse();
  }
  const auto names_sources = [this](const std::vector<double>& events) {
    bool all = events.size() % 3 == 0;
    for (std::size_t k = 0; k < events.size(); k += 3)
      all = all && events[k] >= 0 && events[k] < static_cast<double>(program_.sources.size());
    return all;
  };
  if (!names_sources(hard) || !names_sources(soft)) return refuse();
  std::vector<std::vector<std::byte>> foreign(program_.foreign_objects.size());
  for (auto& part : foreign) {
    if (!reader.read(part)) return refuse();
  }
  if (!open_foreign()) return false;
  // What `auto` chose at the start of the saved run, not what it would choose now.
  const solve::SolverInfo* saved = solver_of(solver);
  if (is_automatic() && saved != nullptr && saved != solver_) {
    solver_ = saved;
    integrator_.reset();
    stiffness_.reset();
  }
  if (nominals != nominals_) integrator_.reset();
  nominals_ = std::move(nominals);
  if (!histories_.empty() && numbers[5] != 0) {  // the integrator asks them, and their delays are in the memory
    std::copy(memory.begin(), memory.end(), memory_.begin());
    foreign_.point(machine_->layout(), memory_.data());
    if (!prepare_histories()) return false;
    if (!histories_.restore(past)) return refuse();
  }
  if (has_continuous_ && !integrator_ && !make_integrator()) return false;
  std::copy(memory.begin(), memory.end(), memory_.begin());
  foreign_.point(machine_->layout(), memory_.data());
  histories_.point(memory_.data());
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
  series_at_ = std::move(series);
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
