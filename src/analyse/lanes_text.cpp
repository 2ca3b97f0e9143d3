// SPDX-License-Identifier: Apache-2.0
// The C text of a model for lanes. The procedures are those of the second tier with vectors in the place of doubles:
// each operation is done for all lanes at once, in the same order and with the same rounding.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "analyse/lanes.h"
#include "native/emit.h"
#include "program/evaluate.h"
#include "solve/butcher_tables.h"
#include "solve/weighted_sum.h"

namespace orrery::analyse {
namespace {

using program::ExprId;
using program::Op;
using Table = solve::DormandPrince;

// Those the library has for numbers are called lane by lane.
const char* const prologue = R"(#pragma GCC target("avx2")
typedef double lanes __attribute__((vector_size(32)));
typedef long long bits __attribute__((vector_size(32)));
#define WIDE(a) ((a) - (lanes){0, 0, 0, 0})
#define EACH(f) \
  extern double f(double); \
  static inline lanes lane_##f(lanes a) { \
    lanes r; \
    for (int l = 0; l < 4; ++l) r[l] = f(a[l]); \
    return r; \
  }
EACH(exp) EACH(log) EACH(log10) EACH(sin) EACH(cos) EACH(tan) EACH(asin) EACH(acos) EACH(atan)
EACH(sinh) EACH(cosh) EACH(tanh)
static inline lanes lane_sqrt(lanes a) {
  lanes r;
  for (int l = 0; l < 4; ++l) r[l] = __builtin_sqrt(a[l]);
  return r;
}
static inline lanes size_of(lanes a) { return (lanes)((bits)a & 0x7fffffffffffffffLL); }
static inline lanes choose(bits which, lanes a, lanes b) { return (lanes)(((bits)a & which) | ((bits)b & ~which)); }
#define exp(a) lane_exp(WIDE(a))
#define log(a) lane_log(WIDE(a))
#define log10(a) lane_log10(WIDE(a))
#define sin(a) lane_sin(WIDE(a))
#define cos(a) lane_cos(WIDE(a))
#define tan(a) lane_tan(WIDE(a))
#define asin(a) lane_asin(WIDE(a))
#define acos(a) lane_acos(WIDE(a))
#define atan(a) lane_atan(WIDE(a))
#define sinh(a) lane_sinh(WIDE(a))
#define cosh(a) lane_cosh(WIDE(a))
#define tanh(a) lane_tanh(WIDE(a))
#define sqrt(a) lane_sqrt(WIDE(a))
#define fabs(a) size_of(WIDE(a))
)";

bool has_lanes(Op op) {
  static const std::set<Op> known = {Op::constant, Op::read, Op::time, Op::neg,   Op::add,  Op::sub, Op::mul, Op::div,
                                     Op::sqrt,     Op::exp,  Op::log,  Op::log10, Op::sin,  Op::cos, Op::tan, Op::asin,
                                     Op::acos,     Op::atan, Op::sinh, Op::cosh,  Op::tanh, Op::abs};
  return known.contains(op);
}

std::string number(double value) { return fmt::format("{:a}", value); }

// sum_j weights[j] k[j][i], left to right, without the zeros.
template <std::size_t N>
std::string sum_of(const double (&weights)[N]) {
  std::string text;
  for (std::size_t j = 0; j < N; ++j) {
    if (weights[j] == 0) continue;
    text += fmt::format("{}{} * k[{} * n + i]", text.empty() ? "" : " + ", number(weights[j]), j);
  }
  return "(" + text + ")";
}

std::string step_text(int n) {
  std::string text = fmt::format(R"(
enum {{ n = {} }};
#define ALL _Pragma("GCC unroll 16") for (int i = 0; i < n; ++i)
void orr_lane_attempt(const lanes* t, const lanes* h_, const lanes* t_new, const bits* take, lanes* restrict work,
                      const double* restrict absolute, double relative, double share, lanes* squared, unsigned char* m) {{
  lanes* restrict x = work;
  lanes* restrict y = work + n;
  lanes* restrict k = work + 2 * n;
  const lanes h = *h_;
  ALL {{
    x[i] = choose(*take, y[i], x[i]);
    k[i] = choose(*take, k[6 * n + i], k[i]);
  }}
)",
                                 n);
  const auto stage = [&](auto row) {
    text += fmt::format("  ALL y[i] = x[i] + h * {};\n  orr_rates(*t + {} * h, y, k + {} * n, m, 0);\n",
                        sum_of(Table::a[row]), number(Table::c[row]), static_cast<int>(row));
  };
  for (std::size_t row = 1; row < Table::stages; ++row) stage(row);
  text += fmt::format("  ALL y[i] = x[i] + h * {};\n  orr_rates(*t_new, y, k + 6 * n, m, 0);\n", sum_of(Table::b));
  // More than eight states are summed in pairs (solve/weighted_sum.h).
  text += fmt::format(R"(  lanes even = {{0, 0, 0, 0}}, odd = {{0, 0, 0, 0}};
  ALL {{
    const lanes error = h * {};
    const lanes a = size_of(x[i]), b = size_of(y[i]);
    const lanes scale = absolute[i] + relative * choose((bits)(a > b), a, b);
    const lanes ratio = error / scale;
    if (i % {} == 0) even += ratio * ratio + 0.0 * y[i]; else odd += ratio * ratio + 0.0 * y[i];
  }}
  *squared = (even{}) * share;
}}
void orr_lane_rates(const lanes* t, const lanes* x, lanes* y, unsigned char* m) {{ orr_rates(*t, x, y, m, 0); }}
void orr_lane_shown(const lanes* t, const lanes* x, lanes* y, unsigned char* m) {{ orr_shown(*t, x, y, m, 0); }}
)",
                      sum_of(Table::error), n > solve::most_states_one_by_one ? 2 : 1,
                      n > solve::most_states_one_by_one ? " + odd" : "");
  return text;
}

}  // namespace

std::string lanes_text(const sim::CompiledProgram& compiled, const std::vector<ExprId>& shown,
                       program::Program& program, std::string& why) {
  std::vector<ExprId> all = program.derivatives;
  all.insert(all.end(), shown.begin(), shown.end());
  for (const ExprId id : program::reachable(program.graph, all)) {
    const program::Node& node = program.graph[id];
    if (node.type.scalar == program::Scalar::f64 && node.type.size() == 1 && has_lanes(node.op)) continue;
    why = node.type.size() > 1 ? "it has signals with several elements"
                               : "it has conditions, integers or operations that have no form for lanes";
    return {};
  }
  const auto procedure = [](const char* name, const std::vector<ExprId>& values) {
    program::Procedure result{name, {}};
    std::uint32_t next = 0;
    for (const ExprId value : values)
      result.stores.push_back({program::Store::Target::output, next++, value, program::no_expr, 0});
    return result;
  };
  program::Layout layout = compiled.layout();
  layout.workspace = 0;
  const std::string text =
      native::emit_unit(program, layout, {procedure("rates", program.derivatives), procedure("shown", shown)},
                        native::Style::readable)
          .text;
  const std::size_t begin = text.find("void orr_rates(");
  if (begin == std::string::npos || text.find("ORR_PART void") != std::string::npos) {
    why = "it is too large for that";
    return {};
  }
  return std::string(prologue) + "#define double lanes\n" + text.substr(begin) + "#undef double\n" +
         step_text(static_cast<int>(program.derivatives.size()));
}

}  // namespace orrery::analyse
