// SPDX-License-Identifier: Apache-2.0
// Routes nets one after the other: what was bent by hand, then straight ones, then from short to long.
#include "picture/route.h"

#include <algorithm>
#include <cmath>

#include "picture/find_path.h"
#include "picture/space.h"

namespace orrery::picture {
namespace {

constexpr int most_search_steps = 2000;
constexpr int most_searches = 60;    // for one sheet: large ones must open fast
constexpr int most_exchanges = 600;  // …
constexpr double widest_channel = 160;
constexpr double nearest_step = 10;  // to a block

Path bent_path(const RouteEnd& from, const RouteBranch& branch) {
  Path path{from.at};
  bool horizontal = from.side == Side::left || from.side == Side::right;
  std::vector<Point> stops = branch.bends;
  stops.push_back(branch.to.at);
  for (const Point& stop : stops) {
    const Point last = path.back();
    if (last.x != stop.x && last.y != stop.y)
      path.push_back(horizontal ? Point{stop.x, last.y} : Point{last.x, stop.y});
    horizontal = path.back().y == stop.y ? false : true;
    path.push_back(stop);
  }
  return simplified(path);
}

}  // namespace

struct Router::Data {
  Space space;
  std::vector<RouteNet> nets;
  std::vector<std::vector<Path>> paths;
  std::vector<std::vector<LinePiece>> own;  // by net
  int searches = 0;
  bool quick = false;

  Data(const std::vector<Obstacle>& blocks, std::vector<RouteNet> all) : space(blocks, all), nets(std::move(all)) {
    paths.resize(nets.size());
    own.resize(nets.size());
    for (std::size_t n = 0; n < nets.size(); ++n) paths[n].resize(nets[n].branches.size());
  }

  void keep(int net, std::vector<Path> ways) {
    const auto n = static_cast<std::size_t>(net);
    for (const Path& path : ways) {
      for (std::size_t k = 1; k < path.size(); ++k) {
        const LinePiece piece = piece_between(path[k - 1], path[k], net);
        space.add(piece);
        own[n].push_back(piece);
      }
    }
    paths[n] = std::move(ways);
  }

  struct Job {
    double order;
    int net, branch;
  };

  static double order_of(const RouteEnd& from, const RouteBranch& branch) {
    if (!branch.bends.empty()) return -2;
    const Point a = from.at, b = branch.to.at, d = outward(from.side), e = outward(branch.to.side);
    const bool faces = d.x == -e.x && d.y == -e.y && (b.x - a.x) * d.x + (b.y - a.y) * d.y > 0;
    if (faces && ((d.x != 0 && a.y == b.y) || (d.y != 0 && a.x == b.x))) return -1;
    return std::abs(a.x - b.x) + std::abs(a.y - b.y) + (faces ? 0 : 200);
  }

  void route_nets(const std::vector<int>& which) {
    std::vector<Job> jobs;
    for (const int n : which) {
      const RouteNet& net = nets[static_cast<std::size_t>(n)];
      for (std::size_t b = 0; b < net.branches.size(); ++b) {
        jobs.push_back({order_of(net.from, net.branches[b]), n, static_cast<int>(b)});
      }
    }
    std::stable_sort(jobs.begin(), jobs.end(), [](const Job& a, const Job& b) { return a.order < b.order; });
    for (const Job& job : jobs) route_branch(job);
  }

  void route_branch(const Job& job) {
    const auto n = static_cast<std::size_t>(job.net), b = static_cast<std::size_t>(job.branch);
    const RouteNet& net = nets[n];
    const RouteBranch& branch = net.branches[b];
    Path path;
    if (!branch.bends.empty()) {
      path = bent_path(net.from, branch);
    } else {
      const PathRequest request{net.from, branch.to, job.net, &own[n], quick};
      FoundPath found = standard_path(space, request);
      path = std::move(found.points);
      if ((found.blocked || path.empty()) && searches < most_searches) {
        ++searches;
        Path other = search_path(space, request, most_search_steps);
        if (!other.empty()) path = std::move(other);
      }
      if (path.empty()) path = bent_path(net.from, branch);
    }
    for (std::size_t k = 1; k < path.size(); ++k) {
      const LinePiece piece = piece_between(path[k - 1], path[k], job.net);
      space.add(piece);
      own[n].push_back(piece);
    }
    paths[n][b] = std::move(path);
  }

  // Ways that went around what stood elsewhere then: they look once more.
  void look_again() {
    int tries = 0;
    for (std::size_t n = 0; n < nets.size() && tries < most_exchanges; ++n) {
      if (paths[n].size() != 1 || paths[n][0].size() <= 4 || !nets[n].branches[0].bends.empty()) continue;
      ++tries;
      const int net = static_cast<int>(n);
      const Path before = paths[n][0];
      space.remove_net(net, before);
      const PathRequest request{nets[n].from, nets[n].branches[0].to, net, nullptr, false};
      const double now = cost_of(space, request, before).value;
      const FoundPath found = standard_path(space, request);
      put(net, !found.points.empty() && found.cost < now - 1 ? found.points : before);
    }
  }

  // Links that step from one column to the next were given their places one after the other, and may cross where the
  // other order of the same places would not: such pairs exchange them.
  void exchange_steps() {
    std::vector<int> steps;
    for (std::size_t n = 0; n < nets.size(); ++n) {
      if (is_step(n)) steps.push_back(static_cast<int>(n));
    }
    std::stable_sort(steps.begin(), steps.end(), [this](int a, int b) { return step_at(a) < step_at(b); });
    int tries = 0;
    for (bool changed = true; changed && tries < most_exchanges;) {
      changed = false;
      for (std::size_t k = 0; k < steps.size() && tries < most_exchanges; ++k) {
        if (crossings(steps[k]) == 0) continue;
        for (std::size_t i = k + 1; i < steps.size() && step_at(steps[i]) < step_at(steps[k]) + widest_channel; ++i) {
          if (!side_by_side(steps[k], steps[i]) || ++tries > most_exchanges) continue;
          changed = exchange(steps[k], steps[i]) || changed;
        }
      }
      std::stable_sort(steps.begin(), steps.end(), [this](int a, int b) { return step_at(a) < step_at(b); });
    }
  }

 private:
  const Path& only_path(int net) const { return paths[static_cast<std::size_t>(net)][0]; }
  double step_at(int net) const { return only_path(net)[1].x; }

  bool is_step(std::size_t n) const {
    if (paths[n].size() != 1 || paths[n][0].size() != 4 || !nets[n].branches[0].bends.empty()) return false;
    const Path& path = paths[n][0];
    return path[0].y == path[1].y && path[1].x == path[2].x && path[2].y == path[3].y && path[1].x != path[0].x;
  }

  // Their upright pieces share some height.
  bool side_by_side(int a, int b) const {
    const Path &p = only_path(a), &q = only_path(b);
    return step_at(a) != step_at(b) && std::max(p[1].y, p[2].y) >= std::min(q[1].y, q[2].y) &&
           std::max(q[1].y, q[2].y) >= std::min(p[1].y, p[2].y);
  }

  int crossings(int net) const {
    int count = 0;
    const Path& path = only_path(net);
    for (std::size_t k = 1; k < path.size(); ++k)
      count += space.meet(piece_between(path[k - 1], path[k], net)).crossings;
    return count;
  }

  double cost(int net, const Path& path) const {
    const RouteNet& own_net = nets[static_cast<std::size_t>(net)];
    return cost_of(space, {own_net.from, own_net.branches[0].to, net, nullptr, false}, path).value;
  }
  void put(int net, const Path& path) {
    auto& pieces = own[static_cast<std::size_t>(net)];
    pieces.clear();
    for (std::size_t k = 1; k < path.size(); ++k) {
      pieces.push_back(piece_between(path[k - 1], path[k], net));
      space.add(pieces.back());
    }
    paths[static_cast<std::size_t>(net)][0] = path;
  }

  // What both cost together, the one in the presence of the other; b is not there afterwards.
  double put_both(int a, const Path& path_a, int b, const Path& path_b) {
    const double cost_a = cost(a, path_a);
    put(a, path_a);
    return cost_a + cost(b, path_b);
  }

  bool exchange(int a, int b) {
    const Path before_a = only_path(a), before_b = only_path(b);
    Path after_a = before_a, after_b = before_b;
    after_a[1].x = after_a[2].x = before_b[1].x;
    after_b[1].x = after_b[2].x = before_a[1].x;
    // Each must still step between its own ends.
    const auto fits = [](const Path& path) {
      const double low = std::min(path[0].x, path[3].x) + nearest_step,
                   high = std::max(path[0].x, path[3].x) - nearest_step;
      return path[1].x >= low && path[1].x <= high;
    };
    if (!fits(after_a) || !fits(after_b)) return false;
    space.remove_net(a, before_a);
    space.remove_net(b, before_b);
    const double now = put_both(a, before_a, b, before_b);
    space.remove_net(a, before_a);
    const bool better = put_both(a, after_a, b, after_b) < now - 1;
    if (better) {
      put(b, after_b);
      return true;
    }
    space.remove_net(a, after_a);
    put(a, before_a);
    put(b, before_b);
    return false;
  }
};

Router::Router(std::vector<Obstacle> blocks, std::vector<RouteNet> nets)
    : data_(std::make_unique<Data>(blocks, std::move(nets))) {
  std::vector<int> all;
  for (std::size_t n = 0; n < data_->nets.size(); ++n) all.push_back(static_cast<int>(n));
  data_->route_nets(all);
  data_->exchange_steps();
  data_->look_again();
}

Router::~Router() = default;
Router::Router(Router&&) noexcept = default;

const std::vector<std::vector<Path>>& Router::paths() const { return data_->paths; }

void Router::move(int block, const Obstacle& place, const std::vector<int>& nets,
                  const std::vector<RouteNet>& changed) {
  data_->space.move_block(block, place);
  for (std::size_t k = 0; k < nets.size(); ++k) {
    const auto n = static_cast<std::size_t>(nets[k]);
    for (const Path& path : data_->paths[n]) data_->space.remove_net(nets[k], path);
    data_->own[n].clear();
    data_->nets[n] = changed[k];
    data_->paths[n].assign(changed[k].branches.size(), {});
  }
  data_->searches = most_searches;  // while dragging, standard shapes will do, and not all of them
  data_->quick = true;
  data_->route_nets(nets);
  data_->quick = false;
}

std::vector<std::vector<Path>> route_again(const std::vector<Obstacle>& blocks, const std::vector<RouteNet>& nets,
                                           std::vector<std::vector<Path>> kept, bool searches) {
  Router::Data data(blocks, nets);
  if (!searches) data.searches = most_searches;
  std::vector<int> rest;
  for (std::size_t n = 0; n < nets.size(); ++n) {
    if (kept[n].empty()) {
      rest.push_back(static_cast<int>(n));
    } else {
      data.keep(static_cast<int>(n), std::move(kept[n]));
    }
  }
  data.route_nets(rest);
  return std::move(data.paths);
}

std::vector<std::vector<Path>> route(const std::vector<Obstacle>& blocks, const std::vector<RouteNet>& nets) {
  return Router(blocks, nets).paths();
}

}  // namespace orrery::picture
