// SPDX-License-Identifier: Apache-2.0
// Functions with statements: pure, called from expressions (Op::call), with typed locals that statements assign.
//
// The expressions of a function are in a graph of its own, where slot k is local k. Its table of functions holds only
// functions that existed before it, so nothing is recursive. What goes wrong inside (Site) makes every result NaN, or 0
// where there is none, and is told to whoever runs the program; an index outside does what it does anywhere.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "program/graph.h"

namespace orrery::program {

struct Local {
  std::string name;
  Type type;
};

struct Statement {
  enum class Kind : std::uint8_t {
    assign,          // local = value
    assign_element,  // local[indices] = value, a scalar; one or two positions, int32, from 0. site: of the index
    branch,          // if value: body, else otherwise
    count_loop,      // local (int32) = 0, 1, … below value (int32, evaluated once): body. site: of its turns
    while_loop,      // while value: body. site: of its turns
    leave,           // break
    go_on,           // continue
    give_back,       // return
    check,           // value must hold. site: what it says
  };
  Kind kind = Kind::assign;
  std::uint32_t local = 0;
  ExprId value = no_expr;
  std::vector<ExprId> indices = {};
  std::vector<Statement> body = {};
  std::vector<Statement> otherwise = {};
  std::uint32_t site = 0;
};

struct Function {
  std::string name;
  std::vector<Local> locals;
  std::uint32_t arguments = 0;         // the first locals
  std::vector<std::uint32_t> results;  // locals
  Graph graph{};
  std::vector<Statement> body = {};
  // Its corners are not located while the integrator steps, and the user has been told (docs/semantics.md, 7.1).
  bool unguarded = false;
  // Found by make_function: a comparison, rounding or control flow depends on a floating argument.
  bool has_corners = false;

  Type argument_type(std::size_t k) const { return locals[k].type; }
  Type result_type(std::size_t k) const { return locals[results[k]].type; }
};

// Turns of all loops of one call, those of functions it calls included; then it has failed.
constexpr std::int64_t most_turns = 10'000'000;
constexpr int deepest_statements = 64;
constexpr int deepest_calls = 32;
constexpr std::size_t most_results = 256;

// A function of a graph, with those it calls; sites of all are numbered together, after those of the graph itself.
struct ListedFunction {
  const Function* function;
  std::uint32_t first_site;  // number of its site 1, minus 1
};
// Each once, callees first.
std::vector<ListedFunction> list_functions(const Graph& graph);
// A site by its number in that count; nullptr for 0.
const Site* find_site(const Graph& graph, std::uint32_t number);
// Whether some expression may fail: there are sites or functions.
inline bool may_fail(const Graph& graph) { return !graph.sites().empty() || !graph.functions().empty(); }

// Calls visit(statement) for all statements, outer ones first.
template <class Statements, class Visit>
void visit_statements(Statements& statements, Visit&& visit) {
  for (auto& s : statements) {
    visit(s);
    visit_statements(s.body, visit);
    visit_statements(s.otherwise, visit);
  }
}

// The locals that statements assign.
void find_assigned(const std::vector<Statement>& statements, std::vector<bool>& assigned);

// A function that keeps the rules (verify), ready to be declared; finds its corners.
std::shared_ptr<const Function> make_function(Function function);

// Breaches of the rules: types, definite assignment, purity, nesting. Empty: none.
std::vector<std::string> verify(const Function& function);

// "function f(double a, double b) -> (double y)" and its statements.
std::string to_text(const Function& function);

}  // namespace orrery::program
