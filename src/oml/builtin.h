// SPDX-License-Identifier: Apache-2.0
// What a builtin function is: one row of a family's table.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/consent.h"
#include "oml/arguments.h"
#include "oml/convert.h"
#include "oml/error.h"
#include "oml/value.h"

namespace orrery::oml {

class Interpreter;
struct Node;

// One call of a builtin: arguments in, results out.
struct Call {
  Interpreter& oml;
  std::string_view name;
  Values& args;
  int nargout;
  Values& out;
  const std::vector<Node*>* nodes = nullptr;  // the argument expressions, when the call stands in a text

  int count() const { return static_cast<int>(args.size()); }
  bool has(int k) const { return k < count(); }
  const Value& operator[](int k) const {
    if (!has(k)) fail_argument(k + 1, "is missing");
    return args[static_cast<std::size_t>(k)];
  }
  void ret(Value v) { out.push_back(std::move(v)); }
  // Argument k, checked; errors name the argument.
  double number(int k) const;
  Index whole(int k) const;
  std::string text(int k) const;  // text only; of a matrix the first row
  std::string word(int k) const;  // as one_text: a name, an option, a file name or code
  Value real(int k) const;        // kind real
  Value numeric(int k) const;     // kind real or complex
  double number_or(int k, double fallback) const { return has(k) ? number(k) : fallback; }
  // The variable given as argument k; empty when the argument is anything else.
  std::string variable_name(int k) const;
  bool is_text(int k) const { return has(k) && args[static_cast<std::size_t>(k)].is_text(); }
  // Ends the script where its user has not allowed it. For what depends on the arguments (Needs::by_argument).
  void require(Capability capability) const;
  void require_read(const std::string& path) const;
};

// What a builtin needs besides computing; the interpreter asks for it before the function runs.
struct Needs {
  Capabilities always = {};
  bool by_argument = false;  // more may be needed: the function asks, with Call::require and Call::require_read

  constexpr Needs() = default;
  constexpr Needs(Capability one) : always(one) {}
  static constexpr Needs asked() {
    Needs needs;
    needs.by_argument = true;
    return needs;
  }
};

struct Builtin {
  const char* name;
  int min_args;
  int max_args;  // -1: any number
  void (*run)(Call&);
  const char* help;          // signature, then one or two sentences
  Arguments arguments = {};  // what each may be, checked before the function runs
  Needs needs = {};          // what the user of a model must have allowed
};

// Whether the value is a text that names a class of numbers: zeros(2, 'int8').
bool is_class_name(const Value& v);
// Fails at the first argument that breaks its rule; words become the spelling of the row.
void check_arguments(const Arguments& rules, Values& args);
// Lines for `help`, and the option words that a console may complete.
std::string argument_help(const Arguments& rules);
std::vector<std::string> argument_words(const Arguments& rules);

using BuiltinFamily = std::span<const Builtin>;

// The list of families, in builtins/families.cpp.
std::span<const BuiltinFamily> builtin_families();
const Builtin* find_builtin(const std::string& name);

}  // namespace orrery::oml
