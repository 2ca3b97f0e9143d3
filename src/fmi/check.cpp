// SPDX-License-Identifier: Apache-2.0
// Checks the archive: files in their places, libraries with the functions the description promises.
#include "fmi/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "fmi/api/fmi1.h"
#include "fmi/api/fmi2.h"
#include "fmi/api/fmi3.h"
#include "fmi/load_binary.h"

namespace orrery::fmi {
namespace {

struct Function {
  int required;  // 0 optional, 1 always, 2 Model Exchange, 3 Co-Simulation
  const char* name;
};

#define ORRERY_ENTRY_1(required, result, name, arguments) {required, "fmi" #name},
#define ORRERY_ENTRY_2(required, result, name, arguments) {required, "fmi2" #name},
#define ORRERY_ENTRY_3(required, result, name, arguments) {required, "fmi3" #name},
constexpr Function functions_1[] = {FMI1_FUNCTIONS(ORRERY_ENTRY_1)};
constexpr Function functions_2[] = {FMI2_FUNCTIONS(ORRERY_ENTRY_2)};
constexpr Function functions_3[] = {FMI3_FUNCTIONS(ORRERY_ENTRY_3)};

// A name that the library exports stands in its string table.
bool mentions(const std::string& library, const std::string& name) {
  return library.find('\0' + name + '\0') != std::string::npos;
}

// The standard demands all functions of an interface, also those an importer can do without.
template <std::size_t count>
std::vector<std::string> missing_functions(const std::string& library, const std::string& prefix, int kind,
                                           const Function (&functions)[count]) {
  static constexpr const char* other_kind[] = {"Slave", "Step", "Status", "RealInputDerivatives",
                                               "RealOutputDerivatives"};
  static constexpr const char* exchange_only[] = {"Model",       "Continuous",   "EventIndicators",     "fmiInitialize",
                                                  "EventUpdate", "fmiTerminate", "StateValueReferences"};
  std::vector<std::string> missing;
  for (const Function& function : functions) {
    const std::string_view name = function.name;
    if (function.required > 1 && function.required != kind) continue;
    if (function.required == 0) {
      // Optional ones are listed once; whether they belong to this kind is told by their names.
      const auto contains = [&](const char* part) { return name.find(part) != std::string_view::npos; };
      if (kind == 2 && std::any_of(std::begin(other_kind), std::end(other_kind), contains) &&
          !contains("CompletedIntegratorStep")) {
        continue;
      }
      if (kind == 3 && (std::any_of(std::begin(exchange_only), std::end(exchange_only), contains) ||
                        contains("CompletedIntegratorStep"))) {
        continue;
      }
      if (kind == 2 && name == "fmiGetTypesPlatform") continue;
      if (kind != 4 && (contains("ScheduledExecution") || contains("ModelPartition"))) continue;
    }
    if (!mentions(library, prefix + function.name)) missing.push_back(prefix + function.name);
  }
  return missing;
}

void check_library(Archive& archive, const Description& description, Kind kind, const std::string& platform,
                   Diagnostics& diagnostics) {
  const Interface* interface = description.interface(kind);
  if (interface == nullptr) return;
  const std::string name = "binaries/" + platform + "/" + interface->model_identifier + ".so";
  if (!archive.has(name)) {
    diagnostics.error("fmi-check-archive", {archive.path(), 0, 0, {}, {}},
                      fmt::format("the folder {} holds no {}.so ({}, archive structure)", platform,
                                  interface->model_identifier, name_of(description.version)));
    return;
  }
  const auto library = archive.read(name, diagnostics);
  if (!library) return;
  const int number = kind == Kind::model_exchange ? 2 : kind == Kind::co_simulation ? 3 : 4;
  const std::vector<std::string> missing =
      description.version == Version::fmi1
          ? missing_functions(*library, interface->model_identifier + "_", number, functions_1)
      : description.version == Version::fmi2 ? missing_functions(*library, "", number, functions_2)
                                             : missing_functions(*library, "", number, functions_3);
  if (missing.empty()) return;
  const char* section = description.version == Version::fmi1   ? "FMI 1.0, header files and naming of functions"
                        : description.version == Version::fmi2 ? "FMI 2.0, 2.1.1"
                                                               : "FMI 3.0, 2.2.1";
  Diagnostic& error = diagnostics.error(
      "fmi-check-functions", {archive.path() + "/" + name, 0, 0, {}, {}},
      fmt::format("{} functions of {} are not exported ({})", missing.size(), name_of(kind), section));
  error.notes = missing;
}

}  // namespace

void check_archive(Archive& archive, const Description& description, Diagnostics& diagnostics) {
  const bool binaries = !platforms(archive).empty();
  const bool sources = std::any_of(archive.files().begin(), archive.files().end(),
                                   [](const std::string& name) { return name.starts_with("sources/"); });
  if (!binaries && !sources) {
    diagnostics.error("fmi-check-archive", {archive.path(), 0, 0, {}, {}},
                      fmt::format("the archive holds neither binaries nor sources ({}, archive structure)",
                                  name_of(description.version)));
  }
  for (const std::string& name : archive.files()) {
    static constexpr const char* known[] = {
        "modelDescription.xml", "binaries/", "sources/", "documentation/", "resources/", "model.png", "licenses/",
        "terminalsAndIcons/",   "extra/"};
    if (std::none_of(std::begin(known), std::end(known), [&](const char* k) { return name.starts_with(k); })) {
      diagnostics.warning(
          "fmi-check-archive", {archive.path() + "/" + name, 0, 0, {}, {}},
          fmt::format("the standard knows no such entry ({}, archive structure)", name_of(description.version)));
      break;
    }
  }
  const std::string platform = own_platform(archive);
  if (platform.empty()) return;
  for (const Kind kind : {Kind::model_exchange, Kind::co_simulation, Kind::scheduled_execution}) {
    check_library(archive, description, kind, platform, diagnostics);
  }
}

Diagnostics check_fmu(const std::string& file) {
  Diagnostics diagnostics;
  const auto archive = Archive::open(file, diagnostics);
  if (!archive) return diagnostics;
  const auto xml = archive->read("modelDescription.xml", diagnostics);
  if (!xml) return diagnostics;
  const auto description = read_description(*xml, file, diagnostics);
  if (!description) return diagnostics;
  check_description(*description, file, diagnostics);
  check_archive(*archive, *description, diagnostics);
  return diagnostics;
}

}  // namespace orrery::fmi
