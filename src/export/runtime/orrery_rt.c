// SPDX-License-Identifier: MIT-0
/* Runs an exported model as Orrery does: events in their order, steps of fixed or variable size, zero-crossings.
 *
 * What happens and in which order is the law of docs/semantics.md of Orrery; the arithmetic is that of its simulator,
 * operation by operation. Compile without contraction and without fast-math for the same bits. */
#include "orrery_rt.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Exact in every library, but calls where compilers must not know them (-fno-builtin). */
#if defined(__GNUC__)
#define fabs(a) __builtin_fabs(a)
#define sqrt(a) __builtin_sqrt(a)
#define copysign(a, b) __builtin_copysign(a, b)
#endif

#define ORR_TICK_ORDER (1LL << 50)   /* a tick counts as programmed when its instant begins */
#define ORR_WITHIN_INSTANT (1LL << 51)
#define ORR_MOST_EVENTS 100000       /* in one instant */

#include "rt/values.c"
#include "rt/loops.c"
#include "rt/derivatives.c"
#include "rt/explicit.c"
#include "rt/control.c"
#include "rt/implicit.c"
#include "rt/steps.c"
#include "rt/sides.c"
#include "rt/modes.c"
#include "rt/rows.c"
#include "rt/queue.c"
#include "rt/instant.c"
#include "rt/crossings.c"
#include "rt/locate.c"
#include "rt/pieces.c"
#include "rt/rhythm.c"
#include "rt/main.c"
#include "rt/begin.c"
#include "rt/outside.c"
