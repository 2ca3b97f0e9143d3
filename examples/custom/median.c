// SPDX-License-Identifier: MIT-0
/* The median of a matrix by bisection of the range (Torben): no memory, the input is not touched. Of an even number of
 * elements the lower of the two in the middle. */
#include "vss_block4.h"

VSS_EXPORT void median(vss_block* block, int flag) {
  if (flag != VssFlag_OutputUpdate) return;
  const double* u = GetRealInPortPtrs(block, 1);
  const int n = GetInPortRows(block, 1) * GetInPortCols(block, 1);
  double low = u[0], high = u[0], below, above, guess;
  int less, greater, equal;
  for (int i = 1; i < n; ++i) {
    if (u[i] < low) low = u[i];
    if (u[i] > high) high = u[i];
  }
  for (;;) {
    guess = low + (high - low) / 2;
    less = greater = equal = 0;
    below = low;
    above = high;
    for (int i = 0; i < n; ++i) {
      if (u[i] < guess) {
        ++less;
        if (u[i] > below) below = u[i];
      } else if (u[i] > guess) {
        ++greater;
        if (u[i] < above) above = u[i];
      } else {
        ++equal;
      }
    }
    if (less <= (n + 1) / 2 && greater <= (n + 1) / 2) break;
    if (less > greater)
      high = below;
    else
      low = above;
  }
  *GetRealOutPortPtrs(block, 1) = less >= (n + 1) / 2 ? below : less + equal >= (n + 1) / 2 ? guess : above;
}
