// SPDX-License-Identifier: Apache-2.0
// The table of a sweep: a row for each run, written in order, and what its columns say.
#pragma once

#include <string>
#include <vector>

#include "analyse/sweep_plan.h"
#include "analyse/sweep_store.h"
#include "api/sweep.h"

namespace orrery::api {

// To the file (CSV, or HDF5 by its name; empty: none), and as statistics into the result. False, and a diagnostic, when
// it cannot be written. The same runs give the same bytes, however often the sweep was interrupted.
[[nodiscard]] bool write_sweep_table(const std::string& path, const analyse::SweepPlan& plan,
                                     const std::vector<std::string>& kept, const analyse::SweepStore& store,
                                     SweepResult& result, Diagnostics& diagnostics);

}  // namespace orrery::api
