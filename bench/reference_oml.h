// SPDX-License-Identifier: Apache-2.0
// The scripts of bench/oml with loops in C; each returns what the script prints.
#ifndef ORRERY_BENCH_REFERENCE_OML_H
#define ORRERY_BENCH_REFERENCE_OML_H

#ifdef __cplusplus
extern "C" {
#endif

double reference_fib(void);
double reference_sum(void);
double reference_sieve(void);
double reference_fill(void);
double reference_mandelbrot(void);
double reference_nbody(void);

#ifdef __cplusplus
}
#endif

#endif
