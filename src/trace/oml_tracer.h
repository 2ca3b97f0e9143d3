// SPDX-License-Identifier: Apache-2.0
// OML behind the interface of blocks whose behaviour is a text.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "blocks/tracer.h"
#include "oml/interpreter.h"

namespace orrery::trace {

struct ParameterHome;

// What a user is told of a name that has no value.
std::string undefined_message(const std::string& name);

class OmlTracer final : public blocks::Tracer {
 public:
  // What to do about a name that has no value in a scope.
  using NameHelp = std::function<std::string(const oml::Environment& scope, const std::string& name)>;

  // place: of the block, for what needs the number of a parameter.
  OmlTracer(oml::Interpreter& interpreter, std::shared_ptr<oml::Environment> scope, std::shared_ptr<ParameterHome> home,
            Place place, NameHelp name_help)
      : interpreter_(interpreter),
        scope_(std::move(scope)),
        home_(std::move(home)),
        place_(std::move(place)),
        name_help_(std::move(name_help)) {}

  program::Expr trace(std::string_view text, std::span<const blocks::NamedSignal> signals,
                      program::Graph& graph) const override;
  blocks::BlockFields call(std::string_view text, int flag, const blocks::BlockFields& fields,
                           const program::Value& parameters, program::Graph& graph) const override;

 private:
  [[noreturn]] void refuse(const Diagnostics& found, const oml::Environment& scope) const;

  oml::Interpreter& interpreter_;
  std::shared_ptr<oml::Environment> scope_;
  std::shared_ptr<ParameterHome> home_;
  Place place_;
  NameHelp name_help_;
};

}  // namespace orrery::trace
