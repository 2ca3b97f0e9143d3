// SPDX-License-Identifier: Apache-2.0
// From the texts of the command line to what they mean.
#pragma once

#include <string>
#include <vector>

#include "cli/command_line.h"

namespace orrery::cli {

// Texts that need work after parsing.
struct Raw {
  std::vector<std::string> set, tolerances, initial;
  std::string interval, diagnostics = "text", tier = "auto", allow;
};

// A mistake in what was typed, found after CLI11 is done.
struct UsageError {
  std::string message;
};

void finish_arguments(const Raw& raw, Arguments& arguments);  // throws UsageError

}  // namespace orrery::cli
