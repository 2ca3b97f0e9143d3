// SPDX-License-Identifier: Apache-2.0
// Everything about an FMU that departs from the standard, with the section that says so.
#pragma once

#include "base/diagnostic.h"
#include "fmi/description.h"
#include "fmi/unpack.h"

namespace orrery::fmi {

// Violations are errors, doubtful things warnings; never stops at the first. Code of the FMU is run only if asked for.
Diagnostics check_fmu(const std::string& file, bool run = false);
void check_description(const Description& description, const std::string& file, Diagnostics& diagnostics);
void check_archive(Archive& archive, const Description& description, Diagnostics& diagnostics);

// Instantiates, initialises and steps the FMU, in a process of its own, and compares with the description.
void check_behaviour(Archive& archive, const Description& description, Diagnostics& diagnostics);

}  // namespace orrery::fmi
