// SPDX-License-Identifier: Apache-2.0
// Columns, entries and colours.
#include "foreign/fmu_partials.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "passes/colour_columns.h"

namespace orrery::foreign {

FmuPartials::FmuPartials(const FmuInterface& interface, const std::vector<blocks::ForeignDependencies>& rows,
                         const std::vector<std::uint32_t>& inputs)
    : rows_(rows.size()) {
  std::map<std::tuple<bool, std::uint32_t, std::uint32_t>, std::uint32_t> known;
  const auto add = [&](std::uint32_t row, const Column& column) {
    const auto [at, is_new] = known.emplace(std::make_tuple(column.is_state, column.index, column.element),
                                            static_cast<std::uint32_t>(columns_.size()));
    if (is_new) {
      columns_.push_back(column);
      entries_.emplace_back();
    }
    entries_[at->second].push_back({row, static_cast<std::uint32_t>(size_++)});
  };
  for (std::uint32_t r = 0; r < rows.size(); ++r) {
    for (std::uint32_t state : rows[r].states) add(r, {true, state, 0});
    for (std::uint32_t input : inputs) {
      if (std::find(rows[r].inputs.begin(), rows[r].inputs.end(), input) == rows[r].inputs.end()) continue;
      const auto count = static_cast<std::uint32_t>(interface.inputs[input].type.size());
      for (std::uint32_t e = 0; e < count; ++e) add(r, {false, input, e});
    }
  }
  colour(interface);
}

void FmuPartials::colour(const FmuInterface& interface) {
  std::vector<std::uint32_t> moving;
  passes::Sparsity pattern;
  pattern.rows = static_cast<std::int32_t>(rows_);
  for (std::uint32_t c = 0; c < columns_.size(); ++c) {
    if (!columns_[c].is_state && interface.inputs[columns_[c].index].discrete) continue;
    moving.push_back(c);
    pattern.column_start.push_back(static_cast<int>(pattern.row.size()));
    for (const Entry& entry : entries_[c]) pattern.row.push_back(static_cast<int>(entry.row));
  }
  pattern.n = static_cast<int>(moving.size());
  pattern.column_start.push_back(static_cast<int>(pattern.row.size()));
  const passes::Colouring colouring = passes::colour_columns(pattern);
  groups_.resize(static_cast<std::size_t>(colouring.count));
  for (std::size_t k = 0; k < moving.size(); ++k) {
    groups_[static_cast<std::size_t>(colouring.colour[k])].push_back(moving[k]);
  }
}

}  // namespace orrery::foreign
