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

namespace orrery::compile {

// Scopes are semi-global: the names of an enclosing diagram are visible inside, assignments stay in the scope in
// which they are made. There is always at least the outermost scope.
class Evaluator {
 public:
  virtual ~Evaluator() = default;

  virtual void push_scope() = 0;
  virtual void pop_scope() = 0;
  // Runs the source lines of a context in the current scope. place.line is the file line of lines[0], the others
  // follow it; errors are reported there. False when something failed; the statements before it have been run.
  virtual bool run(const std::vector<std::string>& lines, const Place& place, Diagnostics& diagnostics) = 0;
  // The value of one expression; nothing, and a diagnostic, when it has none.
  virtual std::optional<Value> evaluate(std::string_view text, const Place& place, Diagnostics& diagnostics) = 0;
  virtual void set(const std::string& name, Value value) = 0;
  // Runs texts on signals in the scope of this moment, also after the scope was left.
  virtual std::shared_ptr<const blocks::Tracer> tracer() = 0;
};

}  // namespace orrery::compile
