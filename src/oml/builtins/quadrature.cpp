// SPDX-License-Identifier: Apache-2.0
// Integrals of user functions: arguments in, results out of src/math.
#include "oml/builtins/quadrature.h"

#include <algorithm>

#include "math/quadrature.h"
#include "oml/builtins/map.h"
#include "oml/interpreter.h"

namespace orrery::oml {
namespace {

using Vec = std::vector<double>;

// One integral for each pair of limits: areas and numbers of evaluations.
template <class Integrate>
void over_limits(Call& c, Integrate integrate) {
  Vec counts;
  const Value areas = zip_real({to_real(c[1]), to_real(c[2])}, [&](const double* limits) {
    const math::Integral integral = integrate(limits[0], limits[1]);
    counts.push_back(integral.evaluations);
    return integral.value;
  });
  Value numbers = Value::zeros(areas.dims());
  std::copy(counts.begin(), counts.end(), numbers.edit_real().data.begin());
  c.ret(unboxed(areas));
  c.ret(unboxed(numbers));
}

math::ScalarFunction scalar_function(Call& c, const Value& handle) {
  return [&c, &handle](double x) { return to_double(c.oml.call1(handle, {Value(x)})); };
}

}  // namespace

void quad(Call& c) {
  const Value handle = c.oml.to_handle(c[0]);
  const Vec given = c.has(3) ? to_vector(c[3]) : Vec{};
  const double relative = given.empty() ? 1e-8 : given[0], absolute = given.size() > 1 ? given[1] : 1e-8;
  over_limits(c, [&](double a, double b) {
    return math::integrate_gauss_legendre(scalar_function(c, handle), a, b, relative, absolute);
  });
}

void quadv(Call& c) {
  const Value handle = c.oml.to_handle(c[0]);
  const double tolerance = c.has(3) && !c[3].is_empty() ? c.number(3) : 1e-8;
  over_limits(c,
              [&](double a, double b) { return math::integrate_simpson(scalar_function(c, handle), a, b, tolerance); });
}

void quad_vectorised(Call& c) {
  const Value handle = c.oml.to_handle(c[0]);
  const double tolerance = c.has(3) && !c[3].is_text() && !c[3].is_empty() ? c.number(3) : 1e-10;
  const auto f = [&](const Vec& x) { return to_vector(c.oml.call1(handle, {Value::row(x)})); };
  c.ret(Value(math::integrate_gauss_kronrod(f, c.number(1), c.number(2), tolerance)));
}

}  // namespace orrery::oml
