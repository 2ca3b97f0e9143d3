// SPDX-License-Identifier: Apache-2.0
// What stands before the first result: the command line on a small model, and each stage by number of blocks.
#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "api/session.h"
#include "bench.h"
#include "compile/activate.h"
#include "compile/build_bodies.h"
#include "compile/flatten.h"
#include "compile/infer_types.h"
#include "compile/lower.h"
#include "diagrams.h"

extern char** environ;

namespace orrery::bench {
namespace {

namespace fs = std::filesystem;

fs::path own_program() { return fs::read_symlink("/proc/self/exe"); }

// Runs a program with its output in a file; its exit code, or -1.
int run_program(const std::vector<std::string>& words, const std::string& output) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 1, output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  pid_t child = 0;
  const int error = posix_spawn(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  int status = 0;
  if (error != 0 || waitpid(child, &status, 0) < 0 || !WIFEXITED(status)) return -1;
  return WEXITSTATUS(status);
}

// Wall time, because that is what somebody waits for; the best of ten, because others use the machine.
Row first_result() {
  const std::string orrery = own_program().parent_path() / "orrery";
  const std::string model = fs::path(ORRERY_SOURCE_DIR) / "examples" / "multirate.orr";
  Row row{.name = "orrery run multirate.orr", .unit = "ms", .goal = 50.0, .result = "wall time, best of 10"};
  double best = INFINITY;
  for (int k = 0; k < 10; ++k) {
    const auto start = std::chrono::steady_clock::now();
    row.correct = row.correct && run_program({orrery, "run", model}, "/dev/null") == 0;
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  row.orrery = best * 1e3;
  return row;
}

constexpr const char* stages[] = {"load", "flatten", "infer", "build", "activate", "lower", "native", "step"};
constexpr std::size_t stage_count = std::size(stages);

struct Cost {
  double seconds[stage_count] = {};
  double kilobytes = 0, baseline = 0;
  double total() const {
    double sum = 0;
    for (const double s : seconds) sum += s;
    return sum;
  }
};

double peak_kilobytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss);
}

bool measure_chain(int blocks, const fs::path& folder, Cost& cost) {
  const std::string file = folder / fmt::format("chain{}.orr", blocks), answer = folder / "answer";
  Diagnostics diagnostics;
  if (!fs::exists(file) && !model::save(diagram_chain(blocks), file, diagnostics)) return false;
  // The best of each stage says most about it and least about the neighbours.
  constexpr int rounds = 5;
  for (int round = 0; round < rounds; ++round) {
    if (run_program({own_program(), "--start", file}, answer) != 0) return false;
    std::ifstream in(answer);
    Cost one;
    for (double& seconds : one.seconds) in >> seconds;
    if (!(in >> one.kilobytes >> one.baseline)) return false;
    for (std::size_t k = 0; round > 0 && k < stage_count; ++k) {
      one.seconds[k] = std::min(one.seconds[k], cost.seconds[k]);
    }
    cost = one;
  }
  return true;
}

}  // namespace

int measure_start(const std::string& file) {
  Cost cost;
  cost.baseline = peak_kilobytes();
  double last = cpu_seconds();
  std::size_t stage = 0;
  const auto lap = [&] {
    const double now = cpu_seconds();
    cost.seconds[stage++] = now - last;
    last = now;
  };
  Diagnostics diagnostics;
  const auto model = model::load(file, diagnostics);
  expect_no_errors(diagnostics);
  lap();
  const auto evaluator = api::make_evaluator();
  compile::CompileOptions options;
  options.fixed_step = true;
  auto flat = compile::flatten(*model, *evaluator, diagnostics);
  lap();
  compile::infer_types(flat, diagnostics);
  lap();
  program::Program program;
  program.graph = program::Graph(options.graph);
  const auto bodies = compile::build_bodies(flat, program, diagnostics);
  lap();
  const auto activations = compile::activate(flat, bodies, program, diagnostics);
  lap();
  compile::lower(flat, bodies, activations, options, program, diagnostics);
  expect_no_errors(diagnostics);
  lap();
  sim::RunOptions run;
  run.solver = "euler";
  run.limits.fixed = run.stop = 0.001;
  run.native.second_tier = false;
  const auto simulation = sim::Simulation::create(program, run, diagnostics);
  expect_no_errors(diagnostics);
  lap();
  simulation->run();
  lap();
  for (const double seconds : cost.seconds) fmt::print("{:.6f} ", seconds);
  fmt::print("{} {}\n", peak_kilobytes(), cost.baseline);
  return 0;
}

std::vector<Row> start_rows() {
  std::vector<Row> rows;
  const auto add = [&rows](Row row) {
    print(row);
    rows.push_back(std::move(row));
  };
  print_heading("To the first result");
  add(first_result());
  const fs::path folder = fs::temp_directory_path() / fmt::format("orrery-bench-{}", ::getpid());
  fs::create_directories(folder);
  std::vector<std::string> table;
  std::vector<Row> growth;
  Cost before;
  int blocks_before = 0;
  for (const int blocks : {1000, 2000, 5000, 10000, 20000, 50000, 100000}) {
    Cost cost;
    Row row{.name = fmt::format("{} blocks to first step", blocks), .unit = "s"};
    row.correct = measure_chain(blocks, folder, cost);
    row.orrery = cost.total();
    if (blocks == 10000) row.goal = 1;
    if (blocks == 100000) row.goal = 12;
    std::string line = fmt::format("{:>8}", blocks);
    double worst = 0;
    std::size_t worst_stage = 0, slowest = 0;
    for (std::size_t k = 0; k < stage_count; ++k) {
      line += fmt::format("{:>10.1f}", cost.seconds[k] * 1e3);
      if (cost.seconds[k] > cost.seconds[slowest]) slowest = k;
      if (blocks_before == 0 || before.seconds[k] < 2e-3) continue;  // too short to say how it grows
      const double factor =
          std::pow(cost.seconds[k] / before.seconds[k], 1 / std::log2(double(blocks) / blocks_before));
      if (factor > worst) {
        worst = factor;
        worst_stage = k;
      }
    }
    row.result = fmt::format("slowest stage: {}", stages[slowest]);
    table.push_back(line + fmt::format("{:>10.0f}", cost.kilobytes));
    add(row);
    Row memory{.name = fmt::format("{} blocks, peak memory", blocks), .unit = "kB/block"};
    memory.orrery = (cost.kilobytes - cost.baseline) / blocks;
    if (blocks >= 10000) memory.goal = 4;
    memory.result = fmt::format("{:.0f} kB above an empty process", cost.kilobytes - cost.baseline);
    add(memory);
    if (worst > 0) {
      Row row_growth{.name = fmt::format("{} to {} blocks, growth", blocks_before, blocks), .unit = "x/doubling"};
      row_growth.orrery = worst;
      row_growth.goal = 2.4;
      row_growth.result = fmt::format("the worst stage: {}", stages[worst_stage]);
      growth.push_back(row_growth);
    }
    before = cost;
    blocks_before = blocks;
  }
  for (Row& row : growth) add(std::move(row));
  fs::remove_all(folder);
  fmt::print("\n  blocks");
  for (const char* stage : stages) fmt::print("{:>10}", stage);
  fmt::print("{:>10}  (CPU ms, peak kB)\n", "memory");
  for (const std::string& line : table) fmt::print("{}\n", line);
  return rows;
}

}  // namespace orrery::bench
