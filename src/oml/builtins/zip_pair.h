// SPDX-License-Identifier: Apache-2.0
// Functions of two real arguments, element by element.
#pragma once

#include "oml/builtins/map.h"
#include "oml/operators.h"

namespace orrery::oml {

// Broadcasts two real arguments through addition of zeros when their sizes differ.
template <class F>
Value zip2(const Value& a, const Value& b, F f) {
  NumClass cls = a.is_integer_class() ? a.num_class() : b.num_class();
  Value x = to_real(a), y = to_real(b);
  if (!(x.dims() == y.dims()) && x.numel() != 1 && y.numel() != 1) {
    const Value zx = Value::zeros(x.dims()), zy = Value::zeros(y.dims());
    const Value wide = to_real(apply_binary(BinaryOp::add, x, zy));
    y = to_real(apply_binary(BinaryOp::add, zx, y));
    x = wide;
  }
  Value out = zip_real({x, y}, [&](const double* v) { return saturate(f(v[0], v[1]), cls); });
  if (cls != NumClass::f64) {
    out = to_real(out);
    out.edit_real().cls = cls;
  }
  return out;
}

}  // namespace orrery::oml
