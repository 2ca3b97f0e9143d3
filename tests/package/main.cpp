// SPDX-License-Identifier: Apache-2.0
// Lets a ball fall for a second, with the installed library: use_orrery bouncing_ball.orr
#include <cmath>
#include <cstdio>

#include "api/session.h"

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  orrery::api::RunRequest request;
  request.file = argv[1];
  request.overrides = {{"h0", "20"}};
  request.settings.stop.text = "1";
  const orrery::api::RunResult result = orrery::api::run(request);
  std::fputs(orrery::to_text(result.diagnostics).c_str(), stderr);
  if (result.failed()) return 1;
  const double height = result.recording.value(result.recording.rows() - 1, 0);
  std::printf("%s: height %.6f\n", result.name.c_str(), height);
  return std::abs(height - (20 - 9.81 / 2)) < 1e-6 ? 0 : 1;
}
