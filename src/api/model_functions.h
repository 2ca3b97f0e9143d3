// SPDX-License-Identifier: Apache-2.0
// The functions through which OML scripts reach models: open, run, get signals back.
#pragma once

#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "oml/builtin.h"

namespace orrery::api {

// All functions that Orrery adds to the language.
std::vector<oml::BuiltinFamily> model_families();

// While it lives, the model of this file is the one whose texts are evaluated (bdeGetCurrentModel).
class CurrentModel {
 public:
  CurrentModel(oml::Interpreter& interpreter, std::string file);
  ~CurrentModel();
  CurrentModel(const CurrentModel&) = delete;
  CurrentModel& operator=(const CurrentModel&) = delete;

 private:
  oml::Interpreter& interpreter_;
  std::string before_;
};

// The first error as an OML error that a script can catch; the others are counted.
[[noreturn]] void raise_errors(const Diagnostics& diagnostics);

}  // namespace orrery::api
