// SPDX-License-Identifier: Apache-2.0
// Options are lines of a name and a number, in any order: "StopTime, 1.5 // in seconds". Names that nobody asks for are
// passed over.
#include "fmi/reference_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <fstream>
#include <map>

#include "fmi/number_list.h"
#include "io/csv.h"

namespace orrery::fmi {
namespace {

constexpr double loosest_tolerance = 0.1;  // files say 0.5 or 1 where they mean nothing

std::map<std::string, double> read_values(const std::string& path) {
  std::map<std::string, double> values;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    line.resize(std::min({line.size(), line.find("//"), line.find('#')}));
    std::string name, number;
    for (const char c : line) {
      const bool letter = std::isalpha(static_cast<unsigned char>(c)) != 0 && number.empty();
      if (letter) name += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
      if (!letter && (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '-' || c == '+'))
        number += c;
    }
    if (const auto value = parse_real(number); value && std::isfinite(*value)) values.try_emplace(name, *value);
  }
  return values;
}

// The columns of a table and, where `times` is wanted, its times.
std::vector<std::string> names_in(const std::string& path, std::vector<double>* times) {
  Diagnostics ignored;
  io::CsvOptions options;
  options.lenient = true;
  options.gaps = true;
  options.cell = [](const std::vector<std::string>&, std::size_t, const std::string&) { return 0.0; };
  if (!std::ifstream(path).good()) return {};
  if (times != nullptr) {
    if (auto table = io::read_csv(path, ignored, options)) {
      *times = std::move(table->time);
      return table->names;
    }
  }
  std::ifstream file(path);
  std::string line;
  while (std::getline(file, line) && line.find_first_not_of(" \t\r") == std::string::npos) {
  }
  const auto table = io::parse_csv(line, path, ignored, options);
  return table ? table->names : std::vector<std::string>{};
}

}  // namespace

std::string take_reference_options(const std::string& fmu, RunOptions& options) {
  if (!fmu.ends_with(".fmu")) return {};
  const std::string base = fmu.substr(0, fmu.size() - 4);
  const std::map<std::string, double> values = read_values(base + "_ref.opt");
  std::string words;
  const bool own_rows = !options.step && !options.interval && options.row_times.empty();
  const auto take = [&](const char* key, const char* name, std::optional<double>& option, double low, double high) {
    const auto found = values.find(key);
    if (found == values.end() || option || !(found->second > low && found->second < high)) return;
    option = found->second;
    words += fmt::format("{}{} {}", words.empty() ? "" : ", ", name, found->second);
  };
  take("starttime", "start", options.start, -INFINITY, INFINITY);
  take("stoptime", "stop", options.stop, -INFINITY, INFINITY);
  take("stepsize", "step", options.step, 0, INFINITY);
  take("outputintervallength", "step", options.step, 0, INFINITY);
  take("reltol", "tolerance", options.rtol, 0, loosest_tolerance);
  std::vector<double> times;
  const std::vector<std::string> names = names_in(base + "_ref.csv", own_rows ? &times : nullptr);
  if (options.variables.empty()) options.also = names;
  if (!times.empty()) {
    options.row_times = std::move(times);
    words +=
        fmt::format("{}rows at the {} times of {}_ref.csv", words.empty() ? "" : ", ", options.row_times.size(), base);
  }
  const bool reference = !values.empty() || !names.empty();
  if (reference && options.input.empty() && std::ifstream(base + "_in.csv").good()) {
    options.input = base + "_in.csv";
    words += fmt::format("{}input {}", words.empty() ? "" : ", ", options.input);
  }
  return words;
}

}  // namespace orrery::fmi
