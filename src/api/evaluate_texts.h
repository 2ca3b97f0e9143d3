// SPDX-License-Identifier: Apache-2.0
// Values of texts in the scope of a diagram, as an editor shows them beside its fields and lines.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/oml_evaluator.h"
#include "base/diagnostic.h"
#include "model/model.h"

namespace orrery::api {

struct ShownValue {
  std::string type;  // "double", "string", "struct", …
  int rows = 0, cols = 0;
  std::string text;  // short, for people
};

struct ShownVariable {
  std::string name;
  int line = 0;          // of the context that assigns it last; 0: none of its lines does
  bool of_mask = false;  // a parameter of the super block
  ShownValue value;
};

struct TextsRequest {
  std::string diagram;             // path of the super block; empty: the root
  std::vector<std::string> texts;  // expressions
  // What the lines are to be instead of those of the model.
  std::optional<std::vector<std::string>> context, initialization;
};

struct TextsResult {
  bool reached = false;  // false: something before has an error, and nothing is known
  std::vector<std::optional<ShownValue>> values;
  std::vector<Diagnostics> errors;  // by text
  std::vector<ShownVariable> variables;
  Diagnostics problems;  // of the scripts
};

// "[2.4 -2]", "'text'", "3x3 double"
ShownValue shown(const oml::Value& value);

// Runs the scripts of the model from the outside in, up to the diagram.
TextsResult evaluate_texts(const model::Model& model, const TextsRequest& request, Consent consent,
                           const ScriptLimits& limits);

// Names that may follow what was typed, in the scope of the diagram.
struct Completion {
  std::string label, kind, detail;
};
std::vector<Completion> complete_text(const model::Model& model, const std::string& diagram, const std::string& start,
                                      Consent consent, const ScriptLimits& limits);

}  // namespace orrery::api
