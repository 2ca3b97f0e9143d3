// SPDX-License-Identifier: Apache-2.0
// What can be done with a recording of calls: ask another FMU the same, read it. To repeat the run is api/fmu_run.h.
#pragma once

#include <functional>
#include <string>

#include "base/diagnostic.h"

namespace orrery::fmi {

struct Comparison {
  Diagnostics diagnostics;
  long calls = 0, differing = 0;
};
// Sends the recorded calls to an FMU. Numbers that differ by more than tolerance (1 + their size) are differences.
struct CompareOptions {
  double tolerance = 1e-9;
  bool safe = false;
};
Comparison compare_with(const std::string& recording, const std::string& fmu, const CompareOptions& options);

// One line for each call, given to `print` with its end of line.
Diagnostics print_calls(const std::string& recording, const std::function<void(const std::string&)>& print);

}  // namespace orrery::fmi
