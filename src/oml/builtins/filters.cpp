// SPDX-License-Identifier: Apache-2.0
// Design of digital and analog filters and their responses.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "math/filter_design.h"
#include "oml/builtins/families.h"
#include "oml/builtins/map.h"
#include "oml/builtins/polynomial_tools.h"
#include "oml/interpreter.h"
#include "oml/operators.h"

namespace orrery::oml {
namespace {

using std::numbers::pi;

void give_filter(Call& c, const math::ZeroPoleGain& f) {
  const auto column = [](const std::vector<Complex>& x) {
    return x.empty() ? Value::zeros(Dims(0, 1)) : transpose(boxed(coefficient_row(x)), false);
  };
  if (c.nargout >= 3) {
    c.ret(column(f.zeros));
    c.ret(column(f.poles));
    return c.ret(Value(f.gain.real()));
  }
  // Poles made by formulas are conjugate only up to rounding; the coefficients are real.
  const auto real_polynomial = [](const std::vector<Complex>& roots) {
    std::vector<Complex> p = math::polynomial_from_roots(roots);
    for (Complex& x : p) x = x.real();
    return p;
  };
  std::vector<Complex> b = real_polynomial(f.zeros), a = real_polynomial(f.poles);
  for (Complex& x : b) x *= f.gain.real();
  while (b.size() < a.size()) b.insert(b.begin(), 0);
  c.ret(coefficient_row(b));
  c.ret(coefficient_row(a));
}

void design(Call& c, const math::ZeroPoleGain& prototype, int at) {
  std::vector<double> w = to_vector(c[at]);
  bool analog = false;
  math::Band band = w.size() > 1 ? math::Band::pass : math::Band::low;
  for (int k = at + 1; k < c.count(); ++k) {
    const std::string o = c.text(k);
    if (o == "s")
      analog = true;
    else if (o == "high")
      band = math::Band::high;
    else if (o == "stop")
      band = math::Band::stop;
    else if (o == "low" || o == "bandpass" || o == "z")
      continue;
    else
      fail_argument(k + 1, "is an unknown option");
  }
  if (w.empty() || w.size() > 2) fail_argument(at + 1, "must be one frequency or two");
  for (double& x : w) {
    if (!(x > 0) || (!analog && x >= 1)) fail_argument(at + 1, "must be between 0 and 1");
    if (!analog) x = 2 * std::tan(pi * x / 2);
  }
  if (w.size() > 1 && !(w[0] < w[1])) fail_argument(at + 1, "must be two ascending frequencies");
  const math::ZeroPoleGain moved = math::move_band(prototype, band, w);
  give_filter(c, analog ? moved : math::bilinear(moved));
}

int order_argument(const Call& c) {
  const Index n = c.whole(0);
  if (n < 1 || n > 500) fail_argument(1, "must be an integer between 1 and 500");
  return static_cast<int>(n);
}

void filter_order(Call& c, math::FilterFamily family) {
  const bool analog = c.is_text(4) && c.text(4) == "s";
  const std::vector<double> pass = to_vector(c[0]), stop = to_vector(c[1]);
  if (pass.empty() || pass.size() > 2 || pass.size() != stop.size())
    fail("the frequencies must be one or two of each kind");
  const math::FilterOrder found = math::filter_order(family, {pass, stop, c.number(2), c.number(3), analog});
  c.ret(Value(found.order));
  c.ret(unboxed(Value::row(found.frequencies)));
}

Value response(const std::vector<Complex>& b, const std::vector<Complex>& a, const std::vector<Complex>& points) {
  std::vector<Complex> h;
  for (const Complex& z : points) h.push_back(math::polynomial_value(b, z) / math::polynomial_value(a, z));
  Value out = Value::complex_zeros(Dims(static_cast<Index>(h.size()), 1));
  std::copy(h.begin(), h.end(), out.edit_complex().data.begin());
  return narrowed(out);
}

void freqz(Call& c) {
  std::vector<Complex> b = coefficients(c[0]),
                       a = c.has(1) && !c[1].is_text() ? coefficients(c[1]) : std::vector<Complex>{1};
  std::vector<double> w;
  double fs = 0;
  bool whole = false;
  for (int k = 2; k < c.count(); ++k) {
    if (c.is_text(k))
      whole = c.text(k) == "whole";
    else if (k >= 3)
      fs = c.number(k);
  }
  const bool given = c.has(2) && !c[2].is_text();
  // With a sampling frequency the third argument holds frequencies; otherwise one number is a count of them.
  const bool counted = given && c[2].numel() == 1 && (fs == 0 || whole);
  if (given && !counted) w = to_vector(c[2]);
  const Index n = counted ? c.whole(2) : 512;
  require_memory(n, 64);
  if (w.empty())
    for (Index k = 0; k < n; ++k) w.push_back((whole ? 2 * pi : pi) * static_cast<double>(k) / static_cast<double>(n));
  else if (fs > 0)
    for (double& x : w) x = 2 * pi * x / fs;
  while (b.size() < a.size()) b.emplace_back(0);
  while (a.size() < b.size()) a.emplace_back(0);
  std::vector<Complex> z;
  for (double x : w) z.push_back(std::exp(Complex(0, x)));
  c.ret(response(b, a, z));
  if (fs > 0)
    for (double& x : w) x *= fs / (2 * pi);
  c.ret(Value::column(w));
}

void freqs(Call& c) {
  const std::vector<double> w = to_vector(c[2]);
  std::vector<Complex> s;
  for (double x : w) s.emplace_back(0, x);
  const Value h = boxed(response(coefficients(c[0]), coefficients(c[1]), s));
  c.ret(c[2].dims().rows() == 1 ? transpose(h, false) : h);
  c.ret(c[2]);
}

void impz(Call& c) {
  const Value a = c.has(1) ? c[1] : Value(1.0);
  Index n = 0;
  const std::vector<Complex> pa = coefficients(a), pb = coefficients(c[0]);
  if (c.has(2) && !c[2].is_empty()) {
    n = c.whole(2);
  } else if (pa.size() == 1) {
    n = static_cast<Index>(pb.size());
  } else {
    double largest = 0;
    for (const Complex& p : math::polynomial_roots(pa)) largest = std::max(largest, std::abs(p));
    n = largest > 1 + 1e-6                  ? static_cast<Index>(6 / std::log10(largest))
        : largest < 1 - 1e-6 && largest > 0 ? static_cast<Index>(-6 / std::log10(largest))
                                            : 60;
    n = std::clamp<Index>(n, static_cast<Index>(std::max(pa.size(), pb.size())), 10000);
  }
  Value x = Value::zeros(Dims(1, n));
  if (n > 0) x.edit_real()[0] = 1;
  c.ret(c.oml.call_named("filter", {c[0], a, x}, 1)[0]);
  const double fs = c.has(3) ? c.number(3) : 1;
  std::vector<double> t;
  for (Index k = 0; k < n; ++k) t.push_back(static_cast<double>(k) / fs);
  c.ret(unboxed(Value::row(t)));
}

// Windowed sinc filters of order n.
void fir1(Call& c) {
  Index n = c.whole(0);
  const std::vector<double> w = to_vector(c[1]);
  if (n < 1 || n > 10000000) fail_argument(1, "must be a positive integer");
  if (w.empty() || w.size() > 2) fail_argument(2, "must be one frequency or two");
  std::string kind = w.size() > 1 ? "bandpass" : "low";
  std::vector<double> window;
  bool scale = true;
  for (int k = 2; k < c.count(); ++k) {
    if (!c.is_text(k))
      window = to_vector(c[k]);
    else if (c.text(k) == "noscale")
      scale = false;
    else if (c.text(k) != "scale")
      kind = c.text(k);
  }
  if ((kind == "high" || kind == "stop") && n % 2 == 1) ++n;
  if (window.empty()) window = to_vector(c.oml.call_named("hamming", {Value(n + 1)}, 1)[0]);
  if (static_cast<Index>(window.size()) != n + 1) fail("the window must have one element more than the order");
  const math::Band band = kind == "high"       ? math::Band::high
                          : kind == "bandpass" ? math::Band::pass
                          : kind == "stop"     ? math::Band::stop
                                               : math::Band::low;
  const bool two_edges = band == math::Band::pass || band == math::Band::stop;
  if (two_edges && w.size() < 2) fail_argument(2, "must be two frequencies for this type");
  c.ret(Value::row(math::windowed_sinc(band, w, window, scale)));
}

constexpr Builtin filter_table[] = {
    {"butter", 2, 4, [](Call& c) { design(c, math::butterworth_prototype(order_argument(c)), 1); },
     "[b, a] = butter(n, w, 'high'|'stop', 's'): Butterworth filter; three outputs give zeros, poles and gain.",
     "dim, real positive, word:high/low/stop/bandpass/z/s, word:z/s"},
    {"cheby1", 3, 5, [](Call& c) { design(c, math::chebyshev1_prototype(order_argument(c), c.number(1)), 2); },
     "[b, a] = cheby1(n, rp, w, type, 's'): Chebyshev filter with rp dB of pass-band ripple.",
     "dim, real scalar positive, real positive, word:high/low/stop/bandpass/z/s, word:z/s"},
    {"cheby2", 3, 5, [](Call& c) { design(c, math::chebyshev2_prototype(order_argument(c), c.number(1)), 2); },
     "[b, a] = cheby2(n, rs, w, type, 's'): Chebyshev filter with rs dB of stop-band attenuation.",
     "dim, real scalar positive, real positive, word:high/low/stop/bandpass/z/s, word:z/s"},
    {"ellip", 4, 6,
     [](Call& c) { design(c, math::elliptic_prototype(order_argument(c), c.number(1), c.number(2)), 3); },
     "[b, a] = ellip(n, rp, rs, w, type, 's'): elliptic filter.",
     "dim, real scalar positive, real scalar positive, real positive, word:high/low/stop/bandpass/z/s, word:z/s"},
    {"besself", 2, 4, [](Call& c) { design(c, math::bessel_prototype(order_argument(c)), 1); },
     "[b, a] = besself(n, w, 'high'|'stop', 's'): Bessel filter with a flat delay up to w.",
     "dim, real positive, word:high/low/stop/bandpass/z/s, word:z/s"},
    {"besself3", 2, 4, [](Call& c) { design(c, math::bessel_at_3db(order_argument(c)), 1); },
     "[b, a] = besself3(n, w, 'high'|'stop', 's'): Bessel filter 3 dB down at w.",
     "dim, real positive, word:high/low/stop/bandpass/z/s, word:z/s"},
    {"buttord", 4, 5, [](Call& c) { filter_order(c, math::FilterFamily::butterworth); },
     "[n, w] = buttord(wp, ws, rp, rs, 's'): order of a Butterworth filter.",
     "real vector positive, real vector positive, real scalar positive, real scalar positive, word:z/s"},
    {"cheb1ord", 4, 5, [](Call& c) { filter_order(c, math::FilterFamily::chebyshev1); },
     "[n, w] = cheb1ord(wp, ws, rp, rs, 's'): order of a Chebyshev type I filter.",
     "real vector positive, real vector positive, real scalar positive, real scalar positive, word:z/s"},
    {"cheb2ord", 4, 5, [](Call& c) { filter_order(c, math::FilterFamily::chebyshev2); },
     "[n, w] = cheb2ord(wp, ws, rp, rs, 's'): order of a Chebyshev type II filter.",
     "real vector positive, real vector positive, real scalar positive, real scalar positive, word:z/s"},
    {"ellipord", 4, 5, [](Call& c) { filter_order(c, math::FilterFamily::elliptic); },
     "[n, w] = ellipord(wp, ws, rp, rs, 's'): order of an elliptic filter.",
     "real vector positive, real vector positive, real scalar positive, real scalar positive, word:z/s"},
    {"fir1", 2, 5, fir1, "fir1(n, w, type, window, 'noscale'): FIR filter by windowing.",
     "number, number, number option:low/high/bandpass/stop/DC-0/DC-1/scale/noscale, ..."},
    {"freqz", 1, 5, freqz,
     "[h, f] = freqz(b, a, f, fs) or freqz(b, a, n, 'whole', fs): frequency response of a digital filter, at the "
     "frequencies f or at n of them.",
     "data, data, any option:whole/half, ..."},
    {"freqs", 3, 3, freqs, "[h, w] = freqs(b, a, w): frequency response of an analog filter.",
     "number vector, number vector, real"},
    {"impz", 1, 4, impz, "[x, t] = impz(b, a, n, fs): impulse response of a digital filter, as rows.",
     "data, data, count [], real scalar"},
};

}  // namespace

BuiltinFamily filter_builtins() { return filter_table; }

}  // namespace orrery::oml
