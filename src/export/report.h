// SPDX-License-Identifier: Apache-2.0
// What an exported model costs, and whether a small machine can have it.
#pragma once

#include <string>

#include "base/diagnostic.h"
#include "export/c_model.h"

namespace orrery::code_export {

// Memory of an instance by block, operations of each procedure in the worst case (all branches), the stack it needs.
std::string report_text(const CModel& model);

// Machines that lack something: "no-libm" has only + - * / and comparisons of doubles, "no-double" has whole numbers.
// True, where every procedure can do with that; else a diagnostic for each block that cannot, by the name of what it
// needs.
bool fits_target(const CModel& model, const std::string& target, Diagnostics& diagnostics);

}  // namespace orrery::code_export
