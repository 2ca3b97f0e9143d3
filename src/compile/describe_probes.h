// SPDX-License-Identifier: Apache-2.0
// What a recorder must know of probes once all tables are there.
#pragma once

#include "program/program.h"

namespace orrery::compile {

// From when on there is a value (Probe::seen), and which curves need more points than steps give (Probe::bent).
void describe_probes(program::Program& program);

}  // namespace orrery::compile
