// SPDX-License-Identifier: Apache-2.0
// Trigonometric and hyperbolic functions, in radians and degrees, and changes of coordinates.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "oml/builtins/families.h"
#include "oml/builtins/map.h"
#include "oml/indexing.h"
#include "oml/interpreter.h"
#include "oml/operators.h"

namespace orrery::oml {
namespace {

using std::numbers::pi;

bool unit(double x) { return x >= -1 && x <= 1; }
bool outside_unit(double x) { return x >= 1 || x <= -1; }

// Branches above the cut: acos(2) = 0 + 1.3170i, asin(2) = 1.5708 - 1.3170i.
Complex complex_acos(Complex z) {
  const Complex w = std::acos(z);
  return z.imag() == 0 && std::abs(z.real()) > 1
             ? Complex(w.real(), z.real() > 1 ? std::abs(w.imag()) : -std::abs(w.imag()))
             : w;
}
Complex complex_asin(Complex z) {
  const Complex w = std::asin(z);
  return z.imag() == 0 && std::abs(z.real()) > 1
             ? Complex(w.real(), z.real() > 1 ? -std::abs(w.imag()) : std::abs(w.imag()))
             : w;
}

// asec and acsc of an array with elements inside (-1, 1): one sign of the imaginary parts for all of them.
void inverse_of_array(Call& c, bool secant, double scale) {
  Value z = to_complex(full(c[0]));
  for (Complex& x : z.edit_complex().data) {
    const double r = x.real();
    if (x.imag() != 0) {
      x = secant ? complex_acos(1.0 / x) : complex_asin(1.0 / x);
    } else if (std::abs(r) >= 1 || std::isnan(r)) {
      x = secant ? std::acos(1 / r) : std::asin(1 / r);
    } else if (r == 0) {
      x = secant ? Complex(0, -INFINITY) : Complex(pi / 2, INFINITY);
    } else {
      const Complex w = secant ? std::acos(Complex(1 / r)) : std::asin(Complex(1 / r));
      x = Complex(w.real(), secant ? -std::abs(w.imag()) : std::abs(w.imag()));
    }
    x = Complex(x.real() * scale, x.imag() * scale);
  }
  c.ret(narrowed(z));
}

// Whether that special treatment applies.
bool has_inner_elements(const Value& v) {
  if (v.numel() <= 1 || v.is_complex() || !v.is_arithmetic()) return false;
  const Value r = to_real(v);
  return std::any_of(r.real().data.begin(), r.real().data.end(), [](double x) { return std::abs(x) < 1; });
}

template <class F, class G, class D>
void both(Call& c, F f, G g, D d) {
  c.ret(map_both(c[0], f, g, d));
}
template <class F, class G>
void both(Call& c, F f, G g) {
  c.ret(map_both(c[0], f, g));
}

// Exact at multiples of 30 and 90 degrees, where sin(pi*x/180) is not.
double sine_degrees(double x) {
  const double r = std::remainder(x, 360.0);
  if (r == 0 || std::abs(r) == 180) return 0;
  if (r == 90) return 1;
  if (r == -90) return -1;
  if (r == 30 || r == 150) return 0.5;
  if (r == -30 || r == -150) return -0.5;
  return std::sin(r * pi / 180);
}
double cosine_degrees(double x) {
  const double r = std::abs(std::remainder(x, 360.0));
  if (r == 90) return 0;
  if (r == 60) return 0.5;
  if (r == 120) return -0.5;
  return std::cos(r * pi / 180);
}
double tangent_degrees(double x) {
  const double r = std::remainder(x, 180.0);
  if (r == 0) return 0;
  if (std::abs(r) == 90) return std::fmod(std::abs((x - 90) / 180), 2) == 0 ? INFINITY : -INFINITY;
  if (std::abs(r) == 45) return r > 0 ? 1 : -1;
  return std::tan(r * pi / 180);
}

constexpr double to_radians = pi / 180, to_degrees = 180 / pi;

template <class F, class G>
void degrees_in(Call& c, F f, G g) {
  c.ret(map_both(c[0], f, [g](Complex z) { return g(z * to_radians); }));
}
template <class F, class G, class D>
void degrees_out(Call& c, F f, G g, D d) {
  c.ret(map_both(
      c[0], [f](double x) { return f(x) * to_degrees; }, [g](Complex z) { return g(z) * to_degrees; }, d));
}

using C = Complex;
C one_over(C z) { return 1.0 / z; }

void atan2_scaled(Call& c, double scale) {
  c.ret(map_real(zip_real({c[0], c[1]}, [](const double* v) { return std::atan2(v[0], v[1]); }),
                 [scale](double x) { return x * scale; }));
}

// Coordinates come as separate arguments or as columns of one matrix.
std::vector<Value> coordinates(const Call& c, std::size_t fewest) {
  std::vector<Value> out;
  if (c.count() > 1) {
    for (const Value& v : c.args) out.push_back(to_real(v));
  } else {
    const Value m = to_real(c[0]);
    for (Index k = 0; k < m.dims().cols(); ++k) {
      out.push_back(to_real(index_value(m, std::vector<Value>{Value::colon(), Value(k + 1)})));
    }
  }
  if (out.size() < fewest) fail("not enough coordinates");
  return out;
}

void give_coordinates(Call& c, const Values& values) {
  if (c.nargout <= 1) {
    Values columns;
    for (const Value& v : values) {
      const Value colon = Value::colon();
      columns.push_back(index_value(boxed(v), std::span<const Value>(&colon, 1)));
    }
    return c.ret(concatenate(columns, 1));
  }
  for (const Value& v : values) c.ret(v);
}

void cart2pol(Call& c) {
  const auto v = coordinates(c, 2);
  Values out = {zip_real({v[1], v[0]}, [](const double* x) { return std::atan2(x[0], x[1]); }),
                zip_real({v[0], v[1]}, [](const double* x) { return std::hypot(x[0], x[1]); })};
  if (v.size() > 2) out.push_back(unboxed(v[2]));
  give_coordinates(c, out);
}

void pol2cart(Call& c) {
  const auto v = coordinates(c, 2);
  Values out = {zip_real({v[0], v[1]}, [](const double* x) { return x[1] * std::cos(x[0]); }),
                zip_real({v[0], v[1]}, [](const double* x) { return x[1] * std::sin(x[0]); })};
  if (v.size() > 2) out.push_back(unboxed(v[2]));
  give_coordinates(c, out);
}

// phi is measured from the z axis.
void cart2sph(Call& c) {
  for (const Value& x : c.args)
    if (c.nargout <= 1 && c.count() == 3 && x.is_empty()) return c.ret(Value::zeros(Dims(0, 3)));
  const auto v = coordinates(c, 3);
  give_coordinates(
      c, {zip_real({v[0], v[1]}, [](const double* x) { return std::atan2(x[1], x[0]); }),
          zip_real({v[0], v[1], v[2]}, [](const double* x) { return std::atan2(std::hypot(x[0], x[1]), x[2]); }),
          zip_real({v[0], v[1], v[2]},
                   [](const double* x) { return std::sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]); })});
}

void sph2cart(Call& c) {
  const auto v = coordinates(c, 3);
  give_coordinates(
      c, {zip_real({v[0], v[1], v[2]}, [](const double* x) { return x[2] * std::sin(x[1]) * std::cos(x[0]); }),
          zip_real({v[0], v[1], v[2]}, [](const double* x) { return x[2] * std::sin(x[1]) * std::sin(x[0]); }),
          zip_real({v[1], v[2]}, [](const double* x) { return x[1] * std::cos(x[0]); })});
}

void unwrap(Call& c) {
  Value v = to_real(c[0]);
  const double limit = c.has(1) && !c[1].is_empty() ? std::abs(c.number(1)) : pi;
  const Dims d = v.dims();
  const int dim = dim_argument(c, 2, d);
  if (dim >= d.count()) fail_argument(3, "must be a dimension of the data");
  RealArray& a = v.edit_real();
  for_each_vector(d, dim, [&](Index at, Index stride, Index n) {
    double shift = 0, previous = a[at];
    for (Index i = 1; i < n; ++i) {
      const double x = a[at + i * stride], step = x - previous;
      if (std::abs(step) > limit)
        shift -= 2 * pi * std::ceil((std::abs(step) - limit) / (2 * pi)) * (step > 0 ? 1 : -1);
      previous = x;
      a[at + i * stride] = x + shift;
    }
  });
  c.ret(unboxed(v));
}

constexpr Builtin trigonometry_table[] = {
    {"sin", 1, 1,
     [](Call& c) {
       both(
           c, [](double x) { return std::sin(x); }, [](C z) { return std::sin(z); });
     },
     "sin(x): sine.", "number"},
    {"cos", 1, 1,
     [](Call& c) {
       both(
           c, [](double x) { return std::cos(x); }, [](C z) { return std::cos(z); });
     },
     "cos(x): cosine.", "number"},
    {"tan", 1, 1,
     [](Call& c) {
       both(
           c, [](double x) { return std::tan(x); }, [](C z) { return std::tan(z); });
     },
     "tan(x): tangent.", "number"},
    {"sec", 1, 1,
     [](Call& c) {
       both(
           c, [](double x) { return 1 / std::cos(x); }, [](C z) { return one_over(std::cos(z)); });
     },
     "sec(x): secant, 1/cos(x).", "number"},
    {"csc", 1, 1,
     [](Call& c) {
       both(
           c, [](double x) { return 1 / std::sin(x); }, [](C z) { return one_over(std::sin(z)); });
     },
     "csc(x): cosecant, 1/sin(x).", "number"},
    {"cot", 1, 1,
     [](Call& c) {
       both(
           c, [](double x) { return 1 / std::tan(x); }, [](C z) { return one_over(std::tan(z)); });
     },
     "cot(x): cotangent, 1/tan(x).", "number"},
    {"asin", 1, 1,
     [](Call& c) {
       both(
           c, [](double x) { return std::asin(x); }, complex_asin, unit);
     },
     "asin(x): inverse sine, complex outside [-1, 1].", "number"},
    {"acos", 1, 1,
     [](Call& c) {
       both(
           c, [](double x) { return std::acos(x); }, complex_acos, unit);
     },
     "acos(x): inverse cosine, complex outside [-1, 1].", "number"},
    {"atan", 1, 1,
     [](Call& c) {
       both(
           c, [](double x) { return std::atan(x); }, [](C z) { return std::atan(z); });
     },
     "atan(x): inverse tangent.", "number"},
    {"asec", 1, 1,
     [](Call& c) {
       if (has_inner_elements(c[0])) return inverse_of_array(c, true, 1);
       both(
           c, [](double x) { return std::acos(1 / x); }, [](C z) { return complex_acos(one_over(z)); }, outside_unit);
     },
     "asec(x): inverse secant.", "number"},
    {"acsc", 1, 1,
     [](Call& c) {
       if (has_inner_elements(c[0])) return inverse_of_array(c, false, 1);
       both(
           c, [](double x) { return std::asin(1 / x); }, [](C z) { return complex_asin(one_over(z)); }, outside_unit);
     },
     "acsc(x): inverse cosecant.", "number"},
    {"acot", 1, 1,
     [](Call& c) {
       both(
           c, [](double x) { return std::atan(1 / x); }, [](C z) { return std::atan(one_over(z)); });
     },
     "acot(x): inverse cotangent.", "number"},
    {"sinh", 1, 1,
     [](Call& c) {
       both(
           c, [](double x) { return std::sinh(x); }, [](C z) { return std::sinh(z); });
     },
     "sinh(x): hyperbolic sine.", "number"},
    {"cosh", 1, 1,
     [](Call& c) {
       both(
           c, [](double x) { return std::cosh(x); }, [](C z) { return std::cosh(z); });
     },
     "cosh(x): hyperbolic cosine.", "number"},
    {"tanh", 1, 1,
     [](Call& c) {
       both(
           c, [](double x) { return std::tanh(x); }, [](C z) { return std::tanh(z); });
     },
     "tanh(x): hyperbolic tangent.", "number"},
    {"sech", 1, 1,
     [](Call& c) {
       both(
           c, [](double x) { return 1 / std::cosh(x); }, [](C z) { return one_over(std::cosh(z)); });
     },
     "sech(x): hyperbolic secant.", "number"},
    {"csch", 1, 1,
     [](Call& c) {
       both(
           c, [](double x) { return 1 / std::sinh(x); }, [](C z) { return one_over(std::sinh(z)); });
     },
     "csch(x): hyperbolic cosecant.", "number"},
    {"coth", 1, 1,
     [](Call& c) {
       both(
           c, [](double x) { return 1 / std::tanh(x); }, [](C z) { return one_over(std::tanh(z)); });
     },
     "coth(x): hyperbolic cotangent.", "number"},
    {"asinh", 1, 1,
     [](Call& c) {
       both(
           c, [](double x) { return std::asinh(x); }, [](C z) { return std::asinh(z); });
     },
     "asinh(x): inverse hyperbolic sine.", "number"},
    {"acosh", 1, 1,
     [](Call& c) {
       both(
           c, [](double x) { return std::acosh(x); }, [](C z) { return std::acosh(z); },
           [](double x) { return x >= 1; });
     },
     "acosh(x): inverse hyperbolic cosine.", "number"},
    {"atanh", 1, 1,
     [](Call& c) {
       both(
           c, [](double x) { return std::atanh(x); }, [](C z) { return std::atanh(z); }, unit);
     },
     "atanh(x): inverse hyperbolic tangent.", "number"},
    {"asech", 1, 1,
     [](Call& c) {
       both(
           c, [](double x) { return std::acosh(1 / x); }, [](C z) { return std::acosh(one_over(z)); },
           [](double x) { return x > 0 && x <= 1; });
     },
     "asech(x): inverse hyperbolic secant.", "number"},
    {"acsch", 1, 1,
     [](Call& c) {
       both(
           c, [](double x) { return std::asinh(1 / x); }, [](C z) { return std::asinh(one_over(z)); });
     },
     "acsch(x): inverse hyperbolic cosecant.", "number"},
    {"acoth", 1, 1,
     [](Call& c) {
       both(
           c, [](double x) { return std::atanh(1 / x); }, [](C z) { return std::atanh(one_over(z)); }, outside_unit);
     },
     "acoth(x): inverse hyperbolic cotangent.", "number"},
    {"sind", 1, 1, [](Call& c) { degrees_in(c, sine_degrees, [](C z) { return std::sin(z); }); },
     "sind(x): sine of degrees.", "number"},
    {"cosd", 1, 1, [](Call& c) { degrees_in(c, cosine_degrees, [](C z) { return std::cos(z); }); },
     "cosd(x): cosine of degrees.", "number"},
    {"tand", 1, 1, [](Call& c) { degrees_in(c, tangent_degrees, [](C z) { return std::tan(z); }); },
     "tand(x): tangent of degrees.", "number"},
    {"secd", 1, 1,
     [](Call& c) {
       degrees_in(
           c, [](double x) { return 1 / cosine_degrees(x); }, [](C z) { return one_over(std::cos(z)); });
     },
     "secd(x): secant of degrees.", "number"},
    {"cscd", 1, 1,
     [](Call& c) {
       degrees_in(
           c, [](double x) { return 1 / sine_degrees(x); }, [](C z) { return one_over(std::sin(z)); });
     },
     "cscd(x): cosecant of degrees.", "number"},
    {"cotd", 1, 1,
     [](Call& c) {
       degrees_in(
           c, [](double x) { return 1 / tangent_degrees(x); }, [](C z) { return one_over(std::tan(z)); });
     },
     "cotd(x): cotangent of degrees.", "number"},
    {"asind", 1, 1,
     [](Call& c) {
       degrees_out(
           c, [](double x) { return std::asin(x); }, complex_asin, unit);
     },
     "asind(x): inverse sine in degrees.", "number"},
    {"acosd", 1, 1,
     [](Call& c) {
       degrees_out(
           c, [](double x) { return std::acos(x); }, complex_acos, unit);
     },
     "acosd(x): inverse cosine in degrees.", "number"},
    {"atand", 1, 1,
     [](Call& c) {
       degrees_out(
           c, [](double x) { return std::atan(x); }, [](C z) { return std::atan(z); }, [](double) { return true; });
     },
     "atand(x): inverse tangent in degrees.", "number"},
    {"asecd", 1, 1,
     [](Call& c) {
       if (has_inner_elements(c[0])) return inverse_of_array(c, true, to_degrees);
       degrees_out(
           c, [](double x) { return std::acos(1 / x); }, [](C z) { return complex_acos(one_over(z)); }, outside_unit);
     },
     "asecd(x): inverse secant in degrees.", "number"},
    {"acscd", 1, 1,
     [](Call& c) {
       if (has_inner_elements(c[0])) return inverse_of_array(c, false, to_degrees);
       degrees_out(
           c, [](double x) { return std::asin(1 / x); }, [](C z) { return complex_asin(one_over(z)); }, outside_unit);
     },
     "acscd(x): inverse cosecant in degrees.", "number"},
    {"acotd", 1, 1,
     [](Call& c) {
       degrees_out(
           c, [](double x) { return std::atan(1 / x); }, [](C z) { return std::atan(one_over(z)); },
           [](double) { return true; });
     },
     "acotd(x): inverse cotangent in degrees.", "number"},
    {"atan2", 2, 2, [](Call& c) { atan2_scaled(c, 1); }, "atan2(y, x): angle of the point (x, y) in radians.",
     "real, real"},
    {"atan2d", 2, 2, [](Call& c) { atan2_scaled(c, to_degrees); },
     "atan2d(y, x): angle of the point (x, y) in degrees.", "real, real"},
    {"deg2rad", 1, 1, [](Call& c) { c.ret(map_real(c[0], [](double x) { return x * to_radians; })); },
     "deg2rad(x): degrees to radians.", "number"},
    {"rad2deg", 1, 1, [](Call& c) { c.ret(map_real(c[0], [](double x) { return x * to_degrees; })); },
     "rad2deg(x): radians to degrees.", "number"},
    {"cart2pol", 1, 3, cart2pol, "[theta, r, z] = cart2pol(x, y, z): polar or cylindrical coordinates.",
     "real, real, real"},
    {"pol2cart", 1, 3, pol2cart, "[x, y, z] = pol2cart(theta, r, z): Cartesian from polar or cylindrical coordinates.",
     "real, real, real"},
    {"cart2sph", 1, 3, cart2sph,
     "[theta, phi, r] = cart2sph(x, y, z): spherical coordinates; phi starts at the z axis.", "real, real, real"},
    {"sph2cart", 1, 3, sph2cart,
     "[x, y, z] = sph2cart(theta, phi, r): Cartesian from spherical coordinates; phi starts at the z axis.",
     "real, real, real"},
    {"unwrap", 1, 3, unwrap, "unwrap(x, tol, dim): adds multiples of 2*pi so that neighbours differ by less than tol.",
     "real, real scalar [], dim?"},
};

}  // namespace

BuiltinFamily trigonometry_builtins() { return trigonometry_table; }

}  // namespace orrery::oml
