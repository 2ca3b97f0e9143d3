// SPDX-License-Identifier: Apache-2.0
// A search for the piece, and the formula of the piece: corners between pieces are located like any others.
#include "trace/signal_interpolation.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "math/interpolation.h"
#include "oml/convert.h"
#include "oml/error.h"
#include "trace/signal_value.h"

namespace orrery::trace {
namespace {

using oml::Value;
using oml::Values;
using program::Expr;
using program::Graph;
using program::Scalar;
using program::Type;

struct Lookup {
  std::vector<double> x;  // ascending
  Expr y;
  Expr u;
  std::string method = "linear";
  bool beyond = false;    // the first and last piece go on
  bool has_edge = false;  // outside the value is
  double edge = NAN;
};

Expr numbers(Graph& graph, const std::vector<double>& data) {
  return {&graph, graph.constant(Type{Scalar::f64, static_cast<std::int32_t>(data.size()), 1}, data)};
}

void read_options(const Values& arguments, std::size_t first, Lookup& lookup) {
  for (std::size_t k = first; k < arguments.size(); ++k) {
    if (!arguments[k].is_text()) {
      lookup.edge = oml::to_double(arguments[k]);
      lookup.has_edge = true;
      continue;
    }
    std::string word = oml::to_string(arguments[k]);
    std::ranges::transform(word, word.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    if (word == "extrap")
      lookup.beyond = true;
    else if (word != "noextrap" && word != "left" && word != "right")
      lookup.method = word;
  }
}

// The points in ascending order; of equal ones the order stays: there the table jumps.
void sort_points(Lookup& lookup) {
  const std::size_t n = lookup.x.size();
  if (n < 2) oml::fail("at least two points are needed");
  if (std::ranges::any_of(lookup.x, [](double x) { return !std::isfinite(x); })) oml::fail("x must be finite");
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (std::is_sorted(lookup.x.rbegin(), lookup.x.rend())) std::reverse(order.begin(), order.end());
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return lookup.x[a] < lookup.x[b]; });
  std::vector<double> x;
  std::vector<Expr> y;
  for (const std::size_t k : order) {
    x.push_back(lookup.x[k]);
    y.push_back(lookup.y[static_cast<std::int64_t>(k)].as(Scalar::f64));
  }
  const bool jumps = std::ranges::adjacent_find(x) != x.end();
  if (jumps && lookup.method != "linear") oml::fail("two points have the same x; only straight lines may jump");
  if (x[0] == x[1] || x[n - 1] == x[n - 2]) oml::fail("the table jumps at its first or last point; add a point beyond");
  lookup.x = std::move(x);
  lookup.y = stack(Type{Scalar::f64, static_cast<std::int32_t>(n), 1}, y);
}

// Steps: the value of one point, found by a search among the places where it changes.
Expr step_value(const Lookup& t, Graph& graph) {
  const std::size_t n = t.x.size();
  std::vector<double> places;
  if (t.method == "nearest") {
    for (std::size_t k = 1; k < n; ++k) places.push_back(t.x[k - 1] + 0.5 * (t.x[k] - t.x[k - 1]));
    return gather(t.y, search(numbers(graph, places), t.u));
  }
  if (t.method == "previous") {
    places.assign(t.x.begin() + 1, t.x.end());
    return gather(t.y, search(numbers(graph, places), t.u));
  }
  // next: as many points are passed as are below u, not as are not above it.
  for (std::size_t k = n - 1; k-- > 0;) places.push_back(-t.x[k]);
  const Expr ahead = search(numbers(graph, places), -t.u);
  const Expr all{&graph, graph.constant(static_cast<double>(n - 1), Scalar::i32)};
  return gather(t.y, all - ahead);
}

Expr line_value(const Lookup& t, Graph& graph) {
  const Expr x = numbers(graph, t.x), k = piece_of(x, t.u);
  const Expr y0 = gather(t.y, k), y1 = gather(t.y, k + 1.0), x0 = gather(x, k), x1 = gather(x, k + 1.0);
  return y0 + (t.u - x0) / (x1 - x0) * (y1 - y0);
}

Expr cubic_value(const Lookup& t, Graph& graph) {
  if (!graph.is_constant(t.y.id()))
    oml::fail("cubic interpolation needs numbers as y, not signals or varied parameters");
  const auto data = graph.constant_data(t.y.id());
  const std::vector<double> given(data.begin(), data.end());
  const bool spline = t.method == "spline" || t.method == "cubicspline";
  if (!spline && t.method != "pchip" && t.method != "cubic") oml::fail("unknown interpolation method " + t.method);
  const auto slopes = spline ? math::spline_slopes(t.x, given, nullptr) : math::pchip_slopes(t.x, given);
  const Expr x = numbers(graph, t.x), s = numbers(graph, slopes), k = piece_of(x, t.u);
  const Expr x0 = gather(x, k), h = gather(x, k + 1.0) - x0, p = (t.u - x0) / h, q = 1.0 - p;
  return q * q * (1.0 + 2.0 * p) * gather(t.y, k) + p * p * (1.0 + 2.0 * q) * gather(t.y, k + 1.0) +
         h * p * q * (q * gather(s, k) - p * gather(s, k + 1.0));
}

// Outside the points: a value, or the end of the run.
Expr within(const Lookup& t, Expr value, Graph& graph) {
  if (t.beyond) return value;
  const Expr low{&graph, graph.constant(t.x.front())}, high{&graph, graph.constant(t.x.back())};
  const Expr inside = low <= t.u && t.u <= high;
  if (t.has_edge) return select(inside, value, Expr{&graph, graph.constant(t.edge)});
  program::Site site;
  site.kind = program::Site::Kind::check;
  if (graph.where) site.place = graph.where();
  site.text = "interp1: the signal lies outside the points; 'extrap' goes beyond them";
  const Expr there{&graph, graph.constant(0, Scalar::i32)}, nowhere = there - 1.0;
  const double zero[] = {0, 0};
  const Expr row{&graph, graph.constant(Type{Scalar::f64, 2, 1}, zero)};
  return value + gather(row, select(inside, there, nowhere), graph.add_site(site));
}

}  // namespace

Expr interpolate_at_signal(const Values& arguments, Graph& graph) {
  std::size_t data = 0;
  while (data < arguments.size() && data < 3 && !arguments[data].is_text()) ++data;
  if (data < 2) oml::fail("interp1 needs points and where to look");
  Lookup lookup;
  const std::size_t first = data == 3 ? 1 : 0;
  lookup.u = to_expr(arguments[data - 1], graph).as(Scalar::f64);
  lookup.y = to_expr(arguments[first], graph);
  const auto count = static_cast<std::size_t>(lookup.y.size());
  if (lookup.y.rows() != 1 && lookup.y.cols() != 1) oml::fail("of signals interp1 takes one column of points");
  if (lookup.y.scalar_type() == Scalar::c128) oml::fail("of signals interp1 takes real points");
  if (data == 3) {
    if (is_signal(arguments[0])) oml::fail("the points x of interp1 must be numbers, not signals");
    lookup.x = oml::to_vector(arguments[0]);
  } else {
    lookup.x.resize(count);
    std::iota(lookup.x.begin(), lookup.x.end(), 1.0);
  }
  if (lookup.x.size() != count) oml::fail("x and y must have the same length");
  read_options(arguments, data, lookup);
  sort_points(lookup);
  const bool steps = lookup.method == "nearest" || lookup.method == "previous" || lookup.method == "next";
  const Expr value = steps                       ? step_value(lookup, graph)
                     : lookup.method == "linear" ? line_value(lookup, graph)
                                                 : cubic_value(lookup, graph);
  return within(lookup, value, graph);
}

}  // namespace orrery::trace
