// SPDX-License-Identifier: Apache-2.0
// What evaluating and compiling a model tells of its blocks, for those who show them: sizes, values, clocks, order.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "picture/facts.h"

namespace orrery::compile {
struct Evaluated;
}
namespace orrery::program {
struct Program;
}

namespace orrery::api {

struct BlockTiming {
  std::string clock;        // "0.1 s" of a periodic one, "continuous", "event"; empty: it never runs
  int order = 0;            // its place in the table of its source, from 1
  bool continuous = false;  // continuous time reaches it
};

struct ModelFacts {
  picture::Facts blocks;                                                      // ports and values, by path
  std::unordered_map<std::string, std::vector<std::string>> inputs, outputs;  // types by port: "double 2x1"
  std::unordered_map<std::string, BlockTiming> timing;
};

void add_evaluated(const compile::Evaluated& model, ModelFacts& facts);
void add_compiled(const program::Program& program, ModelFacts& facts);

}  // namespace orrery::api
