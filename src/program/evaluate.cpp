// SPDX-License-Identifier: Apache-2.0
// Evaluation of whole operations and of expression graphs.
#include "program/evaluate.h"

#include <algorithm>
#include <cmath>
#include <complex>

#include "base/check.h"
#include "program/evaluate_complex.h"
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
      default: evaluate_operation(node.op, node.type, node.payload, operands_, result);
    }
  }

  const Graph& graph_;
  const Environment& environment_;
  std::vector<std::size_t> first_;
  std::vector<double> values_;
  std::vector<Operand> operands_;
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
  std::vector<bool> seen(graph.size());
  std::vector<ExprId> found;
  auto visit = [&](ExprId id) {
    if (seen[id]) return;
    seen[id] = true;
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
