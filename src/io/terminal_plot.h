// SPDX-License-Identifier: Apache-2.0
// A small plot for a terminal: braille dots, or plain letters where only ASCII can be shown.
#pragma once

#include <string>

#include "io/chart.h"

namespace orrery::io {

struct TerminalStyle {
  bool unicode = true;
  bool colour = false;
  int columns = 60;
  int rows = 12;
};

std::string terminal_plot(const Panel& panel, const TerminalStyle& style);

}  // namespace orrery::io
