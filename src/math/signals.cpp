// SPDX-License-Identifier: Apache-2.0
// Signal processing on vectors.
#include "math/signals.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace orrery::math {
namespace {

using std::numbers::pi;
using Vec = std::vector<double>;

// Integral of cos(pi k f) from p to q, and of f cos(pi k f).
double cosine_integral(double k, double p, double q) {
  return k == 0 ? q - p : (std::sin(pi * k * q) - std::sin(pi * k * p)) / (pi * k);
}
double ramp_integral(double k, double p, double q) {
  if (k == 0) return (q * q - p * p) / 2;
  const auto f = [k](double x) {
    return x * std::sin(pi * k * x) / (pi * k) + std::cos(pi * k * x) / (pi * k * pi * k);
  };
  return f(q) - f(p);
}

}  // namespace

double hann(double k, double n) { return 0.5 - 0.5 * std::cos(2 * pi * k / n); }
double hamming(double k, double n) { return 0.54 - 0.46 * std::cos(2 * pi * k / n); }
double blackman(double k, double n) { return 0.42 - 0.5 * std::cos(2 * pi * k / n) + 0.08 * std::cos(4 * pi * k / n); }
double bartlett_hann(double k, double n) {
  return 0.62 - 0.48 * std::abs(k / n - 0.5) + 0.38 * std::cos(2 * pi * (k / n - 0.5));
}

double parzen(double k, double m) {
  const double n = m + 1, x = std::abs(k - m / 2), q = x / (n / 2);
  return x <= m / 4 ? 1 - 6 * q * q * (1 - q) : 2 * std::pow(1 - q, 3);
}

double bessel_i0(double x) {
  double s = 1, t = 1;
  for (int k = 1; k < 500; ++k) {
    t *= (x / (2 * k)) * (x / (2 * k));
    s += t;
    if (t < 1e-17 * s) break;
  }
  return s;
}

double kaiser(double k, double n, double beta) {
  return bessel_i0(beta * std::sqrt(std::max(0.0, 1 - std::pow(2 * k / n - 1, 2)))) / bessel_i0(beta);
}

double sinc(double x) { return x == 0 ? 1 : std::sin(pi * x) / (pi * x); }

Vec chebyshev_window(Index m, double attenuation, const std::function<void()>& turn) {
  const auto n = static_cast<double>(m - 1);
  const double beta = std::cosh(std::acosh(std::pow(10.0, attenuation / 20)) / std::max(n, 1.0));
  const auto cheb = [n](double x) {
    return std::abs(x) <= 1 ? std::cos(n * std::acos(x))
                            : (x < 0 && std::fmod(n, 2) != 0 ? -1 : 1) * std::cosh(n * std::acosh(std::abs(x)));
  };
  Vec w(static_cast<std::size_t>(m));
  for (Index k = 0; k < m; ++k) {
    if (turn) turn();
    double s = 0;
    for (Index j = 0; j < m; ++j) {
      const double theta = pi * static_cast<double>(j) / static_cast<double>(m), p = cheb(beta * std::cos(theta));
      const double shift = m % 2 == 1 ? 0 : theta;
      const Index from_middle = k - m / 2;
      s += p * std::cos(2 * theta * static_cast<double>(from_middle) + shift);
    }
    w[static_cast<std::size_t>(k)] = s;
  }
  const double top = *std::max_element(w.begin(), w.end());
  for (double& x : w) x /= top;
  return w;
}

std::array<double, 3> parabola_through(const Vec& t, const Vec& y, double centre) {
  const auto n = static_cast<double>(t.size());
  double largest = 0;
  for (double x : t) largest = std::max(largest, std::abs(x - centre));
  if (largest == 0 || t.size() < 3) return {0, 0, y.empty() ? 0 : y[y.size() / 2]};
  // Normal equations in v = u / largest, where the sums of powers are of order one.
  double s1 = 0, s2 = 0, s3 = 0, s4 = 0, r0 = 0, r1 = 0, r2 = 0;
  for (std::size_t k = 0; k < t.size(); ++k) {
    const double v = (t[k] - centre) / largest;
    s1 += v, s2 += v * v, s3 += v * v * v, s4 += v * v * v * v;
    r0 += y[k], r1 += v * y[k], r2 += v * v * y[k];
  }
  const double det = s4 * (s2 * n - s1 * s1) - s3 * (s3 * n - s1 * s2) + s2 * (s3 * s1 - s2 * s2);
  const double a = (r2 * (s2 * n - s1 * s1) - s3 * (r1 * n - s1 * r0) + s2 * (r1 * s1 - s2 * r0)) / det;
  const double b = (s4 * (r1 * n - r0 * s1) - r2 * (s3 * n - s1 * s2) + s2 * (s3 * r0 - r1 * s2)) / det;
  const double c = (s4 * (s2 * r0 - s1 * r1) - s3 * (s3 * r0 - r1 * s2) + r2 * (s3 * s1 - s2 * s2)) / det;
  return {a / (largest * largest), b / largest, c};
}

std::vector<Complex> run_filter(std::vector<Complex> b, std::vector<Complex> a, const std::vector<Complex>& x,
                                std::vector<Complex>& state) {
  const std::size_t n = std::max(a.size(), b.size());
  const Complex lead = a[0];
  for (Complex& v : a) v /= lead;
  for (Complex& v : b) v /= lead;
  a.resize(n), b.resize(n), state.resize(n);
  std::vector<Complex> y(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    y[i] = b[0] * x[i] + state[0];
    for (std::size_t k = 1; k < n; ++k) state[k - 1] = b[k] * x[i] + (k < n - 1 ? state[k] : Complex()) - a[k] * y[i];
  }
  state.resize(n - 1);
  return y;
}

Vec filter_both_ways(std::vector<Complex> b, std::vector<Complex> a, const Vec& x, bool& singular) {
  const std::size_t n = std::max(a.size(), b.size()), pad = 3 * (n - 1);
  if (x.size() <= pad) throw Error("the signal must be longer than three times the filter order");
  a.resize(n), b.resize(n);
  const auto m = static_cast<Index>(n) - 1;
  std::vector<Complex> start;
  if (m > 0) {
    RealMatrix k(m, m), r(m, 1);
    for (Index i = 0; i < m; ++i) {
      const std::size_t next = static_cast<std::size_t>(i) + 1;
      k(i, i) = 1;
      k(i, 0) += (a[next] / a[0]).real();
      if (i + 1 < m) k(i, i + 1) -= 1;
      r(i, 0) = ((b[next] - a[next] / a[0] * b[0]) / a[0]).real();
    }
    const RealMatrix steady = solve(k, r, singular);
    start.assign(steady.data.begin(), steady.data.end());
  }
  std::vector<Complex> line;
  for (std::size_t i = pad; i > 0; --i) line.emplace_back(2 * x[0] - x[i]);
  for (double v : x) line.emplace_back(v);
  for (std::size_t i = 1; i <= pad; ++i) line.emplace_back(2 * x.back() - x[x.size() - 1 - i]);
  for (int turn = 0; turn < 2; ++turn) {
    std::vector<Complex> state = start;
    for (Complex& s : state) s *= line[0];
    line = run_filter(b, a, line, state);
    std::reverse(line.begin(), line.end());
  }
  Vec y;
  for (std::size_t i = 0; i < x.size(); ++i) y.push_back(line[pad + i].real());
  return y;
}

Vec correlation(const Vec& x, const Vec& y, Index low, Index high, CorrelationScale scale) {
  const auto nx = static_cast<Index>(x.size()), ny = static_cast<Index>(y.size());
  const auto n = static_cast<double>(std::max(nx, ny));
  double ex = 0, ey = 0;
  for (double v : x) ex += v * v;
  for (double v : y) ey += v * v;
  Vec r;
  for (Index l = low; l <= high; ++l) {
    double s = 0;
    for (Index i = std::max<Index>(0, -l); i < ny && i + l < nx; ++i)
      s += x[static_cast<std::size_t>(i + l)] * y[static_cast<std::size_t>(i)];
    switch (scale) {
      case CorrelationScale::biased: s /= n; break;
      case CorrelationScale::unbiased: s /= n - std::abs(static_cast<double>(l)); break;
      case CorrelationScale::coefficient: s /= std::sqrt(ex * ey); break;
      case CorrelationScale::none: break;
    }
    r.push_back(s);
  }
  return r;
}

Vec rate_filter(double p, double q) {
  const double cut = 1 / (2 * std::max(p, q)), rejection = 60;
  const auto half = static_cast<Index>(std::ceil((rejection - 8) / (28.714 * cut / 10)));
  const double beta = 0.1102 * (rejection - 8.7);
  Vec h;
  for (Index k = -half; k <= half; ++k) {
    const double t = static_cast<double>(k), u = t / static_cast<double>(half);
    h.push_back(2 * p * cut * sinc(2 * cut * t) * bessel_i0(beta * std::sqrt(std::max(0.0, 1 - u * u))) /
                bessel_i0(beta));
  }
  return h;
}

void resample(const double* x, Index n, Index p, Index q, const Vec& h, double* out) {
  const auto half = static_cast<Index>(h.size() / 2);
  const Index length = (n * p + q - 1) / q;
  for (Index m = 0; m < length; ++m) {
    // Only inputs whose place on the fine grid lies under the filter count.
    const Index centre = m * q;
    double s = 0;
    for (Index i = std::max<Index>(0, (centre - half + p - 1) / p); i < n && i * p <= centre + half; ++i) {
      const Index tap = centre - i * p + half;
      if (tap >= 0 && tap < static_cast<Index>(h.size())) s += h[static_cast<std::size_t>(tap)] * x[i];
    }
    out[m] = s;
  }
}

Vec least_squares_fir(Index n, const Vec& f, const Vec& a, const Vec& weights, bool& singular) {
  const bool even = n % 2 == 0;
  const Index m = even ? n / 2 + 1 : (n + 1) / 2;
  const double shift = even ? 0 : 0.5;
  RealMatrix q(m, m), b(m, 1);
  for (std::size_t band = 0; band < weights.size(); ++band) {
    const double lo = f[2 * band], hi = f[2 * band + 1];
    const double slope = hi > lo ? (a[2 * band + 1] - a[2 * band]) / (hi - lo) : 0, start = a[2 * band] - slope * lo;
    for (Index i = 0; i < m; ++i) {
      const double ki = static_cast<double>(i) + shift;
      b(i, 0) += weights[band] * (start * cosine_integral(ki, lo, hi) + slope * ramp_integral(ki, lo, hi));
      for (Index j = 0; j < m; ++j) {
        const double kj = static_cast<double>(j) + shift;
        q(i, j) += weights[band] * (cosine_integral(ki - kj, lo, hi) + cosine_integral(ki + kj, lo, hi)) / 2;
      }
    }
  }
  const Vec x = solve(q, b, singular).data;
  Vec h(static_cast<std::size_t>(n + 1));
  for (Index i = 0; i < m; ++i) {
    const double value = even && i == 0 ? x[0] : x[static_cast<std::size_t>(i)] / 2;
    const Index right = even ? n / 2 + i : (n + 1) / 2 + i, left = n - right;
    h[static_cast<std::size_t>(left)] = h[static_cast<std::size_t>(right)] = value;
  }
  return h;
}

FilterCoefficients fit_response(const std::vector<Complex>& h, const Vec& w, Index nb, Index na, const Vec& weight,
                                bool digital, bool& singular) {
  const auto n = static_cast<Index>(h.size());
  // Analog powers are taken of w divided by the largest frequency, for conditioning.
  double unit = 1;
  if (!digital) {
    unit = 0;
    for (double x : w) unit = std::max(unit, std::abs(x));
    if (unit == 0) unit = 1;
  }
  RealMatrix m(2 * n, nb + 1 + na), r(2 * n, 1);
  for (Index i = 0; i < n; ++i) {
    const double wi = w[static_cast<std::size_t>(i)], root = std::sqrt(weight[static_cast<std::size_t>(i)]);
    const Complex hi = h[static_cast<std::size_t>(i)];
    const auto power = [&](Index order, Index k) {
      return digital ? std::exp(Complex(0, -wi * static_cast<double>(k)))
                     : std::pow(Complex(0, wi / unit), static_cast<double>(order - k));
    };
    const auto put = [&](Index column, Complex z) {
      m(i, column) = root * z.real();
      m(n + i, column) = root * z.imag();
    };
    for (Index k = 0; k <= nb; ++k) put(k, nb == k && !digital ? Complex(1) : power(nb, k));
    for (Index k = 1; k <= na; ++k) put(nb + k, -hi * (na == k && !digital ? Complex(1) : power(na, k)));
    const Complex lead = root * hi * (digital || na == 0 ? Complex(1) : power(na, 0));
    r(i, 0) = lead.real();
    r(n + i, 0) = lead.imag();
  }
  const Vec x = solve(m, r, singular).data;
  FilterCoefficients out{{}, {1}};
  for (Index k = 0; k <= nb; ++k)
    out.b.push_back(x[static_cast<std::size_t>(k)] * std::pow(unit, static_cast<double>(na - nb + k)));
  for (Index k = 1; k <= na; ++k)
    out.a.push_back(x[static_cast<std::size_t>(nb + k)] * std::pow(unit, static_cast<double>(k)));
  return out;
}

std::vector<Complex> conjugate_pairs(const std::vector<Complex>& z, double tolerance) {
  std::vector<Complex> pairs, reals, rest;
  for (const Complex& x : z) (std::abs(x.imag()) <= tolerance * std::abs(x) ? reals : rest).push_back(x);
  std::sort(reals.begin(), reals.end(), [](Complex a, Complex b) { return a.real() < b.real(); });
  std::sort(rest.begin(), rest.end(), [&](Complex a, Complex b) {
    const bool same = std::abs(a.real() - b.real()) <= tolerance * std::abs(a);
    return same ? std::abs(a.imag()) < std::abs(b.imag()) : a.real() < b.real();
  });
  while (!rest.empty()) {
    const Complex x = rest.front();
    rest.erase(rest.begin());
    auto best = rest.end();
    for (auto it = rest.begin(); it != rest.end(); ++it)
      if (best == rest.end() || std::abs(*it - std::conj(x)) < std::abs(*best - std::conj(x))) best = it;
    if (best == rest.end() || std::abs(*best - std::conj(x)) > tolerance * std::abs(x))
      throw Error("the numbers are not conjugate pairs");
    pairs.push_back(x.imag() < 0 ? x : *best);
    pairs.push_back(x.imag() < 0 ? *best : x);
    rest.erase(best);
  }
  for (const Complex& x : reals) pairs.emplace_back(x.real(), 0);
  return pairs;
}

std::vector<Index> local_maxima(const Vec& x, double lowest) {
  std::vector<Index> out;
  const auto n = static_cast<Index>(x.size());
  const auto at = [&](Index i) { return x[static_cast<std::size_t>(i)]; };
  for (Index i = 1; i + 1 < n; ++i) {
    if (!(at(i) > at(i - 1)) || at(i) < lowest) continue;
    Index j = i;
    while (j + 1 < n && at(j + 1) == at(i)) ++j;
    if (j + 1 < n && at(j + 1) < at(i)) out.push_back(i);
    i = j;
  }
  return out;
}

std::vector<Index> spaced_peaks(const Vec& x, std::vector<Index> peaks, double distance) {
  std::stable_sort(peaks.begin(), peaks.end(),
                   [&](Index a, Index b) { return x[static_cast<std::size_t>(a)] > x[static_cast<std::size_t>(b)]; });
  std::vector<Index> kept;
  for (Index p : peaks) {
    const bool hidden =
        std::any_of(kept.begin(), kept.end(), [&](Index k) { return static_cast<double>(std::abs(k - p)) < distance; });
    if (!hidden) kept.push_back(p);
  }
  std::sort(kept.begin(), kept.end());
  return kept;
}

}  // namespace orrery::math
