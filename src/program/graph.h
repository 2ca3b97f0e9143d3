// SPDX-License-Identifier: Apache-2.0
// Expressions of a Program: pure, typed, hash-consed nodes in one arena.
//
// An expression has no side effect and no order of evaluation. It reads slots (the memory of a run) as they are when
// the procedure that evaluates it is entered. Matrices are whole nodes, stored column by column.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/diagnostic.h"
#include "program/type.h"

namespace orrery::program {

using ExprId = std::uint32_t;
using SlotId = std::uint32_t;
constexpr ExprId no_expr = UINT32_MAX;
constexpr SlotId no_slot = UINT32_MAX;

enum class Op : std::uint8_t {
  // leaves
  constant,      // payload: first element in Graph::data (complex: real part, imaginary part alternate)
  read,          // payload: slot
  time,          // simulated time
  placeholder,   // payload: number; a value in an expression that is being made into a function (Function)
  clock_active,  // payload: clock index; boolean, whether that clock ticks at the base tick now running
  // element by element, one argument
  neg,
  logical_not,
  bit_not,
  abs,  // of a complex number: its modulus (a double)
  sqrt,
  exp,
  log,
  log10,
  sin,
  cos,
  tan,
  asin,
  acos,
  atan,
  sinh,
  cosh,
  tanh,
  asinh,
  acosh,
  atanh,
  floor,
  ceil,
  round,
  trunc,  // round: halves away from zero
  sign,   // -1, 0, 1
  real,
  imag,
  conj,
  arg,
  is_nan,
  cast,  // to the node's own element type; double to integer truncates and saturates, NaN becomes 0
  // element by element, two arguments of one element type; equal sizes or one of them a scalar
  add,
  sub,
  mul,
  div,
  pow,
  atan2,
  hypot,
  mod,  // sign of the divisor (MATLAB mod); rem: sign of the dividend. Integer div/mod/rem by zero give 0.
  rem,
  min,
  max,
  less,
  less_equal,
  equal,
  not_equal,  // boolean
  logical_and,
  logical_or,
  logical_xor,
  bit_and,
  bit_or,
  bit_xor,
  shift_left,
  shift_right,
  complex_pair,  // a complex number from its real and imaginary part (doubles)
  // condition (boolean, scalar or of the same size), value if true, value if false
  select,
  // structure
  element,  // payload: index; scalar element of a matrix
  stack,    // a matrix from scalar arguments, column by column
  transpose,
  reshape,
  // reductions to a scalar
  sum,
  product,
  minimum,
  maximum,
  // whole-matrix operations (double only)
  matmul,  // also complex
  solve,   // A \ b
  inverse,
  determinant,
  expm,
  // arrays by computed index: positions are int32, from 0; payload: the site that is blamed for one outside
  gather,  // a, i: a at positions i, counted column by column; a, i, j: at rows i, columns j. Outside: NaN, or 0
  update,  // a, i, v; a, i, j, v: a with other elements, the last one wins. Outside: nothing changes
  concat,  // the elements of all arguments one after the other
  search,  // a, x (doubles, a ascending): how many elements of a are not greater than x; int32, none for NaN
  call,    // payload: function << 8 | result number (program/function.h)
  // payload: PastOf; a scalar from what Program::histories keep
  past,
  // payload: foreign function << 8 | result number
  foreign,
};

// What is asked of a history (program.h, History). A stretch is the time between two breaks of the signal; stretches
// are numbered as they come.
enum class PastWhat : std::uint8_t {
  value,    // (time, stretch) or (time, stretch, present value, now): an element, or its derivative by time, of `order`
  weight,   // (time, stretch, now): how much the value changes with the present one
  stretch,  // (time, now): the number of the stretch to which the time belongs
  // Of the history of a sensitivity begin and end of order 1 are how these instants change with the parameter.
  begin,  // (stretch): where it begins; one that began before all that is kept: long ago
  end,    // (stretch): where it ends; one that has not ended yet: far ahead
};

struct PastOf {
  std::uint32_t history = 0;
  PastWhat what = PastWhat::value;
  std::uint8_t order = 0;
  std::uint32_t element = 0;

  std::uint64_t payload() const {
    return std::uint64_t{history} << 48 | static_cast<std::uint64_t>(what) << 40 | std::uint64_t{order} << 32 | element;
  }
  static PastOf from(std::uint64_t payload) {
    return {static_cast<std::uint32_t>(payload >> 48), static_cast<PastWhat>(payload >> 40 & 255),
            static_cast<std::uint8_t>(payload >> 32 & 255), static_cast<std::uint32_t>(payload)};
  }
};
constexpr std::uint32_t most_histories = 65535;

struct Node {
  Op op;
  Type type;
  std::uint32_t first_argument;
  std::uint32_t argument_count;
  std::uint64_t payload;
};

// A function outside the Program, pure as far as the Program is concerned: its results follow from its arguments.
struct ForeignFunction {
  std::string symbol;
  std::vector<Type> arguments;
  std::vector<Type> results;
  std::uint32_t object = 0;  // whose function: index into Program::foreign_objects
  std::int32_t entry = 0;    // which of its functions
  // For each element of the results, one after the other, the elements of the arguments (of doubles) it depends on,
  // counted over all arguments, ascending. Arguments of other types always count. Empty: everything on everything.
  std::vector<std::vector<std::uint32_t>> depends_on = {};
  // The foreign function that takes the same arguments and gives, as one column, the partial derivative of every entry
  // of depends_on in order; -1: there is none.
  std::int32_t partials = -1;
};

struct Function;

// What may go wrong while an expression is evaluated, and where it was written.
struct Site {
  enum class Kind : std::uint8_t { index, turns, check };  // an index outside, a loop without end, an assertion
  Kind kind = Kind::index;
  Place place = {};
  std::string text = {};  // check: what it says
};

struct GraphOptions {
  bool fold = true;   // constants and exact identities are simplified as nodes are made
  bool share = true;  // equal nodes are one node
};

// Arguments always have smaller ids than the node they belong to, so a sweep over ids in ascending order visits
// arguments first; nothing here or in the passes recurses on the depth of an expression. References and spans obtained
// from a Graph are valid until the next node is made (arguments of the functions below may alias the graph's own).
class Graph {
 public:
  explicit Graph(GraphOptions options = {}) : options_(options) {}

  const Node& operator[](ExprId id) const { return nodes_[id]; }
  Type type(ExprId id) const { return nodes_[id].type; }
  std::span<const ExprId> arguments(ExprId id) const {
    const Node& n = nodes_[id];
    return {arguments_.data() + n.first_argument, n.argument_count};
  }
  std::size_t size() const { return nodes_.size(); }
  const GraphOptions& options() const { return options_; }
  void set_options(GraphOptions options) { options_ = options; }  // for the nodes to come

  // Leaves.
  ExprId placeholder(std::uint32_t number, Type type) { return make(Op::placeholder, type, {}, number); }
  ExprId constant(double value, Scalar scalar = Scalar::f64);
  ExprId constant(Type type, std::span<const double> data);  // complex: two doubles an element
  ExprId boolean(bool value) { return constant(value ? 1 : 0, Scalar::boolean); }
  ExprId read(SlotId slot, Type type);
  ExprId time();
  ExprId clock_active(int clock);

  // Operations. Types are checked (ORRERY_CHECK) and the result type is derived.
  ExprId unary(Op op, ExprId a);  // also transpose, reductions, inverse, determinant, expm
  ExprId binary(Op op, ExprId a, ExprId b);
  ExprId select(ExprId condition, ExprId if_true, ExprId if_false);
  ExprId cast(Scalar to, ExprId a);
  ExprId element(ExprId a, std::int64_t index);
  ExprId element(ExprId a, std::int32_t row, std::int32_t col);
  ExprId stack(Type type, std::span<const ExprId> scalars);
  ExprId reshape(ExprId a, std::int32_t rows, std::int32_t cols);
  ExprId transpose(ExprId a);
  ExprId reduce(Op op, ExprId a);
  ExprId matmul(ExprId a, ExprId b);
  ExprId solve(ExprId a, ExprId b);
  // From a history; arguments are scalar doubles, as PastWhat says.
  ExprId past(const PastOf& of, std::span<const ExprId> arguments);
  ExprId gather(ExprId a, ExprId index, std::uint32_t site = 0);
  ExprId gather_at(ExprId a, ExprId row, ExprId col, std::uint32_t site = 0);
  ExprId update(ExprId a, ExprId index, ExprId value, std::uint32_t site = 0);
  ExprId update_at(ExprId a, ExprId row, ExprId col, ExprId value, std::uint32_t site = 0);
  // a[first], a[first + step], … as a column; first is an int32.
  ExprId slice(ExprId a, ExprId first, std::int32_t step, std::int32_t count, std::uint32_t site = 0);
  ExprId concat(Type type, std::span<const ExprId> parts);
  ExprId search(ExprId a, ExprId x);
  // Where position k of indices lies in `a`; -1: outside, -2: some index is not a constant.
  std::int64_t constant_position(ExprId a, std::span<const ExprId> indices, std::int64_t k) const;
  // A number from 1 on; 0 is a site that nothing is known of. Equal ones are one.
  std::uint32_t add_site(Site site);
  const std::vector<Site>& sites() const { return sites_; }  // number - 1
  std::function<Place()> where;                              // while a text makes expressions: its place now
  // A result of a function with statements; functions that are declared twice are one.
  ExprId call(std::uint32_t function, std::uint32_t result, std::span<const ExprId> arguments);
  std::uint32_t declare(std::shared_ptr<const Function> function);
  const std::vector<std::shared_ptr<const Function>>& functions() const { return functions_; }
  const Function& function_of(ExprId call) const { return *functions_[nodes_[call].payload >> 8]; }
  // The function that differentiates another one (passes/differentiate_function.h); nothing: not made yet.
  std::map<std::uint32_t, std::uint32_t>& derivatives() { return derivatives_; }
  // A declared function's result.
  ExprId foreign(int function, int result, std::span<const ExprId> arguments);
  int declare(ForeignFunction function);
  const std::vector<ForeignFunction>& foreign_functions() const { return foreign_; }

  // Logic with the obvious simplifications; no_expr stands for "true" in guards.
  ExprId both(ExprId a, ExprId b);
  ExprId either(ExprId a, ExprId b);
  ExprId negate(ExprId a);

  bool is_constant(ExprId id) const { return nodes_[id].op == Op::constant; }
  bool is_constant(ExprId id, double value) const;  // every element equals value (and is real)
  std::span<const double> constant_data(ExprId id) const;

  // The node as it is, shared but not simplified: for passes that rebuild expressions.
  ExprId make(Op op, Type type, std::span<const ExprId> arguments, std::uint64_t payload = 0);
  // Rebuilds node `id` with other arguments (same op and payload), simplifying.
  ExprId rebuild(ExprId id, std::span<const ExprId> arguments);

  std::size_t memory_bytes() const;

 private:
  // simplify() or else make(), as the options say.
  ExprId build(Op op, Type type, std::span<const ExprId> arguments, std::uint64_t payload = 0);
  // An existing or simpler node with exactly the same value, or no_expr (simplify.cpp).
  ExprId simplify(Op op, Type type, std::span<const ExprId> arguments, std::uint64_t payload);
  ExprId fold_constants(Op op, Type type, std::span<const ExprId> arguments, std::uint64_t payload);
  ExprId simplify_unary(Op op, Type type, ExprId a);
  ExprId simplify_binary(Op op, Type type, ExprId a, ExprId b);
  ExprId simplify_select(Type type, ExprId condition, ExprId if_true, ExprId if_false);
  ExprId simplify_element(ExprId a, std::uint64_t index);
  ExprId simplify_stack(Type type, std::span<const ExprId> scalars);
  ExprId simplify_cast(Type type, ExprId a);
  ExprId simplify_gather(std::span<const ExprId> arguments);
  ExprId simplify_update(std::span<const ExprId> arguments);
  ExprId simplify_concat(Type type, std::span<const ExprId> parts);
  ExprId moved_element(ExprId source, std::int64_t k);
  ExprId index_operation(Op op, std::span<const ExprId> arguments, std::uint32_t site);
  ExprId simplify_double(Op op, Type type, ExprId a, ExprId b);
  ExprId simplify_integer(Op op, Type type, ExprId a, ExprId b);
  ExprId simplify_logic(Op op, Type type, ExprId a, ExprId b);
  ExprId simplify_relation(Op op, Type type, ExprId a, ExprId b);
  ExprId filled(Type type, double value);          // a constant, every element the same
  bool is_exactly(ExprId id, double value) const;  // a real constant with these bits in every element
  bool opposite(ExprId a, ExprId b) const;         // one is the logical_not of the other

  ExprId intern(const Node& node, std::span<const ExprId> arguments);
  std::uint64_t hash(const Node& node, std::span<const ExprId> arguments) const;
  bool same(ExprId id, const Node& node, std::span<const ExprId> arguments) const;
  void grow_table();

  GraphOptions options_;
  std::vector<Node> nodes_;
  std::vector<ExprId> arguments_;
  std::vector<double> data_;
  std::vector<std::uint64_t> table_;  // open addressing: upper half of the hash, node
  std::vector<ForeignFunction> foreign_;
  std::vector<Site> sites_;
  std::vector<std::shared_ptr<const Function>> functions_;
  std::map<std::uint32_t, std::uint32_t> derivatives_;
};

const char* name_of(Op op);
bool is_elementwise_unary(Op op);
bool is_elementwise_binary(Op op);
bool is_relation(Op op);
bool is_reduction(Op op);
// Of gather and update: how many of the arguments after the first are indices.
std::size_t index_count(const Node& node);
// Whether op accepts arguments of this element type, and what it makes of it (element-wise operations).
bool accepts(Op op, Scalar argument);
Scalar result_scalar(Op op, Scalar argument);

}  // namespace orrery::program
