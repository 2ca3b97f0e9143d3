// SPDX-License-Identifier: Apache-2.0
// Dormand and Prince 5(4) written by hand in C, with the step control and dense output of src/solve: the limit to
// reach.
#ifndef ORRERY_BENCH_REFERENCE_DP5_H
#define ORRERY_BENCH_REFERENCE_DP5_H

#ifdef __cplusplus
extern "C" {
#endif

typedef void (*dp5_rhs)(double t, const double* x, double* dx, void* data);

struct dp5 {
  int n;
  dp5_rhs rhs;
  void* data;
  double rtol, atol, hmax, t_end;
  double t, t_old, h, h_next, log_error;
  double *x, *y; /* at the beginning and at the end of the step */
  double* k[7];  /* k[0] at the beginning, k[6] at the end */
  double *d, *p, *q, *r;
  int have_step, dense_ready;
  long steps, rejected, evaluations;
  double* storage;
};

void dp5_open(struct dp5* s, int n, dp5_rhs rhs, void* data, double rtol, double atol, double t_end);
void dp5_close(struct dp5* s);
/* Cold start; the step size of an earlier run is kept. */
void dp5_start(struct dp5* s, double t, const double* x);
/* One step, not beyond t_stop. The state is then s->y at s->t. Returns 0, or -1 when the step became too small. */
int dp5_step(struct dp5* s, double t_stop);
void dp5_interpolate(struct dp5* s, double t, double* x);

#ifdef __cplusplus
}
#endif
#endif
