// SPDX-License-Identifier: Apache-2.0
// Sums over the slopes of a Runge–Kutta step, two states at a time.
#pragma once

#include <array>
#include <iterator>
#include <utility>

#include "solve/pair.h"

namespace orrery::solve {

// Few states are summed one by one: loading a pair that the derivative has just stored as two doubles would stall.
constexpr int most_states_one_by_one = 8;

// A row of a table as an object of its own: not every compiler takes a part of an array as a template argument.
template <const auto& Rows, int Row>
inline constexpr auto row_of = std::to_array(Rows[Row]);

// Two states, wherever they lie.
struct Couple {
  int first, second;
};
template <class Value>
inline Value pick(const double* vector, int i) {
  return value_at<Value>(vector + i);
}
template <class Value>
inline Value pick(const double* vector, Couple i) {
  return Value{vector[i.first], vector[i.second]};
}

// sum_j Weights[j] * k[j][i], left to right, without the zeros.
template <class Value, const auto& Weights, class Slopes, class Index>
inline __attribute__((always_inline)) Value weighted_sum(const Slopes& k, Index i) {
  constexpr int count = std::size(Weights);
  Value sum{};
  bool first = true;
  const auto add = [&]<int J>(std::integral_constant<int, J>) __attribute__((always_inline)) {
    if constexpr (Weights[J] != 0) {
      const Value term = Weights[J] * pick<Value>(k[J], i);
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
