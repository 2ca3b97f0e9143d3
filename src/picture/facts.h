// SPDX-License-Identifier: Apache-2.0
// What is known of the blocks of a model beyond its file: how many ports they have and what their parameters are.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "blocks/block.h"
#include "model/model.h"

namespace orrery::picture {

struct PortCounts {
  int inputs = 0;
  int outputs = 0;
  int activation_inputs = 0;
  int activation_outputs = 0;
};

struct BlockFacts {
  PortCounts ports;
  std::vector<std::pair<std::string, program::Value>> values;  // of the parameters, as far as they are known

  const program::Value* find(std::string_view parameter) const;
};

// By the path of the block: "/Plant/Mass". Whoever has evaluated a model can say more than its file alone.
using Facts = std::unordered_map<std::string, BlockFacts>;

// Without evaluation: literals are read, links show ports. `evaluated` may be null.
BlockFacts facts_of(const model::BlockInstance& block, const BlockFacts* evaluated);

// The value of a text that is a literal: a number, a matrix of numbers, a text in quotes.
std::optional<program::Value> literal_value(std::string_view text);
// "2.5", "[1 2; 3 4]": short, for people.
std::string value_text(const program::Value& value);

}  // namespace orrery::picture
