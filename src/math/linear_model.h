// SPDX-License-Identifier: Apache-2.0
// Linear time-invariant models: making them, joining them, sampling them, their poles and zeros.
#pragma once

#include <utility>

#include "math/polynomials.h"

namespace orrery::math {

// x' = a x + b u, y = c x + d u; or x(k+1) = ... when the sample time ts is not zero. -1: discrete, ts unknown.
struct LinearModel {
  RealMatrix a, b, c, d;
  double ts = 0;
  bool transfer = false;         // came as num and den, and results should
  std::vector<double> num, den;  // when transfer
  bool singular = false;         // a matrix that was inverted on the way was singular to working precision

  Index states() const { return a.rows; }
  Index inputs() const { return d.cols; }
  Index outputs() const { return d.rows; }
  bool discrete() const { return ts != 0; }
};

// A missing or scalar zero d stands for zeros of the right size. An Error when the sizes do not fit.
LinearModel state_space(RealMatrix a, RealMatrix b, RealMatrix c, RealMatrix d, double ts);
LinearModel gain_model(RealMatrix d);
// The controllable canonical form of num / den.
LinearModel transfer_function(std::vector<double> num, std::vector<double> den, double ts);
LinearModel transfer_function(const Polynomial& num, const Polynomial& den, double ts);

struct Fraction {
  std::vector<double> num, den;
};
// Rows of numerators, one for each output, and the denominator of the transfer functions from one input.
struct TransferMatrix {
  RealMatrix num;
  std::vector<double> den;
};
TransferMatrix transfer_matrix(const RealMatrix& a, const RealMatrix& b, const RealMatrix& c, const RealMatrix& d,
                               Index input);
// One channel.
Fraction transfer_of(const LinearModel& m, Index output, Index input);

std::vector<Complex> poles_of(const LinearModel& m);
// Transmission zeros: finite generalised eigenvalues of the Rosenbrock pencil.
std::vector<Complex> zeros_of(const LinearModel& m);
// c (s I - a)^-1 b + d. `singular` becomes true when s is a pole.
ComplexMatrix response_at(const LinearModel& m, Complex s, bool& singular);

LinearModel join_series(LinearModel g, LinearModel h);    // h fed by g
LinearModel join_parallel(LinearModel g, LinearModel h);  // g + h
// u = r + sign h(y), y = g(u)
LinearModel join_feedback(LinearModel g, LinearModel h, double sign);

// The input held (order 0) or linear (order 1) between samples: x+ = phi x + g0 u + g1 (u+ - u).
struct Sampled {
  RealMatrix phi, g0, g1;
};
Sampled sampled(const LinearModel& m, double dt);
// s = 2/ts (z - 1)/(z + 1)
LinearModel tustin(const LinearModel& m, double ts);
// The continuous model whose input was held; the logarithm of [a b; 0 1] undoes that.
LinearModel continuous_of(const LinearModel& m);

}  // namespace orrery::math
