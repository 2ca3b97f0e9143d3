// SPDX-License-Identifier: Apache-2.0
// Random functions with statements for property tests: every kind of statement, most of them ending.
#pragma once

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "program/function.h"
#include "program/random_expression.h"

namespace orrery::program {

// Locals are the slots of random expressions, all of them arguments, then counters. The same seed, the same function.
class RandomFunction {
 public:
  // real: no complex number is computed, so that the function can be differentiated.
  RandomFunction(unsigned seed, std::vector<std::shared_ptr<const Function>> callees, bool real = false)
      : random_(seed) {
    function_.name = "random" + std::to_string(seed);
    for (std::size_t k = 0; k < random_slots().size(); ++k) {
      function_.locals.push_back({"l" + std::to_string(k), random_slots()[k]});
    }
    function_.arguments = static_cast<std::uint32_t>(function_.locals.size());
    for (int k = 0; k < 6; ++k) function_.locals.push_back({"k" + std::to_string(k), {Scalar::i32, 1, 1}});
    RandomExpressions expressions(function_.graph, seed, true);
    for (const auto& callee : callees) expressions.add_function(callee);
    const std::size_t leaves = 24;
    pool_ = expressions.grow(real ? 150 : 60);
    if (real) {
      std::vector<Expr> kept(pool_.begin(), pool_.begin() + leaves);
      for (std::size_t k = leaves; k < pool_.size(); ++k) {
        const ExprId id = pool_[k].id();
        const auto below = reachable(function_.graph, {&id, 1});
        const auto is_complex = [&](ExprId e) { return function_.graph.type(e).scalar == Scalar::c128; };
        if (std::none_of(below.begin(), below.end(), is_complex)) kept.push_back(pool_[k]);
      }
      pool_ = std::move(kept);
    }
    for (const Expr& e : pool_) work_of_.push_back(work_of(e.id()));
    site_ = function_.graph.add_site(site_at(Site::Kind::turns, "random", static_cast<int>(seed)));
    check_ = function_.graph.add_site(site_at(Site::Kind::check, "random", static_cast<int>(seed), "it holds"));
    index_ = function_.graph.add_site(site_at(Site::Kind::index, "random", static_cast<int>(seed)));
  }

  // loops: else nothing but assignments and conditions.
  std::shared_ptr<const Function> make(bool loops = true) {
    loops_ = loops;
    block(function_.body, 5, 0, 0);
    for (std::uint32_t k = 0; k < function_.arguments; ++k) {
      if (draw(2) == 0 || k == 0) function_.results.push_back(k);
    }
    return make_function(std::move(function_));
  }

 private:
  unsigned draw(std::size_t n) { return static_cast<unsigned>(random_() % n); }

  // How many statements a call executes, about: loops and calls in loops multiply.
  static double work_of(const Function& function) {
    double total = 0;
    add_work(function, function.body, 1, total);
    return total;
  }
  static double work_of(const Graph& graph, ExprId id) {
    double total = 1;
    std::set<std::pair<std::uint64_t, std::vector<ExprId>>> seen;  // the results of a call are computed at once
    for (const ExprId e : reachable(graph, {&id, 1})) {
      const auto arguments = graph.arguments(e);
      if (graph[e].op != Op::call) continue;
      if (seen.insert({graph[e].payload >> 8, {arguments.begin(), arguments.end()}}).second)
        total += work_of(graph.function_of(e));
    }
    return total;
  }
  double work_of(ExprId id) const { return work_of(function_.graph, id); }
  static void add_work(const Function& f, const std::vector<Statement>& body, double turns, double& total) {
    for (const Statement& s : body) {
      const bool counts = s.kind == Statement::Kind::count_loop;
      const bool loops = counts || s.kind == Statement::Kind::while_loop;
      if (s.value != no_expr) total += turns * work_of(f.graph, s.value);
      const double own = counts && f.graph.is_constant(s.value) ? f.graph.constant_data(s.value)[0] : loops ? 4 : 1;
      add_work(f, s.body, turns * own, total);
      add_work(f, s.otherwise, turns, total);
    }
  }

  // In loops only what does not take long there: the judge is slow.
  ExprId of_type(Type type) {
    constexpr double most = 400;
    std::vector<ExprId> fitting;
    for (std::size_t k = 0; k < pool_.size(); ++k) {
      if (pool_[k].type() == type && (work_of_[k] == 1 || work_of_[k] * turns_ <= most))
        fitting.push_back(pool_[k].id());
    }
    return fitting[draw(fitting.size())];
  }
  ExprId number(double value) { return function_.graph.constant(value, Scalar::i32); }

  void block(std::vector<Statement>& out, int count, int depth, int loops) {
    for (int k = 0; k < count; ++k) statement(out, depth, loops);
  }

  void statement(std::vector<Statement>& out, int depth, int loops) {
    using Kind = Statement::Kind;
    const Type truth{Scalar::boolean, 1, 1};
    Statement s;
    switch (draw(depth < 3 ? (loops_ ? 9 : 5) : 4)) {
      case 4:
        s = {.kind = Kind::branch, .value = of_type(truth)};
        block(s.body, 2, depth + 1, loops);
        if (draw(2) == 0) block(s.otherwise, 2, depth + 1, loops);
        if (loops > 0 && draw(3) == 0) s.body.push_back({.kind = draw(2) == 0 ? Kind::leave : Kind::go_on});
        if (loops_ && draw(8) == 0) s.body.push_back({.kind = Kind::give_back});
        break;
      case 5:
      case 6: {
        const unsigned turns = draw(5);
        s = {.kind = Kind::count_loop, .local = counter(depth), .value = number(turns), .site = site_};
        turns_ *= std::max(turns, 1u);
        block(s.body, 2, depth + 1, loops + 1);
        turns_ /= std::max(turns, 1u);
        break;
      }
      case 7: {
        // A counter of its own makes it end, once in a while by force.
        const std::uint32_t k = counter(depth) + 3;
        const ExprId read = function_.graph.read(k, {Scalar::i32, 1, 1});
        out.push_back({.kind = Kind::assign, .local = k, .value = number(0)});
        s = {.kind = Kind::while_loop, .value = function_.graph.binary(Op::less, read, number(4)), .site = site_};
        s.body.push_back({.kind = Kind::assign, .local = k, .value = function_.graph.binary(Op::add, read, number(1))});
        turns_ *= 4;
        block(s.body, 2, depth + 1, loops + 1);
        turns_ /= 4;
        break;
      }
      case 8:
        s = {.kind = Kind::check, .site = check_};
        s.value = function_.graph.either(of_type(truth),
                                         function_.graph.binary(Op::less, of_type({Scalar::i32, 1, 1}), number(100)));
        break;
      case 3: {
        s = {.kind = Kind::assign_element, .local = draw(function_.arguments), .site = index_};
        const Type type = function_.locals[s.local].type;
        s.value = function_.graph.element(of_type(type), 0);
        s.indices = {of_type({Scalar::i32, 1, 1})};
        if (draw(2) == 0) s.indices.push_back(number(0));
        break;
      }
      default:
        s = {.kind = Kind::assign, .local = draw(function_.arguments)};
        s.value = of_type(function_.locals[s.local].type);
    }
    out.push_back(std::move(s));
  }
  std::uint32_t counter(int depth) const { return function_.arguments + static_cast<std::uint32_t>(depth); }

  std::mt19937 random_;
  Function function_;
  std::vector<Expr> pool_;
  std::vector<double> work_of_;  // by member of the pool
  double turns_ = 1;             // of the loops around
  std::uint32_t site_ = 0, check_ = 0, index_ = 0;
  bool loops_ = true;
};

// A function that calls others of the kind; equal seeds give equal ones.
inline std::vector<std::shared_ptr<const Function>> random_functions(unsigned seed, int count, bool real = false) {
  std::vector<std::shared_ptr<const Function>> functions;
  for (int k = 0; k < count; ++k) {
    functions.push_back(RandomFunction(seed * 16 + static_cast<unsigned>(k), functions, real).make());
  }
  return functions;
}

}  // namespace orrery::program
