// SPDX-License-Identifier: MIT-0
/* Whole-matrix kernels in the common subset of C and C++: compiled into Orrery and usable as text in generated code.
 *
 * Matrices are stored column by column. Every sum runs over ascending indices, starting from its first term.
 */
#ifndef ORRERY_MATRIX_KERNELS_H
#define ORRERY_MATRIX_KERNELS_H

/* c (m x n) = a (m x k) * b (k x n) */
static inline void orr_matmul(int m, int k, int n, const double* a, const double* b, double* c) {
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i < m; ++i) {
      double s = k > 0 ? a[i] * b[(long)j * k] : 0.0;
      for (int l = 1; l < k; ++l) s += a[i + (long)l * m] * b[l + (long)j * k];
      c[i + (long)j * m] = s;
    }
  }
}

/* LU factors of a (n x n) in place with partial pivoting (the first of the largest pivots); pivot[i] is the row
 * exchanged with row i. Returns the sign of the permutation. A zero pivot is kept, so that solving gives Inf or NaN. */
static inline int orr_lu(int n, double* a, int* pivot) {
  int sign = 1;
  for (int k = 0; k < n; ++k) {
    int p = k;
    for (int i = k + 1; i < n; ++i) {
      double x = a[i + (long)k * n], y = a[p + (long)k * n];
      if ((x < 0 ? -x : x) > (y < 0 ? -y : y)) p = i;
    }
    pivot[k] = p;
    if (p != k) {
      sign = -sign;
      for (int j = 0; j < n; ++j) {
        double x = a[k + (long)j * n];
        a[k + (long)j * n] = a[p + (long)j * n];
        a[p + (long)j * n] = x;
      }
    }
    for (int i = k + 1; i < n; ++i) a[i + (long)k * n] /= a[k + (long)k * n];
    for (int j = k + 1; j < n; ++j) {
      for (int i = k + 1; i < n; ++i) a[i + (long)j * n] -= a[i + (long)k * n] * a[k + (long)j * n];
    }
  }
  return sign;
}

/* x (n x m), on entry the right-hand side, becomes the solution; lu and pivot from orr_lu. */
static inline void orr_lu_solve(int n, int m, const double* lu, const int* pivot, double* x) {
  for (int c = 0; c < m; ++c) {
    double* v = x + (long)c * n;
    for (int i = 0; i < n; ++i) {
      double s = v[pivot[i]];
      v[pivot[i]] = v[i];
      v[i] = s;
    }
    for (int j = 0; j < n; ++j) {
      for (int i = j + 1; i < n; ++i) v[i] -= lu[i + (long)j * n] * v[j];
    }
    for (int j = n - 1; j >= 0; --j) {
      v[j] /= lu[j + (long)j * n];
      for (int i = 0; i < j; ++i) v[i] -= lu[i + (long)j * n] * v[j];
    }
  }
}

/* x (n x m) = a \ b; work holds n * n doubles, pivot n ints. */
static inline void orr_solve(int n, int m, const double* a, const double* b, double* x, double* work, int* pivot) {
  for (long i = 0; i < (long)n * n; ++i) work[i] = a[i];
  for (long i = 0; i < (long)n * m; ++i) x[i] = b[i];
  orr_lu(n, work, pivot);
  orr_lu_solve(n, m, work, pivot, x);
}

static inline void orr_inverse(int n, const double* a, double* x, double* work, int* pivot) {
  for (long i = 0; i < (long)n * n; ++i) work[i] = a[i];
  for (long i = 0; i < (long)n * n; ++i) x[i] = i % (n + 1) == 0 ? 1.0 : 0.0;
  orr_lu(n, work, pivot);
  orr_lu_solve(n, n, work, pivot, x);
}

static inline double orr_determinant(int n, const double* a, double* work, int* pivot) {
  for (long i = 0; i < (long)n * n; ++i) work[i] = a[i];
  double d = orr_lu(n, work, pivot);
  for (int k = 0; k < n; ++k) {
    if (work[k + (long)k * n] == 0) return 0.0; /* below a zero pivot the factors are not finite */
    d *= work[k + (long)k * n];
  }
  return d;
}

/* x = exp(a) by scaling and squaring with the (6, 6) Pade approximant (Golub and Van Loan, 4th edition, 9.3.1).
 * work holds 4 * n * n doubles. */
static inline void orr_expm(int n, const double* a, double* x, double* work, int* pivot) {
  long size = (long)n * n;
  double *s = work, *p = work + size, *d = work + 2 * size, *t = work + 3 * size;
  double norm = 0;
  for (int i = 0; i < n; ++i) {
    double row = 0;
    for (int j = 0; j < n; ++j) row += a[i + (long)j * n] < 0 ? -a[i + (long)j * n] : a[i + (long)j * n];
    if (row > norm) norm = row;
  }
  int halvings = 0;
  double factor = 1;
  while (norm * factor > 0.5 && halvings < 1100) {
    factor *= 0.5;
    ++halvings;
  }
  for (long i = 0; i < size; ++i) {
    s[i] = a[i] * factor;
    p[i] = i % (n + 1) == 0 ? 1.0 : 0.0;
    x[i] = p[i];
    d[i] = p[i];
  }
  double c = 1;
  for (int k = 1; k <= 6; ++k) {
    c = c * (6 - k + 1) / ((12 - k + 1) * k);
    orr_matmul(n, n, n, s, p, t);
    for (long i = 0; i < size; ++i) {
      p[i] = t[i];
      x[i] += c * p[i];
      d[i] += k % 2 ? -(c * p[i]) : c * p[i];
    }
  }
  orr_lu(n, d, pivot);
  orr_lu_solve(n, n, d, pivot, x);
  for (int k = 0; k < halvings; ++k) {
    orr_matmul(n, n, n, x, x, t);
    for (long i = 0; i < size; ++i) x[i] = t[i];
  }
}

#endif
