// SPDX-License-Identifier: Apache-2.0
// The FMUs of a collection: every X.fmu below a folder, with the reference results that lie beside it.
#pragma once

#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "fmi/description.h"

namespace orrery::fmi {

// One run: an FMU and an interface of it.
struct CollectedRun {
  std::string fmu;        // path
  std::string name;       // relative to the folder
  std::string reference;  // X_ref.csv; empty: there is none
  Kind kind = Kind::co_simulation;
  std::string tool;      // that made it
  std::string version;   // of FMI
  std::string unusable;  // why there is nothing to run
};

// A folder "me" or "cs" on the way to an FMU says which interface its reference is of; otherwise every one it offers is
// a run. In the order of their names.
std::vector<CollectedRun> find_fmus(const std::string& folder, Diagnostics& diagnostics);

}  // namespace orrery::fmi
