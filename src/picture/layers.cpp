// SPDX-License-Identifier: Apache-2.0
// Depth-first search from the sources, then longest paths.
#include "picture/layers.h"

#include <algorithm>
#include <numeric>

namespace orrery::picture {
namespace {

class LayerSearch {
 public:
  LayerSearch(const std::vector<ArrangeNode>& nodes, const std::vector<ArrangeEdge>& edges)
      : edges_(edges), count_(static_cast<int>(nodes.size())) {
    const std::size_t n = nodes.size();
    out_.resize(n);
    in_degree_.assign(n, 0);
    regular_.assign(n, 0);
    for (std::size_t e = 0; e < edges.size(); ++e) {
      if (edges[e].activation) continue;
      out_[at(edges[e].from)].push_back(static_cast<int>(e));
      if (edges[e].from != edges[e].to) ++in_degree_[at(edges[e].to)];
      regular_[at(edges[e].from)] = regular_[at(edges[e].to)] = 1;
    }
    found_.host.assign(n, -1);
    found_.above.assign(n, 1);
    found_.layer.assign(n, 0);
    found_.parent.assign(n, -1);
    found_.visit.assign(n, 0);
    found_.backward.assign(edges.size(), 0);
  }

  Layers run() {
    find_components();
    find_hosts();
    search();
    assign();
    return std::move(found_);
  }

 private:
  static std::size_t at(int k) { return static_cast<std::size_t>(k); }

  void find_components() {
    std::vector<int> root(at(count_));
    std::iota(root.begin(), root.end(), 0);
    const auto find = [&](int k) {
      while (root[at(k)] != k) k = root[at(k)] = root[at(root[at(k)])];
      return k;
    };
    for (const ArrangeEdge& edge : edges_) {
      const int a = find(edge.from), b = find(edge.to);
      root[at(std::max(a, b))] = std::min(a, b);
    }
    found_.component.assign(at(count_), -1);
    for (int k = 0; k < count_; ++k) {
      int& own = found_.component[at(find(k))];
      if (own < 0) own = found_.components++;
      found_.component[at(k)] = own;
    }
  }

  // What only activates shares the column of the first block that it activates; what is only activated, that of what
  // activates it.
  void find_hosts() {
    const auto leads_to = [&](int from, int to) {
      for (int k = from, steps = 0; k >= 0 && steps < 1000; k = found_.host[at(k)], ++steps) {
        if (k == to) return true;
      }
      return false;
    };
    for (const bool by_target : {true, false}) {
      for (const ArrangeEdge& edge : edges_) {
        const int own = by_target ? edge.from : edge.to, other = by_target ? edge.to : edge.from;
        if (!edge.activation || own == other || regular_[at(own)] || found_.host[at(own)] >= 0) continue;
        if (leads_to(other, own)) continue;
        found_.host[at(own)] = other;
        found_.above[at(own)] = by_target;
      }
    }
  }

  // Sources that feed first ports lead the main path; the others join it.
  std::vector<int> starts() const {
    std::vector<std::pair<int, int>> sources;
    std::vector<int> order;
    for (int k = 0; k < count_; ++k) {
      if (!regular_[at(k)] || in_degree_[at(k)] > 0) continue;
      int port = 1 << 20;
      for (const int e : out_[at(k)]) port = std::min(port, edges_[at(e)].to_port);
      sources.emplace_back(port > 1 ? 1 : 0, k);
    }
    std::stable_sort(sources.begin(), sources.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    for (const auto& source : sources) order.push_back(source.second);
    for (int k = 0; k < count_; ++k) order.push_back(k);
    return order;
  }

  void search() {
    enum : char { unseen, open, done };
    std::vector<char> state(at(count_), unseen);
    std::vector<std::pair<int, std::size_t>> stack;
    int clock = 0;
    for (const int start : starts()) {
      if (state[at(start)] != unseen) continue;
      stack.assign(1, {start, 0});
      state[at(start)] = open;
      found_.visit[at(start)] = clock++;
      while (!stack.empty()) {
        auto& [node, next] = stack.back();
        if (next == out_[at(node)].size()) {
          state[at(node)] = done;
          finished_.push_back(node);
          stack.pop_back();
          continue;
        }
        const int e = out_[at(node)][next++];
        const int target = edges_[at(e)].to;
        if (state[at(target)] == open) {
          found_.backward[at(e)] = 1;
        } else if (state[at(target)] == unseen) {
          state[at(target)] = open;
          found_.parent[at(target)] = e;
          found_.visit[at(target)] = clock++;
          stack.emplace_back(target, 0);
        }
      }
    }
  }

  void assign() {
    // Nodes that were finished last come first in every forward link.
    for (auto node = finished_.rbegin(); node != finished_.rend(); ++node) {
      for (const int e : out_[at(*node)]) {
        if (found_.backward[at(e)]) continue;
        int& layer = found_.layer[at(edges_[at(e)].to)];
        layer = std::max(layer, found_.layer[at(*node)] + 1);
      }
    }
    std::vector<int> forward_in(at(count_), 0);
    for (std::size_t e = 0; e < edges_.size(); ++e) {
      if (!edges_[e].activation && !found_.backward[e]) ++forward_in[at(edges_[e].to)];
    }
    // Sources stand next to what they feed.
    for (int k = 0; k < count_; ++k) {
      if (forward_in[at(k)] > 0 || out_[at(k)].empty()) continue;
      int nearest = 1 << 30;
      for (const int e : out_[at(k)]) {
        if (!found_.backward[at(e)]) nearest = std::min(nearest, found_.layer[at(edges_[at(e)].to)]);
      }
      if (nearest < 1 << 30) found_.layer[at(k)] = nearest - 1;
    }
  }

  const std::vector<ArrangeEdge>& edges_;
  int count_;
  std::vector<std::vector<int>> out_;
  std::vector<int> in_degree_;
  std::vector<char> regular_;
  std::vector<int> finished_;
  Layers found_;
};

}  // namespace

Layers find_layers(const std::vector<ArrangeNode>& nodes, const std::vector<ArrangeEdge>& edges) {
  return LayerSearch(nodes, edges).run();
}

}  // namespace orrery::picture
