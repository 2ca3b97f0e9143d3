// SPDX-License-Identifier: Apache-2.0
// Evaluated parameters of a block instance, and what a block type declares of them.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"
#include "program/parameter_space.h"
#include "program/value.h"

namespace orrery::blocks {

using program::Value;

struct ParameterSpec {
  std::string name;
  std::string value;  // default, OML text
  std::string about;
  std::vector<std::string> choices = {};  // texts allowed; empty: anything
  bool verbatim = false;                  // the text itself is the value, as it stands: program code
};

struct BlockType;
class Tracer;
class ForeignModels;
class UnitBody;

// A wrong parameter: thrown by the accessors below and by block code, caught by the compiler, which adds the place.
struct ParameterError {
  std::string parameter;
  std::string message;
  std::string help;
  std::string code = "bad-parameter";  // of the diagnostic
};

// Values in the order of the type's declarations. Accessors say what they need: a number() that is not one, or a
// parameter that is not declared, is an error with the parameter's name.
//
// A value may follow from parameters that are to be varied (Value::formula): Block::parameter() gives the formula,
// while the accessors that give numbers settle the matter, which is remembered with the place. value(), matrix() and
// those called now_… do not: they are for sizes, and for refusing numbers that make no sense.
class Parameters {
 public:
  Parameters() = default;
  Parameters(const BlockType* type, std::vector<Value> values) : type_(type), values_(std::move(values)) {}

  const Value& value(std::string_view name) const;
  double number(std::string_view name) const;    // real scalar
  int integer(std::string_view name) const;      // real scalar without fraction
  int count(std::string_view name) const;        // whole number from 1 to 10 000: how many ports
  double positive(std::string_view name) const;  // finite and greater than 0
  bool flag(std::string_view name) const;        // scalar, not zero
  const std::string& text(std::string_view name) const;
  const Value& matrix(std::string_view name) const;               // numbers of any element type, at least one
  const std::vector<double>& reals(std::string_view name) const;  // real matrix, column by column
  double now_number(std::string_view name) const;
  double now_positive(std::string_view name) const;
  const std::vector<double>& now_reals(std::string_view name) const;
  bool has_formula(std::string_view name) const { return value(name).has_formula(); }
  // The block is built with the number of this parameter, or of the items of this list.
  void settle(std::string_view name, std::string reason) const;
  bool given(std::string_view name) const { return !value(name).is_empty(); }
  const BlockType* type() const { return type_; }
  [[noreturn]] void fail(std::string name, std::string message, std::string help = {}) const;
  // What somebody else has found, with these words before it.
  [[noreturn]] void fail(std::string name, const ParameterError& error, const std::string& before = {}) const;

  // Where the formulas of the values belong, and where the block is.
  void set_space(std::shared_ptr<program::ParameterSpace> space, Place place);

  // Blocks whose behaviour is a text (BlockType::traces): runs it on signals, in the scope of the instance.
  void set_tracer(std::shared_ptr<const Tracer> tracer) { tracer_ = std::move(tracer); }
  const Tracer* tracer() const { return tracer_.get(); }
  // Blocks whose behaviour is in a file (BlockType::foreign): says what is in it.
  void set_foreign_models(std::shared_ptr<const ForeignModels> models) { foreign_models_ = std::move(models); }
  const ForeignModels* foreign_models() const { return foreign_models_.get(); }
  // Instances of an atomic super block whose inside is compiled once.
  void set_unit(std::shared_ptr<const UnitBody> unit) { unit_ = std::move(unit); }
  const UnitBody* unit() const { return unit_.get(); }

 private:
  struct Varied {
    std::shared_ptr<program::ParameterSpace> space;
    Place place;
  };
  std::shared_ptr<const Varied> varied_;  // nullptr: no value has a formula
  std::shared_ptr<const Tracer> tracer_;
  std::shared_ptr<const ForeignModels> foreign_models_;
  std::shared_ptr<const UnitBody> unit_;
  const BlockType* type_ = nullptr;
  std::vector<Value> values_;
};

}  // namespace orrery::blocks
