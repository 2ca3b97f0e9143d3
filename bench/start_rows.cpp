// SPDX-License-Identifier: Apache-2.0
// What stands before the first result: the command line on a small model, and each stage by number of blocks.
#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>

#include "api/session.h"
#include "base/folders_for_tests.h"
#include "bench.h"
#include "compile/activate.h"
#include "compile/build_bodies.h"
#include "compile/flatten.h"
#include "compile/infer_types.h"
#include "compile/lower.h"
#include "diagrams.h"
#include "sim/simulation.h"

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

constexpr const char* stages[] = {"load", "flatten", "infer", "build", "activate", "lower", "native", "step"};
constexpr std::size_t stage_count = std::size(stages);

struct Cost {
  double seconds[stage_count] = {};
  double kilobytes = 0;
  double total() const {
    double sum = 0;
    for (const double s : seconds) sum += s;
    return sum;
  }
};

// Of this program since it began; getrusage would count what its parent had grown to.
double peak_kilobytes() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    double kilobytes = 0;
    if (word == "VmHWM:" && status >> kilobytes) return kilobytes;
  }
  return 0;
}

bool measure_chain(int blocks, const fs::path& folder, Cost& cost) {
  const std::string file = folder / fmt::format("chain{}.orr", blocks), answer = folder / "answer";
  if (!fs::exists(file)) std::ofstream(file) << diagram_chain(blocks);
  // The best of each stage says most about it and least about the neighbours.
  constexpr int rounds = 5;
  for (int round = 0; round < rounds; ++round) {
    if (run_program({own_program(), "--start", file}, answer) != 0) return false;
    std::ifstream in(answer);
    Cost one;
    for (double& seconds : one.seconds) in >> seconds;
    if (!(in >> one.kilobytes)) return false;
    for (std::size_t k = 0; round > 0 && k < stage_count; ++k) {
      one.seconds[k] = std::min(one.seconds[k], cost.seconds[k]);
    }
    cost = one;
  }
  return true;
}

}  // namespace

Row wall_row(const std::string& name, const std::vector<std::string>& words, double goal) {
  std::vector<std::string> command{own_program().parent_path() / "orrery"};
  command.insert(command.end(), words.begin(), words.end());
  Row row{.name = name, .unit = "ms", .goal = goal, .result = "wall time, best of 10"};
  double best = INFINITY;
  for (int k = 0; k < 10; ++k) {
    const auto start = std::chrono::steady_clock::now();
    row.correct = row.correct && run_program(command, "/dev/null") == 0;
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  row.orrery = best * 1e3;
  return row;
}

int measure_start(const std::string& file) {
  Cost cost;
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
  auto flat = compile::flatten(*model, *evaluator, {}, diagnostics);
  lap();
  compile::infer_types(flat, diagnostics);
  lap();
  program::Program program;
  program.graph = program::Graph(options.graph);
  const auto bodies = compile::build_bodies(flat, program, diagnostics);
  lap();
  const auto activations = compile::activate(flat, bodies, program, diagnostics);
  lap();
  static_cast<void>(compile::lower(flat, bodies, activations, options, program, diagnostics));
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
  fmt::print("{}\n", peak_kilobytes());
  return 0;
}

std::vector<Row> start_rows() {
  std::vector<Row> rows;
  const auto add = [&rows](Row row) {
    print(row);
    rows.push_back(std::move(row));
  };
  print_heading("To the first result");
  const std::string model = fs::path(source_folder()) / "examples" / "multirate.orr";
  add(wall_row("orrery run multirate.orr", {"run", model}, 50));
  const fs::path folder = fs::temp_directory_path() / fmt::format("orrery-bench-{}", ::getpid());
  fs::create_directories(folder);
  Cost smallest;  // what the program, its compilers and the run take whatever the model
  Row fixed{.name = "1 block, peak memory", .unit = "MB"};
  fixed.correct = measure_chain(1, folder, smallest);
  fixed.orrery = smallest.kilobytes / 1e3;
  add(fixed);
  std::map<int, Cost> costs;
  for (const int blocks : {1000, 2000, 5000, 10000, 20000, 50000, 100000}) {
    Cost& cost = costs[blocks];
    Row row{.name = fmt::format("{} blocks to first step", blocks), .unit = "s"};
    row.correct = measure_chain(blocks, folder, cost);
    row.orrery = cost.total();
    if (blocks == 10000) row.goal = 1;
    if (blocks == 100000) row.goal = 12;
    const auto slowest = std::max_element(std::begin(cost.seconds), std::end(cost.seconds)) - std::begin(cost.seconds);
    row.result = fmt::format("slowest stage: {}", stages[slowest]);
    add(row);
    Row memory{.name = fmt::format("{} blocks, peak memory", blocks), .unit = "kB/block"};
    if (blocks >= 5000) memory.goal = 4;  // smaller models pay for tables and code that later blocks share
    memory.orrery = (cost.kilobytes - smallest.kilobytes) / (blocks - 1);
    memory.result = fmt::format("{:.0f} kB above one block", cost.kilobytes - smallest.kilobytes);
    add(memory);
  }
  fs::remove_all(folder);
  for (std::size_t k = 0; k < stage_count; ++k) {
    const double few = costs[10000].seconds[k], many = costs[100000].seconds[k];
    if (few < 1e-3) continue;  // too short to say how it grows
    Row row{.name = fmt::format("{}, 10 000 to 100 000 blocks", stages[k]), .unit = "x/doubling", .goal = 2.4};
    row.orrery = std::pow(many / few, 1 / std::log2(10.0));
    row.result = fmt::format("{:.1f} ms to {:.1f} ms", few * 1e3, many * 1e3);
    add(row);
  }
  fmt::print("\n  blocks");
  for (const char* stage : stages) fmt::print("{:>10}", stage);
  fmt::print("{:>10}  (CPU ms, peak kB)\n", "memory");
  for (const auto& [blocks, cost] : costs) {
    fmt::print("{:>8}", blocks);
    for (const double seconds : cost.seconds) fmt::print("{:>10.1f}", seconds * 1e3);
    fmt::print("{:>10.0f}\n", cost.kilobytes);
  }
  return rows;
}

}  // namespace orrery::bench
