// SPDX-License-Identifier: Apache-2.0
// Walks expressions arguments first, without recursion, skipping what is already done.
#pragma once

#include <vector>

#include "program/graph.h"

namespace orrery::passes {

// Calls visit(id) for every node that `root` needs, and for it, unless done(id): needs(id, ask) calls ask(other) for
// whatever has to be visited before id. visit must make done(id) true. It may add nodes to the graph.
template <class Needs, class Done, class Visit>
void visit_needed_first(program::ExprId root, Needs&& needs, Done&& done, Visit&& visit) {
  std::vector<program::ExprId> waiting{root};
  while (!waiting.empty()) {
    const program::ExprId id = waiting.back();
    if (done(id)) {
      waiting.pop_back();
      continue;
    }
    const std::size_t before = waiting.size();
    needs(id, [&](program::ExprId other) {
      if (!done(other)) waiting.push_back(other);
    });
    if (waiting.size() > before) continue;
    waiting.pop_back();
    visit(id);
  }
}

// The same where a node needs its arguments.
template <class Done, class Visit>
void visit_arguments_first(const program::Graph& graph, program::ExprId root, Done&& done, Visit&& visit) {
  const auto arguments = [&](program::ExprId id, const auto& ask) {
    for (const program::ExprId argument : graph.arguments(id)) ask(argument);
  };
  visit_needed_first(root, arguments, done, visit);
}

// Results of a pass by node, in pages: what looks at a few nodes of a large graph pays for these.
template <class T>
class NodeMemo {
 public:
  explicit NodeMemo(T missing) : missing_(missing) {}

  const T& operator[](program::ExprId id) const {
    const std::size_t page = id / page_size;
    return page < pages_.size() && !pages_[page].empty() ? pages_[page][id % page_size] : missing_;
  }
  void set(program::ExprId id, T value) {
    const std::size_t page = id / page_size;
    if (page >= pages_.size()) pages_.resize(page + 1);
    if (pages_[page].empty()) pages_[page].assign(page_size, missing_);
    pages_[page][id % page_size] = value;
  }
  void clear() { pages_.clear(); }

 private:
  static constexpr std::size_t page_size = 256;
  T missing_;
  std::vector<std::vector<T>> pages_;
};

// The node with what the memo has for its arguments; itself when nothing changed.
inline program::ExprId rebuilt(program::Graph& graph, program::ExprId id, const NodeMemo<program::ExprId>& memo,
                               std::vector<program::ExprId>& scratch) {
  scratch.clear();
  bool changed = false;
  for (const program::ExprId argument : graph.arguments(id)) {
    scratch.push_back(memo[argument]);
    changed = changed || memo[argument] != argument;
  }
  return changed ? graph.rebuild(id, scratch) : id;
}

// Whether something is true of a node, or of anything it is made of. Each node is looked at once, so that asking for
// many roots costs no more than the graph is large. The test must be the same each time.
class AnyBelow {
 public:
  template <class Test>
  bool operator()(const program::Graph& graph, program::ExprId root, Test&& test) {
    visit_arguments_first(
        graph, root, [&](program::ExprId id) { return known_[id] != unknown; },
        [&](program::ExprId id) {
          bool any = test(id);
          for (const program::ExprId argument : graph.arguments(id)) any = any || known_[argument] == yes;
          known_.set(id, any ? yes : no);
        });
    return known_[root] == yes;
  }

 private:
  static constexpr char unknown = 0, no = 1, yes = 2;
  NodeMemo<char> known_{unknown};
};

}  // namespace orrery::passes
