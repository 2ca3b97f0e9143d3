// SPDX-License-Identifier: Apache-2.0
// Which equation determines which unknown: a largest matching, and what is over- and under-determined without one.
#pragma once

#include <cstdint>
#include <vector>

#include "equations/adjacency.h"

namespace orrery::equations {

struct Matching {
  Indices unknown_of;           // by equation; none: it has no unknown of its own
  Indices equation_of;          // by unknown; none: nothing determines it
  std::uint64_t looked_at = 0;  // entries of `occurs` that were read: the work done

  std::uint32_t size() const;
  void pair(std::uint32_t equation, std::uint32_t unknown) {
    unknown_of[equation] = unknown;
    equation_of[unknown] = equation;
  }
};

Matching empty_matching(std::uint32_t equations, std::uint32_t unknowns);

// occurs[e]: the unknowns that occur in equation e. What `begin` has paired stays determined, though perhaps otherwise.
// Hopcroft and Karp (SIAM J. Comput. 2, 1973) after a greedy start that takes unknowns and equations with one choice
// left first (Karp and Sipser, 1981): close to linear in the entries.
Matching match(const Adjacency& occurs, Matching begin);
Matching match(const Adjacency& occurs, std::uint32_t unknowns);

// The parts of a system without a complete matching (Dulmage and Mendelsohn, Canad. J. Math. 10, 1958). They do not
// depend on which largest matching was found. Each part is connected; ascending within.
struct Part {
  std::vector<std::uint32_t> equations, unknowns;
};
struct Misfits {
  std::vector<Part> over;   // more equations than unknowns
  std::vector<Part> under;  // more unknowns than equations
};
Misfits find_misfits(const Adjacency& occurs, const Matching& matching);

}  // namespace orrery::equations
