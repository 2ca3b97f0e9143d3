// SPDX-License-Identifier: Apache-2.0
// Random numbers are functions of seed, point and dimension, so that parallel runs need no common generator.
#include "math/sampling.h"

#include <boost/random/sobol.hpp>
#include <cmath>
#include <numeric>
#include <random>
#include <utility>

namespace orrery::math {
namespace {

// The output function of SplitMix64 (Steele, Lea, Flood 2014): every bit of the argument reaches every bit of the
// result.
std::uint64_t scramble(std::uint64_t z) {
  z += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

std::uint64_t random_bits(std::uint64_t seed, std::uint64_t point, std::uint64_t dimension) {
  return scramble(scramble(scramble(seed) ^ point) ^ dimension);
}

// The middle of one of 2^53 equal parts of the unit interval; the last one would be rounded to 1.
double unit_number(std::uint64_t bits) {
  return std::fmin((static_cast<double>(bits >> 11) + 0.5) * 0x1p-53, 1 - 0x1p-53);
}

}  // namespace

UnitPoints::UnitPoints(Sampling sampling, std::size_t count, std::size_t dimensions, std::uint64_t seed)
    : sampling_(sampling), count_(count), dimensions_(dimensions), seed_(seed) {
  if (dimensions == 0) return;
  if (sampling == Sampling::latin) {
    layers_.resize(count * dimensions);
    for (std::size_t d = 0; d < dimensions; ++d) {
      std::uint32_t* layer = layers_.data() + d * count;
      std::iota(layer, layer + count, 0u);
      std::mt19937_64 generator(random_bits(seed, ~std::uint64_t{0}, d));
      for (std::size_t k = count; k > 1; --k) std::swap(layer[k - 1], layer[generator() % k]);
    }
  }
  if (sampling == Sampling::sobol) {
    boost::random::sobol sequence(dimensions);
    numbers_.resize(count * dimensions);  // the first point is zero, which the library leaves out
    for (std::size_t k = dimensions; k < numbers_.size(); ++k) numbers_[k] = sequence();
  }
}

double UnitPoints::at(std::size_t point, std::size_t dimension) const {
  if (sampling_ == Sampling::sobol)
    return unit_number(numbers_[point * dimensions_ + dimension] ^ random_bits(seed_, ~std::uint64_t{0}, dimension));
  const double inside = unit_number(random_bits(seed_, point, dimension));
  if (sampling_ == Sampling::random) return inside;
  return (layers_[dimension * count_ + point] + inside) / static_cast<double>(count_);
}

}  // namespace orrery::math
