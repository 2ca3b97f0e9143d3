// SPDX-License-Identifier: Apache-2.0
// Averaged and short-time spectra.
#include "math/spectra.h"

#include <algorithm>
#include <cmath>

#include "math/fourier.h"
#include "math/signals.h"

namespace orrery::math {
namespace {

using Vec = std::vector<double>;
using Signal = std::vector<Complex>;

Signal transform_segment(const Signal& x, std::size_t begin, const Segments& s) {
  Signal part(s.window.size());
  for (std::size_t i = 0; i < part.size(); ++i) part[i] = s.window[i] * x[begin + i];
  return fourier(part, static_cast<Index>(s.points));
}

}  // namespace

Vec hamming_window(std::size_t n) {
  Vec w;
  for (std::size_t i = 0; i < n; ++i)
    w.push_back(n == 1 ? 1 : hamming(static_cast<double>(i), static_cast<double>(n - 1)));
  return w;
}

Vec Segments::frequencies() const {
  Vec f;
  for (std::size_t k = 0; k < rows(); ++k) f.push_back(fs * static_cast<double>(k) / static_cast<double>(points));
  return f;
}

double Segments::power() const {
  double sum = 0;
  for (double v : window) sum += v * v;
  return sum;
}

Spectra welch(const Signal& x, const Signal& y, const Segments& s, const std::function<void()>& turn) {
  if (x.size() != y.size()) throw Error("the signals must have the same length");
  const std::size_t rows = s.rows(), count = s.count(x.size());
  if (count == 0) throw Error("the window is longer than the signal");
  Spectra out{Signal(rows), Vec(rows), Vec(rows)};
  const double power = s.power();
  for (std::size_t k = 0; k < count; ++k) {
    if (turn) turn();
    const Signal a = transform_segment(x, k * s.step(), s), b = transform_segment(y, k * s.step(), s);
    for (std::size_t i = 0; i < rows; ++i) {
      out.xx[i] += std::norm(a[i]);
      out.yy[i] += std::norm(b[i]);
      out.xy[i] += std::conj(a[i]) * b[i];
    }
  }
  for (std::size_t i = 0; i < rows; ++i) {
    const double scale = s.sides(i) / (s.fs * power * static_cast<double>(count));
    out.xx[i] *= scale;
    out.yy[i] *= scale;
    out.xy[i] *= scale;
  }
  return out;
}

ComplexMatrix short_time_transform(const Signal& x, const Segments& s) {
  const std::size_t count = s.count(x.size());
  if (count == 0) throw Error("the window is longer than the signal");
  ComplexMatrix out(static_cast<Index>(s.rows()), static_cast<Index>(count));
  for (std::size_t k = 0; k < count; ++k) {
    const Signal f = transform_segment(x, k * s.step(), s);
    std::copy_n(f.begin(), s.rows(), out.data.begin() + static_cast<std::ptrdiff_t>(k * s.rows()));
  }
  return out;
}

RealMatrix density(const ComplexMatrix& transform, const Segments& s) {
  const double power = s.power();
  RealMatrix out(transform.rows, transform.cols);
  for (Index k = 0; k < out.cols; ++k)
    for (Index i = 0; i < out.rows; ++i)
      out(i, k) = s.sides(static_cast<std::size_t>(i)) * std::norm(transform(i, k)) / (s.fs * power);
  return out;
}

Vec overlap_add(const ComplexMatrix& z, const Vec& window, Index points, Index step) {
  const auto length = static_cast<Index>(window.size());
  Vec sum(static_cast<std::size_t>(length + step * std::max<Index>(z.cols - 1, 0))), weight(sum.size());
  for (Index k = 0; k < z.cols; ++k) {
    Signal whole(static_cast<std::size_t>(points));
    for (Index i = 0; i < points; ++i)
      whole[static_cast<std::size_t>(i)] = i < z.rows ? z(i, k) : std::conj(z(points - i, k));
    const Signal part = fourier(whole, points, true);
    for (std::size_t i = 0; i < window.size(); ++i) {
      const std::size_t at = static_cast<std::size_t>(k * step) + i;
      sum[at] += window[i] * part[i].real();
      weight[at] += window[i] * window[i];
    }
  }
  for (std::size_t i = 0; i < sum.size(); ++i)
    if (weight[i] > 1e-12) sum[i] /= weight[i];
  return sum;
}

double a_weighting(double f2) {
  return f2 * f2 /
         ((f2 + 20.6 * 20.6) * std::sqrt((f2 + 107.7 * 107.7) * (f2 + 737.9 * 737.9)) * (f2 + 12200.0 * 12200.0));
}
double b_weighting(double f2) {
  return f2 * std::sqrt(f2) / ((f2 + 20.6 * 20.6) * std::sqrt(f2 + 158.5 * 158.5) * (f2 + 12200.0 * 12200.0));
}
double c_weighting(double f2) { return f2 / ((f2 + 20.6 * 20.6) * (f2 + 12200.0 * 12200.0)); }
double u_weighting(double f2) {
  const Complex s(0, std::sqrt(f2));
  Complex p = (s + 12200.0) * (s + 12200.0);
  for (const Complex& pole : {Complex(-7850, 8800), Complex(-2900, 12150)}) p *= (s - pole) * (s - std::conj(pole));
  return 1 / std::abs(p);
}

}  // namespace orrery::math
