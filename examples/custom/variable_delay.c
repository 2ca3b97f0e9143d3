// SPDX-License-Identifier: MIT-0
/* y(k) = u(k - d(k)), d limited to 1 ... N: a ring of N numbers (z), the place written last in oz 1 (int32).
 * Input 1 has no feedthrough, the delay (input 2) has. */
#include "vss_block4.h"

VSS_EXPORT void variable_delay(vss_block* block, int flag) {
  const int size = GetNdstate(block);
  double* ring = GetDstate(block);
  int* at = Getint32OzPtrs(block, 1);
  switch (flag) {
    case VssFlag_OutputUpdate: {
      int back = (int)(*GetRealInPortPtrs(block, 2) - 1);
      if (back < 0) back = 0;
      if (back > size - 1) back = size - 1;
      *GetRealOutPortPtrs(block, 1) = ring[(*at - back + size) % size];
      break;
    }
    case VssFlag_StateUpdate:
      *at = (*at + 1) % size;
      ring[*at] = *GetRealInPortPtrs(block, 1);
      break;
  }
}
