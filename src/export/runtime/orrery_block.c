// SPDX-License-Identifier: MIT-0
/* A super block as a block in C: one body with a mask of the activations that came. The memory of the body is the typed
 * discrete state of the block, its inputs are those of the body, followed by one flag for each activation input. */
#include <string.h>

#include "vss_block4.h"

typedef char orr_block_fits[sizeof(@NAME@) <= @BYTES@ ? 1 : -1];

static size_t orr_block_width(int type) {
  static const size_t widths[] = {8, 8, 1, 2, 4, 1, 2, 4, 1}; /* of a part of a complex number too */
  return widths[type];
}

/* States, inputs and activations of this call, into the memory. */
static unsigned char *orr_block_take(vss_block *b) {
  const orr_model *m = &@NAME@_model;
  unsigned char *memory = GetOzPtrs(b, 1);
  const int code = GetNevIn(b) > 0 ? GetNevIn(b) : 0;
  if (m->states > 0) memcpy(memory, GetState(b), (size_t)m->states * sizeof(double));
  for (int k = 0, signal = 0; k < m->inputs; ++k) {
    const orr_input *in = &m->input[k];
    const orr_variable *v;
    size_t count;
    if (in->variable < 0) continue;
    v = &m->variable[in->variable];
    count = (size_t)v->rows * (size_t)v->cols;
    if (signal >= GetNin(b)) {
      memory[in->value] = (unsigned char)(code >> (signal - GetNin(b)) & 1);
    } else if (v->type == ORR_C128) {
      double *to = (double *)(void *)(memory + in->value);
      for (size_t e = 0; e < count; ++e) {
        to[2 * e] = GetRealInPortPtrs(b, signal + 1)[e];
        to[2 * e + 1] = GetImagInPortPtrs(b, signal + 1)[e];
      }
    } else {
      memcpy(memory + in->value, GetInPortPtrs(b, signal + 1), count * orr_block_width(v->type));
    }
    /* value + slope * (t - since) is the value then, its sign too where it is zero. */
    if (in->slope != ORR_NONE) {
      for (size_t e = 0; e < count; ++e) ((double *)(void *)(memory + in->slope))[e] = -0.0;
      *(double *)(void *)(memory + in->since) = -1e300;
    }
    ++signal;
  }
  return memory;
}

static void orr_block_happen(vss_block *b, int source, unsigned char *memory) {
  const orr_model *m = &@NAME@_model;
  double results[@RESULTS@] = {0};
  if (m->source[source].run)
    m->source[source].run(GetVssTime(b), (const double *)(const void *)memory, results, memory, 0);
  if (m->states > 0) memcpy(GetState(b), memory, (size_t)m->states * sizeof(double));
}

VSS_EXPORT void @NAME@_block(vss_block *b, int flag) {
  const orr_model *m = &@NAME@_model;
  const int go = m->input[m->inputs - 1].source; /* the activation that stands for all */
  const double t = GetVssTime(b);
  unsigned char *memory;
  switch (flag) {
    case VssFlag_Initialize: {
      const double *given = GetRparPtrs(b);
      memory = GetOzPtrs(b, 1);
      memcpy(memory, m->initial, m->memory);
      for (int k = 0; k < m->parameters; ++k) {
        const orr_variable *v = &m->variable[m->parameter[k].variable];
        const int count = v->rows * v->cols;
        for (int e = 0; e < count; ++e) ((double *)(void *)(memory + v->offset))[e] = *given++;
        if (m->parameter[k].given != ORR_NONE) memory[m->parameter[k].given] = 1;
      }
      for (int k = 0; k < m->starts; ++k) m->start[k](t, (const double *)(const void *)memory, NULL, memory, 0);
      if (m->states > 0) memcpy(GetState(b), memory, (size_t)m->states * sizeof(double));
      break;
    }
    case VssFlag_Reinitialize: orr_block_happen(b, 0, orr_block_take(b)); break;
    case VssFlag_StateUpdate:
      memory = orr_block_take(b);
      if (GetNevIn(b) > 0) orr_block_happen(b, go, memory);
      break;
    case VssFlag_Derivatives:
      memory = orr_block_take(b);
      if (m->derivatives) m->derivatives(t, (const double *)(const void *)memory, GetDerState(b), memory, 0);
      break;
    case VssFlag_OutputUpdate:
      memory = orr_block_take(b);
      if (m->outputs) m->outputs(t, (const double *)(const void *)memory, NULL, memory, 0);
      if (GetNevIn(b) > 0) {
        double results[@RESULTS@] = {0};
        if (m->source[go].run) m->source[go].run(t, (const double *)(const void *)memory, results, memory, 0);
      }
      for (int k = 0; k < GetNout(b); ++k) {
        const orr_variable *v = &m->variable[m->output[k].variable];
        const size_t count = (size_t)v->rows * (size_t)v->cols, from = m->column[m->output[k].column].offset;
        if (v->type == ORR_C128) {
          for (size_t e = 0; e < count; ++e) {
            GetRealOutPortPtrs(b, k + 1)[e] = ((const double *)(const void *)(memory + from))[2 * e];
            GetImagOutPortPtrs(b, k + 1)[e] = ((const double *)(const void *)(memory + from))[2 * e + 1];
          }
        } else {
          memcpy(GetOutPortPtrs(b, k + 1), memory + from, count * orr_block_width(v->type));
        }
      }
      break;
    default: break;
  }
}
