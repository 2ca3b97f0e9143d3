// SPDX-License-Identifier: Apache-2.0
// Integrals of user functions.
#pragma once

#include "oml/builtin.h"

namespace orrery::oml {

void quad(Call& c);
void quadv(Call& c);
// quadgk, quadl and integral: the function takes vectors.
void quad_vectorised(Call& c);

}  // namespace orrery::oml
