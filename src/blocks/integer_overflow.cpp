// SPDX-License-Identifier: Apache-2.0
// Integers are computed as doubles, which hold sums and products of up to 32 bits exactly, and brought back into range.
#include "blocks/integer_overflow.h"

namespace orrery::blocks {

ParameterSpec overflow_spec() {
  return {"overflow",
          "'saturate'",
          "integers that do not fit: the nearest number of the type, modulo 2^n, or the run fails",
          {"saturate", "wrap", "error"}};
}

namespace {

double span_of(Scalar scalar) { return highest_value(scalar) - lowest_value(scalar) + 1; }

// Modulo 2^n, into the range of the type.
Expr wrapped_into(Expr exact, Scalar to) {
  const double lowest = lowest_value(to), span = span_of(to);
  return (exact - span * apply(Op::floor, (exact - lowest) / span)).as(to);
}

// a * b modulo 2^32 as a double that is exact: the product of two numbers of 32 bits is not.
Expr product_modulo(Expr a, Expr b) {
  const Expr high = apply(Op::floor, a / 0x1p16);
  const Expr low = a - 0x1p16 * high;
  const Expr upper = high * b;
  return 0x1p16 * (upper - 0x1p16 * apply(Op::floor, upper / 0x1p16)) + low * b;
}

}  // namespace

Arithmetic::Arithmetic(Block& block) : block_(block), rule_(Overflow::saturate) {
  const std::string& rule = block.text("overflow");
  if (rule == "wrap") rule_ = Overflow::wrap;
  if (rule == "error") rule_ = Overflow::error;
}

Expr Arithmetic::fit(Expr exact, Scalar to) {
  if (rule_ == Overflow::wrap) return wrapped_into(exact, to);
  if (rule_ == Overflow::error) {
    const double lowest = lowest_value(to), highest = highest_value(to);
    for (std::int64_t k = 0; k < exact.size(); ++k) {
      const Expr x = exact[k];
      block_.on_activation()
          .when(x < lowest || x > highest)
          .fail(std::string("the result {} does not fit into ") + name_of(to), {x});
    }
  }
  return exact.as(to);
}

Expr Arithmetic::add(Expr a, Expr b) {
  const Scalar type = a.scalar_type();
  if (!is_integer(type) || rule_ == Overflow::saturate) return a + b;
  return fit(a.as(Scalar::f64) + b.as(Scalar::f64), type);
}

Expr Arithmetic::subtract(Expr a, Expr b) {
  const Scalar type = a.scalar_type();
  if (!is_integer(type) || rule_ == Overflow::saturate) return a - b;
  return fit(a.as(Scalar::f64) - b.as(Scalar::f64), type);
}

Expr Arithmetic::multiply(Expr a, Expr b) {
  const Scalar type = a.scalar_type();
  if (!is_integer(type) || rule_ == Overflow::saturate) return a * b;
  const Expr x = a.as(Scalar::f64), y = b.as(Scalar::f64);
  return fit(rule_ == Overflow::wrap ? product_modulo(x, y) : x * y, type);
}

Expr Arithmetic::negate(Expr a) {
  const Scalar type = a.scalar_type();
  if (!is_integer(type) || rule_ == Overflow::saturate) return -a;
  return fit(-a.as(Scalar::f64), type);
}

Expr Arithmetic::convert(Expr a, Scalar to) {
  if (!is_integer(to) || rule_ == Overflow::saturate) return a.as(to);
  const Expr real = a.scalar_type() == Scalar::c128 ? apply(Op::real, a) : a.as(Scalar::f64);
  const Expr whole = is_integer(a.scalar_type()) ? real : apply(Op::trunc, real);
  return fit(whole, to);
}

// Modulo 2^n it is the same whether one reduces at each step or at the end.
Expr Arithmetic::sum(const std::vector<Expr>& terms, const std::string& signs) {
  const Scalar type = terms[0].scalar_type();
  if (is_wide(type) && (terms.size() > 2 || signs[0] == '-')) {
    Expr exact = terms[0].as(Scalar::f64);
    if (signs[0] == '-') exact = -exact;
    for (std::size_t k = 1; k < terms.size(); ++k) {
      const Expr term = terms[k].as(Scalar::f64);
      exact = signs[k] == '+' ? exact + term : exact - term;
    }
    return fit(exact, type);
  }
  Expr result = signs[0] == '+' ? terms[0] : negate(terms[0]);
  for (std::size_t k = 1; k < terms.size(); ++k) {
    result = signs[k] == '+' ? add(result, terms[k]) : subtract(result, terms[k]);
  }
  return result;
}

Expr Arithmetic::product(const std::vector<Expr>& factors, const std::string& signs) {
  const Scalar type = factors[0].scalar_type();
  if (!is_wide(type) || factors.size() < 3) {
    Expr result = signs[0] == '*' ? factors[0] : 1.0 / factors[0];
    for (std::size_t k = 1; k < factors.size(); ++k) {
      result = signs[k] == '*' ? multiply(result, factors[k]) : result / factors[k];
    }
    return result;
  }
  const Expr one = block_.constant(1);
  const auto divide = [&](Expr a, Expr b) {  // by zero: zero, as integers do
    const Expr fill = b * 0.0;
    return select(b == 0.0, fill, apply(Op::trunc, a / select(b == 0.0, fill + one, b)));
  };
  Expr exact = factors[0].as(Scalar::f64);
  if (signs[0] == '/') exact = divide(exact * 0.0 + one, exact);
  for (std::size_t k = 1; k < factors.size(); ++k) {
    const Expr factor = factors[k].as(Scalar::f64);
    exact = signs[k] == '*' ? exact * factor : divide(exact, factor);
  }
  return fit(exact, type);
}

Expr Arithmetic::matrix_product(Expr a, Expr b) {
  if (a.type().is_scalar() || b.type().is_scalar()) return multiply(a, b);
  if (!is_integer(a.scalar_type())) return matmul(a, b);
  std::vector<Expr> elements;
  for (std::int32_t j = 0; j < b.cols(); ++j) {
    for (std::int32_t i = 0; i < a.rows(); ++i) {
      std::vector<Expr> terms;
      for (std::int32_t k = 0; k < a.cols(); ++k) terms.push_back(multiply(a.at(i, k), b.at(k, j)));
      elements.push_back(total(terms));
    }
  }
  return stack({a.scalar_type(), a.rows(), b.cols()}, elements);
}

}  // namespace orrery::blocks
