// SPDX-License-Identifier: Apache-2.0
// Simulation of linear models by their sampled forms, and margins on the frequency response.
#include "math/linear_response.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace orrery::math {
namespace {

using std::numbers::pi;

}  // namespace

std::vector<double> default_times(const LinearModel& m, double last) {
  std::vector<double> t;
  if (m.discrete()) {
    const double ts = std::abs(m.ts), n = last > 0 ? std::floor(last / ts) : 100;
    for (double k = 0; k <= std::min(n, 1e6); ++k) t.push_back(k * ts);
    return t;
  }
  if (!(last > 0)) {
    double slowest = INFINITY, fastest = 0;
    for (const Complex& p : poles_of(m)) {
      if (std::abs(p.real()) > 1e-9) slowest = std::min(slowest, std::abs(p.real()));
      fastest = std::max(fastest, std::abs(p));
    }
    last = std::isfinite(slowest) ? 7 / slowest : fastest > 0 ? 20 * pi / fastest : 10;
  }
  for (int k = 0; k <= 100; ++k) t.push_back(last * k / 100);
  return t;
}

Trajectory simulate(const LinearModel& m, std::span<const double> t, const RealMatrix& u, RealMatrix x, bool held,
                    const std::function<void()>& turn) {
  const auto n = static_cast<Index>(t.size());
  Trajectory out{RealMatrix(n, m.outputs()), RealMatrix(n, m.states())};
  Sampled s;
  double last_dt = -1;
  const auto input = [&](Index i) { return transpose(block(u, i, 1, 0, m.inputs())); };
  for (Index i = 0; i < n; ++i) {
    turn();
    const RealMatrix now = input(i), y = m.c * x + m.d * now;
    for (Index k = 0; k < m.states(); ++k) out.x(i, k) = x(k, 0);
    for (Index k = 0; k < m.outputs(); ++k) out.y(i, k) = y(k, 0);
    if (i + 1 == n || m.states() == 0) continue;
    if (m.discrete()) {
      x = m.a * x + m.b * now;
      continue;
    }
    const double dt = t[static_cast<std::size_t>(i + 1)] - t[static_cast<std::size_t>(i)];
    if (!(dt > 0)) throw Error("the times must ascend");
    if (std::abs(dt - last_dt) > 1e-12 * dt) s = sampled(m, dt), last_dt = dt;
    x = s.phi * x + s.g0 * now;
    if (!held) x = x + s.g1 * (input(i + 1) - now);
  }
  return out;
}

std::vector<double> default_frequencies(const LinearModel& m) {
  double low = INFINITY, high = 0;
  std::vector<double> sizes;
  for (const Complex& p : poles_of(m)) sizes.push_back(std::abs(m.discrete() ? std::log(p) / m.ts : p));
  if (m.inputs() == m.outputs())
    for (const Complex& z : zeros_of(m)) sizes.push_back(std::abs(m.discrete() ? std::log(z) / m.ts : z));
  for (double s : sizes)
    if (s > 1e-9 && std::isfinite(s)) low = std::min(low, s), high = std::max(high, s);
  if (high == 0) low = high = 1;
  double from = std::floor(std::log10(low)) - 1, to = std::ceil(std::log10(high)) + 1;
  if (m.discrete()) to = std::min(to, std::log10(pi / std::abs(m.ts)));
  std::vector<double> w;
  const int n = 200;
  for (int k = 0; k < n; ++k) w.push_back(std::pow(10.0, from + (to - from) * k / (n - 1)));
  return w;
}

Complex point_of(const LinearModel& m, double w) {
  return m.discrete() ? std::exp(Complex(0, w * std::abs(m.ts))) : Complex(0, w);
}

std::vector<Complex> frequency_response(const LinearModel& m, std::span<const double> w, bool& singular) {
  if (m.inputs() != 1 || m.outputs() != 1) throw Error("the model must have one input and one output");
  std::vector<Complex> h;
  for (double x : w) h.push_back(response_at(m, point_of(m, x), singular).data[0]);
  return h;
}

std::vector<double> phases_of(std::span<const Complex> h) {
  std::vector<double> p;
  for (const Complex& z : h) {
    double a = std::arg(z) * 180 / pi;
    if (!p.empty()) a -= 360 * std::round((a - p.back()) / 360);
    p.push_back(a);
  }
  return p;
}

namespace {

// Where f changes sign between neighbours of the grid, refined by bisection on a logarithmic axis.
template <class F>
std::vector<double> crossings(std::span<const double> w, F f) {
  std::vector<double> out;
  double before = f(w[0]);
  for (std::size_t k = 1; k < w.size(); ++k) {
    const double now = f(w[k]);
    if ((before < 0) != (now < 0) && std::abs(now - before) < 180) {
      double low = w[k - 1], high = w[k];
      for (int i = 0; i < 80; ++i) {
        const double middle = std::sqrt(low * high);
        ((f(middle) < 0) == (before < 0) ? low : high) = middle;
      }
      out.push_back(std::sqrt(low * high));
    }
    before = now;
  }
  return out;
}

}  // namespace

Margins margins(const LinearModel& m, std::span<const double> grid, bool& singular) {
  if (m.inputs() != 1 || m.outputs() != 1) throw Error("the model must have one input and one output");
  const auto at = [&](double w) { return response_at(m, point_of(m, w), singular).data[0]; };
  // Degrees from the negative real axis.
  const auto phase = [&](double w) { return std::arg(-at(w)) * 180 / pi; };
  Margins r{INFINITY, INFINITY, NAN, NAN};
  if (grid.empty()) return r;
  for (double w : crossings(grid, phase)) {
    const double g = 1 / std::abs(at(w));
    if (at(w).real() < 0 && std::abs(std::log(g)) < std::abs(std::log(r.gain))) r.gain = g, r.gain_crossing = w;
  }
  for (double w : crossings(grid, [&](double x) { return std::log(std::abs(at(x))); })) {
    const double p = phase(w);
    if (std::abs(p) < std::abs(r.phase)) r.phase = p, r.phase_crossing = w;
  }
  return r;
}

}  // namespace orrery::math
