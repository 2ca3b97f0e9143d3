// SPDX-License-Identifier: Apache-2.0
// Parts of a diagram become columns, columns get coordinates, parts are packed side by side.
#include "picture/arrange.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_map>

#include "picture/columns.h"

namespace orrery::picture {
namespace {

constexpr double narrowest_channel = 50;
constexpr double track_distance = 10;
constexpr double between_parts = 70;
constexpr std::size_t most_passes = 40;  // per block on average: what a layout spends on long links

std::size_t at(int k) { return static_cast<std::size_t>(k); }

// One connected part of the diagram.
class Part {
 public:
  Part(const std::vector<ArrangeNode>& nodes, const std::vector<ArrangeEdge>& edges, const Layers& layers)
      : nodes_(nodes), edges_(edges), layers_(layers) {}

  void add_node(int node) {
    item_of_[node] = static_cast<int>(columns_.items.size());
    ColumnItem item;
    item.node = node;
    item.height = nodes_[at(node)].height;
    columns_.items.push_back(item);
  }
  void add_edge(int edge) { own_edges_.push_back(edge); }

  // Positions relative to the upper left corner of the part; its size is returned.
  Point run(std::vector<Point>& positions) {
    set_layers();
    add_links();
    order_columns(layers_, columns_);
    place_items(nodes_, columns_);
    return coordinates(positions);
  }

 private:
  int layer_of(int node) const { return columns_.items[at(item_of_.at(node))].layer; }

  void set_layers() {
    int least = 1 << 30;
    for (ColumnItem& item : columns_.items) {
      int node = item.node;
      for (int steps = 0; layers_.host[at(node)] >= 0 && steps < 100000; ++steps) node = layers_.host[at(node)];
      item.layer = layers_.layer[at(node)];
      const int host = layers_.host[at(item.node)];
      if (host >= 0) {
        item.host = item_of_.at(host);
        item.above = layers_.above[at(item.node)];
      }
      least = std::min(least, item.layer);
    }
    for (ColumnItem& item : columns_.items) item.layer -= least;
    budget_ = 2000 + most_passes * columns_.items.size();
  }

  int add_pass(int layer) {
    ColumnItem item;
    item.layer = layer;
    columns_.items.push_back(item);
    return static_cast<int>(columns_.items.size()) - 1;
  }

  void add_segment(int from, int to, double from_offset, double to_offset, int weight, bool aligned, int net) {
    columns_.segments.push_back({from, to, from_offset, to_offset, weight, aligned, net});
  }

  // Links of one output share the places that they pass.
  void add_links() {
    std::map<std::pair<int, double>, std::vector<int>> nets;
    for (const int e : own_edges_) {
      if (!edges_[at(e)].activation) nets[{edges_[at(e)].from, edges_[at(e)].from_offset}].push_back(e);
    }
    int number = 0;
    for (const auto& [output, branches] : nets) add_forward(output, branches, number++);
    number = 0;
    for (const auto& [output, branches] : nets) add_backward(output, branches, number++);
  }

  void add_forward(const std::pair<int, double>& output, const std::vector<int>& branches, int net) {
    const int source = item_of_.at(output.first);
    const int first = layer_of(output.first);
    std::vector<int>& passes = passes_[output];
    for (const int e : branches) {
      if (layers_.backward[at(e)]) continue;
      const ArrangeEdge& edge = edges_[at(e)];
      const int last = layer_of(edge.to);
      if (passes.size() + static_cast<std::size_t>(last - first) > budget_) continue;
      while (static_cast<int>(passes.size()) < last - first - 1) {
        const bool is_first = passes.empty();
        const int pass = add_pass(first + 1 + static_cast<int>(passes.size()));
        add_segment(is_first ? source : passes.back(), pass, is_first ? output.second : 0, 0, is_first ? 1 : 6, true,
                    net);
        passes.push_back(pass);
        --budget_;
      }
      const bool direct = last == first + 1;
      const int before = direct ? source : passes[at(last - first - 2)];
      const int weight = !direct ? 1 : edge.to_port == 1 ? (branches.size() == 1 ? 4 : 3) : 1;
      add_segment(before, item_of_.at(edge.to), direct ? output.second : 0, edge.to_offset, weight, edge.aligned, net);
    }
  }

  // The place below which a way back passes this column: on the path that the loop closes.
  std::vector<int> path_hosts(int from, int to) const {
    std::vector<int> hosts;
    int node = from;
    hosts.push_back(item_of_.at(node));
    while (node != to && layers_.parent[at(node)] >= 0) {
      const ArrangeEdge& edge = edges_[at(layers_.parent[at(node)])];
      const auto passes = passes_.find({edge.from, edge.from_offset});
      for (int layer = layer_of(node) - 1; layer > layer_of(edge.from); --layer) {
        const std::size_t k = at(layer - layer_of(edge.from) - 1);
        hosts.push_back(passes != passes_.end() && k < passes->second.size() ? passes->second[k] : -1);
      }
      node = edge.from;
      hosts.push_back(item_of_.at(node));
    }
    return hosts;
  }

  void add_backward(const std::pair<int, double>& output, const std::vector<int>& branches, int net) {
    int farthest = -1;
    for (const int e : branches) {
      if (!layers_.backward[at(e)]) continue;
      if (farthest < 0 || layer_of(edges_[at(e)].to) < layer_of(edges_[at(farthest)].to)) farthest = e;
    }
    if (farthest < 0) return;
    const ArrangeEdge& edge = edges_[at(farthest)];
    const int first = layer_of(output.first), last = layer_of(edge.to);
    if (static_cast<std::size_t>(first - last + 1) > budget_) return;
    const std::vector<int> hosts = path_hosts(output.first, edge.to);
    int before = -1;
    for (int layer = first; layer >= last; --layer) {
      const int pass = add_pass(layer);
      const std::size_t k = at(first - layer);
      columns_.items[at(pass)].host = k < hosts.size() && hosts[k] >= 0
                                          ? hosts[k]
                                          : columns_.items[at(before < 0 ? item_of_.at(output.first) : before)].host;
      if (columns_.items[at(pass)].host < 0 || columns_.items[at(columns_.items[at(pass)].host)].layer != layer)
        columns_.items[at(pass)].host = -1;
      columns_.items[at(pass)].span = first - last + 1;
      if (before < 0)
        add_segment(item_of_.at(output.first), pass, output.second, 0, 0, false, net);
      else
        add_segment(before, pass, 0, 0, 6, true, net);
      before = pass;
      --budget_;
    }
    for (const int e : branches) {
      if (layers_.backward[at(e)])
        add_segment(before, item_of_.at(edges_[at(e)].to), 0, edges_[at(e)].to_offset, 0, false, net);
    }
  }

  // A net between two columns: the heights it spans, and whether its longest branch climbs.
  struct Climb {
    double low = 0, high = 0, longest = 0;
    bool up = false;
  };

  // Lines that climb beside each other cross unless they stand in the order of their ends: as many tracks as there are
  // in the longest row of spans of which each overlaps one before it.
  static int longest_chain(std::vector<std::pair<double, double>> spans) {
    constexpr std::size_t most = 300;  // beyond that, nobody follows single lines
    if (spans.size() > most) return 0;
    std::sort(spans.begin(), spans.end());
    std::vector<int> length(spans.size(), 1);
    int longest = 0;
    for (std::size_t k = 0; k < spans.size(); ++k) {
      for (std::size_t i = 0; i < k; ++i) {
        if (spans[i].second > spans[k].first) length[k] = std::max(length[k], length[i] + 1);
      }
      longest = std::max(longest, length[k]);
    }
    return longest;
  }

  // How many vertical lines stand side by side in the channel to the right of each column.
  std::vector<int> tracks() const {
    std::vector<std::map<int, Climb>> channels(columns_.columns.size() + 1);  // by net
    const auto height = [&](int item, double offset) { return columns_.items[at(item)].y + offset; };
    for (const ColumnSegment& segment : columns_.segments) {
      const double a = height(segment.from, segment.from_offset), b = height(segment.to, segment.to_offset);
      if (a == b) continue;
      const int from = columns_.items[at(segment.from)].layer, to = columns_.items[at(segment.to)].layer;
      // A way back turns to the right of where it begins and to the left of where it ends.
      const bool ends = from == to && columns_.items[at(segment.to)].node >= 0;
      const std::size_t channel = from == to ? at(from + (ends ? 0 : 1)) : at(std::min(from, to) + 1);
      const auto [found, is_new] = channels[channel].emplace(segment.net, Climb{std::min(a, b), std::max(a, b)});
      Climb& climb = found->second;
      climb.low = std::min({climb.low, a, b});
      climb.high = std::max({climb.high, a, b});
      if (std::abs(a - b) > climb.longest) climb.up = b < a;
      climb.longest = std::max(climb.longest, std::abs(a - b));
    }
    std::vector<int> counts;
    for (const auto& channel : channels) {
      std::vector<std::pair<double, int>> ends;
      std::vector<std::pair<double, double>> up, down;
      for (const auto& [net, climb] : channel) {
        ends.emplace_back(climb.low, -1);
        ends.emplace_back(climb.high, 1);
        (climb.up ? up : down).emplace_back(climb.low, climb.high);
      }
      std::sort(ends.begin(), ends.end());
      int now = 0, most = 0;
      for (const auto& end : ends) {
        now -= end.second;
        most = std::max(most, now);
      }
      // The first line of a chain turns in the middle of the channel, and the others have one half of it.
      constexpr int short_chain = 3;
      const int chain = std::max(longest_chain(std::move(up)), longest_chain(std::move(down)));
      counts.push_back(std::max(most, chain > short_chain ? 2 * chain - 1 : chain));
    }
    return counts;
  }

  Point coordinates(std::vector<Point>& positions) {
    const std::vector<int> lines = tracks();
    double top = 1e300, bottom = -1e300, x = 0;
    for (const ColumnItem& item : columns_.items) {
      top = std::min(top, item.y);
      bottom = std::max(bottom, item.y + item.height);
    }
    for (std::size_t c = 0; c < columns_.columns.size(); ++c) {
      double width = 10;
      for (const int k : columns_.columns[c]) {
        if (columns_.items[at(k)].node >= 0) width = std::max(width, nodes_[at(columns_.items[at(k)].node)].width);
      }
      if (c == 0 && lines[0] > 0) x += track_distance * (lines[0] + 1);
      for (const int k : columns_.columns[c]) {
        const ColumnItem& item = columns_.items[at(k)];
        if (item.node < 0) continue;
        positions[at(item.node)] = {x + std::floor((width - nodes_[at(item.node)].width) / 2), item.y - top};
      }
      x += width;
      if (c + 1 < columns_.columns.size() || lines[c + 1] > 0) {
        x += std::max(narrowest_channel, 20 + track_distance * (lines[c + 1] + 1));
      }
    }
    return {x, bottom - top};
  }

  const std::vector<ArrangeNode>& nodes_;
  const std::vector<ArrangeEdge>& edges_;
  const Layers& layers_;
  std::unordered_map<int, int> item_of_;
  std::vector<int> own_edges_;
  std::map<std::pair<int, double>, std::vector<int>> passes_;
  Columns columns_;
  std::size_t budget_ = 0;
};

}  // namespace

std::vector<Point> arrange(const std::vector<ArrangeNode>& nodes, const std::vector<ArrangeEdge>& edges) {
  const Layers layers = find_layers(nodes, edges);
  std::vector<std::vector<int>> members(at(layers.components)), links(at(layers.components));
  for (std::size_t k = 0; k < nodes.size(); ++k) members[at(layers.component[k])].push_back(static_cast<int>(k));
  for (std::size_t e = 0; e < edges.size(); ++e)
    links[at(layers.component[at(edges[e].from)])].push_back(static_cast<int>(e));
  std::vector<Point> positions(nodes.size());
  std::vector<Point> sizes;
  double area = 0, widest = 0;
  for (std::size_t c = 0; c < members.size(); ++c) {
    Part part(nodes, edges, layers);
    for (const int node : members[c]) part.add_node(node);
    for (const int edge : links[c]) part.add_edge(edge);
    sizes.push_back(part.run(positions));
    area += (sizes.back().x + between_parts) * (sizes.back().y + between_parts);
    widest = std::max(widest, sizes.back().x);
  }
  // Rows of parts, about as wide as a screen is.
  const double width = std::max(widest, std::sqrt(area) * 1.4);
  double x = 0, y = 0, row = 0;
  for (std::size_t c = 0; c < members.size(); ++c) {
    if (x > 0 && x + sizes[c].x > width) {
      y += row + between_parts;
      x = row = 0;
    }
    for (const int node : members[c]) {
      positions[at(node)].x += x;
      positions[at(node)].y += y;
    }
    x += sizes[c].x + between_parts;
    row = std::max(row, sizes[c].y);
  }
  return positions;
}

}  // namespace orrery::picture
