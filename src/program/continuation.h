// SPDX-License-Identifier: Apache-2.0
// Simpler problems from which a start is continued (homotopy, Modelica 3.7.4).
#pragma once

#include "program/program.h"

namespace orrery::program {

// The slot whose value goes from 0 to 1 on the way; made where the Program has none.
SlotId continuation_slot(Program& program);

// `actual` where the share is 1, to the last bit, and less of it and more of `simplified` below.
ExprId continued(Graph& graph, ExprId share, ExprId actual, ExprId simplified);

}  // namespace orrery::program
