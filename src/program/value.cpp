// SPDX-License-Identifier: Apache-2.0
// Making and asking parameter values.
#include "program/value.h"

#include <utility>

#include "base/check.h"

namespace orrery::program {

Value Value::number(double x, Scalar element) { return matrix(1, 1, x, element); }

Value Value::complex(std::complex<double> z) {
  Value value = matrix(1, 1, z.real(), Scalar::c128);
  value.imag[0] = z.imag();
  return value;
}

Value Value::boolean(bool b) { return matrix(1, 1, b ? 1 : 0, Scalar::boolean); }

Value Value::matrix(int row_count, int col_count, double fill, Scalar element) {
  ORRERY_CHECK(row_count >= 0 && col_count >= 0);
  Value value;
  value.type = element;
  value.rows = row_count;
  value.cols = col_count;
  value.real.assign(static_cast<std::size_t>(row_count) * static_cast<std::size_t>(col_count), fill);
  if (element == Scalar::c128) value.imag.assign(value.real.size(), 0);
  return value;
}

Value Value::string(std::string content) {
  Value value;
  value.kind = Kind::text;
  value.text = std::move(content);
  return value;
}

Value Value::list(std::vector<Value> elements) {
  Value value;
  value.kind = Kind::list;
  value.rows = elements.empty() ? 0 : 1;
  value.cols = static_cast<int>(elements.size());
  value.items = std::move(elements);
  return value;
}

bool Value::is_empty() const { return size() == 0; }

std::size_t Value::size() const {
  switch (kind) {
    case Kind::number: return real.size();
    case Kind::text: return text.size();
    case Kind::list: return items.size();
  }
  return 0;
}

double Value::scalar() const {
  ORRERY_CHECK(is_scalar());
  return real[0];
}

const std::string& Value::as_text() const {
  ORRERY_CHECK(is_text());
  return text;
}

std::string describe(const Value& value) {
  if (value.is_text()) return "a text";
  if (!value.names.empty()) return "a struct of " + std::to_string(value.items.size());
  if (value.is_list()) return "a list of " + std::to_string(value.items.size());
  if (value.is_scalar()) return std::string("one ") + name_of(value.type) + " number";
  return "a " + std::to_string(value.rows) + "x" + std::to_string(value.cols) + " matrix";
}

}  // namespace orrery::program
