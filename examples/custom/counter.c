// SPDX-License-Identifier: MIT-0
/* An int8 counter (oz 1) that begins at opar 1 and goes up, or down (opar 2 negative), at each event. With an activation
 * output it fires at once when the end of the range is reached; then it begins at the other end. */
#include "vss_block4.h"

VSS_EXPORT void counter(vss_block* block, int flag) {
  signed char* count = Getint8OzPtrs(block, 1);
  const int up = *Getint8OparPtrs(block, 2) >= 0;
  switch (flag) {
    case VssFlag_Initialize: *count = *Getint8OparPtrs(block, 1); break;
    case VssFlag_OutputUpdate: *Getint8OutPortPtrs(block, 1) = *count; break;
    case VssFlag_StateUpdate:
      if (up)
        *count = *count == 127 ? -128 : *count + 1;
      else
        *count = *count == -128 ? 127 : *count - 1;
      break;
    case VssFlag_EventScheduling:
      if (isExitInitialization(block)) break;
      if (*count == (up ? 127 : -128)) GetEvOutVal(block, 1) = 0;
      break;
  }
}
