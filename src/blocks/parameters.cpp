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

void Parameters::fail(std::string name, const ParameterError& error, const std::string& before) const {
  throw ParameterError{std::move(name), before + error.message, error.help, error.code};
}

void Parameters::fail(std::string name, std::string message, std::string help) const {
  throw ParameterError{std::move(name), std::move(message), std::move(help)};
}

const Value& Parameters::value(std::string_view name) const {
  for (std::size_t k = 0; k < values_.size(); ++k) {
    if (type_->parameters[k].name == name) return values_[k];
  }
  ORRERY_CHECK(false && "the block type declares this parameter");
  return values_[0];
}

void Parameters::set_space(std::shared_ptr<program::ParameterSpace> space, Place place) {
  varied_ = std::make_shared<const Varied>(Varied{std::move(space), std::move(place)});
}

namespace {

void settle_all(const Value& value, program::ParameterSpace& space, const Place& place, const std::string& reason) {
  if (value.has_formula()) space.fix(value.formula, place, reason);
  for (const Value& item : value.items) settle_all(item, space, place, reason);
}

}  // namespace

void Parameters::settle(std::string_view name, std::string reason) const {
  if (!varied_) return;
  Place place = varied_->place;
  place.port = fmt::format("parameter {}", name);
  settle_all(value(name), *varied_->space, place, reason);
}

double Parameters::number(std::string_view name) const {
  if (varied_) settle(name, fmt::format("the {} is built with its number", type_->name));
  return now_number(name);
}

double Parameters::now_number(std::string_view name) const {
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

int Parameters::count(std::string_view name) const {
  const double x = number(name);
  if (x != std::floor(x) || x < 1 || x > 10000) {
    fail(std::string(name), fmt::format("must be a whole number from 1 to 10000, but is {}", x));
  }
  return static_cast<int>(x);
}

double Parameters::positive(std::string_view name) const {
  number(name);
  return now_positive(name);
}

double Parameters::now_positive(std::string_view name) const {
  const double x = now_number(name);
  if (!(x > 0)) fail(std::string(name), fmt::format("must be greater than 0, but is {}", x));
  if (std::isinf(x)) fail(std::string(name), "must be finite");
  return x;
}

bool Parameters::flag(std::string_view name) const {
  if (varied_) settle(name, fmt::format("the {} is built according to it", type_->name));
  const Value& v = value(name);
  if (!v.is_scalar()) refuse(name, "true or false", v);
  return v.scalar() != 0;
}

const std::string& Parameters::text(std::string_view name) const {
  const Value& v = value(name);
  if (!v.is_text()) refuse(name, "a text in quotes", v);
  return v.as_text();
}

const Value& Parameters::matrix(std::string_view name) const {
  const Value& v = value(name);
  if (!v.is_number() || v.is_empty()) refuse(name, "a number or a matrix", v);
  return v;
}

const std::vector<double>& Parameters::reals(std::string_view name) const {
  if (varied_) settle(name, fmt::format("the {} is built with its numbers", type_->name));
  return now_reals(name);
}

const std::vector<double>& Parameters::now_reals(std::string_view name) const {
  const Value& v = value(name);
  if (!v.is_number() || v.is_complex()) refuse(name, "a real matrix", v);
  return v.real;
}

}  // namespace orrery::blocks
