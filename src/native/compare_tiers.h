// SPDX-License-Identifier: Apache-2.0
// For tests: runs procedures by program::evaluate, by libtcc and by the C compiler, and compares every bit.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <random>

#include "native/code.h"
#include "program/foreign.h"
#include "program/random_expression.h"

namespace orrery::native {

using program::Environment;
using program::ExprId;
using program::Procedure;
using program::Program;
using program::Scalar;
using program::SlotId;
using program::Store;
using program::Type;

// Tests run as parallel processes, so each one has a folder of its own.
struct TemporaryDirectory {
  std::filesystem::path path =
      std::filesystem::path(testing::TempDir()) / ("orrery-native-" + std::to_string(::getpid()));
  TemporaryDirectory() { std::filesystem::remove_all(path); }
  ~TemporaryDirectory() { std::filesystem::remove_all(path); }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
};

inline std::size_t doubles_of(const Type& type) {
  return static_cast<std::size_t>(type.size()) * (type.scalar == Scalar::c128 ? 2 : 1);
}

template <class Visit>
void visit_number(Scalar scalar, std::byte* at, Visit visit) {
  auto as = [&]<class T>(T) {
    T number;
    std::memcpy(&number, at, sizeof number);
    visit(number);
    std::memcpy(at, &number, sizeof number);
  };
  switch (scalar) {
    case Scalar::i8: return as(std::int8_t{});
    case Scalar::i16: return as(std::int16_t{});
    case Scalar::i32: return as(std::int32_t{});
    case Scalar::u8:
    case Scalar::boolean: return as(std::uint8_t{});
    case Scalar::u16: return as(std::uint16_t{});
    case Scalar::u32: return as(std::uint32_t{});
    default: return as(double{});
  }
}

// Calls visit(slot, position, number&) for all numbers in memory.
template <class Visit>
void visit_memory(const Program& program, const program::Layout& layout, std::vector<std::byte>& memory, Visit visit) {
  for (SlotId s = 0; s < program.slots.size(); ++s) {
    Type type = program.slots[s].type;
    std::size_t bytes = program::is_floating(type.scalar) ? 8 : static_cast<std::size_t>(byte_size(type.scalar));
    for (std::size_t k = 0; k < doubles_of(type); ++k) {
      visit_number(type.scalar, memory.data() + layout.offset[s] + k * bytes, [&](auto& x) { visit(s, k, x); });
    }
  }
}

struct Outcome {
  std::vector<std::vector<double>> slots;
  std::vector<double> y;
};

inline Outcome run_by_evaluation(const Program& program, const Procedure& procedure, const Environment& before,
                                 std::size_t outputs) {
  Outcome after{before.slots, std::vector<double>(outputs, 0.5)};
  std::vector<ExprId> expressions;
  for (const Store& store : procedure.stores) {
    expressions.push_back(store.value);
    expressions.push_back(store.guard == program::no_expr ? store.value : store.guard);
  }
  auto values = evaluate(program.graph, expressions, before);
  for (std::size_t k = 0; k < procedure.stores.size(); ++k) {
    const Store& store = procedure.stores[k];
    const std::vector<double>& value = values[2 * k];
    if (store.guard != program::no_expr && values[2 * k + 1][0] == 0) continue;
    if (store.target == Store::Target::slot) {
      after.slots[store.index] = value;
    } else {
      std::copy(value.begin(), value.end(), after.y.begin() + store.index);
    }
  }
  return after;
}

// Continuous states are read from x, which is the beginning of the memory as at an event.
inline Outcome run_native(const Program& program, const program::Layout& layout, Function function,
                          const Environment& before, std::size_t outputs, std::int64_t tick,
                          const program::ForeignEntry* foreign = nullptr) {
  std::vector<std::byte> memory(layout.bytes);
  const program::PastValues* past = &before.past;
  if (layout.histories > 0) std::memcpy(memory.data() + layout.histories, &past, sizeof past);
  if (layout.foreign > 0) std::memcpy(memory.data() + layout.foreign, &foreign, sizeof foreign);
  visit_memory(program, layout, memory, [&](SlotId s, std::size_t k, auto& x) {
    x = static_cast<std::remove_reference_t<decltype(x)>>(before.slots[s][k]);
  });
  Outcome after{before.slots, std::vector<double>(outputs, 0.5)};
  function(before.time, reinterpret_cast<const double*>(memory.data()), after.y.data(), memory.data(), tick);
  visit_memory(program, layout, memory,
               [&](SlotId s, std::size_t k, auto& x) { after.slots[s][k] = static_cast<double>(x); });
  return after;
}

inline std::vector<bool> clocks_at(const Program& program, std::int64_t tick) {
  std::vector<bool> active;
  for (const program::Clock& clock : program.clocks) {
    active.push_back(tick >= clock.first_tick && (tick - clock.first_tick) % clock.divisor == 0);
  }
  return active;
}

// Values that provoke overflow, saturation, signed zeros and not-a-numbers; the others are random.
inline Environment special_environment(const Program& program, unsigned seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> spread(-10, 10);
  const double special[] = {
      0,      -0.0,   1,      -1,  2,        0.5,       -0.5,  1.5,        -2.5,          3,          7,          31,
      -8,     127,    -128,   255, 32767,    -32768,    65535, 2147483647, -2147483648.0, 4294967295, 4294967296, 1e300,
      -1e300, 5e-324, 1e-308, 0.1, INFINITY, -INFINITY, NAN,   1e18};
  Environment environment;
  environment.time = spread(random);
  for (const program::Slot& slot : program.slots) {
    std::vector<double> data(doubles_of(slot.type));
    for (double& x : data) {
      double value = random() % 2 ? special[random() % std::size(special)] : spread(random);
      if (random() % 8 == 0) value = std::ldexp(spread(random), static_cast<int>(random() % 80));
      x = evaluate_cast(Scalar::f64, slot.type.scalar, value);
    }
    environment.slots.push_back(std::move(data));
  }
  return environment;
}

inline void expect_identical(const Program& program, const Outcome& expected, const Outcome& actual,
                             const std::string& what) {
  for (SlotId s = 0; s < program.slots.size(); ++s) {
    if (program::identical(expected.slots[s], actual.slots[s])) continue;
    for (std::size_t k = 0; k < expected.slots[s].size(); ++k) {
      if (program::identical({expected.slots[s][k]}, {actual.slots[s][k]})) continue;
      ADD_FAILURE() << what << ": slot " << s << " " << program.slots[s].name << "[" << k << "] is "
                    << actual.slots[s][k] << ", not " << expected.slots[s][k];
    }
    return;
  }
  for (std::size_t k = 0; k < expected.y.size(); ++k) {
    if (program::identical({expected.y[k]}, {actual.y[k]})) continue;
    ADD_FAILURE() << what << ": y[" << k << "] is " << actual.y[k] << ", not " << expected.y[k];
  }
}

struct Comparison {
  std::size_t outputs = 0;
  unsigned runs = 50;
  bool second_tier = true;
  std::vector<program::ForeignEntry> foreign{};
  std::function<void(int, int, std::span<const program::Operand>, std::span<double>)> foreign_oracle{};
  program::PastValues past{};
};

inline void compare_tiers(const Program& program, const std::vector<Procedure>& procedures, Comparison how = {}) {
  program::Layout layout = lay_out(program);
  reserve_workspace(program, procedures, layout);
  Diagnostics diagnostics;
  CompileOptions options;
  TemporaryDirectory cache;
  options.cache_directory = cache.path.string();
  auto code = compile(program, layout, procedures, options, diagnostics);
  ASSERT_TRUE(code) << to_text(diagnostics) << emit_c(program, layout, procedures);
  for (Tier tier : {Tier::first, Tier::second}) {
    if (tier == Tier::second) {
      if (!how.second_tier || testing::Test::HasFailure()) break;
      ASSERT_TRUE(code->wait()) << code->second_tier_note();
    }
    ASSERT_EQ(code->tier(), tier) << code->first_tier_note();
    for (unsigned run = 0; run < how.runs && !testing::Test::HasFailure(); ++run) {
      Environment before = special_environment(program, run);
      auto tick = static_cast<std::int64_t>(run) - 3;
      before.active_clocks = clocks_at(program, tick);
      before.foreign = how.foreign_oracle;
      before.past = how.past;
      for (std::size_t p = 0; p < procedures.size(); ++p) {
        expect_identical(program, run_by_evaluation(program, procedures[p], before, how.outputs),
                         run_native(program, layout, code->function(p), before, how.outputs, tick, how.foreign.data()),
                         procedures[p].name + (tier == Tier::first ? " in libtcc" : " by cc"));
      }
    }
  }
  if (testing::Test::HasFailure() && std::getenv("ORRERY_SHOW_C")) {
    std::fputs(emit_c(program, layout, procedures).c_str(), stderr);
  }
}

}  // namespace orrery::native
