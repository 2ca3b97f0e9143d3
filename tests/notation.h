// SPDX-License-Identifier: Apache-2.0
// For tests: diagrams as a few lines of text.
//
//   stop 10                         a setting of the simulation
//   D: EventDelay delay=2           a block; parameters without blanks
//   D: Integral x0=1 @always        … activated always, initially, or by inheritance
//   A:1 -> B:1 C:2                  a regular link
//   A:1 => B:1                      an activation link
#pragma once

#include <sstream>
#include <stdexcept>
#include <string>

#include "model/model.h"

namespace orrery::tests {

inline model::PortRef port_of(const std::string& text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos) throw std::runtime_error("not a port: " + text);
  return {text.substr(0, colon), std::stoi(text.substr(colon + 1))};
}

inline void add_setting(model::Settings& settings, const std::string& name, const std::string& value) {
  if (name == "stop")
    settings.stop.text = value;
  else if (name == "start")
    settings.start.text = value;
  else if (name == "solver")
    settings.solver.text = value;
  else if (name == "rtol")
    settings.rtol.text = value;
  else if (name == "atol")
    settings.atol.text = value;
  else if (name == "hmax")
    settings.hmax.text = value;
  else if (name == "step")
    settings.step.text = value;
  else if (name == "zero_threshold")
    settings.zero_threshold.text = value;
  else if (name == "sliding")
    settings.sliding.text = value;
  else if (name == "final_tick")
    settings.final_tick.text = value;
  else if (name == "algebraic")
    settings.algebraic.text = value;
  else
    throw std::runtime_error("unknown setting: " + name);
}

inline void add_line(model::Model& model, const std::string& line) {
  std::istringstream words(line);
  std::string first, second, word;
  if (!(words >> first)) return;
  words >> second;
  if (second == "->" || second == "=>") {
    model::Link link;
    link.activation = second == "=>";
    link.from = port_of(first);
    while (words >> word) link.to.push_back(port_of(word));
    model.root.links.push_back(std::move(link));
    return;
  }
  if (first.back() != ':') {
    add_setting(model.settings, first, second);
    return;
  }
  model::BlockInstance block;
  block.name = first.substr(0, first.size() - 1);
  block.type = second;
  while (words >> word) {
    const std::size_t equals = word.find('=');
    if (word == "@always")
      block.activation = model::Activation::always;
    else if (word == "@initial")
      block.activation = model::Activation::initial;
    else if (word == "@inherit")
      block.activation = model::Activation::inherit;
    else
      block.parameters.push_back({word.substr(0, equals), word.substr(equals + 1), 0});
  }
  model.root.blocks.push_back(std::move(block));
}

inline model::Model diagram(const std::string& text) {
  model::Model model;
  model.file = "test.orr";
  model.name = "test";
  std::istringstream lines(text);
  std::string line;
  while (std::getline(lines, line)) add_line(model, line);
  return model;
}

}  // namespace orrery::tests
