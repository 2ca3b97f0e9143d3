// SPDX-License-Identifier: Apache-2.0
// What the program of a programmable super block calls: blocks and links are added to the diagram that is being built.
#pragma once

#include <string>
#include <vector>

#include "model/model.h"
#include "oml/interpreter.h"

namespace orrery::api {

// The diagram that an interpreter builds now. Values of parameters are variables of the scope in which it runs.
struct DiagramUnderConstruction {
  model::Diagram* diagram = nullptr;  // nullptr: none
  oml::Environment* scope = nullptr;
  std::vector<std::string> splits = {};  // blocks that only branch a link (Activate, 9.2.2)
  int values = 0;
};

// Gives the interpreter a diagram to build while it lives.
class BuildingDiagram {
 public:
  BuildingDiagram(oml::Interpreter& interpreter, model::Diagram& diagram, oml::Environment& scope,
                  const std::vector<std::string>& lines);
  ~BuildingDiagram();
  BuildingDiagram(const BuildingDiagram&) = delete;
  BuildingDiagram& operator=(const BuildingDiagram&) = delete;

 private:
  oml::Interpreter& interpreter_;
  DiagramUnderConstruction outer_;
};

oml::BuiltinFamily diagram_builtins();

}  // namespace orrery::api
