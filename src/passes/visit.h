// SPDX-License-Identifier: Apache-2.0
// Walks expressions arguments first, without recursion, skipping what is already done.
#pragma once

#include <vector>

#include "program/graph.h"

namespace orrery::passes {

// Calls visit(id) for every node below and including `root` for which done(id) is false, arguments before the nodes
// that use them. visit must make done(id) true. It may add nodes to the graph.
template <class Done, class Visit>
void visit_arguments_first(const program::Graph& graph, program::ExprId root, Done&& done, Visit&& visit) {
  if (done(root)) return;
  std::vector<program::ExprId> waiting{root};
  while (!waiting.empty()) {
    program::ExprId id = waiting.back();
    if (done(id)) {
      waiting.pop_back();
      continue;
    }
    std::size_t before = waiting.size();
    for (program::ExprId a : graph.arguments(id)) {
      if (!done(a)) waiting.push_back(a);
    }
    if (waiting.size() > before) continue;
    waiting.pop_back();
    visit(id);
  }
}

// Results of a pass by node, growing with the graph.
template <class T>
class NodeMemo {
 public:
  explicit NodeMemo(T missing) : missing_(missing) {}

  const T& operator[](program::ExprId id) const { return id < values_.size() ? values_[id] : missing_; }
  void set(program::ExprId id, T value) {
    if (id >= values_.size()) values_.resize(id + 1 + values_.size() / 2, missing_);
    values_[id] = value;
  }
  void clear() { values_.clear(); }

 private:
  T missing_;
  std::vector<T> values_;
};

}  // namespace orrery::passes
