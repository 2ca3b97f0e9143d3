// SPDX-License-Identifier: Apache-2.0
// Plane and solid geometry: hulls, Delaunay triangulations, polygons.
#include <algorithm>
#include <array>
#include <cmath>

#include "math/hull.h"
#include "math/interpolation.h"
#include "oml/builtins/families.h"
#include "oml/builtins/map.h"
#include "oml/interpreter.h"

namespace orrery::oml {
namespace {

using Vec = std::vector<double>;

// Points one after the other, from coordinate vectors or from the rows of one matrix.
struct Points {
  Vec data;
  int dimension = 0;
  Index count = 0;
};

Points points_of(const Call& c) {
  Points p;
  int vectors = 0;
  while (vectors < c.count() && !c[vectors].is_text() && !c[vectors].is_cell()) ++vectors;
  if (vectors == 0) fail_argument(1, "must hold coordinates");
  if (vectors == 1) {
    const Value v = to_real(full(c[0]));
    if (v.dims().count() > 2) fail_argument(1, "must be a matrix");
    p.count = v.dims().rows();
    p.dimension = static_cast<int>(v.dims().cols());
    for (Index i = 0; i < p.count; ++i)
      for (Index k = 0; k < p.dimension; ++k) p.data.push_back(v.real().at(i, k));
  } else {
    std::vector<Vec> columns;
    for (int k = 0; k < vectors; ++k) columns.push_back(to_vector(c[k]));
    p.dimension = vectors;
    p.count = static_cast<Index>(columns[0].size());
    for (const Vec& x : columns)
      if (static_cast<Index>(x.size()) != p.count) fail("the coordinates must have the same length");
    for (std::size_t i = 0; i < columns[0].size(); ++i)
      for (const Vec& x : columns) p.data.push_back(x[i]);
  }
  if (p.dimension < 2 || p.dimension > 8) fail("points must have from 2 to 8 coordinates");
  if (p.count > 1000000) fail("there are too many points");
  for (double x : p.data)
    if (!std::isfinite(x)) fail("the coordinates must be finite");
  return p;
}

Value index_rows(const std::vector<std::vector<int>>& rows, Index width) {
  Value out = Value::zeros(Dims(static_cast<Index>(rows.size()), width));
  for (std::size_t r = 0; r < rows.size(); ++r)
    for (std::size_t k = 0; k < rows[r].size(); ++k)
      out.edit_real().at(static_cast<Index>(r), static_cast<Index>(k)) = rows[r][k] + 1;
  return out;
}

void delaunay(Call& c) {
  const Points p = points_of(c);
  const auto simplices = math::delaunay(p.data, p.dimension, [&] { c.oml.tick(); });
  if (simplices.empty()) fail("the points do not span the space");
  c.ret(index_rows(simplices, p.dimension + 1));
}

// Corners of the convex hull in the plane, counter-clockwise, by Andrew's monotone chain.
std::vector<int> plane_hull(const Points& p) {
  std::vector<int> order;
  for (int i = 0; i < p.count; ++i) order.push_back(i);
  const auto x = [&](int i) { return p.data[static_cast<std::size_t>(2 * i)]; };
  const auto y = [&](int i) { return p.data[static_cast<std::size_t>(2 * i + 1)]; };
  std::sort(order.begin(), order.end(), [&](int a, int b) { return x(a) != x(b) ? x(a) < x(b) : y(a) < y(b); });
  const auto turn = [&](int a, int b, int k) { return (x(b) - x(a)) * (y(k) - y(a)) - (y(b) - y(a)) * (x(k) - x(a)); };
  std::vector<int> hull;
  for (int side = 0; side < 2; ++side) {
    const std::size_t base = hull.size();
    for (int k : order) {
      while (hull.size() >= base + 2 && turn(hull[hull.size() - 2], hull.back(), k) <= 0) hull.pop_back();
      hull.push_back(k);
    }
    hull.pop_back();
    std::reverse(order.begin(), order.end());
  }
  return hull;
}

double volume_of(const Points& p, const std::vector<math::HullFacet>& facets) {
  const int d = p.dimension;
  double total = 0, factorial = 1;
  for (int k = 2; k <= d; ++k) factorial *= k;
  for (const math::HullFacet& f : facets) {
    Vec edges;
    for (int v : f.vertices)
      for (int k = 0; k < d; ++k)
        edges.push_back(p.data[static_cast<std::size_t>(v * d + k)] - p.data[static_cast<std::size_t>(k)]);
    total += std::abs(math::determinant(edges, d)) / factorial;
  }
  return total;
}

void convhull(Call& c) {
  const Points p = points_of(c);
  const std::vector<math::HullFacet> facets = math::convex_hull(p.data, p.dimension, [&] { c.oml.tick(); });
  if (facets.empty()) fail("the points do not span the space");
  if (p.dimension == 2 && c.name == "convhull") {
    std::vector<int> corners = plane_hull(p);
    corners.push_back(corners[0]);
    Vec out;
    for (int k : corners) out.push_back(k + 1);
    c.ret(Value::column(out));
  } else {
    std::vector<std::vector<int>> rows;
    for (const math::HullFacet& f : facets) rows.push_back(f.vertices);
    c.ret(index_rows(rows, p.dimension));
  }
  c.ret(Value(volume_of(p, facets)));
}

void polyarea(Call& c) {
  const Vec x = to_vector(c[0]), y = to_vector(c[1]);
  if (x.size() != y.size()) fail("the coordinates must have the same length");
  double twice = 0;
  for (std::size_t k = 0; k < x.size(); ++k) {
    const std::size_t j = (k + 1) % x.size();
    twice += x[k] * y[j] - x[j] * y[k];
  }
  c.ret(Value(std::abs(twice) / 2));
}

// Crossings of a ray to the right; points on an edge count as inside and as on it.
void inpolygon(Call& c) {
  const Vec vx = to_vector(c[2]), vy = to_vector(c[3]);
  if (vx.size() != vy.size()) fail("the coordinates must have the same length");
  const Value px = to_real(c[0]), py = to_real(c[1]);
  if (!(px.dims() == py.dims())) fail("the coordinates must have the same size");
  Value in = Value::logical_zeros(px.dims()), on = in;
  for (Index i = 0; i < px.numel(); ++i) {
    const double x = px.real()[i], y = py.real()[i];
    bool inside = false, edge = false;
    for (std::size_t k = 0, j = vx.size() - 1; k < vx.size(); j = k++) {
      const double cross = (vx[k] - vx[j]) * (y - vy[j]) - (vy[k] - vy[j]) * (x - vx[j]);
      const bool between = std::min(vx[j], vx[k]) <= x && x <= std::max(vx[j], vx[k]) && std::min(vy[j], vy[k]) <= y &&
                           y <= std::max(vy[j], vy[k]);
      edge = edge || (between && std::abs(cross) < 1e-14);
      if ((vy[k] > y) != (vy[j] > y) && x < (vx[j] - vx[k]) * (y - vy[k]) / (vy[j] - vy[k]) + vx[k]) inside = !inside;
    }
    in.edit_bytes()[i] = inside || edge;
    on.edit_bytes()[i] = edge;
  }
  c.ret(unboxed(in));
  c.ret(unboxed(on));
}

// Coordinates along one dimension of a grid: a vector, or an array of meshgrid.
std::vector<double> grid_axis(const Value& v, int dim, Index count) {
  const Value r = to_real(full(v));
  std::vector<double> out;
  if (r.dims().is_vector())
    out.assign(r.real().data.begin(), r.real().data.end());
  else
    for (Index k = 0; k < r.dims()[dim]; ++k) out.push_back(r.real()[k * r.dims().stride(dim)]);
  if (static_cast<Index>(out.size()) != count || count < 2) fail("sizes of the grid and the data do not match");
  if (!std::is_sorted(out.begin(), out.end())) fail("the coordinates of the grid must ascend");
  return out;
}

// isonormals(x, y, z, val, vert) or isonormals(val, vert): minus the gradient of the data at the points.
void isonormals(Call& c) {
  const int at = c.count() >= 5 ? 3 : 0;
  const Value data = to_real(full(c[at])), points = to_real(full(c[at + 1]));
  const Dims d = data.dims();
  if (d.count() != 3) fail_argument(at + 1, "must have three dimensions");
  if (points.dims().count() != 2 || points.dims().cols() != 3) fail_argument(at + 2, "must have three columns");
  std::vector<double> axes[3];
  const int dims[] = {1, 0, 2};
  for (int k = 0; k < 3; ++k) {
    if (at > 0) {
      axes[k] = grid_axis(c[k], dims[k], d[dims[k]]);
      continue;
    }
    if (d[dims[k]] < 2) fail_argument(1, "must have two points in each dimension");
    for (Index i = 1; i <= d[dims[k]]; ++i) axes[k].push_back(static_cast<double>(i));
  }
  Value out = Value::zeros(points.dims());
  for (Index r = 0; r < points.dims().rows(); ++r) {
    const std::array<double, 3> point = {points.real().at(r, 0), points.real().at(r, 1), points.real().at(r, 2)};
    const std::array<double, 3> slope =
        math::trilinear_gradient(axes[0], axes[1], axes[2], {data.real().data.data(), data.real().data.size()}, point);
    for (Index k = 0; k < 3; ++k) out.edit_real().at(r, k) = -slope[static_cast<std::size_t>(k)];
  }
  c.ret(out);
}

constexpr Builtin geometry_table[] = {
    {"isonormals", 2, 5, isonormals,
     "isonormals(x, y, z, val, vert): minus the gradient of the values on a grid at the points vert, one row each.",
     "real, real, real, real, real"},
    {"delaunay", 1, 4, delaunay, "delaunay(x, y), delaunay(x, y, z): triangles or tetrahedra as rows of point numbers.",
     "real, any, ..."},
    {"delaunayn", 1, 2, delaunay, "delaunayn(points): Delaunay simplices of the rows of points.", "real, any, ..."},
    {"convhull", 1, 4, convhull,
     "[k, area] = convhull(x, y): corners of the convex hull, counter-clockwise and closed; convhull(x, y, z): faces.",
     "real, any, ..."},
    {"convhulln", 1, 2, convhull, "[faces, volume] = convhulln(points): faces of the convex hull of the rows.",
     "real, any, ..."},
    {"polyarea", 2, 2, polyarea, "polyarea(x, y): area of a polygon.", "real, real"},
    {"inpolygon", 4, 4, inpolygon,
     "[in, on] = inpolygon(x, y, px, py): whether points are inside a polygon or on its edge.",
     "real, real, real, real"},
};

}  // namespace

BuiltinFamily geometry_builtins() { return geometry_table; }

}  // namespace orrery::oml
