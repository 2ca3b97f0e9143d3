// SPDX-License-Identifier: Apache-2.0
// Exported C with float arithmetic, for machines that have no fast double.
#pragma once

#include <string>

#include "base/diagnostic.h"
#include "export/c_model.h"

namespace orrery::code_export {

// Says, block by block, what needs the digits or the range of doubles. True: nothing does.
bool fits_float32(const CModel& model, Diagnostics& diagnostics);

// A C text of ours with float instead of double: types, literals, functions of libm, limits. Comments and texts stay.
std::string as_float32(const std::string& text);

}  // namespace orrery::code_export
