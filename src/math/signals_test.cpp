// SPDX-License-Identifier: Apache-2.0
// Factorizations, transforms, filters, spectra and statistics against closed forms.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

#include "math/factorizations.h"
#include "math/filter_design.h"
#include "math/fourier.h"
#include "math/signals.h"
#include "math/spectra.h"
#include "math/statistics.h"

namespace orrery::math {
namespace {

using std::numbers::pi;

template <class T>
Matrix<T> random_matrix(Index rows, Index cols) {
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  Matrix<T> a(rows, cols);
  for (T& x : a.data) {
    if constexpr (std::is_same_v<T, double>)
      x = normal(random);
    else
      x = {normal(random), normal(random)};
  }
  return a;
}

template <class T>
double distance(const Matrix<T>& a, const Matrix<T>& b) {
  EXPECT_TRUE(a.has_size(b.rows, b.cols));
  double most = 0;
  for (std::size_t k = 0; k < a.data.size(); ++k) most = std::max(most, std::abs(a.data[k] - b.data[k]));
  return most;
}

RealMatrix conjugated(const RealMatrix& a) { return transpose(a); }
ComplexMatrix conjugated(const ComplexMatrix& a) { return adjoint(a); }

template <class T>
class Factors : public testing::Test {};
using Scalars = testing::Types<double, Complex>;
TYPED_TEST_SUITE(Factors, Scalars);

// A few roundings of numbers of size 1, also for matrices that are not square.
TYPED_TEST(Factors, MultiplyToTheMatrix) {
  using M = Matrix<TypeParam>;
  for (const auto& [rows, cols] : {std::pair<Index, Index>{4, 4}, {5, 3}, {3, 5}}) {
    const M a = random_matrix<TypeParam>(rows, cols);
    const auto f = lu(a);
    M in_order(rows, cols);
    for (Index r = 0; r < rows; ++r)
      for (Index c = 0; c < cols; ++c) in_order(r, c) = a(f.order[static_cast<std::size_t>(r)], c);
    EXPECT_LT(distance(f.lower * f.upper, in_order), 1e-14);
    for (const bool economy : {false, true}) {
      const auto q = qr(a, economy, true);
      M moved(rows, cols);
      for (Index r = 0; r < rows; ++r)
        for (Index c = 0; c < cols; ++c) moved(r, c) = a(r, q.order[static_cast<std::size_t>(c)]);
      EXPECT_LT(distance(q.q * q.r, moved), 1e-14);
      EXPECT_LT(distance(conjugated(q.q) * q.q, M::identity(q.q.cols)), 1e-14);
      const auto s = svd(a, economy);
      M sigma(s.u.cols, s.v.cols);
      for (std::size_t k = 0; k < s.s.size(); ++k) sigma(static_cast<Index>(k), static_cast<Index>(k)) = s.s[k];
      EXPECT_LT(distance(s.u * sigma * conjugated(s.v), a), 1e-14);
    }
  }
  const M a = random_matrix<TypeParam>(4, 4);
  const auto t = schur(a);
  EXPECT_LT(distance(t.q * t.t * conjugated(t.q), a), 1e-14);
  EXPECT_LT(distance(a * inverse(a), M::identity(4)), 1e-13);
  M positive = conjugated(a) * a, factor = positive;
  EXPECT_EQ(cholesky(factor), 0);
  EXPECT_LT(distance(conjugated(factor) * factor, positive), 1e-13);
  M negative = -1.0 * M::identity(2);
  EXPECT_EQ(cholesky(negative), 1);
}

TEST(Factors, KnownNumbers) {
  RealMatrix a(2, 2);
  a.data = {2, 4, 1, 3};  // [2 1; 4 3]
  EXPECT_NEAR(std::abs(determinant(a) - 2.0), 0, 1e-15);
  EXPECT_EQ(largest_column_sum(to_complex(a)), 6);
  EXPECT_EQ(largest_row_sum(to_complex(a)), 7);
  RealMatrix line(1, 2);
  line.data = {3, 4};
  EXPECT_NEAR(pseudo_inverse(line, 1e-12).data[0].real(), 0.12, 1e-16);
  EXPECT_NEAR(pseudo_inverse(line, 1e-12).data[1].real(), 0.16, 1e-16);
  const RealMatrix null = null_space(line, 1e-12);
  ASSERT_TRUE(null.has_size(2, 1));
  EXPECT_NEAR(std::abs(null.data[0]), 0.8, 1e-15);
  EXPECT_NEAR(3 * null.data[0] + 4 * null.data[1], 0, 1e-15);
  EXPECT_TRUE(range_space(line, 1e-12).has_size(1, 1));
  const std::vector<Complex> x = {3, {0, 4}};
  EXPECT_NEAR(vector_norm(x, 2), 5, 1e-15);
  EXPECT_EQ(vector_norm(x, 1), 7);
  EXPECT_EQ(vector_norm(x, INFINITY), 4);
  EXPECT_EQ(vector_norm(x, 0), 2);
}

TEST(Fourier, CosineInverseAndConvolution) {
  std::vector<Complex> x;
  for (int k = 0; k < 12; ++k) x.emplace_back(std::cos(2 * pi * 3 * k / 12));
  const std::vector<Complex> f = fourier(x, 12);
  for (std::size_t k = 0; k < 12; ++k) EXPECT_NEAR(std::abs(f[k]), k == 3 || k == 9 ? 6 : 0, 1e-14) << k;
  std::vector<Complex> back = fourier(f, 12, true);
  drop_rounding(back);
  for (std::size_t k = 0; k < 12; ++k) {
    EXPECT_NEAR(back[k].real(), x[k].real(), 1e-15);
    EXPECT_EQ(back[k].imag(), 0);
  }
  EXPECT_EQ(fourier({1}, 3), (std::vector<Complex>{1, 1, 1}));
  // Two lines of two, side by side: sums and differences.
  const std::vector<Complex> in = {1, 10, 2, 20};
  std::vector<Complex> out(4);
  fourier(in.data(), {2, 2, 1}, 2, false, out.data());
  EXPECT_EQ(out, (std::vector<Complex>{3, 30, -1, -10}));
  ComplexMatrix one(2, 2);
  one.data = {1, 1, 1, 1};
  EXPECT_EQ(convolve(one, one, {}).data, (std::vector<Complex>{1, 2, 1, 2, 4, 2, 1, 2, 1}));
}

TEST(Filters, ImpulseSteadyStateAndRate) {
  std::vector<Complex> state;
  const std::vector<Complex> y = run_filter({1}, {1, -0.5}, {1, 0, 0, 0}, state);
  EXPECT_EQ(y, (std::vector<Complex>{1, 0.5, 0.25, 0.125}));
  EXPECT_EQ(state, (std::vector<Complex>{0.0625}));
  bool singular = false;  // the gain at frequency 0 is 1, and the initial states are steady
  for (double v : filter_both_ways({0.5}, {1, -0.5}, std::vector<double>(20, 3.0), singular)) EXPECT_NEAR(v, 3, 1e-14);
  EXPECT_FALSE(singular);
  EXPECT_THROW(filter_both_ways({0.5}, {1, -0.5}, {1, 2, 3}, singular), Error);
  EXPECT_EQ(correlation({1, 2}, {3, 4}, -1, 1, CorrelationScale::none), (std::vector<double>{4, 11, 6}));
  EXPECT_EQ(correlation({1, 2}, {1, 2}, 0, 0, CorrelationScale::coefficient), (std::vector<double>{1}));
  EXPECT_NEAR(bessel_i0(1), 1.2660658777520084, 1e-15);  // Abramowitz and Stegun, table 9.8
  // A slow sine at twice its rate, away from the ends: the pass band is flat to about 60 dB.
  std::vector<double> x, out(400);
  for (int k = 0; k < 200; ++k) x.push_back(std::sin(0.1 * k));
  resample(x.data(), 200, 2, 1, rate_filter(2, 1), out.data());
  for (int k = 150; k < 250; ++k) EXPECT_NEAR(out[static_cast<std::size_t>(k)], std::sin(0.05 * k), 2e-3);
  // b / a = (1 + 2 z^-1) / (1 - 0.5 z^-1), from its response.
  std::vector<Complex> h;
  std::vector<double> w;
  for (int k = 0; k < 20; ++k) {
    w.push_back(0.15 * k);
    const Complex z = std::exp(Complex(0, -w.back()));
    h.push_back((1.0 + 2.0 * z) / (1.0 - 0.5 * z));
  }
  const FilterCoefficients fit = fit_response(h, w, 1, 1, std::vector<double>(20, 1.0), true, singular);
  EXPECT_NEAR(fit.b[0], 1, 1e-12);
  EXPECT_NEAR(fit.b[1], 2, 1e-12);
  EXPECT_NEAR(fit.a[1], -0.5, 1e-12);
}

// Orders and frequencies of Oppenheim and Schafer's example (0.2 pi, 0.3 pi, 1 dB, 15 dB): Butterworth 6, Chebyshev 4.
TEST(Filters, OrdersOfASpecification) {
  const FilterSpecification wanted{{0.2}, {0.3}, 1, 15, false};
  EXPECT_EQ(filter_order(FilterFamily::butterworth, wanted).order, 6);
  EXPECT_EQ(filter_order(FilterFamily::chebyshev1, wanted).order, 4);
  EXPECT_EQ(filter_order(FilterFamily::elliptic, wanted).order, 3);
  EXPECT_NEAR(filter_order(FilterFamily::chebyshev1, wanted).frequencies[0], 0.23600964127003873, 1e-14);
  double gain = 0;  // at frequency 0
  for (const double h : windowed_sinc(Band::low, {0.3}, std::vector<double>(21, 1.0), true)) gain += h;
  EXPECT_NEAR(gain, 1, 1e-15);
}

// The density of a sine with whole periods in a rectangular window integrates to half the square of its amplitude.
TEST(Spectra, PowerOfASineAndBackFromShortTime) {
  Segments s{std::vector<double>(64, 1.0), 32, 64, 64, true};
  std::vector<Complex> x;
  for (int k = 0; k < 256; ++k) x.emplace_back(3 * std::sin(2 * pi * 8 * k / 64));
  const Spectra p = welch(x, x, s, {});
  EXPECT_NEAR(sum(p.xx) * s.fs / 64, 4.5, 1e-12);
  EXPECT_NEAR(p.xx[8], 4.5, 1e-12);
  EXPECT_EQ(s.frequencies()[8], 8);
  const ComplexMatrix z = short_time_transform(x, s);
  const std::vector<double> back = overlap_add(z, s.window, 64, 32);
  ASSERT_EQ(back.size(), 256u);
  for (std::size_t k = 0; k < 256; ++k) EXPECT_NEAR(back[k], x[k].real(), 1e-13);
  EXPECT_NEAR(density(z, s)(8, 0), p.xx[8], 1e-12);
  EXPECT_THROW(welch(x, {1, 2}, s, {}), Error);
  EXPECT_NEAR(20 * std::log10(a_weighting(1e4) / a_weighting(1e6)), -19.1, 0.05);  // 100 Hz, IEC 61672, table 3
}

TEST(Statistics, TextbookSamples) {
  const std::vector<double> x = {2, 4, 4, 4, 5, 5, 7, 9};
  EXPECT_EQ(mean(x), 5);
  EXPECT_EQ(variance(x, true), 4);
  EXPECT_NEAR(variance(x, false), 32.0 / 7, 1e-15);
  EXPECT_EQ(median(x), 4.5);
  EXPECT_EQ(mode(x).value, 4);
  EXPECT_EQ(mode(x).count, 3);
  EXPECT_EQ(mode({2, 1, 1, 2}).all, (std::vector<double>{1, 2}));
  EXPECT_EQ(mean_deviation(x), 1.5);
  EXPECT_EQ(median_deviation({1, 1, 2, 2, 4, 6, 9}), 1);
  EXPECT_NEAR(geometric_mean({1, 4, 16}), 4, 1e-14);
  EXPECT_NEAR(harmonic_mean({1, 4, 4}), 2, 1e-15);
  // The nine methods at a quarter of 1, 2, 3, 4 by their definitions.
  const double quarter[] = {1, 1.5, 1, 1, 1.5, 1.25, 1.75, 17.0 / 12, 1.4375};
  for (int k = 1; k <= 9; ++k) EXPECT_NEAR(quantile({4, 2, NAN, 1, 3}, 0.25, k), quarter[k - 1], 1e-15) << k;
  RealMatrix columns(3, 2);
  columns.data = {1, 2, 3, 2, 4, 6};
  EXPECT_EQ(covariance(columns, false).data, (std::vector<double>{1, 2, 2, 4}));
  EXPECT_TRUE(std::isnan(median({1, NAN})));
}

}  // namespace
}  // namespace orrery::math
