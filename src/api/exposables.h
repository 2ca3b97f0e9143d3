// SPDX-License-Identifier: Apache-2.0
// Exposable parameters (Activate, 22.5): numbers that stay parameters of the compiled code.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "api/session.h"
#include "oml/interpreter.h"

namespace orrery::api {

// What the scripts of one model called exposable, and what the caller of the run wants instead.
struct Exposables {
  std::map<std::string, oml::Value> given;  // by --set and the like
  std::map<std::string, oml::Value> used;   // what exposable() gave
};

// The value of exposable(name, fallback): what the run was given, a variable of the base workspace, or the fallback.
oml::Value exposed_value(oml::Interpreter& interpreter, const std::string& name, const oml::Value& fallback);

// Makes the numbers that depend on exposable parameters slots of the Program: other values of the parameters give a
// Program that differs in the initial values of these slots only, and its code is the same. The Program must have a
// comparable graph. False when the parameters change the structure of the model; it must be compiled with their values
// then.
bool expose(const model::Model& model, const RunRequest& request, const Exposables& exposables,
            const compile::CompileOptions& options, program::Program& program);

}  // namespace orrery::api
