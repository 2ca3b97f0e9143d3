// SPDX-License-Identifier: Apache-2.0
// Conversion of values.
#include "trace/oml_values.h"

#include "oml/convert.h"
#include "trace/parameter_value.h"

namespace orrery::trace {
namespace {

using program::Scalar;

std::optional<Scalar> scalar_of(oml::NumClass number) {
  switch (number) {
    case oml::NumClass::f64: return Scalar::f64;
    case oml::NumClass::i8: return Scalar::i8;
    case oml::NumClass::i16: return Scalar::i16;
    case oml::NumClass::i32: return Scalar::i32;
    case oml::NumClass::u8: return Scalar::u8;
    case oml::NumClass::u16: return Scalar::u16;
    case oml::NumClass::u32: return Scalar::u32;
    default: return std::nullopt;
  }
}

oml::NumClass class_of(Scalar scalar) {
  switch (scalar) {
    case Scalar::i8: return oml::NumClass::i8;
    case Scalar::i16: return oml::NumClass::i16;
    case Scalar::i32: return oml::NumClass::i32;
    case Scalar::u8: return oml::NumClass::u8;
    case Scalar::u16: return oml::NumClass::u16;
    case Scalar::u32: return oml::NumClass::u32;
    default: return oml::NumClass::f64;
  }
}

std::optional<program::Value> list_of(const oml::Value& v) {
  program::Value list = program::Value::list({});
  if (v.is_struct()) {
    const oml::StructArray& s = v.structure_ref();
    if (s.dims.numel() != 1) return std::nullopt;
    list.names = s.keys;
    for (const std::string& key : s.keys) {
      auto item = from_oml(*s.get(key));
      if (!item) return std::nullopt;
      list.items.push_back(std::move(*item));
    }
    list.rows = 1;
    list.cols = static_cast<int>(list.items.size());
    return list;
  }
  for (oml::Index k = 0; k < v.numel(); ++k) {
    auto item = from_oml(v.cell()[k]);
    if (!item) return std::nullopt;
    list.items.push_back(std::move(*item));
  }
  list.rows = static_cast<int>(v.dims().rows());
  list.cols = static_cast<int>(v.dims().cols());
  return list;
}

}  // namespace

std::optional<program::Value> from_oml(const oml::Value& v) {
  if (is_parameter(v)) {
    const auto& parameter = static_cast<const ParameterValue&>(v.symbolic());
    auto value = from_oml(*parameter.known());
    if (value && parameter.has_formula_in(parameter.home()->space.graph())) value->formula = parameter.formula();
    return value;
  }
  if (v.is_number()) return program::Value::number(v.number());
  if (v.is_text_row()) return program::Value::string(oml::to_string(v));
  if (v.is_cell() || v.is_struct()) return list_of(v);
  if (!v.is_arithmetic() || v.dims().count() > 2) return std::nullopt;
  const bool logical = v.is_logical();
  const oml::Value numbers = oml::boxed(oml::full(oml::to_numeric(v)));
  const auto rows = static_cast<int>(numbers.dims().rows());
  const auto cols = static_cast<int>(numbers.dims().cols());
  if (numbers.kind() == oml::Kind::complex) {
    program::Value z = program::Value::matrix(rows, cols, 0, Scalar::c128);
    for (std::size_t k = 0; k < z.real.size(); ++k) {
      z.real[k] = numbers.complex().data[k].real();
      z.imag[k] = numbers.complex().data[k].imag();
    }
    return z;
  }
  if (numbers.kind() != oml::Kind::real) return std::nullopt;
  const auto scalar = logical ? std::optional(Scalar::boolean) : scalar_of(numbers.num_class());
  if (!scalar) return std::nullopt;
  program::Value matrix = program::Value::matrix(rows, cols, 0, *scalar);
  for (std::size_t k = 0; k < matrix.real.size(); ++k) matrix.real[k] = numbers.real().data[k];
  return matrix;
}

oml::Value to_oml(const program::Value& v, const std::shared_ptr<ParameterHome>& home) {
  if (v.has_formula() && home && !home->space.paused) {
    program::Value number = v;
    number.formula = program::no_expr;
    return ParameterValue::wrap(home, v.formula, to_oml(number, home));
  }
  if (v.is_text()) return oml::Value::text(v.text);
  if (!v.names.empty()) {
    oml::Value out = oml::Value::structure();
    for (std::size_t k = 0; k < v.items.size(); ++k) out.edit_structure().set(v.names[k], to_oml(v.items[k], home));
    return out;
  }
  if (v.is_list()) {
    oml::Value cell = oml::Value::cell(oml::Dims(v.rows, v.cols));
    for (std::size_t k = 0; k < v.items.size(); ++k)
      cell.edit_cell()[static_cast<oml::Index>(k)] = to_oml(v.items[k], home);
    return cell;
  }
  const oml::Dims dims(v.rows, v.cols);
  if (v.is_complex()) {
    oml::Value z = oml::Value::complex_zeros(dims);
    for (std::size_t k = 0; k < v.real.size(); ++k) z.edit_complex()[static_cast<oml::Index>(k)] = v.at(k);
    return z;
  }
  if (v.is_scalar() && v.type == Scalar::f64) return oml::Value(v.scalar());
  if (v.is_scalar() && v.type == Scalar::boolean) return oml::Value(v.scalar() != 0);
  oml::Value matrix = oml::Value::real_uninitialised(dims, class_of(v.type));
  for (std::size_t k = 0; k < v.real.size(); ++k) matrix.edit_real()[static_cast<oml::Index>(k)] = v.real[k];
  return v.type == Scalar::boolean ? oml::to_logical(matrix) : matrix;
}

}  // namespace orrery::trace
