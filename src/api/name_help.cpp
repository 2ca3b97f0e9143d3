// SPDX-License-Identifier: Apache-2.0
// "Did you mean" for variables and functions.
#include "api/name_help.h"

#include <fmt/format.h>

#include "model/closest_name.h"

namespace orrery::api {
namespace {

constexpr std::size_t shortest_guess = 3;  // some function is near every shorter name

std::string near_function(oml::Interpreter& interpreter, const std::string& name) {
  if (name.size() < shortest_guess) return {};
  const std::vector<std::string> own = interpreter.function_names();
  std::vector<std::string_view> names(own.begin(), own.end());
  for (const oml::BuiltinFamily& family : interpreter.families()) {
    for (const oml::Builtin& builtin : family) names.emplace_back(builtin.name);
  }
  return model::did_you_mean(name, names);
}

}  // namespace

std::string name_help(oml::Interpreter& interpreter, const oml::Environment& scope, const std::string& name) {
  std::vector<std::string> visible;
  for (const oml::Environment* at = &scope; at != nullptr; at = at->parent.get()) {
    for (std::string& known : at->names()) {
      if (!known.starts_with("__")) visible.push_back(std::move(known));
    }
  }
  const std::vector<std::string_view> views(visible.begin(), visible.end());
  if (std::string guess = model::did_you_mean(name, views); !guess.empty()) return guess;
  if (interpreter.base()->get(name) != nullptr) {
    return fmt::format("the base workspace has a variable {0}; models reach it as GetFromBase('{0}')", name);
  }
  if (std::string guess = near_function(interpreter, name); !guess.empty()) return guess;
  return "give the name a value in the context or with --set, or check its spelling";
}

}  // namespace orrery::api
