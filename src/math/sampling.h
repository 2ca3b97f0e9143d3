// SPDX-License-Identifier: Apache-2.0
// Points in the unit cube for experiments: independent ones, Latin hypercubes, Sobol sequences.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace orrery::math {

enum class Sampling : std::uint8_t {
  random,  // independent
  latin,   // each of n equal layers of every dimension has one point (McKay, Beckman, Conover 1979)
  sobol,   // low discrepancy (Joe and Kuo 2008), shifted at random so that seeds differ
};

// The same seed gives the same points, whoever asks for them and in what order.
class UnitPoints {
 public:
  UnitPoints(Sampling sampling, std::size_t count, std::size_t dimensions, std::uint64_t seed);

  // Within (0, 1), ends excluded, so that every quantile is finite.
  double at(std::size_t point, std::size_t dimension) const;

  static constexpr std::size_t most_sobol_dimensions = 3667;

 private:
  Sampling sampling_;
  std::size_t count_, dimensions_;
  std::uint64_t seed_;
  std::vector<std::uint32_t> layers_;   // latin: by dimension and point
  std::vector<std::uint64_t> numbers_;  // sobol: by point and dimension
};

}  // namespace orrery::math
