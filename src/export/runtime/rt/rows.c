// SPDX-License-Identifier: MIT-0
/* Rows of what is recorded; assertions. A part of orrery_rt.c. */

static void orr_evaluate_outputs(orr_run *r, double t, const double *x) {
  const orr_model *m = r->model;
  int misses = 0;
  if (m->output_loops > 0) orr_solve(r, m->output_loop, m->output_loops, t, x);
  orr_clear_trouble(r);
  if (m->outputs) m->outputs(t, x, r->at.results, r->memory, 0);
  if (!m->partial_shown || !r->has_modes) return;
  for (int c = 0; c < m->columns; ++c)
    misses = misses || (m->column[c].continuous && m->column[c].type == ORR_F64 &&
                        isnan(*(double *)(void *)(r->memory + m->column[c].offset)));
  if (!misses) return;
  orr_keep_modes(r, r->at.kept_trial);
  if (orr_take_modes_of(r, t, x, 1)) m->outputs(t, x, r->at.results, r->memory, 0);
  orr_put_modes_back(r, r->at.kept_trial);
}

double orr_column_value(const orr_run *r, int column) {
  const orr_column *c = &r->model->column[column];
  if (c->seen != ORR_NONE && r->memory[c->seen] == 0) return NAN;
  return orr_number(r->model, r->memory, c->offset, c->type);
}

static void orr_take_row(orr_run *r, int phase) {
  const orr_model *m = r->model;
  const int preview = phase == ORR_ROW_EVENT && r->has_modes;
  if (!r->options.record || m->columns == 0) return;
  orr_freshen(r);
  if (preview) {
    orr_keep_modes(r, r->at.kept);
    orr_preview(r);
  }
  orr_evaluate_outputs(r, r->t, orr_states(r));
  for (int c = 0; c < m->columns; ++c) r->at.row[c] = orr_column_value(r, c);
  if (preview) orr_put_modes_back(r, r->at.kept);
  if (r->has_row && r->row_time == r->t &&
      memcmp(r->at.row, r->at.last_row, (size_t)m->columns * sizeof(double)) == 0)
    return;
  r->has_row = 1;
  r->row_time = r->t;
  ++r->rows;
  orr_swap(&r->at.row, &r->at.last_row);
  if (r->listener.row) r->listener.row(r->listener.user, r, phase, r->at.last_row);
}

static void orr_show(orr_run *r, int phase) {
  if (r->model->continuous_columns) orr_take_row(r, phase);
}

static int orr_assertions_hold(orr_run *r) {
  const orr_model *m = r->model;
  double *y = r->at.results, *values = r->at.results + m->assertion_count;
  int ok = 1, at = 0;
  if (m->assertion_count == 0) return 1;
  orr_freshen(r);
  if (m->assertion_loops > 0 && !orr_solve(r, m->assertion_loop, m->assertion_loops, r->t, orr_states(r))) return 1;
  m->assertions(r->t, orr_states(r), y, r->memory, 0);
  if (m->assertion_values) m->assertion_values(r->t, orr_states(r), values, r->memory, 0);
  for (int k = 0; k < m->assertion_count; at += m->assertion[k++].values) {
    const orr_assertion *a = &m->assertion[k];
    if (y[k] != 0) r->at.warned[k] = 0;
    if (y[k] != 0 || r->at.warned[k] != 0) continue;
    r->at.warned[k] = 1;
    orr_tell(r, a->only_warns ? ORR_WARNING : ORR_ERROR, a->path, a->text, values + at, a->values);
    ok = ok && a->only_warns;
  }
  return ok;
}
