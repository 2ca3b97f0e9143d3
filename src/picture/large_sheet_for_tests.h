// SPDX-License-Identifier: Apache-2.0
// A large diagram for tests and measurements: loops of five to nine blocks in cascade, cross links, clocks.
#pragma once

#include <random>
#include <string>

#include "model/model.h"

namespace orrery::picture {

inline model::Diagram large_diagram(int count, unsigned seed = 1) {
  std::mt19937 random(seed);
  model::Diagram diagram;
  const auto name = [](int k) { return "B" + std::to_string(k); };
  const auto link = [&](int from, int to, int port, bool activation = false) {
    model::Link item;
    item.activation = activation;
    item.from = {name(from), 1};
    item.to = {{name(to), port}};
    diagram.links.push_back(std::move(item));
  };
  const auto block = [&](int k, const char* type) {
    model::BlockInstance item;
    item.name = name(k);
    item.type = type;
    diagram.blocks.push_back(std::move(item));
  };
  int first = 0, length = 0;
  for (int k = 0; k < count; ++k) {
    if (length == 0) {
      block(k, "Sum");
      if (k > 0 && random() % 12 != 0) link(k - 1, k, 1);
      first = k;
      length = 5 + static_cast<int>(random() % 5);
      continue;
    }
    if (--length == 0 && k + 1 < count) {
      // A clock for the block before it, and the way back.
      block(k, "SampleClock");
      link(k, k - 1, 1, true);
      link(k - 1, first, 2);
      if (k + 1 < count) {
        block(++k, "Gain");
        link(k - 2, k, 1);
      }
      continue;
    }
    block(k, random() % 3 == 0 ? "SampleHold" : "Gain");
    link(k - 1, k, 1);
  }
  return diagram;
}

}  // namespace orrery::picture
