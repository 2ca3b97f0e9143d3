// SPDX-License-Identifier: Apache-2.0
// Lists of functions and the rules they keep.
#include "program/function.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"
#include "program/evaluate.h"
#include "program/motion.h"

namespace orrery::program {
namespace {

void list_into(const Graph& graph, std::uint32_t& sites, std::vector<ListedFunction>& list) {
  for (const auto& function : graph.functions()) {
    const auto same = [&](const ListedFunction& listed) { return listed.function == function.get(); };
    if (std::ranges::any_of(list, same)) continue;
    list_into(function->graph, sites, list);
    list.push_back({function.get(), sites});
    sites += static_cast<std::uint32_t>(function->graph.sites().size());
  }
}

int call_depth(const Function& function) {
  int depth = 0;
  for (const auto& called : function.graph.functions()) depth = std::max(depth, call_depth(*called));
  return depth + 1;
}

// Types, definite assignment and nesting of statements, in the order in which they run.
class FunctionVerifier {
 public:
  explicit FunctionVerifier(const Function& function) : function_(function), graph_(function.graph) {}

  std::vector<std::string> run() {
    if (function_.arguments > function_.locals.size()) problem("more arguments than locals");
    if (function_.results.size() > most_results) problem("too many results");
    for (const std::uint32_t local : function_.results) {
      if (local >= function_.locals.size()) problem("a result is no local");
    }
    if (call_depth(function_) > deepest_calls) problem("calls are nested too deeply");
    for (ExprId id = 0; id < graph_.size(); ++id) check_node(id);
    if (!problems_.empty()) return std::move(problems_);
    Known known(function_.locals.size());
    for (std::size_t k = 0; k < function_.arguments; ++k) known[k] = true;
    known = block(function_.body, std::move(known), 0);
    returns(known);
    return std::move(problems_);
  }

 private:
  using Known = std::vector<bool>;  // locals that have a value; all of them where nothing arrives

  template <class... Args>
  void problem(fmt::format_string<Args...> format, Args&&... arguments) {
    if (problems_.size() > 20) return;
    problems_.push_back(
        fmt::format("function {}: {}", function_.name, fmt::format(format, std::forward<Args>(arguments)...)));
  }

  // Expressions read locals and nothing else that changes.
  void check_node(ExprId id) {
    const Node& node = graph_[id];
    for (const ExprId a : graph_.arguments(id)) {
      if (a >= id) problem("expression {}: argument {} does not come before it", id, a);
    }
    const bool impure =
        node.op == Op::time || node.op == Op::clock_active || node.op == Op::foreign || node.op == Op::placeholder;
    if (impure) problem("{} in a function, which is pure", name_of(node.op));
    if (node.op == Op::read &&
        (node.payload >= function_.locals.size() || function_.locals[node.payload].type != node.type)) {
      problem("reads local {} as {}", node.payload, to_text(node.type));
    }
    if (node.op == Op::call && node.payload >> 8 >= graph_.functions().size()) problem("calls no function");
  }

  void check_value(ExprId id, Type type, const Known& known, const char* what) {
    if (id >= graph_.size()) return problem("{} is missing", what);
    if (graph_.type(id) != type) problem("{} is {}, not {}", what, to_text(graph_.type(id)), to_text(type));
    for (const ExprId below : reachable(graph_, {&id, 1})) {
      if (graph_[below].op == Op::read && !known[graph_[below].payload]) {
        problem("{} may be read before it has a value", function_.locals[graph_[below].payload].name);
      }
    }
  }

  void returns(const Known& known) {
    for (const std::uint32_t local : function_.results) {
      if (!known[local]) problem("the result {} may have no value", function_.locals[local].name);
    }
  }

  static Known both(const Known& a, const Known& b) {
    Known result(a.size());
    for (std::size_t k = 0; k < a.size(); ++k) result[k] = a[k] && b[k];
    return result;
  }
  static Known everything(const Known& known) { return Known(known.size(), true); }

  Known block(const std::vector<Statement>& statements, Known known, int depth) {
    if (depth > deepest_statements) {
      problem("statements are nested too deeply");
      return known;
    }
    for (const Statement& s : statements) known = statement(s, std::move(known), depth);
    return known;
  }

  Known statement(const Statement& s, Known known, int depth) {
    using Kind = Statement::Kind;
    const bool names = s.kind == Kind::assign || s.kind == Kind::assign_element || s.kind == Kind::count_loop;
    if (names && s.local >= function_.locals.size()) {
      problem("assigns local {}, which does not exist", s.local);
      return known;
    }
    if (s.site > graph_.sites().size()) problem("site {} does not exist", s.site);
    const Type local = names ? function_.locals[s.local].type : Type{};
    const Type truth{Scalar::boolean, 1, 1}, position{Scalar::i32, 1, 1};
    switch (s.kind) {
      case Kind::assign:
        check_value(s.value, local, known, function_.locals[s.local].name.c_str());
        known[s.local] = true;
        return known;
      case Kind::assign_element:
        if (s.indices.empty() || s.indices.size() > 2) problem("one or two positions are needed");
        for (const ExprId index : s.indices) check_value(index, position, known, "a position");
        check_value(s.value, local.element(), known, "an element");
        if (!known[s.local]) problem("{} has elements assigned before it has a value", function_.locals[s.local].name);
        return known;
      case Kind::branch: {
        check_value(s.value, truth, known, "a condition");
        const Known yes = block(s.body, known, depth + 1);
        return both(yes, block(s.otherwise, known, depth + 1));
      }
      case Kind::count_loop: {
        check_value(s.value, position, known, "the count of a loop");
        if (local != position) problem("{} counts but is {}", function_.locals[s.local].name, to_text(local));
        Known inside = known;
        inside[s.local] = true;
        ++loops_;
        block(s.body, std::move(inside), depth + 1);
        --loops_;
        return known;
      }
      case Kind::while_loop:
        check_value(s.value, truth, known, "a condition");
        ++loops_;
        block(s.body, known, depth + 1);
        --loops_;
        return known;
      case Kind::leave:
      case Kind::go_on:
        if (loops_ == 0) problem("break or continue outside a loop");
        return everything(known);
      case Kind::give_back: returns(known); return everything(known);
      case Kind::check: check_value(s.value, truth, known, "what is asserted"); return known;
    }
    return known;
  }

  const Function& function_;
  const Graph& graph_;
  int loops_ = 0;
  std::vector<std::string> problems_;
};

}  // namespace

std::vector<ListedFunction> list_functions(const Graph& graph) {
  std::vector<ListedFunction> list;
  auto sites = static_cast<std::uint32_t>(graph.sites().size());
  list_into(graph, sites, list);
  return list;
}

const Site* find_site(const Graph& graph, std::uint32_t number) {
  if (number == 0) return nullptr;
  if (number <= graph.sites().size()) return &graph.sites()[number - 1];
  for (const ListedFunction& listed : list_functions(graph)) {
    const auto& sites = listed.function->graph.sites();
    if (number > listed.first_site && number - listed.first_site <= sites.size()) {
      return &sites[number - listed.first_site - 1];
    }
  }
  return nullptr;
}

void find_assigned(const std::vector<Statement>& statements, std::vector<bool>& assigned) {
  visit_statements(statements, [&](const Statement& s) {
    const bool names = s.kind == Statement::Kind::assign || s.kind == Statement::Kind::assign_element ||
                       s.kind == Statement::Kind::count_loop;
    if (names) assigned[s.local] = true;
  });
}

std::vector<std::string> verify(const Function& function) { return FunctionVerifier(function).run(); }

std::shared_ptr<const Function> make_function(Function function) {
  const auto problems = verify(function);
  for (const std::string& text : problems) check_failed(text.c_str(), __FILE__, __LINE__);
  function.has_corners = has_corners(function);
  return std::make_shared<const Function>(std::move(function));
}

}  // namespace orrery::program
