// SPDX-License-Identifier: Apache-2.0
// Random small hybrid diagrams, the same for the same seed, in which things like to happen in the same instant.
#pragma once

#include <cstdint>

#include "diagram.h"

namespace orrery::referee {

struct RandomChoices {
  bool resets = true;  // integrals that events set
  bool limits = true;  // integrals with limits
  bool automata = true;
  bool delays = true;
  bool memories = true;      // hysteresis, backlash, limited rates
  bool sliding = true;       // states that follow another signal along a surface
  bool coincidences = true;  // parameters from a small set, in most diagrams
};

Diagram random_hybrid(std::uint64_t seed, const RandomChoices& choices = {});

}  // namespace orrery::referee
