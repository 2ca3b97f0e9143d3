// SPDX-License-Identifier: Apache-2.0
// The settings of FMU runs as rows of the one table of settings.
#include "api/fmu_settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "io/number_text.h"

namespace orrery::api {
namespace {

using Number = std::optional<double> fmi::RunOptions::*;

struct FmuNumber {
  std::optional<double> model::SettingValues::*setting;
  Number number;
};

using V = model::SettingValues;
using O = fmi::RunOptions;
constexpr FmuNumber fmu_numbers[] = {{&V::start, &O::start}, {&V::stop, &O::stop}, {&V::rtol, &O::rtol},
                                     {&V::atol, &O::atol},   {&V::hmax, &O::hmax}, {&V::hmin, &O::hmin},
                                     {&V::hinit, &O::hinit}, {&V::step, &O::step}};

Number number_of(const model::SettingInfo& info) {
  const auto row = std::find_if(std::begin(fmu_numbers), std::end(fmu_numbers), [&](const FmuNumber& known) {
    return info.number != nullptr && known.setting == info.number;
  });
  return row == std::end(fmu_numbers) ? nullptr : row->number;
}

// Whether "--rtol,--tol" has the name "tol".
bool has_option(std::string_view options, std::string_view name) {
  while (!options.empty()) {
    const std::size_t comma = std::min(options.find(','), options.size());
    if (options.substr(0, comma) == "--" + std::string(name)) return true;
    options.remove_prefix(std::min(comma + 1, options.size()));
  }
  return false;
}

// What a user would have typed for it.
std::string typed(const model::SettingInfo& info) {
  return std::string(info.option.empty() ? info.name : info.option.substr(0, info.option.find(',')));
}

}  // namespace

std::optional<double>* fmu_setting(std::string_view name, fmi::RunOptions& options) {
  for (const model::SettingInfo& info : model::setting_table()) {
    const Number number = number_of(info);
    if (number != nullptr && (info.name == name || has_option(info.option, name))) return &(options.*number);
  }
  return nullptr;
}

std::vector<std::string_view> fmu_setting_names() {
  std::vector<std::string_view> names;
  for (const model::SettingInfo& info : model::setting_table()) {
    if (number_of(info) != nullptr) names.push_back(info.name);
  }
  return names;
}

void take_fmu_settings(const model::Settings& settings, fmi::RunOptions& options, Diagnostics& diagnostics) {
  for (const model::SettingInfo& info : model::setting_table()) {
    const std::string& text = (settings.*info.text).text;
    if (text.empty()) continue;
    if (info.word == &V::solver) {
      options.solver = text;
      continue;
    }
    const Number number = number_of(info);
    if (number == nullptr) {
      diagnostics.error("fmi-bad-option", {}, fmt::format("{}: there is no such setting of an FMU", typed(info)),
                        "leave it out");
      continue;
    }
    std::optional<double>& value = options.*number;
    value = io::parse_number(text);
    if (!value) {
      diagnostics.error("fmi-bad-option", {}, fmt::format("{} {}: for an FMU this is a number", typed(info), text));
    } else if (info.range != model::SettingRange::any && *value == 0) {
      value.reset();
    } else if (info.range != model::SettingRange::any && !(*value > 0)) {
      diagnostics.error("fmi-bad-option", {},
                        fmt::format("{} {}: steps, tolerances and limits are greater than 0", typed(info), text));
    }
  }
  for (const model::StateTolerance& tolerance : settings.tolerances) {
    diagnostics.error("fmi-bad-option", {}, fmt::format("--tolerance {}: an FMU has no blocks", tolerance.block),
                      "its nominal values say what is small; --atol is for all states");
  }
}

}  // namespace orrery::api
