// SPDX-License-Identifier: Apache-2.0
// The benchmark models (docs/benchmarks.md) as somebody would write them by hand in C.
#ifndef ORRERY_BENCH_REFERENCE_MODELS_H
#define ORRERY_BENCH_REFERENCE_MODELS_H

#ifdef __cplusplus
extern "C" {
#endif

struct reference_result {
  double value; /* what the benchmark compares with the exact one */
  long steps;   /* of the solver; 0 without one */
  long events;
};

struct reference_result reference_a1(void);
struct reference_result reference_a2(void);
struct reference_result reference_a3(void);
struct reference_result reference_lorenz(double t_end, double rtol, double atol);
struct reference_result reference_b1(void);
struct reference_result reference_b2(void);
struct reference_result reference_b3(void);
struct reference_result reference_c1(void);
struct reference_result reference_c2(void);         /* looks at the ends of steps */
struct reference_result reference_c2_looking(void); /* and into them, as Orrery does */
struct reference_result reference_sampled(double t_end);

/* Right-hand sides alone. */
void reference_lorenz_rhs(double t, const double* x, double* dx, void* data);
void reference_brusselator_rhs(double t, const double* x, double* dx, void* cells); /* cells: int* */

/* CVODE BDF with exact Jacobian: dense for van der Pol, banded for the Brusselator. */
struct reference_result reference_stiff_van_der_pol(void);
struct reference_result reference_stiff_brusselator(int cells);

/* Libraries of FMI 2.0, called straight. */
struct reference_fmu_case {
  const char* library;
  int states, indicators;
  int zero; /* a parameter that is set to 0, -1: none */
};
/* CVODE BDF with a Jacobian from differences; the value is that of the first state. */
struct reference_result reference_fmu(const struct reference_fmu_case* what, double t_end, double tolerance);
/* Co-Simulation: the outputs of the oscillator after each step; the value is the first of them at the end. */
struct reference_result reference_fmu_steps(const struct reference_fmu_case* what, double h, long steps);

#ifdef __cplusplus
}
#endif
#endif
