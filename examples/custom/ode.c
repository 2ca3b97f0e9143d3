// SPDX-License-Identifier: MIT-0
/* x1' = -x1 + x1 x2, x2' = 2 x1 - 3 x2, with its Jacobian. */
#include "vss_block4.h"

VSS_EXPORT void ode(vss_block* block, int flag) {
  const double* x = GetState(block);
  switch (flag) {
    case VssFlag_Initialize: SetAjac(block, 1); break;
    case VssFlag_OutputUpdate: {
      double* y = GetRealOutPortPtrs(block, 1);
      y[0] = x[0];
      y[1] = x[1];
      break;
    }
    case VssFlag_Derivatives: {
      double* dx = GetDerState(block);
      dx[0] = -x[0] + x[0] * x[1];
      dx[1] = 2 * x[0] - 3 * x[1];
      break;
    }
    case VssFlag_Jacobians: { /* column by column */
      double* jacobian = GetJacobianPtrs(block);
      jacobian[0] = -1 + x[1];
      jacobian[1] = 2;
      jacobian[2] = x[0];
      jacobian[3] = -3;
      break;
    }
  }
}
