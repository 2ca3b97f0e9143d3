// SPDX-License-Identifier: Apache-2.0
// Fourier transforms and convolution in two dimensions.
#include <algorithm>
#include <array>
#include <cmath>

#include "math/fourier.h"
#include "oml/builtins/families.h"
#include "oml/builtins/map.h"
#include "oml/builtins/math_values.h"
#include "oml/indexing.h"
#include "oml/interpreter.h"
#include "oml/operators.h"
#include "oml/run_aside.h"

namespace orrery::oml {
namespace {

// Transform along one dimension, cut or padded with zeros to n points.
Value transform(const Value& given, Index n, int dim, bool inverse) {
  const Value v = to_complex(full(given));
  Dims d = v.dims(), target = d;
  target.set(dim, n);
  checked_numel(target);
  Value out = Value::complex_zeros(target);
  if (target.numel() == 0) return out;
  math::Lines lines{d.stride(dim), d[dim], 1};
  for (int k = dim + 1; k < d.count(); ++k) lines.outer *= d[k];
  run_aside(50.0 * static_cast<double>(target.numel()),
            [=, kept = std::array{v, out}, from = v.complex().data.data(), to = out.edit_complex().data.data()] {
              math::fourier(from, lines, n, inverse, to);
              return true;
            });
  return out;
}

Value without_rounding(Value v) {
  math::drop_rounding(v.edit_complex().data);
  return narrowed(v);
}

void one_dimension(Call& c, bool inverse) {
  const Dims d = c[0].dims();
  if (d.numel() == 0) return c.ret(Value::empty());
  const int dim = dim_argument(c, 2, d);
  const Index n = c.has(1) && !c[1].is_empty() ? c.whole(1) : d[dim];
  if (inverse && dim >= d.count()) fail_argument(3, "must be a dimension of the data");
  const Value out = transform(c[0], n, dim, inverse);
  c.ret(inverse ? without_rounding(out) : narrowed(out));
}

void many_dimensions(Call& c, bool inverse, int count) {
  Value v = to_complex(full(c[0]));
  const Dims d = v.dims();
  const int n = count > 0 ? count : d.count();
  if (count == 2 && c.count() == 2) fail_argument(3, "is missing: the number of columns");
  for (int k = 0; k < n; ++k) {
    Index size = d[k];
    if (count == 2 && c.has(2))
      size = c.whole(k + 1);
    else if (count == 0 && c.has(1))
      size = static_cast<Index>(to_vector(c[1]).at(static_cast<std::size_t>(k)));
    v = transform(v, size, k, inverse);
  }
  c.ret(inverse ? without_rounding(v) : narrowed(v));
}

void shift(Call& c, bool inverse) {
  Value v = stored(c[0]);
  const Dims d = v.dims();
  for (int k = 0; k < d.count(); ++k) {
    if (c.has(1) && k + 1 != c.whole(1)) continue;
    const Index by = inverse ? (d[k] + 1) / 2 : d[k] / 2;
    v = c.oml.call_named("circshift", {v, Value(by), Value(k + 1)}, 1)[0];
  }
  c.ret(v);
}

void conv2(Call& c) {
  Value a, b;
  std::string shape = "full";
  if (c.is_text(c.count() - 1)) shape = c.text(c.count() - 1);
  const int data = c.is_text(c.count() - 1) ? c.count() - 1 : c.count();
  if (shape != "full" && shape != "same" && shape != "valid")
    fail_argument(c.count(), "must be 'full', 'same' or 'valid'");
  bool empty = false;
  for (int k = 0; k < data; ++k) empty = empty || c[k].is_empty();
  for (int k = 0; k < data && !empty; ++k) {
    if (c[k].is_complex()) fail_argument(k + 1, "must be real");
  }
  if (data == 3 && !c[2].is_empty()) {
    for (int k = 0; k < 2; ++k)
      if (!c[k].dims().is_vector() || c[k].is_empty()) fail_argument(k + 1, "must be a vector");
  }
  if (data == 3) {
    const Value column = to_numeric(c[0]), row = to_numeric(c[1]);
    const Value colon = Value::colon();
    b = matrix_product(index_value(column, std::span<const Value>(&colon, 1)),
                       transpose(boxed(index_value(row, std::span<const Value>(&colon, 1))), false));
    a = c[2];
  } else {
    a = c[0], b = c[1];
  }
  const math::ComplexMatrix x = complex_matrix(full(a)), y = complex_matrix(full(b));
  const Index m = x.rows, n = x.cols, p = y.rows, q = y.cols;
  if (m * n == 0 || p * q == 0) return c.ret(Value::zeros(shape == "same" ? a.dims() : Dims(0, 0)));
  checked_numel(Dims(m + p - 1, n + q - 1));
  Value out = result(math::convolve(x, y, [&] { c.oml.tick(); }));
  if (shape == "same") {
    const Index row = p / 2 + 1, column = q / 2 + 1;
    out = index_value(boxed(out), Values{Value(new Range(static_cast<double>(row), 1, m)),
                                         Value(new Range(static_cast<double>(column), 1, n))});
  } else if (shape == "valid") {
    const Index vm = std::max<Index>(0, m - p + 1), vn = std::max<Index>(0, n - q + 1);
    out = index_value(boxed(out), Values{Value(new Range(static_cast<double>(p), 1, vm)),
                                         Value(new Range(static_cast<double>(q), 1, vn))});
  }
  c.ret(out);
}

void filter2(Call& c) {
  const Value b = c.oml.call_named("rot90", {c[0], Value(2)}, 1)[0];
  Values args = {c[1], b, c.has(2) ? c[2] : Value::text("same")};
  Call inner{c.oml, "conv2", args, 1, c.out};
  conv2(inner);
}

constexpr Builtin fourier_table[] = {
    {"fft", 1, 3, [](Call& c) { one_dimension(c, false); },
     "fft(x, n, dim): discrete Fourier transform, cut or padded to n points.", "data, dim?, dim?"},
    {"ifft", 1, 3, [](Call& c) { one_dimension(c, true); }, "ifft(x, n, dim): inverse discrete Fourier transform.",
     "data, dim?, dim?"},
    {"fft2", 1, 3, [](Call& c) { many_dimensions(c, false, 2); }, "fft2(A, m, n): Fourier transform in two dimensions.",
     "data, dim, dim"},
    {"ifft2", 1, 3, [](Call& c) { many_dimensions(c, true, 2); },
     "ifft2(A, m, n): inverse Fourier transform in two dimensions.", "data, dim, dim"},
    {"fftn", 1, 2, [](Call& c) { many_dimensions(c, false, 0); },
     "fftn(A, sizes): Fourier transform in all dimensions.", "data, real"},
    {"ifftn", 1, 2, [](Call& c) { many_dimensions(c, true, 0); },
     "ifftn(A, sizes): inverse Fourier transform in all dimensions.", "data, real"},
    {"fftshift", 1, 2, [](Call& c) { shift(c, false); }, "fftshift(x, dim): moves the zero frequency to the middle.",
     "data, dim?"},
    {"ifftshift", 1, 2, [](Call& c) { shift(c, true); }, "ifftshift(x, dim): undoes fftshift.", "data, dim?"},
    {"conv2", 2, 4, conv2,
     "conv2(A, B, 'full'|'same'|'valid'): convolution in two dimensions; conv2(u, v, A) with a separable kernel.",
     "number matrix, number matrix, number matrix text, text"},
    {"filter2", 2, 3, filter2, "filter2(B, A, shape): correlation of A with the kernel B.",
     "real, real, word:full/same/valid"},
};

}  // namespace

BuiltinFamily fourier_builtins() { return fourier_table; }

}  // namespace orrery::oml
