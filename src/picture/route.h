// SPDX-License-Identifier: Apache-2.0
// Ways of links between blocks that stand where they stand: right angles, around blocks, apart from each other.
//
// A way is the cheapest of a few standard shapes, each tried at several places; where all of them meet blocks, a search
// on a grid looks for another. What a way costs: its length, corners, and crossings of other links.
#pragma once

#include <memory>
#include <vector>

#include "picture/scene.h"

namespace orrery::picture {

struct Obstacle {
  Box box;
  double room_below = 0;  // for a name; horizontal lines keep out
};

struct RouteEnd {
  Point at;
  Side side = Side::right;
  int block = -1;  // obstacle that it belongs to
};

struct RouteBranch {
  RouteEnd to;
  std::vector<Point> bends;  // made by hand: the way goes through them
};

struct RouteNet {
  RouteEnd from;
  std::vector<RouteBranch> branches;
};

using Path = std::vector<Point>;

// By net and branch.
std::vector<std::vector<Path>> route(const std::vector<Obstacle>& blocks, const std::vector<RouteNet>& nets);

// The same where some nets have their ways already: `kept` by net, empty for those that are to be routed around them.
std::vector<std::vector<Path>> route_again(const std::vector<Obstacle>& blocks, const std::vector<RouteNet>& nets,
                                           std::vector<std::vector<Path>> kept, bool searches);

// The same, kept: after a block has moved, only the nets given are routed anew, around what the others do.
class Router {
 public:
  Router(std::vector<Obstacle> blocks, std::vector<RouteNet> nets);
  ~Router();
  Router(Router&&) noexcept;
  const std::vector<std::vector<Path>>& paths() const;
  void move(int block, const Obstacle& place, const std::vector<int>& nets, const std::vector<RouteNet>& changed);

 private:
  friend std::vector<std::vector<Path>> route_again(const std::vector<Obstacle>&, const std::vector<RouteNet>&,
                                                    std::vector<std::vector<Path>>, bool);
  struct Data;
  std::unique_ptr<Data> data_;
};

}  // namespace orrery::picture
