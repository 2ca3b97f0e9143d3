// SPDX-License-Identifier: Apache-2.0
// Runs the same diagrams in Xcos, where Scilab is installed.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "base/folders_for_tests.h"
#include "bench.h"

namespace orrery::bench {

// The script prints "peer NAME SECONDS" for each model, with CPU seconds of the simulator call alone.
Peers run_xcos() {
  Peers peers;
  if (std::system("command -v scilab-cli >/dev/null 2>&1") != 0) return peers;
  const std::string folder = source_folder() + "/bench/xcos";
  const std::string command = "cd '" + folder + "' && scilab-cli -nb -f all.sce </dev/null 2>/dev/null";
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return peers;
  char line[256], name[64];
  double seconds = 0;
  while (std::fgets(line, sizeof line, pipe) != nullptr) {
    if (std::sscanf(line, " peer %63s %lf", name, &seconds) == 2 && seconds > 0) peers[name] = seconds;
  }
  pclose(pipe);
  return peers;
}

}  // namespace orrery::bench
