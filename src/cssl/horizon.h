// SPDX-License-Identifier: Apache-2.0
// How long a run can last that ends itself.
#pragma once

#include <string>

#include "cssl/program.h"

namespace orrery::cssl {

// OML: an interval behind the time that a condition such as t .ge. tmx names; without one, ten thousand intervals. A
// run that comes so far says so.
std::string horizon(const Program& program);

}  // namespace orrery::cssl
