// SPDX-License-Identifier: Apache-2.0
// The user's function as optimisation sees it, and the options of optimset.
#pragma once

#include <cmath>
#include <numeric>
#include <vector>

#include "oml/differencing.h"
#include "oml/interpreter.h"

namespace orrery::oml {

using Vec = std::vector<double>;

inline double option(const Call& c, int k, const char* name, double fallback) {
  if (!c.has(k) || !c[k].is_struct()) return fallback;
  const Value* v = c[k].structure_ref().get(name);
  return v == nullptr || v->is_empty() || v->is_text() ? fallback : to_double(*v);
}

// A user function of a vector that keeps the shape of the start value.
struct Target {
  Call& c;
  Value f;
  Dims shape;
  int evaluations = 0;
  long runs_before = Differencing::runs(c.oml), answers_before = Differencing::answers(c.oml);

  Value shaped(const Vec& x) const {
    Value v = Value::column(x);
    v.edit_real().dims = shape;
    return unboxed(v);
  }
  Vec vector(const Vec& x) {
    c.oml.tick();
    ++evaluations;
    return to_vector(c.oml.call1(f, {shaped(x)}));
  }
  double scalar(const Vec& x) {
    const Vec y = vector(x);
    if (y.size() != 1) fail("the function must return a scalar");
    return y[0];
  }
};

inline double norm(const Vec& x) { return std::sqrt(std::inner_product(x.begin(), x.end(), x.begin(), 0.0)); }

// What a search tells about itself: where it ran models, how often, and whether their sensitivities gave the slopes.
inline Value search_details(int iterations, const Target& g) {
  Value info = Value::structure();
  info.edit_structure().set("iterations", Value(iterations));
  info.edit_structure().set("nfev", Value(g.evaluations));
  const long runs = Differencing::runs(g.c.oml) - g.runs_before;
  if (runs == 0) return info;
  const bool exact = Differencing::answers(g.c.oml) > g.answers_before && !Differencing::is_distrusted(g.c.oml);
  info.edit_structure().set("simulations", Value(static_cast<double>(runs)));
  info.edit_structure().set("exact_gradients", Value(exact ? 1 : 0));
  return info;
}

}  // namespace orrery::oml
