// SPDX-License-Identifier: Apache-2.0
// Data shifted and scaled to a common measure.
#pragma once

#include "oml/builtin.h"

namespace orrery::oml {

void normalize(Call& c);

}  // namespace orrery::oml
