// SPDX-License-Identifier: Apache-2.0
// For tests: a model put together in C++, a block or a link a line.
#pragma once

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "model/model.h"

namespace orrery::tests {

class DiagramBuilder {
 public:
  using Texts = std::vector<std::pair<std::string, std::string>>;

  explicit DiagramBuilder(std::string file = "built.orr") {
    model_.file = std::move(file);
    model_.name = "built";
  }

  // Returns the name: the type and a number.
  std::string add(const std::string& type, const Texts& parameters = {}) {
    model::BlockInstance block;
    block.name = fmt::format("{}{}", type, model_.root.blocks.size());
    block.type = type;
    for (const auto& [name, value] : parameters) block.parameters.push_back({name, value, 0});
    model_.root.blocks.push_back(std::move(block));
    return model_.root.blocks.back().name;
  }
  void link(const std::string& from, int from_port, const std::string& to, int to_port) {
    join(false, from, from_port, to, to_port);
  }
  void event(const std::string& from, int from_port, const std::string& to, int to_port) {
    join(true, from, from_port, to, to_port);
  }

  model::BlockInstance& last_block() { return model_.root.blocks.back(); }
  model::Model& model() { return model_; }
  const model::Model& model() const { return model_; }
  std::string text() const { return model::write(model_); }

 private:
  void join(bool activation, const std::string& from, int from_port, const std::string& to, int to_port) {
    model::Link link;
    link.activation = activation;
    link.from = {from, from_port};
    link.to.push_back({to, to_port});
    model_.root.links.push_back(std::move(link));
  }

  model::Model model_;
};

}  // namespace orrery::tests
