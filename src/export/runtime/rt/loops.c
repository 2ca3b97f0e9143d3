// SPDX-License-Identifier: MIT-0
/* Algebraic loops: Newton's iteration, and what is tried where it fails. A part of orrery_rt.c. */

/* Loops: Newton's iteration with damping (Deuflhard, Newton Methods for Nonlinear Problems, section 3.3). */

static double orr_norm(const orr_run *r, const double *v, int n) {
  double largest = 0;
  for (int i = 0; i < n; ++i) {
    const double ratio = fabs(v[i]) / (fabs(r->at.z[i]) + 1e-6);
    if (!(ratio <= largest)) largest = ratio;
  }
  return largest;
}

static int orr_residual(orr_run *r, const orr_loop *loop, double t, const double *x, const double *offset,
                        const double *z, double *y) {
  int finite = 1;
  for (int i = 0; i < loop->unknowns; ++i) *(double *)(void *)(r->memory + loop->offset[i]) = z[i];
  loop->residual(t, x, y, r->memory, r->tick);
  for (int i = 0; i < loop->unknowns; ++i) {
    if (offset) y[i] -= offset[i];
    finite = finite && isfinite(y[i]);
  }
  return finite;
}

/* The matrix a, by columns, as the product of a lower and an upper triangle, rows exchanged for the largest pivots.
 * 0: it is singular. */
static int orr_lu(double *a, int n, double *pivot, double *inverse) {
  for (int k = 0; k < n; ++k) {
    double *column = a + k * n;
    int p = k;
    double largest = fabs(column[k]);
    for (int i = k + 1; i < n; ++i) {
      if (fabs(column[i]) > largest) {
        largest = fabs(column[i]);
        p = i;
      }
    }
    pivot[k] = (double)p;
    if (!(largest > 0) || !isfinite(largest)) return 0;
    if (p != k) {
      const double swap = column[k];
      column[k] = column[p];
      column[p] = swap;
    }
    inverse[k] = 1 / column[k];
    for (int i = k + 1; i < n; ++i) column[i] = column[i] * inverse[k];
    for (int j = k + 1; j < n; ++j) {
      double *other = a + j * n;
      if (p != k) {
        const double swap = other[k];
        other[k] = other[p];
        other[p] = swap;
      }
      if (fabs(other[k]) == 0) continue;
      for (int i = k + 1; i < n; ++i) other[i] -= column[i] * other[k];
    }
  }
  return 1;
}

static void orr_lu_solve(const double *a, int n, const double *pivot, const double *inverse, double *b) {
  for (int k = 0; k < n; ++k) {
    const int p = (int)pivot[k];
    if (p != k) {
      const double swap = b[k];
      b[k] = b[p];
      b[p] = swap;
    }
    for (int i = k + 1; i < n; ++i) b[i] -= a[i + k * n] * b[k];
  }
  for (int k = n - 1; k >= 0; --k) {
    b[k] = b[k] * inverse[k];
    for (int i = 0; i < k; ++i) b[i] -= a[i + k * n] * b[k];
  }
}

static int orr_factor(orr_run *r, const orr_loop *loop, double t, const double *x) {
  const int n = loop->unknowns;
  double *a = r->at.matrix;
  for (int i = 0; i < n * n; ++i) a[i] = 0;
  if (loop->jacobian) {
    for (int i = 0; i < n; ++i) *(double *)(void *)(r->memory + loop->offset[i]) = r->at.z[i];
    loop->jacobian(t, x, r->at.entries, r->memory, r->tick);
    for (int e = 0; e < loop->entries; ++e) a[loop->row[e] + loop->column[e] * n] -= r->at.entries[e];
  } else {
    for (int i = 0; i < n; ++i) r->at.next[i] = r->at.z[i];
    for (int c = 0; c < n; ++c) {
      const double step = 1e-6 * orr_max(fabs(r->at.z[c]), 1e-3);
      r->at.next[c] = r->at.z[c] + step;
      orr_residual(r, loop, t, x, NULL, r->at.next, r->at.next_residual);
      r->at.next[c] = r->at.z[c] - step;
      orr_residual(r, loop, t, x, NULL, r->at.next, r->at.check);
      r->at.next[c] = r->at.z[c];
      for (int i = 0; i < n; ++i) a[i + c * n] -= (r->at.next_residual[i] - r->at.check[i]) / (2 * step);
    }
  }
  for (int i = 0; i < n; ++i) a[i + i * n] += 0.0;
  return orr_lu(a, n, r->at.pivot, r->at.inverse);
}

static void orr_back(const orr_run *r, int n, double *b) {
  orr_lu_solve(r->at.matrix, n, r->at.pivot, r->at.inverse, b);
}

static int orr_newton(orr_run *r, const orr_loop *loop, double t, const double *x, const double *offset, int limit) {
  const double quadratic = 1e-9, stagnation = 1e-7;
  const int n = loop->unknowns;
  double before = INFINITY;
  if (!orr_residual(r, loop, t, x, offset, r->at.z, r->at.residual)) return 0;
  for (int k = 0; k < limit; ++k) {
    int solved = 1, moved = 0;
    double size;
    for (int i = 0; i < n; ++i) solved = solved && r->at.residual[i] == 0;
    if (solved) return 1;
    if (!orr_factor(r, loop, t, x)) return 0;
    for (int i = 0; i < n; ++i) r->at.move[i] = r->at.residual[i];
    orr_back(r, n, r->at.move);
    size = orr_norm(r, r->at.move, n);
    if (!isfinite(size)) return 0;
    if (size >= 0.5 * before && size < stagnation) return 1;
    for (double length = 1; length > 1e-6 && !moved; length *= 0.5) {
      for (int i = 0; i < n; ++i) r->at.next[i] = r->at.z[i] + length * r->at.move[i];
      if (!orr_residual(r, loop, t, x, offset, r->at.next, r->at.next_residual)) continue;
      if (size > quadratic) {
        double norm;
        for (int i = 0; i < n; ++i) r->at.check[i] = r->at.next_residual[i];
        orr_back(r, n, r->at.check);
        norm = orr_norm(r, r->at.check, n);
        if (!(norm <= (1 - 0.5 * length) * size) && !(norm < stagnation)) continue;
      }
      for (int i = 0; i < n; ++i) {
        r->at.z[i] = r->at.next[i];
        r->at.residual[i] = r->at.next_residual[i];
      }
      moved = 1;
    }
    if (!moved) return size < stagnation;
    if (size < quadratic && (k == 0 || size < 0.1 * before)) return 1;
    before = size;
  }
  return 0;
}

/* r(z) = (1 - s) r(guess) from s = 0, where the guess is the solution, to s = 1. */
static int orr_follow(orr_run *r, const orr_loop *loop, double t, const double *x) {
  const int n = loop->unknowns;
  double s = 0, step = 0.1;
  for (int i = 0; i < n; ++i) r->at.z[i] = r->at.last_z[i] = r->at.guess[i];
  if (!orr_residual(r, loop, t, x, NULL, r->at.z, r->at.start_residual)) return 0;
  while (s < 1) {
    const double target = orr_min(1.0, s + step);
    for (int i = 0; i < n; ++i) r->at.offset[i] = (1 - target) * r->at.start_residual[i];
    if (orr_newton(r, loop, t, x, r->at.offset, 12)) {
      s = target;
      step *= 2;
      for (int i = 0; i < n; ++i) r->at.last_z[i] = r->at.z[i];
    } else {
      step *= 0.25;
      for (int i = 0; i < n; ++i) r->at.z[i] = r->at.last_z[i];
      if (step < 1e-5) return 0;
    }
  }
  return 1;
}

static int orr_search(orr_run *r, const orr_loop *loop, double t, const double *x) {
  static const double parts[] = {0.5, 0.1, 0.01, 0.0}, shifts[] = {1e-2, 0.5};
  const int n = loop->unknowns;
  if (orr_newton(r, loop, t, x, NULL, 50)) return 1;
  if (!orr_residual(r, loop, t, x, NULL, r->at.guess, r->at.residual)) {
    for (int p = 0; p < 4; ++p) {
      for (int i = 0; i < n; ++i) r->at.z[i] = parts[p] * r->at.guess[i];
      if (orr_newton(r, loop, t, x, NULL, 50)) return 1;
    }
  }
  for (int p = 0; p < 2; ++p) {
    for (int i = 0; i < n; ++i)
      r->at.z[i] = r->at.guess[i] + shifts[p] * (1 + 0.3 * (double)(i % 3)) * (1 + fabs(r->at.guess[i]));
    if (orr_newton(r, loop, t, x, NULL, 50)) return 1;
  }
  return orr_follow(r, loop, t, x);
}

/* Solves loops in order, for the states x; the memory holds the guesses and receives the solutions. */
static int orr_solve(orr_run *r, const int *loops, int count, double t, const double *x) {
  for (int k = 0; k < count; ++k) {
    const orr_loop *loop = &r->model->loop[loops[k]];
    int found;
    for (int i = 0; i < loop->unknowns; ++i) {
      r->at.z[i] = *(double *)(void *)(r->memory + loop->offset[i]);
      if (!isfinite(r->at.z[i])) r->at.z[i] = 0;
      r->at.guess[i] = r->at.z[i];
    }
    found = orr_search(r, loop, t, x);
    for (int i = 0; i < loop->unknowns; ++i)
      *(double *)(void *)(r->memory + loop->offset[i]) = found ? r->at.z[i] : r->at.guess[i];
    if (!found) {
      r->loops_failed = 1 + loops[k];
      return 0;
    }
  }
  return 1;
}
