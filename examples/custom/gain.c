// SPDX-License-Identifier: MIT-0
/* y = Gain .* u, element by element; opar 1 is the gain, a scalar or of the size of the input. */
#include "vss_block4.h"

VSS_EXPORT void gain(vss_block* block, int flag) {
  if (flag != VssFlag_OutputUpdate) return;
  const double* u = GetRealInPortPtrs(block, 1);
  double* y = GetRealOutPortPtrs(block, 1);
  const double* k = GetRealOparPtrs(block, 1);
  const int n = GetInPortRows(block, 1) * GetInPortCols(block, 1);
  const int step = GetOparSize(block, 1, 1) * GetOparSize(block, 1, 2) == 1 ? 0 : 1;
  for (int i = 0; i < n; ++i) y[i] = k[i * step] * u[i];
}
