// SPDX-License-Identifier: Apache-2.0
// Which sides switches take where all their surfaces are zero at once, and which of them slide.
//
// The rate of surface i is rate[i] + sum over j of gain[i][j] s[j]. s[j] is 1 on the positive side of surface j, 0 on
// the negative one and, while the motion slides along it, the share of the positive side in Filippov's mixture. A
// choice is consistent when surfaces move to the sides chosen for them and those that slide stay at zero (Pogromsky,
// Heemels and Nijmeijer, "On solution concepts and well-posedness of linear relay systems", Automatica 39, 2003).
#pragma once

#include <cstddef>
#include <vector>

namespace orrery::sim {

struct RelaySystem {
  std::size_t n = 0;
  std::vector<double> rate;  // with all switches on their negative sides
  std::vector<double> gain;  // by row
  // Of two switches that do not act independently: what the rates have besides where both are on their positive sides.
  // Then no mixture along both surfaces is singled out.
  std::vector<double> together = {};
};

struct RelaySides {
  enum class Verdict { one, none, several };
  Verdict verdict = Verdict::none;
  bool sliding = false;       // some choice slides
  std::vector<double> share;  // s of the only choice
  std::vector<bool> slides;   // by switch, in the only choice
};

RelaySides choose_sides(const RelaySystem& system);

// Solves gain x = right for a full matrix by row, both overwritten; false: it is singular.
bool solve_small(std::size_t n, double* gain, double* right);

}  // namespace orrery::sim
