// SPDX-License-Identifier: Apache-2.0
// Statements of functions: control flow around the text of procedures.
#include "native/emit_function.h"

#include <fmt/format.h>

namespace orrery::native {
namespace {

using program::Scalar;
using program::Statement;
using program::Type;

class FunctionPrinter {
 public:
  FunctionPrinter(const Frames& frames, const FunctionFrame& frame, Prologue& prologue, Style style)
      : frame_(frame), planner_(frame.program, &frames, &frame), prologue_(prologue), style_(style) {}

  EmittedProcedure run() {
    prologue_.kernel("fail");
    print(frame_.function->body);
    result_.text += fmt::format(
        "ORR_PART void orr_f{}(unsigned char* m) {{\n"
        "  struct orr_trouble* e = *(struct orr_trouble**)m;\n"
        "  double t = 0, y[2];\n"
        "  const double* x = 0;\n"
        "  long long tick = 0;\n"
        "  double* w = (double*)(m + {});\n"
        "  (void)t, (void)y, (void)x, (void)tick, (void)w, (void)e;\n",
        frame_.index, frame_.workspace);
    result_.text += text_ + "  return;\n";
    if (fails_) result_.text += "failed:;\n";
    if (fails_) fill_results();
    result_.text += "}\n\n";
    return std::move(result_);
  }

 private:
  void line(const std::string& text) {
    text_ += "  " + text + "\n";
    ++result_.statements;
  }

  // The text that computes what the next statement needs.
  void compute() {
    const Plan plan = planner_.plan(frame_.procedures[next_++]);
    EmittedProcedure made = emit_block(frame_.program, frame_.layout, planner_, plan, prologue_, style_);
    result_.text += made.text;
    text_ += made.block;
    result_.statements += made.statements;
    result_.loops += made.loops;
    result_.choices += made.choices;
  }

  std::string site(const Statement& s) const {
    return fmt::format("{}", (s.site > 0 ? frame_.first_site + s.site : 0) + 1);
  }
  void fail(const Statement& s) {
    fails_ = true;
    line(fmt::format("{{ orr_fail(e, {}, 0.0, 0); goto failed; }}", site(s)));
  }

  void print(const std::vector<Statement>& statements) {
    for (const Statement& s : statements) print(s);
  }

  void print(const Statement& s) {
    switch (s.kind) {
      case Statement::Kind::assign: compute(); break;
      case Statement::Kind::assign_element: assign_element(s); break;
      case Statement::Kind::branch:
        compute();
        line("if (y[0] != 0) {");
        print(s.body);
        line("} else {");
        print(s.otherwise);
        line("}");
        break;
      case Statement::Kind::count_loop: count_loop(s); break;
      case Statement::Kind::while_loop:
        ++result_.loops;
        line("for (;;) {");
        line("if (--e->turns < 0)");
        fail(s);
        compute();
        line("if (!(y[0] != 0)) break;");
        print(s.body);
        line("}");
        break;
      case Statement::Kind::leave: line("break;"); break;
      case Statement::Kind::go_on: line("continue;"); break;
      case Statement::Kind::give_back: line("return;"); break;
      case Statement::Kind::check:
        compute();
        line("if (!(y[0] != 0))");
        fail(s);
        break;
    }
  }

  void count_loop(const Statement& s) {
    ++result_.loops;
    const std::uint32_t depth = next_;
    compute();
    line(fmt::format("int turns{} = (int)y[0];", depth));
    line(fmt::format("for (int turn{0} = 0; turn{0} < turns{0}; turn{0}++) {{", depth));
    line("if (--e->turns < 0)");
    fail(s);
    line(fmt::format("*(int*)(m + {}) = turn{};", frame_.layout.offset[s.local], depth));
    print(s.body);
    line("}");
  }

  void assign_element(const Statement& s) {
    const Type type = frame_.function->locals[s.local].type;
    const program::SlotId from = frame_.element_slot[next_];
    compute();
    const char* c_type = program::c_name_of(type.scalar);
    const std::string position =
        s.indices.size() == 2
            ? fmt::format("{}(e, (long long)y[0], (long long)y[1], {}, {}, {})", prologue_.kernel("index2"), type.rows,
                          type.cols, site(s))
            : fmt::format("{}(e, (long long)y[0], {}, {})", prologue_.kernel("index"), type.size(), site(s));
    const int width = type.scalar == Scalar::c128 ? 2 : 1;
    line(fmt::format("{{ long long k = {};", position));
    for (int part = 0; part < width; ++part) {
      line(fmt::format("if (k >= 0) (({0}*)(m + {1}))[{2} * k + {3}] = (({0}*)(m + {4}))[{3}];", c_type,
                       frame_.layout.offset[s.local], width, part, frame_.layout.offset[from]));
    }
    line("}");
  }

  void fill_results() {
    for (const std::uint32_t local : frame_.function->results) {
      const Type type = frame_.function->locals[local].type;
      const std::int64_t count = type.size() * (type.scalar == Scalar::c128 ? 2 : 1);
      result_.text += fmt::format("  for (int i = 0; i < {}; i++) (({}*)(m + {}))[i] = {};\n", count,
                                  program::c_name_of(type.scalar), frame_.layout.offset[local],
                                  program::is_floating(type.scalar) ? prologue_.not_a_number() : "0");
    }
  }

  const FunctionFrame& frame_;
  Planner planner_;
  Prologue& prologue_;
  Style style_;
  EmittedProcedure result_;
  std::string text_;
  std::uint32_t next_ = 0;  // procedure
  bool fails_ = false;
};

}  // namespace

EmittedProcedure emit_function(const Frames& frames, const FunctionFrame& frame, Prologue& prologue, Style style) {
  return FunctionPrinter(frames, frame, prologue, style).run();
}

}  // namespace orrery::native
