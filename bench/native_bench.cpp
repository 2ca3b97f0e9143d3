// SPDX-License-Identifier: Apache-2.0
// Time to a callable function and time per call, by number of statements.
#include <benchmark/benchmark.h>

#include <filesystem>
#include <random>

#include "native/code.h"
#include "native/emit.h"
#include "program/expr.h"

namespace orrery::native {
namespace {

using program::Expr;

struct Model {
  program::Program program;
  std::vector<program::Procedure> procedures;
  program::Layout layout;

  // Derivatives of n/10 states, each from about ten statements on neighbours and random others.
  explicit Model(int statements) {
    auto& g = program.graph;
    program.add_origin({"/Bench", "bench", 0});
    program::Procedure procedure{.name = "derivatives", .stores = {}};
    int count = std::max(1, statements / 10);
    std::vector<Expr> values;
    for (int k = 0; k < count; ++k) {
      program.states.push_back(program.add_slot({.name = "x", .type = {}, .kind = program::SlotKind::state}));
      values.push_back({&g, program.read(program.states.back())});
    }
    std::mt19937 dice(1);
    for (int k = 0; k < statements; ++k) {
      Expr a = values[values.size() - 1 - dice() % std::min<std::size_t>(20, values.size())];
      Expr b = values[dice() % values.size()];
      Expr value = k % 10 == 3 ? apply(program::Op::sin, a * b) : k % 10 == 6 ? select(a < b, a * 0.5, b) : a * 0.25 - b * 0.5 + 0.1;
      values.push_back(value);
      if (k % 10 == 9) {
        procedure.stores.push_back({.target = program::Store::Target::output,
                                    .index = static_cast<std::uint32_t>(k / 10), .value = value.id()});
      }
    }
    procedures = {procedure};
    layout = lay_out(program);
    reserve_workspace(program, procedures, layout);
  }

  std::unique_ptr<Code> compile(bool second) const {
    CompileOptions options;
    options.second_tier = second;
    options.wait_for_second = second;
    auto cache = std::filesystem::temp_directory_path() / "orrery-bench-cache";
    std::filesystem::remove_all(cache);
    options.cache_directory = cache.string();
    Diagnostics diagnostics;
    return native::compile(program, layout, procedures, options, diagnostics);
  }
};

void emission(benchmark::State& state) {
  Model model(static_cast<int>(state.range(0)));
  std::size_t bytes = 0;
  for (auto _ : state) bytes = emit_unit(model.program, model.layout, model.procedures).text.size();
  state.counters["bytes"] = static_cast<double>(bytes);
}

void first_tier(benchmark::State& state) {
  Model model(static_cast<int>(state.range(0)));
  for (auto _ : state) benchmark::DoNotOptimize(model.compile(false));
}

void second_tier(benchmark::State& state) {
  Model model(static_cast<int>(state.range(0)));
  for (auto _ : state) benchmark::DoNotOptimize(model.compile(true));
}

void one_call(benchmark::State& state, bool second) {
  Model model(static_cast<int>(state.range(0)));
  auto code = model.compile(second);
  std::vector<double> memory(model.layout.bytes / 8 + 1, 0.5), y(memory.size());
  Function function = code->function(0);
  for (auto _ : state) {
    function(0, memory.data(), y.data(), reinterpret_cast<std::byte*>(memory.data()), 0);
    benchmark::ClobberMemory();
  }
}

BENCHMARK(emission)->RangeMultiplier(10)->Range(100, 100000)->Unit(benchmark::kMillisecond);
BENCHMARK(first_tier)->RangeMultiplier(10)->Range(100, 100000)->Unit(benchmark::kMillisecond);
BENCHMARK(second_tier)->RangeMultiplier(10)->Range(100, 10000)->Unit(benchmark::kMillisecond)->UseRealTime()->Iterations(1);
BENCHMARK_CAPTURE(one_call, first_tier, false)->RangeMultiplier(10)->Range(100, 10000);
BENCHMARK_CAPTURE(one_call, second_tier, true)->RangeMultiplier(10)->Range(100, 10000);

}  // namespace
}  // namespace orrery::native
