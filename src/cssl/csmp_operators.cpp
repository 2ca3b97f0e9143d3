// SPDX-License-Identifier: Apache-2.0
// Operators of CSMP III in ACSL's names and order of arguments; OUTSW and IMPL, which are statements here.
#include <fmt/format.h>

#include <algorithm>

#include "cssl/csmp_parser.h"
#include "cssl/names.h"

namespace orrery::cssl {
namespace {

// Arguments of an operator in ACSL's order: the new name, and which of its own arguments come where.
struct Reordered {
  std::string_view name, acsl;
  std::vector<int> order;
};
const std::vector<Reordered>& reordered() {
  static const std::vector<Reordered> table = {
      {"intgrl", "integ", {1, 0}},     {"realpl", "realpl", {1, 2, 0}},
      {"ledlag", "ledlag", {0, 1, 2}}, {"limit", "bound", {0, 1, 2}},
      {"deadsp", "dead", {0, 1, 2}},   {"deriv", "derivt", {0, 1}},
      {"sine", "harm", {0, 1, 2}},     {"alog", "log", {0}},
      {"pulse", "trigpl", {0, 1}},
  };
  return table;
}

}  // namespace

// Names and orders of arguments.
void CsmpParser::translate(NodeId id) {
  Node node = program_.nodes[id];
  if (node.kind != Node::Kind::call || program_.find_subprogram(node.name) != nullptr) return;
  if (node.name == "intgrl" && node.arguments.size() == 3)  // of arrays, whose length is known
    node.arguments.pop_back();
  check_count(node);
  const auto& x = node.arguments;
  const auto call = [&](const char* name, std::vector<NodeId> arguments) {
    node.name = name;
    node.arguments = std::move(arguments);
    program_.nodes[id] = node;
  };
  const auto binary = [&](const char* sign, NodeId a, NodeId b) { return binary_node(sign, a, b, node.at); };
  const auto number = [&](double value) { return number_node(value, node.at); };
  const auto positive = [&](NodeId a) { return binary(".gt.", a, number(0)); };
  for (const Reordered& item : reordered()) {
    if (node.name != item.name || x.size() != item.order.size()) continue;
    std::vector<NodeId> arguments;
    for (const int k : item.order) arguments.push_back(x[static_cast<std::size_t>(k)]);
    return call(std::string(item.acsl).c_str(), std::move(arguments));
  }
  if (node.name == "delay" && x.size() == 3) return call("delay", {x[2], number(0), x[1], x[0]});
  if (node.name == "cmpxpl" && x.size() == 5) {  // y'' + 2 p1 p2 y' + p2^2 y = x
    const NodeId square = binary("*", x[3], x[3]);
    const NodeId p = binary("/", number(1), square), q = binary("/", binary("*", number(2), x[2]), x[3]);
    return call("cmpxpl", {p, q, binary("/", x[4], square), x[0], x[1]});
  }
  if (node.name == "impuls" && x.size() == 2) {  // 1 for one step
    if (program_.find("delt") == nullptr)
      source_.error(diagnostics_, "unknown-name", node.at, "IMPULS is 1 for one step, but DELT is not given",
                    "give it: TIMER DELT = 0.01");
    return call("pulse", {x[0], x[1], name_node("delt", node.at)});
  }
  if (node.name == "zhold" && x.size() == 2) return call("zhold", {positive(x[0]), x[1]});
  if (node.name == "insw" && x.size() == 3) return call("rsw", {binary(".lt.", x[0], number(0)), x[1], x[2]});
  const auto logic = [&](NodeId condition) { call("rsw", {condition, number(1), number(0)}); };
  const auto negated = [&](NodeId condition) {
    Node made;
    made.kind = Node::Kind::unary;
    made.name = ".not.";
    made.at = node.at;
    made.arguments = {condition};
    return add(std::move(made));
  };
  if (x.size() == 2) {
    if (node.name == "and") return logic(binary(".and.", positive(x[0]), positive(x[1])));
    if (node.name == "nand") return logic(negated(binary(".and.", positive(x[0]), positive(x[1]))));
    if (node.name == "ior") return logic(binary(".or.", positive(x[0]), positive(x[1])));
    if (node.name == "nor") return logic(negated(binary(".or.", positive(x[0]), positive(x[1]))));
    if (node.name == "eor") return logic(binary(".xor.", positive(x[0]), positive(x[1])));
    if (node.name == "equiv") return logic(binary(".eqv.", positive(x[0]), positive(x[1])));
    if (node.name == "afgen" || node.name == "nlfgen") {
      const Node& table = program_[x[0]];
      for (Table& known : program_.tables) {
        if (known.name == table.name && node.name == "nlfgen") known.quadratic = true;
      }
      return call(std::string(table.name).c_str(), {x[1]});
    }
  }
  if (x.size() == 1 && node.name == "not") return logic(negated(positive(x[0])));
  noise(id);
}

// GAUSS(seed, mean, deviation) and RNDGEN(seed): a new number at each step DELT.
// An operator of CSMP that has not been translated has the wrong number of arguments.
void CsmpParser::check_count(const Node& node) {
  struct Arity {
    std::string_view name;
    std::size_t count;
  };
  static constexpr Arity arities[] = {
      {"intgrl", 2}, {"realpl", 3}, {"ledlag", 3}, {"limit", 3}, {"deadsp", 3}, {"deriv", 2},  {"sine", 3},
      {"delay", 3},  {"cmpxpl", 5}, {"impuls", 2}, {"insw", 3},  {"outsw", 2},  {"and", 2},    {"nand", 2},
      {"ior", 2},    {"nor", 2},    {"eor", 2},    {"equiv", 2}, {"not", 1},    {"afgen", 2},  {"nlfgen", 2},
      {"gauss", 3},  {"rndgen", 1}, {"zhold", 2},  {"pulse", 2}, {"impl", 3},   {"modint", 4}, {"hstrss", 4}};
  if (const Declared* item = program_.find(node.name); item != nullptr && item->array) return;
  for (const Arity& known : arities) {
    if (node.name != known.name || node.arguments.size() == known.count) continue;
    source_.error(diagnostics_, "argument-count", node.at,
                  fmt::format("{} takes {} {}, but {} {} given", node.name, known.count,
                              known.count == 1 ? "argument" : "arguments", node.arguments.size(),
                              node.arguments.size() == 1 ? "is" : "are"),
                  "docs/languages/csmp.md has the operators and the order of their arguments");
  }
}

bool CsmpParser::noise(NodeId id) {
  Node node = program_.nodes[id];
  const bool gauss = node.name == "gauss" && node.arguments.size() == 3;
  if (!gauss && (node.name != "rndgen" || node.arguments.size() != 1)) return false;
  if (program_.find("delt") == nullptr)
    source_.error(diagnostics_, "unknown-name", node.at,
                  fmt::format("{} has a new value at each step, but DELT is not given", node.name),
                  "give it: TIMER DELT = 0.01");
  node.arguments.insert(node.arguments.begin(), name_node("delt", node.at));
  if (!gauss) {
    node.arguments.push_back(number_node(0, node.at));
    node.arguments.push_back(number_node(1, node.at));
  }
  node.name = gauss ? "gaussn" : "unifn";
  program_.nodes[id] = std::move(node);
  return true;
}

// y1, y2 = OUTSW(x1, x2): y1 is x2 where x1 is negative, y2 where it is not; the other one is 0.
void CsmpParser::split_switches(Statements& statements) {
  Statements made;
  for (Statement& s : statements) {
    const bool two = s.kind == Statement::Kind::assign && s.targets.size() == 2 &&
                     program_[s.value].kind == Node::Kind::call && program_[s.value].name == "outsw" &&
                     program_[s.value].arguments.size() == 2;
    if (!two) {
      made.push_back(std::move(s));
      continue;
    }
    const Node value = program_[s.value];
    for (std::size_t k = 0; k < 2; ++k) {
      Node choice = value;
      choice.name = "rsw";
      const NodeId negative = binary_node(".lt.", value.arguments[0], number_node(0, value.at), value.at);
      const NodeId zero = number_node(0, value.at);
      choice.arguments = {negative, k == 0 ? value.arguments[1] : zero, k == 0 ? zero : value.arguments[1]};
      Statement one;
      one.at = s.at;
      one.targets = {s.targets[k]};
      one.value = add(std::move(choice));
      made.push_back(std::move(one));
    }
  }
  statements = std::move(made);
}

// y = IMPL(y0, err, f) takes the statements behind it, to the one that defines f, as its body.
void CsmpParser::fold_iterations(Statements& statements) {
  Statements made;
  for (std::size_t k = 0; k < statements.size(); ++k) {
    Statement& s = statements[k];
    const bool impl = s.kind == Statement::Kind::assign && program_[s.value].kind == Node::Kind::call &&
                      program_[s.value].name == "impl" && program_[s.value].arguments.size() == 3;
    if (!impl) {
      made.push_back(std::move(s));
      continue;
    }
    const Node value = program_[s.value];
    Statement loop;
    loop.kind = Statement::Kind::iterate;
    loop.at = s.at;
    loop.targets = s.targets;
    loop.arguments = {value.arguments[0], value.arguments[1]};
    loop.name = program_[value.arguments[2]].name;
    bool found = false;
    for (++k; k < statements.size() && !found; ++k) {
      std::vector<Use> writes;
      collect_writes(program_, statements[k], writes);
      found = std::any_of(writes.begin(), writes.end(), [&](const Use& use) { return use.name == loop.name; });
      loop.body.push_back(std::move(statements[k]));
    }
    --k;
    if (!found)
      source_.error(
          diagnostics_, "bad-iteration", loop.at,
          fmt::format("no statement behind IMPL defines {}", loop.name.empty() ? "its third argument" : loop.name),
          "the last statement of the loop assigns the name that is its third argument");
    made.push_back(std::move(loop));
  }
  statements = std::move(made);
}

}  // namespace orrery::cssl
