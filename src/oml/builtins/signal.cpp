// SPDX-License-Identifier: Apache-2.0
// Windows, waveforms, filtering, correlation and spectra.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <tuple>
#include <utility>

#include "math/signals.h"
#include "oml/builtins/families.h"
#include "oml/builtins/map.h"
#include "oml/builtins/math_values.h"
#include "oml/builtins/polynomial_tools.h"
#include "oml/indexing.h"
#include "oml/interpreter.h"
#include "oml/operators.h"
#include "oml/run_aside.h"

namespace orrery::oml {
namespace {

using std::numbers::pi;
using Vec = std::vector<double>;

bool is_periodic(const Call& c) { return c.is_text(c.count() - 1) && c.text(c.count() - 1) == "periodic"; }

// w(k) for k = 0..m-1 from a function of k and the number of intervals.
template <class F>
void window(Call& c, F f) {
  const Index m = c.whole(0);
  if (m < 1) fail_argument(1, "must be a positive integer");
  require_memory(m, 16);
  const bool periodic = is_periodic(c);
  const auto n = static_cast<double>(periodic ? m : m - 1);
  Vec w;
  for (Index k = 0; k < m; ++k) w.push_back(m == 1 ? 1 : f(static_cast<double>(k), n));
  c.ret(unboxed(Value::column(w)));
}

void kaiser(Call& c) {
  const double beta = c.has(1) && !c.is_text(1) ? c.number(1) : 0.5;
  window(c, [=](double k, double n) { return math::kaiser(k, n, beta); });
}

void chebwin(Call& c) {
  const Index m = c.whole(0);
  if (m < 1) fail_argument(1, "must be a positive integer");
  require_memory(m, 16);
  const double attenuation = c.has(1) && !c.is_text(1) ? c.number(1) : 100;
  // Periodic: a window longer by one without its last value.
  Vec w = math::chebyshev_window(is_periodic(c) ? m + 1 : m, attenuation, [&] { c.oml.tick(); });
  w.resize(static_cast<std::size_t>(m));
  c.ret(unboxed(Value::column(w)));
}

void filter(Call& c) {
  // Without a denominator the response is finite.
  const std::vector<Complex> b = coefficients(c[0]), a = c[1].is_empty() ? std::vector<Complex>{1} : coefficients(c[1]);
  if (b.empty() || a[0] == Complex()) fail_argument(2, "must not start with zero");
  const Value x = to_complex(full(c[2]));
  const Dims d = x.dims();
  const int dim = dim_argument(c, 4, d);
  Value y = Value::complex_zeros(d);
  std::vector<Complex> state;
  Values finals;
  for_each_vector(d, dim, [&](Index at, Index s, Index n) {
    std::vector<Complex> line;
    for (Index i = 0; i < n; ++i) line.push_back(x.complex()[at + i * s]);
    state.clear();
    if (c.has(3) && !c[3].is_empty()) state = coefficients(c[3]);
    const double size = 4.0 * static_cast<double>(n) * static_cast<double>(a.size() + b.size());
    std::vector<Complex> out;
    std::tie(out, state) = run_aside(size, [b, a, line = std::move(line), state]() mutable {
      std::vector<Complex> filtered = math::run_filter(b, a, line, state);
      return std::pair(std::move(filtered), std::move(state));
    });
    for (Index i = 0; i < n; ++i) y.edit_complex()[at + i * s] = out[static_cast<std::size_t>(i)];
    finals.push_back(state.empty() ? Value::zeros(Dims(0, 1)) : transpose(boxed(coefficient_row(state)), false));
  });
  c.ret(narrowed(y));
  if (c.nargout > 1) c.ret(concatenate(finals, 1));
}

void filtfilt(Call& c) {
  bool singular = false;
  const Vec y = math::filter_both_ways(coefficients(c[0]), coefficients(c[1]), to_vector(c[2]), singular);
  warn_if_singular(singular);
  c.ret(c[2].dims().rows() == 1 ? Value::row(y) : Value::column(y));
}

// Names that are not known mean no scaling.
math::CorrelationScale scale_named(const std::string& name) {
  using enum math::CorrelationScale;
  return name == "biased" ? biased : name == "unbiased" ? unbiased : name == "coeff" ? coefficient : none;
}

// All lags at which two signals overlap, or those up to a limit; of a matrix each column with each.
void xcorr(Call& c) {
  const Value given = to_real(full(c[0]));
  const bool two = c.has(1) && !c[1].is_text() && c[1].numel() > 1, row = given.dims().rows() == 1;
  if (given.is_empty() || given.dims().count() > 2) fail_argument(1, "must be a signal");
  if (two && !given.dims().is_vector()) fail_argument(1, "must be a vector beside another signal");
  std::vector<Vec> signals;
  const Index length = row ? given.numel() : given.dims().rows();
  for (Index k = 0; k < given.numel(); k += length)
    signals.emplace_back(given.real().data.begin() + k, given.real().data.begin() + k + length);
  const Vec y = two ? to_vector(c[1]) : signals[0];
  Index low = 1 - static_cast<Index>(y.size()), high = length - 1;
  math::CorrelationScale scale = math::CorrelationScale::none;
  for (int k = two ? 2 : 1; k < c.count(); ++k) {
    if (c[k].is_text()) {
      scale = scale_named(c.text(k));
    } else {
      if (c.whole(k) < 0) fail_argument(k + 1, "must not be negative");
      high = std::min<Index>(c.whole(k), 10000000);
      low = -high;
    }
  }
  Values columns;
  const auto correlated = [&](const Vec& first, const Vec& second) {
    const double size = static_cast<double>(first.size()) * static_cast<double>(high - low + 1);
    columns.push_back(
        Value::column(run_aside(size, [=] { return math::correlation(first, second, low, high, scale); })));
  };
  if (two) {
    correlated(signals[0], y);
  } else {
    for (const Vec& first : signals)
      for (const Vec& second : signals) correlated(first, second);
  }
  const Value r = concatenate(columns, 1);
  c.ret(unboxed(row ? transpose(r, false) : r));
  Vec lags;
  for (Index l = low; l <= high; ++l) lags.push_back(static_cast<double>(l));
  c.ret(Value::row(lags));
}

void sample(Call& c, bool up) {
  const Index n = c.whole(1), phase = c.has(2) ? c.whole(2) : 0;
  if (n < 1 || phase < 0 || phase >= n) fail("the factor must be positive and the phase below it");
  const Value v = to_real(c[0]);
  const bool row = v.dims().rows() == 1;
  const Index rows = row ? v.numel() : v.dims().rows(), cols = row ? 1 : v.dims().cols();
  const Index out_rows = up ? rows * n : (rows - phase + n - 1) / n;
  Value out = Value::zeros(row ? Dims(1, out_rows) : Dims(out_rows, cols));
  for (Index k = 0; k < cols; ++k) {
    for (Index i = 0; i < (up ? rows : out_rows); ++i) {
      if (up)
        out.edit_real()[i * n + phase + k * out_rows] = v.real()[i + k * rows];
      else
        out.edit_real()[i + k * out_rows] = v.real()[i * n + phase + k * rows];
    }
  }
  c.ret(unboxed(out));
}

void sawtooth(Call& c) {
  const double width = c.has(1) ? c.number(1) : 1;
  c.ret(map_real(c[0], [=](double t) {
    const double u = t / (2 * pi) - std::floor(t / (2 * pi));
    return u < width ? 2 * u / width - 1 : 1 - 2 * (u - width) / (1 - width);
  }));
}

void square(Call& c) {
  const double duty = (c.has(1) ? c.number(1) : 50) / 100;
  c.ret(map_real(c[0], [=](double t) { return t / (2 * pi) - std::floor(t / (2 * pi)) < duty ? 1.0 : -1.0; }));
}

void chirp(Call& c) {
  const double f0 = c.has(1) && !c[1].is_empty() ? c.number(1) : 0, t1 = c.has(2) && !c[2].is_empty() ? c.number(2) : 1,
               f1 = c.has(3) && !c[3].is_empty() ? c.number(3) : 100;
  const std::string kind = c.is_text(4) ? c.text(4) : "linear";
  const double phase = c.has(5) ? c.number(5) * pi / 180 : 0;
  c.ret(map_real(c[0], [=](double t) {
    double p = 0;
    if (kind == "quadratic")
      p = 2 * pi * ((f1 - f0) / (3 * t1 * t1) * t * t * t + f0 * t);
    else if (kind == "logarithmic")
      p = 2 * pi * f0 * t1 / std::log(f1 / f0) * (std::pow(f1 / f0, t / t1) - 1);
    else
      p = 2 * pi * ((f1 - f0) / (2 * t1) * t * t + f0 * t);
    return std::cos(p + phase);
  }));
}

void gauspuls(Call& c) {
  const auto parameter = [&](int k, double fallback) { return c.has(k) && !c[k].is_empty() ? c.number(k) : fallback; };
  const double fc = parameter(1, 1e3), bw = parameter(2, 0.5), bwr = parameter(3, -6);
  const double r = std::pow(10.0, bwr / 20), fv = -(bw * fc) * (bw * fc) / (8 * std::log(r)),
               tv = 1 / (4 * pi * pi * fv);
  if (c.is_text(0)) {  // the time at which the envelope has fallen to tpe dB
    if (c.text(0) != "cutoff") fail_argument(1, "must be times or 'cutoff'");
    return c.ret(Value(std::sqrt(-2 * tv * std::log(std::pow(10.0, parameter(4, -60) / 20)))));
  }
  c.ret(map_real(c[0], [=](double t) { return std::exp(-t * t / (2 * tv)) * std::cos(2 * pi * fc * t); }));
}

void pulstran(Call& c) {
  const Value t = to_real(c[0]), d = to_real(c[1]);
  const Value f = c.oml.to_handle(c[2]);
  const bool gains = d.dims().cols() == 2 && d.dims().rows() > 1;
  const Index pulses = gains ? d.dims().rows() : d.numel();
  Value sum = Value::zeros(t.dims());
  for (Index k = 0; k < pulses; ++k) {
    Values args = {apply_binary(BinaryOp::subtract, t, Value(d.real()[k]))};
    args.insert(args.end(), c.args.begin() + 3, c.args.end());
    const Value y = c.oml.call1(f, args);
    sum = apply_binary(BinaryOp::add, sum, apply_binary(BinaryOp::times, y, Value(gains ? d.real().at(k, 1) : 1.0)));
  }
  c.ret(sum);
}

constexpr Builtin signal_table[] = {
    {"hann", 1, 2, [](Call& c) { window(c, math::hann); }, "hann(m, 'periodic'): Hann window.",
     "count, word:symmetric/periodic"},
    {"hanning", 1, 2, [](Call& c) { window(c, [](double k, double n) { return math::hann(k + 1, n + 2); }); },
     "hanning(m): Hann window without its zeros.", "count, word:symmetric/periodic"},
    {"hamming", 1, 2, [](Call& c) { window(c, math::hamming); }, "hamming(m, 'periodic'): Hamming window.",
     "count, word:symmetric/periodic"},
    {"blackman", 1, 2, [](Call& c) { window(c, math::blackman); }, "blackman(m, 'periodic'): Blackman window.",
     "count, word:symmetric/periodic"},
    {"bartlett", 1, 2, [](Call& c) { window(c, [](double k, double n) { return 1 - std::abs(2 * k / n - 1); }); },
     "bartlett(m): triangular window with zeros at its ends.", "count, word:symmetric/periodic"},
    {"welchwin", 1, 2, [](Call& c) { window(c, [](double k, double n) { return 1 - std::pow(2 * k / n - 1, 2); }); },
     "welchwin(m): Welch window.", "count, word:symmetric/periodic"},
    {"barthannwin", 1, 2, [](Call& c) { window(c, math::bartlett_hann); }, "barthannwin(m): Bartlett-Hann window.",
     "count, word:symmetric/periodic"},
    {"parzenwin", 1, 2, [](Call& c) { window(c, math::parzen); }, "parzenwin(m): Parzen window.",
     "count, word:symmetric/periodic"},
    {"rectwin", 1, 2, [](Call& c) { window(c, [](double, double) { return 1.0; }); }, "rectwin(m): rectangular window.",
     "count, word:symmetric/periodic"},
    {"kaiser", 1, 3, kaiser, "kaiser(m, beta): Kaiser window.",
     "count, real scalar word:symmetric/periodic, word:symmetric/periodic"},
    {"chebwin", 1, 3, chebwin, "chebwin(m, at): Dolph-Chebyshev window with side lobes at dB down.",
     "count, real scalar word:symmetric/periodic, word:symmetric/periodic"},
    {"filter", 3, 5, filter, "[y, zf] = filter(b, a, x, zi, dim): x through the digital filter b/a.",
     "number filled, number [], number, number [], dim?"},
    {"filtfilt", 3, 3, filtfilt, "filtfilt(b, a, x): filtering forwards and backwards, without phase shift.",
     "number filled, number filled, number"},
    {"xcorr", 1, 4, xcorr,
     "[r, lags] = xcorr(x, y, maxlag, scale): correlation; scale 'biased', 'unbiased' or 'coeff'.",
     "data, data word:none/biased/unbiased/coeff, ..."},
    {"upsample", 2, 3, [](Call& c) { sample(c, true); }, "upsample(x, n, phase): zeros put between the samples.",
     "number, dim, count"},
    {"downsample", 2, 3, [](Call& c) { sample(c, false); }, "downsample(x, n, phase): every n-th sample.",
     "number, dim, count"},
    {"sawtooth", 1, 2, sawtooth, "sawtooth(t, width): sawtooth of period 2*pi.", "real, real scalar"},
    {"square", 1, 2, square, "square(t, duty): square wave of period 2*pi.", "real, real scalar"},
    {"chirp", 1, 6, chirp,
     "chirp(t, f0, t1, f1, 'linear'|'quadratic'|'logarithmic', phase): cosine of changing frequency.",
     "real, real scalar [], real scalar [], real scalar [], word:linear/quadratic/logarithmic [], real scalar"},
    {"sinc", 1, 1, [](Call& c) { c.ret(map_real(c[0], math::sinc)); }, "sinc(x): sin(pi*x)/(pi*x).", "number"},
    {"diric", 2, 2,
     [](Call& c) {
       const double n = c.number(1);
       c.ret(map_real(c[0], [n](double x) {
         const double s = std::sin(x / 2);
         return std::abs(s) < 1e-12 ? std::pow(-1.0, std::round(x / (2 * pi)) * (n - 1))
                                    : std::sin(n * x / 2) / (n * s);
       }));
     },
     "diric(x, n): Dirichlet function.", "real, dim"},
    {"rectpuls", 1, 2,
     [](Call& c) {
       const double w = c.has(1) ? c.number(1) : 1;
       c.ret(map_real(c[0], [w](double t) { return t >= -w / 2 && t < w / 2 ? 1.0 : 0.0; }));
     },
     "rectpuls(t, w): rectangular pulse of width w.", "real, real scalar"},
    {"tripuls", 1, 3,
     [](Call& c) {
       const double w = c.has(1) ? c.number(1) : 1, s = c.has(2) ? c.number(2) : 0;
       c.ret(map_real(c[0], [=](double t) {
         const double peak = s * w / 2;
         if (t <= -w / 2 || t >= w / 2) return 0.0;
         return t < peak ? (t + w / 2) / (peak + w / 2) : (w / 2 - t) / (w / 2 - peak);
       }));
     },
     "tripuls(t, w, skew): triangular pulse of width w.", "real, real scalar, real scalar"},
    {"gauspuls", 1, 5, gauspuls,
     "gauspuls(t, fc, bw, bwr): Gaussian pulse of frequency fc; gauspuls('cutoff', fc, bw, bwr, tpe): when its "
     "envelope "
     "has fallen to tpe dB.",
     "codes, real scalar [], real scalar [], real scalar [], real scalar []"},
    {"pulstran", 3, -1, pulstran, "pulstran(t, d, f, ...): sum of pulses f(t - d(k)).", "number, number, any, ..."},
};

}  // namespace

BuiltinFamily signal_builtins() { return signal_table; }

}  // namespace orrery::oml
