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
// The same, 3 dB down at frequency 1.
ZeroPoleGain bessel_at_3db(int n);

enum class Band { low, high, pass, stop };
// From cut-off 1 to the angular frequencies w (one or two).
ZeroPoleGain move_band(const ZeroPoleGain& f, Band band, const std::vector<double>& w);
// s = 2 (z - 1) / (z + 1)
ZeroPoleGain bilinear(const ZeroPoleGain& f);
// Modulus k of the elliptic filter of order n whose other modulus is k1.
double elliptic_modulus(int n, double k1);

enum class FilterFamily { butterworth, chebyshev1, chebyshev2, elliptic };
// One or two edges of the pass band and of the stop band, ripple and attenuation in dB. Digital frequencies are
// fractions of half the sampling rate.
struct FilterSpecification {
  std::vector<double> pass, stop;
  double ripple, attenuation;
  bool analog;
};
// The lowest order that meets a specification, and the frequencies to design it with.
struct FilterOrder {
  double order;
  std::vector<double> frequencies;
};
FilterOrder filter_order(FilterFamily family, FilterSpecification wanted);

// FIR filter: the ideal response to the frequencies w, windowed; `scale` makes the gain 1 in the middle of the pass
// band.
std::vector<double> windowed_sinc(Band band, const std::vector<double>& w, const std::vector<double>& window,
                                  bool scale);

}  // namespace orrery::math
