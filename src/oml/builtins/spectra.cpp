// SPDX-License-Identifier: Apache-2.0
// Spectra of signals: Welch's method, short-time transforms, frequency axes, acoustic weightings.
#include <algorithm>
#include <cmath>

#include "math/signals.h"
#include "math/spectra.h"
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

bool given(const Call& c, int k) { return c.has(k) && !c[k].is_text() && !c[k].is_empty(); }

using math::Segments;

// Window, overlap, number of points and sampling frequency: the arguments from `first` on.
Segments segments_of(const Call& c, int first, std::size_t length, bool complex) {
  Segments s;
  if (given(c, first) && c[first].numel() > 1) {
    s.window = to_vector(c[first]);
  } else {
    // By default the longest window that gives eight segments overlapping by half.
    const Index n = given(c, first) ? c.whole(first) : static_cast<Index>(2 * static_cast<double>(length) / 9);
    s.window = math::hamming_window(std::min<std::size_t>(static_cast<std::size_t>(std::max<Index>(n, 1)), length));
  }
  s.overlap = s.window.size() / 2;
  if (given(c, first + 1)) {
    const Index n = c.whole(first + 1);
    if (n < 0 || n >= static_cast<Index>(s.window.size()))
      fail_argument(first + 2, "must be smaller than the length of the window");
    s.overlap = static_cast<std::size_t>(n);
  }
  s.points = s.window.size();
  if (given(c, first + 2)) {
    const Index n = c.whole(first + 2);
    if (n < 1) fail_argument(first + 3, "must be a positive integer");
    require_memory(n, 64);
    s.points = static_cast<std::size_t>(n);
  }
  if (given(c, first + 3))
    s.fs = c.number(first + 3);
  else if (c.has(first + 3) && !c[first + 3].is_text())
    s.fs = 1;  // [] is no missing argument
  s.one_sided = !complex;
  for (int k = first; k < c.count(); ++k)
    if (c.is_text(k)) s.one_sided = c.text(k) == "onesided" || c.text(k) == "half";
  return s;
}

using Signal = std::vector<Complex>;

// The columns of an argument; a row is one signal.
std::vector<Signal> signals_of(const Value& v) {
  const Value z = to_complex(full(v));
  const bool row = z.dims().rows() == 1;
  const Index n = row ? z.numel() : z.dims().rows(), columns = n == 0 ? 0 : z.numel() / n;
  std::vector<Signal> out;
  for (Index k = 0; k < columns; ++k) {
    const auto begin = z.complex().data.begin() + k * n;
    out.emplace_back(begin, begin + n);
  }
  if (out.empty()) fail_argument(1, "must not be empty");
  return out;
}

Value complex_column(const Signal& z) { return transpose(boxed(coefficient_row(z)), false); }

void pwelch(Call& c) {
  const std::vector<Signal> x = signals_of(c[0]);
  const Segments s = segments_of(c, 1, x[0].size(), c[0].is_complex());
  Values columns;
  for (const Signal& one : x) columns.push_back(Value::column(math::welch(one, one, s, [&] { c.oml.tick(); }).xx));
  c.ret(concatenate(columns, 1));
  c.ret(Value::column(s.frequencies()));
}

void cross_spectrum(Call& c) {
  const std::vector<Signal> x = signals_of(c[0]), y = signals_of(c[1]);
  const Segments s = segments_of(c, 2, x[0].size(), c[0].is_complex() || c[1].is_complex());
  Values columns;
  for (std::size_t k = 0; k < std::max(x.size(), y.size()); ++k) {
    if ((x.size() > 1 && k >= x.size()) || (y.size() > 1 && k >= y.size()))
      fail("the signals must have the same number of columns");
    const math::Spectra p = math::welch(x[x.size() == 1 ? 0 : k], y[y.size() == 1 ? 0 : k], s, [&] { c.oml.tick(); });
    Signal z = p.xy;
    Vec coherence(z.size());
    for (std::size_t i = 0; i < z.size(); ++i) {
      if (c.name == "tfestimate") z[i] /= p.xx[i];
      coherence[i] = std::norm(p.xy[i]) / (p.xx[i] * p.yy[i]);
    }
    columns.push_back(c.name == "mscohere" ? Value::column(coherence) : complex_column(z));
  }
  c.ret(concatenate(columns, 1));
  c.ret(Value::column(s.frequencies()));
}

// Argument k of the short-time transforms: a window, or its length (256 when missing) for a periodic Hann window.
Vec short_time_window(const Call& c, int k) {
  if (given(c, k) && c[k].numel() > 1) return to_vector(c[k]);
  const Index n = given(c, k) ? c.whole(k) : 256;
  if (n < 1) fail_argument(k + 1, "must be a positive integer");
  require_memory(n, 16);
  Vec w;
  for (Index i = 0; i < n; ++i) w.push_back(n == 1 ? 1 : math::hann(static_cast<double>(i), static_cast<double>(n)));
  return w;
}

// stft and spectrogram: columns are transforms of the windowed segments; then the times of the segments' beginnings and
// the frequencies. In decibels stft takes the magnitudes, spectrogram the densities |s|^2/(fs*sum(w^2)), inner rows
// doubled.
void short_time(Call& c, bool densities) {
  const std::string range = c.is_text(c.count() - 1) ? c.text(c.count() - 1) : "onesided";
  const double fs = given(c, 1) ? c.number(1) : 1;
  const Vec window = short_time_window(c, 2);
  const std::vector<Signal> all = signals_of(c[0]);
  Values args = {c[0],
                 boxed(Value::row(window)),
                 given(c, 3) ? c[3] : Value(0.0),
                 given(c, 4) ? c[4] : Value(window.size()),
                 Value(fs),
                 Value::text(range.starts_with("twosided") ? "twosided" : "onesided")};
  Values unused;
  const Call inner{c.oml, c.name, args, 3, unused};
  const Segments s = segments_of(inner, 1, all[0].size(), c[0].is_complex());
  const math::ComplexMatrix transform = math::short_time_transform(all[0], s);
  if (!range.ends_with("_dB")) {
    c.ret(result(transform));
  } else {
    math::RealMatrix levels(transform.rows, transform.cols);
    if (densities)
      levels = math::density(transform, s);
    else
      for (std::size_t i = 0; i < transform.data.size(); ++i) levels.data[i] = std::abs(transform.data[i]);
    for (double& x : levels.data) x = 20 * std::log10(x);
    c.ret(result(levels));
  }
  Vec times;
  for (std::size_t k = 0; k < s.count(all[0].size()); ++k) times.push_back(static_cast<double>(k * s.step()) / fs);
  c.ret(unboxed(Value::column(times)));
  c.ret(Value::column(s.frequencies()));
  if (c.nargout > 3) c.ret(matrix_value(math::density(transform, s)));
}

void istft(Call& c) {
  const math::ComplexMatrix z = complex_matrix(full(c[0]));
  const bool one_sided = c.is_text(c.count() - 1) && c.text(c.count() - 1) == "onesided";
  const Vec window = short_time_window(c, 2);
  const auto length = static_cast<Index>(window.size());
  const Index points = !one_sided ? z.rows : given(c, 4) ? c.whole(4) : length;
  if (points < 1 || (z.rows != points && z.rows != points / 2 + 1)) fail("the number of rows does not fit the window");
  const Index overlap = given(c, 3) ? c.whole(3) : 0, step = length - overlap;
  if (step < 1 || overlap < 0 || length > points) fail("the overlap must be smaller than the window");
  const Vec sum = math::overlap_add(z, window, points, step);
  c.ret(Value::column(sum));
  Vec times;
  for (std::size_t i = 0; i < sum.size(); ++i)
    times.push_back(static_cast<double>(i) / (given(c, 1) ? c.number(1) : 1));
  c.ret(Value::column(times));
}

void freq(Call& c) {
  double n = 0, fs = 1;
  if (c[0].numel() > 1) {
    const Vec t = to_vector(c[0]);
    n = static_cast<double>(t.size());
    fs = 1 / ((t.back() - t.front()) / (n - 1));
  } else {
    n = static_cast<double>(c.whole(0));
    if (!given(c, 1)) fail_argument(2, "must be the sampling frequency");
    fs = c.number(1);
  }
  const std::string kind = c.is_text(c.count() - 1) ? c.text(c.count() - 1) : "twosided";
  double first = 0, count = n;
  if (kind == "onesided")
    count = std::floor(n / 2) + 1;
  else if (kind == "shift")
    first = -std::floor(n / 2);
  else if (kind != "twosided")
    fail_argument(c.count(), "must be 'twosided', 'onesided' or 'shift'");
  require_memory(static_cast<Index>(count), 16);
  Vec f;
  for (double k = 0; k < count; ++k) f.push_back((first + k) * fs / n);
  c.ret(c[0].numel() > 1 && c[0].dims().cols() == 1 ? Value::column(f) : unboxed(Value::row(f)));
}

// The half of an amplitude spectrum below the Nyquist frequency, doubled.
void fold(Call& c) {
  const Value v = to_real(c[0]);
  const Dims d = v.dims();
  const int dim = dim_argument(c, 1, d);
  Dims half = d;
  half.set(dim, d[dim] / 2 + 1);
  Value out = Value::zeros(half);
  const Index stride = d.stride(dim);
  for_each_vector(d, dim, [&](Index at, Index s, Index n) {
    const Index first = at / (stride * n) * stride * half[dim] + at % stride;
    for (Index i = 0; i < half[dim]; ++i)
      out.edit_real()[first + i * stride] = v.real()[at + i * s] * (i == 0 || 2 * i == n ? 1 : 2);
  });
  c.ret(unboxed(out));
}

// Amplitudes with an acoustic weighting, 1 at 1000 Hz.
void weighted(Call& c, double (*weight)(double)) {
  const double reference = c.has(2) ? c.number(2) : 1, unit = weight(1e6);
  c.ret(zip_real({c[0], c[1]}, [&](const double* x) { return x[1] * weight(x[0] * x[0]) / unit / reference; }));
}

constexpr Builtin spectrum_table[] = {
    {"pwelch", 1, 6, pwelch,
     "[p, f] = pwelch(x, window, overlap, n, fs, 'onesided'|'twosided'): power spectral density by Welch's method.",
     "number, real word:onesided/twosided/half/whole, ..."},
    {"cpsd", 2, 7, cross_spectrum, "[p, f] = cpsd(x, y, window, overlap, n, fs, range): cross power spectral density.",
     "number, number, real word:onesided/twosided/half/whole, ..."},
    {"tfestimate", 2, 7, cross_spectrum,
     "[h, f] = tfestimate(x, y, window, overlap, n, fs, range): transfer function from x to y.",
     "number, number, real word:onesided/twosided/half/whole, ..."},
    {"mscohere", 2, 7, cross_spectrum, "[c, f] = mscohere(x, y, window, overlap, n, fs, range): squared coherence.",
     "number, number, real word:onesided/twosided/half/whole, ..."},
    {"stft", 1, 6, [](Call& c) { short_time(c, false); },
     "[s, t, f] = stft(x, fs, window, overlap, n, 'onesided'|'onesided_dB'|'twosided'): transforms of the windowed "
     "parts "
     "of x, one column each.",
     "number, real word:onesided/onesided_dB/twosided/twosided_dB, ..."},
    {"spectrogram", 1, 6, [](Call& c) { short_time(c, true); },
     "[s, t, f, p] = spectrogram(x, fs, window, overlap, n, 'onesided'|'onesided_dB'|'twosided'): as stft, with the "
     "densities p; in decibels 20*log10(p).",
     "number, real word:onesided/onesided_dB/twosided/twosided_dB, ..."},
    {"istft", 1, 6, istft,
     "[x, t] = istft(s, fs, window, overlap, n, 'twosided'|'onesided'): signal whose short-time transform is s.",
     "number, real word:onesided/onesided_dB/twosided/twosided_dB, ..."},
    {"freq", 1, 3, freq, "freq(time), freq(n, fs, 'twosided'|'onesided'|'shift'): frequencies of a spectrum.",
     "number, number, option:twosided/onesided/shift"},
    {"fold", 1, 2, fold, "fold(amplitude, dim): one-sided spectrum from a two-sided one.", "number, number"},
    {"dba", 2, 3, [](Call& c) { weighted(c, math::a_weighting); },
     "dba(f, y, reference): amplitudes y with acoustic A-weighting.", "number, number, number"},
    {"dbb", 2, 3, [](Call& c) { weighted(c, math::b_weighting); },
     "dbb(f, y, reference): amplitudes y with acoustic B-weighting.", "number, number, number"},
    {"dbc", 2, 3, [](Call& c) { weighted(c, math::c_weighting); },
     "dbc(f, y, reference): amplitudes y with acoustic C-weighting.", "number, number, number"},
    {"dbu", 2, 3, [](Call& c) { weighted(c, math::u_weighting); },
     "dbu(f, y, reference): amplitudes y with acoustic U-weighting.", "number, number, number"},
};

}  // namespace

BuiltinFamily spectrum_builtins() { return spectrum_table; }

}  // namespace orrery::oml
