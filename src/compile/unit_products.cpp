// SPDX-License-Identifier: Apache-2.0
// One rule for each operation. A number that is multiplied has no unit; one that is added or compared takes any.
#include "compile/unit_products.h"

#include <algorithm>

namespace orrery::compile {
namespace {

using program::ExprId;
using program::Op;
using units::Product;

constexpr std::int64_t most_elements = 64;  // of larger ones nothing is said

}  // namespace

void UnitSweep::go_on() {
  for (auto id = static_cast<ExprId>(products_.size()); id < graph_.size(); ++id) products_.push_back(node(id));
}

void UnitSweep::none(const Product& value) {
  if (!value.number) equate_(value, {}, "a function of plain numbers has an argument with the unit {}, not {}");
}

Product UnitSweep::together(const Product& a, const Product& b, const char* why) {
  if (a.number || b.number) {
    Product other = a.number ? b : a;
    if (!other.number) other.shifted = true;
    return other;
  }
  equate_(a, b, why);
  return a;
}

Product UnitSweep::together(const UnitProducts& all, const char* why) {
  Product made = all[0];
  for (std::size_t k = 1; k < all.size(); ++k) made = together(made, all[k], why);
  return made;
}

UnitProducts UnitSweep::node(ExprId id) {
  const program::Node& node = graph_[id];
  const std::int64_t size = node.type.size();
  if (size > most_elements || node.type.scalar == program::Scalar::c128) return {};
  const auto count = static_cast<std::size_t>(size);
  switch (node.op) {
    case Op::constant: {
      Product number;
      number.number = true;
      return UnitProducts(count, number);
    }
    case Op::read: {
      UnitProducts made;
      for (int k = 0; k < size; ++k) made.push_back(quantity_(static_cast<program::SlotId>(node.payload), k));
      return made;
    }
    case Op::time: return {Product::of(units::second())};
    case Op::past: {
      const program::PastOf of = program::PastOf::from(node.payload);
      if (of.what != program::PastWhat::value || of.order != 0) return {};
      return {past_(of.history, of.element)};
    }
    default: break;
  }
  const auto arguments = graph_.arguments(id);
  for (const ExprId argument : arguments) {
    if (products_[argument].empty()) return {};
  }
  switch (node.op) {
    case Op::element: return {products_[arguments[0]][static_cast<std::size_t>(node.payload)]};
    case Op::stack:
    case Op::concat: {
      UnitProducts made;
      for (const ExprId argument : arguments)
        made.insert(made.end(), products_[argument].begin(), products_[argument].end());
      return made.size() == count ? made : UnitProducts{};
    }
    case Op::reshape: return products_[arguments[0]];
    case Op::transpose: {
      UnitProducts made(count);
      const program::Type from = graph_.type(arguments[0]);
      for (int r = 0; r < from.rows; ++r) {
        for (int c = 0; c < from.cols; ++c)
          made[static_cast<std::size_t>(c + r * from.cols)] =
              products_[arguments[0]][static_cast<std::size_t>(r + c * from.rows)];
      }
      return made;
    }
    case Op::sum: return {together(products_[arguments[0]], "the elements of a sum have the units {} and {}")};
    case Op::minimum:
    case Op::maximum: return {together(products_[arguments[0]], "compared elements have the units {} and {}")};
    case Op::product: {
      Product made = products_[arguments[0]][0];
      for (std::size_t k = 1; k < products_[arguments[0]].size(); ++k) made = made + products_[arguments[0]][k];
      return {made};
    }
    case Op::matmul: return matrix_product(arguments[0], arguments[1]);
    default: return elementwise(id);
  }
}

UnitProducts UnitSweep::matrix_product(ExprId a, ExprId b) {
  const program::Type left = graph_.type(a), right = graph_.type(b);
  UnitProducts made;
  for (int c = 0; c < right.cols; ++c) {
    for (int r = 0; r < left.rows; ++r) {
      UnitProducts terms;
      for (int k = 0; k < left.cols; ++k)
        terms.push_back(products_[a][static_cast<std::size_t>(r + k * left.rows)] +
                        products_[b][static_cast<std::size_t>(k + c * right.rows)]);
      made.push_back(together(terms, "the terms of a matrix product have the units {} and {}"));
    }
  }
  return made;
}

UnitProducts UnitSweep::elementwise(ExprId id) {
  const program::Node& node = graph_[id];
  const auto arguments = graph_.arguments(id);
  const auto count = static_cast<std::size_t>(node.type.size());
  const auto at = [&](std::size_t argument, std::size_t k) -> const Product& {
    const UnitProducts& list = products_[arguments[argument]];
    return list.size() == 1 ? list[0] : list[k];
  };
  for (const ExprId argument : arguments) {
    if (products_[argument].size() != 1 && products_[argument].size() != count) return {};
  }
  UnitProducts made;
  for (std::size_t k = 0; k < count; ++k) {
    switch (node.op) {
      case Op::neg:
      case Op::abs:
      case Op::floor:
      case Op::ceil:
      case Op::round:
      case Op::trunc:
      case Op::real:
      case Op::cast: made.push_back(at(0, k)); break;
      case Op::sqrt: made.push_back(at(0, k) * 0.5); break;
      case Op::exp:
      case Op::log:
      case Op::log10:
      case Op::sin:
      case Op::cos:
      case Op::tan:
      case Op::asin:
      case Op::acos:
      case Op::atan:
      case Op::sinh:
      case Op::cosh:
      case Op::tanh:
      case Op::asinh:
      case Op::acosh:
      case Op::atanh:
        none(at(0, k));
        made.push_back({});
        break;
      case Op::sign:
      case Op::is_nan:
      case Op::logical_not:
      case Op::logical_and:
      case Op::logical_or:
      case Op::logical_xor: made.push_back({}); break;
      case Op::select:
        made.push_back(together(at(1, k), at(2, k), "what is chosen between has the units {} and {}"));
        break;
      case Op::add:
      case Op::sub:
      case Op::mul:
      case Op::div:
      case Op::pow:
      case Op::atan2:
      case Op::hypot:
      case Op::mod:
      case Op::rem:
      case Op::min:
      case Op::max:
      case Op::less:
      case Op::less_equal:
      case Op::equal:
      case Op::not_equal: made.push_back(binary(node.op, at(0, k), at(1, k), arguments[1])); break;
      default: return {};
    }
  }
  return made;
}

Product UnitSweep::binary(Op op, const Product& a, const Product& b, ExprId exponent) {
  switch (op) {
    case Op::mul: return a + b;
    case Op::div: return a - b;
    case Op::pow:
      if (graph_.is_constant(exponent) && graph_.type(exponent).size() == 1)
        return a * graph_.constant_data(exponent)[0];
      none(a);
      none(b);
      return {};
    case Op::add:
    case Op::sub:
    case Op::hypot: return together(a, b, "the terms of a sum have the units {} and {}");
    case Op::mod:
    case Op::rem:
    case Op::min:
    case Op::max: return together(a, b, "values that are put together have the units {} and {}");
    default: together(a, b, "values that are compared have the units {} and {}"); return {};
  }
}

}  // namespace orrery::compile
