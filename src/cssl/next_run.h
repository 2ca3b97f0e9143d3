// SPDX-License-Identifier: Apache-2.0
// Runs that depend on those before: DESIRE's experiment goes on with what a run has left, CALL RERUN of CSMP with what
// TERMINAL has assigned.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "cssl/program.h"

namespace orrery::cssl {

// Values of names; arrays column by column.
using RunValues = std::map<std::string, std::vector<double>>;

// What a run has left.
struct RunEnd {
  double time = 0;
  RunValues values;
  bool left_scale = false;  // something that is displayed was outside of [-scale, scale]
};

// Constants of the run that follows these; nothing: there is none, or a mistake was reported. The experiment is carried
// out from its beginning each time, so it must not ask anybody else. `say` gets what it writes behind the last run.
std::optional<RunValues> next_run(const Program& program, std::span<const RunEnd> ends,
                                  const std::function<void(const std::string&)>& say, Diagnostics& diagnostics);

// DESIRE, while a program is read: the runs as far as they are known without results, with what follows from that for
// the declarations.
void find_desire_runs(Program& program, const std::vector<std::string>& assigned, Diagnostics& diagnostics);

}  // namespace orrery::cssl
