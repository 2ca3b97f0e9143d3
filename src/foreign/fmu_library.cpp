// SPDX-License-Identifier: Apache-2.0
// Describing and opening FMUs.
#include "foreign/fmu_library.h"

#include <fmt/format.h>

#include <filesystem>

#include "base/runnable.h"
#include "blocks/parameters.h"
#include "foreign/fmu_instance.h"

namespace orrery::foreign {
namespace {

// A parameter value as text: elements in the order of an FMU, rows one after the other.
std::string text_of(const std::string& name, const program::Value& value) {
  if (value.is_text()) return value.text;
  if (!value.is_number() || value.is_complex() || value.is_empty()) {
    throw blocks::ParameterError{
        "start", fmt::format("the value of '{}' must be numbers or a text, but is {}", name, describe(value)), {}};
  }
  std::string text;
  for (int r = 0; r < value.rows; ++r) {
    for (int c = 0; c < value.cols; ++c) {
      const double number = value.real[static_cast<std::size_t>(r + c * value.rows)];
      text += (text.empty() ? "" : " ") + fmt::format("{}", number);
    }
  }
  return text;
}

}  // namespace

FmuLibrary::FmuLibrary(const std::string& model_file, Consent consent)
    : folder_(std::filesystem::path(model_file).parent_path()), consent_(std::move(consent)) {}

std::shared_ptr<const FmuInterface> FmuLibrary::interface_of(const FmuSettings& settings) const {
  FmuSettings key = settings;
  key.others.clear();
  const std::lock_guard lock(mutex_);
  auto& known = known_[to_list(key)];
  if (!known) known = read_interface(key);
  return known;
}

std::shared_ptr<const blocks::ForeignModel> FmuLibrary::fmu(const blocks::ForeignRequest& request) const {
  FmuSettings settings;
  settings.file = std::filesystem::path(folder_) / request.file;
  if (!consent_.may_read(settings.file)) {
    const Diagnostic refused = refusal(consent_, Capability::read, {}, settings.file);
    throw blocks::ParameterError{"fmu", refused.message, refused.help, refused.code};
  }
  if (!can_run(settings.file))
    throw blocks::ParameterError{"fmu", fmt::format("no code is taken from {}", settings.file), endings_that_run()};
  settings.kind = request.kind;
  settings.inputs = request.inputs;
  settings.outputs = request.outputs;
  for (const auto& [name, value] : request.start) settings.start.emplace_back(name, text_of(name, value));
  const auto interface = interface_of(settings);
  return {interface, &interface->model};
}

bool FmuLibrary::has_files_of_its_own(const program::ForeignObject& object, const FmuSettings& settings,
                                      const Place& place, Diagnostics& diagnostics) const {
  const std::lock_guard lock(mutex_);
  for (const char* parameter : {"results", "log"}) {
    const std::string path = other(settings, parameter);
    if (path.empty() || path == "-" || path == "stderr") continue;
    const std::string whole = std::filesystem::absolute(path).lexically_normal();
    if (written_.emplace(whole, object.origin).first->second == object.origin) continue;
    Place where = place;
    where.port = std::string("parameter ") + parameter;
    diagnostics.error("bad-parameter", where, fmt::format("another FMU block writes to the file {}", path),
                      "give every block a file of its own");
    return false;
  }
  return true;
}

std::unique_ptr<program::ForeignInstance> FmuLibrary::open(const program::ForeignObject& object,
                                                           const program::ForeignRun& run, const Place& place,
                                                           Diagnostics& diagnostics) const {
  FmuSettings settings = from_list(object.settings);
  try {
    if (!has_files_of_its_own(object, settings, place, diagnostics)) return nullptr;
    auto interface = interface_of(settings);
    for (auto& [name, value] : settings.others) {
      if (name == "resources") value = std::filesystem::absolute(std::filesystem::path(folder_) / value);
    }
    if (interface->description.interface(interface->kind)->only_once_per_process && other(settings, "safe").empty()) {
      const std::lock_guard lock(mutex_);
      const bool first = alone_.emplace(settings.file, object.origin).first->second == object.origin;
      if (!first) settings.others.emplace_back("safe", "1");
    }
    return open_fmu(std::move(interface), settings, run, place, diagnostics);
  } catch (const blocks::ParameterError& error) {
    Place where = place;
    where.port = "parameter " + error.parameter;
    diagnostics.error(error.code, where, error.message, error.help);
    return nullptr;
  }
}

program::ForeignKind fmu_kind(std::shared_ptr<const FmuLibrary> library) {
  using enum program::ForeignSetting::Type;
  return {"fmu",
          {{"file", file},
           {"kind", text},
           {"input", text, true},
           {"output", text, true},
           {"set", text, true},  // a variable, whose value is the "to" behind it
           {"to", text, true},
           {"derivatives", whole_number},
           {"interpolate", flag},
           {"iterate", flag},
           {"safe", flag},
           {"tolerance", flag},
           {"visible", flag},
           {"resources", file},
           {"log", file},
           {"log_level", text},
           {"log_categories", text},
           {"log_own", flag},
           {"results", file},
           {"results_at", text},
           {"results_separator", text},
           {"results_all", flag},
           {"results_names", flag}},
          [library = std::move(library)](const program::ForeignObject& object, const program::ForeignRun& run,
                                         const Place& place, Diagnostics& diagnostics) {
            return library->open(object, run, place, diagnostics);
          },
          Capability::native};
}

}  // namespace orrery::foreign
