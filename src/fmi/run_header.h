// SPDX-License-Identifier: Apache-2.0
// What a recording tells of the run it was made in, so that the run can be repeated without the FMU.
#pragma once

#include <optional>
#include <string>

#include "fmi/run_options.h"

namespace orrery::fmi {

struct RunHeader {
  std::string fmu, xml, input_text;
  RunOptions options;
};

// As JSON text.
std::string run_header(const std::string& fmu, const std::string& xml, const RunOptions& options,
                       const std::string& input_text);
std::optional<RunHeader> parse_run_header(const std::string& text);

}  // namespace orrery::fmi
