// SPDX-License-Identifier: Apache-2.0
// Infix text of expressions with minimal parentheses and names for what is shared.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "program/program.h"

namespace orrery::program {

class ExpressionText {
 public:
  // Prepares the texts of all `expressions`; names are counted from t1. Linear in the number of nodes.
  ExpressionText(const Program& program, std::span<const ExprId> expressions, bool name_shared = true);

  // "t1 = x * y": what must be printed before the expressions.
  const std::vector<std::string>& definitions() const { return definitions_; }
  const std::string& operator[](ExprId id) const { return texts_[position_[id]].text; }
  // The text with what the names in it stand for behind it: for messages. Best without names for what is shared.
  std::string explained(ExprId id) const;

 private:
  struct Text {
    std::string text;
    int precedence = 0;
    std::size_t operations = 0;
  };

  Text node_text(ExprId id) const;
  std::string past_name(const PastOf& of) const;
  Text constant_text(ExprId id) const;
  const Text& argument(ExprId id, std::size_t i) const;
  std::string enclosed(ExprId id, std::size_t i, int least) const;
  std::string call(const std::string& name, ExprId id) const;

  const Program& program_;
  std::vector<std::uint32_t> position_;  // by node
  std::vector<Text> texts_;
  std::vector<std::string> definitions_;
};

}  // namespace orrery::program
