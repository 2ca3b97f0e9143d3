// SPDX-License-Identifier: Apache-2.0
// Typed access to evaluated parameters, with errors that name the parameter.
#include "blocks/parameters.h"

#include <fmt/format.h>

#include <cmath>

#include "base/check.h"
#include "blocks/block.h"

namespace orrery::blocks {
namespace {

[[noreturn]] void refuse(std::string_view name, const std::string& wanted, const Value& value) {
  throw ParameterError{std::string(name), fmt::format("must be {}, but is {}", wanted, describe(value)), {}};
}

}  // namespace

const Value& Parameters::value(std::string_view name) const {
  for (std::size_t k = 0; k < values_.size(); ++k) {
    if (type_->parameters[k].name == name) return values_[k];
  }
  ORRERY_CHECK(!"the block type declares this parameter");
  return values_[0];
}

double Parameters::number(std::string_view name) const {
  const Value& v = value(name);
  if (!v.is_scalar() || v.is_complex()) refuse(name, "one real number", v);
  return v.scalar();
}

int Parameters::integer(std::string_view name) const {
  const double x = number(name);
  if (x != std::floor(x) || std::fabs(x) > 1e9) {
    throw ParameterError{std::string(name), fmt::format("must be a whole number, but is {}", x), {}};
  }
  return static_cast<int>(x);
}

bool Parameters::flag(std::string_view name) const {
  const Value& v = value(name);
  if (!v.is_scalar()) refuse(name, "true or false", v);
  return v.scalar() != 0;
}

const std::string& Parameters::text(std::string_view name) const {
  const Value& v = value(name);
  if (!v.is_text()) refuse(name, "a text in quotes", v);
  return v.as_text();
}

const std::vector<double>& Parameters::reals(std::string_view name) const {
  const Value& v = value(name);
  if (!v.is_number() || v.is_complex()) refuse(name, "a real matrix", v);
  return v.real;
}

}  // namespace orrery::blocks
