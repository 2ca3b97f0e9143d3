// SPDX-License-Identifier: Apache-2.0
// Matches columns with inputs and sets them over time.
#include "fmi/input_series.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "fmi/caller.h"
#include "fmi/number_list.h"
#include "fmi/values.h"

namespace orrery::fmi {
namespace {

constexpr std::uint64_t most_input_elements = 10'000;  // of an array input

std::string without_blanks(std::string text) {
  std::erase_if(text, [](char c) { return c == ' ' || c == '\t'; });
  return text;
}

std::string trimmed(std::string text) {
  text.erase(0, std::min(text.find_first_not_of(" \t"), text.size()));
  text.erase(text.find_last_not_of(" \t") + 1);
  return text;
}

// The variable, or the array and the element, that a column names.
const Variable* find_target(const Description& description, const std::string& name, std::size_t& element) {
  element = 0;
  if (const Variable* variable = description.find(name)) return variable;
  const std::string plain = without_blanks(name);
  if (const Variable* variable = description.find(plain)) return variable;
  const Variable* array = description.find(plain.substr(0, plain.rfind('[')));
  const std::uint64_t count = array != nullptr ? std::min(element_count(description, *array), most_input_elements) : 0;
  for (; element < count; ++element) {
    if (element_name(description, *array, element) == plain) return array;
  }
  return nullptr;
}

// "u" of an array u: one cell holds all elements, separated by blanks.
bool names_whole_array(const Variable* variable, const std::string& name) {
  return variable != nullptr && !variable->dimensions.empty() && !variable->is_text() &&
         without_blanks(name) == without_blanks(variable->name);
}

bool is_wide(Type type) { return type == Type::int64 || type == Type::uint64; }

}  // namespace

InputSeries::InputSeries(const Description& description, std::string_view text, const std::string& file,
                         double rounding, Diagnostics& diagnostics)
    : file_(file), diagnostics_(&diagnostics), rounding_(rounding) {
  io::CsvOptions options;
  options.lenient = true;
  std::vector<const Variable*> targets;
  options.cell = [&](const std::vector<std::string>& names, std::size_t column, const std::string& cell) {
    std::size_t element = 0;
    for (std::size_t k = targets.size(); k < names.size(); ++k) {
      targets.push_back(find_target(description, trimmed(names[k]), element));
    }
    if (names_whole_array(targets[column], trimmed(names[column]))) return std::optional(number_of_text(trimmed(cell)));
    return read_cell(description, targets[column], trimmed(cell));
  };
  auto table = io::parse_csv(text, file, diagnostics, options);
  if (!table) return;
  table_ = std::move(*table);
  if (table_.time.empty()) return;
  Elements elements;
  match_columns(description, elements);
  for (auto& [variable, columns] : elements) {
    if (std::find(columns.begin(), columns.end(), no_index) != columns.end()) {
      diagnostics.error("fmi-incomplete-input", {file, 1, 0, {}, variable->name},
                        fmt::format("the array has {} elements, but not every one has a column", columns.size()));
      continue;
    }
    if (variable->type == Type::clock) {
      find_ticks(*variable, columns[0]);
    } else {
      add_group(*variable, columns);
    }
  }
  find_jumps();
}

double InputSeries::number_of_text(const std::string& text) {
  const auto [found, added] = text_number_.try_emplace(text, texts_.size());
  if (added) texts_.push_back(text);
  return static_cast<double>(found->second);
}

double InputSeries::number_of_integer(std::int64_t value) {
  const auto [found, added] = integer_number_.try_emplace(value, integers_.size());
  if (added) integers_.push_back(value);
  return static_cast<double>(found->second);
}

// Nothing: the cell is to be read as a number.
std::optional<double> InputSeries::read_cell(const Description& description, const Variable* variable,
                                             const std::string& cell) {
  constexpr double most_rounding = 1e-6;  // of whole numbers that were computed
  if (variable == nullptr) return 0;      // a column that will be left out may hold anything
  if (variable->type == Type::string) return number_of_text(cell);
  if (variable->type == Type::binary) {
    const auto bytes = from_hexadecimal(cell);
    return bytes ? number_of_text(*bytes) : report_cell(*variable, cell);
  }
  if (is_wide(variable->type)) {
    if (const auto exact = parse_integer(cell)) return number_of_integer(*exact);
    if (const auto natural = parse_natural(cell); natural && variable->type == Type::uint64) {
      return number_of_integer(static_cast<std::int64_t>(*natural));
    }
  }
  if (variable->type == Type::boolean || variable->type == Type::clock) {
    if (const auto value = parse_boolean(cell)) return *value ? 1 : 0;
    const auto number = parse_real(cell);
    return number ? std::optional(*number != 0 ? 1.0 : 0.0) : std::nullopt;
  }
  if (variable->type == Type::float64 || variable->type == Type::float32) return std::nullopt;
  if (variable->type == Type::enumeration) {
    if (const auto value = item_value(description, *variable, cell)) return static_cast<double>(*value);
  }
  const auto real = parse_real(cell);
  const double whole = std::round(real.value_or(0));
  if (!real || !(std::fabs(*real - whole) <= most_rounding) || std::fabs(whole) > 9e15) {
    return report_cell(*variable, cell);
  }
  return is_wide(variable->type) ? number_of_integer(static_cast<std::int64_t>(whole)) : whole;
}

double InputSeries::report_cell(const Variable& variable, const std::string& cell) {
  constexpr int most_reports = 20;
  if (diagnostics_->error_count() < most_reports) {
    diagnostics_->error("fmi-bad-value", {file_, 0, 0, {}, variable.name},
                        fmt::format("\"{}\" is not a value of type {}", cell, name_of(variable.type)));
  }
  return 0;
}

void InputSeries::warn(const std::string& column, const char* message) {
  diagnostics_->warning("fmi-unknown-input", {file_, 1, 0, {}, column}, message);
}

void InputSeries::match_columns(const Description& description, Elements& elements) {
  const std::size_t given = table_.names.size();  // columns of arrays add more
  for (std::size_t k = 0; k < given; ++k) {
    const std::string name = trimmed(table_.names[k]);
    std::size_t element = 0;
    const Variable* variable = find_target(description, name, element);
    if (variable == nullptr) {
      warn(name, "the FMU has no variable of this name; the column is left out");
    } else if (variable->causality != Causality::input && variable->causality != Causality::parameter) {
      warn(name, "this variable is neither an input nor a parameter; the column is left out");
    } else if (names_whole_array(variable, name)) {
      spread_array(description, *variable, k, elements);
    } else {
      add_column(description, *variable, element, k, elements);
    }
  }
}

// Gives every element of an array that stands in one column a column of its own.
void InputSeries::spread_array(const Description& description, const Variable& variable, std::size_t column,
                               Elements& elements) {
  const std::size_t first = table_.names.size(), rows = table_.time.size();
  const std::uint64_t count = std::min(element_count(description, variable), most_input_elements);
  for (std::uint64_t k = 0; k < count; ++k) table_.names.push_back(element_name(description, variable, k));
  table_.columns.resize(table_.names.size(), std::vector<double>(rows, 0));
  for (std::size_t row = 0; row < rows; ++row) {
    const std::string& cell = texts_[static_cast<std::size_t>(table_.columns[column][row])];
    Diagnostics faults;
    const auto values = parse_numbers(description, variable, cell, faults);
    if (!values) {
      diagnostics_->error("fmi-bad-value", {file_, 0, 0, {}, variable.name}, faults.all().front().message).time =
          table_.time[row];
      return;
    }
    const std::vector<std::string> words = is_wide(variable.type) ? split_list(cell) : std::vector<std::string>{};
    for (std::uint64_t k = 0; k < count; ++k) {
      const auto exact = words.size() == count ? read_cell(description, &variable, words[k]) : std::nullopt;
      const double number = is_wide(variable.type) ? number_of_integer(static_cast<std::int64_t>((*values)[k])) : 0;
      table_.columns[first + k][row] = is_wide(variable.type) ? exact.value_or(number) : (*values)[k];
    }
  }
  auto& columns = elements[&variable];
  columns.clear();
  for (std::uint64_t k = 0; k < count; ++k) columns.push_back(first + k);
}

void InputSeries::add_column(const Description& description, const Variable& variable, std::size_t element,
                             std::size_t column, Elements& elements) {
  const std::uint64_t count = element_count(description, variable);
  if (count > table_.names.size()) {
    diagnostics_->error("fmi-incomplete-input", {file_, 1, 0, {}, variable.name},
                        "the array has more elements than the table has columns");
    return;
  }
  auto& columns = elements[&variable];
  columns.resize(std::max<std::size_t>(columns.size(), count), no_index);
  if (element < columns.size()) columns[element] = column;
}

void InputSeries::add_group(const Variable& variable, const std::vector<std::size_t>& columns) {
  const bool input = variable.causality == Causality::input;
  const bool continuous = input && variable.variability == Variability::continuous;
  const bool fixed = !input && variable.variability != Variability::tunable;
  const Content content = variable.is_text()       ? Content::text
                          : is_wide(variable.type) ? Content::integer
                                                   : Content::number;
  auto group = std::find_if(groups_.begin(), groups_.end(), [&](const Group& g) {
    return g.type == variable.type && g.continuous == continuous && g.fixed == fixed;
  });
  if (group == groups_.end()) {
    groups_.push_back({variable.type, content, continuous, fixed, false, {}, {}, {}, {}, {}, {}});
    group = groups_.end() - 1;
  }
  group->references.push_back(variable.reference);
  for (const std::size_t column : columns) {
    group->columns.push_back(column);
    group->negated.push_back(variable.alias == Alias::negated ? 1 : 0);
  }
  group->values.resize(group->columns.size());
}

void InputSeries::find_ticks(const Variable& variable, std::size_t column) {
  std::vector<double> times;
  for (std::size_t row = 0; row < table_.time.size(); ++row) {
    if (table_.columns[column][row] != 0 && (times.empty() || times.back() < table_.time[row])) {
      times.push_back(table_.time[row]);
    }
  }
  ticks_.emplace_back(variable.reference, std::move(times));
}

void InputSeries::find_jumps() {
  const std::vector<double>& time = table_.time;
  const auto slope = [&](const std::vector<double>& y, std::size_t from, std::size_t to) {
    return (y[to] - y[from]) / (time[to] - time[from]);
  };
  for (std::size_t row = 1; row < time.size(); ++row) {
    std::size_t later = row + 1;  // the first row of a later time
    while (later < time.size() && time[later] == time[row]) ++later;
    bool jump = false, kink = false;
    const bool side = time[row] == time[row - 1];
    for (const Group& group : groups_) {
      if (group.fixed) continue;
      for (const std::size_t column : group.columns) {
        const std::vector<double>& y = table_.columns[column];
        jump = jump || (y[row] != y[row - 1] && (!group.continuous || time[row] == time[row - 1]));
        if (!group.continuous || time[row] == time[row - 1]) continue;
        const double before = slope(y, row - 1, row);
        const double after = later < time.size() ? slope(y, later - 1, later) : 0;
        kink = kink || std::fabs(before - after) > 1e-9 * (std::fabs(before) + std::fabs(after));
      }
    }
    if (jump && side && (sides_.empty() || sides_.back() < time[row])) sides_.push_back(time[row]);
    if (jump && (jumps_.empty() || jumps_.back() < time[row])) jumps_.push_back(time[row]);
    if (kink && (kinks_.empty() || kinks_.back() < time[row])) kinks_.push_back(time[row]);
  }
}

// The last row whose time is at most t (right) or less than t (left); the first row when there is none.
std::size_t InputSeries::row_at(double t, Side side) {
  const std::vector<double>& time = table_.time;
  const double edge = side == Side::right ? t + rounding_ : t - rounding_;
  const auto before = [&](std::size_t row) { return side == Side::right ? time[row] <= edge : time[row] < edge; };
  if (row_ >= time.size()) row_ = time.size() - 1;
  if (before(row_)) {
    std::size_t hops = 0;
    while (row_ + 1 < time.size() && before(row_ + 1) && ++hops < 8) ++row_;
    if (hops < 8) return row_;
  }
  const auto end = side == Side::right ? std::upper_bound(time.begin(), time.end(), edge)
                                       : std::lower_bound(time.begin(), time.end(), edge);
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
  const auto pooled = [&](const auto& pool, auto& values) {
    values.clear();
    for (const std::size_t column : group.columns) {
      values.push_back(pool[static_cast<std::size_t>(value(column, row, t, false))]);
    }
  };
  if (group.content == Content::text) {
    pooled(texts_, group.texts);
    return instance.set_texts(group.type, group.references, group.texts);
  }
  if (group.content == Content::integer) {
    pooled(integers_, group.integers);
    return instance.set_integers(group.type, group.references, group.integers);
  }
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

Status InputSeries::set_slopes(Instance& instance, double t, double until) {
  const double end = std::min(until, next_jump(t + rounding_));
  const std::size_t here = row_at(t, Side::right), there = row_at(end, Side::left);
  for (Group& group : groups_) {
    if (!group.continuous) continue;
    std::vector<double> slopes(group.columns.size(), 0);
    for (std::size_t k = 0; k < slopes.size() && end > t; ++k) {
      const std::size_t column = group.columns[k];
      const double rise = value(column, std::max(here, there), end, true) - value(column, here, t, true);
      slopes[k] = (group.negated[k] != 0 ? -rise : rise) / (end - t);
      group.sloping = group.sloping || rise != 0;
    }
    // Inputs that only jump need none, and FMUs are not asked for what they may do badly.
    if (!group.sloping) continue;
    const Status status = instance.set_input_derivatives(group.references, 1, slopes);
    if (!succeeded(status)) return status;
  }
  return Status::ok;
}

double InputSeries::next_jump(double t) const {
  const auto next = std::upper_bound(jumps_.begin(), jumps_.end(), t);
  return next == jumps_.end() ? std::numeric_limits<double>::infinity() : *next;
}

bool InputSeries::has_sides(double t) const {
  const auto next = std::lower_bound(sides_.begin(), sides_.end(), t - rounding_);
  return next != sides_.end() && *next <= t + rounding_;
}

double InputSeries::next_kink(double t) const {
  const auto next = std::upper_bound(kinks_.begin(), kinks_.end(), t);
  return next == kinks_.end() ? std::numeric_limits<double>::infinity() : *next;
}

}  // namespace orrery::fmi
