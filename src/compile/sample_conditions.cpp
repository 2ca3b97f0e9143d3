// SPDX-License-Identifier: Apache-2.0
// Slots in the place of jumps.
#include "compile/sample_conditions.h"

#include <fmt/format.h>

#include <algorithm>

#include "passes/visit.h"
#include "program/evaluate.h"
#include "program/motion.h"

namespace orrery::compile {
namespace {

using program::ExprId;
using program::no_expr;
using program::Op;
using program::Scalar;
using program::SlotId;

class Sampling {
 public:
  explicit Sampling(program::Program& program)
      : program_(program), graph_(program.graph), moves_(program::find_moving(program)) {}

  // `standing` is the same with all conditions as they stand.
  ExprId apply(ExprId root, ExprId standing) {
    if (root == no_expr || root >= moves_.size() || !moves_[root]) return root;
    passes::visit_arguments_first(
        graph_, root, [&](ExprId id) { return memo_[id] != no_expr; }, [&](ExprId id) { memo_.set(id, replaced(id)); });
    return memo_[root] == standing || !may_lack_value(root) ? memo_[root] : with_value(memo_[root], standing);
  }

 private:
  bool may_lack_value(ExprId root) {
    const ExprId roots[] = {root};
    const auto reached = program::reachable(graph_, roots);
    return std::any_of(reached.begin(), reached.end(),
                       [&](ExprId id) { return program::may_lack_value(graph_, moves_, id); });
  }

  ExprId replaced(ExprId id) {
    if (id >= moves_.size() || !moves_[id]) return id;
    std::vector<ExprId> arguments;
    bool changed = false;
    for (const ExprId argument : graph_.arguments(id)) {
      arguments.push_back(memo_[argument]);
      changed = changed || arguments.back() != argument;
    }
    if (graph_[id].op == Op::mod || graph_[id].op == Op::rem) return remainder(id, arguments);
    if (jumps(id)) return read_sampled(id);
    if (is_continuous_choice(id)) {
      arguments[0] = as_it_stands(graph_.arguments(id)[0]);
      changed = true;
    } else if (is_difference(id)) {
      for (std::size_t k = 0; k < 2; ++k) arguments[k] = as_it_stands(graph_.arguments(id)[k]);
      changed = true;
    }
    return changed ? graph_.rebuild(id, arguments) : id;
  }

  ExprId as_it_stands(ExprId comparison) {
    std::vector<ExprId> compared;
    for (const ExprId argument : graph_.arguments(comparison)) compared.push_back(memo_[argument]);
    return graph_.rebuild(comparison, compared);
  }

  // a < b or b < a: what equals something for an instant only does so in it.
  bool is_difference(ExprId id) const {
    if (graph_[id].op != Op::logical_or) return false;
    const auto a = graph_.arguments(id);
    if (graph_[a[0]].op != Op::less || graph_[a[1]].op != Op::less) return false;
    const auto one = graph_.arguments(a[0]), other = graph_.arguments(a[1]);
    return one[0] == other[1] && one[1] == other[0];
  }

  bool jumps(ExprId id) const {
    const Op op = graph_[id].op;
    return program::has_corner(graph_, id) && op != Op::equal && op != Op::not_equal && op != Op::min &&
           op != Op::max && op != Op::abs && op != Op::minimum && op != Op::maximum;
  }

  // select(a < b, a, b) and select(0 <= a, a, -a): min, max and abs as continuous time has them.
  bool is_continuous_choice(ExprId id) const {
    if (graph_[id].op != Op::select) return false;
    const auto a = graph_.arguments(id);
    const Op op = graph_[a[0]].op;
    if (op != Op::less && op != Op::less_equal) return false;
    const auto c = graph_.arguments(a[0]);
    const auto is_negative_of = [&](ExprId n, ExprId x) {
      return graph_[n].op == Op::neg && graph_.arguments(n)[0] == x;
    };
    const bool compares_zero = graph_.is_constant(c[0], 0) || graph_.is_constant(c[1], 0);
    return (a[1] == c[0] && a[2] == c[1]) || (a[1] == c[1] && a[2] == c[0]) ||
           (compares_zero && (is_negative_of(a[2], a[1]) || is_negative_of(a[1], a[2])));
  }

  ExprId read_sampled(ExprId id) {
    const SlotId slot = program_.add_slot(
        {fmt::format("sampled{}", program_.sampled.size() + 1), graph_.type(id), program::SlotKind::signal, 0});
    program_.sampled.push_back({slot, id, no_expr, 0});
    return program_.read(slot);
  }

  // x - n y with the n of just after the instant, where that is another one.
  ExprId remainder(ExprId id, const std::vector<ExprId>& arguments) {
    const Op op = graph_[id].op;
    const std::vector<ExprId> raw(graph_.arguments(id).begin(), graph_.arguments(id).end());
    if (graph_.type(id).scalar != Scalar::f64) return graph_.rebuild(id, arguments);
    const ExprId count = graph_.unary(op == Op::mod ? Op::floor : Op::trunc, graph_.binary(Op::div, raw[0], raw[1]));
    const ExprId after = read_sampled(count);
    const ExprId rest = graph_.binary(Op::sub, arguments[0], graph_.binary(Op::mul, after, arguments[1]));
    return graph_.select(graph_.binary(Op::equal, after, count), graph_.rebuild(id, arguments), rest);
  }

  // Behind the condition of just after the instant a formula may have no value yet, as sqrt(u) behind u >= 0: then it
  // is taken as it stands.
  ExprId with_value(ExprId sampled, ExprId as_it_stands) {
    const program::Type type = graph_.type(sampled);
    if (type.scalar != Scalar::f64) return sampled;
    std::vector<ExprId> elements;
    for (std::int64_t k = 0; k < type.size(); ++k) {
      const ExprId value = type.is_scalar() ? sampled : graph_.element(sampled, k);
      const ExprId other = type.is_scalar() ? as_it_stands : graph_.element(as_it_stands, k);
      elements.push_back(value == other ? value : graph_.select(graph_.unary(Op::is_nan, value), other, value));
    }
    return type.is_scalar() ? elements[0] : graph_.stack(type, elements);
  }

  program::Program& program_;
  program::Graph& graph_;
  std::vector<bool> moves_;
  passes::NodeMemo<ExprId> memo_{no_expr};
};

}  // namespace

void sample_conditions(program::Program& program, SignalValues& values) {
  Sampling sampling(program);
  for (std::size_t k = 0; k < values.always.size(); ++k)
    values.always[k] = sampling.apply(values.always[k], values.standing[k]);
}

}  // namespace orrery::compile
