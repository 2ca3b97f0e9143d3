// SPDX-License-Identifier: Apache-2.0
// From the stores of a procedure to scopes, forms and statements.
#include "native/plan.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "base/check.h"
#include "native/divide.h"
#include "native/frames.h"
#include "native/order_stores.h"

namespace orrery::native {

using program::ExprId;
using program::no_expr;
using program::Node;
using program::Op;
using program::Scalar;
using program::Store;
using program::Type;

bool is_function(Op op) {
  return (op >= Op::sqrt && op <= Op::trunc) || op == Op::pow || op == Op::atan2 || op == Op::hypot || op == Op::mod ||
         op == Op::rem || op == Op::past || op == Op::search || is_call(op);
}

bool is_whole_matrix(Op op) { return op >= Op::matmul && op <= Op::expm; }

bool is_fusable(const Node& node) {
  return node.type.scalar != Scalar::c128 &&
         (program::is_elementwise_unary(node.op) || program::is_elementwise_binary(node.op) || node.op == Op::select);
}

std::uint32_t workspace_doubles(const Type& type) {
  return static_cast<std::uint32_t>((type.size() * program::byte_size(type.scalar) + 7) / 8);
}

namespace {

constexpr std::uint32_t inline_limit = 10;  // operations in one expression
constexpr std::uint32_t deepest_scope = 24;
constexpr std::uint64_t cheap_arm = 8;
constexpr std::uint32_t stack_part_length = 40;

class ProcedurePlanner {
 public:
  ProcedurePlanner(const program::Program& program, const std::vector<Index>& index_of, Plan& plan)
      : graph_(program.graph), index_of_(index_of), plan_(plan), nodes_(plan.nodes) {}

  void run() {
    group_calls();
    find_late_stores();
    open_scopes();
    for (Index i = static_cast<Index>(nodes_.size()); i-- > 0;) {
      if (nodes_[i].uses > 0) use_arguments(i);
    }
    close_cheap_arms();
    find_needed();
    for (Index i = 0; i < nodes_.size(); ++i) {
      if (nodes_[i].uses > 0) choose_form(i);
    }
    StoreOrder order(graph_, index_of_, plan_);
    order.sort();
    list_items();
    order.place();
  }

 private:
  const Node& node(Index i) const { return graph_[nodes_[i].id]; }
  const Store& store(std::uint32_t s) const { return plan_.procedure->stores[s]; }

  // Results of one call share the node with the smallest id, which makes the call.
  void group_calls() {
    std::map<std::pair<std::uint64_t, std::vector<ExprId>>, Index> leaders;
    for (Index i = 0; i < nodes_.size(); ++i) {
      if (!is_call(node(i).op)) continue;
      auto arguments = graph_.arguments(nodes_[i].id);
      const std::uint64_t function = node(i).payload >> 8 << 1 | (node(i).op == Op::call ? 1 : 0);
      nodes_[i].leader = leaders.try_emplace({function, {arguments.begin(), arguments.end()}}, i).first->second;
    }
  }

  // A store waits when the procedure reads its slot or stores to it more than once. The only store of a number to its
  // slot needs to wait for the readers alone.
  void find_late_stores() {
    struct Users {
      std::uint32_t stores = 0;
      bool read = false;
    };
    const auto& stores = plan_.procedure->stores;
    std::unordered_map<program::SlotId, Users> slots;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> outputs;
    for (std::size_t s = 0; s < stores.size(); ++s) {
      if (stores[s].target == Store::Target::slot) {
        ++slots[stores[s].index].stores;
      } else {
        Type type = graph_.type(stores[s].value);
        std::uint64_t width = type.scalar == Scalar::c128 ? 2 : 1;
        outputs.push_back({stores[s].index, stores[s].index + width * static_cast<std::uint64_t>(type.size())});
      }
    }
    std::sort(outputs.begin(), outputs.end());
    bool overlap = false;
    for (std::size_t k = 1; k < outputs.size(); ++k) overlap |= outputs[k].first < outputs[k - 1].second;
    for (Index i = 0; i < nodes_.size(); ++i) {
      if (node(i).op != Op::read) continue;
      auto found = slots.find(static_cast<program::SlotId>(node(i).payload));
      if (found == slots.end()) continue;
      found->second.read = true;
      nodes_[i].unstable = true;
    }
    plan_.is_late.resize(stores.size());
    plan_.is_ordered.resize(stores.size());
    for (std::size_t s = 0; s < stores.size(); ++s) {
      if (stores[s].target == Store::Target::output) {
        plan_.is_late[s] = overlap;
        continue;
      }
      const Users& users = slots[stores[s].index];
      plan_.is_late[s] = users.read || users.stores > 1;
      plan_.is_ordered[s] = users.read && users.stores == 1 && !is_array(graph_.type(stores[s].value));
      if (users.stores == 1 && changes_own_slot(stores[s])) candidates_.push_back(static_cast<std::uint32_t>(s));
    }
    find_updates_in_place();
  }

  bool changes_own_slot(const Store& s) const {
    if (graph_[s.value].op != Op::update || !is_array(graph_.type(s.value))) return false;
    const Node& array = graph_[graph_.arguments(s.value)[0]];
    return array.op == Op::read && array.payload == s.index;
  }

  // Some elements of an array are replaced, and nothing else wants the array with the new ones: they can be written
  // where they belong, once the others have read it.
  void find_updates_in_place() {
    if (candidates_.empty()) return;
    std::map<ExprId, std::uint32_t> users;
    for (const std::uint32_t s : candidates_) users[store(s).value] = 0;
    const auto count = [&](ExprId id) {
      const auto found = users.find(id);
      if (found != users.end()) ++found->second;
    };
    for (const PlannedNode& n : nodes_) {
      for (ExprId argument : graph_.arguments(n.id)) count(argument);
    }
    for (const Store& s : plan_.procedure->stores) count(s.value);
    for (const std::uint32_t s : candidates_) plan_.is_ordered[s] = users[store(s).value] == 1;
  }

  // Whether the text of an expression, as it will stand in a statement, reads the slot.
  bool text_reads(ExprId id, program::SlotId slot) const {
    const PlannedNode& n = nodes_[index_of_[id]];
    const Node& g = graph_[id];
    if (n.form != Form::leaf && n.form != Form::inlined) return false;
    if (g.op == Op::read) return static_cast<program::SlotId>(g.payload) == slot;
    const auto arguments = graph_.arguments(id);
    return std::any_of(arguments.begin(), arguments.end(), [&](ExprId a) { return text_reads(a, slot); });
  }

  // One element is read and written in one statement; several must not see each other.
  bool stays_in_place(const PlannedNode& n) const {
    if (n.store == none || !plan_.is_ordered[n.store] || n.uses != 1) return false;
    const auto arguments = graph_.arguments(n.id);
    std::int64_t places = graph_.type(n.id).scalar == Scalar::c128 ? 2 : 1;
    for (std::size_t k = 1; k + 1 < arguments.size(); ++k) places *= graph_.type(arguments[k]).size();
    return places == 1 || std::none_of(arguments.begin() + 1, arguments.end(),
                                       [&](ExprId a) { return text_reads(a, store(n.store).index); });
  }

  // Whether the text of a leaf means something else after a store.
  bool is_unstable(Index i) const {
    while (node(i).op == Op::element || node(i).op == Op::reshape) i = index_of_[graph_.arguments(nodes_[i].id)[0]];
    return nodes_[i].unstable;
  }

  ScopeId new_scope(Scope scope) {
    scope.depth = scope.parent == none ? 0 : plan_.scopes[scope.parent].depth + 1;
    plan_.scopes.push_back(std::move(scope));
    return static_cast<ScopeId>(plan_.scopes.size() - 1);
  }

  void use(Index i, ScopeId scope) {
    PlannedNode& n = nodes_[i];
    n.scope = n.uses++ == 0 ? scope : common_ancestor(n.scope, scope);
  }

  ScopeId common_ancestor(ScopeId a, ScopeId b) const {
    while (a != b) {
      ScopeId& deeper = plan_.scopes[a].depth >= plan_.scopes[b].depth ? a : b;
      deeper = plan_.scopes[deeper].parent;
    }
    return a;
  }

  // Scopes of the guards and uses by the stores. A conjunction opens nested scopes, so that guards share conditions.
  void open_scopes() {
    new_scope({});
    const auto& stores = plan_.procedure->stores;
    plan_.store_scope.assign(stores.size(), none);
    for (std::uint32_t s = 0; s < stores.size(); ++s) {
      ExprId guard = stores[s].guard;
      if (guard != no_expr && graph_.is_constant(guard, 0)) continue;
      ScopeId scope = guard == no_expr || graph_.is_constant(guard) ? 0 : guarded_scope(guard);
      plan_.store_scope[s] = scope;
      Index value = index_of_[stores[s].value];
      use(value, scope);
      nodes_[value].store = s;
      if (!plan_.is_late[s]) continue;
      plan_.late.push_back(s);
      if (!plan_.is_ordered[s]) nodes_[value].held = true;
      for (ScopeId at = scope; at != 0; at = plan_.scopes[at].parent) nodes_[plan_.scopes[at].condition].held = true;
    }
  }

  ScopeId guarded_scope(ExprId guard) {
    ScopeId scope = 0;
    std::vector<ExprId> conditions = {guard};
    for (std::size_t steps = 0; !conditions.empty(); ++steps) {
      ExprId condition = conditions.back();
      conditions.pop_back();
      if (graph_[condition].op == Op::logical_and && steps < deepest_scope) {
        auto both = graph_.arguments(condition);
        conditions.insert(conditions.end(), {both[1], both[0]});
      } else {
        scope = guarded_scope(scope, condition);
      }
    }
    return scope;
  }

  ScopeId guarded_scope(ScopeId parent, ExprId guard) {
    auto [entry, is_new] = guards_.try_emplace({parent, guard}, none);
    if (is_new) {
      Index condition = index_of_[guard];
      ScopeId scope = new_scope({.parent = parent, .condition = condition});
      entry->second = scope;
      plan_.scopes[parent].guards.push_back(scope);
      use(condition, parent);
    }
    return entry->second;
  }

  void use_arguments(Index i) {
    PlannedNode& n = nodes_[i];
    Op op = node(i).op;
    auto arguments = graph_.arguments(n.id);
    plan_.scopes[n.scope].cost += cost_of(i);
    if (is_call(op) && n.leader != i) {
      use(n.leader, n.scope);
      return;
    }
    ScopeId scopes[3] = {n.scope, n.scope, n.scope};
    if (op == Op::select && graph_.type(arguments[0]).is_scalar() && plan_.scopes[n.scope].depth < deepest_scope) {
      n.arms = new_scope({.parent = n.scope, .select = i, .arm = 0});
      new_scope({.parent = n.scope, .select = i, .arm = 1});
      scopes[1] = n.arms;
      scopes[2] = n.arms + 1;
    }
    bool in_loop = (is_array(node(i).type) || program::is_reduction(op)) && op != Op::stack && !is_call(op);
    bool repeats = op == Op::min || op == Op::max || op == Op::sign || op == Op::is_nan ||
                   (op == Op::abs && program::is_integer(node(i).type.scalar));
    bool fuses = is_fusable(node(i)) || (program::is_reduction(op) && !is_array(node(i).type));
    for (std::size_t k = 0; k < arguments.size(); ++k) {
      Index a = index_of_[arguments[k]];
      use(a, scopes[op == Op::select ? k : 0]);
      const bool indexed = op == Op::gather || op == Op::search;
      if (is_whole_matrix(op) || (indexed && k == 0)) {
        nodes_[a].pointer = true;  // a scalar too: kernels take addresses
      } else if (is_array(node(a).type)) {
        nodes_[a].pointer |= !fuses || node(a).type.scalar == Scalar::c128;
      } else {
        nodes_[a].named |= in_loop || repeats;
      }
    }
  }

  std::uint64_t cost_of(Index i) const {
    const Node& n = node(i);
    if (n.argument_count == 0 || n.op == Op::element || n.op == Op::reshape) return 0;
    if (n.op == Op::gather || n.op == Op::update) return cheap_arm + 1;  // not to be tried where it is not needed
    return (is_function(n.op) ? 10 : 1) * static_cast<std::uint64_t>(std::max<std::int64_t>(1, n.type.size()));
  }

  // Arms that cost little are computed always; the select is then an ordinary operation. Children follow their parents.
  void close_cheap_arms() {
    auto& scopes = plan_.scopes;
    for (ScopeId s = static_cast<ScopeId>(scopes.size()); s-- > 1;) scopes[scopes[s].parent].cost += scopes[s].cost;
    std::vector<ScopeId> kept(scopes.size());
    for (ScopeId s = 0; s < scopes.size(); ++s) {
      kept[s] = s;
      if (s == 0) continue;
      scopes[s].parent = kept[scopes[s].parent];
      if (scopes[s].select == none) continue;
      ScopeId first = nodes_[scopes[s].select].arms;
      bool expensive = scopes[first].cost > cheap_arm || scopes[first + 1].cost > cheap_arm;
      if (!expensive) kept[s] = scopes[s].parent;
      nodes_[scopes[s].select].is_if = expensive;
    }
    for (PlannedNode& n : nodes_) {
      if (n.uses > 0) n.scope = kept[n.scope];
    }
  }

  // From the stores down: an argument is needed where a needed node of the same scope uses it.
  void find_needed() {
    const auto& stores = plan_.procedure->stores;
    const auto need = [&](Index i, ScopeId scope) { nodes_[i].needed |= nodes_[i].scope == scope; };
    for (std::uint32_t s = 0; s < stores.size(); ++s) {
      if (plan_.store_scope[s] != none) need(index_of_[stores[s].value], plan_.store_scope[s]);
    }
    for (const Scope& scope : plan_.scopes) {
      if (scope.condition != none) need(scope.condition, scope.parent);
    }
    for (Index i = static_cast<Index>(nodes_.size()); i-- > 0;) {
      const PlannedNode& n = nodes_[i];
      if (!n.needed || n.uses == 0) continue;
      if (is_call(node(i).op) && n.leader != i) {
        need(n.leader, n.scope);
        continue;
      }
      const auto arguments = graph_.arguments(n.id);
      for (std::size_t k = 0; k < arguments.size(); ++k) {
        const bool arm = node(i).op == Op::select && k > 0;
        if (arm && !n.is_if) continue;
        need(index_of_[arguments[k]], arm ? n.arms + static_cast<ScopeId>(k) - 1 : n.scope);
      }
    }
  }

  void choose_form(Index i) {
    PlannedNode& n = nodes_[i];
    const Node& g = node(i);
    bool array = is_array(g.type);
    Form named = array || n.pointer ? Form::array : Form::variable;
    if (g.argument_count == 0 && !is_call(g.op)) {
      bool has_address = g.op == Op::read || g.op == Op::constant;
      n.form = n.pointer && !has_address ? Form::array : n.held && is_unstable(i) ? named : Form::leaf;
      return;
    }
    if (g.op == Op::reshape || g.op == Op::element) {
      n.form = n.held && is_unstable(i) ? named : Form::leaf;
      return;
    }
    n.size = 1;
    for (ExprId argument : graph_.arguments(n.id)) {
      const PlannedNode& a = nodes_[index_of_[argument]];
      if (a.form == Form::inlined) n.size += a.size;
    }
    bool once = n.uses == 1 && !n.held && !n.is_if;
    bool places = g.op == Op::update || g.op == Op::concat;
    if (g.op == Op::update && array && n.store != none && plan_.is_ordered[n.store]) {
      if (stays_in_place(n)) {
        n.form = Form::inlined;
        return;
      }
      plan_.is_ordered[n.store] = false;
      n.held = true;
      n.form = Form::array;
      return;
    }
    bool small = !array && (n.pointer || places || (is_whole_matrix(g.op) && g.op != Op::determinant));
    if (is_call(g.op) || small) {
      n.form = Form::array;
    } else if (array) {
      bool inlines = once && !n.pointer && is_fusable(g) && n.size <= inline_limit;
      bool stored = n.uses == 1 && !n.held && n.store != none && can_target(n.store, g.type);
      n.form = inlines ? Form::inlined : stored ? Form::target : Form::array;
    } else {
      bool loop = program::is_reduction(g.op) || g.op == Op::determinant;
      n.form = once && !n.named && !loop && n.size <= inline_limit ? Form::inlined : Form::variable;
    }
  }

  bool can_target(std::uint32_t s, const Type& type) const {
    return store(s).target == Store::Target::slot || program::is_floating(type.scalar);
  }

  void list_items() {
    std::vector<std::vector<std::uint32_t>> stores_of(nodes_.size());
    for (std::uint32_t s = 0; s < plan_.store_scope.size(); ++s) {
      if (plan_.store_scope[s] != none && !plan_.is_late[s]) stores_of[index_of_[store(s).value]].push_back(s);
    }
    for (Index i = 0; i < nodes_.size(); ++i) {
      if (nodes_[i].form >= Form::variable) list_node(i);
      if (nodes_[i].form == Form::target) continue;
      for (std::uint32_t s : stores_of[i]) {
        plan_.scopes[plan_.store_scope[s]].items.push_back({.kind = Item::Kind::store, .index = s});
      }
    }
    for (ScopeId s = static_cast<ScopeId>(plan_.scopes.size()); s-- > 0;) {  // children first
      Scope& scope = plan_.scopes[s];
      if (scope.select != none && nodes_[scope.select].is_if) {
        scope.items.push_back({.kind = Item::Kind::arm_value, .index = s});
      }
      for (ScopeId guard : scope.guards) {
        if (!plan_.scopes[guard].items.empty()) scope.items.push_back({.kind = Item::Kind::guard, .index = guard});
      }
    }
  }

  void list_node(Index i) {
    auto& items = plan_.scopes[nodes_[i].scope].items;
    const Node& g = node(i);
    if (is_call(g.op) && nodes_[i].leader != i) return;
    if (g.op != Op::stack) {
      items.push_back({.kind = Item::Kind::node, .index = i, .weight = is_array(g.type) ? 3u : 1u});
      return;
    }
    for (std::uint32_t from = 0; from < g.argument_count; from += stack_part_length) {
      std::uint32_t to = std::min(from + stack_part_length, g.argument_count);
      items.push_back({.kind = Item::Kind::stack_part, .index = i, .from = from, .to = to, .weight = to - from});
    }
  }

  const program::Graph& graph_;
  const std::vector<Index>& index_of_;
  Plan& plan_;
  std::vector<PlannedNode>& nodes_;
  std::map<std::pair<ScopeId, ExprId>, ScopeId> guards_;
  std::vector<std::uint32_t> candidates_;  // stores of updates of their own slots
};

}  // namespace

Planner::Planner(const program::Program& program)
    : program_(program),
      own_frames_(std::make_shared<Frames>(program)),
      frames_(own_frames_.get()),
      index_of_(program.graph.size(), none) {}

Planner::Planner(const program::Program& program, const Frames* frames, const FunctionFrame* inside)
    : program_(program), frames_(frames), inside_(inside), index_of_(program.graph.size(), none) {}

Plan Planner::plan(const program::Procedure& procedure) {
  for (ExprId id : marked_) index_of_[id] = none;
  marked_.clear();
  auto mark = [&](ExprId id) {
    if (id == no_expr || index_of_[id] != none) return;
    index_of_[id] = 0;
    marked_.push_back(id);
  };
  for (const Store& store : procedure.stores) {
    mark(store.value);
    mark(store.guard);
  }
  for (std::size_t next = 0; next < marked_.size(); ++next) {
    for (ExprId argument : program_.graph.arguments(marked_[next])) mark(argument);
  }
  std::sort(marked_.begin(), marked_.end());

  Plan plan;
  plan.procedure = &procedure;
  plan.nodes.resize(marked_.size());
  for (Index i = 0; i < marked_.size(); ++i) {
    index_of_[marked_[i]] = i;
    plan.nodes[i].id = marked_[i];
  }
  ProcedurePlanner(program_, index_of_, plan).run();
  divide(program_, *frames_, index_of_, plan);
  return plan;
}

}  // namespace orrery::native
