// SPDX-License-Identifier: Apache-2.0
// Walks through folders and reads descriptions.
#include "fmi/find_fmus.h"

#include <algorithm>
#include <filesystem>
#include <optional>

#include "fmi/unpack.h"

namespace orrery::fmi {
namespace {

namespace fs = std::filesystem;

std::optional<Kind> kind_of_folder(const fs::path& below) {
  std::optional<Kind> kind;
  for (const fs::path& part : below.parent_path()) {
    if (part == "me") kind = Kind::model_exchange;
    if (part == "cs") kind = Kind::co_simulation;
  }
  return kind;
}

void add_runs(const fs::path& file, const fs::path& folder, std::vector<CollectedRun>& runs) {
  CollectedRun run;
  run.fmu = fs::absolute(file).string();
  run.name = file.lexically_relative(folder).string();
  const fs::path reference = file.parent_path() / (file.stem().string() + "_ref.csv");
  std::error_code none;
  if (fs::is_regular_file(reference, none)) run.reference = fs::absolute(reference).string();
  const std::optional<Kind> asked = kind_of_folder(file.lexically_relative(folder));
  run.kind = asked.value_or(run.kind);
  Diagnostics faults;
  const auto archive = Archive::open(run.fmu, faults);
  const auto xml = archive ? archive->read("modelDescription.xml", faults) : std::nullopt;
  const auto description = xml ? read_description(*xml, run.fmu, faults) : std::nullopt;
  if (!description || faults.has_errors()) {
    for (const Diagnostic& fault : faults.all()) {
      if (fault.severity == Severity::error) run.unusable = fault.message;
    }
    runs.push_back(std::move(run));
    return;
  }
  run.tool = description->generation_tool;
  run.version = name_of(description->version);
  for (const Kind kind : {Kind::model_exchange, Kind::co_simulation, Kind::scheduled_execution}) {
    const bool offered = description->interface(kind) != nullptr;
    if (asked ? kind != *asked : !offered) continue;
    run.kind = kind;
    run.unusable = offered ? "" : std::string("the FMU does not offer ") + name_of(kind);
    runs.push_back(run);
  }
}

}  // namespace

std::vector<CollectedRun> find_fmus(const std::string& folder, Diagnostics& diagnostics) {
  std::vector<fs::path> files;
  std::error_code error;
  fs::recursive_directory_iterator at(folder, fs::directory_options::skip_permission_denied, error), end;
  while (!error && at != end) {
    std::error_code none;
    if (at->path().extension() == ".fmu" && at->is_regular_file(none)) files.push_back(at->path());
    at.increment(error);
  }
  if (error) {
    diagnostics.error("fmi-no-fmus", {folder, 0, 0, {}, {}}, "the folder cannot be read: " + error.message());
    return {};
  }
  std::sort(files.begin(), files.end());
  std::vector<CollectedRun> runs;
  for (const fs::path& file : files) add_runs(file, folder, runs);
  if (runs.empty()) {
    diagnostics.error("fmi-no-fmus", {folder, 0, 0, {}, {}}, "there is no FMU in this folder nor below it",
                      "name a folder with files X.fmu; X_ref.csv beside them are the references");
  }
  return runs;
}

}  // namespace orrery::fmi
