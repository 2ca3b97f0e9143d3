// SPDX-License-Identifier: Apache-2.0
// Radau IIA methods of 3, 5 and 7 stages: nodes, the transformation to one real and several complex systems, weights.
#pragma once

#include <array>

namespace orrery::solve {

struct RadauCoefficients {
  static constexpr int most_stages = 7;
  using Matrix = std::array<std::array<double, most_stages>, most_stages>;

  int stages = 0;
  std::array<double, most_stages> node{};  // the last is 1
  // The eigenvalues of the inverse of A: one real, the others alpha -/+ i beta.
  double gamma = 0;
  std::array<double, most_stages / 2> alpha{}, beta{};
  // inverse(T) inverse(A) T is gamma and the blocks [alpha beta; -beta alpha]; the last row of T is 1, 1 0, 1 0, ...
  Matrix t{}, t_inverse{};
  // error = inverse(gamma / h M - J) (f0 + M sum error[i] z[i] / h); Hairer and Wanner, Solving ODEs II, (IV.8.20).
  std::array<double, most_stages> error{};
  // 1 / prod (node[i] - node[k]) over k != i and the node 0: weights of Lagrange's formula for z, which is 0 at 0.
  std::array<double, most_stages> lagrange{};
};

// Computed at the first call from the definition of collocation, in long double. stages: 3, 5 or 7.
const RadauCoefficients& radau_coefficients(int stages);

}  // namespace orrery::solve
