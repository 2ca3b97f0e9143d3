// SPDX-License-Identifier: Apache-2.0
// Native code alone: right-hand sides against C, and what the compilers cost.
#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "bench.h"
#include "programs.h"
#include "reference_models.h"
#include "sim/compiled_program.h"

namespace orrery::bench {
namespace {

namespace fs = std::filesystem;

std::shared_ptr<const sim::CompiledProgram> second_tier(program::Program& program) {
  native::CompileOptions options;
  options.wait_for_second = true;
  Diagnostics diagnostics;
  auto machine = sim::CompiledProgram::create(program, options, diagnostics);
  expect_no_errors(diagnostics);
  return machine;
}

// One call of the derivative with both; the results must be the same to rounding.
Row compare(const std::string& name, program::Program program,
            const std::function<void(const double*, double*)>& in_c) {
  const auto machine = second_tier(program);
  std::vector<std::byte> memory = program::initial_memory(program, machine->layout());
  const std::size_t n = machine->state_count();
  std::vector<double> x(n), ours(n), theirs(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = 0.5 + 0.01 * static_cast<double>(i % 37);
  const native::Function function = machine->derivatives();
  const auto seconds =
      medians({[&] { return seconds_per_call([&] { function(0, x.data(), ours.data(), memory.data(), 0); }); },
               [&] { return seconds_per_call([&] { in_c(x.data(), theirs.data()); }); }},
              31);
  Row row{.name = name, .unit = "ns", .orrery = seconds[0] * 1e9, .c = seconds[1] * 1e9, .goal_c = 1.1};
  double largest = 0, size = 1;
  for (std::size_t i = 0; i < n; ++i) {
    largest = std::max(largest, std::abs(ours[i] - theirs[i]));
    size = std::max(size, std::abs(theirs[i]));
  }
  row.correct = largest <= 1e-13 * size && machine->code().tier() == native::Tier::second;
  row.result = fmt::format("largest difference {:.1e}", largest);
  return row;
}

using PlainRhs = void (*)(double t, const double* x, double* dx);

// Flat C text, compiled as the reference models are.
PlainRhs compile_text(const std::string& text, int number) {
  const fs::path folder = fs::temp_directory_path() / fmt::format("orrery-bench-text-{}-{}", ::getpid(), number);
  fs::create_directories(folder);
  std::ofstream(folder / "rhs.c") << text;
  const std::string library = folder / "rhs.so";
  const std::string command =
      fmt::format("cc -O2 -ffp-contract=off -fPIC -shared -o {} {}", library, (folder / "rhs.c").string());
  void* handle = std::system(command.c_str()) == 0 ? dlopen(library.c_str(), RTLD_NOW) : nullptr;
  fs::remove_all(folder);
  return handle == nullptr ? nullptr : reinterpret_cast<PlainRhs>(dlsym(handle, "rhs"));
}

Row first_tier_row(int statements) {
  program::Program program = program_statements(statements);
  native::CompileOptions options;
  options.second_tier = false;
  const auto seconds = medians({[&] {
    Diagnostics diagnostics;
    const double start = cpu_seconds();
    const auto machine = sim::CompiledProgram::create(program, options, diagnostics);
    return cpu_seconds() - start;
  }});
  Row row{.name = fmt::format("first tier, {} statements", statements), .unit = "ms/1000", .goal = 3.0};
  row.orrery = seconds[0] * 1e3 / (statements / 1000.0);
  row.result = "program to callable code";
  if (statements < 1000 || statements > 10000) row.goal.reset();  // start-up, and memory that no cache holds
  return row;
}

}  // namespace

std::vector<Row> code_rows() {
  std::vector<Row> rows;
  const auto add = [&rows](Row row) {
    print(row);
    rows.push_back(std::move(row));
  };
  print_heading("Right-hand side alone, second tier");
  add(compare("rhs Lorenz", program_lorenz(),
              [](const double* x, double* dx) { reference_lorenz_rhs(0, x, dx, nullptr); }));
  int cells = 100;
  add(compare("rhs Brusselator, 200 states", program_brusselator(cells),
              [&cells](const double* x, double* dx) { reference_brusselator_rhs(0, x, dx, &cells); }));
  for (const int n : {100, 1000}) {
    const PlainRhs rhs = compile_text(text_of_statements(n), n);
    if (rhs == nullptr) continue;
    add(compare(fmt::format("rhs {} statements", n), program_statements(n),
                [rhs](const double* x, double* dx) { rhs(0, x, dx); }));
  }
  print_heading("Compilers");
  for (const int n : {100, 1000, 10000, 100000}) add(first_tier_row(n));
  return rows;
}

}  // namespace orrery::bench
