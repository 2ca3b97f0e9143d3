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
struct reference_result reference_c2(void);
struct reference_result reference_sampled(double t_end);

/* Right-hand sides alone. */
void reference_lorenz_rhs(double t, const double* x, double* dx, void* data);
void reference_brusselator_rhs(double t, const double* x, double* dx, void* cells); /* cells: int* */

/* CVODE BDF with exact Jacobian: dense for van der Pol, banded for the Brusselator. */
struct reference_result reference_stiff_van_der_pol(void);
struct reference_result reference_stiff_brusselator(int cells);

/* The oscillator of the test FMUs without damping, its library called straight: CVODE BDF with a Jacobian from
   differences. */
struct reference_result reference_fmu(const char* library, double t_end, double rtol, double atol);

#ifdef __cplusplus
}
#endif
#endif
