// SPDX-License-Identifier: MIT-0
/* Directional and adjoint derivatives of an FMU: products with the exact partial derivatives of the model. Algebraic
 * loops 0 = g(z, v) move their unknowns by g_z dz = - g_v dv, one loop after the other; the adjoint goes back. */
#include <math.h>
#include <string.h>

#include "orrery_fmi.h"

/* The entries at the point where the run is. */
static int orr_fmi_differentiate(orr_fmi *fmu) {
  const orr_fmi_jacobian *j = fmu->body->jacobian;
  orr_run *r = &fmu->run;
  if (fmu->differentiated) return 1;
  orr_refresh(r);
  if (j->loops > 0) { /* their unknowns as they are here */
    if (!orr_derivatives(r, fmu->derivative)) return orr_fmi_refuse(fmu, "the derivatives have no value here");
    orr_surface_values(r, fmu->indicators);
    orr_outputs(r);
  }
  if (j->values) j->values(r->t, (const double *)(const void *)fmu->memory, fmu->entries, fmu->memory, r->tick);
  for (int e = 0; e < j->entries; ++e) {
    if (!isfinite(fmu->entries[e])) return orr_fmi_refuse(fmu, "a derivative has no value here");
  }
  fmu->differentiated = 1;
  return 1;
}

/* Solves a x = b, or with the transposed matrix, by elimination with pivots; a: n rows of n. 0: it is singular. */
static int orr_fmi_eliminate(double *a, double *b, int n, int transposed) {
  if (transposed) {
    for (int i = 0; i < n; ++i) {
      for (int k = 0; k < i; ++k) {
        const double kept = a[i * n + k];
        a[i * n + k] = a[k * n + i];
        a[k * n + i] = kept;
      }
    }
  }
  for (int i = 0; i < n; ++i) {
    int best = i;
    double kept;
    for (int k = i + 1; k < n; ++k) {
      if (fabs(a[k * n + i]) > fabs(a[best * n + i])) best = k;
    }
    if (a[best * n + i] == 0) return 0;
    for (int c = 0; c < n && best != i; ++c) {
      kept = a[i * n + c];
      a[i * n + c] = a[best * n + c];
      a[best * n + c] = kept;
    }
    kept = b[i];
    b[i] = b[best];
    b[best] = kept;
    for (int k = i + 1; k < n; ++k) {
      const double factor = a[k * n + i] / a[i * n + i];
      if (factor == 0) continue;
      for (int c = i; c < n; ++c) a[k * n + c] -= factor * a[i * n + c];
      b[k] -= factor * b[i];
    }
  }
  for (int i = n - 1; i >= 0; --i) {
    for (int c = i + 1; c < n; ++c) b[i] -= a[i * n + c] * b[c];
    b[i] /= a[i * n + i];
  }
  return 1;
}

/* The derivatives of the equations of a loop by its own unknowns. */
static void orr_fmi_loop_matrix(orr_fmi *fmu, int loop) {
  const orr_fmi_jacobian *j = fmu->body->jacobian;
  const int begin = j->loop_start[loop], n = j->loop_start[loop + 1] - begin;
  memset(fmu->matrix, 0, (size_t)(n * n) * sizeof(double));
  for (int row = 0; row < n; ++row) {
    for (int e = j->row_start[begin + row]; e < j->row_start[begin + row + 1]; ++e) {
      const int column = j->column[e] - begin;
      if (column >= 0 && column < n) fmu->matrix[row * n + column] = fmu->entries[e];
    }
  }
}

static double orr_fmi_row(const orr_fmi *fmu, int row) {
  const orr_fmi_jacobian *j = fmu->body->jacobian;
  double sum = 0;
  for (int e = j->row_start[row]; e < j->row_start[row + 1]; ++e) sum += fmu->entries[e] * fmu->seeds[j->column[e]];
  return sum;
}

/* From seeds of states and inputs to those of unknowns. */
static int orr_fmi_move_unknowns(orr_fmi *fmu) {
  const orr_fmi_jacobian *j = fmu->body->jacobian;
  for (int loop = 0; loop < j->loops; ++loop) {
    const int begin = j->loop_start[loop], end = j->loop_start[loop + 1];
    for (int row = begin; row < end; ++row) fmu->sums[row] = -orr_fmi_row(fmu, row); /* its own are still 0 */
    orr_fmi_loop_matrix(fmu, loop);
    if (!orr_fmi_eliminate(fmu->matrix, fmu->sums + begin, end - begin, 0))
      return orr_fmi_refuse(fmu, "an algebraic loop is singular here");
    memcpy(fmu->seeds + begin, fmu->sums + begin, (size_t)(end - begin) * sizeof(double));
  }
  return 1;
}

/* From weights of rows (sums) to those of columns (seeds). */
static int orr_fmi_move_back(orr_fmi *fmu) {
  const orr_fmi_jacobian *j = fmu->body->jacobian;
  for (int row = j->derivatives; row < j->rows; ++row) {
    if (fmu->sums[row] == 0) continue;
    for (int e = j->row_start[row]; e < j->row_start[row + 1]; ++e)
      fmu->seeds[j->column[e]] += fmu->entries[e] * fmu->sums[row];
  }
  for (int loop = j->loops - 1; loop >= 0; --loop) {
    const int begin = j->loop_start[loop], end = j->loop_start[loop + 1];
    memcpy(fmu->sums + begin, fmu->seeds + begin, (size_t)(end - begin) * sizeof(double));
    orr_fmi_loop_matrix(fmu, loop);
    if (!orr_fmi_eliminate(fmu->matrix, fmu->sums + begin, end - begin, 1))
      return orr_fmi_refuse(fmu, "an algebraic loop is singular here");
    for (int row = begin; row < end; ++row) {
      for (int e = j->row_start[row]; e < j->row_start[row + 1]; ++e) {
        if (j->column[e] < begin || j->column[e] >= end) fmu->seeds[j->column[e]] -= fmu->entries[e] * fmu->sums[row];
      }
    }
  }
  return 1;
}

/* The row, or column, of an element; -1 where it has none, which was said. */
static int orr_fmi_row_of(orr_fmi *fmu, const orr_fmi_variable *v, int element) {
  const orr_fmi_jacobian *j = fmu->body->jacobian;
  const int at = v->first + element;
  int row = -1;
  if (v->what == ORR_FMI_DERIVATIVE) row = j->derivatives + v->index + at;
  if (v->what == ORR_FMI_INDICATOR) row = j->surfaces + v->index;
  if (v->what == ORR_FMI_COLUMN && v->type == ORR_F64) row = j->output_row[v->index + at];
  if (row < 0) orr_fmi_refuse(fmu, "unknowns are outputs that are continuous in time, derivatives and event indicators");
  return row;
}

static int orr_fmi_column_of(orr_fmi *fmu, const orr_fmi_variable *v, int element) {
  const orr_fmi_jacobian *j = fmu->body->jacobian;
  const int at = v->first + element;
  int column = -1;
  if (v->what == ORR_FMI_STATE) column = j->derivatives + v->index + at;
  if (v->what == ORR_FMI_INPUT && j->input_column[v->index] >= 0) column = j->input_column[v->index] + at;
  if (column < 0) orr_fmi_refuse(fmu, "knowns are states, and inputs that are continuous in time");
  return column;
}

/* Visits the elements of variables in the order of FMI; what happens with each. */
enum orr_fmi_visit { ORR_FMI_SEED_COLUMNS, ORR_FMI_READ_ROWS, ORR_FMI_WEIGH_ROWS, ORR_FMI_READ_COLUMNS };

static int orr_fmi_visit(orr_fmi *fmu, const unsigned *references, size_t count, const double *from, double *to,
                         size_t size, int what) {
  size_t at = 0;
  for (size_t k = 0; k < count; ++k) {
    const orr_fmi_variable *v = orr_fmi_find(fmu, references[k]);
    if (!v) return 0;
    for (int e = 0; e < orr_fmi_count(v); ++e, ++at) {
      const int element = orr_fmi_by_rows(v, e);
      const int rows = what == ORR_FMI_READ_ROWS || what == ORR_FMI_WEIGH_ROWS;
      const int place = rows ? orr_fmi_row_of(fmu, v, element) : orr_fmi_column_of(fmu, v, element);
      if (place < 0) return 0;
      if (at >= size) return orr_fmi_refuse(fmu, "there are more elements than numbers");
      switch (what) {
        case ORR_FMI_SEED_COLUMNS: fmu->seeds[place] += from[at]; break;
        case ORR_FMI_WEIGH_ROWS: fmu->sums[place] += from[at]; break;
        case ORR_FMI_READ_ROWS: to[at] = orr_fmi_row(fmu, place); break;
        default: to[at] = fmu->seeds[place]; break;
      }
    }
  }
  return at == size || orr_fmi_refuse(fmu, "there are fewer elements than numbers");
}

static int orr_fmi_can_differentiate(orr_fmi *fmu) {
  const orr_fmi_jacobian *j = fmu->body->jacobian;
  if (!j) return orr_fmi_refuse(fmu, "derivatives are not offered");
  if (!orr_fmi_differentiate(fmu)) return 0;
  memset(fmu->seeds, 0, (size_t)j->columns * sizeof(double));
  memset(fmu->sums, 0, (size_t)j->rows * sizeof(double));
  return 1;
}

int orr_fmi_directional(orr_fmi *fmu, const unsigned *unknowns, size_t unknown_count, const unsigned *knowns,
                        size_t known_count, const double *seed, size_t seed_count, double *result,
                        size_t result_count) {
  return orr_fmi_can_differentiate(fmu) &&
         orr_fmi_visit(fmu, knowns, known_count, seed, NULL, seed_count, ORR_FMI_SEED_COLUMNS) &&
         orr_fmi_move_unknowns(fmu) &&
         orr_fmi_visit(fmu, unknowns, unknown_count, NULL, result, result_count, ORR_FMI_READ_ROWS);
}

int orr_fmi_adjoint(orr_fmi *fmu, const unsigned *unknowns, size_t unknown_count, const unsigned *knowns,
                    size_t known_count, const double *seed, size_t seed_count, double *result, size_t result_count) {
  return orr_fmi_can_differentiate(fmu) &&
         orr_fmi_visit(fmu, unknowns, unknown_count, seed, NULL, seed_count, ORR_FMI_WEIGH_ROWS) &&
         orr_fmi_move_back(fmu) &&
         orr_fmi_visit(fmu, knowns, known_count, NULL, result, result_count, ORR_FMI_READ_COLUMNS);
}
