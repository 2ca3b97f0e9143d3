// SPDX-License-Identifier: Apache-2.0
// A run as bytes: first what it is made of, by name, then its state.
#include <fmt/format.h>

#include <algorithm>

#include "native/cache.h"
#include "program/print.h"
#include "sim/hybrid_run.h"
#include "sim/saved_bytes.h"

namespace orrery::sim {
namespace {

constexpr char save_mark[] = "OrrerySave";
constexpr std::uint32_t save_version = 9;

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

// The parts trust each other's numbers; so bytes that were damaged on their way are not taken at all.
std::string seal_of(std::span<const std::byte> state) {
  return native::content_hash({reinterpret_cast<const char*>(state.data()), state.size()});
}

}  // namespace

// A line for each part of the run that a save holds numbers of.
std::string HybridRun::names_of_parts() const {
  std::string text = run_.program.fixed_step ? "fixed steps\n" : "variable steps\n";
  for (program::SlotId slot = 0; slot < run_.program.slots.size(); ++slot) {
    const program::Slot& what = run_.program.slots[slot];
    text += fmt::format("{} {} ({})\n", name_of(what.kind), slot_name(run_.program, slot), to_text(what.type));
  }
  for (const program::Source& source : run_.program.sources) {
    text += fmt::format("{} events of {}:{}\n", name_of(source.kind),
                        source.origin == 0 ? "the model" : run_.program.origins[source.origin].path,
                        source.kind == program::SourceKind::clock ? static_cast<int>(source.domain) : source.port);
  }
  for (const program::Surface& surface : run_.program.surfaces) {
    text += fmt::format("surface {} of {}\n", surface.text, run_.program.origins[surface.origin].path);
  }
  for (const program::History& history : run_.program.histories) {
    text += fmt::format("history of {} numbers for {}\n", run_.program.graph.type(history.value).size(),
                        run_.program.origins[history.origin].path);
  }
  for (const program::Clock& clock : run_.program.clocks) {
    text += fmt::format("clock {} with period {}/{}\n", run_.program.origins[clock.origin].path, clock.period.numerator,
                        clock.period.denominator);
  }
  for (const program::ForeignObject& object : run_.program.foreign_objects) {
    text += fmt::format("{} {}\n", object.kind, run_.program.origins[object.origin].path);
  }
  for (const InputSeries& series : run_.options.inputs) {
    text += fmt::format("table of {} points for the input {}\n", series.time.size(),
                        run_.program.inputs[series.input].name);
  }
  return text;
}

std::vector<std::byte> HybridRun::save() const {
  std::vector<std::byte> out, state;
  save_state(state);
  SaveWriter writer(out);
  writer.write(save_mark, sizeof save_mark);
  writer.write(&save_version, 1);
  writer.write(names_of_parts());
  writer.write(state);
  writer.write(seal_of(state));
  return out;
}

bool HybridRun::refuse_save(std::string message, std::string note) {
  Diagnostic& refused = run_.diagnostics.error("save-mismatch", run_.place_of(0), std::move(message),
                                               "restore it into a run of the model and the version that saved it");
  if (!note.empty()) refused.notes.push_back(std::move(note));
  return false;
}

bool HybridRun::restore(std::span<const std::byte> bytes) {
  SaveReader reader(bytes);
  std::string mark, names;
  std::vector<std::byte> state;
  std::vector<std::uint32_t> version;
  if (!reader.read(mark) || mark != std::string(save_mark, sizeof save_mark) || !reader.read(version) ||
      version.size() != 1) {
    return refuse_save("these bytes are no saved run");
  }
  if (version[0] != save_version) {
    return refuse_save(
        fmt::format("the run was saved in format {}, and this version reads format {}", version[0], save_version));
  }
  if (!reader.read(names) || !reader.read(state)) return refuse_save("the saved run is cut off");
  if (const std::string own = names_of_parts(); own != names) {
    const auto [saved, here] = first_difference(names, own);
    return refuse_save("the saved run is of another model",
                       fmt::format("the first difference: saved was {}; here is {}", saved, here));
  }
  std::string seal;
  if (!reader.read(seal) || seal != seal_of(state)) return refuse_save("the saved run is damaged");
  return restore_state(state);
}

bool HybridRun::copy(const Simulation& other) {
  const auto* run = dynamic_cast<const HybridRun*>(&other);
  if (run == nullptr || &run->run_.program.graph != &run_.program.graph) return restore(other.save());
  std::vector<std::byte> state;
  run->save_state(state);
  return restore_state(state);
}

// Each part saves itself, in the order in which they can be restored.
void HybridRun::save_state(std::vector<std::byte>& out) const {
  SaveWriter writer(out);
  const std::uint8_t begun = initialised_ ? 1 : 0;
  writer.write(&begun, 1);
  past_.save(writer);
  seat_.save(writer);
  run_.save(writer);
  model_.save(writer);
  queue_.save(writer);
  inputs_.save(writer);
  look_.save(writer);
  crossings_.save(writer);
  results_.save(writer);
}

bool HybridRun::restore_state(std::span<const std::byte> bytes) {
  SaveReader reader(bytes);
  std::vector<std::uint8_t> begun;
  if (!model_.open_foreign()) return false;
  const std::size_t said = run_.diagnostics.all().size();
  const bool whole = reader.read(begun) && begun.size() == 1 && past_.restore(reader) &&
                     seat_.restore(reader, has_continuous_) && run_.restore(reader) && past_.point() &&
                     model_.restore(reader) && queue_.restore(reader) && inputs_.restore(reader) &&
                     look_.restore(reader) && crossings_.restore(reader) && results_.restore(reader);
  if (!whole) {
    const bool known = run_.diagnostics.all().size() > said;  // what went wrong was said already
    return known ? false
                 : refuse_save(
                       "the saved run is cut off, its parts have other sizes, or foreign code cannot go on from it");
  }
  initialised_ = begun[0] != 0;
  // A multistep method has lost its history: it starts cold, which the ledger shows.
  if (seat_.is_made() && !seat_.restore_history()) results_.list({run_.t, Cause::initial, 0, 0, 0, 0, 0, true});
  return true;
}

}  // namespace orrery::sim
