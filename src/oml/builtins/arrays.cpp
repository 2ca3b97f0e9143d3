// SPDX-License-Identifier: Apache-2.0
// Making arrays and asking for their sizes.
#include <algorithm>
#include <cmath>
#include <limits>

#include "oml/builtins/complex_parts.h"
#include "oml/builtins/families.h"
#include "oml/builtins/map.h"
#include "oml/indexing.h"
#include "oml/interpreter.h"
#include "oml/operators.h"

namespace orrery::oml {

Dims dims_from(const Call& c, int first) {
  int last = c.count();
  while (last > first && is_class_name(c[last - 1])) --last;
  if (last <= first) return Dims(1, 1);
  std::vector<Index> sizes;
  if (last == first + 1) {
    const Value v = to_real(c[first].is_complex() ? Value(c.number(first)) : c[first]);
    if (v.real().size() == 1)
      sizes = {c.whole(first), c.whole(first)};
    else
      for (double x : v.real().data) {
        if (x != std::floor(x)) fail_argument(first + 1, "must be a vector of integers");
        sizes.push_back(static_cast<Index>(x));
      }
  } else {
    for (int k = first; k < last; ++k) sizes.push_back(c.whole(k));
  }
  for (Index& s : sizes) s = std::max<Index>(s, 0);
  while (sizes.size() < 2) sizes.push_back(1);
  return Dims(sizes);
}

void require_memory(Index count, Index bytes) {
  if (count < 0 || count > (Index{1} << 40)) count = Index{1} << 40;
  const auto total = static_cast<std::size_t>(count * bytes);
  charge_memory(total);
  memory_account().used -= total;
}

int dim_argument(const Call& c, int k, const Dims& dims) {
  if (!c.has(k) || (c[k].is_empty() && !c[k].is_text())) return dims.first_non_singleton();
  const Index dim = c[k].is_text() ? 0 : c.whole(k);
  if (dim < 1) fail_argument(k + 1, "must be a positive integer");
  if (dim > Dims::max_count) return Dims::max_count - 1;
  return static_cast<int>(dim) - 1;
}

namespace {

// zeros(2, 3, 'int8') and the like: the class named last.
void give_in_class(Call& c, const Value& numbers) {
  static constexpr std::string_view classes[] = {"single", "int8",   "int16",  "int32", "int64",
                                                 "uint8",  "uint16", "uint32", "uint64"};
  const int last = c.count() - 1;
  const std::string name = last >= 0 && c.is_text(last) ? c.text(last) : std::string();
  if (std::find(std::begin(classes), std::end(classes), name) == std::end(classes)) return c.ret(unboxed(numbers));
  c.ret(c.oml.call_named(name, {numbers}, 1)[0]);
}

void fill(Call& c, double x) {
  Value out = Value::zeros(dims_from(c, 0));
  if (x != 0) std::fill(out.edit_real().data.begin(), out.edit_real().data.end(), x);
  give_in_class(c, out);
}

void fill_logical(Call& c, bool x) {
  Value out = Value::logical_zeros(dims_from(c, 0));
  if (x) std::fill(out.edit_bytes().data.begin(), out.edit_bytes().data.end(), std::uint8_t{1});
  c.ret(unboxed(out));
}

void eye(Call& c) {
  const Dims d = dims_from(c, 0);
  Value out = Value::zeros(Dims(d.rows(), d.cols()));
  RealArray& a = out.edit_real();
  for (Index i = 0; i < std::min(d.rows(), d.cols()); ++i) a.at(i, i) = 1;
  give_in_class(c, out);
}

void linspace(Call& c) {
  const Index n = c.has(2) ? std::max<Index>(1, static_cast<Index>(std::floor(c.number(2)))) : 100;
  if (c[0].is_empty() || c[1].is_empty()) return c.ret(Value::zeros(Dims(0, n)));
  if (c[0].is_complex() || c[1].is_complex()) {
    const Complex a = to_complex_scalar(c[0]), b = to_complex_scalar(c[1]);
    Value out = Value::complex_zeros(Dims(1, n));
    for (Index i = 0; i < n; ++i) {
      out.edit_complex()[i] = i == n - 1 ? b : a + (b - a) * (static_cast<double>(i) / static_cast<double>(n - 1));
    }
    return c.ret(narrowed(out));
  }
  if (c[0].numel() > 1 || c[1].numel() > 1) {
    // Vectors of start and end values: a row for each pair.
    const std::vector<double> from = to_vector(c[0]), to = to_vector(c[1]);
    const std::size_t m = std::max(from.size(), to.size());
    if ((from.size() != m && from.size() != 1) || (to.size() != m && to.size() != 1))
      fail("vectors must have the same length");
    Value rows = Value::real_uninitialised(Dims(static_cast<Index>(m), n));
    for (std::size_t k = 0; k < m; ++k) {
      const double x = from[from.size() == 1 ? 0 : k], y = to[to.size() == 1 ? 0 : k];
      for (Index i = 0; i < n; ++i)
        rows.edit_real().at(static_cast<Index>(k), i) =
            i == n - 1 ? y : x + static_cast<double>(i) * ((y - x) / static_cast<double>(n - 1));
    }
    return c.ret(rows);
  }
  const double a = c.number(0), b = c.number(1);
  Value out = Value::real_uninitialised(Dims(1, n));
  RealArray& r = out.edit_real();
  for (Index i = 0; i < n; ++i) r[i] = a + static_cast<double>(i) * ((b - a) / static_cast<double>(n - 1));
  r[n - 1] = b;
  c.ret(unboxed(out));
}

void logspace(Call& c) {
  const Index n = c.has(2) ? std::max<Index>(1, c.whole(2)) : 50;
  const double a = c.number(0), b = c.number(1);
  Value out = Value::real_uninitialised(Dims(1, n));
  RealArray& r = out.edit_real();
  for (Index i = 0; i < n; ++i) {
    r[i] = std::pow(10.0, n == 1 ? b : a + static_cast<double>(i) * (b - a) / static_cast<double>(n - 1));
  }
  c.ret(unboxed(out));
}

void size(Call& c) {
  const Dims d = c[0].dims();
  if (c.has(1)) {
    const std::vector<double> which = to_vector(c[1]);
    std::vector<double> out;
    for (double k : which) {
      if (k < 1 || k != std::floor(k)) fail_argument(2, "must be a positive integer");
      out.push_back(static_cast<double>(d[static_cast<int>(std::min(k, 1000.0)) - 1]));
    }
    return c.ret(unboxed(Value::row(out)));
  }
  if (c.nargout <= 1) {
    std::vector<double> out;
    for (int k = 0; k < d.count(); ++k) out.push_back(static_cast<double>(d[k]));
    return c.ret(Value::row(out));
  }
  for (int k = 0; k < c.nargout; ++k) {
    Index n = d[k];
    if (k == c.nargout - 1)
      for (int j = k + 1; j < d.count(); ++j) n *= d[j];
    c.ret(Value(n));
  }
}

void length(Call& c) {
  const Dims d = c[0].dims();
  Index n = 0;
  if (d.numel() > 0)
    for (int k = 0; k < d.count(); ++k) n = std::max(n, d[k]);
  c.ret(Value(n));
}

void numel(Call& c) { c.ret(Value(c[0].numel())); }
void ndims(Call& c) { c.ret(Value(c[0].dims().count())); }

void meshgrid(Call& c) {
  const std::vector<double> x = to_vector(c[0]), y = c.has(1) ? to_vector(c[1]) : x;
  const bool three = c.has(2) || c.nargout == 3;
  const std::vector<double> z = c.has(2) ? to_vector(c[2]) : three ? x : std::vector<double>{0};
  const auto nx = static_cast<Index>(x.size()), ny = static_cast<Index>(y.size()), nz = static_cast<Index>(z.size());
  const Dims d = three ? Dims({ny, nx, nz}) : Dims(ny, nx);
  Value xs = Value::zeros(d), ys = Value::zeros(d), zs = Value::zeros(d);
  for (Index k = 0; k < nz; ++k) {
    for (Index i = 0; i < nx; ++i) {
      for (Index j = 0; j < ny; ++j) {
        const Index at = j + ny * (i + nx * k);
        xs.edit_real()[at] = x[static_cast<std::size_t>(i)];
        ys.edit_real()[at] = y[static_cast<std::size_t>(j)];
        zs.edit_real()[at] = z[static_cast<std::size_t>(k)];
      }
    }
  }
  c.ret(xs);
  c.ret(ys);
  if (three) c.ret(zs);
}

void ndgrid(Call& c) {
  const int n = std::max(c.count() == 1 ? std::max(c.nargout, 2) : c.count(), 1);
  std::vector<std::vector<double>> axes;
  std::vector<Index> sizes;
  for (int k = 0; k < n; ++k) {
    axes.push_back(to_vector(c[c.count() == 1 ? 0 : k]));
    sizes.push_back(static_cast<Index>(axes.back().size()));
  }
  const Dims d(sizes);
  for (int k = 0; k < n; ++k) {
    Value v = Value::zeros(d);
    RealArray& a = v.edit_real();
    const Index stride = d.stride(k);
    for (Index i = 0; i < a.size(); ++i) {
      a[i] = axes[static_cast<std::size_t>(k)]
                 [static_cast<std::size_t>((i / stride) % sizes[static_cast<std::size_t>(k)])];
    }
    c.ret(v);
  }
}

// Sizes, and behind them 'double', 'single' or 'float'.
void constant_of_class(Call& c, double f64, double f32) {
  double x = f64;
  for (int k = 0; k < c.count(); ++k) {
    if (!c[k].is_text()) continue;
    const std::string name = c.text(k);
    if (k + 1 < c.count() || (name != "double" && name != "single" && name != "float"))
      fail_argument(k + 1, "must be 'double', 'single' or 'float', behind the sizes");
    if (name != "double") x = f32;
    c.args.pop_back();
  }
  check_arguments(Arguments("sizes"), c.args);
  fill(c, x);
}

void eps(Call& c) {
  if (c.count() == 1 && !c[0].is_text()) {
    if (c[0].is_empty()) fail_argument(1, "must not be empty");
    return c.ret(map_real(c[0], [](double x) {
      x = std::abs(x);
      return std::isfinite(x) ? std::nextafter(x, INFINITY) - x : NAN;
    }));
  }
  constant_of_class(c, 0x1p-52, static_cast<double>(std::numeric_limits<float>::epsilon()));
}

void imaginary_unit(Call& c) {
  const Dims d = dims_from(c, 0);
  Value out = Value::complex_zeros(d);
  for (Complex& z : out.edit_complex().data) z = Complex(0, 1);
  c.ret(out);
}

void cell(Call& c) {
  if (c.count() == 0) return c.ret(Value::cell(Dims(0, 0)));
  if (c.count() == 1 && c[0].numel() > 2) fail_argument(1, "must be a scalar or two sizes");
  c.ret(Value::cell(dims_from(c, 0)));
}

void real_toeplitz(Call& c) {
  const std::vector<double> col = to_vector(c[0]), row = c.has(1) ? to_vector(c[1]) : col;
  Value out = Value::zeros(Dims(static_cast<Index>(col.size()), static_cast<Index>(row.size())));
  RealArray& a = out.edit_real();
  for (Index r = 0; r < a.dims.rows(); ++r) {
    for (Index k = 0; k < a.dims.cols(); ++k) {
      a.at(r, k) = r >= k ? col[static_cast<std::size_t>(r - k)] : row[static_cast<std::size_t>(k - r)];
    }
  }
  c.ret(unboxed(out));
}

// Of one complex vector, which is the first row, the matrix is Hermitian but for its diagonal.
void toeplitz(Call& c) {
  if (c.count() == 1 && c[0].is_complex() && c[0].numel() > 0) {
    Value column = c.oml.call_named("conj", {c[0]}, 1)[0];
    const Value row = to_complex(c[0]);
    column = to_complex(column);
    column.edit_complex()[0] = row.complex()[0];
    c.args = {column, row};
  }
  run_by_parts(c, 0, 2, real_toeplitz);
}

void real_hankel(Call& c) {
  const std::vector<double> col = to_vector(c[0]);
  const std::vector<double> row = c.has(1) ? to_vector(c[1]) : std::vector<double>(col.size(), 0.0);
  const std::size_t m = col.size(), n = row.size();
  Value out = Value::zeros(Dims(static_cast<Index>(m), static_cast<Index>(n)));
  RealArray& a = out.edit_real();
  for (std::size_t r = 0; r < m; ++r) {
    for (std::size_t k = 0; k < n; ++k) {
      a.at(static_cast<Index>(r), static_cast<Index>(k)) = r + k < m ? col[r + k] : row[r + k - m + 1];
    }
  }
  c.ret(unboxed(out));
}

void vander(Call& c) {
  const std::vector<double> x = to_vector(c[0]);
  const Index m = static_cast<Index>(x.size()), n = c.has(1) ? c.whole(1) : m;
  Value out = Value::zeros(Dims(m, n));
  for (Index r = 0; r < m; ++r) {
    for (Index k = 0; k < n; ++k) {
      out.edit_real().at(r, k) = std::pow(x[static_cast<std::size_t>(r)], static_cast<double>(n - 1 - k));
    }
  }
  c.ret(unboxed(out));
}

void hilb(Call& c) {
  const Index n = c.whole(0);
  Value out = Value::zeros(Dims(n, n));
  for (Index r = 0; r < n; ++r) {
    for (Index k = 0; k < n; ++k) out.edit_real().at(r, k) = 1.0 / static_cast<double>(r + k + 1);
  }
  c.ret(unboxed(out));
}

void magic(Call& c) {
  const Index n = c.whole(0);
  Value out = Value::zeros(Dims(std::max<Index>(n, 0), std::max<Index>(n, 0)));
  if (n <= 0) return c.ret(out);
  RealArray& a = out.edit_real();
  if (n % 2 == 1) {
    // Siamese method, starting in the middle of the top row.
    Index r = 0, k = n / 2;
    for (Index v = 1; v <= n * n; ++v) {
      a.at(r, k) = static_cast<double>(v);
      const Index nr = (r + n - 1) % n, nk = (k + 1) % n;
      if (a.at(nr, nk) != 0)
        r = (r + 1) % n;
      else
        r = nr, k = nk;
    }
  } else if (n % 4 == 0) {
    for (Index r = 0; r < n; ++r) {
      for (Index k = 0; k < n; ++k) {
        const Index v = r * n + k + 1;
        const bool keep = ((r % 4 == 0 || r % 4 == 3) != (k % 4 == 0 || k % 4 == 3));
        a.at(r, k) = static_cast<double>(keep ? v : n * n + 1 - v);
      }
    }
  } else {
    // Strachey's method for singly even orders.
    const Index h = n / 2, q = h * h;
    Value quarter = Value::zeros(Dims(h, h));
    RealArray& m = quarter.edit_real();
    Index r = 0, k = h / 2;
    for (Index v = 1; v <= q; ++v) {
      m.at(r, k) = static_cast<double>(v);
      const Index nr = (r + h - 1) % h, nk = (k + 1) % h;
      if (m.at(nr, nk) != 0)
        r = (r + 1) % h;
      else
        r = nr, k = nk;
    }
    const auto qd = static_cast<double>(q);
    for (Index i = 0; i < h; ++i) {
      for (Index j = 0; j < h; ++j) {
        a.at(i, j) = m.at(i, j);
        a.at(i + h, j + h) = m.at(i, j) + qd;
        a.at(i, j + h) = m.at(i, j) + 2 * qd;
        a.at(i + h, j) = m.at(i, j) + 3 * qd;
      }
    }
    const Index w = (n - 2) / 4;
    for (Index i = 0; i < h; ++i) {
      for (Index j = 0; j < n; ++j) {
        bool swap = j < w || j >= n - w + 1;
        if (i == h / 2) swap = (j >= 1 && j <= w) || j >= n - w + 1;
        if (swap) std::swap(a.at(i, j), a.at(i + h, j));
      }
    }
  }
  c.ret(unboxed(out));
}

constexpr Builtin array_table[] = {
    {"zeros", 0, -1, [](Call& c) { fill(c, 0); },
     "zeros(m, n, ...): array of zeros. zeros(n) is square, zeros([m n]) takes a vector of sizes.", "sizes"},
    {"ones", 0, -1, [](Call& c) { fill(c, 1); }, "ones(m, n, ...): array of ones.", "sizes"},
    {"true", 0, -1, [](Call& c) { fill_logical(c, true); }, "true(m, n, ...): logical array of ones.", "sizes"},
    {"false", 0, -1, [](Call& c) { fill_logical(c, false); }, "false(m, n, ...): logical array of zeros.", "sizes"},
    {"pi", 0, -1, [](Call& c) { fill(c, 3.14159265358979323846); }, "pi: the circle constant; pi(m, n) an array of it.",
     "sizes"},
    {"e", 0, -1, [](Call& c) { fill(c, 2.71828182845904523536); }, "e: the base of natural logarithms.", "sizes"},
    {"Inf", 0, -1, [](Call& c) { fill(c, INFINITY); }, "Inf(m, n, ...): infinity.", "sizes"},
    {"inf", 0, -1, [](Call& c) { fill(c, INFINITY); }, "inf(m, n, ...): infinity.", "sizes"},
    {"NaN", 0, -1, [](Call& c) { fill(c, NAN); }, "NaN(m, n, ...): not a number.", "sizes"},
    {"nan", 0, -1, [](Call& c) { fill(c, NAN); }, "nan(m, n, ...): not a number.", "sizes"},
    {"NA", 0, -1, [](Call& c) { fill(c, NAN); }, "NA(m, n, ...): missing value, kept as NaN.", "sizes"},
    {"i", 0, -1, imaginary_unit, "i: the imaginary unit.", "sizes"},
    {"j", 0, -1, imaginary_unit, "j: the imaginary unit.", "sizes"},
    {"I", 0, -1, imaginary_unit, "I: the imaginary unit.", "sizes"},
    {"J", 0, -1, imaginary_unit, "J: the imaginary unit.", "sizes"},
    {"eps", 0, -1, eps, "eps(x): distance from x to the next larger number; eps alone is eps(1).",
     "data option:double/single/float, ..."},
    {"realmax", 0, -1,
     [](Call& c) {
       constant_of_class(c, std::numeric_limits<double>::max(), static_cast<double>(std::numeric_limits<float>::max()));
     },
     "realmax: the largest finite number.", "data option:double/single/float, ..."},
    {"realmin", 0, -1,
     [](Call& c) {
       constant_of_class(c, std::numeric_limits<double>::min(), static_cast<double>(std::numeric_limits<float>::min()));
     },
     "realmin: the smallest normal number.", "data option:double/single/float, ..."},
    {"flintmax", 0, 1, [](Call& c) { constant_of_class(c, 9007199254740992.0, 16777216.0); },
     "flintmax: the largest consecutive integer a number can hold.", "word:double/single/float"},
    {"eye", 0, -1, eye, "eye(m, n): identity matrix.", "realsizes"},
    {"linspace", 2, 3, linspace, "linspace(a, b, n): n values from a to b at equal distances (100 by default).",
     "number, number, real scalar"},
    {"logspace", 2, 3, logspace,
     "logspace(a, b, n): n values from 10^a to 10^b, logarithmically spaced (50 by default).",
     "real scalar, real scalar, real scalar"},
    {"size", 1, 2, size, "size(x): sizes as a row; size(x, k) one of them; [m, n] = size(x) one per output.",
     "any, real filled"},
    {"length", 1, 1, length, "length(x): the largest size, 0 when empty.", "any"},
    {"numel", 1, -1, numel, "numel(x): number of elements.", "any, ..."},
    {"rows", 1, 1, [](Call& c) { c.ret(Value(c[0].dims().rows())); }, "rows(x): number of rows.", "any"},
    {"columns", 1, 1, [](Call& c) { c.ret(Value(c[0].dims().cols())); }, "columns(x): number of columns.", "any"},
    {"ndims", 1, 1, ndims, "ndims(x): number of dimensions, at least 2.", "any"},
    {"meshgrid", 1, 3, [](Call& c) { run_by_parts(c, 0, 3, meshgrid); },
     "[X, Y] = meshgrid(x, y): coordinates of a grid; rows follow y, columns x.", "number, ..."},
    {"ndgrid", 1, -1, [](Call& c) { run_by_parts(c, 0, c.count(), ndgrid); },
     "[X1, X2, ...] = ndgrid(x1, x2, ...): coordinates of a grid; dimension k follows xk.", "number, ..."},
    {"cell", 0, -1, cell, "cell(m, n, ...): cell array of empty matrices.", "real filled, ..."},
    {"toeplitz", 1, 2, toeplitz, "toeplitz(c, r): matrix with constant diagonals, first column c and first row r.",
     "number vector, number vector"},
    {"hankel", 1, 2, [](Call& c) { run_by_parts(c, 0, 2, real_hankel); },
     "hankel(c, r): matrix with constant anti-diagonals, first column c and last row r.",
     "number vector, number vector"},
    {"vander", 1, 2, vander, "vander(x, n): Vandermonde matrix with columns x.^(n-1) ... x.^0.", "real vector, count"},
    {"hilb", 1, 1, hilb, "hilb(n): Hilbert matrix with elements 1/(i+j-1).", "real scalar whole"},
    {"magic", 1, 1, magic, "magic(n): magic square of order n.", "real scalar whole"},
};

}  // namespace

BuiltinFamily array_builtins() { return array_table; }

}  // namespace orrery::oml
