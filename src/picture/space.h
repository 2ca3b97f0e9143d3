// SPDX-License-Identifier: Apache-2.0
// Blocks and lines on a sheet, found by where they are.
#pragma once

#include <cstdint>
#include <vector>

#include "picture/route.h"

namespace orrery::picture {

struct LinePiece {
  Point a, b;  // a before b; horizontal or vertical
  int net = -1;
  bool horizontal() const { return a.y == b.y; }
};

// A piece from one point to another, its ends in order.
LinePiece piece_between(Point from, Point to, int net);

class Space {
 public:
  Space(const std::vector<Obstacle>& blocks, const std::vector<RouteNet>& nets);

  void move_block(int block, const Obstacle& place);
  void add(const LinePiece& piece);
  void remove_net(int net, const Path& path);

  // Whether a line comes too near to a block other than these two.
  bool blocked(const LinePiece& piece, int except = -1, int also = -1) const;
  struct Meeting {
    int crossings = 0;
    int overlaps = 0;  // parallel lines of other nets in the same place
  };
  Meeting meet(const LinePiece& piece) const;
  const Obstacle& block(int k) const { return blocks_[static_cast<std::size_t>(k)]; }
  int block_count() const { return static_cast<int>(blocks_.size()); }
  const Box& sheet() const { return sheet_; }

 private:
  struct Range {
    int x0, y0, x1, y1;
  };
  Range cells(const Box& box) const;
  Box kept_clear(int block) const;
  std::size_t index(int x, int y) const {
    return static_cast<std::size_t>(y) * static_cast<std::size_t>(columns_) + static_cast<std::size_t>(x);
  }
  void insert_block(int block);

  std::vector<Obstacle> blocks_;
  Box sheet_;
  double cell_ = 160;
  int columns_ = 1, rows_ = 1;
  std::vector<std::vector<int>> block_cells_;
  std::vector<std::vector<LinePiece>> line_cells_;
};

}  // namespace orrery::picture
