// SPDX-License-Identifier: Apache-2.0
// Filter prototypes; the elliptic one by Landen transformations (Orfanidis, "Lecture Notes on Elliptic Filter Design").
#include "math/filter_design.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "math/polynomials.h"

namespace orrery::math {
namespace {

using std::numbers::pi;
const Complex j(0, 1);

Complex product(const std::vector<Complex>& x, Complex s) {
  Complex p = 1;
  for (const Complex& v : x) p *= s - v;
  return p;
}

std::vector<double> landen(double k) {
  std::vector<double> v;
  for (int n = 0; n < 20 && k > 1e-16; ++n) {
    const double kp = std::sqrt((1 - k) * (1 + k));
    k = (k / (1 + kp)) * (k / (1 + kp));
    v.push_back(k);
  }
  return v;
}

Complex ascend(Complex w, double k) {
  const std::vector<double> v = landen(k);
  for (std::size_t n = v.size(); n-- > 0;) w = (1 + v[n]) * w / (1.0 + v[n] * w * w);
  return w;
}
Complex cd(Complex u, double k) { return ascend(std::cos(u * pi / 2.0), k); }
Complex sn(Complex u, double k) { return ascend(std::sin(u * pi / 2.0), k); }

Complex inverse_sn(Complex w, double k) {
  double previous = k;
  for (double v : landen(k)) {
    w = w / (1.0 + std::sqrt(1.0 - w * w * previous * previous)) * 2.0 / (1 + v);
    previous = v;
  }
  return 1.0 - 2.0 / pi * std::acos(w);
}

}  // namespace

ZeroPoleGain butterworth_prototype(int n) {
  ZeroPoleGain f;
  for (int k = 0; k < n; ++k)
    f.poles.push_back(2 * k + 1 == n ? Complex(-1, 0) : std::exp(j * (pi * (2.0 * k + n + 1) / (2.0 * n))));
  return f;
}

ZeroPoleGain chebyshev1_prototype(int n, double ripple) {
  ZeroPoleGain f;
  const double eps = std::sqrt(std::pow(10.0, ripple / 10) - 1), mu = std::asinh(1 / eps) / n;
  for (int k = 0; k < n; ++k) {
    const double t = pi * (2.0 * k + 1) / (2.0 * n);
    f.poles.emplace_back(-std::sinh(mu) * std::sin(t), 2 * k + 1 == n ? 0 : std::cosh(mu) * std::cos(t));
  }
  f.gain = product(f.poles, 0);
  if (n % 2 == 0) f.gain /= std::sqrt(1 + eps * eps);
  f.gain = f.gain.real();
  return f;
}

ZeroPoleGain chebyshev2_prototype(int n, double attenuation) {
  ZeroPoleGain f;
  const double eps = 1 / std::sqrt(std::pow(10.0, attenuation / 10) - 1), mu = std::asinh(1 / eps) / n;
  for (int k = 0; k < n; ++k) {
    const double t = pi * (2.0 * k + 1) / (2.0 * n);
    if (2 * k + 1 != n) f.zeros.push_back(Complex(0, 1 / std::cos(t)));
    const Complex p(-std::sinh(mu) * std::sin(t), 2 * k + 1 == n ? 0 : std::cosh(mu) * std::cos(t));
    f.poles.push_back(1.0 / p);
  }
  f.gain = (product(f.poles, 0) / product(f.zeros, 0)).real();
  return f;
}

double elliptic_modulus(int n, double k1) {
  const double k1p = std::sqrt((1 - k1) * (1 + k1));
  double kp = std::pow(k1p, n);
  for (int i = 1; i <= n / 2; ++i) kp *= std::pow(sn((2.0 * i - 1) / n, k1p).real(), 4);
  return std::sqrt((1 - kp) * (1 + kp));
}

ZeroPoleGain elliptic_prototype(int n, double ripple, double attenuation) {
  ZeroPoleGain f;
  const double ep = std::sqrt(std::pow(10.0, ripple / 10) - 1), es = std::sqrt(std::pow(10.0, attenuation / 10) - 1),
               k1 = ep / es;
  const double k = elliptic_modulus(n, k1);
  const Complex v0 = -j * inverse_sn(j / ep, k1) / static_cast<double>(n);
  for (int i = 1; i <= n / 2; ++i) {
    const double u = (2.0 * i - 1) / n;
    const Complex zero = j / (k * cd(u, k)), pole = j * cd(Complex(u) - j * v0, k);
    f.zeros.push_back(Complex(0, zero.imag()));
    f.zeros.push_back(Complex(0, -zero.imag()));
    f.poles.push_back(pole);
    f.poles.push_back(std::conj(pole));
  }
  if (n % 2 == 1) f.poles.push_back((j * sn(j * v0, k)).real());
  f.gain = (product(f.poles, 0) / product(f.zeros, 0)).real();
  if (n % 2 == 0) f.gain /= std::sqrt(1 + ep * ep);
  return f;
}

// Reverse Bessel polynomial scaled so that its asymptote is that of a Butterworth filter.
ZeroPoleGain bessel_prototype(int n) {
  std::vector<Complex> p;
  for (int k = n; k >= 0; --k) {
    p.emplace_back(std::exp(std::lgamma(2.0 * n - k + 1) - (n - k) * std::log(2.0) - std::lgamma(k + 1.0) -
                            std::lgamma(n - k + 1.0)),
                   0);
  }
  ZeroPoleGain f;
  f.poles = polynomial_roots(p);
  const double scale = std::pow(std::abs(p.back()), -1.0 / n);
  for (Complex& x : f.poles) x *= scale;
  f.gain = product(f.poles, 0).real();
  if (n % 2 == 1) f.gain = -f.gain;
  f.gain = std::abs(f.gain.real());
  return f;
}

ZeroPoleGain move_band(const ZeroPoleGain& f, Band band, const std::vector<double>& w) {
  ZeroPoleGain out;
  const double excess = static_cast<double>(f.poles.size()) - static_cast<double>(f.zeros.size());
  if (band == Band::low) {
    for (const Complex& z : f.zeros) out.zeros.push_back(z * w[0]);
    for (const Complex& p : f.poles) out.poles.push_back(p * w[0]);
    out.gain = f.gain * std::pow(w[0], excess);
    return out;
  }
  if (band == Band::high) {
    for (const Complex& z : f.zeros) out.zeros.push_back(w[0] / z);
    for (const Complex& p : f.poles) out.poles.push_back(w[0] / p);
    for (double k = 0; k < excess; ++k) out.zeros.emplace_back(0);
    out.gain = (f.gain * product(f.zeros, 0) / product(f.poles, 0)).real();
    return out;
  }
  const double width = w[1] - w[0], centre = std::sqrt(w[0] * w[1]);
  const auto split = [&](const Complex& x, std::vector<Complex>& to) {
    const Complex half = band == Band::pass ? x * width / 2.0 : width / (2.0 * x);
    const Complex root = std::sqrt(half * half - centre * centre);
    to.push_back(half + root);
    to.push_back(half - root);
  };
  for (const Complex& z : f.zeros) split(z, out.zeros);
  for (const Complex& p : f.poles) split(p, out.poles);
  if (band == Band::pass) {
    for (double k = 0; k < excess; ++k) out.zeros.emplace_back(0);
    out.gain = f.gain * std::pow(width, excess);
  } else {
    for (double k = 0; k < excess; ++k) out.zeros.emplace_back(0, centre), out.zeros.emplace_back(0, -centre);
    out.gain = (f.gain * product(f.zeros, 0) / product(f.poles, 0)).real();
  }
  return out;
}

ZeroPoleGain bilinear(const ZeroPoleGain& f) {
  ZeroPoleGain out;
  for (const Complex& z : f.zeros) out.zeros.push_back((2.0 + z) / (2.0 - z));
  for (const Complex& p : f.poles) out.poles.push_back((2.0 + p) / (2.0 - p));
  while (out.zeros.size() < out.poles.size()) out.zeros.emplace_back(-1);
  out.gain = (f.gain * product(f.zeros, 2) / product(f.poles, 2)).real();
  return out;
}

ZeroPoleGain bessel_at_3db(int n) {
  ZeroPoleGain f = bessel_prototype(n);
  const auto gain = [&](double w) {
    Complex p = f.gain;
    for (const Complex& x : f.poles) p /= Complex(0, w) - x;
    return std::abs(p);
  };
  double low = 1e-3, high = 1e3;
  for (int k = 0; k < 200; ++k) {
    const double middle = std::sqrt(low * high);
    (gain(middle) > std::sqrt(0.5) ? low : high) = middle;
  }
  for (Complex& x : f.poles) x /= low;
  f.gain /= std::pow(low, n);
  return f;
}

namespace {

// Distance of a frequency from the centre of a band, as the low-pass prototype sees it.
double band_distance(double w, double centre) { return std::abs(w * w - centre) / w; }

// How far the stop band of the low-pass prototype lies beyond its pass band. The bands of type II are centred by their
// stop edges, those of the other families by their pass edges.
double prototype_ratio(const std::vector<double>& wp, const std::vector<double>& ws, bool by_stop) {
  if (wp.size() == 1) return std::max(wp[0] / ws[0], ws[0] / wp[0]);
  const bool stop = ws[0] > wp[0];
  const std::vector<double>&own = by_stop ? ws : wp, &other = by_stop ? wp : ws;
  const double centre = own[0] * own[1], width = own[1] - own[0];
  const double d0 = band_distance(other[0], centre), d1 = band_distance(other[1], centre);
  if (by_stop) return stop ? std::min(d0, d1) / width : width / std::max(d0, d1);
  return stop ? width / std::max(d0, d1) : std::min(d0, d1) / width;
}

}  // namespace

// The analog low-pass equivalent stop frequency decides the order; the filter then meets the specification of its other
// band exactly.
FilterOrder filter_order(FilterFamily family, FilterSpecification wanted) {
  std::vector<double>&wp = wanted.pass, &ws = wanted.stop;
  const bool analog = wanted.analog, single = wp.size() == 1, type2 = family == FilterFamily::chebyshev2;
  const auto warp = [&](double w) { return analog ? w : std::tan(pi * w / 2); };
  for (double& x : wp) x = warp(x);
  for (double& x : ws) x = warp(x);
  const double ratio = prototype_ratio(wp, ws, type2);
  const double ep = std::pow(10.0, wanted.ripple / 10) - 1, es = std::pow(10.0, wanted.attenuation / 10) - 1;
  double n = 1;
  switch (family) {
    case FilterFamily::butterworth: n = std::ceil(std::log(es / ep) / (2 * std::log(ratio)) - 1e-12); break;
    case FilterFamily::chebyshev1:
    case FilterFamily::chebyshev2: n = std::ceil(std::acosh(std::sqrt(es / ep)) / std::acosh(ratio) - 1e-12); break;
    case FilterFamily::elliptic:
      while (n < 100 && elliptic_modulus(static_cast<int>(n), std::sqrt(ep / es)) < 1 / ratio - 1e-12) ++n;
      break;
  }
  n = std::max(n, 1.0);
  // The edge of the filter's own band relative to that of the other one.
  const double spread = std::cosh(std::acosh(std::sqrt(es / ep)) / n);
  const double scale = family == FilterFamily::butterworth  ? std::pow(es, -1 / (2 * n))
                       : family == FilterFamily::elliptic   ? elliptic_modulus(static_cast<int>(n), std::sqrt(ep / es))
                       : family == FilterFamily::chebyshev1 ? 1 / spread
                                                            : spread;
  const auto back = [&](double w) { return analog ? w : 2 / pi * std::atan(w); };
  const std::vector<double>&own = type2 ? ws : wp, &other = type2 ? wp : ws;
  if (single) return {n, {back(wp[0] > ws[0] ? other[0] / scale : other[0] * scale)}};
  const bool stop = ws[0] > wp[0];
  const double centre = own[0] * own[1];
  const double d0 = band_distance(other[0], centre), d1 = band_distance(other[1], centre);
  const double reach = stop == type2 ? std::min(d0, d1) : std::max(d0, d1);
  const double width = stop ? reach / scale : reach * scale;
  const double root = std::sqrt(width * width / 4 + centre);
  return {n, {back(root - width / 2), back(root + width / 2)}};
}

std::vector<double> windowed_sinc(Band band, const std::vector<double>& w, const std::vector<double>& window,
                                  bool scale) {
  const auto low_pass = [&](double cut, double t) { return t == 0 ? cut : std::sin(pi * cut * t) / (pi * t); };
  const double middle = static_cast<double>(window.size() - 1) / 2;
  std::vector<double> h;
  for (std::size_t k = 0; k < window.size(); ++k) {
    const double t = static_cast<double>(k) - middle;
    double x = low_pass(w[0], t);
    if (band == Band::high)
      x = low_pass(1, t) - x;
    else if (band == Band::pass)
      x = low_pass(w[1], t) - x;
    else if (band == Band::stop)
      x = low_pass(1, t) - low_pass(w[1], t) + x;
    h.push_back(x * window[k]);
  }
  if (scale) {
    const double at = band == Band::high ? 1 : band == Band::pass ? (w[0] + w[1]) / 2 : 0;
    Complex gain = 0;
    for (std::size_t k = 0; k < h.size(); ++k) gain += h[k] * std::exp(Complex(0, -pi * at * static_cast<double>(k)));
    for (double& x : h) x /= std::abs(gain);
  }
  return h;
}

}  // namespace orrery::math
