// SPDX-License-Identifier: Apache-2.0
// A program of a classic language as the body of a block.
#pragma once

#include <string>
#include <vector>

#include "blocks/block.h"
#include "cssl/program.h"

namespace orrery::blocks::text_programs {

struct TextProgramPorts {
  std::vector<std::string> inputs;   // names that inputs of the block give
  std::vector<std::string> outputs;  // names that outputs of the block show
  bool record = false;               // at communication points and by LOGD, under the names of the program
};

// Constants have the values of the block's parameter `values`, in the order of the declarations.
void build_program(Block& block, const cssl::Program& program, const TextProgramPorts& ports);

// Declarations that have values, in order.
std::vector<const cssl::Declared*> constants_of(const cssl::Program& program);

}  // namespace orrery::blocks::text_programs
