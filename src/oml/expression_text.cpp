// SPDX-License-Identifier: Apache-2.0
// Prints expressions back as OML text, for the display of anonymous functions.
#include <fmt/format.h>

#include "oml/ast.h"
#include "oml/convert.h"
#include "oml/display.h"

namespace orrery::oml {
namespace {

std::string constant_text(const Value& v) {
  if (v.is_text()) {
    std::string out = "'";
    for (char c : to_string(v)) out += c == '\'' ? std::string("''") : std::string(1, c);
    return out + "'";
  }
  if (v.is_number()) return fmt::format("{:.9g}", v.number());
  if (v.kind() == Kind::complex) return fmt::format("{:.9g}i", v.complex()[0].imag());
  return "?";
}

std::string list_text(const std::vector<Node*>& items) {
  std::string out;
  for (const Node* item : items) out += (out.empty() ? "" : ", ") + expression_text(item);
  return out;
}

std::string rows_text(const Node* n, char open, char close) {
  std::string out(1, open);
  bool first = true;
  for (const auto& row : n->extra->rows) {
    if (!first) out += "; ";
    first = false;
    out += list_text(row);
  }
  return out + close;
}

std::string index_text(const Node* n) {
  std::string out = expression_text(n->first);
  for (const Link& link : n->extra->links) {
    switch (link.kind) {
      case Link::Kind::paren: out += "(" + list_text(link.arguments) + ")"; break;
      case Link::Kind::brace: out += "{" + list_text(link.arguments) + "}"; break;
      case Link::Kind::dynamic_field: out += ".(" + list_text(link.arguments) + ")"; break;
      default: out += "." + link.field;
    }
  }
  return out;
}

std::string plain_text(const Node* n) {
  switch (n->kind) {
    case NodeKind::constant: return constant_text(n->value);
    case NodeKind::identifier: return n->extra->name;
    case NodeKind::colon: return ":";
    case NodeKind::end: return "end";
    case NodeKind::range:
      return expression_text(n->first) + ":" + (n->second != nullptr ? expression_text(n->second) + ":" : "") +
             expression_text(n->third);
    case NodeKind::unary: {
      const auto op = static_cast<UnaryOp>(n->op);
      const std::string operand = expression_text(n->first);
      const bool postfix = op == UnaryOp::transpose || op == UnaryOp::conjugate_transpose;
      return postfix ? operand + symbol_of(op) : symbol_of(op) + operand;
    }
    case NodeKind::binary:
      return expression_text(n->first) + " " + symbol_of(static_cast<BinaryOp>(n->op)) + " " +
             expression_text(n->second);
    case NodeKind::and_then: return expression_text(n->first) + " && " + expression_text(n->second);
    case NodeKind::or_else: return expression_text(n->first) + " || " + expression_text(n->second);
    case NodeKind::index: return index_text(n);
    case NodeKind::matrix: return rows_text(n, '[', ']');
    case NodeKind::cell: return rows_text(n, '{', '}');
    case NodeKind::anonymous: return anonymous_text(*n->extra->function);
    case NodeKind::handle: return "@" + n->extra->name;
    case NodeKind::update: return expression_text(n->first) + " := " + expression_text(n->second);
  }
  return {};
}

}  // namespace

std::string expression_text(const Node* n) { return n->parenthesised ? "(" + plain_text(n) + ")" : plain_text(n); }

std::string anonymous_text(const Function& f) {
  std::string out = "@(";
  for (std::size_t k = 0; k < f.inputs.size(); ++k) out += (k == 0 ? "" : ", ") + f.inputs[k];
  if (f.variadic_in) out += f.inputs.empty() ? "varargin" : ", varargin";
  return out + ") " + expression_text(f.expression);
}

}  // namespace orrery::oml
