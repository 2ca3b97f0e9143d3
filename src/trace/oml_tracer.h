// SPDX-License-Identifier: Apache-2.0
// OML behind the interface of blocks whose behaviour is a text.
#pragma once

#include <memory>

#include "blocks/tracer.h"
#include "oml/interpreter.h"

namespace orrery::trace {

struct ParameterHome;

class OmlTracer final : public blocks::Tracer {
 public:
  // place: of the block, for what needs the number of a parameter.
  OmlTracer(oml::Interpreter& interpreter, std::shared_ptr<oml::Environment> scope, std::shared_ptr<ParameterHome> home,
            Place place)
      : interpreter_(interpreter), scope_(std::move(scope)), home_(std::move(home)), place_(std::move(place)) {}

  program::Expr trace(std::string_view text, std::span<const blocks::NamedSignal> signals,
                      program::Graph& graph) const override;
  blocks::BlockFields call(std::string_view text, int flag, const blocks::BlockFields& fields,
                           const program::Value& parameters, program::Graph& graph) const override;

 private:
  oml::Interpreter& interpreter_;
  std::shared_ptr<oml::Environment> scope_;
  std::shared_ptr<ParameterHome> home_;
  Place place_;
};

}  // namespace orrery::trace
