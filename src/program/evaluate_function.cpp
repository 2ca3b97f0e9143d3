// SPDX-License-Identifier: Apache-2.0
// Functions with statements, carried out one statement after the other.
#include <algorithm>
#include <limits>

#include "program/evaluate.h"
#include "program/function.h"

namespace orrery::program {
namespace {

class FunctionRun {
 public:
  FunctionRun(const Function& function, std::span<const Operand> arguments, std::int64_t& turns,
              std::optional<Trouble>& trouble)
      : function_(function), trouble_(trouble) {
    environment_.trouble = &trouble;
    environment_.turns = &turns;
    for (const Local& local : function.locals) {
      environment_.slots.emplace_back(static_cast<std::size_t>(local.type.size()) *
                                      (local.type.scalar == Scalar::c128 ? 2 : 1));
    }
    for (std::size_t k = 0; k < arguments.size(); ++k) {
      environment_.slots[k].assign(arguments[k].data.begin(), arguments[k].data.end());
    }
  }

  std::vector<std::vector<double>> run() {
    const bool failed = block(function_.body) == Flow::failed;
    std::vector<std::vector<double>> results;
    for (const std::uint32_t local : function_.results) {
      results.push_back(environment_.slots[local]);
      const bool floating = is_floating(function_.locals[local].type.scalar);
      if (failed) std::ranges::fill(results.back(), floating ? std::numeric_limits<double>::quiet_NaN() : 0);
    }
    return results;
  }

 private:
  enum class Flow { on, left, next, returned, failed };

  double number(ExprId id) { return evaluate(function_.graph, id, environment_)[0]; }

  Flow fail(std::uint32_t site) {
    if (!trouble_) trouble_ = Trouble{site > 0 ? function_.graph.sites()[site - 1] : Site{}};
    return Flow::failed;
  }

  Flow block(const std::vector<Statement>& statements) {
    for (const Statement& s : statements) {
      const Flow flow = statement(s);
      if (flow != Flow::on) return flow;
    }
    return Flow::on;
  }

  Flow statement(const Statement& s) {
    switch (s.kind) {
      case Statement::Kind::assign:
        environment_.slots[s.local] = evaluate(function_.graph, s.value, environment_);
        return Flow::on;
      case Statement::Kind::assign_element: assign_element(s); return Flow::on;
      case Statement::Kind::branch: return block(number(s.value) != 0 ? s.body : s.otherwise);
      case Statement::Kind::count_loop: return count_loop(s);
      case Statement::Kind::while_loop: return while_loop(s);
      case Statement::Kind::leave: return Flow::left;
      case Statement::Kind::go_on: return Flow::next;
      case Statement::Kind::give_back: return Flow::returned;
      case Statement::Kind::check: return number(s.value) != 0 ? Flow::on : fail(s.site);
    }
    return Flow::on;
  }

  void assign_element(const Statement& s) {
    std::vector<ExprId> expressions = s.indices;
    expressions.push_back(s.value);
    const auto values = evaluate(function_.graph, expressions, environment_);
    const Type type = function_.locals[s.local].type;
    const double lengths[] = {static_cast<double>(s.indices.size() == 2 ? type.rows : type.size()),
                              static_cast<double>(type.cols)};
    double at = 0;
    for (std::size_t i = s.indices.size(); i-- > 0;) at = at * type.rows + values[i][0];
    for (std::size_t i = 0; i < s.indices.size(); ++i) {
      if (values[i][0] >= 0 && values[i][0] < lengths[i]) continue;
      const Site site = s.site > 0 ? function_.graph.sites()[s.site - 1] : Site{};
      if (!trouble_) trouble_ = Trouble{site, values[i][0], static_cast<std::int64_t>(lengths[i])};
      return;
    }
    const auto& value = values.back();
    std::ranges::copy(value, environment_.slots[s.local].begin() +
                                 static_cast<std::ptrdiff_t>(at) * static_cast<std::ptrdiff_t>(value.size()));
  }

  // False when the turns are used up.
  bool turn() { return --*environment_.turns >= 0; }

  Flow count_loop(const Statement& s) {
    const double count = number(s.value);
    for (double k = 0; k < count; ++k) {
      if (!turn()) return fail(s.site);
      environment_.slots[s.local] = {k};
      const Flow flow = block(s.body);
      if (flow == Flow::left) break;
      if (flow == Flow::returned || flow == Flow::failed) return flow;
    }
    return Flow::on;
  }

  Flow while_loop(const Statement& s) {
    for (;;) {
      if (!turn()) return fail(s.site);
      if (number(s.value) == 0) return Flow::on;
      const Flow flow = block(s.body);
      if (flow == Flow::left) return Flow::on;
      if (flow == Flow::returned || flow == Flow::failed) return flow;
    }
  }

  const Function& function_;
  std::optional<Trouble>& trouble_;
  Environment environment_;
};

}  // namespace

std::vector<std::vector<double>> evaluate_function(const Function& function, std::span<const Operand> arguments,
                                                   std::int64_t& turns, std::optional<Trouble>& trouble) {
  return FunctionRun(function, arguments, turns, trouble).run();
}

}  // namespace orrery::program
