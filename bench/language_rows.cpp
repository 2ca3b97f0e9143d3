// SPDX-License-Identifier: Apache-2.0
// Programs of text languages: speed beside C written by hand, time to the first step, compile time by size.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "bench.h"

extern "C" double reference_program(long steps, double h);

namespace orrery::bench {
namespace {

double program_seconds(const std::function<void()>& call) {
  const double begin = cpu_seconds();
  call();
  return cpu_seconds() - begin;
}

constexpr long program_steps = 200'000;

std::string chain_program() {
  std::string text = "PROGRAM\nDYNAMIC\ncinterval cint = 50.0\nnsteps nstp = 100000\nalgorithm ialg = 5\nDERIVATIVE\n";
  for (int i = 0; i < 20; ++i)
    text += fmt::format("x{0} = integ(sin(x{1}) - 0.1*x{0}*x{0}*x{0} + 0.01*x{1}*x{0}, {2})\n", i, (i + 1) % 20,
                        0.1 * (i + 1));
  return text + "END\ntermt(t .ge. 100.0)\nEND\nEND\n";
}

std::string large_program(int equations) {
  std::string text = "PROGRAM\nDYNAMIC\ncinterval cint = 0.1\nDERIVATIVE\n";
  const int states = equations / 2;
  for (int i = 0; i < states; ++i)
    text += fmt::format("a{0} = 0.5*x{0} - 0.25*x{1}\nx{0} = integ(-a{0}, 1.0)\n", i, (i + 1) % states);
  return text + "END\ntermt(t .ge. 0.1)\nEND\nEND\n";
}

// Reading and compiling, and the first step where that is asked for.
double start_seconds(const std::string& text, bool step) {
  return program_seconds([&] {
    Diagnostics diagnostics;
    const auto model = api::Model::read(text, "program.csl", diagnostics);
    expect_no_errors(diagnostics);
    const auto compiled = model->compile({.keep_signals = false, .native = api::NativeCode::first}, diagnostics);
    expect_no_errors(diagnostics);
    if (!step) return;
    api::Run run = compiled->start();
    run.step();
    run.step();
  });
}

}  // namespace

std::vector<Row> language_rows() {
  Diagnostics diagnostics;
  const auto model = api::Model::read(chain_program(), "chain.csl", diagnostics);
  expect_no_errors(diagnostics);
  const auto compiled = model->compile({.native = api::NativeCode::second}, diagnostics);
  expect_no_errors(diagnostics);
  api::RunSettings settings = compiled->settings();
  settings.record = false;
  constexpr int rounds = 5;
  double ours = INFINITY, by_hand = INFINITY, end = 0, expected = 0;
  for (int round = 0; round < rounds; ++round) {
    ours = std::min(ours, program_seconds([&] {
                      api::Run run = compiled->start(settings);
                      run.run();
                      end = run.value("/chain.x0");
                    }));
    by_hand = std::min(by_hand, program_seconds([&] { expected = reference_program(program_steps, 50.0 / 100'000); }));
  }
  print_heading("Programs of text languages");
  std::vector<Row> rows;
  rows.push_back({.name = "ACSL, 20 states, 200 000 steps of RK4",
                  .unit = "ms",
                  .orrery = 1e3 * ours,
                  .c = 1e3 * by_hand,
                  .goal_c = 1.1,
                  .result = fmt::format("x0 at the end {:.12g}, by hand {:.12g}", end, expected),
                  .correct = std::fabs(end - expected) < 1e-9});
  double first = INFINITY;
  for (int round = 0; round < rounds; ++round) first = std::min(first, start_seconds(large_program(500), true));
  rows.push_back({.name = "ACSL, 500 equations, to the first step", .unit = "ms", .orrery = 1e3 * first, .goal = 100});
  double before = 0;
  for (const int equations : {12'500, 25'000, 50'000}) {
    double least = INFINITY;
    for (int round = 0; round < 3; ++round) least = std::min(least, start_seconds(large_program(equations), false));
    rows.push_back({.name = fmt::format("ACSL, {} equations, compiled", equations),
                    .unit = "ms",
                    .orrery = 1e3 * least,
                    .result = before > 0 ? fmt::format("{:.2f} times as long as half as many", least / before) : ""});
    before = least;
  }
  for (const Row& row : rows) print(row);
  return rows;
}

}  // namespace orrery::bench
