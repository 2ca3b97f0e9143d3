// SPDX-License-Identifier: Apache-2.0
// The explicit Runge–Kutta methods: one table each.
//
//   c[i] | a[i][j]        k[i] = f(t + c[i] h, x + h sum_j a[i][j] k[j])
//   -----+--------
//        | b[j]           x_new = x + h sum_j b[j] k[j]
//
// `error` holds the weights of the error estimate (b minus the embedded weights), `dense` those of the fourth-degree
// term of the dense output (see stages.h); both have one more entry than there are stages, for the derivative at the
// new point. All zero: the method has no error estimate, or no dense output of its own.
#pragma once

namespace orrery::solve {

// Euler (1768). Hairer, Nørsett, Wanner: Solving Ordinary Differential Equations I (HNW), 2nd ed., section I.7.
//   0 |
//   --+--
//     | 1
struct Euler {
  static constexpr int id = 1, order = 1, stages = 1;
  static constexpr double c[stages] = {0};
  static constexpr double a[stages][stages] = {{0}};
  static constexpr double b[stages] = {1};
  static constexpr double error[stages + 1] = {};
  static constexpr double dense[stages + 1] = {};
};

// Heun (1900), the explicit trapezoidal rule. HNW, section II.1.
//   0 |
//   1 | 1
//   --+---------
//     | 1/2  1/2
struct Heun {
  static constexpr int id = 2, order = 2, stages = 2;
  static constexpr double c[stages] = {0, 1};
  static constexpr double a[stages][stages] = {{}, {1}};
  static constexpr double b[stages] = {0.5, 0.5};
  static constexpr double error[stages + 1] = {};
  static constexpr double dense[stages + 1] = {};
};

// Kutta (1901), the classical method of order 4. HNW, table II.1.2.
//    0  |
//   1/2 | 1/2
//   1/2 |  0   1/2
//    1  |  0    0    1
//   ----+-------------------
//       | 1/6  1/3  1/3  1/6
struct Kutta4 {
  static constexpr int id = 3, order = 4, stages = 4;
  static constexpr double c[stages] = {0, 0.5, 0.5, 1};
  static constexpr double a[stages][stages] = {{}, {0.5}, {0, 0.5}, {0, 0, 1}};
  static constexpr double b[stages] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
  static constexpr double error[stages + 1] = {};
  static constexpr double dense[stages + 1] = {};
};

// Dormand and Prince, "A family of embedded Runge–Kutta formulae", J. Comp. Appl. Math. 6 (1980), RK5(4)7M.
// HNW, table II.5.2; the dense output is the one of HNW, section II.6. The derivative at the new point (the seventh
// stage of the literature) takes part in the error estimate and is the first stage of the next step.
//    0   |
//   1/5  | 1/5
//   3/10 | 3/40         9/40
//   4/5  | 44/45       −56/15       32/9
//   8/9  | 19372/6561  −25360/2187  64448/6561  −212/729
//    1   | 9017/3168   −355/33      46732/5247   49/176   −5103/18656
//   -----+------------------------------------------------------------------------
//    b   | 35/384        0          500/1113     125/192  −2187/6784     11/84
//    b^  | 5179/57600    0          7571/16695   393/640  −92097/339200  187/2100  1/40
struct DormandPrince {
  static constexpr int id = 4, order = 5, stages = 6;
  static constexpr double c[stages] = {0, 1.0 / 5, 3.0 / 10, 4.0 / 5, 8.0 / 9, 1};
  static constexpr double a[stages][stages] = {
      {},
      {1.0 / 5},
      {3.0 / 40, 9.0 / 40},
      {44.0 / 45, -56.0 / 15, 32.0 / 9},
      {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
      {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
  };
  static constexpr double b[stages] = {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84};
  static constexpr double error[stages + 1] = {
      71.0 / 57600, 0, -71.0 / 16695, 71.0 / 1920, -17253.0 / 339200, 22.0 / 525, -1.0 / 40,
  };
  static constexpr double dense[stages + 1] = {
      -12715105075.0 / 11282082432.0,  0,
      87487479700.0 / 32700410799.0,   -10690763975.0 / 1880347072.0,
      701980252875.0 / 199316789632.0, -1453857185.0 / 822651844.0,
      69997945.0 / 29380423.0,
  };
};

// Cash and Karp, "A variable order Runge–Kutta method for initial value problems with rapidly varying right-hand
// sides", ACM Trans. Math. Softw. 16 (1990): its formulas of orders 5 and 4.
//    0   |
//   1/5  | 1/5
//   3/10 | 3/40        9/40
//   3/5  | 3/10       −9/10     6/5
//    1   | −11/54      5/2     −70/27      35/27
//   7/8  | 1631/55296  175/512  575/13824  44275/110592  253/4096
//   -----+-----------------------------------------------------------------
//    b   | 37/378       0       250/621     125/594       0         512/1771
//    b^  | 2825/27648   0       18575/48384 13525/55296  277/14336  1/4
struct CashKarp {
  static constexpr int id = 5, order = 5, stages = 6;
  static constexpr double c[stages] = {0, 1.0 / 5, 3.0 / 10, 3.0 / 5, 1, 7.0 / 8};
  static constexpr double a[stages][stages] = {
      {},
      {1.0 / 5},
      {3.0 / 40, 9.0 / 40},
      {3.0 / 10, -9.0 / 10, 6.0 / 5},
      {-11.0 / 54, 5.0 / 2, -70.0 / 27, 35.0 / 27},
      {1631.0 / 55296, 175.0 / 512, 575.0 / 13824, 44275.0 / 110592, 253.0 / 4096},
  };
  static constexpr double b[stages] = {37.0 / 378, 0, 250.0 / 621, 125.0 / 594, 0, 512.0 / 1771};
  static constexpr double error[stages + 1] = {
      37.0 / 378 - 2825.0 / 27648, 0, 250.0 / 621 - 18575.0 / 48384, 125.0 / 594 - 13525.0 / 55296, -277.0 / 14336,
      512.0 / 1771 - 1.0 / 4,      0,
  };
  static constexpr double dense[stages + 1] = {};
};

}  // namespace orrery::solve
