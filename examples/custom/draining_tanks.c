// SPDX-License-Identifier: MIT-0
/* Two tanks joined by a pipe, as residuals: x = (h1, h2, V, f), the last two algebraic. Input: the pump, 0 or 1.
 * rpar: L, D, rho, mu, At, e, Ks, ReL, ReT, fT. */
#include <math.h>

#include "vss_block4.h"

VSS_EXPORT void draining_tanks(vss_block* block, int flag) {
  const double* x = GetState(block);
  const double* dx = GetDerState(block);
  if (flag == VssFlag_OutputUpdate) {
    *GetRealOutPortPtrs(block, 1) = x[0];
    *GetRealOutPortPtrs(block, 2) = x[1];
  } else if (flag == VssFlag_Derivatives) {
    const double* p = GetRparPtrs(block);
    const double L = p[0], D = p[1], rho = p[2], mu = p[3], At = p[4], e = p[5], Ks = p[6], ReL = p[7], ReT = p[8],
                 fT = p[9];
    const double g = 9.81, pi = 3.14159265358979323846;
    const double V = x[2], f = x[3], Ad = pi * D * D / 4, Q = Ad * V;
    const double H = *GetRealInPortPtrs(block, 1) * (4 - 8e4 * Q * Q);
    const double Re = D * V * rho / mu, fL = Ks / ReL;
    double* r = GetResState(block);
    r[0] = x[1] + f * 2 * L * V * V / (D * 2 * g) + V * V / (2 * g) - x[0] - H;
    r[1] = dx[0] + V * Ad / At;
    r[2] = dx[1] - V * Ad / At;
    if (Re > ReT)
      r[3] = 1 / sqrt(f) + 2 * log10(e / 3.7 + 2.51 / (Re * sqrt(f)));
    else if (Re < ReL)
      r[3] = f - Ks / Re;
    else
      r[3] = fL + (fT - fL) * (Re - ReL) / (ReT - ReL) - f;
  }
}
