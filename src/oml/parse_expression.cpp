// SPDX-License-Identifier: Apache-2.0
// Expressions of OML by precedence climbing.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "oml/error.h"
#include "oml/parser.h"

namespace orrery::oml {
namespace {

constexpr std::size_t most_links = 500;

}  // namespace

Node* Parser::make(NodeKind kind, const Token& at) {
  Node* n = &unit_->nodes.emplace_back();
  n->kind = kind;
  n->line = at.line;
  n->column = at.column;
  return n;
}

NodeExtra* Parser::extra_of(Node* n) {
  if (n->extra == nullptr) n->extra = &unit_->extras.emplace_back();
  return n->extra;
}

// Chains such as a + b + c … grow to the left without nesting in the text; the trees must stay climbable.
Node* Parser::over(Node* n, std::initializer_list<const Node*> children) const {
  constexpr int highest = 2500;
  for (const Node* child : children) n->height = std::max(n->height, child->height + 1);
  if (n->height > highest) fail_here("the expression is too long; compute it in several steps");
  return n;
}

Node* Parser::make_binary(BinaryOp op, Node* a, Node* b, const Token& at) {
  Node* n = make(NodeKind::binary, at);
  n->op = static_cast<std::uint8_t>(op);
  n->first = a;
  n->second = b;
  return over(n, {a, b});
}

void Parser::expect_close(char c) {
  if (!is_close(c)) fail_here(std::string("expected '") + c + "'");
  advance();
}

// In [ ] and { }, "a -b" is two elements and "a - b" is one.
bool Parser::ends_element() const { return token_.in_matrix && token_.space_before && !token_.space_after; }

Node* Parser::parse_expression() {
  const Depth guard(*this);
  Node* n = parse_or_else();
  return is_op(":=") ? parse_update(n) : n;
}

Node* Parser::parse_update(Node* target) {
  const bool indexed = target->kind == NodeKind::index && !target->parenthesised && target->extra->links.size() == 1 &&
                       target->extra->links[0].kind == Link::Kind::paren;
  if (!indexed) fail_here("the left side of ':=' must be a matrix with an index in parentheses");
  Node* n = make(NodeKind::update, token_);
  advance();
  n->first = target;
  n->second = parse_expression();
  return over(n, {n->first, n->second});
}

Node* Parser::parse_or_else() {
  Node* a = parse_and_then();
  while (is_op("||")) {
    Node* n = make(NodeKind::or_else, token_);
    advance();
    n->first = a;
    n->second = parse_and_then();
    a = over(n, {n->first, n->second});
  }
  return a;
}

Node* Parser::parse_and_then() {
  Node* a = parse_or();
  while (is_op("&&")) {
    Node* n = make(NodeKind::and_then, token_);
    advance();
    n->first = a;
    n->second = parse_or();
    a = over(n, {n->first, n->second});
  }
  return a;
}

Node* Parser::parse_or() {
  Node* a = parse_and();
  while (is_op("|")) {
    const Token at = token_;
    advance();
    a = make_binary(BinaryOp::logical_or, a, parse_and(), at);
  }
  return a;
}

Node* Parser::parse_and() {
  Node* a = parse_relation();
  while (is_op("&")) {
    const Token at = token_;
    advance();
    a = make_binary(BinaryOp::logical_and, a, parse_relation(), at);
  }
  return a;
}

Node* Parser::parse_relation() {
  static constexpr std::array<std::pair<std::string_view, BinaryOp>, 8> relations = {{{"<", BinaryOp::less},
                                                                                      {"<=", BinaryOp::less_equal},
                                                                                      {">", BinaryOp::greater},
                                                                                      {">=", BinaryOp::greater_equal},
                                                                                      {"==", BinaryOp::equal},
                                                                                      {"~=", BinaryOp::not_equal},
                                                                                      {"!=", BinaryOp::not_equal},
                                                                                      {"<>", BinaryOp::not_equal}}};
  Node* a = parse_range();
  for (bool found = true; found;) {
    found = false;
    for (const auto& [symbol, op] : relations) {
      if (!is_op(symbol)) continue;
      const Token at = token_;
      advance();
      a = make_binary(op, a, parse_range(), at);
      found = true;
      break;
    }
  }
  return a;
}

Node* Parser::parse_range() {
  Node* a = parse_additive();
  // A lone colon before ')' or ',' is the magic colon of an index, not a range.
  while (is_op(":")) {
    const Token at = token_;
    advance();
    Node* b = parse_additive();
    Node* n = make(NodeKind::range, at);
    n->first = a;
    if (is_op(":")) {
      advance();
      n->second = b;
      n->third = parse_additive();
    } else {
      n->third = b;
    }
    a = over(n, {a, b, n->third});
  }
  return a;
}

Node* Parser::parse_additive() {
  Node* a = parse_multiplicative();
  while ((is_op("+") || is_op("-")) && !ends_element()) {
    const Token at = token_;
    const BinaryOp op = is_op("+") ? BinaryOp::add : BinaryOp::subtract;
    advance();
    a = make_binary(op, a, parse_multiplicative(), at);
  }
  return a;
}

Node* Parser::parse_multiplicative() {
  static constexpr std::array<std::pair<std::string_view, BinaryOp>, 6> products = {
      {{"*", BinaryOp::matrix_times},
       {"/", BinaryOp::matrix_divide},
       {".*", BinaryOp::times},
       {"./", BinaryOp::divide},
       {"\\", BinaryOp::matrix_left_divide},
       {".\\", BinaryOp::left_divide}}};
  Node* a = parse_unary();
  for (bool found = true; found;) {
    found = false;
    for (const auto& [symbol, op] : products) {
      if (!is_op(symbol)) continue;
      const Token at = token_;
      advance();
      a = make_binary(op, a, parse_unary(), at);
      found = true;
      break;
    }
  }
  return a;
}

Node* Parser::parse_unary() {
  if (token_.kind == Tok::op &&
      (token_.text == "-" || token_.text == "+" || token_.text == "~" || token_.text == "!")) {
    const Depth guard(*this);
    const Token at = token_;
    advance();
    Node* operand = parse_unary();
    if (at.text == "-" && operand->kind == NodeKind::constant && operand->value.is_number() &&
        !operand->parenthesised) {
      operand->value = Value(-operand->value.number());
      return operand;
    }
    Node* n = make(NodeKind::unary, at);
    n->op = static_cast<std::uint8_t>(at.text == "-"   ? UnaryOp::minus
                                      : at.text == "+" ? UnaryOp::plus
                                                       : UnaryOp::logical_not);
    n->first = operand;
    return over(n, {operand});
  }
  return parse_power();
}

Node* Parser::parse_power_operand() {
  if (is_op("-") || is_op("+") || is_op("~") || is_op("!")) {
    const Depth guard(*this);
    const Token at = token_;
    advance();
    Node* n = make(NodeKind::unary, at);
    n->op = static_cast<std::uint8_t>(at.text == "-"   ? UnaryOp::minus
                                      : at.text == "+" ? UnaryOp::plus
                                                       : UnaryOp::logical_not);
    n->first = parse_power_operand();
    return over(n, {n->first});
  }
  return parse_postfix();
}

Node* Parser::parse_power() {
  Node* a = parse_postfix();
  for (;;) {
    const Token at = token_;
    if (is_op("'") || is_op(".'")) {
      advance();
      Node* n = make(NodeKind::unary, at);
      n->op = static_cast<std::uint8_t>(at.text == "'" ? UnaryOp::conjugate_transpose : UnaryOp::transpose);
      n->first = a;
      a = over(n, {a});
      parse_links(a);  // [a, b]'(2)
    } else if (is_op("^") || is_op(".^")) {
      advance();
      a = make_binary(at.text == "^" ? BinaryOp::matrix_power : BinaryOp::power, a, parse_power_operand(), at);
    } else {
      return a;
    }
  }
}

Node* Parser::parse_postfix() {
  Node* base = parse_primary();
  parse_links(base);
  return base;
}

void Parser::parse_links(Node*& base) {
  for (;;) {
    const bool separated = token_.in_matrix && token_.space_before;
    Link link;
    const Token at = token_;
    if ((is_open('(') || is_open('{')) && !separated) {
      link.kind = is_open('(') ? Link::Kind::paren : Link::Kind::brace;
      const char close = is_open('(') ? ')' : '}';
      advance();
      link.arguments = parse_arguments(close);
    } else if (is_op(".") && !separated) {
      advance();
      if (is_open('(')) {
        link.kind = Link::Kind::dynamic_field;
        advance();
        link.arguments.push_back(parse_expression());
        expect_close(')');
      } else {
        if (token_.kind != Tok::identifier) fail_here("expected a field name");
        link.kind = Link::Kind::field;
        link.field = token_.text;
        advance();
      }
    } else if (is_op("@") && !token_.space_before && base->kind == NodeKind::identifier) {
      base = parse_superclass_call(base);
      continue;
    } else {
      return;
    }
    if (base->kind != NodeKind::index || base->parenthesised) {
      Node* n = make(NodeKind::index, at);
      n->line = base->line;
      n->column = base->column;
      n->first = base;
      base = over(n, {base});
    }
    for (const Node* argument : link.arguments) over(base, {argument});
    auto& links = extra_of(base)->links;
    if (links.size() >= most_links) fail_here("too many indices and fields in a chain");
    links.push_back(std::move(link));
  }
}

Node* Parser::parse_argument() {
  if (is_op(":")) {
    const Token at = token_;
    advance();
    if (token_.kind == Tok::comma || token_.kind == Tok::close) return make(NodeKind::colon, at);
    fail_here("unexpected ':'");
  }
  return parse_expression();
}

std::vector<Node*> Parser::parse_arguments(char close) {
  std::vector<Node*> arguments;
  ++index_depth_;
  while (token_.kind == Tok::newline) advance();
  while (!is_close(close)) {
    arguments.push_back(parse_argument());
    while (token_.kind == Tok::newline) advance();
    if (token_.kind == Tok::comma) {
      advance();
      while (token_.kind == Tok::newline) advance();
      if (is_close(close)) fail_here("missing argument");
    } else if (!is_close(close)) {
      fail_here(fmt::format("expected '{}' or ','", close));
    }
  }
  --index_depth_;
  advance();
  return arguments;
}

Node* Parser::parse_primary() {
  const Token at = token_;
  switch (at.kind) {
    case Tok::number:
    case Tok::imaginary: {
      advance();
      Node* n = make(NodeKind::constant, at);
      n->value = at.kind == Tok::number ? Value(at.number) : Value(Complex(0, at.number));
      return n;
    }
    case Tok::text: {
      advance();
      Node* n = make(NodeKind::constant, at);
      n->value = Value::text(at.text);
      return n;
    }
    case Tok::identifier: {
      advance();
      Node* n = make(NodeKind::identifier, at);
      extra_of(n)->name = at.text;
      return n;
    }
    case Tok::keyword:
      if (at.text == "end" && index_depth_ > 0) {
        advance();
        return make(NodeKind::end, at);
      }
      fail_here("unexpected " + at.text);
    case Tok::open: {
      const Depth guard(*this);
      advance();
      if (at.text == "(") {
        Node* n = parse_expression();
        expect_close(')');
        n->parenthesised = true;
        return n;
      }
      return at.text == "[" ? parse_matrix(NodeKind::matrix, ']') : parse_matrix(NodeKind::cell, '}');
    }
    case Tok::op:
      if (at.text == "@") return parse_anonymous();
      if (at.text == ".if" || at.text == ".switch") return parse_choice();
      if (at.text == "$" && index_depth_ > 0) {
        advance();
        return make(NodeKind::end, at);
      }
      [[fallthrough]];
    default: fail_here(at.kind == Tok::end_of_text ? "unexpected end of text" : "unexpected " + at.text);
  }
}

Node* Parser::parse_matrix(NodeKind kind, char close) {
  Node* n = make(kind, token_);
  NodeExtra* extra = extra_of(n);
  std::vector<Node*> row;
  for (;;) {
    if (is_close(close)) break;
    if (token_.kind == Tok::end_of_text) fail_here(std::string("expected '") + close + "'");
    if (token_.kind == Tok::semicolon || token_.kind == Tok::newline) {
      if (!row.empty()) extra->rows.push_back(std::move(row));
      row.clear();
      advance();
    } else if (token_.kind == Tok::comma) {
      advance();
    } else {
      row.push_back(parse_expression());
      over(n, {row.back()});
    }
  }
  if (!row.empty()) extra->rows.push_back(std::move(row));
  advance();
  return n;
}

Node* Parser::make_choice(Node* condition, Node* yes, Node* no, const Token& at) {
  Node* name = make(NodeKind::identifier, at);
  extra_of(name)->name = "If_exp";
  Node* n = make(NodeKind::index, at);
  n->first = name;
  Link link;
  link.arguments = {condition, yes, no};
  extra_of(n)->links.push_back(std::move(link));
  return over(n, {condition, yes, no});
}

// ".if c .then a .else b .end" and ".switch s .case c, a … .otherwise b .end" (Activate, 2.6.4) are calls of If_exp.
// The .end may be left out where the text ends.
Node* Parser::parse_choice() {
  const Depth guard(*this);
  const Token at = token_;
  const auto expect = [&](std::string_view word) {
    if (!is_op(word)) fail_here("expected '" + std::string(word) + "'");
    advance();
  };
  advance();
  Node* subject = parse_expression();
  std::vector<std::pair<Node*, Node*>> cases;
  if (at.text == ".if") {
    expect(".then");
    cases.emplace_back(subject, parse_expression());
    expect(".else");
  } else {
    while (is_op(".case")) {
      const Token label = token_;
      advance();
      Node* match = make_binary(BinaryOp::equal, subject, parse_expression(), label);
      if (token_.kind != Tok::comma) fail_here("expected ',' between the case and its value");
      advance();
      cases.emplace_back(match, parse_expression());
      if (cases.size() > 200) fail_here("too many cases");
    }
    expect(".otherwise");
  }
  Node* result = parse_expression();
  if (is_op(".end"))
    advance();
  else if (token_.kind != Tok::end_of_text)
    fail_here("expected '.end'");
  for (std::size_t k = cases.size(); k-- > 0;) result = make_choice(cases[k].first, cases[k].second, result, at);
  return result;
}

Node* Parser::parse_anonymous() {
  Node* n = make(NodeKind::handle, token_);
  advance();
  if (token_.kind == Tok::identifier) {
    extra_of(n)->name = token_.text;
    advance();
    return n;
  }
  if (!is_open('(')) fail_here("expected a function name or '(' after '@'");
  n->kind = NodeKind::anonymous;
  Function* f = make_function();
  f->line = n->line;
  advance();
  while (!is_close(')')) {
    if (token_.kind == Tok::identifier)
      f->inputs.push_back(token_.text);
    else if (is_op("~") || is_op("!"))
      f->inputs.emplace_back("~");
    else if (token_.kind != Tok::comma)
      fail_here("expected an input name");
    if (token_.kind != Tok::comma) f->defaults.push_back(nullptr);
    advance();
  }
  advance();
  if (!f->inputs.empty() && f->inputs.back() == "varargin") {
    f->variadic_in = true;
    f->inputs.pop_back();
    f->defaults.pop_back();
  }
  const int saved = index_depth_;
  index_depth_ = 0;
  f->expression = parse_expression();
  index_depth_ = saved;
  over(n, {f->expression});
  extra_of(n)->function = f;
  return n;
}

}  // namespace orrery::oml
