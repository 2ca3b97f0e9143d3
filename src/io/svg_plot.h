// SPDX-License-Identifier: Apache-2.0
// Line charts as self-contained SVG: stacked panels over one time axis.
#pragma once

#include <string>

#include "io/chart.h"

namespace orrery::io {

std::string svg_plot(const Chart& chart);

}  // namespace orrery::io
