// SPDX-License-Identifier: Apache-2.0
// Values and signals of a finished run as OML values.
#include "api/base_workspace.h"

#include <map>

#include "blocks/block.h"
#include "trace/oml_values.h"

namespace orrery::api {
namespace {

using oml::Value;
using program::Probe;
using program::Program;
using program::Scalar;

using blocks::Role;

Role role_of(const Probe& probe, const Program& program) { return blocks::role_of(program.origins[probe.origin].type); }

// "/Path.name" is called name.
std::string short_name(const Probe& probe, const Program& program) {
  const std::string prefix = program.origins[probe.origin].path + ".";
  return probe.name.starts_with(prefix) ? probe.name.substr(prefix.size()) : probe.name;
}

// Probes whose block was activated at least once. In continuous time a block is active without events.
bool was_active(const Probe& probe, const Program& program, const sim::Simulation& simulation) {
  if (probe.continuous) return true;
  for (const Probe& other : program.probes) {
    if (other.origin == probe.origin && other.counts) return simulation.value(other.slot) > 0;
  }
  return true;
}

// The columns of a probe's elements, and of the count of its block's activations.
struct Columns {
  std::vector<std::size_t> elements;
  std::size_t count = SIZE_MAX;
};

std::map<std::uint32_t, Columns> columns_by_probe(const Program& program, const sim::Recording& recording) {
  std::map<std::uint32_t, Columns> result;
  std::map<program::OriginId, std::size_t> counts;
  for (std::size_t c = 0; c < recording.columns.size(); ++c) {
    const std::uint32_t p = recording.columns[c].probe;
    if (program.probes[p].counts) counts[program.probes[p].origin] = c;
    result[p].elements.push_back(c);
  }
  for (auto& [p, columns] : result) {
    const auto count = counts.find(program.probes[p].origin);
    if (count != counts.end()) columns.count = count->second;
  }
  return result;
}

// The rows that belong to a signal: all of a continuous one, else those at which its block was activated.
std::vector<std::size_t> rows_of(const Probe& probe, const Columns& columns, const sim::Recording& recording) {
  std::vector<std::size_t> rows;
  double before = 0;
  for (std::size_t r = 0; r < recording.rows(); ++r) {
    const double count = columns.count == SIZE_MAX ? 0 : recording.value(r, columns.count);
    const bool fired = count != before;
    before = count;
    const bool counted = columns.count != SIZE_MAX;
    if (r < recording.columns[columns.elements[0]].first) continue;
    if (probe.continuous || !counted || fired) rows.push_back(r);
  }
  return rows;
}

Value signal_of(const Program& program, const Probe& probe, const Columns& columns, const sim::Recording& recording) {
  const program::Type type = program.slots[probe.slot].type;
  const std::vector<std::size_t> rows = rows_of(probe, columns, recording);
  const auto count = static_cast<oml::Index>(rows.size());
  Value time = Value::zeros(oml::Dims(3, count));
  program::Value data = program::Value::matrix(type.rows, type.cols * static_cast<int>(rows.size()), 0, type.scalar);
  const bool is_complex = type.scalar == Scalar::c128;
  const auto size = static_cast<std::size_t>(type.size());
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const sim::Phase phase = recording.phase[rows[k]];
    const auto at = static_cast<oml::Index>(3 * k);
    time.edit_real()[at] = recording.time[rows[k]];
    time.edit_real()[at + 1] = phase == sim::Phase::mesh ? 0 : 1;
    time.edit_real()[at + 2] = static_cast<double>(phase);
    for (std::size_t e = 0; e < size; ++e) {
      data.real[k * size + e] = recording.value(rows[k], columns.elements[is_complex ? 2 * e : e]);
      if (is_complex) data.imag[k * size + e] = recording.value(rows[k], columns.elements[2 * e + 1]);
    }
  }
  Value channel = Value::structure();
  channel.edit_structure().set("type", Value::text(name_of(type.scalar)));
  channel.edit_structure().set("data", rows.empty() ? Value::zeros(oml::Dims(0, 0)) : trace::to_oml(data));
  Value signal = Value::structure();
  signal.edit_structure().set("time", std::move(time));
  signal.edit_structure().set("ch", Value::cell_row({channel}));
  return signal;
}

}  // namespace

bool is_bookkeeping(const Probe& probe, const Program& program) {
  const Role role = role_of(probe, program);
  return role == Role::base_variable || role == Role::exporter || (role == Role::script_signal && probe.counts);
}

void write_to_base(const Program& program, const sim::Simulation& simulation, oml::Interpreter& interpreter) {
  for (const Probe& probe : program.probes) {
    if (role_of(probe, program) != Role::base_variable || probe.counts) continue;
    if (!was_active(probe, program, simulation)) continue;
    const program::Type type = program.slots[probe.slot].type;
    program::Value value = program::Value::matrix(type.rows, type.cols, 0, type.scalar);
    for (std::size_t e = 0; e < value.real.size(); ++e) value.real[e] = simulation.value(probe.slot, e);
    for (std::size_t e = 0; e < value.imag.size(); ++e) value.imag[e] = simulation.value(probe.slot, e, 1);
    interpreter.base()->set(short_name(probe, program), trace::to_oml(value));
  }
}

std::vector<NamedValue> signals_of(const Program& program, const sim::Recording& recording) {
  std::vector<NamedValue> signals;
  for (const auto& [p, columns] : columns_by_probe(program, recording)) {
    const Probe& probe = program.probes[p];
    if (role_of(probe, program) != Role::script_signal || probe.counts) continue;
    signals.push_back({short_name(probe, program), signal_of(program, probe, columns, recording)});
  }
  return signals;
}

Value columns_of(const Program& program, const sim::Recording& recording) {
  std::vector<std::string> names;
  std::vector<std::size_t> kept;
  for (std::size_t c = 0; c < recording.columns.size(); ++c) {
    if (is_bookkeeping(program.probes[recording.columns[c].probe], program)) continue;
    names.push_back(recording.columns[c].name);
    kept.push_back(c);
  }
  const auto rows = static_cast<oml::Index>(recording.rows()), cols = static_cast<oml::Index>(kept.size());
  Value data = Value::zeros(oml::Dims(rows, cols));
  for (oml::Index c = 0; c < cols; ++c) {
    for (oml::Index r = 0; r < rows; ++r) {
      data.edit_real().at(r, c) = recording.value(static_cast<std::size_t>(r), kept[static_cast<std::size_t>(c)]);
    }
  }
  Value out = Value::structure();
  out.edit_structure().set("names", Value::text_cell(names, false));
  out.edit_structure().set("time", Value::column(recording.time));
  out.edit_structure().set("data", std::move(data));
  return out;
}

}  // namespace orrery::api
