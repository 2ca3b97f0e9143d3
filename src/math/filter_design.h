// SPDX-License-Identifier: Apache-2.0
// Analog prototypes, frequency transformations and the bilinear map, on zeros, poles and gain.
#pragma once

#include <vector>

#include "math/matrix.h"

namespace orrery::math {

struct ZeroPoleGain {
  std::vector<Complex> zeros, poles;
  Complex gain = 1;
};

ZeroPoleGain butterworth_prototype(int n);
ZeroPoleGain chebyshev1_prototype(int n, double ripple);
ZeroPoleGain chebyshev2_prototype(int n, double attenuation);
ZeroPoleGain elliptic_prototype(int n, double ripple, double attenuation);
ZeroPoleGain bessel_prototype(int n);

enum class Band { low, high, pass, stop };
// From cut-off 1 to the angular frequencies w (one or two).
ZeroPoleGain move_band(const ZeroPoleGain& f, Band band, const std::vector<double>& w);
// s = 2 (z - 1) / (z + 1)
ZeroPoleGain bilinear(const ZeroPoleGain& f);
// Modulus k of the elliptic filter of order n whose other modulus is k1.
double elliptic_modulus(int n, double k1);

}  // namespace orrery::math
