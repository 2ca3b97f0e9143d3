// SPDX-License-Identifier: Apache-2.0
// Filters fitted to responses, resampling, and peaks of signals.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "oml/builtins/families.h"
#include "oml/builtins/map.h"
#include "oml/builtins/polynomial_tools.h"
#include "oml/builtins/window_functions.h"
#include "oml/indexing.h"
#include "oml/interpreter.h"
#include "oml/operators.h"

namespace orrery::oml {
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

// Linear-phase filter whose amplitude has the least weighted square error in bands with linear targets.
void firls(Call& c) {
  const Index n = c.whole(0);
  const Vec f = to_vector(c[1]), a = to_vector(c[2]);
  if (n < 1 || n > 4000) fail_argument(1, "must be a positive integer up to 4000");
  if (f.size() < 2 || f.size() % 2 != 0 || a.size() != f.size())
    fail("frequencies and amplitudes must be pairs, as many of each");
  const Vec weights = c.has(3) && !c[3].is_empty() ? to_vector(c[3]) : Vec(f.size() / 2, 1.0);
  if (weights.size() != f.size() / 2) fail_argument(4, "must have one weight for each band");
  for (std::size_t k = 0; k + 1 < f.size(); ++k)
    if (f[k] > f[k + 1] || f[k] < 0 || f[k + 1] > 1) fail_argument(2, "must ascend from 0 to 1");
  const bool even = n % 2 == 0;
  const Index m = even ? n / 2 + 1 : (n + 1) / 2;
  const double shift = even ? 0 : 0.5;
  Value q = Value::zeros(Dims(m, m)), b = Value::zeros(Dims(m, 1));
  for (std::size_t band = 0; band < weights.size(); ++band) {
    const double lo = f[2 * band], hi = f[2 * band + 1];
    const double slope = hi > lo ? (a[2 * band + 1] - a[2 * band]) / (hi - lo) : 0, start = a[2 * band] - slope * lo;
    for (Index i = 0; i < m; ++i) {
      const double ki = static_cast<double>(i) + shift;
      b.edit_real()[i] += weights[band] * (start * cosine_integral(ki, lo, hi) + slope * ramp_integral(ki, lo, hi));
      for (Index j = 0; j < m; ++j) {
        const double kj = static_cast<double>(j) + shift;
        q.edit_real().at(i, j) +=
            weights[band] * (cosine_integral(ki - kj, lo, hi) + cosine_integral(ki + kj, lo, hi)) / 2;
      }
    }
  }
  const Vec x = to_vector(solve_left(q, b));
  Vec h(static_cast<std::size_t>(n + 1));
  for (Index i = 0; i < m; ++i) {
    const double value = even && i == 0 ? x[0] : x[static_cast<std::size_t>(i)] / 2;
    const Index right = even ? n / 2 + i : (n + 1) / 2 + i, left = n - right;
    h[static_cast<std::size_t>(left)] = h[static_cast<std::size_t>(right)] = value;
  }
  c.ret(Value::row(h));
}

// b and a, a(1) = 1, with the least weighted sum of |h(k) a(p(k)) - b(p(k))|^2; p(k) is i w or exp(i w).
void inverse_response(Call& c, bool digital) {
  const Value h = to_complex(c[0]);
  const Vec w = to_vector(c[1]);
  const Index nb = c.whole(2), na = c.whole(3), n = h.numel();
  if (static_cast<Index>(w.size()) != n) fail("response and frequencies must have the same length");
  if (nb < 0 || na < 0 || nb + na > 500) fail("the orders must be from 0 to 500 together");
  const Vec weight = c.has(4) && !c[4].is_empty() ? to_vector(c[4]) : Vec(static_cast<std::size_t>(n), 1.0);
  if (static_cast<Index>(weight.size()) != n) fail_argument(5, "must have one weight for each frequency");
  // Analog powers are taken of w divided by the largest frequency, for conditioning.
  double unit = 1;
  if (!digital) {
    unit = 0;
    for (double x : w) unit = std::max(unit, std::abs(x));
    if (unit == 0) unit = 1;
  }
  Value m = Value::zeros(Dims(2 * n, nb + 1 + na)), r = Value::zeros(Dims(2 * n, 1));
  for (Index i = 0; i < n; ++i) {
    const double wi = w[static_cast<std::size_t>(i)], root = std::sqrt(weight[static_cast<std::size_t>(i)]);
    const Complex hi = h.complex()[i];
    const auto power = [&](Index order, Index k) {
      return digital ? std::exp(Complex(0, -wi * static_cast<double>(k)))
                     : std::pow(Complex(0, wi / unit), static_cast<double>(order - k));
    };
    const auto put = [&](Index column, Complex z) {
      m.edit_real().at(i, column) = root * z.real();
      m.edit_real().at(n + i, column) = root * z.imag();
    };
    for (Index k = 0; k <= nb; ++k) put(k, nb == k && !digital ? Complex(1) : power(nb, k));
    for (Index k = 1; k <= na; ++k) put(nb + k, -hi * (na == k && !digital ? Complex(1) : power(na, k)));
    const Complex lead = root * hi * (digital || na == 0 ? Complex(1) : power(na, 0));
    r.edit_real()[i] = lead.real();
    r.edit_real()[n + i] = lead.imag();
  }
  const Vec x = to_vector(solve_left(m, r));
  Vec b, a{1};
  for (Index k = 0; k <= nb; ++k)
    b.push_back(x[static_cast<std::size_t>(k)] * std::pow(unit, static_cast<double>(na - nb + k)));
  for (Index k = 1; k <= na; ++k)
    a.push_back(x[static_cast<std::size_t>(nb + k)] * std::pow(unit, static_cast<double>(k)));
  c.ret(unboxed(Value::row(b)));
  c.ret(unboxed(Value::row(a)));
}

// Low-pass for a change of rate by p/q: a Kaiser window of 60 dB with a transition of a tenth of the pass band.
Vec rate_filter(double p, double q) {
  const double cut = 1 / (2 * std::max(p, q)), rejection = 60;
  const auto half = static_cast<Index>(std::ceil((rejection - 8) / (28.714 * cut / 10)));
  const double beta = 0.1102 * (rejection - 8.7);
  Vec h;
  for (Index k = -half; k <= half; ++k) {
    const double t = static_cast<double>(k), u = t / static_cast<double>(half);
    h.push_back(2 * p * cut * sinc_of(2 * cut * t) * bessel_i0(beta * std::sqrt(std::max(0.0, 1 - u * u))) /
                bessel_i0(beta));
  }
  return h;
}

void resample(Call& c) {
  Index p = c.whole(1), q = c.has(2) ? c.whole(2) : 1;
  if (p < 1 || q < 1 || p > 100000 || q > 100000) fail("the rates must be positive integers up to 100000");
  const Index common = std::gcd(p, q);
  p /= common, q /= common;
  const Vec h =
      c.has(3) && c[3].numel() > 1 ? to_vector(c[3]) : rate_filter(static_cast<double>(p), static_cast<double>(q));
  const auto half = static_cast<Index>(h.size() / 2);
  const Value v = to_real(full(c[0]));
  const bool row = v.dims().rows() == 1;
  const Index n = row ? v.numel() : v.dims().rows(), columns = row || n == 0 ? 1 : v.numel() / n;
  const Index length = (n * p + q - 1) / q;
  Value out = Value::zeros(row ? Dims(1, length) : Dims(length, columns));
  for (Index k = 0; k < columns; ++k) {
    for (Index m = 0; m < length; ++m) {
      // Only inputs whose place on the fine grid lies under the filter count.
      const Index centre = m * q;
      double s = 0;
      for (Index i = std::max<Index>(0, (centre - half + p - 1) / p); i < n && i * p <= centre + half; ++i) {
        const Index tap = centre - i * p + half;
        if (tap >= 0 && tap < static_cast<Index>(h.size())) s += h[static_cast<std::size_t>(tap)] * v.real()[i + k * n];
      }
      out.edit_real()[m + k * length] = s;
    }
  }
  c.ret(unboxed(out));
  c.ret(Value::column(h));
}

// Conjugate pairs first, by ascending real part and negative imaginary part first; real numbers last.
std::vector<Complex> paired(const std::vector<Complex>& z, double tolerance) {
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
      fail("the numbers are not conjugate pairs");
    pairs.push_back(x.imag() < 0 ? x : *best);
    pairs.push_back(x.imag() < 0 ? *best : x);
    rest.erase(best);
  }
  for (const Complex& x : reals) pairs.emplace_back(x.real(), 0);
  return pairs;
}

void cplxpair(Call& c) {
  Value v = to_complex(full(c[0]));
  const double tolerance = c.has(1) && !c[1].is_empty() ? c.number(1) : 100 * 2.220446049250313e-16;
  const Dims d = v.dims();
  for_each_vector(d, dim_argument(c, 2, d), [&](Index at, Index s, Index n) {
    std::vector<Complex> z;
    for (Index i = 0; i < n; ++i) z.push_back(v.complex()[at + i * s]);
    z = paired(z, tolerance);
    for (Index i = 0; i < n; ++i) v.edit_complex()[at + i * s] = z[static_cast<std::size_t>(i)];
  });
  c.ret(narrowed(v));
}

struct PeakOptions {
  double height = 2.220446049250313e-16, distance = 4, width = 4;  // the defaults of OML's reference guide
  bool double_sided = false;
};

PeakOptions peak_options(const Call& c) {
  PeakOptions o;
  for (int k = 1; k < c.count(); ++k) {
    std::string name = c.text(k);
    std::transform(name.begin(), name.end(), name.begin(), [](unsigned char x) { return std::tolower(x); });
    if (name == "doublesided") {
      o.double_sided = true;
      continue;
    }
    if (!c.has(k + 1)) fail_argument(k + 1, "needs a value");
    const double x = c.number(++k);
    if (name == "minpeakheight")
      o.height = x;
    else if (name == "minpeakdistance")
      o.distance = x;
    else if (name == "minpeakwidth")
      o.width = x;
    else
      fail_argument(k, "must be 'MinPeakHeight', 'MinPeakDistance', 'MinPeakWidth' or 'DoubleSided'");
  }
  return o;
}

// Local maxima, the middle of flat tops, in order of their place.
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

// From the highest peak down, each one hides the others nearer than the distance.
std::vector<Index> spaced(const Vec& x, std::vector<Index> peaks, double distance) {
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

void findpeaks(Call& c) {
  const Vec x = to_vector(c[0]);
  const PeakOptions o = peak_options(c);
  Vec magnitude = x;
  if (o.double_sided)
    for (double& v : magnitude) v = std::abs(v);
  else if (std::any_of(x.begin(), x.end(), [](double v) { return v < 0; }))
    fail("the signal has negative values; use the 'DoubleSided' option");
  std::vector<Index> peaks = local_maxima(magnitude, o.height);
  if (o.distance > 0) peaks = spaced(magnitude, peaks, o.distance);
  // A parabola with its top at the peak, fitted to the neighbours; its width half way down to the threshold.
  Vec pks, places, heights, baselines, roots_low, roots_high;
  Values coefficients_of_fits, ranges;
  for (Index p : peaks) {
    const auto reach = std::max<Index>(1, static_cast<Index>(std::ceil(o.distance / 2)));
    const double top = magnitude[static_cast<std::size_t>(p)];
    double above = 0, below = 0;
    Vec range;
    for (Index i = std::max<Index>(0, p - reach); i <= std::min<Index>(static_cast<Index>(x.size()) - 1, p + reach);
         ++i) {
      const double t = static_cast<double>(i - p);
      above += t * t * (magnitude[static_cast<std::size_t>(i)] - top);
      below += t * t * t * t;
      range.push_back(static_cast<double>(i + 1));
    }
    const double a = above / below, base = (top + o.height) / 2;
    const double half = a < 0 ? std::sqrt((base - top) / a) : INFINITY, place = static_cast<double>(p + 1);
    if (o.width > 0 && 2 * half < o.width) continue;
    pks.push_back(x[static_cast<std::size_t>(p)]);
    places.push_back(place);
    heights.push_back(top);
    baselines.push_back(base);
    roots_low.push_back(place - half);
    roots_high.push_back(place + half);
    coefficients_of_fits.push_back(Value::row({a, -2 * a * place, top + a * place * place}));
    ranges.push_back(Value::row(range));
  }
  const bool row = c[0].dims().rows() == 1;
  const auto shaped = [&](const Vec& v) { return unboxed(row ? Value::row(v) : Value::column(v)); };
  c.ret(shaped(pks));
  c.ret(shaped(places));
  if (c.nargout < 3) return;
  Value parabola = Value::structure(), extra = Value::structure();
  parabola.edit_structure().set("x", Value::cell_row(ranges));
  parabola.edit_structure().set("pp", concatenate(coefficients_of_fits, 0));
  extra.edit_structure().set("parabol", parabola);
  extra.edit_structure().set("height", shaped(heights));
  extra.edit_structure().set("baseline", shaped(baselines));
  extra.edit_structure().set("roots", concatenate(Values{Value::column(roots_low), Value::column(roots_high)}, 1));
  c.ret(extra);
}

constexpr Builtin signal_fitting_table[] = {
    {"firls", 3, 4, firls,
     "firls(n, f, a, w): FIR filter of order n with the least square error in bands f, weights w."},
    {"invfreqs", 4, 7, [](Call& c) { inverse_response(c, false); },
     "[b, a] = invfreqs(h, w, nb, na, weights): analog filter with the response h at the frequencies w."},
    {"invfreqz", 4, 7, [](Call& c) { inverse_response(c, true); },
     "[b, a] = invfreqz(h, w, nb, na, weights): digital filter with the response h at the frequencies w."},
    {"resample", 2, 4, resample, "[y, h] = resample(x, p, q, h): x at p/q times its rate, through the low-pass h."},
    {"cplxpair", 1, 3, cplxpair, "cplxpair(z, tol, dim): complex numbers sorted into conjugate pairs, real ones last."},
    {"findpeaks", 1, -1, findpeaks,
     "[p, k, extra] = findpeaks(x, 'MinPeakHeight', h, 'MinPeakDistance', d, 'MinPeakWidth', w, 'DoubleSided'): "
     "local maxima and where they are."},
};

}  // namespace

BuiltinFamily signal_fitting_builtins() { return signal_fitting_table; }

}  // namespace orrery::oml
