// SPDX-License-Identifier: Apache-2.0
// Random numbers as formulas: the same bits on every machine.
#pragma once

#include <cstdint>

#include "blocks/block.h"

namespace orrery::blocks {

// xoshiro128++ (Blackman and Vigna, Scrambled linear pseudorandom number generators, 2021), one generator for each
// element of the output; s[i] holds word i of all of them.
struct Xoshiro {
  Expr s[4];

  Expr next() {
    const Expr result = sum(rotate(sum(s[0], s[3]), 7), s[0]);
    const Expr t = s[1] << 9;
    s[2] = s[2] ^ s[0];
    s[3] = s[3] ^ s[1];
    s[1] = s[1] ^ s[2];
    s[0] = s[0] ^ s[3];
    s[2] = s[2] ^ t;
    s[3] = rotate(s[3], 11);
    return result;
  }

  // Strictly between 0 and 1, so that its logarithm is finite.
  Expr uniform() { return (next().as(Scalar::f64) + 0.5) * 0x1p-32; }

  // Modulo 2^32, where sums of integers saturate.
  static Expr sum(Expr a, Expr b) {
    const Expr exact = a.as(Scalar::f64) + b.as(Scalar::f64);
    return select(exact < 0x1p32, exact, exact - 0x1p32).as(Scalar::u32);
  }
  static Expr rotate(Expr x, int bits) { return (x << bits) | (x >> (32 - bits)); }
};

// splitmix64 (Steele, Lea and Flood, 2014) spreads a seed over the words of the generators.
inline std::uint32_t spread(std::uint64_t& seed) {
  seed += 0x9E3779B97F4A7C15u;
  std::uint64_t z = seed;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return static_cast<std::uint32_t>((z ^ (z >> 31)) >> 32);
}

}  // namespace orrery::blocks
