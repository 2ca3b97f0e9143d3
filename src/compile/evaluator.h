// SPDX-License-Identifier: Apache-2.0
// The one door from diagrams to the scripting language: runs contexts and evaluates parameter texts.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"
#include "blocks/tracer.h"
#include "compile/value.h"
#include "model/model.h"
#include "program/parameter_space.h"

namespace orrery::compile {

// A variable of an inner scope whose text is evaluated in the outer one: a parameter of a mask.
struct GivenVariable {
  std::string name;
  std::string text;
  Place place;
};

// Scopes are semi-global (Activate, 6.4.1): the names of an enclosing diagram are visible inside, assignments stay in
// the scope in which they are made. There is always at least the outermost scope, that of the model; it does not see
// the base workspace, which outlives the runs and is reached by name only (GetFromBase, AddToBase).
class Evaluator {
 public:
  virtual ~Evaluator() = default;

  // The variables handed to the new scope may have any value, also one that cannot be the parameter of a block.
  virtual void push_scope(const std::vector<GivenVariable>& variables, Diagnostics& diagnostics) = 0;
  virtual void pop_scope() = 0;
  // Runs the source lines of a context in the current scope. place.line is the file line of lines[0], the others
  // follow it; errors are reported there, and the statements before one have been run.
  virtual void run(const std::vector<std::string>& lines, const Place& place, Diagnostics& diagnostics) = 0;
  // In the outermost scope the variable keeps this value, whatever is assigned to it there.
  virtual void pin(const std::string& name, std::string_view text, const Place& place, Diagnostics& diagnostics) = 0;
  // The value of one expression; nothing, and a diagnostic, when it has none.
  virtual std::optional<Value> evaluate(std::string_view text, const Place& place, Diagnostics& diagnostics) = 0;
  virtual void set(const std::string& name, Value value) = 0;
  // Runs the source lines of a programmable super block in the current scope; what they add is put into the diagram.
  virtual void build(const std::vector<std::string>& /*lines*/, const Place& place, model::Diagram& /*diagram*/,
                     Diagnostics& diagnostics) {
    diagnostics.error("parameter-error", place, "nothing here can run the program of a super block");
  }
  // Runs texts on signals in the scope of this moment, also after the scope was left.
  virtual std::shared_ptr<const blocks::Tracer> tracer() = 0;
  // The formulas of values that follow from parameters; nullptr: all values are numbers.
  virtual std::shared_ptr<program::ParameterSpace> parameter_space() { return nullptr; }
};

}  // namespace orrery::compile
