// SPDX-License-Identifier: MIT-0
/* A pendulum in Cartesian coordinates, L = 1, X = (x, x', y, y'): the exact solution stays on the circle, a numerical one is
 * put back. constraint_pendulum gives the residuals x^2 + y^2 - 1 and x x' + y y'; projected_pendulum the way back itself. */
#include <math.h>

#include "vss_block4.h"

static void move(vss_block* block) {
  const double* X = GetState(block);
  double* XD = GetDerState(block);
  const double g = 9.81;
  const double F = X[2] * g - (X[1] * X[1] + X[3] * X[3]); /* the rod, for L = 1 */
  XD[0] = X[1];
  XD[1] = X[0] * F;
  XD[2] = X[3];
  XD[3] = X[2] * F - g;
}

static void show(vss_block* block) {
  for (int k = 0; k < 4; ++k) GetRealOutPortPtrs(block, 1)[k] = GetState(block)[k];
}

VSS_EXPORT void constraint_pendulum(vss_block* block, int flag) {
  const double* X = GetState(block);
  if (flag == VssFlag_Initialize) {
    SetConstraintKind(block, CONSTRAINT);
    SetNConstraint(block, 2);
  }
  if (flag == VssFlag_OutputUpdate) show(block);
  if (flag == VssFlag_Derivatives) move(block);
  if (flag == VssFlag_Projection) {
    GetCorrPtr(block)[0] = X[0] * X[0] + X[2] * X[2] - 1;
    GetCorrPtr(block)[1] = X[0] * X[1] + X[2] * X[3];
  }
}

VSS_EXPORT void projected_pendulum(vss_block* block, int flag) {
  const double* X = GetState(block);
  if (flag == VssFlag_Initialize) SetConstraintKind(block, PROJECTION);
  if (flag == VssFlag_OutputUpdate) show(block);
  if (flag == VssFlag_Derivatives) move(block);
  if (flag == VssFlag_Projection) {
    const double R = sqrt(X[0] * X[0] + X[2] * X[2]), x = X[0] / R, y = X[2] / R;
    const double radial = x * X[1] + y * X[3];
    double* c = GetCorrPtr(block);
    c[0] = x - X[0];
    c[1] = -radial * x;
    c[2] = y - X[2];
    c[3] = -radial * y;
  }
}
