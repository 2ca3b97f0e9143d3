// SPDX-License-Identifier: Apache-2.0
// Functions, scopes and stores of a procedure; statements that compute are in emit_statement.cpp.
#include "native/emit_procedure.h"

#include <fmt/format.h>

#include <algorithm>

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

class ProcedurePrinter {
 public:
  ProcedurePrinter(const program::Program& program, const program::Layout& layout, const Planner& planner,
                   const Plan& plan, Prologue& prologue, Style style)
      : program_(program),
        graph_(program.graph),
        layout_(layout),
        plan_(plan),
        readable_(style == Style::readable),
        inside_(planner.inside() != nullptr),
        writes_slots_(std::any_of(plan.procedure->stores.begin(), plan.procedure->stores.end(),
                                  [](const Store& store) { return store.target == Store::Target::slot; })),
        expressions_(program, layout, planner, plan, prologue, !readable_),
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
    return result;
  }

 private:
  // Where only y is written, compilers may keep what they have read of x: y overlaps nothing.
  const char* parameters() const {
    return writes_slots_ ? "double t, const double* x, double* y, unsigned char* m, long long tick"
                         : "double t, const double* restrict x, double* restrict y, unsigned char* m, long long tick";
  }

  std::string print_function(FunctionId f) {
    statements_.begin();
    const PlannedFunction& function = plan_.functions[f];
    print_items(function.scope, function.first, function.last, f);
    std::string text =
        f == 0 ? fmt::format("void orr_{}({}) {{\n", plan_.procedure->name, parameters())
               : fmt::format("ORR_PART void orr_{}_c{}({}, double* w) {{\n", plan_.procedure->name, f, parameters());
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
        statements_.line(fmt::format("orr_{}_c{}(t, x, y, m, tick, {});", plan_.procedure->name, other,
                                     plan_.workspace > 0 ? "w" : "0"));
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
    if (readable_ && n.form == Form::target) statements_.line(path_of(plan_.procedure->stores[n.store]));
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
    return comment_of(program_.origins[slot.origin].path + "." + slot.name);
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
      if (readable_) out += ' ' + path_of(store);
      statements_.end_line();
      return;
    }
    if (readable_) statements_.line(path_of(store));
    statements_.copy(target, type, store.value);
  }

  const program::Program& program_;
  const program::Graph& graph_;
  const program::Layout& layout_;
  const Plan& plan_;
  bool readable_, inside_, writes_slots_;
  ExpressionPrinter expressions_;
  StatementPrinter statements_;
  std::vector<std::string> hoisted_;  // declarations, by function
};

}  // namespace

EmittedProcedure emit_procedure(const program::Program& program, const program::Layout& layout, const Planner& planner,
                                const Plan& plan, Prologue& prologue, Style style) {
  return ProcedurePrinter(program, layout, planner, plan, prologue, style).run();
}

EmittedProcedure emit_block(const program::Program& program, const program::Layout& layout, const Planner& planner,
                            const Plan& plan, Prologue& prologue, Style style) {
  return ProcedurePrinter(program, layout, planner, plan, prologue, style).run();
}

}  // namespace orrery::native
