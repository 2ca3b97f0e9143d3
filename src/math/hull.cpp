// SPDX-License-Identifier: Apache-2.0
// Hulls and triangulations by qhull (Barber, Dobkin and Huhdanpaa, ACM Trans. Math. Software 22, 1996).
#include "math/hull.h"

extern "C" {
#include <libqhull_r/qhull_ra.h>
}

#include <algorithm>
#include <cmath>
#include <exception>

#include "math/matrix.h"

namespace {

// qhull's state and what belongs to it here; qhull passes the address of the first around.
struct Run {
  qhT qh = {};
  const std::function<void()>* turn = nullptr;
  std::exception_ptr thrown;
};

}  // namespace

// qhull leaves this function to its users. Nothing is printed; the reports of progress that the option TF asks for are
// the moments at which it can be interrupted. Its own way out of deep calls is a longjmp, which exceptions must not do.
extern "C" void qh_fprintf(qhT* qh, FILE*, int code, const char*, ...) {
  constexpr int progress = 8118, progress_at_point = 8119;
  if (qh == nullptr || (code != progress && code != progress_at_point)) return;
  Run* run = reinterpret_cast<Run*>(qh);
  try {
    if (*run->turn) (*run->turn)();
  } catch (...) {
    run->thrown = std::current_exception();
  }
  if (run->thrown) qh_errexit(qh, qh_ERRother, nullptr, nullptr);
}

namespace orrery::math {
namespace {

// Calls `each` with the vertices of the facets that are left.
template <class F>
void run_qhull(std::vector<double> points, int dimension, const char* command, const std::function<void()>& turn,
               F each) {
  Run run;
  run.turn = &turn;
  qhT* qh = &run.qh;
  qh_zero(qh, nullptr);
  const int count = static_cast<int>(points.size()) / dimension;
  std::string text = command;
  const int code = qh_new_qhull(qh, dimension, count, points.data(), False, text.data(), nullptr, nullptr);
  if (code == 0) {
    facetT* facet = nullptr;
    FORALLfacets {
      std::vector<int> vertices;
      vertexT *vertex = nullptr, **vertexp = nullptr;
      FOREACHvertex_(facet->vertices) vertices.push_back(qh_pointid(qh, vertex->point));
      each(*facet, std::move(vertices));
    }
  }
  qh_freeqhull(qh, qh_ALL);
  int kept = 0, bytes = 0;
  qh_memfreeshort(qh, &kept, &bytes);
  if (run.thrown) std::rethrow_exception(run.thrown);
  // Too few points and points in a plane are an empty answer.
  if (code != 0 && code != qh_ERRsingular && code != qh_ERRinput) throw Error("no hull was found");
}

}  // namespace

double determinant(std::vector<double> m, int n) {
  double det = 1;
  for (int k = 0; k < n; ++k) {
    int pivot = k;
    for (int r = k + 1; r < n; ++r)
      if (std::abs(m[r * n + k]) > std::abs(m[pivot * n + k])) pivot = r;
    if (m[pivot * n + k] == 0) return 0;
    if (pivot != k) {
      for (int c = 0; c < n; ++c) std::swap(m[k * n + c], m[pivot * n + c]);
      det = -det;
    }
    det *= m[k * n + k];
    for (int r = k + 1; r < n; ++r) {
      const double f = m[r * n + k] / m[k * n + k];
      for (int c = k; c < n; ++c) m[r * n + c] -= f * m[k * n + c];
    }
  }
  return det;
}

std::vector<HullFacet> convex_hull(const std::vector<double>& points, int dimension,
                                   const std::function<void()>& turn) {
  std::vector<HullFacet> out;
  const auto d = static_cast<std::size_t>(dimension);
  run_qhull(points, dimension, "qhull Qt TF100", turn, [&](const facetT& facet, std::vector<int> vertices) {
    if (vertices.size() != d) return;
    HullFacet f{std::move(vertices), std::vector<double>(facet.normal, facet.normal + dimension), -facet.offset};
    // The normal and the edges from the first vertex form a right-handed system.
    std::vector<double> rows = f.normal;
    const auto at = [&](int v, std::size_t k) { return points[static_cast<std::size_t>(v) * d + k]; };
    for (std::size_t r = 1; r < d; ++r)
      for (std::size_t k = 0; k < d; ++k) rows.push_back(at(f.vertices[r], k) - at(f.vertices[0], k));
    if (determinant(std::move(rows), dimension) < 0) std::swap(f.vertices[0], f.vertices[1]);
    out.push_back(std::move(f));
  });
  return out;
}

std::vector<std::vector<int>> delaunay(const std::vector<double>& points, int dimension,
                                       const std::function<void()>& turn) {
  std::vector<std::vector<int>> out;
  const auto d = static_cast<std::size_t>(dimension);
  double scale = 0;
  for (std::size_t k = 0; k < points.size(); ++k) scale = std::max(scale, std::abs(points[k] - points[k % d]));
  // Qbb and Qz: points of very different sizes, and points that lie on one sphere.
  const char* command = dimension > 3 ? "qhull d Qt Qbb Qc Qz Qx TF100" : "qhull d Qt Qbb Qc Qz TF100";
  run_qhull(points, dimension, command, turn, [&](const facetT& facet, std::vector<int> v) {
    if (facet.upperdelaunay || v.size() != d + 1) return;
    std::sort(v.begin(), v.end());
    std::vector<double> edges;
    const auto at = [&](int p, std::size_t k) { return points[static_cast<std::size_t>(p) * d + k]; };
    for (std::size_t r = 1; r <= d; ++r)
      for (std::size_t k = 0; k < d; ++k) edges.push_back((at(v[r], k) - at(v[0], k)) / scale);
    const double volume = determinant(std::move(edges), dimension);
    if (std::abs(volume) < 1e-13) return;
    if (volume < 0) std::swap(v[d - 1], v[d]);
    out.push_back(std::move(v));
  });
  return out;
}

}  // namespace orrery::math
