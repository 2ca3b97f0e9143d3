// SPDX-License-Identifier: Apache-2.0
// Matches columns with inputs and sets them over time.
#include "fmi/input_series.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>

#include "fmi/caller.h"
#include "fmi/values.h"

namespace orrery::fmi {

InputSeries::InputSeries(const Description& description, io::TimeSeries table, const std::string& file,
                         Diagnostics& diagnostics)
    : table_(std::move(table)) {
  if (table_.time.empty()) return;
  std::map<const Variable*, std::vector<std::size_t>> elements;
  for (std::size_t k = 0; k < table_.names.size(); ++k) {
    std::string& name = table_.names[k];
    name.erase(0, std::min(name.find_first_not_of(" \t"), name.size()));  // blanks after commas
    name.erase(name.find_last_not_of(" \t") + 1);
    const Variable* variable = description.find(name);
    std::uint64_t element = 0;
    if (variable == nullptr) {
      const Variable* array = description.find(name.substr(0, name.rfind('[')));
      const std::uint64_t count =
          array != nullptr ? std::min<std::uint64_t>(element_count(description, *array), 10000) : 0;
      for (std::uint64_t e = 0; e < count && variable == nullptr; ++e) {
        if (element_name(description, *array, e) != name) continue;
        variable = array;
        element = e;
      }
    }
    const bool usable = variable != nullptr && !variable->is_text() &&
                        (variable->causality == Causality::input || variable->causality == Causality::parameter);
    if (!usable) {
      diagnostics.warning("fmi-unknown-input", {file, 1, 0, {}, name},
                          variable == nullptr ? "the FMU has no variable of this name; the column is left out"
                                              : "this variable is neither an input nor a parameter; the column is "
                                                "left out");
      continue;
    }
    if (element_count(description, *variable) > table_.names.size()) {
      diagnostics.error("fmi-incomplete-input", {file, 1, 0, {}, variable->name},
                        "the array has more elements than the table has columns");
      continue;
    }
    auto& columns = elements[variable];
    columns.resize(std::max<std::size_t>(columns.size(), element_count(description, *variable)), no_index);
    if (element < columns.size()) columns[element] = k;
  }
  for (auto& [variable, columns] : elements) {
    if (std::find(columns.begin(), columns.end(), no_index) != columns.end()) {
      diagnostics.error("fmi-incomplete-input", {file, 1, 0, {}, variable->name},
                        fmt::format("the array has {} elements, but not every one has a column", columns.size()));
      continue;
    }
    const bool input = variable->causality == Causality::input;
    inputs_.push_back({variable, columns, input && variable->variability == Variability::continuous,
                       !input && variable->variability != Variability::tunable});
  }
  group_inputs();
  find_jumps();
}

void InputSeries::group_inputs() {
  for (const Input& input : inputs_) {
    auto group = std::find_if(groups_.begin(), groups_.end(), [&](const Group& g) {
      return g.type == input.variable->type && g.continuous == input.continuous && g.fixed == input.fixed;
    });
    if (group == groups_.end()) {
      groups_.push_back({input.variable->type, input.continuous, input.fixed, {}, {}, {}, {}});
      group = groups_.end() - 1;
    }
    group->references.push_back(input.variable->reference);
    for (const std::size_t column : input.columns) {
      group->columns.push_back(column);
      group->negated.push_back(input.variable->alias == Alias::negated ? 1 : 0);
    }
    group->values.resize(group->columns.size());
  }
}

void InputSeries::find_jumps() {
  const std::vector<double>& time = table_.time;
  for (std::size_t row = 1; row < time.size(); ++row) {
    bool jump = false, kink = false;
    for (const Group& group : groups_) {
      if (group.fixed) continue;
      for (const std::size_t column : group.columns) {
        const std::vector<double>& y = table_.columns[column];
        const bool differs = y[row] != y[row - 1];
        jump = jump || (differs && (!group.continuous || time[row] == time[row - 1]));
        if (!group.continuous || time[row] == time[row - 1]) continue;
        const double before = (y[row] - y[row - 1]) / (time[row] - time[row - 1]);
        const bool more = row + 1 < time.size() && time[row + 1] > time[row];
        const double after = more ? (y[row + 1] - y[row]) / (time[row + 1] - time[row]) : 0;
        kink = kink || before != after;
      }
    }
    if (jump && (jumps_.empty() || jumps_.back() < time[row])) jumps_.push_back(time[row]);
    if (kink && (kinks_.empty() || kinks_.back() < time[row])) kinks_.push_back(time[row]);
  }
}

// The last row whose time is at most t (right) or less than t (left); the first row when there is none.
std::size_t InputSeries::row_at(double t, Side side) {
  const std::vector<double>& time = table_.time;
  const auto before = [&](std::size_t row) { return side == Side::right ? time[row] <= t : time[row] < t; };
  if (row_ >= time.size()) row_ = time.size() - 1;
  if (before(row_)) {
    std::size_t hops = 0;
    while (row_ + 1 < time.size() && before(row_ + 1) && ++hops < 8) ++row_;
    if (hops < 8) return row_;
  }
  const auto end = side == Side::right ? std::upper_bound(time.begin(), time.end(), t)
                                       : std::lower_bound(time.begin(), time.end(), t);
  row_ = end == time.begin() ? 0 : static_cast<std::size_t>(end - time.begin()) - 1;
  return row_;
}

double InputSeries::value(std::size_t column, std::size_t row, double t, bool linear) const {
  const std::vector<double>& y = table_.columns[column];
  const std::vector<double>& time = table_.time;
  if (!linear || row + 1 >= time.size() || t <= time[row] || time[row + 1] <= time[row]) return y[row];
  const double share = (t - time[row]) / (time[row + 1] - time[row]);
  return share >= 1 ? y[row + 1] : y[row] + share * (y[row + 1] - y[row]);
}

Status InputSeries::set(Instance& instance, Group& group, double t, Side side) {
  const std::size_t row = row_at(t, side);
  for (std::size_t k = 0; k < group.columns.size(); ++k) {
    const double v = value(group.columns[k], row, t, group.continuous);
    group.values[k] = group.negated[k] == 0 ? v : group.type == Type::boolean ? 1 - v : 0 - v;
  }
  return instance.set_numbers(group.type, group.references, group.values);
}

Status InputSeries::set_continuous(Instance& instance, double t, Side side) {
  for (Group& group : groups_) {
    if (!group.continuous) continue;
    const Status status = set(instance, group, t, side);
    if (!succeeded(status)) return status;
  }
  return Status::ok;
}

Status InputSeries::set_discrete(Instance& instance, double t, Side side) {
  for (Group& group : groups_) {
    if (group.continuous || group.fixed) continue;
    const Status status = set(instance, group, t, side);
    if (!succeeded(status)) return status;
  }
  return Status::ok;
}

Status InputSeries::set_all_at_start(Instance& instance, double t) {
  for (Group& group : groups_) {
    const Status status = set(instance, group, t, Side::right);
    if (!succeeded(status)) return status;
  }
  return Status::ok;
}

Status InputSeries::set_slopes(Instance& instance, double t) {
  for (Group& group : groups_) {
    if (!group.continuous) continue;
    const std::size_t row = row_at(t, Side::right);
    std::vector<double> slopes(group.columns.size(), 0);
    for (std::size_t k = 0; k < slopes.size(); ++k) {
      if (row + 1 >= table_.time.size() || table_.time[row + 1] <= table_.time[row] || t < table_.time[row]) continue;
      const std::vector<double>& y = table_.columns[group.columns[k]];
      slopes[k] = (y[row + 1] - y[row]) / (table_.time[row + 1] - table_.time[row]);
      if (group.negated[k] != 0) slopes[k] = -slopes[k];
    }
    const Status status = instance.set_input_derivatives(group.references, 1, slopes);
    if (!succeeded(status)) return status;
  }
  return Status::ok;
}

double InputSeries::next_jump(double t) const {
  const auto next = std::upper_bound(jumps_.begin(), jumps_.end(), t);
  return next == jumps_.end() ? std::numeric_limits<double>::infinity() : *next;
}

double InputSeries::next_kink(double t) const {
  const auto next = std::upper_bound(kinks_.begin(), kinks_.end(), t);
  return next == kinks_.end() ? std::numeric_limits<double>::infinity() : *next;
}

}  // namespace orrery::fmi
