// SPDX-License-Identifier: Apache-2.0
// Sums over the slopes of a Runge–Kutta step, two states at a time.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <utility>

namespace orrery::solve {

// Two doubles in one register. The sums are written with it because the compiler does not vectorise loops of unknown
// length at -O2; the results are those of the scalar code to the last bit. Few states are summed one by one: loading a
// pair that the derivative has just stored as two doubles would stall.
typedef double Pair __attribute__((vector_size(16), may_alias));
typedef std::int64_t PairBits __attribute__((vector_size(16)));
constexpr int most_states_one_by_one = 8;

template <class Value>
inline Value& value_at(double* p) {
  return *reinterpret_cast<Value*>(p);
}
template <class Value>
inline const Value& value_at(const double* p) {
  return *reinterpret_cast<const Value*>(p);
}
// Vectors of a caller may lie anywhere.
template <class Value>
inline void store_at(double* p, Value value) {
  std::memcpy(p, &value, sizeof value);
}
inline double magnitude(double a) { return std::fabs(a); }
inline Pair magnitude(Pair a) { return reinterpret_cast<Pair>(reinterpret_cast<PairBits>(a) & INT64_MAX); }
template <class Value>
inline Value larger_magnitude(Value a, Value b) {
  a = magnitude(a);
  b = magnitude(b);
  return a > b ? a : b;
}
constexpr int lane_count(double) { return 1; }
constexpr int lane_count(Pair) { return 2; }
inline double lane_sum(double a) { return a; }
inline double lane_sum(Pair a) { return a[0] + a[1]; }

// A row of a table as an object of its own: not every compiler takes a part of an array as a template argument.
template <const auto& Rows, int Row>
inline constexpr auto row_of = std::to_array(Rows[Row]);

// sum_j Weights[j] * k[j][i], left to right, without the zeros.
template <class Value, const auto& Weights, class Slopes>
inline __attribute__((always_inline)) Value weighted_sum(const Slopes& k, int i) {
  constexpr int count = std::size(Weights);
  Value sum{};
  bool first = true;
  const auto add = [&]<int J>(std::integral_constant<int, J>) __attribute__((always_inline)) {
    if constexpr (Weights[J] != 0) {
      const Value term = Weights[J] * value_at<Value>(k[J] + i);
      sum = first ? term : sum + term;
      first = false;
    }
  };
  [&]<int... J>(std::integer_sequence<int, J...>) __attribute__((always_inline)) {
    (add(std::integral_constant<int, J>{}), ...);
  }
  (std::make_integer_sequence<int, count>{});
  return sum;
}

}  // namespace orrery::solve
