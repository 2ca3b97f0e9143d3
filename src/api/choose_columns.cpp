// SPDX-License-Identifier: Apache-2.0
// Matching names, and saying which patterns match none.
#include "api/choose_columns.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/closest_name.h"
#include "sim/recorder.h"

namespace orrery::api {
namespace {

bool matches(std::string_view pattern, std::string_view name) {
  std::size_t p = 0, n = 0, star = std::string_view::npos, resume = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = n;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == name[n])) {
      ++p;
      ++n;
    } else if (star != std::string_view::npos) {  // the last star takes one more
      p = star + 1;
      n = ++resume;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

}  // namespace

bool matches_column(std::string_view pattern, std::string_view name) {
  return matches(pattern, name) || (name.starts_with('/') && matches(pattern, name.substr(1)));
}

std::vector<std::string> recorded_columns(const program::Program& program, const std::vector<bool>& recorded) {
  std::vector<std::string> names;
  for (sim::Column& column : sim::columns_of(program)) {
    if (recorded[column.probe]) names.push_back(std::move(column.name));
  }
  return names;
}

bool check_patterns(const std::vector<std::string>& patterns, const program::Program& program,
                    const std::vector<bool>& recorded, Diagnostics& diagnostics) {
  if (patterns.empty()) return true;
  const std::vector<std::string> names = recorded_columns(program, recorded);
  bool good = true;
  for (const std::string& pattern : patterns) {
    const auto fits = [&](const std::string& name) { return matches_column(pattern, name); };
    if (std::any_of(names.begin(), names.end(), fits)) continue;
    good = false;
    Place place;
    place.file = program.origins[0].path;
    const std::vector<std::string_view> known(names.begin(), names.end());
    const std::string similar = model::did_you_mean(pattern, known);
    diagnostics.error(
        "unknown-column", std::move(place), fmt::format("no recorded signal is called {}", pattern),
        !similar.empty() || names.empty() ? similar : "the first of those that are recorded is " + names[0]);
  }
  return good;
}

}  // namespace orrery::api
