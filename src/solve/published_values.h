// SPDX-License-Identifier: Apache-2.0
// Published values at the end point: Test Set for IVP Solvers (Mazzia and Magherini, Bari), Hairer, Nørsett and Wanner.
// For tests and measurements, of the solvers and of the models in examples/numerics.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

namespace orrery::solve::published {

struct EndPoint {
  const char* name = "";
  std::vector<double> values = {};
  double scale = 1;  // absolute tolerance over relative tolerance, and the floor of relative errors
};

// The largest |x - published| / (scale + |published|).
inline double error_at_end(const EndPoint& end, const double* x) {
  double worst = 0;
  for (std::size_t i = 0; i < end.values.size(); ++i) {
    worst = std::max(worst, std::abs(x[i] - end.values[i]) / (end.scale + std::abs(end.values[i])));
  }
  return worst;
}

inline EndPoint van_der_pol() { return {"van_der_pol", {1.706167732170483, -0.8928097010247975e-3}, 1}; }

inline EndPoint hires() {
  return {"hires",
          {0.7371312573325668e-3, 0.1442485726316185e-3, 0.5888729740967575e-4, 0.1175651343283149e-2,
           0.2386356198831331e-2, 0.6238968252742796e-2, 0.2849998395185769e-2, 0.2850001604814231e-2},
          1e-4};
}

inline EndPoint robertson() {
  return {"robertson", {0.2083340149701255e-7, 0.8333360770334713e-13, 0.9999999791665050}, 1e-6};
}

inline EndPoint oregonator() { return {"oregonator", {1.000814870318523, 1228.178521549917, 132.0554942846706}, 1e-2}; }

inline EndPoint pollution() {
  return {"pollution",
          {0.5646255480022769e-1, 0.1342484130422339,    0.4139734331099427e-8, 0.5523140207484359e-2,
           0.2018977262302196e-6, 0.1464541863493966e-6, 0.7784249118997964e-1, 0.3245075353396018,
           0.7494013383880406e-2, 0.1622293157301561e-7, 0.1135863833257075e-7, 0.2230505975721359e-2,
           0.2087162882798630e-3, 0.1396921016840158e-4, 0.8964884856898295e-2, 0.4352846369330103e-17,
           0.6899219696263405e-2, 0.1007803037365946e-3, 0.1772146513969984e-5, 0.5682943292316392e-4},
          1e-3};
}

// With the stray capacitance 2e-12.
inline EndPoint ring_modulator() {
  return {"ring_modulator",
          {-0.2339057358486745e-1, -0.7367485485540825e-2, 0.2582956709291169, -0.4064465721283450, -0.4039455665149794,
           0.2607966765422943, 0.1106761861269975, 0.2939904342435596e-6, -0.2840029933642329e-7, 0.7267198267264553e-3,
           0.7929487196960840e-3, -0.7255283495698965e-3, -0.7941401968526521e-3, 0.7088495416976114e-4,
           0.2390059075236570e-4},
          1e-2};
}

inline EndPoint pleiades() {
  return {"pleiades",
          {0.3706139143970502,  3.237284092057233,   -3.222559032418324,  0.6597091455775310, 0.3425581707156584,
           1.562172101400631,   -0.7003092922212495, -3.943437585517392,  -3.271380973972550, 5.225081843456543,
           -2.590612434977470,  1.198213693392275,   -0.2429682344935824, 1.091449240428980,  3.417003806314313,
           1.354584501625501,   -2.590065597810775,  2.025053734714242,   -1.155815100160448, -0.8072988170223021,
           0.5952396354208710,  -3.741244961234010,  0.3773459685750630,  0.9386858869551073, 0.3667922227200571,
           -0.3474046353808490, 2.344915448180937,   -1.947020434263292},
          1};
}

// The initial values return after one period.
inline EndPoint arenstorf() { return {"arenstorf", {0.994, 0, 0, -2.00158510637908252240537862224}, 1}; }

inline EndPoint transistor_amplifier() {
  return {"transistor_amplifier",
          {-0.5562145012262709e-2, 3.006522471903042, 2.849958788608128, 2.926422536206241, 2.704617865010554,
           2.761837778393145, 4.770927631616772, 1.236995868091548},
          1};
}

// Positions and velocities are published; the two forces follow from them by the differentiated constraints (the
// published ones, from the index 3 form, agree to eight digits).
inline EndPoint car_axis() {
  return {"car_axis",
          {0.4934557842755629e-1, 0.4969894602303324, 1.041742524885400, 0.3739110272652214, -0.7705836840321485e-1,
           0.7446866596327776e-2, 0.1755681574942899e-1, 0.7703410437794031, -0.4736886590830200e-2,
           -0.1104680331246872e-2},
          1};
}

// A pendulum of unit length from the horizontal, Cartesian coordinates, velocities and the force in the rod at t = 2.
// These and the following are computed with 25 digits or more by Taylor series.
inline EndPoint pendulum() {
  return {"pendulum",
          {0.79356619534332175, -0.60848393044379151, 2.1024378744361258, 2.7419353930105091, 17.907682072960784},
          1};
}

inline EndPoint brusselator() { return {"brusselator", {0.49863707126834785, 4.5967803494520112}, 1}; }

inline EndPoint lorenz() { return {"lorenz", {-9.1313130273687529, -12.476178811078253, 22.843338960982388}, 1}; }

}  // namespace orrery::solve::published
