// SPDX-License-Identifier: Apache-2.0
// What the grammar cannot say: pairs with an equals sign, options that exclude each other.
#include "cli/finish_arguments.h"

#include <algorithm>
#include <cctype>
#include <cmath>

#include "io/number_text.h"

namespace orrery::cli {
namespace {

bool is_name(const std::string& text) {
  const auto part_of_name = [](unsigned char c) { return std::isalnum(c) || c == '_'; };
  return !text.empty() && !std::isdigit(static_cast<unsigned char>(text[0])) &&
         std::all_of(text.begin(), text.end(), part_of_name);
}

compile::Override parse_override(const std::string& text) {
  const std::size_t equals = text.find('=');
  const std::string name = text.substr(0, equals);
  if (equals == std::string::npos || equals + 1 == text.size() || !is_name(name)) {
    throw UsageError{"--set " + text + ": write NAME=EXPR, for example --set k=2.5"};
  }
  return {name, text.substr(equals + 1)};
}

model::BlockSetting parse_block_setting(const std::string& text, const std::string& usage) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size()) throw UsageError{usage};
  const std::string block = text.substr(0, equals);
  return {block.starts_with('/') ? block : "/" + block, text.substr(equals + 1)};
}

// Names of FMU variables may hold dots, brackets, blanks; not '='.
std::pair<std::string, std::string> parse_fmu_value(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) {
    throw UsageError{"--set " + text + ": write VARIABLE=VALUE, for example --set body.mass=2.5"};
  }
  return {text.substr(0, equals), text.substr(equals + 1)};
}

void finish_set(const Raw& raw, Arguments& arguments) {
  if (arguments.command == Command::run && is_fmu(arguments.request.file)) {
    for (const std::string& text : raw.set) arguments.fmu.set.push_back(parse_fmu_value(text));
    if (!raw.tolerances.empty()) throw UsageError{"--tolerance is for models only"};
    if (!raw.initial.empty()) throw UsageError{"--initial is for models only"};
    return;
  }
  for (const std::string& text : raw.set) arguments.request.overrides.push_back(parse_override(text));
  std::vector<std::string>& signals = arguments.request.signals;
  signals.insert(signals.end(), arguments.fmu.variables.begin(), arguments.fmu.variables.end());
  arguments.request.input = arguments.fmu.input;
  const std::string option = first_fmu_option(arguments.fmu);
  if (arguments.command == Command::run && !option.empty()) throw UsageError{option + " is for FMUs only"};
}

void finish_outputs(const Arguments& arguments) {
  std::vector<std::string> outputs = arguments.out;
  outputs.insert(outputs.end(), {arguments.events, arguments.plot});
  std::sort(outputs.begin(), outputs.end());
  for (std::size_t k = 1; k < outputs.size(); ++k) {
    if (!outputs[k].empty() && outputs[k] == outputs[k - 1]) {
      throw UsageError{outputs[k] + ": two outputs cannot go to the same file"};
    }
  }
  if (arguments.decimate > 1 && arguments.out.empty()) throw UsageError{"--decimate is for the files of --out"};
  if (!is_fmu(arguments.request.file)) return;
  if (arguments.decimate > 1) throw UsageError{"--decimate is for models only; --interval chooses rows of an FMU"};
  if (!arguments.request.only.empty())
    throw UsageError{"--only is for models only; --vars chooses variables of an FMU"};
  if (arguments.out.size() > 1) throw UsageError{"the results of an FMU go to one --out file"};
}

Capabilities parse_allow(const std::string& text) {
  std::string unknown;
  const auto allowed = parse_capabilities(text, unknown);
  if (allowed) return *allowed;
  throw UsageError{"--allow " + text + ": there is no " + unknown + "; write some of " + to_text(Capabilities::all()) +
                   ", or all"};
}

}  // namespace

void finish_arguments(const Raw& raw, Arguments& arguments) {
  finish_set(raw, arguments);
  arguments.request.allow = parse_allow(raw.allow);
  arguments.request.recorded_trust = true;
  if (arguments.command == Command::trust) {
    if (raw.allow.empty()) arguments.request.allow = Capabilities::all();
    if (arguments.list_trust == arguments.request.file.empty()) return;
    throw UsageError{"either name a model or a folder, or ask for --list"};
  }
  for (const std::string& text : raw.tolerances) {
    arguments.request.settings.tolerances.push_back(
        parse_block_setting(text, "--tolerance " + text + ": write BLOCK=A, for example --tolerance /Plant/Mass=1e-9"));
  }
  for (const std::string& text : raw.initial) {
    arguments.request.settings.initial.push_back(
        parse_block_setting(text, "--initial " + text + ": write PATH=HOW, for example --initial /Plant=rest"));
  }
  arguments.json_diagnostics = raw.diagnostics == "json";
  using api::TierChoice;
  arguments.request.tier = raw.tier == "first"    ? TierChoice::first
                           : raw.tier == "second" ? TierChoice::second
                                                  : TierChoice::automatic;
  if (!raw.interval.empty()) {
    arguments.request.interval = io::parse_number(raw.interval).value_or(-1);
    if (!(arguments.request.interval > 0) || std::isinf(arguments.request.interval)) {
      throw UsageError{"--interval " + raw.interval + ": write a number greater than 0"};
    }
  }
  finish_outputs(arguments);
  if (arguments.command == Command::show_block && arguments.block.empty() == arguments.html.empty()) {
    throw UsageError{"either name a block, or write the whole manual with --html FILE"};
  }
}

bool is_fmu(const std::string& file) {
  const std::size_t dot = file.rfind('.');
  if (dot == std::string::npos || file.size() - dot != 4) return false;
  const auto lower = [&](std::size_t k) { return std::tolower(static_cast<unsigned char>(file[dot + k])); };
  return lower(1) == 'f' && lower(2) == 'm' && lower(3) == 'u';
}

}  // namespace orrery::cli
