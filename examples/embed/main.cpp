// SPDX-License-Identifier: Apache-2.0
// A program that embeds the engine: a cruise control, which is C++, drives a vehicle, which is a model.
//
//   embed vehicle.orr
#include <cstdio>

#include "api/model.h"
#include "api/run.h"

int main(int argc, char** argv) {
  using namespace orrery;
  Diagnostics diagnostics;
  const auto model = api::Model::open(argc > 1 ? argv[1] : "vehicle.orr", diagnostics);
  const auto compiled = model ? model->compile({.vary = {"mass"}}, diagnostics) : std::nullopt;
  if (!compiled) {
    std::fputs(to_text(diagnostics).c_str(), stderr);
    return 1;
  }

  api::Run run = compiled->start();
  run.set_parameter("mass", 1500);

  // The loop of the program: ten times a second it looks at the speed and chooses a force.
  const double wanted = 20;
  double sum = 0;
  std::vector<std::byte> saved;
  for (int tick = 0; tick < 600; ++tick) {
    if (run.run_until(0.1 * tick) != api::RunState::paused) break;
    const double error = wanted - run.value("Speed");
    sum += 0.1 * error;
    run.set_input("Force", 800 * error + 60 * sum);
    if (tick == 300) saved = run.save();
  }
  const double end = run.value("Speed");
  std::printf("t = %.1f s: %.6f m/s, acceleration %.6f\n", run.time(), end, run.value("/Inertia"));

  // From the saved moment on, nobody touches the force again.
  api::Run other = compiled->start();
  other.set_parameter("mass", 1500);
  if (!other.restore(saved) || other.run() != api::RunState::reached_stop) {
    std::fputs(to_text(other.diagnostics()).c_str(), stderr);
    return 1;
  }
  std::printf("t = %.1f s: %.6f m/s without control since t = 30 s\n", other.time(), other.value("Speed"));
  return run.diagnostics().has_errors() ? 1 : 0;
}
