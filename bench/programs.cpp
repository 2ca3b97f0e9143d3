// SPDX-License-Identifier: Apache-2.0
// Programs for the measurements of native code.
#include "programs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

#include "program/expr.h"

namespace orrery::bench {
namespace {

using program::Expr;
using program::Program;

Expr add_state(Program& program, double initial) {
  const program::SlotId slot = program.add_slot({.name = fmt::format("x{}", program.states.size()),
                                                 .type = {},
                                                 .kind = program::SlotKind::state,
                                                 .origin = 0,
                                                 .initial = program.graph.constant(initial)});
  program.states.push_back(slot);
  return {&program.graph, program.read(slot)};
}

Program new_program() {
  Program program;
  program.add_origin({"bench", "model", 0});
  program.sources.push_back({.kind = program::SourceKind::initial, .table = {}, .activates = {}});
  return program;
}

// One statement in terms of earlier values: states first, then statements.
struct Statement {
  enum class Kind { sine, choice, sum } kind;
  std::size_t a, b;
};

std::vector<Statement> statements(int n) {
  std::mt19937 dice(1);
  std::vector<Statement> list;
  std::size_t values = static_cast<std::size_t>(std::max(1, n / 10));
  for (int k = 0; k < n; ++k, ++values) {
    const std::size_t a = values - 1 - dice() % std::min<std::size_t>(20, values);
    const std::size_t b = dice() % values;
    using Kind = Statement::Kind;
    list.push_back({k % 10 == 3 ? Kind::sine : k % 10 == 6 ? Kind::choice : Kind::sum, a, b});
  }
  return list;
}

}  // namespace

Program program_brusselator(int cells) {
  Program p = new_program();
  auto& g = p.graph;
  std::vector<Expr> u, v;
  for (int i = 0; i < cells; ++i) {
    u.push_back(add_state(p, 1 + std::sin(2 * std::numbers::pi * (i + 1) / (cells + 1))));
    v.push_back(add_state(p, 3));
  }
  const double d = 0.02 * (cells + 1) * (cells + 1);
  const Expr one(&g, g.constant(1)), three(&g, g.constant(3));
  for (int i = 0; i < cells; ++i) {
    const Expr uuv = u[i] * u[i] * v[i];
    const Expr u_left = i > 0 ? u[i - 1] : one, u_right = i < cells - 1 ? u[i + 1] : one;
    const Expr v_left = i > 0 ? v[i - 1] : three, v_right = i < cells - 1 ? v[i + 1] : three;
    p.derivatives.push_back((1.0 + uuv - 4.0 * u[i] + d * (u_left - 2.0 * u[i] + u_right)).id());
    p.derivatives.push_back((3.0 * u[i] - uuv + d * (v_left - 2.0 * v[i] + v_right)).id());
  }
  return p;
}

Program program_lorenz() {
  Program p = new_program();
  const Expr x = add_state(p, 1), y = add_state(p, 1), z = add_state(p, 1);
  p.derivatives = {(10.0 * (y - x)).id(), (28.0 * x - y - x * z).id(), (x * y - 8.0 / 3.0 * z).id()};
  return p;
}

Program program_statements(int n) {
  Program p = new_program();
  std::vector<Expr> values;
  for (int k = 0; k < std::max(1, n / 10); ++k) values.push_back(add_state(p, 0.5));
  for (const Statement& s : statements(n)) {
    const Expr a = values[s.a], b = values[s.b];
    values.push_back(s.kind == Statement::Kind::sine     ? apply(program::Op::sin, a * b)
                     : s.kind == Statement::Kind::choice ? select(a < b, a * 0.5, b)
                                                         : a * 0.25 - b * 0.5 + 0.1);
    if (values.size() % 10 == p.states.size() % 10) p.derivatives.push_back(values.back().id());
  }
  return p;
}

std::string text_of_statements(int n) {
  const auto states = static_cast<std::size_t>(std::max(1, n / 10));
  std::string text = "double sin(double);\nvoid rhs(double t, const double* x, double* dx) {\n  (void)t;\n";
  for (std::size_t k = 0; k < states; ++k) text += fmt::format("  double v{0} = x[{0}];\n", k);
  std::size_t k = states, derivative = 0;
  for (const Statement& s : statements(n)) {
    const char* form = s.kind == Statement::Kind::sine     ? "  double v{0} = sin(v{1} * v{2});\n"
                       : s.kind == Statement::Kind::choice ? "  double v{0} = v{1} < v{2} ? v{1} * 0.5 : v{2};\n"
                                                           : "  double v{0} = v{1} * 0.25 - v{2} * 0.5 + 0.1;\n";
    text += fmt::format(fmt::runtime(form), k, s.a, s.b);
    ++k;
    if (k % 10 == states % 10) text += fmt::format("  dx[{}] = v{};\n", derivative++, k - 1);
  }
  return text + "}\n";
}

}  // namespace orrery::bench
