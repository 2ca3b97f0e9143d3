// SPDX-License-Identifier: Apache-2.0
// The tables of an exported model, one member function for each kind.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <vector>

#include "export/describe.h"

namespace orrery::code_export {

inline const char* flag_text(bool value) { return value ? "1" : "0"; }

inline int parts_of(const program::Type& type) { return type.scalar == program::Scalar::c128 ? 2 : 1; }

// By entry of a pattern: its column.
inline std::vector<int> columns_of(const passes::Sparsity& pattern) {
  std::vector<int> columns;
  for (std::size_t c = 0; c + 1 < pattern.column_start.size(); ++c)
    columns.insert(columns.end(), static_cast<std::size_t>(pattern.column_start[c + 1] - pattern.column_start[c]),
                   static_cast<int>(c));
  return columns;
}

class Tables {
 public:
  explicit Tables(const Description& what)
      : d_(what), program_(what.model.program), cut_(what.model.cut), name_(what.names.model) {}

  std::string text() {
    std::string out = fmt::format("#define ORR_AT(member) offsetof({}, member)\n\n", name_);
    domains(out);
    sources(out);
    surfaces(out);
    loops(out);
    assertions(out);
    sites(out);
    starts(out);
    interface(out);
    tolerances(out);
    model(out);
    return out;
  }

  std::size_t columns() const {
    std::size_t count = 0;
    for (const program::Probe& probe : program_.probes) {
      const program::Type type = program_.slots[probe.slot].type;
      count += static_cast<std::size_t>(type.size() * parts_of(type));
    }
    return count;
  }
  std::size_t results() const {
    std::size_t values = program_.assertions.size();
    for (const program::Assertion& assertion : program_.assertions) values += assertion.values.size();
    return std::max(cut_.output_size, values) + 1;
  }
  std::size_t queues() const {
    return static_cast<std::size_t>(std::ranges::count_if(program_.sources, &program::Source::queued));
  }
  std::size_t unknowns_of(std::size_t loop) const {
    std::size_t count = 0;
    for (const program::SlotId slot : program_.loops[loop].unknowns)
      count += static_cast<std::size_t>(program_.slots[slot].type.size());
    return count;
  }
  std::size_t most_unknowns_there() const {
    std::size_t most = 0;
    for (std::size_t k = 0; k < program_.loops.size(); ++k) {
      if (program_.loops[k].solution.empty()) most = std::max(most, unknowns_of(k));
    }
    return most;
  }
  std::size_t most_entries() const {
    std::size_t most = 0;
    for (const passes::LoopProcedures& loop : cut_.loops) most = std::max(most, loop.pattern.nonzeros());
    return most;
  }

 private:
  std::string path(program::OriginId origin) const { return origin == 0 ? "" : program_.origins[origin].path; }

  std::string at(program::SlotId slot, std::int64_t element = -1, int part = 0) const {
    if (slot == program::no_slot) return "ORR_NONE";
    const program::Slot& s = program_.slots[slot];
    const bool state = s.kind == program::SlotKind::state || s.kind == program::SlotKind::shadow;
    const bool array = !s.type.is_scalar() || s.type.scalar == program::Scalar::c128;
    std::string member = (state ? "x." : "") + d_.names.member[slot];
    if (array && element >= 0) member += fmt::format("[{}]", element * parts_of(s.type) + part);
    return fmt::format("ORR_AT({})", member);
  }

  std::string function(std::size_t procedure) const {
    if (cut_.all[procedure].stores.empty()) return "NULL";
    return fmt::format("{}_{}", name_, cut_.all[procedure].name);
  }
  std::string optional(std::size_t procedure) const { return procedure == 0 ? "NULL" : function(procedure); }

  // A table of whole numbers; its name, or NULL.
  std::string numbers(std::string& out, const std::string& table, const auto& list) const {
    if (std::empty(list)) return "NULL";
    out += fmt::format("static const int {}_{}[] = {{{}}};\n", name_, table, fmt::join(list, ", "));
    return fmt::format("{}_{}", name_, table);
  }

  void domains(std::string& out);

  // By slot: whether modes depend on it.
  std::vector<bool> read_by(const auto& chosen) const;
  void sources(std::string& out);
  bool depends_on_states(const program::Surface& surface) const;
  void surfaces(std::string& out);
  void loops(std::string& out);
  void assertions(std::string& out);
  void sites(std::string& out);
  void starts(std::string& out);
  void interface(std::string& out);
  void tolerances(std::string& out);
  void model(std::string& out);
  void surface_states(std::string& out, std::string& rows) const;
  void solver_jacobian(std::string& out, std::string& rows) const;

  const Description& d_;
  const program::Program& program_;
  const passes::Procedures& cut_;
  const std::string& name_;
  std::size_t site_count_ = 0;
};

}  // namespace orrery::code_export
