// SPDX-License-Identifier: Apache-2.0
// Expressions in the order of Fortran: powers, signs, products, sums, relations, not, and, or, equivalence.
#include <fmt/format.h>

#include "cssl/parser.h"

namespace orrery::cssl {
namespace {

constexpr int deepest_expression = 200;

// Of binary operators; 0: it is none. Higher binds tighter.
int strength_of(const Token& token) {
  if (token.kind != Token::Kind::sign) return 0;
  const std::string& sign = token.word;
  if (sign == ".xor." || sign == ".eqv.") return 1;
  if (sign == ".or.") return 2;
  if (sign == ".and.") return 3;
  if (sign == ".lt." || sign == ".le." || sign == ".eq." || sign == ".ne." || sign == ".ge." || sign == ".gt.")
    return 5;
  if (sign == "+" || sign == "-") return 6;
  if (sign == "*" || sign == "/") return 7;
  if (sign == "**") return 9;
  return 0;
}
constexpr int not_strength = 4, sign_strength = 6, power_strength = 9;

}  // namespace

NodeId Parser::add(Node node) {
  program_.nodes.push_back(std::move(node));
  return static_cast<NodeId>(program_.nodes.size() - 1);
}

NodeId Parser::name_node(std::string name, Position at) {
  Node node;
  node.kind = Node::Kind::name;
  node.name = std::move(name);
  node.at = at;
  return add(std::move(node));
}

NodeId Parser::number_node(double value, Position at, bool whole) {
  Node node;
  node.value = value;
  node.whole = whole;
  node.at = at;
  return add(std::move(node));
}

NodeId Parser::binary_node(std::string sign, NodeId left, NodeId right, Position at) {
  Node node;
  node.kind = Node::Kind::binary;
  node.name = std::move(sign);
  node.arguments = {left, right};
  node.at = at;
  return add(std::move(node));
}

NodeId Parser::expression() { return climb(1); }

NodeId Parser::climb(int least) {
  if (++depth_ > deepest_expression) {
    depth_ = 0;
    mistake("syntax", peek().at, "the expression is nested too deeply", "give its parts names");
  }
  NodeId left = no_node;
  const Token first = peek();
  const auto unary = [&](const char* sign, int strength) {
    take();
    Node node;
    node.kind = Node::Kind::unary;
    node.name = sign;
    node.at = first.at;
    node.arguments = {climb(strength)};
    return add(std::move(node));
  };
  if (first.is("-")) {
    left = unary("-", sign_strength + 1);
  } else if (first.is("+")) {
    take();
    left = climb(sign_strength + 1);
  } else if (first.is(".not.")) {
    left = unary(".not.", not_strength);
  } else {
    left = operand();
  }
  for (int strength = strength_of(peek()); strength >= least && strength > 0; strength = strength_of(peek())) {
    const Token sign = take();
    const NodeId right = climb(strength == power_strength ? power_strength : strength + 1);
    left = binary_node(sign.word, left, right, sign.at);
  }
  --depth_;
  return left;
}

NodeId Parser::operand() {
  const Token token = take();
  Node node;
  node.at = token.at;
  switch (token.kind) {
    case Token::Kind::number:
      node.value = token.value;
      node.whole = token.whole;
      return add(std::move(node));
    case Token::Kind::text:
      node.kind = Node::Kind::text;
      node.name = token.word;
      return add(std::move(node));
    case Token::Kind::name:
      node.kind = Node::Kind::name;
      node.name = token.word;
      if (accept("(")) {
        node.kind = Node::Kind::call;
        node.arguments = arguments();
      }
      return add(std::move(node));
    default: break;
  }
  if (token.is(".true.") || token.is(".false.")) {
    node.kind = Node::Kind::logical;
    node.whole = token.is(".true.");
    return add(std::move(node));
  }
  if (token.is("(")) {
    const NodeId inner = expression();
    expect(")", "the parenthesis is not closed");
    return inner;
  }
  const bool ends = token.kind == Token::Kind::end_of_statement || token.kind == Token::Kind::end;
  if (ends) --at_;
  mistake("syntax", token.at,
          ends ? "the statement ends where a value is needed" : "a value is missing before this sign",
          ends ? "write the value, or ... at the end of the line to go on in the next"
               : "write the value, or remove the sign before");
}

std::vector<NodeId> Parser::arguments() {
  std::vector<NodeId> list;
  if (accept(")")) return list;
  do {
    if (peek().is(",") || peek().is(")")) fail_here("an argument is missing here", "write a value between the commas");
    list.push_back(expression());
  } while (accept(","));
  expect(")", "the list of arguments is not closed");
  return list;
}

double Parser::constant_number() {
  const Token first = peek();
  const bool negative = accept("-");
  if (!negative) accept("+");
  const Token token = take();
  double value = 0;
  if (token.kind == Token::Kind::number) {
    value = token.value;
  } else if (token.is(".true.") || token.is(".false.")) {
    value = token.is(".true.") ? 1 : 0;
  } else if (token.kind == Token::Kind::name) {
    const Declared* known = program_.find(token.word);
    if (known == nullptr || !known->constant || known->values.size() != 1)
      mistake("syntax", token.at, token.word + " is no number that is known here", "write the number itself");
    value = known->values[0];
  } else {
    mistake("syntax", first.at, "a number is needed here", "write the number, or a constant that is declared before");
  }
  return negative ? -value : value;
}

}  // namespace orrery::cssl
