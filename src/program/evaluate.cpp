// SPDX-License-Identifier: Apache-2.0
// Evaluation of whole operations and of expression graphs.
#include "program/evaluate.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>

#include "base/check.h"
#include "program/evaluate_complex.h"
#include "program/function.h"
#include "program/matrix_kernels.h"

namespace orrery::program {
namespace {

double at(const Operand& operand, std::int64_t k) { return operand.data[operand.type.is_scalar() ? 0 : k]; }

void evaluate_select(Type type, std::span<const Operand> arguments, std::span<double> result) {
  std::int64_t width = type.scalar == Scalar::c128 ? 2 : 1;
  for (std::int64_t k = 0; k < type.size(); ++k) {
    const Operand& branch = at(arguments[0], k) != 0 ? arguments[1] : arguments[2];
    std::int64_t from = branch.type.is_scalar() ? 0 : k;
    for (std::int64_t part = 0; part < width; ++part) result[k * width + part] = branch.data[from * width + part];
  }
}

// element, stack, transpose, reshape: elements move, `width` doubles each.
void evaluate_structure(Op op, Type type, std::uint64_t payload, std::span<const Operand> arguments,
                        std::span<double> result) {
  std::size_t width = type.scalar == Scalar::c128 ? 2 : 1;
  for (std::size_t k = 0; k < static_cast<std::size_t>(type.size()); ++k) {
    const Operand& source = arguments[op == Op::stack ? k : 0];
    std::size_t from = op == Op::stack ? 0 : op == Op::element ? payload : k;
    if (op == Op::transpose) {
      auto rows = static_cast<std::size_t>(type.rows);
      from = k % rows * static_cast<std::size_t>(type.cols) + k / rows;
    }
    std::copy_n(source.data.begin() + static_cast<std::ptrdiff_t>(from * width), width,
                result.begin() + static_cast<std::ptrdiff_t>(k * width));
  }
}

// Where position k of an operation by index lies, or -1; `trouble` is told how it is outside.
std::int64_t position_of(const Type& array, std::span<const Operand> indices, std::int64_t k, Trouble* trouble) {
  std::int64_t at[2] = {0, 0};
  const std::int64_t lengths[2] = {indices.size() == 2 ? array.rows : array.size(), array.cols};
  for (std::size_t i = 0; i < indices.size(); ++i) {
    at[i] = static_cast<std::int64_t>(indices[i].data[indices[i].type.is_scalar() ? 0 : static_cast<std::size_t>(k)]);
    if (at[i] >= 0 && at[i] < lengths[i]) continue;
    if (trouble != nullptr) *trouble = {{}, static_cast<double>(at[i]), lengths[i]};
    return -1;
  }
  return at[0] + at[1] * array.rows;
}

std::int64_t positions_in(std::span<const Operand> indices) {
  std::int64_t count = indices[0].type.size();
  for (const Operand& index : indices) {
    if (!index.type.is_scalar()) count = index.type.size();
  }
  return count;
}

void evaluate_indexed(Op op, Type type, std::span<const Operand> arguments, std::span<double> result) {
  const std::size_t width = type.scalar == Scalar::c128 ? 2 : 1;
  const Operand& array = arguments[0];
  const auto indices = arguments.subspan(1, arguments.size() - (op == Op::update ? 2 : 1));
  if (op == Op::update) std::ranges::copy(array.data, result.begin());
  const auto copy = [&](const Operand& from, std::size_t source, std::size_t target) {
    for (std::size_t part = 0; part < width; ++part) result[target * width + part] = from.data[source * width + part];
  };
  for (std::int64_t k = 0; k < positions_in(indices); ++k) {
    const std::int64_t at = position_of(array.type, indices, k, nullptr);
    const auto here = static_cast<std::size_t>(k);
    if (op == Op::update) {
      const Operand& value = arguments.back();
      if (at >= 0) copy(value, value.type.is_scalar() ? 0 : here, static_cast<std::size_t>(at));
    } else if (at >= 0) {
      copy(array, static_cast<std::size_t>(at), here);
    } else {
      std::fill_n(result.begin() + static_cast<std::ptrdiff_t>(here * width), width,
                  is_floating(type.scalar) ? std::numeric_limits<double>::quiet_NaN() : 0);
    }
  }
}

void evaluate_concat(std::span<const Operand> arguments, std::span<double> result) {
  std::size_t next = 0;
  for (const Operand& part : arguments) {
    std::ranges::copy(part.data, result.begin() + static_cast<std::ptrdiff_t>(next));
    next += part.data.size();
  }
}

void evaluate_search(std::span<const Operand> arguments, std::span<double> result) {
  const auto& table = arguments[0].data;
  for (std::size_t k = 0; k < result.size(); ++k) {
    const double x = arguments[1].data[k];
    std::size_t low = 0, high = std::isnan(x) ? 0 : table.size();
    while (low < high) {
      const std::size_t middle = (low + high) / 2;
      if (table[middle] <= x)
        low = middle + 1;
      else
        high = middle;
    }
    result[k] = static_cast<double>(low);
  }
}

double evaluate_reduction(Op op, const Operand& a) {
  if (a.data.empty()) return op == Op::product ? 1 : 0;
  Op step = op == Op::sum ? Op::add : op == Op::product ? Op::mul : op == Op::minimum ? Op::min : Op::max;
  double value = a.data[0];
  for (std::size_t k = 1; k < a.data.size(); ++k) value = evaluate_binary(step, a.type.scalar, value, a.data[k]);
  return value;
}

void evaluate_matrix(Op op, std::span<const Operand> arguments, std::span<double> result) {
  const Operand& a = arguments[0];
  int n = a.type.rows;
  std::vector<double> work(4 * static_cast<std::size_t>(n) * static_cast<std::size_t>(n));
  std::vector<int> pivot(static_cast<std::size_t>(n));
  switch (op) {
    case Op::matmul:
      orr_matmul(n, a.type.cols, arguments[1].type.cols, a.data.data(), arguments[1].data.data(), result.data());
      return;
    case Op::solve:
      orr_solve(n, arguments[1].type.cols, a.data.data(), arguments[1].data.data(), result.data(), work.data(),
                pivot.data());
      return;
    case Op::inverse: orr_inverse(n, a.data.data(), result.data(), work.data(), pivot.data()); return;
    case Op::determinant: result[0] = orr_determinant(n, a.data.data(), work.data(), pivot.data()); return;
    case Op::expm: orr_expm(n, a.data.data(), result.data(), work.data(), pivot.data()); return;
    default: ORRERY_CHECK(false && "a whole-matrix operation");
  }
}

class Evaluation {
 public:
  Evaluation(const Graph& graph, const Environment& environment) : graph_(graph), environment_(environment) {}

  void run(std::span<const ExprId> expressions) {
    std::vector<ExprId> order = reachable(graph_, expressions);
    first_.assign(order.empty() ? 0 : order.back() + 1, 0);
    std::size_t total = 0;
    for (ExprId id : order) {
      first_[id] = total;
      total += length(id);
    }
    values_.resize(total);
    for (ExprId id : order) evaluate_node(id);
    if (environment_.trouble != nullptr && may_fail(graph_)) find_trouble(expressions);
  }

  std::vector<double> value(ExprId id) const {
    std::span<const double> data = view(id).data;
    return {data.begin(), data.end()};
  }

 private:
  std::size_t length(ExprId id) const {
    Type type = graph_.type(id);
    return static_cast<std::size_t>(type.size()) * (type.scalar == Scalar::c128 ? 2 : 1);
  }
  Operand view(ExprId id) const { return {graph_.type(id), {values_.data() + first_[id], length(id)}}; }

  void evaluate_node(ExprId id) {
    const Node& node = graph_[id];
    std::span<double> result{values_.data() + first_[id], length(id)};
    operands_.clear();
    for (ExprId a : graph_.arguments(id)) operands_.push_back(view(a));
    switch (node.op) {
      case Op::constant: std::ranges::copy(graph_.constant_data(id), result.begin()); return;
      case Op::time: result[0] = environment_.time; return;
      case Op::clock_active:
        result[0] = node.payload < environment_.active_clocks.size() && environment_.active_clocks[node.payload];
        return;
      case Op::read:
        ORRERY_CHECK(environment_.slots.size() > node.payload);
        ORRERY_CHECK(environment_.slots[node.payload].size() == result.size());
        std::ranges::copy(environment_.slots[node.payload], result.begin());
        return;
      case Op::past: {
        double arguments[4] = {};
        for (std::size_t k = 0; k < operands_.size(); ++k) arguments[k] = operands_[k].data[0];
        result[0] = environment_.past(PastOf::from(node.payload), std::span(arguments).first(operands_.size()));
        return;
      }
      case Op::foreign:
        ORRERY_CHECK(environment_.foreign != nullptr);
        environment_.foreign(static_cast<int>(node.payload >> 8), static_cast<int>(node.payload & 255), operands_,
                             result);
        return;
      case Op::call: {
        const Called& called = call(id);
        std::ranges::copy(called.results[node.payload & 255], result.begin());
        return;
      }
      default: evaluate_operation(node.op, node.type, node.payload, operands_, result);
    }
  }

  struct Called {
    std::vector<std::vector<double>> results;
    std::optional<Trouble> trouble;
  };

  // All results of one call are computed together.
  const Called& call(ExprId id) {
    const auto arguments = graph_.arguments(id);
    const auto [entry, is_new] =
        called_.try_emplace({graph_[id].payload >> 8, {arguments.begin(), arguments.end()}}, Called{});
    if (is_new) {
      std::int64_t turns = most_turns;
      std::int64_t& left = environment_.turns != nullptr ? *environment_.turns : turns;
      entry->second.results = evaluate_function(graph_.function_of(id), operands_, left, entry->second.trouble);
    }
    return entry->second;
  }

  // The first trouble of what the expressions need.
  void find_trouble(std::span<const ExprId> expressions) {
    std::vector<ExprId> waiting(expressions.begin(), expressions.end());
    std::vector<bool> seen(graph_.size());
    std::map<ExprId, Trouble> found;
    while (!waiting.empty()) {
      const ExprId id = waiting.back();
      waiting.pop_back();
      if (id == no_expr || seen[id]) continue;
      seen[id] = true;
      const Node& node = graph_[id];
      const auto arguments = graph_.arguments(id);
      if (node.op == Op::select && graph_.type(arguments[0]).is_scalar()) {
        waiting.insert(waiting.end(), {arguments[0], arguments[view(arguments[0]).data[0] != 0 ? 1 : 2]});
        continue;
      }
      waiting.insert(waiting.end(), arguments.begin(), arguments.end());
      if (node.op == Op::call) {
        const auto& called = called_.at({node.payload >> 8, {arguments.begin(), arguments.end()}});
        if (called.trouble) found.emplace(id, *called.trouble);
      } else if ((node.op == Op::gather || node.op == Op::update) && node.payload > 0) {
        std::vector<Operand> indices;
        for (std::size_t i = 0; i < index_count(node); ++i) indices.push_back(view(arguments[1 + i]));
        Trouble trouble;
        for (std::int64_t k = 0; k < positions_in(indices); ++k) {
          if (position_of(graph_.type(arguments[0]), indices, k, &trouble) >= 0) continue;
          trouble.site = graph_.sites()[node.payload - 1];
          found.emplace(id, trouble);
          break;
        }
      }
    }
    if (!found.empty() && !*environment_.trouble) *environment_.trouble = found.begin()->second;
  }

  const Graph& graph_;
  const Environment& environment_;
  std::vector<std::size_t> first_;
  std::vector<double> values_;
  std::vector<Operand> operands_;
  std::map<std::pair<std::uint64_t, std::vector<ExprId>>, Called> called_;
};

}  // namespace

double PastValues::operator()(const PastOf& of, std::span<const double> arguments) const {
  ORRERY_CHECK(call != nullptr);
  double four[4] = {};
  std::copy(arguments.begin(), arguments.end(), four);
  return call(self, static_cast<int>(of.history), static_cast<int>(of.what), of.order, static_cast<int>(of.element),
              arguments.size() == 4 ? 1 : 0, four);
}

void evaluate_operation(Op op, Type type, std::uint64_t payload, std::span<const Operand> arguments,
                        std::span<double> result) {
  if (op == Op::select) return evaluate_select(type, arguments, result);
  if (op >= Op::element && op <= Op::reshape) return evaluate_structure(op, type, payload, arguments, result);
  if (op == Op::gather || op == Op::update) return evaluate_indexed(op, type, arguments, result);
  if (op == Op::concat) return evaluate_concat(arguments, result);
  if (op == Op::search) return evaluate_search(arguments, result);
  bool complex = type.scalar == Scalar::c128 || (!arguments.empty() && arguments[0].type.scalar == Scalar::c128);
  if (complex) return evaluate_complex(op, type, arguments, result);
  if (is_elementwise_unary(op)) {
    Scalar from = arguments[0].type.scalar;
    for (std::size_t k = 0; k < result.size(); ++k) {
      double a = arguments[0].data[k];
      result[k] = op == Op::cast ? evaluate_cast(from, type.scalar, a) : evaluate_unary(op, from, a);
    }
  } else if (is_elementwise_binary(op)) {
    for (std::size_t k = 0; k < result.size(); ++k) {
      auto i = static_cast<std::int64_t>(k);
      result[k] = evaluate_binary(op, arguments[0].type.scalar, at(arguments[0], i), at(arguments[1], i));
    }
  } else if (is_reduction(op)) {
    result[0] = evaluate_reduction(op, arguments[0]);
  } else {
    evaluate_matrix(op, arguments, result);
  }
}

std::vector<double> evaluate(const Graph& graph, ExprId expression, const Environment& environment) {
  Evaluation evaluation(graph, environment);
  evaluation.run({&expression, 1});
  return evaluation.value(expression);
}

std::vector<std::vector<double>> evaluate(const Graph& graph, std::span<const ExprId> expressions,
                                          const Environment& environment) {
  Evaluation evaluation(graph, environment);
  evaluation.run(expressions);
  std::vector<std::vector<double>> values;
  for (ExprId id : expressions) values.push_back(evaluation.value(id));
  return values;
}

std::vector<ExprId> reachable(const Graph& graph, std::span<const ExprId> expressions) {
  // The many small expressions of a large model must not pay for the size of its graph.
  constexpr std::size_t few = 32;
  std::vector<bool> seen;
  std::vector<ExprId> found;
  const auto visit = [&](ExprId id) {
    if (found.size() < few) {
      if (std::find(found.begin(), found.end(), id) != found.end()) return;
    } else {
      if (seen.empty()) {
        seen.resize(graph.size());
        for (const ExprId earlier : found) seen[earlier] = true;
      }
      if (seen[id]) return;
      seen[id] = true;
    }
    found.push_back(id);
  };
  for (ExprId id : expressions) {
    if (id != no_expr) visit(id);
  }
  for (std::size_t next = 0; next < found.size(); ++next) {
    for (ExprId a : graph.arguments(found[next])) visit(a);
  }
  std::ranges::sort(found);
  return found;
}

}  // namespace orrery::program
