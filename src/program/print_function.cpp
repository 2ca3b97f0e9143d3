// SPDX-License-Identifier: Apache-2.0
// Text of a function with statements.
#include <fmt/format.h>

#include "program/function.h"
#include "program/print.h"
#include "program/print_expression.h"

namespace orrery::program {
namespace {

class FunctionText {
 public:
  explicit FunctionText(const Function& function) : function_(function) {
    program_.graph = function.graph;
    program_.add_origin({});
    for (const Local& local : function.locals) program_.add_slot({.name = local.name, .type = local.type});
  }

  std::string run() {
    std::string arguments, results, locals;
    const auto append = [&](std::string& list, std::size_t k) {
      if (!list.empty()) list += ", ";
      list += to_text(function_.locals[k].type) + " " + function_.locals[k].name;
    };
    for (std::size_t k = 0; k < function_.arguments; ++k) append(arguments, k);
    for (std::size_t k = function_.arguments; k < function_.locals.size(); ++k) append(locals, k);
    for (const std::uint32_t k : function_.results) append(results, k);
    text_ = fmt::format("function {}({}) -> ({})\n", function_.name, arguments, results);
    if (!locals.empty()) text_ += "  local " + locals + "\n";
    block(function_.body, 1);
    return std::move(text_);
  }

 private:
  void line(int depth, const std::string& text) {
    text_.append(2 * static_cast<std::size_t>(depth), ' ');
    text_ += text + "\n";
  }
  std::string value(ExprId id) const { return to_text(program_, id); }
  const std::string& name(std::uint32_t local) const { return function_.locals[local].name; }

  void block(const std::vector<Statement>& statements, int depth) {
    for (const Statement& s : statements) statement(s, depth);
  }

  void statement(const Statement& s, int depth) {
    switch (s.kind) {
      case Statement::Kind::assign: return line(depth, name(s.local) + " := " + value(s.value));
      case Statement::Kind::assign_element: {
        std::string indices;
        for (const ExprId index : s.indices) indices += (indices.empty() ? "" : ", ") + value(index);
        return line(depth, fmt::format("{}[{}] := {}", name(s.local), indices, value(s.value)));
      }
      case Statement::Kind::branch:
        line(depth, "if " + value(s.value));
        block(s.body, depth + 1);
        if (!s.otherwise.empty()) {
          line(depth, "else");
          block(s.otherwise, depth + 1);
        }
        return line(depth, "end");
      case Statement::Kind::count_loop:
        line(depth, fmt::format("for {} from 0 below {}", name(s.local), value(s.value)));
        block(s.body, depth + 1);
        return line(depth, "end");
      case Statement::Kind::while_loop:
        line(depth, "while " + value(s.value));
        block(s.body, depth + 1);
        return line(depth, "end");
      case Statement::Kind::leave: return line(depth, "break");
      case Statement::Kind::go_on: return line(depth, "continue");
      case Statement::Kind::give_back: return line(depth, "return");
      case Statement::Kind::check: {
        const std::string text = s.site > 0 ? function_.graph.sites()[s.site - 1].text : "";
        return line(depth, fmt::format("assert {} else \"{}\"", value(s.value), text));
      }
    }
  }

  const Function& function_;
  Program program_;
  std::string text_;
};

}  // namespace

std::string to_text(const Function& function) { return FunctionText(function).run(); }

}  // namespace orrery::program
