// SPDX-License-Identifier: MIT-0
/* y = |u| with one surface and one mode, 1 for u >= 0 and 2 for u < 0, which is used while modes are fixed. */
#include "vss_block4.h"

VSS_EXPORT void absolute(vss_block* block, int flag) {
  const double u = *GetRealInPortPtrs(block, 1);
  int* mode = GetModePtrs(block);
  switch (flag) {
    case VssFlag_OutputUpdate:
      if (areModesFixed(block))
        *GetRealOutPortPtrs(block, 1) = mode[0] == 1 ? u : -u;
      else
        *GetRealOutPortPtrs(block, 1) = u < 0 ? -u : u;
      break;
    case VssFlag_ZeroCrossings:
      GetGPtrs(block)[0] = u;
      if (!areModesFixed(block)) mode[0] = u < 0 ? 2 : 1;
      break;
  }
}
