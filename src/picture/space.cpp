// SPDX-License-Identifier: Apache-2.0
// A grid of cells with what is in each.
#include "picture/space.h"

#include <algorithm>
#include <cmath>

namespace orrery::picture {
namespace {

constexpr double clearance = 8;       // between a line and a block
constexpr double line_clearance = 7;  // between parallel lines

void extend(Box& box, Point p) {
  const double right = std::max(box.right(), p.x), bottom = std::max(box.bottom(), p.y);
  box.x = std::min(box.x, p.x);
  box.y = std::min(box.y, p.y);
  box.width = right - box.x;
  box.height = bottom - box.y;
}

}  // namespace

LinePiece piece_between(Point from, Point to, int net) {
  if (from.x > to.x || from.y > to.y) std::swap(from, to);
  return {from, to, net};
}

Space::Space(const std::vector<Obstacle>& blocks, const std::vector<RouteNet>& nets) : blocks_(blocks) {
  if (!blocks.empty()) sheet_ = blocks[0].box;
  for (const Obstacle& block : blocks) {
    extend(sheet_, {block.box.x, block.box.y});
    extend(sheet_, {block.box.right(), block.box.bottom()});
  }
  for (const RouteNet& net : nets) {
    for (const RouteBranch& branch : net.branches) {
      for (const Point& bend : branch.bends) extend(sheet_, bend);
    }
  }
  // Far apart blocks must not ask for endless cells.
  cell_ = std::max({160.0, sheet_.width / 500, sheet_.height / 500});
  columns_ = static_cast<int>(sheet_.width / cell_) + 3;
  rows_ = static_cast<int>(sheet_.height / cell_) + 3;
  block_cells_.resize(index(0, rows_));
  line_cells_.resize(index(0, rows_));
  for (std::size_t k = 0; k < blocks.size(); ++k) insert_block(static_cast<int>(k));
}

Space::Range Space::cells(const Box& box) const {
  const auto cell = [&](double at, double origin, int count) {
    return static_cast<int>(std::clamp(std::floor((at - origin) / cell_) + 1, 0.0, static_cast<double>(count - 1)));
  };
  return {cell(box.x, sheet_.x, columns_), cell(box.y, sheet_.y, rows_), cell(box.right(), sheet_.x, columns_),
          cell(box.bottom(), sheet_.y, rows_)};
}

Box Space::kept_clear(int block) const {
  const Obstacle& o = blocks_[static_cast<std::size_t>(block)];
  return {o.box.x - clearance, o.box.y - clearance, o.box.width + 2 * clearance,
          o.box.height + o.room_below + 2 * clearance};
}

void Space::insert_block(int block) {
  const Range range = cells(kept_clear(block));
  for (int y = range.y0; y <= range.y1; ++y) {
    for (int x = range.x0; x <= range.x1; ++x) block_cells_[index(x, y)].push_back(block);
  }
}

void Space::move_block(int block, const Obstacle& place) {
  const Range range = cells(kept_clear(block));
  for (int y = range.y0; y <= range.y1; ++y) {
    for (int x = range.x0; x <= range.x1; ++x) std::erase(block_cells_[index(x, y)], block);
  }
  blocks_[static_cast<std::size_t>(block)] = place;
  insert_block(block);
}

void Space::add(const LinePiece& piece) {
  const Range range = cells({piece.a.x, piece.a.y, piece.b.x - piece.a.x, piece.b.y - piece.a.y});
  for (int y = range.y0; y <= range.y1; ++y) {
    for (int x = range.x0; x <= range.x1; ++x) line_cells_[index(x, y)].push_back(piece);
  }
}

void Space::remove_net(int net, const Path& path) {
  for (std::size_t k = 1; k < path.size(); ++k) {
    const LinePiece piece = piece_between(path[k - 1], path[k], net);
    const Range range = cells({piece.a.x, piece.a.y, piece.b.x - piece.a.x, piece.b.y - piece.a.y});
    for (int y = range.y0; y <= range.y1; ++y) {
      for (int x = range.x0; x <= range.x1; ++x) {
        std::erase_if(line_cells_[index(x, y)], [net](const LinePiece& p) { return p.net == net; });
      }
    }
  }
}

bool Space::blocked(const LinePiece& piece, int except, int also) const {
  const Range range = cells({piece.a.x, piece.a.y, piece.b.x - piece.a.x, piece.b.y - piece.a.y});
  const bool horizontal = piece.horizontal();
  for (int y = range.y0; y <= range.y1; ++y) {
    for (int x = range.x0; x <= range.x1; ++x) {
      for (const int k : block_cells_[index(x, y)]) {
        if (k == except || k == also) continue;
        const Obstacle& block = blocks_[static_cast<std::size_t>(k)];
        const double below = horizontal ? block.room_below : 0;
        if (piece.b.x > block.box.x - clearance && piece.a.x < block.box.right() + clearance &&
            piece.b.y > block.box.y - clearance && piece.a.y < block.box.bottom() + std::max(below, clearance)) {
          return true;
        }
      }
    }
  }
  return false;
}

Space::Meeting Space::meet(const LinePiece& piece) const {
  Meeting found;
  const bool horizontal = piece.horizontal();
  const double widen = line_clearance;
  const Range range = cells({piece.a.x - (horizontal ? 0 : widen), piece.a.y - (horizontal ? widen : 0),
                             piece.b.x - piece.a.x + (horizontal ? 0 : 2 * widen),
                             piece.b.y - piece.a.y + (horizontal ? 2 * widen : 0)});
  for (int y = range.y0; y <= range.y1; ++y) {
    for (int x = range.x0; x <= range.x1; ++x) {
      for (const LinePiece& other : line_cells_[index(x, y)]) {
        if (other.net == piece.net) continue;
        if (other.horizontal() == horizontal) {
          const double apart = horizontal ? other.a.y - piece.a.y : other.a.x - piece.a.x;
          if (std::abs(apart) >= line_clearance) continue;
          const bool beside = horizontal ? other.a.x < piece.b.x + 4 && other.b.x > piece.a.x - 4
                                         : other.a.y < piece.b.y + 4 && other.b.y > piece.a.y - 4;
          if (beside) ++found.overlaps;
        } else {
          const LinePiece& h = horizontal ? piece : other;
          const LinePiece& v = horizontal ? other : piece;
          if (v.a.x > h.a.x && v.a.x < h.b.x && h.a.y > v.a.y && h.a.y < v.b.y) ++found.crossings;
        }
      }
    }
  }
  return found;
}

}  // namespace orrery::picture
