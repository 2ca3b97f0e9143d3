// SPDX-License-Identifier: Apache-2.0
// Texts with numbers in them, for FormattedString blocks.
#pragma once

#include "program/foreign_kinds.h"

namespace orrery::foreign {

program::ForeignKind formatted_text_kind();

}  // namespace orrery::foreign
