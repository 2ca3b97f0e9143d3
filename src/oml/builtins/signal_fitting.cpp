// SPDX-License-Identifier: Apache-2.0
// Filters fitted to responses, resampling, and peaks of signals.
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "math/signals.h"
#include "oml/builtins/families.h"
#include "oml/builtins/map.h"
#include "oml/builtins/math_values.h"
#include "oml/builtins/polynomial_tools.h"
#include "oml/indexing.h"
#include "oml/interpreter.h"
#include "oml/operators.h"

namespace orrery::oml {
namespace {

using Vec = std::vector<double>;

// Linear-phase filter whose amplitude has the least weighted square error in bands with linear targets.
void firls(Call& c) {
  const Index n = c.whole(0) + c.whole(0) % 2;  // the next even order
  const Vec f = to_vector(c[1]), a = to_vector(c[2]);
  if (n < 1 || n > 4000) fail_argument(1, "must be a positive integer up to 4000");
  if (f.size() < 2 || f.size() % 2 != 0 || a.size() != f.size())
    fail("frequencies and amplitudes must be pairs, as many of each");
  const Vec weights = c.has(3) && !c[3].is_empty() ? to_vector(c[3]) : Vec(f.size() / 2, 1.0);
  if (weights.size() != f.size() / 2) fail_argument(4, "must have one weight for each band");
  for (std::size_t k = 0; k + 1 < f.size(); ++k)
    if (f[k] > f[k + 1] || f[k] < 0 || f[k + 1] > 1) fail_argument(2, "must ascend from 0 to 1");
  bool singular = false;
  const Vec h = math::least_squares_fir(n, f, a, weights, singular);
  warn_if_singular(singular);
  c.ret(Value::column(h));
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
  bool singular = false;
  const math::FilterCoefficients found =
      math::fit_response({h.complex().data.begin(), h.complex().data.end()}, w, nb, na, weight, digital, singular);
  warn_if_singular(singular);
  c.ret(unboxed(Value::row(found.b)));
  c.ret(unboxed(Value::row(found.a)));
}

void resample(Call& c) {
  Index p = c.whole(1), q = c.has(2) ? c.whole(2) : 1;
  if (p < 1 || q < 1 || p > 100000 || q > 100000) fail("the rates must be positive integers up to 100000");
  const Index common = std::gcd(p, q);
  p /= common, q /= common;
  const Vec h = c.has(3) && c[3].numel() > 1 ? to_vector(c[3])
                                             : math::rate_filter(static_cast<double>(p), static_cast<double>(q));
  const Value v = to_real(full(c[0]));
  const bool row = v.dims().rows() == 1;
  const Index n = row ? v.dims().cols() : v.dims().rows(), columns = n == 0 ? 1 : v.numel() / n;
  const Index length = (n * p + q - 1) / q;
  Dims shape = v.dims();
  shape.set(row ? 1 : 0, length);
  Value out = Value::zeros(row && v.dims().count() == 2 ? Dims(1, length) : shape);
  const double* from = v.real().data.data();
  double* to = out.edit_real().data.data();
  for (Index k = 0; k < columns; ++k) math::resample(from + k * n, n, p, q, h, to + k * length);
  c.ret(unboxed(out));
  c.ret(Value::column(h));
}

void cplxpair(Call& c) {
  Value v = to_complex(full(c[0]));
  const double tolerance = c.has(1) && !c[1].is_empty() ? c.number(1) : 100 * 2.220446049250313e-16;
  const Dims d = v.dims();
  for_each_vector(d, dim_argument(c, 2, d), [&](Index at, Index s, Index n) {
    std::vector<Complex> z;
    for (Index i = 0; i < n; ++i) z.push_back(v.complex()[at + i * s]);
    z = math::conjugate_pairs(z, tolerance);
    for (Index i = 0; i < n; ++i) v.edit_complex()[at + i * s] = z[static_cast<std::size_t>(i)];
  });
  c.ret(narrowed(v));
}

struct PeakOptions {
  double height = 2.220446049250313e-16, distance = 4, width = 4;  // the defaults of OML's reference guide
  bool double_sided = false;
};

// Distance and width come in the unit of the positions: seconds when a sampling frequency is given.
PeakOptions peak_options(const Call& c, double fs) {
  PeakOptions o;
  for (int k = c.has(1) && !c[1].is_text() ? 2 : 1; k < c.count(); ++k) {
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
      o.distance = x * fs;
    else if (name == "minpeakwidth")
      o.width = x * fs;
    else
      fail_argument(k, "must be 'MinPeakHeight', 'MinPeakDistance', 'MinPeakWidth' or 'DoubleSided'");
  }
  return o;
}

void findpeaks(Call& c) {
  const Vec x = to_vector(c[0]);
  const bool timed = c.has(1) && !c[1].is_text();
  const double fs = timed && !c[1].is_empty() ? c.number(1) : 1;
  if (!(fs > 0)) fail_argument(2, "must be a positive sampling frequency");
  const PeakOptions o = peak_options(c, fs);
  const auto position = [&](double k) { return timed ? k / fs : k + 1; };
  Vec magnitude = x;
  if (o.double_sided)
    for (double& v : magnitude) v = std::abs(v);
  else if (std::any_of(x.begin(), x.end(), [](double v) { return v < 0; }))
    fail("the signal has negative values; use the 'DoubleSided' option");
  std::vector<Index> peaks = math::local_maxima(magnitude, o.height);
  if (o.distance > 0) peaks = math::spaced_peaks(magnitude, peaks, o.distance);
  // A parabola fitted to the neighbours; its width half way down to the threshold.
  Vec pks, places, heights, baselines, roots_low, roots_high;
  Values coefficients_of_fits, ranges;
  for (Index p : peaks) {
    const auto reach = std::max<Index>(1, static_cast<Index>(std::ceil(o.distance / 2)));
    Vec range, values;
    for (Index i = std::max<Index>(0, p - reach); i <= std::min<Index>(static_cast<Index>(x.size()) - 1, p + reach);
         ++i) {
      range.push_back(position(static_cast<double>(i)));
      values.push_back(magnitude[static_cast<std::size_t>(i)]);
    }
    const double centre = position(static_cast<double>(p));
    const std::array<double, 3> fit = math::parabola_through(range, values, centre);  // in t - centre
    const double a = fit[0], vertex = a == 0 ? 0 : -fit[1] / (2 * a),
                 top = a == 0 ? fit[2] : fit[2] - fit[1] * fit[1] / (4 * a);
    const double base = (top + o.height) / 2;
    const double half = a < 0 ? std::sqrt((base - top) / a) : INFINITY, place = centre + vertex;
    if (o.width > 0 && 2 * half * fs < o.width) continue;
    pks.push_back(x[static_cast<std::size_t>(p)]);
    places.push_back(centre);
    heights.push_back(top);
    baselines.push_back(base);
    roots_low.push_back(place - half);
    roots_high.push_back(place + half);
    coefficients_of_fits.push_back(
        Value::row({a, fit[1] - 2 * a * centre, fit[2] - fit[1] * centre + a * centre * centre}));
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
     "firls(n, f, a, w): FIR filter of order n with the least square error in bands f, weights w.",
     "count, real vector, real vector, real vector"},
    {"invfreqs", 4, 7, [](Call& c) { inverse_response(c, false); },
     "[b, a] = invfreqs(h, w, nb, na, weights): analog filter with the response h at the frequencies w.",
     "number, number, number, number, any, ..."},
    {"invfreqz", 4, 7, [](Call& c) { inverse_response(c, true); },
     "[b, a] = invfreqz(h, w, nb, na, weights): digital filter with the response h at the frequencies w.",
     "number, number, number, number, any, ..."},
    {"resample", 2, 4, resample, "[y, h] = resample(x, p, q, h): x at p/q times its rate, through the low-pass h.",
     "number, number, number, number"},
    {"cplxpair", 1, 3, cplxpair, "cplxpair(z, tol, dim): complex numbers sorted into conjugate pairs, real ones last.",
     "number, real scalar [], dim?"},
    {"findpeaks", 1, -1, findpeaks,
     "[p, k, extra] = findpeaks(x, fs, 'MinPeakHeight', h, 'MinPeakDistance', d, 'MinPeakWidth', w, 'DoubleSided'): "
     "local maxima and where they are: numbers of samples, or seconds when the sampling frequency is given.",
     "real, real option:MinPeakHeight/MinPeakDistance/MinPeakWidth/DoubleSided, ..."},
};

}  // namespace

BuiltinFamily signal_fitting_builtins() { return signal_fitting_table; }

}  // namespace orrery::oml
