// SPDX-License-Identifier: Apache-2.0
// For tests: every block of the library with its defaults and with each of its choices, and a model around each.
//
// The list is the library itself, so a new block is a case by itself. Its ports are driven by signals of the types and
// sizes they declare; where that is no use of a block, its name stands in `shown_by_example` and the model is the
// example of its page in the manual, or in `written_models`; where nothing can be done here, in `tested_elsewhere` with
// the tests that do it. A block that is in none of these and cannot be driven fails.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "blocks/block.h"
#include "diagram_builder.h"
#include "run_model.h"

namespace orrery::tests {

struct LibraryCase {
  const blocks::BlockType* type = nullptr;
  DiagramBuilder::Texts given = {};  // the choice; nothing: all defaults

  std::string name() const;
};

std::vector<LibraryCase> library_cases();

enum class Way { driven, example, elsewhere };
Way way_of(const blocks::BlockType& type);

// What of a block's ports is known from its parameters alone; nothing: they cannot be evaluated.
struct PortList {
  std::vector<blocks::Port> inputs = {};
  int outputs = 0, activation_inputs = 0, activation_outputs = 0;
};
std::optional<PortList> ports_of(const LibraryCase& c, api::OmlEvaluator& evaluator);
// Of a port whose declaration leaves something open.
program::Type usual_type(const blocks::BlockType& type, const blocks::Port& port, int number);

// The example with the choice at each block of the type.
std::optional<model::Model> example_of(const LibraryCase& c, api::OmlEvaluator& evaluator);
// In all blocks of the type, also inside super blocks.
void set_parameters(model::Diagram& diagram, const std::string& type, const DiagramBuilder::Texts& given);

}  // namespace orrery::tests
