// SPDX-License-Identifier: Apache-2.0
// The arena of expressions: interning of nodes and checked construction.
#include "program/graph.h"

#include <bit>
#include <cmath>
#include <cstring>

#include "base/check.h"

namespace orrery::program {
namespace {

std::uint64_t mix(std::uint64_t h, std::uint64_t value) {
  h = (h ^ value) * 0x9E3779B97F4A7C15u;
  return h ^ (h >> 32);
}

constexpr std::uint64_t no_entry = UINT64_MAX;
constexpr std::uint64_t id_mask = 0xFFFFFFFFu;

std::size_t data_length(const Type& type) {
  return static_cast<std::size_t>(type.size()) * (type.scalar == Scalar::c128 ? 2 : 1);
}

// The value a constant of this element type holds, as the conversion of a double would give it.
double representable(double value, Scalar scalar) {
  if (is_floating(scalar)) return value;
  if (scalar == Scalar::boolean) return value != 0 ? 1 : 0;
  if (std::isnan(value)) return 0;
  double whole = std::trunc(value) + 0.0;  // + 0.0: no negative zero among integers
  return std::fmin(std::fmax(whole, lowest_value(scalar)), highest_value(scalar));
}

// Equal sizes, or one operand a scalar that counts for every element.
Type broadcast(const Type& a, const Type& b) {
  if (a.is_scalar()) return b;
  ORRERY_CHECK(b.is_scalar() || (a.rows == b.rows && a.cols == b.cols));
  return a;
}

}  // namespace

ExprId Graph::constant(double value, Scalar scalar) {
  double data[2] = {value, 0};
  return constant(Type{scalar, 1, 1}, {data, scalar == Scalar::c128 ? 2u : 1u});
}

ExprId Graph::constant(Type type, std::span<const double> data) {
  ORRERY_CHECK(data.size() == data_length(type));
  // The data are appended first and taken back when an equal node is found; `data` may be part of data_ itself.
  std::size_t first = data_.size();
  bool inside = !data.empty() && data.data() >= data_.data() && data.data() < data_.data() + first;
  std::size_t offset = inside ? static_cast<std::size_t>(data.data() - data_.data()) : 0;
  data_.resize(first + data.size());
  const double* from = inside ? data_.data() + offset : data.data();
  for (std::size_t i = 0; i < data.size(); ++i) data_[first + i] = representable(from[i], type.scalar);
  Node node{Op::constant, type, 0, 0, first};
  std::size_t before = nodes_.size();
  ExprId id = intern(node, {});
  if (nodes_.size() == before) data_.resize(first);
  return id;
}

ExprId Graph::read(SlotId slot, Type type) { return make(Op::read, type, {}, slot); }

ExprId Graph::time() { return make(Op::time, Type{}, {}); }

ExprId Graph::clock_active(int clock) {
  return make(Op::clock_active, Type{Scalar::boolean, 1, 1}, {}, static_cast<std::uint64_t>(clock));
}

ExprId Graph::unary(Op op, ExprId a) {
  Type type = nodes_[a].type;
  if (op == Op::transpose) return transpose(a);
  if (is_reduction(op)) return reduce(op, a);
  if (op == Op::inverse || op == Op::determinant || op == Op::expm) {
    ORRERY_CHECK(type.scalar == Scalar::f64 && type.rows == type.cols);
    return build(op, op == Op::determinant ? type.element() : type, {&a, 1});
  }
  ORRERY_CHECK(is_elementwise_unary(op) && op != Op::cast);
  bool takes_parts = op == Op::real || op == Op::imag || op == Op::conj || op == Op::arg;
  if (takes_parts && type.scalar != Scalar::c128) {
    a = cast(Scalar::c128, a);
    type.scalar = Scalar::c128;
  }
  ORRERY_CHECK(accepts(op, type.scalar));
  return build(op, type.with(result_scalar(op, type.scalar)), {&a, 1});
}

ExprId Graph::binary(Op op, ExprId a, ExprId b) {
  if (op == Op::matmul) return matmul(a, b);
  if (op == Op::solve) return solve(a, b);
  ORRERY_CHECK(is_elementwise_binary(op));
  Scalar scalar = nodes_[a].type.scalar;
  ORRERY_CHECK(scalar == nodes_[b].type.scalar && accepts(op, scalar));
  ExprId arguments[2] = {a, b};
  return build(op, broadcast(nodes_[a].type, nodes_[b].type).with(result_scalar(op, scalar)), arguments);
}

ExprId Graph::select(ExprId condition, ExprId if_true, ExprId if_false) {
  Scalar scalar = nodes_[if_true].type.scalar;
  ORRERY_CHECK(nodes_[condition].type.scalar == Scalar::boolean && scalar == nodes_[if_false].type.scalar);
  Type type = broadcast(broadcast(nodes_[condition].type, nodes_[if_true].type), nodes_[if_false].type);
  ExprId arguments[3] = {condition, if_true, if_false};
  return build(Op::select, type.with(scalar), arguments);
}

ExprId Graph::cast(Scalar to, ExprId a) {
  Type type = nodes_[a].type;
  if (type.scalar == to) return a;
  return build(Op::cast, type.with(to), {&a, 1});
}

ExprId Graph::element(ExprId a, std::int64_t index) {
  Type type = nodes_[a].type;
  ORRERY_CHECK(index >= 0 && index < type.size());
  if (type.is_scalar()) return a;
  return build(Op::element, type.element(), {&a, 1}, static_cast<std::uint64_t>(index));
}

ExprId Graph::element(ExprId a, std::int32_t row, std::int32_t col) {
  Type type = nodes_[a].type;
  ORRERY_CHECK(row >= 0 && row < type.rows && col >= 0 && col < type.cols);
  return element(a, static_cast<std::int64_t>(col) * type.rows + row);
}

ExprId Graph::stack(Type type, std::span<const ExprId> scalars) {
  ORRERY_CHECK(static_cast<std::int64_t>(scalars.size()) == type.size());
  for (ExprId id : scalars) ORRERY_CHECK(nodes_[id].type == type.element());
  if (type.is_scalar()) return scalars[0];
  return build(Op::stack, type, scalars);
}

ExprId Graph::reshape(ExprId a, std::int32_t rows, std::int32_t cols) {
  Type type = nodes_[a].type;
  ORRERY_CHECK(static_cast<std::int64_t>(rows) * cols == type.size());
  if (rows == type.rows && cols == type.cols) return a;
  return build(Op::reshape, Type{type.scalar, rows, cols}, {&a, 1});
}

ExprId Graph::transpose(ExprId a) {
  Type type = nodes_[a].type;
  if (type.is_scalar()) return a;
  return build(Op::transpose, Type{type.scalar, type.cols, type.rows}, {&a, 1});
}

ExprId Graph::reduce(Op op, ExprId a) {
  Type type = nodes_[a].type;
  ORRERY_CHECK(is_reduction(op) && accepts(op, type.scalar));
  ORRERY_CHECK(type.size() > 0 || op == Op::sum || op == Op::product);
  if (type.is_scalar()) return a;
  return build(op, type.element(), {&a, 1});
}

ExprId Graph::matmul(ExprId a, ExprId b) {
  Type left = nodes_[a].type;
  Type right = nodes_[b].type;
  if (left.is_scalar() || right.is_scalar()) return binary(Op::mul, a, b);
  ORRERY_CHECK(left.scalar == right.scalar && is_floating(left.scalar) && left.cols == right.rows);
  ExprId arguments[2] = {a, b};
  return build(Op::matmul, Type{left.scalar, left.rows, right.cols}, arguments);
}

ExprId Graph::solve(ExprId a, ExprId b) {
  Type left = nodes_[a].type;
  Type right = nodes_[b].type;
  ORRERY_CHECK(left.scalar == Scalar::f64 && right.scalar == Scalar::f64);
  ORRERY_CHECK(left.rows == left.cols && left.rows == right.rows);
  if (left.is_scalar()) return binary(Op::div, b, a);
  ExprId arguments[2] = {a, b};
  return build(Op::solve, right, arguments);
}

ExprId Graph::past(const PastOf& of, std::span<const ExprId> arguments) {
  ORRERY_CHECK(of.history < most_histories && !arguments.empty() && arguments.size() <= 4);
  for (const ExprId argument : arguments) ORRERY_CHECK(type(argument) == Type{});
  return make(Op::past, Type{}, arguments, of.payload());
}

int Graph::declare(ForeignFunction function) {
  foreign_.push_back(std::move(function));
  return static_cast<int>(foreign_.size() - 1);
}

ExprId Graph::foreign(int function, int result, std::span<const ExprId> arguments) {
  ORRERY_CHECK(function >= 0 && static_cast<std::size_t>(function) < foreign_.size() && result >= 0 && result < 256);
  const ForeignFunction& declared = foreign_[static_cast<std::size_t>(function)];
  ORRERY_CHECK(static_cast<std::size_t>(result) < declared.results.size());
  ORRERY_CHECK(arguments.size() == declared.arguments.size());
  for (std::size_t k = 0; k < arguments.size(); ++k) ORRERY_CHECK(type(arguments[k]) == declared.arguments[k]);
  const Type result_type = declared.results[static_cast<std::size_t>(result)];
  const auto payload = static_cast<std::uint64_t>(function) << 8 | static_cast<unsigned>(result);
  return make(Op::foreign, result_type, arguments, payload);
}

ExprId Graph::both(ExprId a, ExprId b) {
  if (a == no_expr || a == b) return b;
  if (b == no_expr) return a;
  return binary(Op::logical_and, a, b);
}

ExprId Graph::either(ExprId a, ExprId b) {
  if (a == no_expr || b == no_expr) return no_expr;
  if (a == b) return a;
  return binary(Op::logical_or, a, b);
}

ExprId Graph::negate(ExprId a) {
  if (a == no_expr) return boolean(false);
  return unary(Op::logical_not, a);
}

bool Graph::is_constant(ExprId id, double value) const {
  const Node& node = nodes_[id];
  if (node.op != Op::constant) return false;
  std::span<const double> data = constant_data(id);
  std::size_t stride = node.type.scalar == Scalar::c128 ? 2 : 1;
  for (std::size_t i = 0; i < data.size(); ++i) {
    if (data[i] != (i % stride == 1 ? 0.0 : value)) return false;
  }
  return true;
}

std::span<const double> Graph::constant_data(ExprId id) const {
  const Node& node = nodes_[id];
  ORRERY_CHECK(node.op == Op::constant);
  return {data_.data() + node.payload, data_length(node.type)};
}

ExprId Graph::build(Op op, Type type, std::span<const ExprId> arguments, std::uint64_t payload) {
  if (options_.fold) {
    ExprId simpler = simplify(op, type, arguments, payload);
    if (simpler != no_expr) return simpler;
  }
  return make(op, type, arguments, payload);
}

ExprId Graph::make(Op op, Type type, std::span<const ExprId> arguments, std::uint64_t payload) {
  Node node{op, type, 0, static_cast<std::uint32_t>(arguments.size()), payload};
  return intern(node, arguments);
}

ExprId Graph::rebuild(ExprId id, std::span<const ExprId> arguments) {
  Node node = nodes_[id];
  ORRERY_CHECK(arguments.size() == node.argument_count);
  if (is_elementwise_binary(node.op)) return binary(node.op, arguments[0], arguments[1]);
  switch (node.op) {
    case Op::constant:
    case Op::read:
    case Op::time:
    case Op::placeholder:
    case Op::clock_active: return id;
    case Op::cast: return cast(node.type.scalar, arguments[0]);
    case Op::select: return select(arguments[0], arguments[1], arguments[2]);
    case Op::element: return element(arguments[0], static_cast<std::int64_t>(node.payload));
    case Op::stack: return stack(node.type, arguments);
    case Op::reshape: return reshape(arguments[0], node.type.rows, node.type.cols);
    case Op::matmul: return matmul(arguments[0], arguments[1]);
    case Op::solve: return solve(arguments[0], arguments[1]);
    case Op::gather:
    case Op::update: return index_operation(node.op, arguments, static_cast<std::uint32_t>(node.payload));
    case Op::concat: return concat(node.type, arguments);
    case Op::search: return search(arguments[0], arguments[1]);
    case Op::call:
    case Op::past:
    case Op::foreign: return make(node.op, node.type, arguments, node.payload);
    default: return unary(node.op, arguments[0]);
  }
}

std::size_t Graph::memory_bytes() const {
  return nodes_.capacity() * sizeof(Node) + arguments_.capacity() * sizeof(ExprId) + data_.capacity() * sizeof(double) +
         table_.capacity() * sizeof(table_[0]);
}

std::uint64_t Graph::hash(const Node& node, std::span<const ExprId> arguments) const {
  auto size = static_cast<std::uint64_t>(static_cast<std::uint32_t>(node.type.rows)) << 32 |
              static_cast<std::uint32_t>(node.type.cols);
  std::uint64_t h = mix(static_cast<std::uint64_t>(node.op) << 8 | static_cast<std::uint64_t>(node.type.scalar), size);
  if (node.op == Op::constant) {
    std::size_t length = data_length(node.type);
    for (std::size_t i = 0; i < length; ++i) h = mix(h, std::bit_cast<std::uint64_t>(data_[node.payload + i]));
    return h;
  }
  h = mix(h, node.payload);
  for (ExprId id : arguments) h = mix(h, id);
  return h;
}

bool Graph::same(ExprId id, const Node& node, std::span<const ExprId> arguments) const {
  const Node& other = nodes_[id];
  if (other.op != node.op || other.type != node.type || other.argument_count != node.argument_count) return false;
  if (node.op == Op::constant) {
    // Bits, not values: 0 and -0 differ, a NaN equals itself.
    std::size_t bytes = data_length(node.type) * sizeof(double);
    return bytes == 0 || std::memcmp(data_.data() + other.payload, data_.data() + node.payload, bytes) == 0;
  }
  if (other.payload != node.payload) return false;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments_[other.first_argument + i] != arguments[i]) return false;
  }
  return true;
}

ExprId Graph::intern(const Node& node, std::span<const ExprId> arguments) {
  std::size_t at = 0;
  std::uint64_t upper = 0;
  if (options_.share) {
    if (table_.size() < 2 * (nodes_.size() + 1)) grow_table();
    std::size_t mask = table_.size() - 1;
    upper = hash(node, arguments) & ~id_mask;
    // The upper half places the entry and is kept in it, so that other nodes are seldom looked at.
    for (at = (upper >> 32) & mask; table_[at] != no_entry; at = (at + 1) & mask) {
      if ((table_[at] & ~id_mask) != upper) continue;
      auto found = static_cast<ExprId>(table_[at] & id_mask);
      if (same(found, node, arguments)) return found;
    }
  }
  ORRERY_CHECK(nodes_.size() < no_expr);
  auto id = static_cast<ExprId>(nodes_.size());
  std::size_t first = arguments_.size();
  bool inside =
      !arguments.empty() && arguments.data() >= arguments_.data() && arguments.data() < arguments_.data() + first;
  std::size_t offset = inside ? static_cast<std::size_t>(arguments.data() - arguments_.data()) : 0;
  if (inside) {
    arguments_.resize(first + arguments.size());
    for (std::size_t i = 0; i < arguments.size(); ++i) arguments_[first + i] = arguments_[offset + i];
  } else {
    arguments_.insert(arguments_.end(), arguments.begin(), arguments.end());
  }
  nodes_.push_back(node);
  nodes_.back().first_argument = static_cast<std::uint32_t>(first);
  if (options_.share) table_[at] = upper | id;
  return id;
}

void Graph::grow_table() {
  std::vector<std::uint64_t> old = std::move(table_);
  std::size_t size = old.empty() ? 1024 : 4 * old.size();
  table_.assign(size, no_entry);
  for (std::uint64_t entry : old) {
    if (entry == no_entry) continue;
    std::size_t at = (entry >> 32) & (size - 1);
    while (table_[at] != no_entry) at = (at + 1) & (size - 1);
    table_[at] = entry;
  }
}

}  // namespace orrery::program
