// SPDX-License-Identifier: Apache-2.0
// Coloured directional derivatives: one call for all columns of a colour.
#include "fmi/model_jacobian.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "fmi/caller.h"
#include "solve/difference_jacobian.h"

namespace orrery::fmi {

ModelJacobian::ModelJacobian(const Description& description, Instance& instance, std::size_t states)
    : instance_(instance), n_(states), result_(states) {
  const auto place = [&](std::size_t variable, std::vector<ValueReference>& references, std::vector<Range>& ranges) {
    const std::size_t begin = ranges.empty() ? 0 : ranges.back().end;
    const std::uint64_t count = element_count(description, description.variables[variable]);
    if (count > states - std::min(begin, states)) return false;
    references.push_back(description.variables[variable].reference);
    ranges.push_back({begin, begin + count});
    return true;
  };
  const std::size_t count = description.derivatives.size();
  named_ = states > 0 && count > 0 && description.state_variables.size() == count;
  for (std::size_t k = 0; named_ && k < count; ++k) {
    named_ = place(description.derivatives[k].variable, derivatives_, rows_) &&
             place(description.state_variables[k], states_, columns_) && rows_.back().end == columns_.back().end;
  }
  named_ = named_ && rows_.back().end == states;
  if (!named_) return;
  find_pattern(description);
  if (instance.has_directional_derivatives()) colour();
}

void ModelJacobian::find_pattern(const Description& description) {
  std::unordered_map<std::size_t, std::size_t> place_of;
  for (std::size_t k = 0; k < columns_.size(); ++k) place_of[description.state_variables[k]] = k;
  std::vector<std::vector<int>> rows(n_);
  const auto fill = [&](const Range& row, const Range& column) {
    for (std::size_t c = column.begin; c < column.end; ++c) {
      for (std::size_t r = row.begin; r < row.end; ++r) rows[c].push_back(static_cast<int>(r));
    }
  };
  bool known = true;
  for (std::size_t k = 0; k < rows_.size() && known; ++k) {
    const Unknown& unknown = description.derivatives[k];
    known = unknown.dependencies.has_value();
    if (!known) break;
    for (const std::size_t variable : *unknown.dependencies) {
      const auto found = place_of.find(variable);
      if (found != place_of.end()) fill(rows_[k], columns_[found->second]);
    }
  }
  if (!known) {
    // Only directional derivatives need a pattern then; differences are dense without one.
    if (!instance_.has_directional_derivatives()) return;
    rows.assign(n_, {});
    fill({0, n_}, {0, n_});
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

// Scalars are named one by one; of arrays every element has a seed.
void ModelJacobian::colour() {
  const std::vector<int> colours = solve::colour_columns(pattern_);
  groups_.resize(colours.empty() ? 0 : static_cast<std::size_t>(*std::max_element(colours.begin(), colours.end())) + 1);
  const bool arrays = columns_.size() < n_;
  for (std::size_t column = 0; column < n_; ++column) {
    Group& group = groups_[static_cast<std::size_t>(colours[column])];
    if (arrays) {
      group.states = states_;
      group.seed.resize(n_, 0);
      group.seed[column] = 1;
    } else {
      group.states.push_back(states_[column]);
      group.seed.push_back(1);
    }
    group.columns.push_back(column);
  }
}

bool ModelJacobian::usable(std::span<const double> x) {
  if (!named_ || groups_.empty()) return false;
  std::vector<double> values(pattern_.row.size() + 1);
  return succeeded(instance_.set_states(x)) && succeeded(evaluate(values.data())) && agrees(x, values);
}

bool ModelJacobian::agrees(std::span<const double> x, const std::vector<double>& values) {
  std::vector<double> moved(x.begin(), x.end()), before(n_), after(n_), product(n_, 0);
  for (std::size_t k = 0; k < n_; ++k) {
    const double size = 1e-6 * std::max(std::fabs(x[k]), 1e-3);
    const double step = k % 2 == 0 ? size : -0.7 * size;
    moved[k] += step;
    for (int at = pattern_.column_start[k]; at < pattern_.column_start[k + 1]; ++at) {
      product[static_cast<std::size_t>(pattern_.row[static_cast<std::size_t>(at)])] +=
          values[static_cast<std::size_t>(at)] * step;
    }
  }
  const bool evaluated = succeeded(instance_.get_derivatives(before)) && succeeded(instance_.set_states(moved)) &&
                         succeeded(instance_.get_derivatives(after));
  if (!succeeded(instance_.set_states(x))) return false;
  if (!evaluated) return true;  // the point beside may lie outside; nothing is proved
  for (std::size_t k = 0; k < n_; ++k) {
    const double difference = after[k] - before[k];
    const double noise = 1e-12 * std::max(1.0, std::fabs(before[k]));
    // Half of it: the point may be near a kink, but a wrong matrix is wrong by orders of magnitude.
    if (std::fabs(difference - product[k]) > 0.5 * std::max(std::fabs(difference), std::fabs(product[k])) + noise) {
      return false;
    }
  }
  return true;
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
