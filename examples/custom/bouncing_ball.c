// SPDX-License-Identifier: MIT-0
/* h' = v, v' = -9.81; where h falls through zero: h = 0, v = -0.9 v. */
#include "vss_block4.h"

VSS_EXPORT void bouncing_ball(vss_block* block, int flag) {
  double* x = GetState(block);
  switch (flag) {
    case VssFlag_OutputUpdate: *GetRealOutPortPtrs(block, 1) = x[0]; break;
    case VssFlag_Derivatives:
      GetDerState(block)[0] = x[1];
      GetDerState(block)[1] = -9.81;
      break;
    case VssFlag_ZeroCrossings: GetGPtrs(block)[0] = x[0]; break;
    case VssFlag_StateUpdate:
      if (GetNevIn(block) == -1 && GetJrootPtrs(block)[0] == -1) {
        x[0] = 0;
        x[1] = -0.9 * x[1];
      }
      break;
  }
}
