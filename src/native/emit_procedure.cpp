// SPDX-License-Identifier: Apache-2.0
// Functions, scopes and stores of a procedure; statements that compute are in emit_statement.cpp.
#include "native/emit_procedure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "base/check.h"
#include "native/emit_statement.h"

namespace orrery::native {
namespace {

using program::ExprId;
using program::Scalar;
using program::Store;
using program::Type;

// Block names are the user's: nothing in them may end the comment.
std::string comment_of(const std::string& text) {
  std::string safe;
  for (char c : text) {
    if (c == '/' && !safe.empty() && safe.back() == '*') safe += ' ';
    safe += static_cast<unsigned char>(c) < 32 || c == '\\' ? ' ' : c;
  }
  return "/* " + safe + " */";
}

// Whether a text has the name as a word of its own, other than as a member.
bool mentions(const std::string& text, const std::string& name) {
  const auto is_letter = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    const char before = at == 0 ? ' ' : text[at - 1];
    const bool member = before == '.' || (before == '>' && at > 1 && text[at - 2] == '-');
    if (!is_letter(before) && !member && (end == text.size() || !is_letter(text[end]))) return true;
  }
  return false;
}

std::string without_comments(std::string text) {
  for (std::size_t at = text.find("/*"); at != std::string::npos; at = text.find("/*", at)) {
    text.erase(at, text.find("*/", at) + 2 - at);
  }
  return text;
}

class ProcedurePrinter {
 public:
  ProcedurePrinter(const program::Program& program, const program::Layout& layout, const Planner& planner,
                   const Plan& plan, Prologue& prologue, Style style, const MemberNames* names)
      : program_(program),
        graph_(program.graph),
        layout_(layout),
        plan_(plan),
        names_(names),
        readable_(style == Style::readable),
        comments_(readable_ && (names == nullptr || names->comments)),
        inside_(planner.inside() != nullptr),
        writes_slots_(std::any_of(plan.procedure->stores.begin(), plan.procedure->stores.end(),
                                  [](const Store& store) { return store.target == Store::Target::slot; })),
        expressions_(program, layout, planner, plan, prologue, !readable_, names),
        statements_(program, plan, expressions_, prologue, readable_) {}

  EmittedProcedure run() {
    EmittedProcedure result;
    hoisted_.resize(plan_.functions.size());
    for (const PlannedNode& n : plan_.nodes) {
      if (n.form != Form::variable || !statements_.is_hoisted(n)) continue;
      hoisted_[n.function] += fmt::format("  {} v{} = 0;\n", program::c_name_of(graph_.type(n.id).scalar), n.name);
    }
    for (FunctionId f = 1; f < plan_.functions.size(); ++f) result.text += print_function(f);
    if (inside_)
      result.block = print_block();
    else
      result.text += print_function(0);
    result.statements = statements_.lines();
    result.loops = statements_.loops();
    result.choices = expressions_.choices();
    return result;
  }

 private:
  // Where only y is written, compilers may keep what they have read of x: y overlaps nothing.
  const char* parameters() const {
    return writes_slots_ ? "double t, const double* x, double* y, unsigned char* m, long long tick"
                         : "double t, const double* restrict x, double* restrict y, unsigned char* m, long long tick";
  }

  std::string part_name(FunctionId f) const {
    return fmt::format("{}_{}_c{}", names_ != nullptr ? names_->model : "orr", plan_.procedure->name, f);
  }

  std::string print_function(FunctionId f) {
    statements_.begin();
    const PlannedFunction& function = plan_.functions[f];
    print_items(function.scope, function.first, function.last, f);
    if (names_ != nullptr) return print_with_members(f);
    std::string text = f == 0 ? fmt::format("void orr_{}({}) {{\n", plan_.procedure->name, parameters())
                              : fmt::format("ORR_PART void {}({}, double* w) {{\n", part_name(f), parameters());
    if (f == 0 && plan_.workspace > 0) {
      // The room in memory was measured for other procedures, maybe: a Jacobian that comes later can need more.
      const bool has_room =
          layout_.workspace > 0 && layout_.workspace + std::uint64_t{8} * plan_.workspace <= layout_.bytes;
      text += plan_.workspace > stack_limit && has_room
                  ? fmt::format("  double* w = (double*)(m + {});\n", layout_.workspace)
                  : fmt::format("  double w[{}];\n", plan_.workspace);
    }
    text += expressions_.take_views();
    return text + hoisted_[f] + statements_.take() + "}\n\n";
  }

  // Parameters that nothing reads are named all the same: every procedure is called alike.
  std::string print_with_members(FunctionId f) {
    std::string body = expressions_.take_views() + hoisted_[f] + statements_.take();
    if (f == 0 && plan_.workspace > 0) {
      const bool kept = plan_.workspace > stack_limit && layout_.workspace > 0 &&
                        layout_.workspace + std::uint64_t{8} * plan_.workspace <= layout_.bytes;
      body.insert(0,
                  kept ? std::string("  double *w = m->work;\n") : fmt::format("  double w[{}];\n", plan_.workspace));
    }
    std::string text, unused;
    const std::string plain = without_comments(body);
    const auto declare = [&](const char* name, const std::string& declaration, const char* from) {
      if (mentions(plain, name)) {
        text += declaration;
      } else {
        unused += fmt::format("{}(void){};", unused.empty() ? "  " : " ", from);
      }
    };
    const std::string& model = names_->model;
    if (f == 0) {
      declare("x", fmt::format("  const {}_states *x = (const void *)states;\n", model), "states");
      declare("m", fmt::format("  {} *m = memory;\n", model), "memory");
    } else {
      declare("x", "", "x");
      declare("m", "", "m");
      declare("w", "", "w");
    }
    for (const char* name : {"t", "y", "tick"}) declare(name, "", name);
    if (!unused.empty()) unused += '\n';
    const char* const alone = writes_slots_ ? "" : "restrict ";
    const std::string head =
        f > 0 ? fmt::format(
                    "ORR_PART void {0}(double t, const {1}_states *{2}x, double *{2}y, {1} *m, long long tick, "
                    "double *w) {{\n",
                    part_name(f), model, alone)
              : fmt::format(
                    "{0}void {1}_{2}(double t, const double *{3}states, double *{3}y, void *memory, long long "
                    "tick) {{\n",
                    names_->visible.contains(plan_.procedure->name) ? "" : "static ", model, plan_.procedure->name,
                    alone);
    return head + text + unused + body + "}\n\n";
  }

  std::string print_block() {
    statements_.begin();
    print_items(0, 0, plan_.scopes[0].items.size(), 0);
    std::string text = "  {\n" + expressions_.take_views();
    return text + hoisted_[0] + statements_.take() + "  }\n";
  }

  // Items of other functions are calls of these functions.
  void print_items(ScopeId scope, std::size_t first, std::size_t last, FunctionId f) {
    const auto& items = plan_.scopes[scope].items;
    for (std::size_t k = first; k < last; ++k) {
      FunctionId other = items[k].function;
      if (other == f) {
        print_item(items[k], f);
      } else if (k == first || items[k - 1].function != other) {
        statements_.line(fmt::format("{}(t, x, y, m, tick, {});", part_name(other), plan_.workspace > 0 ? "w" : "0"));
      }
    }
  }

  void print_scope(ScopeId scope, FunctionId f) {
    statements_.indent(+1);
    print_items(scope, 0, plan_.scopes[scope].items.size(), f);
    statements_.indent(-1);
  }

  void print_item(const Item& item, FunctionId f) {
    switch (item.kind) {
      case Item::Kind::node: print_node(item.index, f); break;
      case Item::Kind::stack_part:
        if (item.from == 0) print_target_comment(plan_.nodes[item.index]);
        statements_.stack_part(plan_.nodes[item.index].id, item.from, item.to);
        break;
      case Item::Kind::store: print_store(plan_.procedure->stores[item.index]); break;
      case Item::Kind::late_stores: print_late_stores(item); break;
      case Item::Kind::guard:
        statements_.line(fmt::format("if ({}) {{", condition_of(item.index, true)));
        print_scope(item.index, f);
        statements_.line("}");
        break;
      case Item::Kind::arm_value: {
        const Scope& scope = plan_.scopes[item.index];
        ExprId select = plan_.nodes[scope.select].id;
        statements_.assign(select, graph_.arguments(select)[static_cast<std::size_t>(scope.arm) + 1]);
        break;
      }
    }
  }

  void print_node(Index i, FunctionId f) {
    const PlannedNode& n = plan_.nodes[i];
    print_target_comment(n);
    if (!n.is_if) {
      statements_.define(n.id);
      return;
    }
    statements_.declare(n.id);
    statements_.line(fmt::format("if ({}) {{", expressions_.value(graph_.arguments(n.id)[0], {}, true)));
    print_scope(n.arms, f);
    statements_.line("} else {");
    print_scope(n.arms + 1, f);
    statements_.line("}");
  }

  void print_target_comment(const PlannedNode& n) {
    if (comments_ && n.form == Form::target) statements_.line(path_of(plan_.procedure->stores[n.store]));
  }

  std::string condition_of(ScopeId scope, bool outer) {
    return expressions_.value(plan_.nodes[plan_.scopes[scope].condition].id, {}, outer);
  }

  void print_late_stores(const Item& item) {
    std::string condition;
    ScopeId scope = plan_.store_scope[item.index];
    for (ScopeId at = scope; at != 0; at = plan_.scopes[at].parent) {
      bool alone = condition.empty() && plan_.scopes[at].parent == 0;
      std::string outer = condition_of(at, alone);
      if (!condition.empty()) outer += " && ";
      condition.insert(0, outer);
    }
    if (scope != 0) {
      statements_.line(fmt::format("if ({}) {{", condition));
      statements_.indent(+1);
    }
    for (std::uint32_t k = item.from; k < item.to; ++k) print_store(plan_.procedure->stores[plan_.late[k]]);
    if (scope != 0) {
      statements_.indent(-1);
      statements_.line("}");
    }
  }

  std::string path_of(const Store& store) const {
    if (store.target == Store::Target::output) return comment_of(program_.origins[store.origin].path);
    const program::Slot& slot = program_.slots[store.index];
    return comment_of(program_.origins[slot.origin].path + (slot.name.empty() ? "" : "." + slot.name));
  }

  void print_store(const Store& store) {
    Type type = graph_.type(store.value);
    Reference target = expressions_.store_target(store);
    if (!is_array(type)) {
      std::string& out = statements_.begin_line();
      ExpressionPrinter::append_element(out, target, {});
      out += " = ";
      expressions_.append(out, store.value);
      out += ';';
      if (comments_) out += ' ' + path_of(store);
      statements_.end_line();
      return;
    }
    if (comments_) statements_.line(path_of(store));
    if (graph_[store.value].op == program::Op::update && expressions_.planned(store.value).form == Form::inlined) {
      return statements_.update_in_place(store.value, target);
    }
    statements_.copy(target, type, store.value);
  }

  const program::Program& program_;
  const program::Graph& graph_;
  const program::Layout& layout_;
  const Plan& plan_;
  const MemberNames* names_;
  bool readable_, comments_, inside_, writes_slots_;
  ExpressionPrinter expressions_;
  StatementPrinter statements_;
  std::vector<std::string> hoisted_;  // declarations, by function
};

}  // namespace

EmittedProcedure emit_procedure(const program::Program& program, const program::Layout& layout, const Planner& planner,
                                const Plan& plan, Prologue& prologue, Style style, const MemberNames* names) {
  return ProcedurePrinter(program, layout, planner, plan, prologue, style, names).run();
}

EmittedProcedure emit_block(const program::Program& program, const program::Layout& layout, const Planner& planner,
                            const Plan& plan, Prologue& prologue, Style style) {
  return ProcedurePrinter(program, layout, planner, plan, prologue, style, nullptr).run();
}

}  // namespace orrery::native
