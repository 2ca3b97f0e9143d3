// SPDX-License-Identifier: Apache-2.0
// The heat equation by the command line on ever more points: time and memory must grow as the points do.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <numbers>
#include <sstream>

#include "base/folders_for_tests.h"
#include "bench.h"

namespace orrery::bench {
namespace {

namespace fs = std::filesystem;

struct HeatCost {
  double seconds = 0, kilobytes = 0, value = NAN;
};

// In a process of its own: its memory is nobody else's.
HeatCost run_heat(int points, const std::string& solver) {
  const std::string orrery = fs::read_symlink("/proc/self/exe").parent_path() / "orrery";
  const std::string model = source_folder() + "/examples/numerics/heat.orr";
  const std::string out = (fs::temp_directory_path() / fmt::format("orrery-bench-heat-{}.csv", ::getpid())).string();
  const std::string set = fmt::format("n={}", points);
  const pid_t child = ::fork();
  if (child == 0) {
    const int null = ::open("/dev/null", O_WRONLY);
    ::dup2(null, 1);
    ::execl(orrery.c_str(), "orrery", "run", model.c_str(), "--set", set.c_str(), "--solver", solver.c_str(), "--out",
            out.c_str(), "--quiet", nullptr);
    ::_exit(1);
  }
  int status = 0;
  rusage usage{};
  HeatCost cost;
  if (child < 0 || ::wait4(child, &status, 0, &usage) < 0 || status != 0) return cost;
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  cost.seconds = seconds(usage.ru_utime) + seconds(usage.ru_stime);
  cost.kilobytes = static_cast<double>(usage.ru_maxrss);
  std::ifstream file(out);
  for (std::string line; std::getline(file, line);) {
    const std::size_t comma = line.find(',');
    if (comma != std::string::npos && line[0] != 't') cost.value = std::strtod(line.c_str() + comma + 1, nullptr);
  }
  fs::remove(out);
  return cost;
}

}  // namespace

std::vector<Row> heat_rows() {
  print_heading("Heat equation, orrery run");
  std::vector<Row> rows;
  const double exact = std::exp(-0.1 * std::numbers::pi * std::numbers::pi);
  for (const char* solver : {"cvode-bdf-newton", "radau"}) {
    const HeatCost few = run_heat(9999, solver), many = run_heat(99999, solver);
    Row time{.name = fmt::format("100 000 points, {}", solver), .unit = "s"};
    time.orrery = many.seconds;
    time.correct = std::abs(many.value - exact) < 1e-4;
    time.result = fmt::format("middle differs by {:.1e}", std::abs(many.value - exact));
    Row memory{.name = "peak memory", .unit = "kB/state", .goal = 4.0};
    memory.orrery = many.kilobytes / 99999;
    memory.result = fmt::format("{:.0f} MB; {:.0f} MB with 10 000 points", many.kilobytes / 1e3, few.kilobytes / 1e3);
    for (Row& row : std::vector<Row>{time, memory}) {
      print(row);
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

}  // namespace orrery::bench
