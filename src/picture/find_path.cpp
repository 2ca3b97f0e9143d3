// SPDX-License-Identifier: Apache-2.0
// Standard shapes: straight, with one step, around through a free lane, each tried at several places.
#include "picture/find_path.h"

#include <algorithm>
#include <cmath>

namespace orrery::picture {
namespace {

constexpr double corner_price = 30;
constexpr double crossing_price = 60;
constexpr double overlap_price = 3000;
constexpr double blocked_price = 1e6;
constexpr double step = 10;

// Coordinates in which the way begins towards positive u.
class Turned {
 public:
  explicit Turned(Side side) : side_(side) {}
  Point in(Point p) const {
    switch (side_) {
      case Side::right: return p;
      case Side::left: return {-p.x, p.y};
      case Side::bottom: return {p.y, p.x};
      case Side::top: break;
    }
    return {-p.y, p.x};
  }
  Point out(Point p) const {
    switch (side_) {
      case Side::right: return p;
      case Side::left: return {-p.x, p.y};
      case Side::bottom: return {p.y, p.x};
      case Side::top: break;
    }
    return {p.y, -p.x};
  }
  Box in(const Box& box) const {
    const Point a = in(Point{box.x, box.y}), b = in(Point{box.right(), box.bottom()});
    return {std::min(a.x, b.x), std::min(a.y, b.y), std::abs(a.x - b.x), std::abs(a.y - b.y)};
  }

 private:
  Side side_;
};

double own_overlap(const PathRequest& request, const LinePiece& piece) {
  if (request.own == nullptr) return 0;
  double length = 0;
  for (const LinePiece& own : *request.own) {
    if (own.horizontal() != piece.horizontal()) continue;
    const bool same = piece.horizontal() ? own.a.y == piece.a.y : own.a.x == piece.a.x;
    if (!same) continue;
    const double shared = piece.horizontal() ? std::min(own.b.x, piece.b.x) - std::max(own.a.x, piece.a.x)
                                             : std::min(own.b.y, piece.b.y) - std::max(own.a.y, piece.a.y);
    length = std::max(length, shared);
  }
  return length;
}

class Shapes {
 public:
  Shapes(const Space& space, const PathRequest& request)
      : space_(space),
        request_(request),
        turned_(request.from.side),
        a_(turned_.in(request.from.at)),
        b_(turned_.in(request.to.at)),
        sheet_(turned_.in(space.sheet())) {
    const Point o = turned_.in(outward(request.to.side));
    arrival_ = {-o.x, -o.y};
    box_a_ = block_box(request.from);
    box_b_ = block_box(request.to);
  }

  FoundPath run() {
    if (arrival_.x > 0)
      along();
    else if (arrival_.x < 0)
      back();
    else
      aside();
    return std::move(best_);
  }

 private:
  Box block_box(const RouteEnd& end) const {
    if (end.block < 0) return turned_.in(Box{end.at.x, end.at.y, 0, 0});
    const Obstacle& block = space_.block(end.block);
    Box box = block.box;
    box.height += block.room_below;
    return turned_.in(box);
  }

  void consider(std::initializer_list<Point> points, double extra = 0) {
    Path path;
    for (const Point& p : points) path.push_back(turned_.out(p));
    path = simplified(path);
    const PathCost cost = cost_of(space_, request_, path);
    if (!best_.points.empty() && cost.value + extra >= best_.cost) return;
    best_ = {std::move(path), cost.value + extra, cost.blocked};
    clean_ = cost.clean;
  }

  double price(Point from, Point to, bool first, bool last) const {
    const LinePiece piece = piece_between(turned_.out(from), turned_.out(to), request_.net);
    const double length = std::abs(from.x - to.x) + std::abs(from.y - to.y);
    const Space::Meeting meeting = space_.meet(piece);
    const bool blocked = space_.blocked(piece, first ? request_.from.block : -1, last ? request_.to.block : -1);
    return length - 0.9 * own_overlap(request_, piece) + crossing_price * meeting.crossings +
           overlap_price * meeting.overlaps + (blocked ? blocked_price : 0);
  }

  // Where the own net turns already, between two values of u.
  std::vector<double> own_turns(double low, double high) const {
    std::vector<double> turns;
    if (request_.own == nullptr) return turns;
    for (const LinePiece& own : *request_.own) {
      const Point p = turned_.in(own.a), q = turned_.in(own.b);
      if (p.x == q.x && p.x >= low && p.x <= high) turns.push_back(p.x);
    }
    return turns;
  }

  // A branch that leaves within the arrow head of another is hard to see.
  double leaving_price(double u) const {
    if (request_.own == nullptr) return 0;
    for (const LinePiece& own : *request_.own) {
      const Point p = turned_.in(own.a), q = turned_.in(own.b);
      const double end = std::max(p.x, q.x);
      if (p.y == q.y && p.y == a_.y && u < end && u > end - 16) return 25;
    }
    return 0;
  }

  // Signals that go on in their direction.
  void along() {
    if (a_.y == b_.y && b_.x > a_.x) consider({a_, b_});
    if (!best_.points.empty() && clean_ && best_.cost < b_.x - a_.x + 1) return;
    const double gap = b_.x - a_.x;
    if (gap >= 2 * step) {
      for (const double u : own_turns(a_.x + step, b_.x - step)) step_at(u, 0);
      const double middle = a_.x + std::round(gap / 2 / step) * step;
      const int most = static_cast<int>(std::min(gap / 2, 70.0) / step);
      for (int k = 0; k <= most; ++k) {
        step_at(middle - k * step, 0.05 * k);
        if (k > 0) step_at(middle + k * step, 0.05 * k);
        if (gap > 140) {
          step_at(a_.x + step + k * step, 0.5);
          step_at(b_.x - step - k * step, 0.4);
        }
        if (k >= 2 && crosses_nothing(gap)) break;
      }
    }
    if (gap >= 2 * step && crosses_nothing(gap)) return;
    around(-1);
  }

  // The best way so far has two corners and meets nothing.
  bool crosses_nothing(double gap) const {
    return !best_.points.empty() && clean_ && best_.cost < gap + std::abs(a_.y - b_.y) + 2.5 * corner_price;
  }

  void step_at(double u, double extra) {
    if (u < a_.x + step || u > b_.x - step) return;
    // A corner within the arrow head is hard to see.
    consider({a_, {u, a_.y}, {u, b_.y}, b_}, extra + leaving_price(u) + (u > b_.x - 16 ? 20 : 0));
  }

  // The target looks the same way as the source.
  void back() {
    const double far = std::max(a_.x, b_.x);
    for (int k = 1; k <= 12; ++k) consider({a_, {far + k * step, a_.y}, {far + k * step, b_.y}, b_}, 0.05 * k);
    if (!clean_) around(1);
  }

  struct Lane {
    double v;
    double length;
  };

  // Lanes that no block lies in, the short ways first.
  std::vector<Lane> free_lanes(double u0, double u1, const std::vector<double>& candidates) const {
    std::vector<Lane> lanes;
    for (const double v : candidates) {
      const LinePiece piece =
          piece_between(turned_.out({std::min(u0, u1), v}), turned_.out({std::max(u0, u1), v}), request_.net);
      if (space_.blocked(piece)) continue;
      lanes.push_back({v, std::abs(v - a_.y) + std::abs(v - b_.y) + (v < std::min(a_.y, b_.y) ? 25.0 : 0.0)});
    }
    std::stable_sort(lanes.begin(), lanes.end(), [](const Lane& a, const Lane& b) { return a.length < b.length; });
    return lanes;
  }

  // A few of them, not all side by side.
  std::vector<Lane> spread(const std::vector<Lane>& lanes) const {
    std::vector<Lane> chosen;
    for (const Lane& lane : lanes) {
      const auto near =
          std::count_if(chosen.begin(), chosen.end(), [&](const Lane& c) { return std::abs(c.v - lane.v) < 45; });
      if (near < 3) chosen.push_back(lane);
      if (chosen.size() == (request_.quick ? 5 : 14)) break;
    }
    return chosen;
  }

  std::vector<double> lane_candidates() const {
    std::vector<double> lanes;
    const double below = std::max(box_a_.bottom(), box_b_.bottom()) + 12, above = std::min(box_a_.y, box_b_.y) - 20;
    const bool upright = request_.from.side == Side::top || request_.from.side == Side::bottom;
    for (int k = 0; k < 16; ++k) {
      lanes.push_back(below + k * step);
      lanes.push_back(above - k * step);
    }
    const double upper = std::min(box_a_.bottom(), box_b_.bottom()), lower = std::max(box_a_.y, box_b_.y);
    for (double v = upper + 12; v < lower - 8 && v < upper + 300; v += step) lanes.push_back(v);
    for (int k = 1; k <= 5; ++k) {
      for (const double v : {a_.y, b_.y}) {
        lanes.push_back(v + k * step);
        lanes.push_back(v - k * step);
      }
    }
    if (request_.own != nullptr) {
      for (const LinePiece& own : *request_.own) {
        const Point p = turned_.in(own.a), q = turned_.in(own.b);
        if (p.y == q.y) lanes.push_back(p.y);
      }
    }
    for (int k = 0; k < 10; ++k) {
      lanes.push_back(sheet_.bottom() + (upright ? 20 : 34) + k * step);
      lanes.push_back(sheet_.y - 20 - k * step);
    }
    return lanes;
  }

  // Out, over to a lane, along it, over to the target. side: -1 when the target is entered from low u, 1 from high u.
  void around(double side) {
    const auto lanes = free_lanes(a_.x + 2 * step, b_.x + side * 2 * step, lane_candidates());
    for (const Lane& lane : spread(lanes)) {
      if (!best_.points.empty() && !best_.blocked && lane.length >= best_.cost) break;
      double u0 = a_.x + step, least = 1e300;
      const auto better = [&](double u, double extra, bool first) {
        const double cost = (first ? price(a_, {u, a_.y}, true, false) + price({u, a_.y}, {u, lane.v}, false, false)
                                   : price({u, lane.v}, {u, b_.y}, false, false) + price({u, b_.y}, b_, false, true)) +
                            extra;
        if (cost < least) {
          least = cost;
          (first ? u0 : u1_) = u;
        }
      };
      for (const double u : own_turns(a_.x + step, a_.x + 12 * step)) better(u, leaving_price(u), true);
      for (int k = 1; k <= 7; ++k) better(a_.x + k * step, k + leaving_price(a_.x + k * step), true);
      least = 1e300;
      for (int k = 1; k <= 7; ++k) better(b_.x + side * k * step, k == 1 ? 20 : k, false);
      consider({a_, {u0, a_.y}, {u0, lane.v}, {u1_, lane.v}, {u1_, b_.y}, b_});
    }
  }

  // The target is entered across.
  void aside() {
    const double s = arrival_.y;
    if (b_.x >= a_.x + step && (b_.y - a_.y) * s >= step) consider({a_, {b_.x, a_.y}, b_});
    if (!best_.points.empty() && clean_ &&
        best_.cost < std::abs(b_.x - a_.x) + std::abs(b_.y - a_.y) + corner_price + 1)
      return;
    std::vector<double> candidates;
    for (int k = 0; k < 24; ++k) candidates.push_back(b_.y - s * (20 + k * step));
    if (request_.own != nullptr) {
      for (const LinePiece& own : *request_.own) {
        const Point p = turned_.in(own.a), q = turned_.in(own.b);
        if (p.y == q.y) candidates.push_back(p.y);
      }
    }
    for (int k = 0; k < 10; ++k)
      candidates.push_back(s > 0 ? sheet_.y - 20 - k * step : sheet_.bottom() + 34 + k * step);
    std::erase_if(candidates, [&](double v) { return (b_.y - v) * s < step; });
    for (const Lane& lane : spread(free_lanes(a_.x + step, b_.x, candidates))) {
      if (!best_.points.empty() && !best_.blocked && lane.length >= best_.cost) break;
      double u0 = a_.x + step, least = 1e300;
      const auto better = [&](double u, double extra) {
        const double cost = price(a_, {u, a_.y}, true, false) + price({u, a_.y}, {u, lane.v}, false, false) + extra;
        if (cost >= least) return;
        least = cost;
        u0 = u;
      };
      for (const double u : own_turns(a_.x + step, a_.x + 12 * step)) better(u, leaving_price(u));
      for (int k = 1; k <= 7; ++k) better(a_.x + k * step, k + leaving_price(a_.x + k * step));
      if (b_.x - 2 * step > a_.x) better(b_.x - 2 * step, 3);
      consider({a_, {u0, a_.y}, {u0, lane.v}, {b_.x, lane.v}, b_});
    }
  }

  const Space& space_;
  const PathRequest& request_;
  Turned turned_;
  Point a_, b_, arrival_;
  Box box_a_, box_b_, sheet_;
  FoundPath best_;
  bool clean_ = false;
  double u1_ = 0;
};

}  // namespace

Point outward(Side side) {
  switch (side) {
    case Side::left: return {-1, 0};
    case Side::right: return {1, 0};
    case Side::top: return {0, -1};
    case Side::bottom: break;
  }
  return {0, 1};
}

Path simplified(const Path& path) {
  Path result;
  for (const Point& p : path) {
    if (!result.empty() && result.back() == p) continue;
    if (result.size() >= 2) {
      const Point &a = result[result.size() - 2], &b = result.back();
      if ((a.x == b.x && b.x == p.x) || (a.y == b.y && b.y == p.y)) result.pop_back();
    }
    if (result.empty() || !(result.back() == p)) result.push_back(p);
  }
  return result;
}

PathCost cost_of(const Space& space, const PathRequest& request, const Path& path) {
  PathCost cost;
  for (std::size_t k = 1; k < path.size(); ++k) {
    const LinePiece piece = piece_between(path[k - 1], path[k], request.net);
    const double length = std::abs(piece.b.x - piece.a.x) + std::abs(piece.b.y - piece.a.y);
    cost.value += length - 0.9 * own_overlap(request, piece) + (k > 1 ? corner_price : 0);
    const Space::Meeting meeting = space.meet(piece);
    cost.value += crossing_price * meeting.crossings + overlap_price * meeting.overlaps;
    if (meeting.overlaps > 0) cost.clean = false;
    if (space.blocked(piece, k == 1 ? request.from.block : -1, k + 1 == path.size() ? request.to.block : -1)) {
      cost.value += blocked_price;
      cost.blocked = true;
      cost.clean = false;
    }
  }
  return cost;
}

FoundPath standard_path(const Space& space, const PathRequest& request) { return Shapes(space, request).run(); }

}  // namespace orrery::picture
