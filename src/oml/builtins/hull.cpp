// SPDX-License-Identifier: Apache-2.0
// Beneath-beyond: points are added one by one; what a point sees of the hull is replaced by a cone from its horizon
// (Preparata and Shamos, "Computational Geometry", section 3.4).
#include "oml/builtins/hull.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace orrery::oml {

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

namespace {

class Builder {
 public:
  Builder(const std::vector<double>& points, int dimension) : points_(points), d_(dimension) {
    double largest = 0;
    for (double x : points) largest = std::max(largest, std::abs(x));
    tolerance_ = 1e-12 * std::max(largest, 1e-300);
  }

  std::vector<HullFacet> build(const std::function<void()>& turn) {
    std::vector<int> first;
    if (!start(first)) return {};
    const int n = static_cast<int>(points_.size()) / d_;
    for (int p = 0; p < n; ++p) {
      turn();
      if (std::find(first.begin(), first.end(), p) == first.end()) add(p);
    }
    return facets_;
  }

 private:
  const double* at(int p) const { return &points_[static_cast<std::size_t>(p * d_)]; }

  // d + 1 points that span the space, chosen for the largest distance from what the earlier ones span.
  bool start(std::vector<int>& chosen) {
    const int n = static_cast<int>(points_.size()) / d_;
    if (n < d_ + 1) return false;
    chosen = {0};
    std::vector<std::vector<double>> basis;
    while (static_cast<int>(chosen.size()) <= d_) {
      int best = -1;
      double farthest = 10 * tolerance_;
      std::vector<double> direction;
      for (int p = 0; p < n; ++p) {
        std::vector<double> v(static_cast<std::size_t>(d_));
        for (int k = 0; k < d_; ++k) v[static_cast<std::size_t>(k)] = at(p)[k] - at(chosen[0])[k];
        for (const auto& b : basis) {
          double s = 0;
          for (std::size_t k = 0; k < v.size(); ++k) s += v[k] * b[k];
          for (std::size_t k = 0; k < v.size(); ++k) v[k] -= s * b[k];
        }
        double length = 0;
        for (double x : v) length += x * x;
        length = std::sqrt(length);
        if (length > farthest) farthest = length, best = p, direction = v;
      }
      if (best < 0) return false;
      for (double& x : direction) x /= farthest;
      basis.push_back(direction);
      chosen.push_back(best);
    }
    inside_.assign(static_cast<std::size_t>(d_), 0.0);
    for (int p : chosen)
      for (int k = 0; k < d_; ++k) inside_[static_cast<std::size_t>(k)] += at(p)[k] / (d_ + 1);
    for (int skip = 0; skip <= d_; ++skip) {
      std::vector<int> v;
      for (int k = 0; k <= d_; ++k)
        if (k != skip) v.push_back(chosen[static_cast<std::size_t>(k)]);
      push(v);
    }
    return true;
  }

  void push(std::vector<int> v) {
    HullFacet f;
    f.vertices = std::move(v);
    f.normal.resize(static_cast<std::size_t>(d_));
    // Generalised cross product of the edges: signed minors.
    for (int skip = 0; skip < d_; ++skip) {
      std::vector<double> minor;
      for (int r = 1; r < d_; ++r)
        for (int k = 0; k < d_; ++k)
          if (k != skip) minor.push_back(at(f.vertices[static_cast<std::size_t>(r)])[k] - at(f.vertices[0])[k]);
      f.normal[static_cast<std::size_t>(skip)] = (skip % 2 == 0 ? 1 : -1) * determinant(minor, d_ - 1);
    }
    double length = 0;
    for (double x : f.normal) length += x * x;
    length = std::sqrt(length);
    if (length > 0)
      for (double& x : f.normal) x /= length;
    for (int k = 0; k < d_; ++k) f.offset += f.normal[static_cast<std::size_t>(k)] * at(f.vertices[0])[k];
    double inner = -f.offset;
    for (std::size_t k = 0; k < inside_.size(); ++k) inner += f.normal[k] * inside_[k];
    if (inner > 0) {
      for (double& x : f.normal) x = -x;
      f.offset = -f.offset;
      std::swap(f.vertices[0], f.vertices[1]);
    }
    facets_.push_back(std::move(f));
  }

  void add(int p) {
    std::map<std::vector<int>, int> ridges;
    std::vector<HullFacet> kept;
    std::vector<const HullFacet*> seen;
    for (const HullFacet& f : facets_) {
      double distance = -f.offset;
      for (int k = 0; k < d_; ++k) distance += f.normal[static_cast<std::size_t>(k)] * at(p)[k];
      if (distance > tolerance_) seen.push_back(&f);
    }
    if (seen.empty()) return;
    for (const HullFacet* f : seen) {
      for (std::size_t skip = 0; skip < f->vertices.size(); ++skip) {
        std::vector<int> ridge;
        for (std::size_t k = 0; k < f->vertices.size(); ++k)
          if (k != skip) ridge.push_back(f->vertices[k]);
        std::sort(ridge.begin(), ridge.end());
        ++ridges[ridge];
      }
    }
    std::size_t next = 0;
    for (const HullFacet& f : facets_) {
      if (next < seen.size() && seen[next] == &f)
        ++next;
      else
        kept.push_back(f);
    }
    facets_ = std::move(kept);
    for (const auto& [ridge, count] : ridges) {
      if (count != 1) continue;
      std::vector<int> v = ridge;
      v.push_back(p);
      push(v);
    }
  }

  const std::vector<double>& points_;
  int d_;
  double tolerance_ = 0;
  std::vector<double> inside_;
  std::vector<HullFacet> facets_;
};

}  // namespace

std::vector<HullFacet> convex_hull(const std::vector<double>& points, int dimension,
                                   const std::function<void()>& turn) {
  return Builder(points, dimension).build(turn);
}

}  // namespace orrery::oml
