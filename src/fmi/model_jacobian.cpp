// SPDX-License-Identifier: Apache-2.0
// Coloured directional derivatives: one call for all columns of a colour.
#include "fmi/model_jacobian.h"

#include <algorithm>
#include <unordered_map>

#include "fmi/caller.h"
#include "solve/difference_jacobian.h"

namespace orrery::fmi {

ModelJacobian::ModelJacobian(const Description& description, Instance& instance, std::size_t states)
    : instance_(instance), n_(states), result_(states) {
  named_ = description.state_variables.size() == states && description.derivatives.size() == states && states > 0;
  for (std::size_t k = 0; named_ && k < states; ++k) {
    const Variable& derivative = description.variables[description.derivatives[k].variable];
    const Variable& state = description.variables[description.state_variables[k]];
    named_ = derivative.dimensions.empty() && state.dimensions.empty();
    states_.push_back(state.reference);
    derivatives_.push_back(derivative.reference);
  }
  if (!named_) return;
  find_pattern(description);
  if (instance.has_directional_derivatives()) colour();
}

void ModelJacobian::find_pattern(const Description& description) {
  std::unordered_map<std::size_t, std::size_t> column_of;
  for (std::size_t k = 0; k < n_; ++k) column_of[description.state_variables[k]] = k;
  std::vector<std::vector<int>> rows(n_);
  bool known = true;
  for (std::size_t row = 0; row < n_ && known; ++row) {
    const Unknown& unknown = description.derivatives[row];
    known = unknown.dependencies.has_value();
    if (!known) break;
    for (const std::size_t variable : *unknown.dependencies) {
      const auto found = column_of.find(variable);
      if (found != column_of.end()) rows[found->second].push_back(static_cast<int>(row));
    }
  }
  if (!known) {
    // Only directional derivatives need a pattern then; differences are dense without one.
    if (!instance_.has_directional_derivatives()) return;
    for (auto& column : rows) {
      column.resize(n_);
      for (std::size_t row = 0; row < n_; ++row) column[row] = static_cast<int>(row);
    }
  }
  pattern_.n = static_cast<int>(n_);
  for (auto& column : rows) {
    pattern_.column_start.push_back(static_cast<int>(pattern_.row.size()));
    std::sort(column.begin(), column.end());
    column.erase(std::unique(column.begin(), column.end()), column.end());
    pattern_.row.insert(pattern_.row.end(), column.begin(), column.end());
  }
  pattern_.column_start.push_back(static_cast<int>(pattern_.row.size()));
}

void ModelJacobian::colour() {
  const std::vector<int> colours = solve::colour_columns(pattern_);
  groups_.resize(colours.empty() ? 0 : static_cast<std::size_t>(*std::max_element(colours.begin(), colours.end())) + 1);
  for (std::size_t column = 0; column < n_; ++column) {
    Group& group = groups_[static_cast<std::size_t>(colours[column])];
    group.states.push_back(states_[column]);
    group.seed.push_back(1);
    group.columns.push_back(column);
  }
}

bool ModelJacobian::usable() {
  if (!named_ || groups_.empty()) return false;
  std::vector<double> values(pattern_.row.size() + 1);
  return succeeded(evaluate(values.data()));
}

Status ModelJacobian::evaluate(double* values) {
  for (const Group& group : groups_) {
    const Status status = instance_.directional_derivative(derivatives_, group.states, group.seed, result_);
    if (!succeeded(status)) return status;
    for (const std::size_t column : group.columns) {
      for (int k = pattern_.column_start[column]; k < pattern_.column_start[column + 1]; ++k) {
        values[k] = result_[static_cast<std::size_t>(pattern_.row[static_cast<std::size_t>(k)])];
      }
    }
  }
  return Status::ok;
}

}  // namespace orrery::fmi
