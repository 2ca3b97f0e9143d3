// SPDX-License-Identifier: Apache-2.0
// Rows of numbers and the components of graphs, as the passes have them.
#pragma once

#include "passes/adjacency.h"
#include "passes/strong_components.h"

namespace orrery::equations {

using passes::Adjacency;
using passes::adjacency_of;
using passes::Indices;
using passes::none;
using passes::strong_components;
using passes::transposed;

}  // namespace orrery::equations
