// SPDX-License-Identifier: Apache-2.0
// Columns of a table matched with the inputs of a Program.
#include "api/read_inputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "io/csv.h"
#include "model/closest_name.h"
#include "sim/recorder.h"

namespace orrery::api {
namespace {

using program::InputPort;
using program::Program;
using program::Type;

// Where a column belongs.
struct Target {
  std::size_t input;
  std::size_t element;
};

class InputTable {
 public:
  InputTable(const std::string& file, const Program& program, Diagnostics& diagnostics)
      : file_(file), program_(program), diagnostics_(diagnostics) {}

  bool read(std::vector<sim::InputSeries>& inputs) {
    const int errors = diagnostics_.error_count();
    io::CsvOptions options;
    options.lenient = true;
    options.cell = [](const auto&, std::size_t, const std::string& cell) -> std::optional<double> {
      if (cell == "true") return 1;
      if (cell == "false") return 0;
      return std::nullopt;
    };
    const auto table = io::read_csv(file_, diagnostics_, options);
    if (!table) return false;
    std::unordered_map<std::string, Target> targets;
    std::vector<std::vector<std::size_t>> columns(program_.inputs.size());  // by input and element
    for (std::size_t k = 0; k < program_.inputs.size(); ++k) {
      if (is_activation(k)) continue;
      const std::vector<std::string> names = sim::element_names(program_.inputs[k].name, type_of(k));
      columns[k].assign(names.size(), SIZE_MAX);
      for (std::size_t e = 0; e < names.size(); ++e) targets.emplace(names[e], Target{k, e});
    }
    for (std::size_t c = 0; c < table->names.size(); ++c) match(table->names[c], c, targets, columns);
    for (std::size_t k = 0; k < columns.size(); ++k) {
      if (std::ranges::any_of(columns[k], [](std::size_t c) { return c != SIZE_MAX; }))
        add(k, columns[k], *table, inputs);
    }
    return diagnostics_.error_count() == errors;
  }

 private:
  bool is_activation(std::size_t input) const { return program_.inputs[input].value == program::no_slot; }
  Type type_of(std::size_t input) const { return program_.slots[program_.inputs[input].value].type; }

  Place place(const std::string& column) const { return {file_, 1, 0, {}, "column " + column}; }

  void match(const std::string& name, std::size_t column, const std::unordered_map<std::string, Target>& targets,
             std::vector<std::vector<std::size_t>>& columns) {
    const std::string bare = name.starts_with('/') ? name.substr(1) : name;
    const auto found = targets.find(bare);
    if (found == targets.end()) {
      refuse(name, bare);
      return;
    }
    std::size_t& place_of = columns[found->second.input][found->second.element];
    if (place_of != SIZE_MAX)
      diagnostics_.error("input-column", place(name), "two columns have this name", "remove one");
    place_of = column;
  }

  void refuse(const std::string& name, const std::string& bare) {
    std::vector<std::string_view> names;
    for (const InputPort& port : program_.inputs) {
      if (port.name == bare && port.value == program::no_slot) {
        diagnostics_.error("input-column", place(name), "this is an activation input, which has no values",
                           "remove the column; a program can fire the input");
        return;
      }
      if (port.value != program::no_slot) names.push_back(port.name);
    }
    const std::string guess = model::did_you_mean(bare, names);
    diagnostics_.error("input-column", place(name), "the model has no input of this name",
                       !guess.empty()  ? guess
                       : names.empty() ? "an input is an Input block on the top diagram"
                                       : fmt::format("it has: {}", fmt::join(names, ", ")));
  }

  void add(std::size_t input, const std::vector<std::size_t>& columns, const io::TimeSeries& table,
           std::vector<sim::InputSeries>& inputs) {
    const std::vector<std::string> names = sim::element_names(program_.inputs[input].name, type_of(input));
    for (std::size_t e = 0; e < columns.size(); ++e) {
      if (columns[e] != SIZE_MAX) continue;
      diagnostics_.error("input-column", place(names[e]), "this element of the input has no column",
                         "a table gives all elements of an input, or none");
      return;
    }
    sim::InputSeries series{input, table.time, {}};
    for (std::size_t row = 0; row < table.time.size(); ++row) {
      for (std::size_t e = 0; e < columns.size(); ++e) {
        const double value = table.columns[columns[e]][row];
        if (!fits(value, type_of(input).scalar)) {
          diagnostics_
              .error("input-value", place(names[e]),
                     fmt::format("{} is no value of type {}", value, name_of(type_of(input).scalar)),
                     "integers have no fraction and a smallest and largest value; booleans are 0 or 1")
              .time = table.time[row];
          return;
        }
        series.values.push_back(value);
      }
    }
    inputs.push_back(std::move(series));
  }

  static bool fits(double value, program::Scalar scalar) {
    if (program::is_floating(scalar)) return std::isfinite(value);
    return value == std::floor(value) && value >= lowest_value(scalar) && value <= highest_value(scalar);
  }

  const std::string& file_;
  const Program& program_;
  Diagnostics& diagnostics_;
};

}  // namespace

bool read_inputs(const std::string& file, const Program& program, std::vector<sim::InputSeries>& inputs,
                 Diagnostics& diagnostics) {
  return InputTable(file, program, diagnostics).read(inputs);
}

}  // namespace orrery::api
