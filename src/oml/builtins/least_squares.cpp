// SPDX-License-Identifier: Apache-2.0
// Nonlinear equations and curve fitting: arguments in, results out of src/math.
#include "math/least_squares.h"
#include "oml/builtins/differences.h"
#include "oml/builtins/families.h"
#include "oml/builtins/math_values.h"
#include "oml/builtins/target_function.h"
#include "oml/interpreter.h"

namespace orrery::oml {
namespace {

// The options of a search, from argument k.
math::LeastSquaresOptions search_options(Call& c, int k) {
  math::LeastSquaresOptions options;
  options.function_tolerance = option(c, k, "TolFun", options.function_tolerance);
  options.step_tolerance = option(c, k, "TolX", options.step_tolerance);
  options.iterations = static_cast<int>(option(c, k, "MaxIter", options.iterations));
  options.calls = static_cast<int>(option(c, k, "MaxFunEvals", options.calls));
  return options;
}

// What a search tells about itself, with its way: a row for each iteration.
Value search_history(const math::LeastSquares& r, const Target& g) {
  Value info = search_details(r.iterations, g);
  const auto rows = static_cast<Index>(r.path.size());
  const auto unknowns = static_cast<Index>(r.x.size());
  math::RealMatrix way(rows, unknowns);
  for (Index i = 0; i < rows; ++i) {
    for (Index k = 0; k < unknowns; ++k) way(i, k) = r.path[static_cast<std::size_t>(i)][static_cast<std::size_t>(k)];
  }
  info.edit_structure().set("fvaliter", unboxed(Value::column(r.squares)));
  info.edit_structure().set("xiter", matrix_value(way));
  return info;
}

void fsolve(Call& c) {
  Differencing::begin_search(c.oml);
  Target g{c, c.oml.to_handle(c[0]), c[1].dims()};
  Dims shape(1, 1);
  const auto residual = [&](const Vec& x) {
    c.oml.tick();
    ++g.evaluations;
    const Value y = c.oml.call1(g.f, {g.shaped(x)});
    shape = y.dims();
    return to_vector(y);
  };
  math::LeastSquaresOptions options = search_options(c, 2);
  options.jacobian = [&](const Vec& x) { return differences(c.oml, residual, x); };
  const math::LeastSquares r = math::least_squares(residual, to_vector(c[1]), options);
  c.ret(g.shaped(r.x));
  Value f = Value::column(r.residual);
  f.edit_real().dims = shape;
  c.ret(unboxed(f));
  // A point where the residuals are smallest but not small is no solution.
  c.ret(Value(norm(r.residual) < 1e-4 || r.end == math::SearchEnd::limit ? static_cast<int>(r.end) : -2));
  c.ret(search_history(r, g));
  c.ret(matrix_value(r.jacobian));
}

void lsqcurvefit(Call& c) {
  Differencing::begin_search(c.oml);
  Target g{c, c.oml.to_handle(c[0]), c[1].dims()};
  const Vec data = to_vector(c[3]);
  const auto residual = [&](const Vec& p) {
    c.oml.tick();
    ++g.evaluations;
    Vec y = to_vector(c.oml.call1(g.f, {g.shaped(p), c[2]}));
    if (y.size() != data.size()) fail("the function must return as many values as there are data");
    for (std::size_t k = 0; k < y.size(); ++k) y[k] -= data[k];
    return y;
  };
  math::LeastSquaresOptions options = search_options(c, c.count() - 1);
  if (c.has(4) && !c[4].is_struct() && !c[4].is_empty()) options.low = to_vector(c[4]);
  if (c.has(5) && !c[5].is_struct() && !c[5].is_empty()) options.high = to_vector(c[5]);
  options.jacobian = [&](const Vec& p) { return differences(c.oml, residual, p, options.low, options.high); };
  const math::LeastSquares r = math::least_squares(residual, to_vector(c[1]), options);
  c.ret(g.shaped(r.x));
  c.ret(Value(norm(r.residual) * norm(r.residual)));
  Value left = Value::column(r.residual);             // data minus model
  for (double& x : left.edit_real().data) x = 0 - x;  // of an exact fit 0, not -0
  c.ret(unboxed(left));
  c.ret(Value(static_cast<int>(r.end)));
  c.ret(search_history(r, g));
}

constexpr Builtin least_squares_table[] = {
    {"fsolve", 2, 3, fsolve, "[x, f, flag, info, J] = fsolve(f, x0, options): solution of f(x) = 0.",
     "function, number, struct []"},
    {"lsqcurvefit", 4, 7, lsqcurvefit,
     "[p, resnorm, residual, flag, info] = lsqcurvefit(f, p0, x, y, low, high, options): parameters that fit f(p, x) "
     "to y.",
     "function, number, number, number, number, number, struct []"},
};

}  // namespace

BuiltinFamily least_squares_builtins() { return least_squares_table; }

}  // namespace orrery::oml
