// SPDX-License-Identifier: Apache-2.0
// A loop, or a function of numbers, as C text. Types are those that the variables have now and that assignments give
// them; whatever else may come to pass while it runs is a surprise, at which the text stops before the statement.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "oml/ast.h"

namespace orrery::oml {

struct HotVariable {
  int slot = -1;
  bool is_array = false;
  bool is_written = false;  // assigned, or one of its elements
};

struct HotText {
  std::string text;
  std::vector<HotVariable> variables;        // in the order of numbers, tags and arrays
  std::vector<const Statement*> statements;  // by number, as HotContext::at
  std::vector<const Statement*> loops;       // for loops, the outermost first, as HotContext::loops
};

// The function a name at a place of the text stands for; null: none. Within functions (not in_loop) only as far as it
// is known because the place has run before: what a name means depends on where it stands.
using ResolveCall = std::function<const CallSite*(NodeExtra&, bool in_loop)>;

// Nothing when the loop holds anything but arithmetic on real scalars, elements of real and logical arrays, conditions,
// loops and calls of functions on numbers.
std::optional<HotText> write_hot_loop(const Statement& loop, const Value* slots, std::size_t count,
                                      const ResolveCall& resolve);
// A function whose inputs are all given, as numbers. Variable k is input k; the last one is the output.
std::optional<HotText> write_hot_function(const Function& f, const ResolveCall& resolve);

}  // namespace orrery::oml
