// SPDX-License-Identifier: Apache-2.0
// Two doubles in one register, for loops of unknown length that the compiler does not vectorise at -O2. Results are
// those of the scalar code to the last bit.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

namespace orrery::solve {

typedef double Pair __attribute__((vector_size(16), may_alias));
typedef std::int64_t PairBits __attribute__((vector_size(16)));

// Value is double or Pair; a Pair lies at an address that is a multiple of 16 bytes.
template <class Value>
inline Value& value_at(double* p) {
  return *reinterpret_cast<Value*>(p);
}
template <class Value>
inline const Value& value_at(const double* p) {
  return *reinterpret_cast<const Value*>(p);
}
// At any address.
template <class Value>
inline void store_at(double* p, Value value) {
  std::memcpy(p, &value, sizeof value);
}
template <class Value>
inline Value load_from(const double* p) {
  Value value;
  std::memcpy(&value, p, sizeof value);
  return value;
}
inline double magnitude(double a) { return std::fabs(a); }
inline Pair magnitude(Pair a) { return reinterpret_cast<Pair>(reinterpret_cast<PairBits>(a) & INT64_MAX); }
template <class Value>
inline Value larger_magnitude(Value a, Value b) {
  a = magnitude(a);
  b = magnitude(b);
  return a > b ? a : b;
}
constexpr int lane_count(double) { return 1; }
constexpr int lane_count(Pair) { return 2; }
inline double lane_sum(double a) { return a; }
inline double lane_sum(Pair a) { return a[0] + a[1]; }

}  // namespace orrery::solve
