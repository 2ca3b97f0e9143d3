// SPDX-License-Identifier: Apache-2.0
// OML behind the interface of blocks whose behaviour is a text.
#pragma once

#include <memory>

#include "blocks/tracer.h"
#include "oml/interpreter.h"

namespace orrery::api {

class OmlTracer final : public blocks::Tracer {
 public:
  OmlTracer(oml::Interpreter& interpreter, std::shared_ptr<oml::Environment> scope)
      : interpreter_(interpreter), scope_(std::move(scope)) {}

  program::Expr trace(std::string_view text, std::span<const blocks::NamedSignal> signals,
                      program::Graph& graph) const override;
  blocks::BlockFields call(std::string_view text, int flag, const blocks::BlockFields& fields,
                           const program::Value& parameters, program::Graph& graph) const override;

 private:
  oml::Interpreter& interpreter_;
  std::shared_ptr<oml::Environment> scope_;
};

}  // namespace orrery::api
