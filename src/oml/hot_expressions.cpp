// SPDX-License-Identifier: Apache-2.0
// Operations are those of scalar_operation, element access that of quick_position: the same roundings in the same
// order.
#include <fmt/format.h>

#include <cctype>
#include <cmath>

#include "oml/hot_writer.h"
#include "oml/scalar_code.h"

namespace orrery::oml {

std::string hot_literal(double x) {
  if (std::isnan(x)) return "c->nan";
  if (std::isinf(x)) return x > 0 ? "c->inf" : "(-c->inf)";
  std::string text = fmt::format("{:.17g}", x);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return x < 0 || std::signbit(x) ? "(" + text + ")" : text;
}

std::string HotWriter::variable(int slot) {
  const unsigned t = scope_.types[static_cast<std::size_t>(slot)];
  if ((t & undefined_type) != 0) line(fmt::format("if (k{} == 0) {}", slot, leave()));
  return "v" + std::to_string(slot);
}

// A subscript made of whole loop variables, `end` and whole constants, as an integer.
bool HotWriter::whole(const Node& n, std::string& text) {
  if (n.kind == NodeKind::constant && n.value.is_number()) {
    const double x = n.value.number();
    if (x != std::floor(x) || std::fabs(x) > 1e6) return false;
    text = fmt::format("({}L)", static_cast<long>(x));
    return true;
  }
  if (n.kind == NodeKind::identifier) {
    const auto found = counters_.find(n.slot);
    if (found != counters_.end()) text = found->second;
    return found != counters_.end();
  }
  if (n.kind == NodeKind::end && subject_ != nullptr) {
    const char* size = end_count_ == 1 ? "n" : end_position_ == 0 ? "r" : "q";
    text = fmt::format("{}{}", size, subject_->slot);
    return true;
  }
  if (n.kind != NodeKind::binary) return false;
  const auto op = static_cast<BinaryOp>(n.op);
  if (op != BinaryOp::add && op != BinaryOp::subtract) return false;
  std::string a, b;
  if (!whole(*n.first, a) || !whole(*n.second, b)) return false;
  text = fmt::format("({} {} {})", a, op == BinaryOp::add ? "+" : "-", b);
  return true;
}

// The position of an element from 0, with all checks made.
std::string HotWriter::position(const Node& n) {
  const auto& arguments = n.extra->links[0].arguments;
  std::string parts[2];
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    const Node* const outer = subject_;
    const std::size_t outer_position = end_position_, outer_count = end_count_;
    subject_ = &n, end_position_ = k, end_count_ = arguments.size();
    const std::string size = fmt::format("{}{}", arguments.size() == 1 ? "n" : k == 0 ? "r" : "q", n.slot);
    parts[k] = "i" + fresh();
    std::string text;
    if (whole(*arguments[k], text)) {
      line(fmt::format("long {} = {} - 1; if ((unsigned long){} >= (unsigned long){}) {}", parts[k], text, parts[k],
                       size, leave()));
    } else {
      const std::string x = kept(number(*arguments[k]));
      line(fmt::format("if (!({} >= 1 && {} <= (double){})) {}", x, x, size, leave()));
      line(fmt::format("long {} = (long){}; if ((double){} != {}) {} --{};", parts[k], x, parts[k], x, leave(),
                       parts[k]));
    }
    subject_ = outer, end_position_ = outer_position, end_count_ = outer_count;
  }
  return arguments.size() == 1 ? parts[0] : fmt::format("{} + {} * r{}", parts[0], parts[1], n.slot);
}

std::string HotWriter::element(const Node& n) {
  const std::string at = position(n);
  return kept(fmt::format("a{}[{}]", n.slot, at));
}

std::string HotWriter::call(const Function& f, const std::vector<Node*>& arguments) {
  std::string list;
  for (const Node* a : arguments) list += ", " + number(*a);
  const std::string result = fresh();
  line(fmt::format("double {} = 0; if (F{}(c, {}{}, &{})) {}", result, numbers_.at(&f),
                   scope_.function != nullptr ? "depth + 1" : "1", list, result, leave()));
  return result;
}

std::string HotWriter::builtin(const HotBuiltin& b, const std::vector<Node*>& arguments) {
  const std::string x = kept(number(*arguments[0]));
  const std::string y = b.arguments == 2 ? kept(number(*arguments[1])) : "";
  const auto filled = [&](const char* text) {
    std::string result;
    for (const char* p = text; *p != '\0'; ++p) {
      const bool apart = (p == text || !std::isalnum(static_cast<unsigned char>(p[-1]))) &&
                         !std::isalnum(static_cast<unsigned char>(p[1])) && p[1] != '_';
      result += apart && *p == 'x' ? x : apart && *p == 'y' ? y : std::string(1, *p);
    }
    return result;
  };
  // What is not a number has a result that is none.
  if (b.guard != nullptr) line(fmt::format("if (!({}) && {} == {}) {}", filled(b.guard), x, x, leave()));
  return filled(b.text);
}

std::string HotWriter::index(const Node& n) {
  if (HotTypes::is_variable(n.slot, scope_)) return element(n);
  const auto& arguments = n.extra->links[0].arguments;
  if (const Function* f = types_.callee(n, scope_)) return call(*f, arguments);
  const std::string& name = n.first->extra->name;
  const int array = arguments[0]->slot;
  if (name == "numel") return fmt::format("(double)n{}", array);
  if (name == "length") {
    return fmt::format("(double)(n{} == 0 ? 0 : r{} > q{} ? r{} : q{})", array, array, array, array, array);
  }
  if (name == "size") return fmt::format("(double){}{}", arguments[1]->value.number() == 1 ? "r" : "q", array);
  return builtin(*find_hot_builtin(name, arguments.size()), arguments);
}

std::string HotWriter::power(const Node& n) {
  const Node& exponent = *n.second;
  const std::string a = kept(number(*n.first));
  if (exponent.kind == NodeKind::constant && exponent.value.number() == 2) return fmt::format("({} * {})", a, a);
  const std::string b = kept(number(exponent));
  line(fmt::format("if ({} < 0 && {} != floor({})) {}", a, b, b, leave()));
  return fmt::format("({} == 2 ? {} * {} : pow({}, {}))", b, a, a, a, b);
}

std::string HotWriter::binary(const Node& n) {
  const auto op = static_cast<BinaryOp>(n.op);
  if (gives_logical(op)) return "(double)" + truth(n);
  if (op == BinaryOp::power || op == BinaryOp::matrix_power) return power(n);
  const std::string a = number(*n.first), b = number(*n.second);
  const char* sign = op == BinaryOp::add ? "+" : op == BinaryOp::subtract ? "-" : "/";
  if (op == BinaryOp::times || op == BinaryOp::matrix_times) sign = "*";
  return fmt::format("({} {} {})", a, sign, b);
}

// && and ||: the second operand is looked at, and may be a surprise, only where the first does not decide.
std::string HotWriter::choice(const Node& n) {
  const bool both = n.kind == NodeKind::and_then;
  const std::string name = fresh();
  const std::string first = truth(*n.first);
  line(fmt::format("int {} = {}; if ({}{}) {{", name, first, both ? "" : "!", name));
  const std::string second = truth(*n.second);
  line(fmt::format("{} = {}; }}", name, second));
  return name;
}

std::string HotWriter::truth(const Node& n) {
  if (n.kind == NodeKind::and_then || n.kind == NodeKind::or_else) return choice(n);
  if (n.kind == NodeKind::unary && static_cast<UnaryOp>(n.op) == UnaryOp::logical_not) {
    return fmt::format("({} == 0)", number(*n.first));
  }
  if (n.kind == NodeKind::binary && gives_logical(static_cast<BinaryOp>(n.op))) {
    const std::string a = number(*n.first), b = number(*n.second);
    switch (static_cast<BinaryOp>(n.op)) {
      case BinaryOp::less: return fmt::format("({} < {})", a, b);
      case BinaryOp::less_equal: return fmt::format("({} <= {})", a, b);
      case BinaryOp::greater: return fmt::format("({} > {})", a, b);
      case BinaryOp::greater_equal: return fmt::format("({} >= {})", a, b);
      case BinaryOp::equal: return fmt::format("({} == {})", a, b);
      case BinaryOp::not_equal: return fmt::format("({} != {})", a, b);
      case BinaryOp::logical_and: return fmt::format("({} != 0 && {} != 0)", a, b);
      default: return fmt::format("({} != 0 || {} != 0)", a, b);
    }
  }
  return fmt::format("({} != 0)", number(n));
}

std::string HotWriter::number(const Node& n) {
  switch (n.kind) {
    case NodeKind::constant: return hot_literal(n.value.number());
    case NodeKind::identifier: {
      if (HotTypes::is_variable(n.slot, scope_)) return variable(n.slot);
      unsigned ignored = 0;
      return HotTypes::constant_text(n.extra->name, ignored);
    }
    case NodeKind::end: {
      std::string text;
      if (!whole(n, text)) throw NotCompiled();
      return "(double)" + text;
    }
    case NodeKind::unary:
      return static_cast<UnaryOp>(n.op) == UnaryOp::minus ? fmt::format("(-{})", number(*n.first))
                                                          : "(double)" + truth(n);
    case NodeKind::binary: return binary(n);
    case NodeKind::and_then:
    case NodeKind::or_else: return "(double)" + truth(n);
    case NodeKind::index: return index(n);
    default: throw NotCompiled();
  }
}

}  // namespace orrery::oml
