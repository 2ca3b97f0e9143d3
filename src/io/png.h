// SPDX-License-Identifier: Apache-2.0
// PNG files from SVG texts, through rsvg-convert (librsvg) where it is installed.
#pragma once

#include <string>
#include <string_view>

#include "base/diagnostic.h"

namespace orrery::io {

// Two pixels for each unit of the drawing.
[[nodiscard]] bool write_png(const std::string& path, std::string_view svg, Diagnostics& diagnostics);

}  // namespace orrery::io
