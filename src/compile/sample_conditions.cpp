// SPDX-License-Identifier: Apache-2.0
// Slots in the place of jumps.
#include "compile/sample_conditions.h"

#include <fmt/format.h>

#include "compile/jumps.h"
#include "passes/visit.h"
#include "program/motion.h"

namespace orrery::compile {
namespace {

using program::ExprId;
using program::no_expr;
using program::Op;
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
    return memo_[root] == standing || !may_lack_value(root) ? memo_[root] : with_value(graph_, memo_[root], standing);
  }

 private:
  bool may_lack_value(ExprId root) {
    return lacks_(graph_, root, [&](ExprId id) { return program::may_lack_value(graph_, moves_, id); });
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
    if (jumps(graph_, id)) return read_sampled(id);
    if (is_continuous_choice(graph_, id)) {
      arguments[0] = as_it_stands(graph_.arguments(id)[0]);
      changed = true;
    } else if (is_difference(graph_, id)) {
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

  ExprId read_sampled(ExprId id) {
    const SlotId slot = program_.add_slot(
        {fmt::format("sampled{}", program_.sampled.size() + 1), graph_.type(id), program::SlotKind::signal, 0});
    program_.sampled.push_back({slot, id, no_expr, 0});
    return program_.read(slot);
  }

  ExprId remainder(ExprId id, const std::vector<ExprId>& arguments) {
    const std::vector<ExprId> raw(graph_.arguments(id).begin(), graph_.arguments(id).end());
    if (!is_remainder(graph_, id)) return graph_.rebuild(id, arguments);
    const ExprId now = quotient_of(graph_, id, raw[0], raw[1]);
    return remainder_after(graph_, graph_.rebuild(id, arguments), now, read_sampled(now), arguments[0], arguments[1]);
  }

  program::Program& program_;
  program::Graph& graph_;
  std::vector<bool> moves_;
  passes::NodeMemo<ExprId> memo_{no_expr};
  passes::AnyBelow lacks_;
};

}  // namespace

void sample_conditions(program::Program& program, SignalValues& values) {
  Sampling sampling(program);
  for (std::size_t k = 0; k < values.always.size(); ++k)
    values.always[k] = sampling.apply(values.always[k], values.standing[k]);
}

}  // namespace orrery::compile
