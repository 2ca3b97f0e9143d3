// SPDX-License-Identifier: Apache-2.0
// Statements on placeholders, and the function they become.
#include "trace/loop_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>

#include "oml/convert.h"
#include "oml/error.h"
#include "passes/transplant.h"
#include "trace/signal_value.h"

namespace orrery::trace {

using oml::Value;
using program::Expr;
using program::ExprId;
using program::no_expr;
using program::Op;
using program::Scalar;
using program::Statement;
using program::Type;

namespace {

// What a variable of a function can hold.
bool is_leaf(const Value& v) {
  if (v.kind() == oml::Kind::symbolic) return true;
  return v.is_arithmetic() && !v.is_text() && !v.is_empty() && v.dims().count() == 2;
}

// The value with every leaf replaced.
template <class Map>
Value map_leaves(const Value& v, const Map& map) {
  if (is_leaf(v)) return map(v);
  if (v.is_cell()) {
    Value copy = v;
    for (oml::Index k = 0; k < v.numel(); ++k) copy.edit_cell()[k] = map_leaves(v.cell()[k], map);
    return copy;
  }
  if (v.is_struct()) {
    Value copy = v;
    for (oml::Values& column : copy.edit_structure().columns) {
      for (Value& item : column) item = map_leaves(Value(item), map);
    }
    return copy;
  }
  return v;
}

}  // namespace

std::size_t SignalLoop::add_place(std::string name, Type type, Role role, ExprId start) {
  // The size of the graph is a number that no placeholder has had.
  const ExprId id = graph_.placeholder(static_cast<std::uint32_t>(graph_.size()), type);
  place_by_id_[id] = places_.size();
  places_.push_back({std::move(name), type, role, start, id});
  return places_.size() - 1;
}

Value SignalLoop::placed(const std::string& name, const Value& value, bool before) {
  return map_leaves(value, [&](const Value& leaf) {
    const std::size_t number = next_leaf_++;
    if (before && fixed_.contains(number)) return leaf;
    Expr e = to_expr(leaf, graph_);
    if (const auto wider = wider_.find(number); wider != wider_.end()) e = e.as(wider->second);
    const std::size_t k = add_place(name, e.type(), before ? Role::start : Role::inside, before ? e.id() : no_expr);
    places_[k].leaf = number;
    if (before) places_[k].original = leaf;
    return SignalValue::wrap({&graph_, places_[k].placeholder});
  });
}

std::size_t SignalLoop::place_of(ExprId id) const {
  const auto found = place_by_id_.find(id);
  if (found == place_by_id_.end()) oml::fail("a variable of the loop is shared with another loop");
  return found->second;
}

// A value as its place can hold it. What it cannot hold is remembered for another try.
Expr SignalLoop::fitted(std::size_t place, const Value& value) {
  const Expr e = to_expr(value, graph_);
  const Place& p = places_[place];
  if (e.rows() != p.type.rows || e.cols() != p.type.cols) {
    oml::fail(fmt::format("the size of {} changes in a loop on signals: {}, then {}", p.name, to_text(p.type),
                          to_text(e.type())));
  }
  if (e.scalar_type() == p.type.scalar) return e;
  const Scalar both = promote(e.scalar_type(), p.type.scalar);
  if (both == p.type.scalar) return e.as(both);
  wider_[p.leaf] = both;
  another_try_ = true;
  oml::fail(fmt::format("{} changes its class in a loop on signals", p.name));
}

void SignalLoop::compare(const Value& place, const Value& value, std::vector<Change>& changes) {
  const std::string other = "a cell or struct changes its shape in a loop on signals";
  if (is_leaf(place)) {
    if (!is_leaf(value)) oml::fail("a number becomes something else in a loop on signals");
    const bool fixed = !is_signal(place) || !place_by_id_.contains(to_expr(place, graph_).id());
    if (fixed && to_expr(place, graph_).id() == to_expr(value, graph_).id()) return;
    if (fixed) oml::fail("a value changes in a loop on signals although another must be known");
    const std::size_t k = place_of(to_expr(place, graph_).id());
    const Expr e = fitted(k, value);
    if (e.id() != places_[k].placeholder) changes.push_back({k, e});
    return;
  }
  if (place.kind() != value.kind()) oml::fail(other);
  if (place.is_cell()) {
    if (place.numel() != value.numel()) oml::fail(other);
    for (oml::Index k = 0; k < place.numel(); ++k) compare(place.cell()[k], value.cell()[k], changes);
  } else if (place.is_struct()) {
    const auto &a = place.structure_ref(), &b = value.structure_ref();
    if (a.keys != b.keys || a.columns.size() != b.columns.size()) oml::fail(other);
    for (std::size_t c = 0; c < a.columns.size(); ++c) {
      if (a.columns[c].size() != b.columns[c].size()) oml::fail(other);
      for (std::size_t k = 0; k < a.columns[c].size(); ++k) compare(a.columns[c][k], b.columns[c][k], changes);
    }
  } else if (place.is_text() && oml::to_string(place) != oml::to_string(value)) {
    oml::fail("a text changes in a loop on signals");
  }
}

bool SignalLoop::reads(ExprId root, ExprId placeholder) const {
  std::vector<ExprId> waiting{root};
  std::set<ExprId> seen;
  while (!waiting.empty()) {
    const ExprId id = waiting.back();
    waiting.pop_back();
    if (id == placeholder) return true;
    if (id < placeholder || !seen.insert(id).second) continue;  // what is older cannot read it
    const auto arguments = graph_.arguments(id);
    waiting.insert(waiting.end(), arguments.begin(), arguments.end());
  }
  return false;
}

// One after the other so that none reads what another has just written; a ring of them needs a temporary.
void SignalLoop::assign(const std::vector<std::pair<Value, Value>>& values) {
  std::vector<Change> waiting;
  for (const auto& [place, value] : values) compare(place, value, waiting);
  while (!waiting.empty()) {
    const auto is_free = [&](const Change& c) {
      return std::ranges::none_of(waiting, [&](const Change& other) {
        return &other != &c && reads(other.value.id(), places_[c.place].placeholder);
      });
    };
    const auto next = std::ranges::find_if(waiting, is_free);
    if (next != waiting.end()) {
      emit_assign(next->place, next->value.id());
      waiting.erase(next);
      continue;
    }
    Change& first = waiting.front();
    const std::size_t t = add_place("next_" + places_[first.place].name, first.value.type(), Role::temporary, no_expr);
    emit_assign(t, first.value.id());
    first.value = {&graph_, places_[t].placeholder};
  }
}

// x(i) = v changes the element where it is.
void SignalLoop::emit_assign(std::size_t place, ExprId value) {
  places_[place].assigned = true;
  Statement s{.kind = Statement::Kind::assign, .local = static_cast<std::uint32_t>(place), .value = value};
  const program::Node node = graph_[value];
  const auto arguments = graph_.arguments(value);
  if (node.op == Op::update && arguments[0] == places_[place].placeholder) {
    const auto indices = arguments.subspan(1, index_count(node));
    if (std::ranges::all_of(indices, [&](ExprId i) { return graph_.type(i).is_scalar(); })) {
      s.kind = Statement::Kind::assign_element;
      s.indices.assign(indices.begin(), indices.end());
      s.value = arguments.back();
      s.site = static_cast<std::uint32_t>(node.payload);
    }
  }
  emit(std::move(s));
}

void SignalLoop::emit(Statement statement) {
  if (open_.empty()) return body_.push_back(std::move(statement));
  Open& top = open_.back();
  (top.in_else ? top.statement.otherwise : top.statement.body).push_back(std::move(statement));
}

void SignalLoop::close() {
  Statement done = std::move(open_.back().statement);
  open_.pop_back();
  emit(std::move(done));
}

std::uint32_t SignalLoop::site(program::Site::Kind kind) {
  program::Site here;
  here.kind = kind;
  if (graph_.where) here.place = graph_.where();
  return graph_.add_site(std::move(here));
}

ExprId SignalLoop::truth(const Value& condition) {
  const Expr e = to_expr(condition, graph_);
  if (!e.type().is_scalar()) oml::fail("the condition of a loop on signals must be one value");
  return to_boolean(e).id();
}

Value SignalLoop::open_count(const Value& last) {
  const Expr e = to_expr(last, graph_);
  if (!e.type().is_scalar()) oml::fail("the range of a loop on signals must have scalar ends");
  const Expr count = (apply(Op::floor, e.as(Scalar::f64)) + 1).as(Scalar::i32);
  const std::size_t k = add_place("turn", {Scalar::i32, 1, 1}, Role::counter, no_expr);
  open_.push_back({{.kind = Statement::Kind::count_loop,
                    .local = static_cast<std::uint32_t>(k),
                    .value = count.id(),
                    .site = site(program::Site::Kind::turns)}});
  return SignalValue::wrap(Expr{&graph_, places_[k].placeholder}.as(Scalar::f64));
}

void SignalLoop::open_while(const Value& condition) {
  open_.push_back(
      {{.kind = Statement::Kind::while_loop, .value = truth(condition), .site = site(program::Site::Kind::turns)}});
}

void SignalLoop::open_if(const Value& condition) {
  open_.push_back({{.kind = Statement::Kind::branch, .value = truth(condition)}});
}

bool SignalLoop::wants_another_try() {
  if (!another_try_ && !tried_fixed_) {
    tried_fixed_ = true;
    for (const Place& p : places_) {
      if (p.role == Role::start && !p.assigned) fixed_.insert(p.leaf);
    }
    another_try_ = !fixed_.empty();
  }
  next_leaf_ = 0;
  places_.clear();
  place_by_id_.clear();
  body_.clear();
  open_.clear();
  depends_ = {};
  return std::exchange(another_try_, false);
}

// On a place of this loop.
bool SignalLoop::depends(ExprId root) {
  return depends_(graph_, root, [&](ExprId id) { return place_by_id_.contains(id); });
}

// The largest expressions that do not depend on places and are no constants.
std::vector<ExprId> SignalLoop::find_invariants() {
  std::vector<ExprId> waiting, found;
  std::set<ExprId> seen;
  program::visit_statements(body_, [&](const Statement& s) {
    if (s.value != no_expr) waiting.push_back(s.value);
    waiting.insert(waiting.end(), s.indices.begin(), s.indices.end());
  });
  while (!waiting.empty()) {
    const ExprId id = waiting.back();
    waiting.pop_back();
    if (!seen.insert(id).second || graph_.is_constant(id)) continue;
    if (!depends(id)) {
      found.push_back(id);
      continue;
    }
    if (graph_[id].op == Op::foreign) oml::fail("a loop on signals cannot call foreign code");
    const auto arguments = graph_.arguments(id);
    waiting.insert(waiting.end(), arguments.begin(), arguments.end());
  }
  std::ranges::sort(found);
  return found;
}

void SignalLoop::finish() {
  program::Function function;
  function.name = "loop";
  function.unguarded = true;  // the compiler warns where corners matter
  std::vector<ExprId> arguments;
  const auto add_local = [&](const std::string& name, Type type) {
    function.locals.push_back({name, type});
    return static_cast<std::uint32_t>(function.locals.size() - 1);
  };
  for (Place& p : places_) {
    if (p.role != Role::start) continue;
    p.local = add_local(p.name, p.type);
    arguments.push_back(p.start);
  }
  std::map<ExprId, std::uint32_t> invariant;
  for (const ExprId id : find_invariants()) {
    invariant[id] = add_local(fmt::format("a{}", invariant.size() + 1), graph_.type(id));
    arguments.push_back(id);
  }
  function.arguments = static_cast<std::uint32_t>(function.locals.size());
  for (Place& p : places_) {
    if (p.role != Role::start) p.local = add_local(p.name, p.type);
  }
  passes::Transplant copy(graph_, function.graph, [&](ExprId id) {
    if (const auto place = place_by_id_.find(id); place != place_by_id_.end()) {
      return function.graph.read(places_[place->second].local, graph_.type(id));
    }
    const auto found = invariant.find(id);
    return found == invariant.end() ? no_expr : function.graph.read(found->second, graph_.type(id));
  });
  for (const Place& p : places_) {  // NaN until the loop gives it a value
    if (p.role != Role::inside) continue;
    std::vector<double> data(static_cast<std::size_t>(p.type.size()) * (p.type.scalar == Scalar::c128 ? 2 : 1),
                             program::is_floating(p.type.scalar) ? std::numeric_limits<double>::quiet_NaN() : 0);
    function.body.push_back(
        {.kind = Statement::Kind::assign, .local = p.local, .value = function.graph.constant(p.type, data)});
  }
  program::visit_statements(body_, [&](Statement& s) {
    s.local = places_.empty() ? 0 : places_[s.local].local;
    s.value = copy.apply(s.value);
    for (ExprId& index : s.indices) index = copy.apply(index);
    s.site = copy.site(s.site);
  });
  for (Statement& s : body_) function.body.push_back(std::move(s));
  const auto is_result = [](const Place& p) { return p.role == Role::inside || (p.role == Role::start && p.assigned); };
  for (const Place& p : places_) {
    if (is_result(p)) function.results.push_back(p.local);
  }
  if (function.results.size() > program::most_results) oml::fail("too many variables change in a loop on signals");
  const std::uint32_t number = graph_.declare(program::make_function(std::move(function)));
  std::uint32_t r = 0;
  for (Place& p : places_) {
    if (is_result(p)) p.result = graph_.call(number, r++, arguments);
  }
}

Value SignalLoop::result(const Value& place) {
  return map_leaves(place, [&](const Value& leaf) {
    if (!is_signal(leaf)) return leaf;
    const auto found = place_by_id_.find(to_expr(leaf, graph_).id());
    if (found == place_by_id_.end()) return leaf;
    const Place& p = places_[found->second];
    return p.result == no_expr ? p.original : SignalValue::wrap({&graph_, p.result});
  });
}

}  // namespace orrery::trace
