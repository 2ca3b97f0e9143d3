// SPDX-License-Identifier: Apache-2.0
// Runs the complex formulas on names instead of numbers: every operation becomes one line of C.
#include "native/complex_text.h"

#include <fmt/format.h>

#include "base/check.h"
#include "program/complex_formulas.h"

namespace orrery::native {
namespace {

struct Recorder {
  std::string body;
  std::set<std::string>* libm = nullptr;
  int count = 0;

  std::string line(const char* type, const std::string& expression) {
    std::string name = fmt::format("t{}", ++count);
    body += fmt::format("  {} {} = {};\n", type, name, expression);
    return name;
  }
};

// A number or a condition of the function being recorded.
struct Real {
  Recorder* recorder;
  std::string name;
};
struct Condition {
  Recorder* recorder;
  std::string name;
};

std::string number(double value) {
  std::string text = fmt::format("{}", value);
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}
Real operation(const Real& a, const char* symbol, const std::string& b) {
  return {a.recorder, a.recorder->line("double", a.name + symbol + b)};
}
Condition relation(const Real& a, const char* symbol, const std::string& b) {
  return {a.recorder, a.recorder->line("int", a.name + symbol + b)};
}
Real call(const char* function, const Real& a) {
  a.recorder->libm->insert(function);
  return {a.recorder, a.recorder->line("double", fmt::format("{}({})", function, a.name))};
}
Real call(const char* function, const Real& a, const Real& b) {
  a.recorder->libm->insert(function);
  return {a.recorder, a.recorder->line("double", fmt::format("{}({}, {})", function, a.name, b.name))};
}

Real operator+(const Real& a, const Real& b) { return operation(a, " + ", b.name); }
Real operator-(const Real& a, const Real& b) { return operation(a, " - ", b.name); }
Real operator*(const Real& a, const Real& b) { return operation(a, " * ", b.name); }
Real operator/(const Real& a, const Real& b) { return operation(a, " / ", b.name); }
Real operator+(const Real& a, double b) { return operation(a, " + ", number(b)); }
Real operator-(const Real& a, double b) { return operation(a, " - ", number(b)); }
Real operator*(const Real& a, double b) { return operation(a, " * ", number(b)); }
Real operator/(const Real& a, double b) { return operation(a, " / ", number(b)); }
Real operator-(double a, const Real& b) { return {b.recorder, b.recorder->line("double", number(a) + " - " + b.name)}; }
Real operator-(const Real& a) { return {a.recorder, a.recorder->line("double", "-" + a.name)}; }
Condition operator<=(const Real& a, const Real& b) { return relation(a, " <= ", b.name); }
Condition operator<(const Real& a, double b) { return relation(a, " < ", number(b)); }
Condition operator>=(const Real& a, double b) { return relation(a, " >= ", number(b)); }
Condition operator==(const Real& a, double b) { return relation(a, " == ", number(b)); }
Condition operator&&(const Condition& a, const Condition& b) {
  return {a.recorder, a.recorder->line("int", a.name + " && " + b.name)};
}

}  // namespace
}  // namespace orrery::native

namespace orrery::program {

template <>
struct RealMath<native::Real> {
  using R = native::Real;
  static R sqrt(const R& x) { return native::call("sqrt", x); }
  static R exp(const R& x) { return native::call("exp", x); }
  static R log(const R& x) { return native::call("log", x); }
  static R log10(const R& x) { return native::call("log10", x); }
  static R sin(const R& x) { return native::call("sin", x); }
  static R cos(const R& x) { return native::call("cos", x); }
  static R tan(const R& x) { return native::call("tan", x); }
  static R sinh(const R& x) { return native::call("sinh", x); }
  static R cosh(const R& x) { return native::call("cosh", x); }
  static R tanh(const R& x) { return native::call("tanh", x); }
  static R fabs(const R& x) { return native::call("fabs", x); }
  static R hypot(const R& x, const R& y) { return native::call("hypot", x, y); }
  static R atan2(const R& y, const R& x) { return native::call("atan2", y, x); }
  static R select(const native::Condition& condition, const R& a, const R& b) {
    return {a.recorder, a.recorder->line("double", fmt::format("{} ? {} : {}", condition.name, a.name, b.name))};
  }
  static R like(const R& x, double value) { return {x.recorder, native::number(value)}; }
};

}  // namespace orrery::program

namespace orrery::native {
namespace {

using program::Op;
using C = program::Complex<Real>;
using Math = program::ComplexMath<Real>;

C by_parts(Op op, const C& a) {
  const char* function = program::name_of(op);  // floor, ceil, round and trunc have the names of libm
  return {call(function, a.re), call(function, a.im)};
}

C apply(Op op, const C& a, const C& b) {
  switch (op) {
    case Op::add: return Math::add(a, b);
    case Op::sub: return Math::sub(a, b);
    case Op::mul: return Math::mul(a, b);
    case Op::div: return Math::div(a, b);
    case Op::pow: return Math::pow(a, b);
    default:
      return program::complex_function(op, a, [](Op part, const C& z) {
        ORRERY_CHECK(part >= Op::floor && part <= Op::trunc);
        return by_parts(part, z);
      });
  }
}

}  // namespace

std::string complex_function_text(Op op, std::set<std::string>& libm) {
  Recorder recorder;
  recorder.libm = &libm;
  auto part = [&](const char* name) { return Real{&recorder, name}; };
  C result = apply(op, {part("a[0]"), part("a[1]")}, {part("b[0]"), part("b[1]")});
  return fmt::format("static void orr_c_{}(double* r, const double* a{}) {{\n{}  r[0] = {};\n  r[1] = {};\n}}\n",
                     program::name_of(op), program::is_elementwise_binary(op) ? ", const double* b" : "", recorder.body,
                     result.re.name, result.im.name);
}

}  // namespace orrery::native
