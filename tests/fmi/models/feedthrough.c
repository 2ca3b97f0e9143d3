// SPDX-License-Identifier: Apache-2.0
// Inputs of all types go straight to outputs.
#include "model.h"
#define OWN_EVENT
#include "defaults.h"

const int model_states = 0;
const double model_inner_step = 1;

static void copy(Model* m) {
  m->integer[1] = m->integer[0];
  m->boolean[1] = m->boolean[0];
  for (int k = 0; k < 8; ++k) m->integer[11 + 2 * k] = m->integer[10 + 2 * k];
  memcpy(m->text[1], m->text[0], MAX_TEXT);
  memcpy(m->bytes[1], m->bytes[0], MAX_TEXT);
  m->byte_count[1] = m->byte_count[0];
}
void model_start(Model* m) {
  m->integer[2] = 1; /* enumeration */
  strcpy(m->text[0], "Set me!");
  memcpy(m->bytes[0], "foo", 3);
  m->byte_count[0] = 3;
}
void model_evaluate(Model* m) {
  m->real[1] = m->real[0] + m->real[2]; /* continuous, with a tunable offset */
  m->real[4] = m->real[3];              /* discrete */
  m->real[6] = (float)m->real[5];       /* float32 */
  m->integer[3] = m->integer[2];
  copy(m);
}
void model_event(Model* m) { (void)m; }
