// SPDX-License-Identifier: Apache-2.0
// Making and inspecting sparse matrices.
#include <algorithm>
#include <cmath>

#include "oml/builtins/families.h"
#include "oml/builtins/map.h"
#include "oml/interpreter.h"
#include "oml/sparse.h"

namespace orrery::oml {
namespace {

// Of elements given several times only the last.
std::vector<Triplet> last_of_each(std::vector<Triplet> list) {
  const auto place = [](const Triplet& t) { return std::pair(t.col, t.row); };
  std::stable_sort(list.begin(), list.end(), [&](const Triplet& a, const Triplet& b) { return place(a) < place(b); });
  std::vector<Triplet> kept;
  for (const Triplet& t : list) {
    if (!kept.empty() && place(kept.back()) == place(t)) kept.pop_back();
    kept.push_back(t);
  }
  return kept;
}

void make_sparse(Call& c) {
  if (c.count() == 1) return c.ret(to_sparse(c[0]));
  if (c.count() == 2) return c.ret(sparse_from_triplets(c.whole(0), c.whole(1), {}));
  const std::vector<double> i = to_vector(c[0]), j = to_vector(c[1]);
  const Value v = to_complex(c[2]);
  const std::size_t n = std::max({i.size(), j.size(), static_cast<std::size_t>(v.numel())});
  const auto fits = [n](std::size_t k) { return k == 1 || k == n; };
  if (!fits(i.size()) || !fits(j.size()) || !fits(static_cast<std::size_t>(v.numel())))
    fail("sizes of the arguments do not match");
  std::vector<Triplet> list;
  Index rows = 0, cols = 0;
  for (std::size_t k = 0; k < n; ++k) {
    const double r = i[i.size() == 1 ? 0 : k], q = j[j.size() == 1 ? 0 : k];
    if (r != std::floor(r) || q != std::floor(q)) fail("index must be a positive integer");
    if (!(r >= 1 && q >= 1)) fail("index out of bounds: the first element has index 1");
    if (r > 9e15 || q > 9e15) fail("index out of bounds: it is too large for a matrix");
    list.push_back({static_cast<Index>(r) - 1, static_cast<Index>(q) - 1,
                    v.complex()[v.numel() == 1 ? 0 : static_cast<Index>(k)]});
    rows = std::max(rows, list.back().row + 1);
    cols = std::max(cols, list.back().col + 1);
  }
  if (c.count() == 4) fail_argument(5, "is missing: the number of columns");
  if (c.has(5) && c.is_text(5) && c.text(5) == "unique") list = last_of_each(std::move(list));
  if (c.count() >= 5) rows = c.whole(3), cols = c.whole(4);
  Value out = sparse_from_triplets(rows, cols, std::move(list));
  if (c[2].is_logical()) out = to_sparse(to_logical(full(out)));
  c.ret(out);
}

void speye(Call& c) {
  Index m = 1, n = 1;
  if (c.count() == 1) {
    const std::vector<double> d = to_vector(c[0]);
    m = static_cast<Index>(d.at(0));
    n = d.size() > 1 ? static_cast<Index>(d[1]) : m;
  } else if (c.count() == 2) {
    m = c.whole(0), n = c.whole(1);
  }
  if (m < 0 || n < 0) fail_argument(1, "must not be negative");
  require_memory(std::max(m, n), 64);
  std::vector<Triplet> list;
  for (Index k = 0; k < std::min(m, n); ++k) list.push_back({k, k, 1});
  c.ret(sparse_from_triplets(m, n, std::move(list)));
}

void spones(Call& c) {
  const Value s = to_sparse(c[0]);
  std::vector<Triplet> list = triplets_of(s.sparse());
  for (Triplet& t : list) t.value = 1;
  c.ret(sparse_from_triplets(s.sparse().rows, s.sparse().cols, std::move(list)));
}

void nonzeros(Call& c) {
  const Value s = to_sparse(c[0]);
  const std::vector<Triplet> list = triplets_of(s.sparse());
  Value out = Value::complex_zeros(Dims(static_cast<Index>(list.size()), 1));
  for (std::size_t k = 0; k < list.size(); ++k) out.edit_complex()[static_cast<Index>(k)] = list[k].value;
  c.ret(narrowed(out));
}

void nzmax(Call& c) { c.ret(Value(c[0].kind() == Kind::sparse ? c[0].sparse().nonzeros() : c[0].numel())); }

void spdiags(Call& c) {
  const Value b = to_real(c[0]);
  const std::vector<double> d = to_vector(c[1]);
  const Index m = c.whole(2), n = c.whole(3);
  std::vector<Triplet> list;
  for (std::size_t k = 0; k < d.size(); ++k) {
    if (!(std::fabs(d[k]) < 9e15)) fail_argument(2, "must be numbers of diagonals");
    const auto offset = static_cast<Index>(d[k]);
    for (Index r = std::max<Index>(0, -offset); r < m && r + offset < n; ++r) {
      const Index from = m >= n ? r + offset : r;
      if (from < b.dims().rows()) list.push_back({r, r + offset, b.real().at(from, static_cast<Index>(k))});
    }
  }
  c.ret(sparse_from_triplets(m, n, std::move(list)));
}

constexpr Builtin sparse_table[] = {
    {"sparse", 1, 6, make_sparse,
     "sparse(A), sparse(m, n) sparse(i, j, v, m, n) or sparse(i, j, v, m, n, 'unique'): a sparse matrix; duplicates "
     "are added, or the last of them counts.",
     "data, data, data, count, count, real scalar word:unique/sum"},
    {"full", 1, 1, [](Call& c) { c.ret(unboxed(stored(full(c[0])))); }, "full(S): the matrix with its zeros stored.",
     "data"},
    {"speye", 0, 2, speye, "speye(m, n): sparse identity.", "realsizes"},
    {"spones", 1, 1, spones, "spones(S): ones where S is not zero.", "data"},
    {"nonzeros", 1, 1, nonzeros, "nonzeros(S): column of the elements that are not zero.", "data"},
    {"nzmax", 1, 1, nzmax, "nzmax(S): number of stored elements.", "data"},
    {"spdiags", 4, 4, spdiags, "spdiags(B, d, m, n): sparse matrix with the columns of B on diagonals d.",
     "number, real, count, count"},
};

}  // namespace

BuiltinFamily sparse_builtins() { return sparse_table; }

}  // namespace orrery::oml
