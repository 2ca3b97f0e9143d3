// SPDX-License-Identifier: Apache-2.0
// Long lists of statements are cut into functions; what crosses their borders goes into the workspace.
#include "native/divide.h"

#include <algorithm>

#include "native/frames.h"

namespace orrery::native {
namespace {

using program::ExprId;
using program::Op;

class Divider {
 public:
  Divider(const program::Program& program, const Frames& frames, const std::vector<Index>& index_of, Plan& plan)
      : graph_(program.graph), frames_(frames), index_of_(index_of), plan_(plan), nodes_(plan.nodes) {}

  void run() {
    weigh(0);
    plan_.functions.push_back({0, 0, plan_.scopes[0].items.size()});
    divide_scope(0, 0);
    find_crossings();
    allocate();
  }

 private:
  bool is_if(const Item& item) const { return item.kind == Item::Kind::node && nodes_[item.index].is_if; }

  // Scopes inside an item: of a guard, or both arms of a select.
  std::vector<ScopeId> inside(const Item& item) const {
    if (item.kind == Item::Kind::guard) return {item.index};
    if (is_if(item)) return {nodes_[item.index].arms, nodes_[item.index].arms + 1};
    return {};
  }

  std::uint64_t weigh(ScopeId scope) {
    std::uint64_t total = 0;
    for (Item& item : plan_.scopes[scope].items) {
      for (ScopeId inner : inside(item)) item.weight += weigh(inner);
      total += item.weight;
    }
    return total;
  }

  void divide_scope(ScopeId scope, FunctionId function) {
    auto& items = plan_.scopes[scope].items;
    std::uint64_t total = 0;
    for (const Item& item : items) total += item.weight;
    if (total <= function_length) {
      for (Item& item : items) put(item, function);
      return;
    }
    std::uint64_t length = 0;
    FunctionId current = none;
    for (std::size_t k = 0; k < items.size(); ++k) {
      std::vector<ScopeId> inner = inside(items[k]);
      if (!inner.empty() && items[k].weight > function_length) {
        set_function(items[k], function);
        for (ScopeId s : inner) divide_scope(s, function);
        current = none;
        continue;
      }
      if (current == none || length + items[k].weight > function_length) {
        current = static_cast<FunctionId>(plan_.functions.size());
        plan_.functions.push_back({scope, k, k});
        length = 0;
      }
      put(items[k], current);
      length += items[k].weight;
      plan_.functions[current].last = k + 1;
    }
  }

  void put(Item& item, FunctionId function) {
    set_function(item, function);
    for (ScopeId scope : inside(item)) {
      for (Item& inner : plan_.scopes[scope].items) put(inner, function);
    }
  }

  void set_function(Item& item, FunctionId function) {
    item.function = function;
    if (item.kind == Item::Kind::node) nodes_[item.index].function = function;
  }

  // Inlined expressions are computed where their only user is; so users come first.
  void find_crossings() {
    for (const Scope& scope : plan_.scopes) {
      for (const Item& item : scope.items) touch_by_item(item);
    }
    for (Index i = static_cast<Index>(nodes_.size()); i-- > 0;) {
      const PlannedNode& n = nodes_[i];
      Op op = graph_[n.id].op;
      bool statement = n.form == Form::inlined || n.form >= Form::variable;
      if (!statement || op == Op::stack || (is_call(op) && n.leader != i)) continue;
      auto arguments = graph_.arguments(n.id);
      for (std::size_t k = 0; k < arguments.size(); ++k) {
        if (!n.is_if || k == 0) touch(arguments[k], n.function);
      }
    }
  }

  void touch_by_item(const Item& item) {
    switch (item.kind) {
      case Item::Kind::node: break;
      case Item::Kind::stack_part:
        for (std::uint32_t k = item.from; k < item.to; ++k) {
          touch(graph_.arguments(nodes_[item.index].id)[k], item.function);
        }
        break;
      case Item::Kind::store: touch(plan_.procedure->stores[item.index].value, item.function); break;
      case Item::Kind::late_stores:
        for (std::uint32_t k = item.from; k < item.to; ++k) {
          touch(plan_.procedure->stores[plan_.late[k]].value, item.function);
        }
        for (ScopeId s = plan_.store_scope[item.index]; s != 0; s = plan_.scopes[s].parent) {
          touch(nodes_[plan_.scopes[s].condition].id, item.function);
        }
        break;
      case Item::Kind::guard: touch(nodes_[plan_.scopes[item.index].condition].id, item.function); break;
      case Item::Kind::arm_value: {
        const Scope& scope = plan_.scopes[item.index];
        PlannedNode& select = nodes_[scope.select];
        touch(graph_.arguments(select.id)[static_cast<std::size_t>(scope.arm) + 1], item.function);
        if (select.function != item.function) select.crosses = true;
        break;
      }
    }
  }

  void touch(ExprId id, FunctionId function) {
    PlannedNode& n = nodes_[index_of_[id]];
    if (n.form == Form::inlined) n.function = function;
    if (n.form == Form::variable && n.function != function) n.crosses = true;
  }

  void allocate() {
    std::uint32_t variables = 0;
    std::uint32_t scratch = 0;
    for (Index i = 0; i < nodes_.size(); ++i) {
      PlannedNode& n = nodes_[i];
      const program::Node& g = graph_[n.id];
      if (n.form == Form::variable) n.name = ++variables;
      if (n.form == Form::variable && n.crosses) {
        n.storage = plan_.workspace++;
      } else if (is_call(g.op) && n.form == Form::array) {
        allocate_result(i);
      } else if (n.form == Form::array) {
        n.storage = plan_.workspace;
        plan_.workspace += workspace_doubles(g.type);
      }
      if (n.form != Form::unused && g.op >= Op::solve && g.op <= Op::expm) {
        auto size = static_cast<std::uint32_t>(graph_.type(graph_.arguments(n.id)[0]).rows);
        scratch = std::max(scratch, (g.op == Op::expm ? 4 : 1) * size * size + size / 2 + 1);
      }
      if (n.form != Form::unused && g.op == Op::call && n.leader == i) {
        scratch = std::max(scratch, frames_.of(graph_.function_of(n.id)).doubles);
      }
    }
    plan_.scratch = plan_.workspace;
    plan_.workspace += scratch;
  }

  // The leader's storage holds all results, one after the other.
  void allocate_result(Index i) {
    PlannedNode& n = nodes_[i];
    std::uint64_t payload = graph_[n.id].payload;
    std::vector<program::Type> results;
    if (graph_[n.id].op == Op::foreign) {
      results = graph_.foreign_functions()[payload >> 8].results;
    } else {
      const program::Function& function = graph_.function_of(n.id);
      for (std::size_t r = 0; r < function.results.size(); ++r) results.push_back(function.result_type(r));
    }
    if (n.leader == i) {
      n.base = plan_.workspace;
      for (const program::Type& type : results) plan_.workspace += workspace_doubles(type);
    } else {
      n.base = nodes_[n.leader].base;
    }
    n.storage = n.base;
    for (std::size_t r = 0; r < (payload & 255); ++r) n.storage += workspace_doubles(results[r]);
  }

  const program::Graph& graph_;
  const Frames& frames_;
  const std::vector<Index>& index_of_;
  Plan& plan_;
  std::vector<PlannedNode>& nodes_;
};

}  // namespace

void divide(const program::Program& program, const Frames& frames, const std::vector<Index>& index_of, Plan& plan) {
  Divider(program, frames, index_of, plan).run();
}

}  // namespace orrery::native
