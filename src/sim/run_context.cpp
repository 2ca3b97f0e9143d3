// SPDX-License-Identifier: Apache-2.0
// The shared data of a run, as it begins, and the names in it.
#include "sim/run_context.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/saved_bytes.h"

namespace orrery::sim {
namespace {

double time_tolerance(const RunOptions& options) {
  if (options.time_tolerance > 0) return options.time_tolerance;
  const double scale = std::max({std::fabs(options.start), std::fabs(options.stop), options.stop - options.start});
  return 4 * 2.220446049250313e-16 * scale;
}

// A time tolerance of the user's own says already what is simultaneous.
double crossing_coincidence(const RunOptions& options) {
  return options.time_tolerance > 0 ? options.time_tolerance : 256 * time_tolerance(options);
}

}  // namespace

RunContext::RunContext(std::shared_ptr<const CompiledProgram> compiled, RunOptions asked, Diagnostics& said)
    : shared(std::move(compiled)),
      machine(*shared),
      program(machine.program()),
      options(std::move(asked)),
      diagnostics(said),
      memory(program::initial_memory(program, machine.layout())),
      results(machine.output_size() + 1),
      t(options.start),
      time_tolerance(sim::time_tolerance(options)),
      coincidence(crossing_coincidence(options)) {
  if (options.tolerance.absolute <= 0) options.tolerance.absolute = options.tolerance.relative;
  has_modes = std::any_of(program.surfaces.begin(), program.surfaces.end(),
                          [](const program::Surface& surface) { return surface.mode != program::no_slot; });
  for (program::SlotId slot : program.states) {
    const program::Slot& state = program.slots[slot];
    const auto size = static_cast<std::size_t>(state.type.size());
    if (state.nominals.empty()) nominals.insert(nominals.end(), size, 1.0);
    nominals.insert(nominals.end(), state.nominals.begin(), state.nominals.end());
  }
}

Place RunContext::place_of(program::OriginId origin) const {
  const program::Origin& what = program.origins[origin];
  if (origin == 0) return {what.path, 0, 0, {}, {}};
  return {program.origins[0].path, what.line, 0, what.path, {}};
}

std::vector<program::SlotId> RunContext::solver_vector() const {
  std::vector<program::SlotId> slots = program.states;
  for (std::uint32_t k : machine.continuous_loops()) {
    slots.insert(slots.end(), program.loops[k].unknowns.begin(), program.loops[k].unknowns.end());
  }
  return slots;
}

std::string RunContext::state_name(int index) const {
  std::int64_t first = 0;
  for (program::SlotId slot : solver_vector()) {
    const program::Slot& state = program.slots[slot];
    const std::int64_t size = state.type.size();
    if (index < first + size) {
      const std::string name = fmt::format("{}.{}", program.origins[state.origin].path, state.name);
      return size == 1 ? name : fmt::format("{}[{}]", name, index - first + 1);
    }
    first += size;
  }
  return fmt::format("{}", index);
}

void RunContext::save(SaveWriter& out) const {
  const double numbers[] = {t, restart_needed ? 1.0 : 0.0, in_instant ? 1.0 : 0.0};
  out.write(numbers, 3);
  out.write(memory);
}

bool RunContext::restore(SaveReader& in) {
  std::vector<double> numbers;
  std::vector<std::byte> bytes;
  if (!in.read(numbers) || !in.read(bytes) || numbers.size() != 3 || bytes.size() != memory.size()) return false;
  std::copy(bytes.begin(), bytes.end(), memory.begin());
  t = numbers[0];
  restart_needed = numbers[1] != 0;
  in_instant = numbers[2] != 0;
  return true;
}

}  // namespace orrery::sim
