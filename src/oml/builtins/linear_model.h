// SPDX-License-Identifier: Apache-2.0
// Linear time-invariant models as OML passes them around: structs of ss or tf, or lists of matrices.
#pragma once

#include "oml/builtin.h"

namespace orrery::oml {

// x' = a x + b u, y = c x + d u; or x(k+1) = ... when the sample time ts is not zero. -1: discrete, ts unknown.
struct LinearModel {
  Value a, b, c, d;  // kind real
  double ts = 0;
  bool transfer = false;  // came as num and den, and results should
  Value num, den;         // rows, when transfer

  Index states() const { return a.dims().rows(); }
  Index inputs() const { return d.dims().cols(); }
  Index outputs() const { return d.dims().rows(); }
  bool discrete() const { return ts != 0; }
};

LinearModel state_space(const Value& a, const Value& b, const Value& c, const Value& d, double ts);
LinearModel transfer_function(const Value& num, const Value& den, double ts);
// The model in arguments k...: a struct of ss or tf, a gain, num and den, or A, B, C, D. `used` becomes how many
// arguments it took; at most `limit` are looked at.
LinearModel model_argument(const Call& c, int k, int limit, int& used);
bool is_model(const Value& v);
Value to_struct(const LinearModel& m);
// Numerator and denominator of one channel.
std::pair<Value, Value> transfer_of(Call& c, const LinearModel& m, Index output, Index input);
// Poles and transmission zeros, as columns.
Value poles_of(const LinearModel& m);
Value zeros_of(const LinearModel& m);
// c (s I - a)^-1 b + d
Value response_at(const LinearModel& m, Complex s);
// Discretised with the input held (order 0) or linear (order 1) between samples: x+ = phi x + g0 u + g1 (u+ - u).
struct Sampled {
  Value phi, g0, g1;
};
Sampled sampled(Call& c, const LinearModel& m, double dt);

}  // namespace orrery::oml
