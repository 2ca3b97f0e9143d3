// SPDX-License-Identifier: Apache-2.0
// A* along lines beside blocks, where standard shapes do not fit.
#include <algorithm>
#include <cmath>
#include <queue>
#include <unordered_map>

#include "picture/find_path.h"

namespace orrery::picture {
namespace {

constexpr double search_margin = 300;

class PathSearch {
 public:
  PathSearch(const Space& space, const PathRequest& request) : space_(space), request_(request) {
    const Point a = outward(request.from.side), b = outward(request.to.side);
    start_ = {request.from.at.x + 10 * a.x, request.from.at.y + 10 * a.y};
    goal_ = {request.to.at.x + 10 * b.x, request.to.at.y + 10 * b.y};
  }

  Path run(int most_steps) {
    gather_lines();
    const int sx = find(xs_, start_.x), sy = find(ys_, start_.y);
    goal_x_ = find(xs_, goal_.x);
    goal_y_ = find(ys_, goal_.y);
    const int first = direction_of(outward(request_.from.side));
    const Point last = outward(request_.to.side);
    const int arrival = direction_of({-last.x, -last.y});
    push(state(sx, sy, first), -1, 0);
    while (!queue_.empty() && most_steps-- > 0) {
      const Entry entry = queue_.top();
      queue_.pop();
      if (entry.cost > best_.at(entry.state).cost + estimate(entry.state)) continue;
      const int x = entry.state / 4 % static_cast<int>(xs_.size()), y = entry.state / 4 / static_cast<int>(xs_.size());
      if (x == goal_x_ && y == goal_y_) return path_to(entry.state);
      for (int d = 0; d < 4; ++d) {
        if (d == (entry.state + 2) % 4) continue;  // no turning back
        expand(entry.state, x, y, d, arrival);
      }
    }
    return {};
  }

 private:
  struct Entry {
    double cost;
    int state;
    bool operator<(const Entry& other) const { return cost != other.cost ? cost > other.cost : state > other.state; }
  };
  struct Reached {
    double cost;
    int from;
  };

  static int direction_of(Point d) { return d.x > 0 ? 0 : d.y > 0 ? 1 : d.x < 0 ? 2 : 3; }
  int state(int x, int y, int d) const { return (y * static_cast<int>(xs_.size()) + x) * 4 + d; }
  static int find(const std::vector<double>& list, double x) {
    return static_cast<int>(std::lower_bound(list.begin(), list.end(), x) - list.begin());
  }

  void gather_lines() {
    const double left = std::min(start_.x, goal_.x) - search_margin,
                 right = std::max(start_.x, goal_.x) + search_margin;
    const double top = std::min(start_.y, goal_.y) - search_margin,
                 bottom = std::max(start_.y, goal_.y) + search_margin;
    xs_ = {start_.x, goal_.x};
    ys_ = {start_.y, goal_.y};
    for (int k = 0; k < space_.block_count(); ++k) {
      const Obstacle& o = space_.block(k);
      if (o.box.right() < left || o.box.x > right || o.box.bottom() < top || o.box.y > bottom) continue;
      for (const double d : {10.0, 20.0, 30.0}) {
        xs_.insert(xs_.end(), {o.box.x - d, o.box.right() + d});
        ys_.insert(ys_.end(), {o.box.y - d, o.box.bottom() + std::max(o.room_below, 2.0) + d - 8});
      }
    }
    for (auto* list : {&xs_, &ys_}) {
      std::sort(list->begin(), list->end());
      list->erase(std::unique(list->begin(), list->end()), list->end());
    }
    if (xs_.size() * ys_.size() > 4'000'000) xs_.resize(1);
  }

  double estimate(int s) const {
    const int x = s / 4 % static_cast<int>(xs_.size()), y = s / 4 / static_cast<int>(xs_.size());
    return std::abs(xs_[static_cast<std::size_t>(x)] - goal_.x) + std::abs(ys_[static_cast<std::size_t>(y)] - goal_.y);
  }

  void push(int s, int from, double cost) {
    const auto [found, is_new] = best_.try_emplace(s, Reached{cost, from});
    if (!is_new) {
      if (found->second.cost <= cost) return;
      found->second = {cost, from};
    }
    queue_.push({cost + estimate(s), s});
  }

  void expand(int from, int x, int y, int d, int arrival) {
    constexpr int dx[] = {1, 0, -1, 0}, dy[] = {0, 1, 0, -1};
    const int nx = x + dx[d], ny = y + dy[d];
    if (nx < 0 || ny < 0 || nx >= static_cast<int>(xs_.size()) || ny >= static_cast<int>(ys_.size())) return;
    const Point p{xs_[static_cast<std::size_t>(x)], ys_[static_cast<std::size_t>(y)]};
    const Point q{xs_[static_cast<std::size_t>(nx)], ys_[static_cast<std::size_t>(ny)]};
    const LinePiece piece = piece_between(p, q, request_.net);
    if (space_.blocked(piece)) return;
    const Space::Meeting meeting = space_.meet(piece);
    double cost = best_.at(from).cost + std::abs(p.x - q.x) + std::abs(p.y - q.y) + (d == from % 4 ? 0 : 30) +
                  40 * meeting.crossings + 400 * meeting.overlaps;
    if (nx == goal_x_ && ny == goal_y_ && d != arrival) cost += (d + 2) % 4 == arrival ? 1e5 : 30;
    push(state(nx, ny, d), from, cost);
  }

  Path path_to(int s) const {
    Path path{request_.to.at};
    for (; s >= 0; s = best_.at(s).from) {
      const int x = s / 4 % static_cast<int>(xs_.size()), y = s / 4 / static_cast<int>(xs_.size());
      path.push_back({xs_[static_cast<std::size_t>(x)], ys_[static_cast<std::size_t>(y)]});
    }
    path.push_back(request_.from.at);
    std::reverse(path.begin(), path.end());
    return simplified(path);
  }

  const Space& space_;
  const PathRequest& request_;
  Point start_, goal_;
  int goal_x_ = 0, goal_y_ = 0;
  std::vector<double> xs_, ys_;
  std::priority_queue<Entry> queue_;
  std::unordered_map<int, Reached> best_;
};

}  // namespace

Path search_path(const Space& space, const PathRequest& request, int most_steps) {
  return PathSearch(space, request).run(most_steps);
}

}  // namespace orrery::picture
