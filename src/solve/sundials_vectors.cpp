// SPDX-License-Identifier: Apache-2.0
// Operations of vectors that the integrators of SUNDIALS call most.
#include "solve/sundials_vectors.h"

#include <cstring>

namespace orrery::solve {
namespace {

typedef double Pair __attribute__((vector_size(16)));
typedef long long Bits __attribute__((vector_size(16)));
constexpr Bits all_but_signs = {0x7FFFFFFFFFFFFFFF, 0x7FFFFFFFFFFFFFFF};

Pair load(const double* p) {
  Pair pair;
  std::memcpy(&pair, p, sizeof pair);  // at any address
  return pair;
}

void store(double* p, Pair pair) { std::memcpy(p, &pair, sizeof pair); }

// z[i] = f(i) for all elements; f takes the position and gives a Pair or a double.
template <class Two, class One>
inline __attribute__((always_inline)) void fill(N_Vector z, const Two& two, const One& one) {
  double* to = NV_DATA_S(z);
  const sunindextype n = NV_LENGTH_S(z);
  sunindextype i = 0;
  for (; i + 1 < n; i += 2) store(to + i, two(i));
  if (i < n) to[i] = one(i);
}

void linear_sum(double a, N_Vector x, double b, N_Vector y, N_Vector z) {
  const double *p = NV_DATA_S(x), *q = NV_DATA_S(y);
  fill(
      z, [=](sunindextype i) { return a * load(p + i) + b * load(q + i); },
      [=](sunindextype i) { return a * p[i] + b * q[i]; });
}

// z[k] = a[k] x + y[k]
int scale_add_multi(int count, double* a, N_Vector x, N_Vector* y, N_Vector* z) {
  const double* p = NV_DATA_S(x);
  for (int k = 0; k < count; ++k) {
    const double c = a[k], *q = NV_DATA_S(y[k]);
    fill(
        z[k], [=](sunindextype i) { return c * load(p + i) + load(q + i); },
        [=](sunindextype i) { return c * p[i] + q[i]; });
  }
  return 0;
}

void scale(double c, N_Vector x, N_Vector z) {
  const double* p = NV_DATA_S(x);
  if (c == 1) {
    std::memmove(NV_DATA_S(z), p, sizeof(double) * static_cast<std::size_t>(NV_LENGTH_S(x)));
    return;
  }
  fill(
      z, [=](sunindextype i) { return c * load(p + i); }, [=](sunindextype i) { return c * p[i]; });
}

void add_constant(N_Vector x, double b, N_Vector z) {
  const double* p = NV_DATA_S(x);
  fill(
      z, [=](sunindextype i) { return load(p + i) + b; }, [=](sunindextype i) { return p[i] + b; });
}

void absolute(N_Vector x, N_Vector z) {
  const double* p = NV_DATA_S(x);
  fill(
      z, [=](sunindextype i) { return reinterpret_cast<Pair>(reinterpret_cast<Bits>(load(p + i)) & all_but_signs); },
      [=](sunindextype i) { return std::abs(p[i]); });
}

void invert(N_Vector x, N_Vector z) {
  const double* p = NV_DATA_S(x);
  fill(
      z, [=](sunindextype i) { return 1.0 / load(p + i); }, [=](sunindextype i) { return 1.0 / p[i]; });
}

double weighted_norm(N_Vector x, N_Vector weights) {
  const double *p = NV_DATA_S(x), *w = NV_DATA_S(weights);
  const sunindextype n = NV_LENGTH_S(x);
  Pair even{}, odd{};
  sunindextype i = 0;
  for (; i + 3 < n; i += 4) {
    const Pair a = load(p + i) * load(w + i), b = load(p + i + 2) * load(w + i + 2);
    even += a * a;
    odd += b * b;
  }
  even += odd;
  double sum = even[0] + even[1];
  for (; i < n; ++i) sum += (p[i] * w[i]) * (p[i] * w[i]);
  return std::sqrt(sum / static_cast<double>(n));
}

}  // namespace

Vector new_vector(int n, SUNContext context) {
  Vector vector(N_VNew_Serial(n, context));
  ORRERY_CHECK(vector != nullptr);
  N_Vector_Ops operations = vector->ops;
  operations->nvlinearsum = linear_sum;
  operations->nvscaleaddmulti = scale_add_multi;
  operations->nvscale = scale;
  operations->nvaddconst = add_constant;
  operations->nvabs = absolute;
  operations->nvinv = invert;
  operations->nvwrmsnorm = weighted_norm;
  return vector;
}

}  // namespace orrery::solve
