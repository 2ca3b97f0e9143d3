// SPDX-License-Identifier: Apache-2.0
// Parameter texts to values, in the scope the evaluator is in.
#pragma once

#include <string>
#include <unordered_map>

#include "base/diagnostic.h"
#include "blocks/block.h"
#include "compile/evaluator.h"
#include "model/model.h"

namespace orrery::compile {

// Remembers the values of defaults and of texts without names: most parameters of a large model are a few literals.
class ParameterEvaluation {
 public:
  explicit ParameterEvaluation(Evaluator& evaluator) : evaluator_(evaluator) {}

  // All parameters the type declares, defaults where the instance gives none. Nothing when one of them is wrong.
  std::optional<blocks::Parameters> evaluate(const blocks::BlockType& type, const model::BlockInstance& instance,
                                             const Place& place, Diagnostics& diagnostics);

 private:
  std::optional<Value> value_of(const std::string& text, bool is_default, const Place& place, Diagnostics& diagnostics);

  Evaluator& evaluator_;
  std::unordered_map<std::string, Value> literals_;
};

}  // namespace orrery::compile
