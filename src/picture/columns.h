// SPDX-License-Identifier: Apache-2.0
// The second half of a layout: one connected part of a diagram as columns of items, ordered and given coordinates.
#pragma once

#include <vector>

#include "picture/layers.h"

namespace orrery::picture {

// A block, or the place in a column that a link passes through.
struct ColumnItem {
  int node = -1;  // -1: a link passes
  int layer = 0;
  double height = 0;
  int host = -1;  // this item stands directly below (above) that one
  bool above = false;
  int span = 0;  // of a way back: how many columns it passes; short ones are nearer to their loop
  double y = 0;
};

// A piece of a link between items of neighbouring columns, or of one column where a way back begins and ends.
struct ColumnSegment {
  int from = 0;
  int to = 0;
  double from_offset = 0;
  double to_offset = 0;
  int weight = 1;  // how much it wants to be straight
  bool aligned = true;
  int net = 0;
};

struct Columns {
  std::vector<ColumnItem> items;  // the blocks of the part first
  std::vector<ColumnSegment> segments;
  std::vector<std::vector<int>> columns;  // items from top to bottom
};

// Orders the items of each column with few crossings; hosts keep their items next to them.
void order_columns(const Layers& layers, Columns& columns);
// Heights: links as straight as the order allows (least absolute deviations, by pooling neighbours that collide).
void place_items(const std::vector<ArrangeNode>& nodes, Columns& columns);

}  // namespace orrery::picture
