// SPDX-License-Identifier: Apache-2.0
// A Program as text for people: `orrery show program`.
#pragma once

#include <string>

#include "program/program.h"

namespace orrery::program {

const char* name_of(SlotKind kind);
const char* name_of(SourceKind kind);
const char* name_of(ActionKind kind);

// Slots, clocks, sources with their tables, the continuous part. Subexpressions that are large or used more than once
// have names t1, t2, … within their part.
std::string to_text(const Program& program);
// "/Plant/Mass.x"
std::string slot_name(const Program& program, SlotId slot);
// One expression, infix. Large shared parts are written out as "t1 = …; t2 = …; …".
std::string to_text(const Program& program, ExprId expression);

}  // namespace orrery::program
