// SPDX-License-Identifier: Apache-2.0
// Windows, digital filtering, correlation, change of rate and filters fitted to a response.
#pragma once

#include <array>
#include <functional>
#include <string>
#include <vector>

#include "math/matrix.h"

namespace orrery::math {

// Windows as functions of k = 0 ... n, with n intervals.
double hann(double k, double n);
double hamming(double k, double n);
double blackman(double k, double n);
double bartlett_hann(double k, double n);
double parzen(double k, double n);
double kaiser(double k, double n, double beta);
// The modified Bessel function of the first kind and order 0, by its series.
double bessel_i0(double x);
double sinc(double x);  // sin(pi x) / (pi x)
// Dolph and Chebyshev's window of m values, side lobes `attenuation` dB down.
std::vector<double> chebyshev_window(Index m, double attenuation, const std::function<void()>& turn);

// x through b / a, in direct form II transposed; `state` holds the initial states, and the final ones afterwards.
std::vector<Complex> run_filter(std::vector<Complex> b, std::vector<Complex> a, const std::vector<Complex>& x,
                                std::vector<Complex>& state);
// Forwards and backwards with reflected ends and steady initial states (Gustafsson 1996). An Error for a signal that is
// not longer than three times the order; `singular` as in solve().
std::vector<double> filter_both_ways(std::vector<Complex> b, std::vector<Complex> a, const std::vector<double>& x,
                                     bool& singular);

enum class CorrelationScale { none, biased, unbiased, coefficient };
// Sums of x(i + l) y(i) for the lags l from low to high.
std::vector<double> correlation(const std::vector<double>& x, const std::vector<double>& y, Index low, Index high,
                                CorrelationScale scale);

// Low-pass for a change of rate by p/q: a Kaiser window of 60 dB with a transition of a tenth of the pass band.
std::vector<double> rate_filter(double p, double q);
// n values at p/q times their rate, through the low-pass h; `out` has room for ceil(n p / q).
void resample(const double* x, Index n, Index p, Index q, const std::vector<double>& h, double* out);

// Linear-phase filter of order n whose amplitude has the least weighted square error in bands with linear targets:
// pairs of frequencies f (1: half the sampling rate) and amplitudes a, one weight a band.
std::vector<double> least_squares_fir(Index n, const std::vector<double>& f, const std::vector<double>& a,
                                      const std::vector<double>& weights, bool& singular);
// b and a, a[0] = 1, with the least weighted sum of |h(k) a(p(k)) - b(p(k))|^2; p(k) is i w, or exp(i w) if digital.
struct FilterCoefficients {
  std::vector<double> b, a;
};
FilterCoefficients fit_response(const std::vector<Complex>& h, const std::vector<double>& w, Index nb, Index na,
                                const std::vector<double>& weight, bool digital, bool& singular);

// Conjugate pairs first, by ascending real part and negative imaginary part first; real numbers last. An Error where
// numbers have no partner within the relative tolerance.
std::vector<Complex> conjugate_pairs(const std::vector<Complex>& z, double tolerance);

// Local maxima from `lowest` on, the beginning of flat tops, in order of their place.
std::vector<Index> local_maxima(const std::vector<double>& x, double lowest);
// From the highest peak down, each one hides the others nearer than the distance.
std::vector<Index> spaced_peaks(const std::vector<double>& x, std::vector<Index> peaks, double distance);

// Coefficients of the parabola a u^2 + b u + c, u = t - centre, with the least square error at the points.
std::array<double, 3> parabola_through(const std::vector<double>& t, const std::vector<double>& y, double centre);

}  // namespace orrery::math
