// SPDX-License-Identifier: MIT-0
/* The same system as residuals of an implicit block: 0 = -x' + f(x). */
#include "vss_block4.h"

VSS_EXPORT void dae(vss_block* block, int flag) {
  const double* x = GetState(block);
  const double* dx = GetDerState(block);
  if (flag == VssFlag_OutputUpdate) {
    double* y = GetRealOutPortPtrs(block, 1);
    y[0] = x[0];
    y[1] = x[1];
  } else if (flag == VssFlag_Derivatives) {
    double* residual = GetResState(block);
    residual[0] = -dx[0] - x[0] + x[0] * x[1];
    residual[1] = -dx[1] + 2 * x[0] - 3 * x[1];
  }
}
