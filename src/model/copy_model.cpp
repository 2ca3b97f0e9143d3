// SPDX-License-Identifier: Apache-2.0
// Deep copies of models and their parts.
#include "model/items.h"

namespace orrery::model {

BlockInstance copy_of(const BlockInstance& block) {
  BlockInstance copy;
  copy.name = block.name;
  copy.type = block.type;
  copy.parameters = block.parameters;
  copy.activation = block.activation;
  copy.about = block.about;
  copy.off = block.off;
  copy.icon = block.icon;
  if (block.diagram) copy.diagram = std::make_unique<Diagram>(copy_of(*block.diagram));
  copy.line = block.line;
  return copy;
}

Diagram copy_of(const Diagram& diagram) {
  Diagram copy;
  copy.mask = diagram.mask;
  copy.atomic = diagram.atomic;
  copy.for_each = diagram.for_each;
  copy.count = diagram.count;
  copy.options_line = diagram.options_line;
  copy.program = diagram.program;
  copy.program_line = diagram.program_line;
  copy.context = diagram.context;
  copy.context_line = diagram.context_line;
  copy.blocks.reserve(diagram.blocks.size());
  for (const BlockInstance& block : diagram.blocks) copy.blocks.push_back(copy_of(block));
  copy.links = diagram.links;
  copy.notes = diagram.notes;
  copy.layout = diagram.layout;
  copy.bends = diagram.bends;
  return copy;
}

Model copy_of(const Model& model) {
  return {model.file,
          model.name,
          model.about,
          model.settings,
          model.libraries,
          model.initialization,
          model.initialization_line,
          copy_of(model.root)};
}

}  // namespace orrery::model
