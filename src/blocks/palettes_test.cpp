// SPDX-License-Identifier: Apache-2.0
// What the blocks of all palettes compute, one case a line: parameters, inputs and the output in closed form.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "blocks/block_bench.h"

namespace orrery::blocks {
namespace {

using Numbers = std::vector<double>;
using Texts = BlockBench::Texts;

struct Case {
  const char* block;
  Texts parameters;
  std::vector<Type> types;
  std::vector<Numbers> inputs;
  Numbers expected;
  int output = 1;
};

constexpr Type square{Scalar::f64, 2, 2};
constexpr Type two_by_three{Scalar::f64, 2, 3};
constexpr Type complex_scalar{Scalar::c128, 1, 1};

void check_cases(const std::vector<Case>& cases) {
  for (const Case& c : cases) {
    SCOPED_TRACE(c.block);
    BlockBench bench(c.block, c.parameters, c.types);
    ASSERT_EQ(bench.failure(), "");
    for (std::size_t k = 0; k < c.inputs.size(); ++k) bench.set_input(static_cast<int>(k) + 1, c.inputs[k]);
    const Numbers y = bench.output(c.output);
    ASSERT_EQ(y.size(), c.expected.size());
    for (std::size_t k = 0; k < y.size(); ++k) {
      EXPECT_NEAR(y[k], c.expected[k], 1e-13 * (1 + std::fabs(c.expected[k]))) << "element " << k;
    }
  }
}

TEST(Palettes, MathOperations) {
  check_cases({
      {"Pow", {}, {column(2), real_type}, {{2, 3}, {3}}, {8, 27}},
      {"Exponential", {}, {real_type}, {{0.5}}, {std::exp(0.5)}},
      {"Exponential", {{"base", "2"}}, {column(2)}, {{3, -1}}, {8, 0.5}},
      {"Log", {}, {real_type}, {{3}}, {std::log(3)}},
      {"Log", {{"base", "2"}}, {real_type}, {{8}}, {3}},
      {"Log", {{"base", "10"}}, {real_type}, {{1000}}, {3}},
      {"Atan2", {}, {real_type, real_type}, {{1}, {-1}}, {0.75 * std::numbers::pi}},
      {"Hypot", {}, {real_type, real_type}, {{3}, {4}}, {5}},
      {"Negate", {}, {column(2)}, {{3, -4}}, {-3, 4}},
      {"Negate", {}, {{Scalar::i8, 1, 1}}, {{-128}}, {127}},
      {"Negate", {{"overflow", "'wrap'"}}, {{Scalar::i8, 1, 1}}, {{-128}}, {-128}},
      {"Round", {}, {column(3)}, {{-1.5, 0.4, 2.5}}, {-2, 0, 3}},
      {"Round", {{"method", "'fix'"}}, {column(2)}, {{-1.7, 1.7}}, {-1, 1}},
      {"Modulo", {{"base", "3"}}, {column(2)}, {{-1, 7}}, {2, 1}},
      {"Modulo", {{"base", "[]"}, {"method", "'rem'"}}, {real_type, real_type}, {{-7}, {3}}, {-1}},
      {"Horner", {{"coefficients", "[1 2 3]"}}, {column(2)}, {{2, -1}}, {11, 2}},
      {"Horner", {{"coefficients", "[]"}}, {real_type, column(3)}, {{2}, {1, 2, 3}}, {11}},
  });
}

TEST(Palettes, MatrixOperations) {
  check_cases({
      {"MatrixMultiplication", {}, {square, column(2)}, {{1, 3, 2, 4}, {5, 6}}, {17, 39}},
      {"MatrixMultiplication", {}, {real_type, column(2)}, {{2}, {5, 6}}, {10, 12}},
      {"MatrixMultiplication",
       {{"overflow", "'wrap'"}},
       {{Scalar::i32, 1, 2}, {Scalar::i32, 2, 1}},
       {{123456789, 2}, {987654321, 2147483647}},
       {-67153021}},
      {"MatrixDivision", {}, {{Scalar::f64, 1, 2}, square}, {{5, 6}, {1, 3, 2, 4}}, {-1, 2}},
      {"MatrixDivision", {{"method", "'u1\\u2'"}}, {square, column(2)}, {{1, 3, 2, 4}, {5, 6}}, {-4, 4.5}},
      {"MatrixInverse", {}, {square}, {{1, 3, 2, 4}}, {-2, 1.5, 1, -0.5}},
      {"Transpose", {}, {two_by_three}, {{1, 2, 3, 4, 5, 6}}, {1, 3, 5, 2, 4, 6}},
      {"Transpose", {{"method", "'conjugate'"}}, {complex_scalar}, {{1, 2}}, {1, -2}},
      {"MatrixConcatenation", {}, {square, column(2)}, {{1, 2, 3, 4}, {5, 6}}, {1, 2, 3, 4, 5, 6}},
      {"MatrixConcatenation",
       {{"method", "'vertical'"}},
       {square, {Scalar::f64, 1, 2}},
       {{1, 2, 3, 4}, {5, 6}},
       {1, 2, 5, 3, 4, 6}},
      {"MatrixExtractor",
       {{"row_choice", "'list'"}, {"rows", "[2 1]"}},
       {two_by_three},
       {{1, 2, 3, 4, 5, 6}},
       {2, 1, 4, 3, 6, 5}},
      {"MatrixExtractor",
       {{"col_choice", "'range'"}, {"cols", "3"}, {"col_count", "-2"}},
       {two_by_three},
       {{1, 2, 3, 4, 5, 6}},
       {5, 6, 3, 4}},
      {"MatrixExtractor",
       {{"row_choice", "'range'"}, {"row_source", "'input'"}},
       {two_by_three, real_type},
       {{1, 2, 3, 4, 5, 6}, {2}},
       {2, 4, 6}},
      {"Assignment",
       {{"row_choice", "'list'"}, {"rows", "2"}},
       {two_by_three, real_type},
       {{1, 2, 3, 4, 5, 6}, {9}},
       {1, 9, 3, 9, 5, 9}},
      {"Assignment",
       {{"col_choice", "'list'"}, {"col_source", "'input'"}},
       {two_by_three, column(2), real_type},
       {{1, 2, 3, 4, 5, 6}, {8, 9}, {3}},
       {1, 2, 3, 4, 8, 9}},
      {"MatrixReshape", {{"size", "[3 -1]"}}, {two_by_three}, {{1, 2, 3, 4, 5, 6}}, {1, 2, 3, 4, 5, 6}},
      {"DiagonalMatrix", {}, {column(2)}, {{3, 4}}, {3, 0, 0, 4}},
      {"SumElements", {}, {two_by_three}, {{1, 2, 3, 4, 5, 6}}, {21}},
      {"SumElements", {{"along", "'rows'"}}, {two_by_three}, {{1, 2, 3, 4, 5, 6}}, {9, 12}},
      {"SumElements", {{"along", "'columns'"}}, {two_by_three}, {{1, 2, 3, 4, 5, 6}}, {3, 7, 11}},
      {"SumElements", {{"overflow", "'wrap'"}}, {column(2, Scalar::u8)}, {{200, 100}}, {44}},
      {"SumElements", {}, {column(2, Scalar::u8)}, {{200, 100}}, {255}},
      {"MaxElements", {}, {two_by_three}, {{1, 7, 3, 4, 7, 6}}, {7}},
      {"MaxElements", {{"index", "1"}}, {two_by_three}, {{1, 7, 3, 4, 7, 6}}, {2}, 2},
      {"MaxElements", {{"along", "'columns'"}, {"index", "1"}}, {two_by_three}, {{1, 2, 9, 4, 5, 6}}, {2, 1, 2}, 2},
      {"MinElements", {{"along", "'rows'"}}, {two_by_three}, {{1, 2, 3, -4, 5, 6}}, {1, -4}},
      {"CumulativeSum", {}, {column(3)}, {{1, 2, 3}}, {1, 3, 6}},
      {"CumulativeSum", {{"along", "'rows'"}}, {two_by_three}, {{1, 2, 3, 4, 5, 6}}, {1, 2, 4, 6, 9, 12}},
      {"CrossProduct", {}, {column(3), column(3)}, {{1, 2, 3}, {4, 5, 7}}, {-1, 5, -3}},
      {"Sort", {}, {column(6)}, {{3, 1, 2, 6, 5, 4}}, {1, 2, 3, 4, 5, 6}},
      {"Sort", {{"order", "'descending'"}}, {column(5)}, {{3, 1, 2, 2, 5}}, {5, 3, 2, 2, 1}},
      {"Sort", {{"index", "1"}}, {column(5)}, {{3, 1, 2, 1, 0}}, {5, 2, 4, 3, 1}, 2},
      {"Sort", {{"along", "'rows'"}}, {two_by_three}, {{3, 1, 2, 9, 1, 4}}, {1, 1, 2, 4, 3, 9}},
  });
}

TEST(Palettes, RoutingAndConversions) {
  check_cases({
      {"Extractor", {{"indices", "[3 1]"}}, {two_by_three}, {{1, 2, 3, 4, 5, 6}}, {3, 1}},
      {"ConditionalSelect",
       {{"rule", "'<'"}, {"threshold", "2"}},
       {real_type, real_type, real_type},
       {{1}, {1.5}, {3}},
       {1}},
      {"ConditionalSelect", {{"rule", "'=='"}}, {real_type, real_type, real_type}, {{1}, {1.5}, {3}}, {3}},
      {"ConditionalNSelect",
       {{"inputs", "3"}},
       {real_type, real_type, real_type, real_type},
       {{2.9}, {1}, {5}, {7}},
       {5}},
      {"ConditionalNSelect",
       {{"inputs", "3"}},
       {real_type, real_type, real_type, real_type},
       {{9}, {1}, {5}, {7}},
       {7}},
      {"SwitchN", {{"base", "0"}, {"rounding", "'round'"}}, {real_type, real_type, real_type}, {{0.5}, {1}, {5}}, {5}},
      {"Switch", {{"selected", "2"}}, {real_type, real_type}, {{1}, {5}}, {5}},
      {"ScalarExpand", {{"size", "[2 2]"}}, {real_type}, {{3}}, {3, 3, 3, 3}},
      {"UnitConversion", {}, {real_type}, {{20}}, {293.15}},
      {"UnitConversion", {{"from", "'degF'"}, {"to", "'degC'"}}, {column(2)}, {{212, 32}}, {100, 0}},
      {"UnitConversion", {{"from", "'km/h'"}, {"to", "'m/s'"}}, {real_type}, {{36}}, {10}},
      {"UnitConversion", {{"from", "'rpm'"}, {"to", "'rad/s'"}}, {real_type}, {{30}}, {std::numbers::pi}},
      {"Identity", {{"size", "[2 1]"}}, {column(2)}, {{3, 4}}, {3, 4}},
      {"DataTypeConversion",
       {{"type", "'int8'"}, {"overflow", "'wrap'"}},
       {column(3)},
       {{200, -129, 127.9}},
       {-56, 127, 127}},
      {"CompareToConstant", {{"operator", "'>='"}, {"value", "2"}}, {column(3)}, {{1, 2, 3}}, {0, 1, 1}},
      {"TruthTable", {{"table", "[0 1; 0 0; 1 0; 1 1]"}}, {real_type, boolean_type}, {{1}, {0}}, {1}},
      {"TruthTable", {{"table", "[0 1; 0 0; 1 0; 1 1]"}}, {real_type, boolean_type}, {{0}, {0}}, {1}, 2},
  });
}

TEST(Palettes, Hybrid) {
  check_cases({
      {"ControlledSaturation", {}, {real_type, column(3), real_type}, {{-1}, {-3, 0.5, 9}, {2}}, {-1, 0.5, 2}},
      {"Quantization", {{"step", "0.5"}}, {column(3)}, {{0.7, 0.25, -0.3}}, {0.5, 0, -0.5}},
      {"Quantization", {{"step", "0.5"}, {"method", "'floor'"}}, {column(2)}, {{0.7, -0.3}}, {0.5, -0.5}},
      {"Quantization", {{"step", "0.5"}, {"method", "'ceil'"}}, {column(2)}, {{0.7, -0.3}}, {1, 0}},
      {"Quantization", {{"step", "0.5"}, {"method", "'truncate'"}}, {column(2)}, {{0.7, -0.7}}, {0.5, -0.5}},
      {"Quantization", {{"step", "1"}, {"method", "'middle'"}}, {column(3)}, {{0.2, 1.7, -1.7}}, {0.5, 1.5, -1.5}},
  });
}

// One event after the other: the input, and the output while it runs.
struct Sequence {
  const char* block;
  Texts parameters;
  std::vector<Numbers> inputs;   // by event, all inputs (scalars)
  std::vector<double> expected;  // output 1
  std::vector<double> times = {};
};

void check_sequence(const Sequence& s) {
  SCOPED_TRACE(s.block);
  BlockBench bench(s.block, s.parameters, std::vector<Type>(s.inputs.empty() ? 0 : s.inputs[0].size()));
  ASSERT_EQ(bench.failure(), "");
  for (std::size_t event = 0; event < s.expected.size(); ++event) {
    if (!s.times.empty()) bench.time = s.times[event];
    if (!s.inputs.empty()) {
      for (std::size_t k = 0; k < s.inputs[event].size(); ++k) {
        bench.set_input(static_cast<int>(k) + 1, {s.inputs[event][k]});
      }
    }
    EXPECT_NEAR(bench.output()[0], s.expected[event], 1e-14) << "event " << event;
    bench.run(When::activation);
  }
}

TEST(Palettes, MemoriesFromEventToEvent) {
  check_sequence({"Toggle", {}, {}, {0, 1, 0, 1}});
  check_sequence({"Counter", {{"from", "1"}, {"to", "3"}, {"initial", "2"}}, {}, {2, 3, 1, 2}});
  check_sequence({"ModuloCounter", {{"base", "3"}}, {}, {0, 1, 2, 0, 1}});
  check_sequence({"ModuloCounter", {{"base", "5"}, {"step", "2"}, {"initial", "0"}}, {}, {2, 4, 1, 3, 0}});
  check_sequence({"ShiftRegister", {{"length", "3"}, {"z0", "[7 8 9]"}}, {{1}, {2}, {3}, {4}, {5}}, {7, 8, 9, 1, 2}});
  check_sequence({"LastInput", {{"z0", "5"}}, {{1}, {2}, {3}}, {5, 1, 2}});
  check_sequence({"Hysteresis", {}, {{0.5}, {1.5}, {0.5}, {-0.5}, {0.5}}, {0, 1, 1, 0, 0}});
  check_sequence({"Backlash", {}, {{0.3}, {1}, {0.6}, {-0.2}, {3}}, {0, 0.5, 0.5, 0.3, 2.5}});
  check_sequence({"RateLimiter", {}, {{0}, {5}, {5}, {-5}}, {0, 1, 3, 2.5}, {0, 1, 3, 3.5}});
  check_sequence({"RateLimiter", {{"start", "'value'"}, {"y0", "2"}}, {{9}, {9}}, {2, 3}, {1, 2}});
  check_sequence({"DFlipFlop",
                  {},
                  {{1, 0, 1}, {1, 1, 1}, {0, 1, 1}, {0, 0, 1}, {0, 1, 0}, {0, 0, 1}, {0, 1, 1}},
                  {0, 1, 1, 1, 1, 1, 0}});
  check_sequence({"DLatch", {}, {{1, 0}, {1, 1}, {0, 1}, {1, 1}, {0, 0}}, {0, 1, 0, 1, 1}});
  check_sequence({"JKFlipFlop",
                  {},
                  {{1, 0, 1}, {1, 1, 1}, {0, 0, 0}, {1, 1, 1}, {0, 0, 0}, {1, 1, 0}, {0, 0, 0}, {0, 1, 1}},
                  {0, 1, 1, 0, 0, 1, 1, 0}});
  check_sequence({"SRFlipFlop", {}, {{0, 0}, {1, 0}, {0, 0}, {0, 1}, {1, 1}}, {0, 1, 1, 0, 0}});
  check_sequence({"DiscrPoleZero", {{"poles", "0.5"}, {"k", "2"}}, {{1}, {0}, {0}}, {0, 2, 1}});
}

TEST(Palettes, PolesAndZerosAreTheirTransferFunction) {
  // 3 (s + 1) / ((s + 2)(s + 3)): the companion form of s^2 + 5 s + 6.
  BlockBench system("ContPoleZero", {{"zeros", "-1"}, {"poles", "[-2 -3]"}, {"k", "3"}}, {real_type});
  BlockBench same("ContTransFunc", {{"num", "[3 3]"}, {"den", "[1 5 6]"}}, {real_type});
  for (BlockBench* bench : {&system, &same}) bench->set_input(1, {1});
  for (std::size_t k = 0; k < 2; ++k) EXPECT_EQ(system.derivative(k), same.derivative(k));
  BlockBench pid("PID", {{"Kp", "2"}, {"Ki", "3"}, {"Kd", "0.5"}, {"N", "10"}}, {real_type});
  EXPECT_EQ(pid({{1}}), (Numbers{7}));  // 2 + 0.5 * 10 while both states are zero
  EXPECT_EQ(pid.derivative(), 1);
}

TEST(Palettes, MistakesNameTheParameterOfNewBlocks) {
  const auto complaint = [](const std::string& type, const Texts& texts,
                            const std::vector<Type>& types) -> std::string {
    try {
      BlockBench bench(type, texts, types);
      return bench.failure().empty() ? "" : "ports";
    } catch (const ParameterError& error) {
      return error.parameter;
    }
  };
  EXPECT_EQ(complaint("Log", {{"base", "1"}}, {real_type}), "base");
  EXPECT_EQ(complaint("Exponential", {{"base", "-1"}}, {real_type}), "base");
  EXPECT_EQ(complaint("MatrixMultiplication", {}, {column(2), column(2)}), "ports");
  EXPECT_EQ(complaint("MatrixInverse", {}, {column(2)}), "ports");
  EXPECT_EQ(complaint("MatrixReshape", {{"size", "[4 -1]"}}, {two_by_three}), "ports");
  EXPECT_EQ(complaint("CrossProduct", {}, {column(2), column(2)}), "ports");
  EXPECT_EQ(complaint("Extractor", {{"indices", "7"}}, {two_by_three}), "ports");
  EXPECT_EQ(complaint("MatrixExtractor", {{"row_choice", "'list'"}, {"rows", "3"}}, {two_by_three}), "ports");
  EXPECT_EQ(complaint("Switch", {{"selected", "3"}}, {real_type, real_type}), "selected");
  EXPECT_EQ(complaint("UnitConversion", {{"to", "'kg'"}}, {real_type}), "to");
  EXPECT_EQ(complaint("UnitConversion", {{"from", "'parsec'"}}, {real_type}), "from");
  EXPECT_EQ(complaint("TruthTable", {{"table", "[0; 1]"}}, {real_type, real_type}), "table");
  EXPECT_EQ(complaint("CompareToConstant", {{"value", "nan"}}, {real_type}), "value");
  EXPECT_EQ(complaint("Quantization", {{"step", "0"}}, {real_type}), "step");
  EXPECT_EQ(complaint("Hysteresis", {{"on", "-1"}}, {real_type}), "on");
  EXPECT_EQ(complaint("Backlash", {{"gap", "-1"}}, {real_type}), "gap");
  EXPECT_EQ(complaint("RateLimiter", {{"lower", "2"}}, {real_type}), "lower");
  EXPECT_EQ(complaint("ContPoleZero", {{"poles", "[]"}, {"zeros", "1"}}, {real_type}), "zeros");
  EXPECT_EQ(complaint("PID", {{"N", "0"}}, {real_type}), "N");
  EXPECT_EQ(complaint("ShiftRegister", {{"length", "0"}}, {real_type}), "length");
  EXPECT_EQ(complaint("Trapezoid", {{"period", "0.5"}}, {}), "period");
  EXPECT_EQ(complaint("RampSaturate", {{"duration", "0"}}, {}), "duration");
  EXPECT_EQ(complaint("ModuloCounter", {{"base", "0"}}, {}), "base");
  EXPECT_EQ(complaint("EventToCode", {{"inputs", "54"}}, {}), "inputs");
  EXPECT_EQ(complaint("LookupTable", {{"x", "[1 0]"}}, {real_type}), "x");
  EXPECT_EQ(complaint("LookupTable", {{"x", "[0 0]"}, {"method", "'natural'"}}, {real_type}), "x");
  EXPECT_EQ(complaint("LookupTable", {{"y", "[1 2 3]"}}, {real_type}), "y");
  EXPECT_EQ(complaint("LookupTable2D", {{"z", "[1 2 3 4]"}}, {real_type, real_type}), "z");
  EXPECT_EQ(complaint("LookupTableND", {{"f", "[1 2 3]"}}, {real_type}), "f");
  EXPECT_EQ(complaint("SignalGenerator", {{"x", "[1 nan]"}}, {}), "x");
}

}  // namespace
}  // namespace orrery::blocks
