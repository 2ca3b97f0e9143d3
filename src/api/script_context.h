// SPDX-License-Identifier: Apache-2.0
// The variables that a script hands to a model (vss_context of Activate, 6.4): they take the place of those that the
// initialization has left.
#pragma once

#include <string>
#include <vector>

#include "api/oml_evaluator.h"
#include "model/model.h"
#include "oml/builtin.h"

namespace orrery::api {

// A field that the model does not know is a slip of the pen, which would leave the model as it was: an error of the
// script.
void check_field(const model::Model& model, const std::string& name);

// Argument k, a struct or an environment, if there is one.
void pin_context(const oml::Call& c, int k, const model::Model& model, OmlEvaluator& evaluator);

// Of these variables those that the initialization assigns and computes with: what follows from them there does not
// follow what a script hands over.
std::vector<std::string> used_in_initialization(const model::Model& model, const std::vector<std::string>& names);
// Tells of them, once for each model and variable.
void warn_of_initialization(oml::Interpreter& interpreter, const model::Model& model,
                            const std::vector<std::string>& names);

}  // namespace orrery::api
