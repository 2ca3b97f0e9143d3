// SPDX-License-Identifier: Apache-2.0
// Applying scalar functions to every element of an argument.
#pragma once

#include "oml/builtin.h"
#include "oml/sparse.h"

namespace orrery::oml {

// f of every element: in place when nobody else holds the array, so that a variable is read once and never copied.
template <class F>
Value mapped(Value&& r, F f) {
  Value out = r.unique() ? r : Value::real_uninitialised(r.real().dims, r.real().cls);
  const RealArray& from = r.real();
  RealArray& to = *static_cast<RealArray*>(out.heap());
  for (Index i = 0; i < from.size(); ++i) to[i] = f(from[i]);
  return out;
}

// Real function of real elements; complex arguments are an error.
template <class F>
Value map_real(const Value& v, F f) {
  if (v.kind() == Kind::number || v.kind() == Kind::boolean) return Value(static_cast<double>(f(v.number())));
  const bool sparse = v.kind() == Kind::sparse;
  Value out = mapped(to_real(v), f);
  return sparse ? to_sparse(out) : unboxed(std::move(out));
}

// f for real elements inside its domain, g for complex ones; a real argument outside the domain becomes complex.
template <class F, class G, class InDomain>
Value map_both(const Value& v, F f, G g, InDomain in_domain) {
  if (v.kind() == Kind::number && in_domain(v.number())) return Value(static_cast<double>(f(v.number())));
  const bool sparse = v.kind() == Kind::sparse;
  if (!v.is_complex()) {
    Value r = to_real(v);
    bool inside = true;
    for (double x : r.real().data) inside = inside && (in_domain(x) || x != x);
    if (inside) {
      r = mapped(std::move(r), f);
      return sparse ? to_sparse(r) : unboxed(std::move(r));
    }
  }
  Value z = to_complex(v);
  for (Complex& x : z.edit_complex().data) x = g(x);
  return sparse ? to_sparse(z) : narrowed(z);
}

template <class F, class G>
Value map_both(const Value& v, F f, G g) {
  return map_both(v, f, g, [](double) { return true; });
}

template <class F>
Value map_logical(const Value& v, F f) {
  const Value r = to_real(v);
  Value out = Value::logical_zeros(r.real().dims);
  ByteArray& b = out.edit_bytes();
  for (Index i = 0; i < b.size(); ++i) b[i] = f(r.real()[i]);
  return unboxed(out);
}

// Elementwise function of several real arguments, scalars repeated.
template <class F>
Value zip_real(const std::vector<Value>& given, F f) {
  std::vector<Value> v;
  Dims dims(1, 1);
  for (const Value& g : given) {
    v.push_back(to_real(g));
    if (g.numel() != 1) {
      if (dims.numel() != 1 && !(dims == v.back().real().dims)) fail("sizes of the arguments do not match");
      dims = v.back().real().dims;
    }
  }
  Value out = Value::real_uninitialised(dims);
  RealArray& a = out.edit_real();
  std::vector<double> x(v.size());
  for (Index i = 0; i < a.size(); ++i) {
    for (std::size_t k = 0; k < v.size(); ++k) x[k] = v[k].real().size() == 1 ? v[k].real()[0] : v[k].real()[i];
    a[i] = f(x.data());
  }
  return unboxed(out);
}

// Sizes from arguments k...: f(n), f(m, n, ...), f([m n ...]).
Dims dims_from(const Call& c, int first);
// The next number of randn.
double random_normal(Interpreter& oml);
// Error when `count` elements of `bytes` would pass the memory limit; for work space outside of values.
void require_memory(Index count, Index bytes);
// Dimension argument (1-based in OML) or the first that is not 1.
int dim_argument(const Call& c, int k, const Dims& dims);

// Calls body(offset, stride, count) for each vector of dims along dim.
template <class Body>
void for_each_vector(const Dims& dims, int dim, Body body) {
  const Index stride = dims.stride(dim), count = dims[dim];
  if (count == 0) return;
  Index outer = 1;
  for (int k = dim + 1; k < dims.count(); ++k) outer *= dims[k];
  for (Index o = 0; o < outer; ++o) {
    for (Index i = 0; i < stride; ++i) body(o * stride * count + i, stride, count);
  }
}

}  // namespace orrery::oml
