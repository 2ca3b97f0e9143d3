// SPDX-License-Identifier: MIT-0
/* One event, at the time rpar 1: programmed when the initialisation ends. */
#include "vss_block4.h"

VSS_EXPORT void event_generate(vss_block* block, int flag) {
  if (flag == VssFlag_EventScheduling && isExitInitialization(block))
    GetEvOutVal(block, 1) = GetRparPtrs(block)[0] - GetVssInitialTime(block);
}
