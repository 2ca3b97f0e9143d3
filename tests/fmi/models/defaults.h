// SPDX-License-Identifier: Apache-2.0
// What most models do not need; a model that does defines the macro of the function it brings itself.
#include "model.h"
#ifndef OWN_INITIALISE
void model_initialise(Model* m) { (void)m; }
#endif
#ifndef OWN_INDICATE
const int model_indicators = 0;
void model_indicate(Model* m, double* z) { (void)m, (void)z; }
#endif
#ifndef OWN_EVENT
void model_event(Model* m) { (void)m; }
#endif
#ifndef OWN_COMPLETED
void model_completed(Model* m) { (void)m; }
#endif
#ifndef OWN_ARRAY
double* model_array(Model* m, unsigned reference, size_t* count) {
  (void)m, (void)reference, (void)count;
  return NULL;
}
#endif
#ifndef OWN_SIZE
int model_state_count(Model* m) { return (void)m, model_states; }
#endif
#ifndef OWN_CLOCKS
void model_tick(Model* m, unsigned clock) { (void)m, (void)clock; }
int model_interval(Model* m, unsigned clock, double* seconds) { return (void)m, (void)clock, (void)seconds, 0; }
int model_output_clock(Model* m, unsigned clock) { return (void)m, (void)clock, 0; }
#endif
