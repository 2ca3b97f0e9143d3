// SPDX-License-Identifier: Apache-2.0
// Spectra of signals: Welch's method, short-time transforms, acoustic weightings.
#pragma once

#include <functional>
#include <vector>

#include "math/matrix.h"

namespace orrery::math {

std::vector<double> hamming_window(std::size_t n);

// How a signal is cut into overlapping parts, and how many points each part is transformed to.
struct Segments {
  std::vector<double> window;
  std::size_t overlap = 0, points = 0;
  double fs = 2 * 3.14159265358979323846;  // sampling frequency
  bool one_sided = true;

  std::size_t rows() const { return one_sided ? points / 2 + 1 : points; }
  std::size_t step() const { return window.size() - overlap; }
  std::size_t count(std::size_t length) const {
    return length < window.size() ? 0 : (length - window.size()) / step() + 1;
  }
  std::vector<double> frequencies() const;
  double power() const;  // of the window
  // What a squared transform is multiplied with in a density: one-sided ones hold both halves.
  double sides(std::size_t row) const {
    return !one_sided || row == 0 || (points % 2 == 0 && row == rows() - 1) ? 1 : 2;
  }
};

// Averaged products of the transforms of all segments, scaled to densities.
struct Spectra {
  std::vector<Complex> xy;
  std::vector<double> xx, yy;
};
// An Error where the lengths differ or the window is longer than the signals. `turn` is called now and then.
Spectra welch(const std::vector<Complex>& x, const std::vector<Complex>& y, const Segments& s,
              const std::function<void()>& turn);

// A column for each segment. An Error where the window is longer than the signal.
ComplexMatrix short_time_transform(const std::vector<Complex>& x, const Segments& s);
RealMatrix density(const ComplexMatrix& transform, const Segments& s);
// The signal of a short-time transform of `points` each, of which the columns may hold the first half: overlapping
// parts added with the window once more, divided by the sum of its squares.
std::vector<double> overlap_add(const ComplexMatrix& transform, const std::vector<double>& window, Index points,
                                Index step);

// Acoustic weightings of the square of a frequency in Hz, but for a factor (IEC 61672 for A and C, IEC 61012 for U).
double a_weighting(double f2);
double b_weighting(double f2);
double c_weighting(double f2);
double u_weighting(double f2);

}  // namespace orrery::math
