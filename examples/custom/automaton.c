// SPDX-License-Identifier: MIT-0
/* An explicit automaton: input k belongs to mode k and holds derivative (N), state on entry (N), jump functions. A jump
 * function that becomes positive leads to the destination that opar k (int32) names for it. ipar: number of modes, first
 * mode. Output 1 is the mode, output 2 the state. The mode is z[0]. */
#include "vss_block4.h"

static double jump(vss_block* block, int mode, int* which) {
  const int n = GetNstate(block), count = GetInPortRows(block, mode) - 2 * n;
  const double* u = GetRealInPortPtrs(block, mode);
  double highest = u[2 * n];
  *which = 0;
  for (int k = 1; k < count; ++k) {
    if (u[2 * n + k] > highest) {
      highest = u[2 * n + k];
      *which = k;
    }
  }
  return highest;
}

VSS_EXPORT void automaton(vss_block* block, int flag) {
  const int n = GetNstate(block);
  int mode = (int)GetDstate(block)[0], which;
  switch (flag) {
    case VssFlag_Initialize: GetDstate(block)[0] = GetIparPtrs(block)[1]; break;
    case VssFlag_OutputUpdate:
      *GetRealOutPortPtrs(block, 1) = mode;
      for (int k = 0; k < n; ++k) GetRealOutPortPtrs(block, 2)[k] = GetState(block)[k];
      break;
    case VssFlag_Derivatives:
      for (int k = 0; k < n; ++k) GetDerState(block)[k] = GetRealInPortPtrs(block, mode)[k];
      break;
    case VssFlag_ZeroCrossings: GetGPtrs(block)[0] = jump(block, mode, &which); break;
    case VssFlag_StateUpdate:
      if (GetNevIn(block) == -1 && GetJrootPtrs(block)[0] > 0) {
        jump(block, mode, &which);
        mode = Getint32OparPtrs(block, mode)[which];
        GetDstate(block)[0] = mode;
        for (int k = 0; k < n; ++k) GetState(block)[k] = GetRealInPortPtrs(block, mode)[n + k];
        DoColdRestart(block);
      }
      break;
  }
}
