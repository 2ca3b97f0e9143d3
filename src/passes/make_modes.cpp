// SPDX-License-Identifier: Apache-2.0
// Corners and jumps, operation by operation.
#include "passes/make_modes.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "program/evaluate.h"
#include "program/motion.h"

namespace orrery::passes {

using program::ExprId;
using program::no_expr;
using program::Node;
using program::Op;
using program::Scalar;
using program::SlotId;
using program::SlotKind;
using program::Type;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

}  // namespace

// The mode that stands for `condition`; bounds(read) gives what bounds it.
template <class Bounds>
ExprId ModeMaker::mode(ExprId condition, Type type, Bounds&& bounds) {
  const auto known = mode_of_.find(condition);
  if (known != mode_of_.end()) return known->second;
  const SlotId slot = program_.add_slot(
      {fmt::format("mode{}", modes_.size() + 1), type, SlotKind::mode, origin_, g_.constant(0, type.scalar)});
  const ExprId read = program_.read(slot);
  const ExprId written = type.scalar == Scalar::boolean ? condition : written_;
  modes_.push_back({slot, condition, bounds(read), written});
  mode_of_.emplace(condition, read);
  return read;
}

ExprId ModeMaker::apply(ExprId root) {
  if (root == no_expr) return no_expr;
  const ExprId roots[] = {root};
  std::vector<ExprId> arguments;
  for (const ExprId id : program::reachable(g_, roots)) {  // arguments come before what uses them
    if (done_.contains(id)) continue;
    arguments.clear();
    bool changed = false;
    for (const ExprId argument : g_.arguments(id)) {
      arguments.push_back(done_.find(argument));
      changed = changed || arguments.back() != argument;
    }
    done_.add(id, guarded(changed ? g_.rebuild(id, arguments) : id));
  }
  return done_.find(root);
}

bool ModeMaker::is_still_slot(SlotId slot) const {
  if (moving_ != nullptr) return std::find(moving_->begin(), moving_->end(), slot) == moving_->end();
  const SlotKind kind = program_.slots[slot].kind;
  return kind == SlotKind::parameter || kind == SlotKind::discrete || kind == SlotKind::mode;
}

// Whether a value cannot change while only continuous signals move. Integers and truth values cannot: whatever makes
// them from doubles is guarded.
bool ModeMaker::is_still(ExprId root) {
  std::vector<ExprId> stack{root};
  while (!stack.empty()) {
    const ExprId id = stack.back();
    if (still_.contains(id)) {
      stack.pop_back();
      continue;
    }
    const Node& node = g_[id];
    if (node.op == Op::constant || !is_floating(node.type.scalar)) {
      still_.emplace(id, true);
    } else if (node.op == Op::read) {
      still_.emplace(id, is_still_slot(static_cast<SlotId>(node.payload)));
    } else if (moving_ == nullptr && (node.op == Op::time || node.op == Op::past || node.op == Op::foreign)) {
      still_.emplace(id, false);
    } else {
      bool ready = true;
      bool still = true;
      for (const ExprId argument : g_.arguments(id)) {
        const auto known = still_.find(argument);
        if (known == still_.end()) stack.push_back(argument);
        ready = ready && known != still_.end();
        still = still && known != still_.end() && known->second;
      }
      if (ready) still_.emplace(id, still);
    }
  }
  return still_.at(root);
}

// A node whose arguments are guarded already.
ExprId ModeMaker::guarded(ExprId id) {
  const Node node = g_[id];
  const auto span = g_.arguments(id);
  if (!program::has_corner(g_, id)) return id;
  const std::vector<ExprId> arguments(span.begin(), span.end());
  if (std::all_of(arguments.begin(), arguments.end(), [&](ExprId a) { return is_still(a); })) return id;
  if (node.op == Op::call) return id;  // nothing can be put in its place; the verifier wants to hear of it
  if (node.op == Op::minimum || node.op == Op::maximum) return extreme(node.op, arguments[0]);
  std::vector<ExprId> elements;
  for (std::int64_t k = 0; k < node.type.size(); ++k) {
    std::vector<ExprId> scalars;
    if (node.op == Op::search) {
      const ExprId x = g_.type(arguments[1]).is_scalar() ? arguments[1] : g_.element(arguments[1], k);
      written_ = x;
      elements.push_back(interval(arguments[0], x));
      continue;
    }
    for (const ExprId a : arguments) scalars.push_back(g_.type(a).is_scalar() ? a : g_.element(a, k));
    written_ = node.type.is_scalar() ? id : g_.element(id, k);
    elements.push_back(corner(node.op, node.type.scalar, scalars));
  }
  return node.type.is_scalar() ? elements[0] : g_.stack(node.type, elements);
}

// One element. Complex numbers have no order: of them only equality and conversions have corners.
ExprId ModeMaker::corner(Op op, Scalar result, const std::vector<ExprId>& a) {
  const bool complex = g_.type(a[0]).scalar == Scalar::c128;
  switch (op) {
    case Op::less:
    case Op::less_equal: return relation(op, a[0], a[1]);
    case Op::equal: return negate(differs(a[0], a[1]));
    case Op::not_equal: return differs(a[0], a[1]);
    case Op::min: return g_.select(relation(Op::less, a[0], a[1]), a[0], a[1]);
    case Op::max: return g_.select(relation(Op::less, a[1], a[0]), a[0], a[1]);
    case Op::abs: return magnitude(a[0]);
    case Op::sign:
      return g_.select(relation(Op::less, number(0), a[0]), number(1),
                       g_.select(relation(Op::less, a[0], number(0)), number(-1), number(0)));
    case Op::past: return stretch(a[0], a[1]);
    case Op::floor: return whole(a[0], true);
    case Op::ceil: return whole(a[0], false);
    case Op::round: return towards_zero(g_.unary(Op::round, a[0]), a[0], 0.5, -infinity, infinity);
    case Op::trunc: return towards_zero(g_.unary(Op::trunc, a[0]), a[0], 1, -infinity, infinity);
    case Op::mod: return modulo(a[0], a[1]);
    case Op::rem: return remainder(a[0], a[1]);
    case Op::cast: {
      if (result == Scalar::boolean) return differs(a[0], g_.constant(0, g_.type(a[0]).scalar));
      return to_integer(result, complex ? g_.unary(Op::real, a[0]) : a[0]);
    }
    default: return no_expr;
  }
}

// a < b becomes the strict surface b - a > 0, a <= b the surface b - a >= 0, unless the opposite has one already.
ExprId ModeMaker::relation(Op op, ExprId a, ExprId b) {
  const ExprId condition = g_.binary(op, a, b);
  if (is_still(a) && is_still(b)) return condition;
  const auto opposite = mode_of_.find(g_.binary(op == Op::less ? Op::less_equal : Op::less, b, a));
  if (opposite != mode_of_.end()) return negate(opposite->second);
  return mode(condition, Type{Scalar::boolean, 1, 1}, [&](ExprId) {
    return std::vector<ModeBound>{{minus(b, a), op == Op::less}};
  });
}

ExprId ModeMaker::differs(ExprId a, ExprId b) {
  if (g_.type(a).scalar == Scalar::c128) {
    return g_.binary(Op::logical_or, differs(g_.unary(Op::real, a), g_.unary(Op::real, b)),
                     differs(g_.unary(Op::imag, a), g_.unary(Op::imag, b)));
  }
  return g_.binary(Op::logical_or, relation(Op::less, a, b), relation(Op::less, b, a));
}

ExprId ModeMaker::magnitude(ExprId a) {
  return g_.select(relation(Op::less_equal, number(0), a), a, g_.unary(Op::neg, a));
}

// floor: n <= u < n + 1; ceil: n - 1 < u <= n.
ExprId ModeMaker::whole(ExprId u, bool down) {
  if (is_still(u)) return g_.unary(down ? Op::floor : Op::ceil, u);
  return mode(g_.unary(down ? Op::floor : Op::ceil, u), Type{}, [&](ExprId n) {
    if (down) return std::vector<ModeBound>{{minus(u, n), false}, {minus(plus(n, 1), u), true}};
    return std::vector<ModeBound>{{minus(n, u), false}, {minus(u, plus(n, -1)), true}};
  });
}

// The stretch of a history to which a time belongs: begin <= time < end.
ExprId ModeMaker::stretch(ExprId time, ExprId now) {
  using program::PastOf, program::PastWhat;
  const std::uint32_t history = PastOf::from(g_[written_].payload).history;
  const ExprId asked[] = {time, now};
  const ExprId read = mode(g_.past({history, PastWhat::stretch}, asked), Type{}, [&](ExprId n) {
    const ExprId number[] = {n};
    const ExprId begin = g_.past({history, PastWhat::begin}, number), end = g_.past({history, PastWhat::end}, number);
    return std::vector<ModeBound>{{minus(time, begin), false}, {minus(end, time), true}};
  });
  MadeMode& made =
      *std::find_if(modes_.begin(), modes_.end(), [&](const MadeMode& m) { return m.mode == g_[read].payload; });
  made.history = history;
  made.steady = g_[time].op == Op::sub && g_[g_.arguments(time)[0]].op == Op::time && is_still(g_.arguments(time)[1]);
  return read;
}

// Rules that treat both signs alike. A positive n stands for [n + reach - 1, n + reach), a negative one for the
// mirror image, 0 for the open interval from -reach to reach. Beyond `lowest` and `highest` n stays.
ExprId ModeMaker::towards_zero(ExprId settled, ExprId u, double reach, double lowest, double highest) {
  return mode(settled, Type{}, [&](ExprId n) {
    const ExprId zero = number(0);
    const ExprId one = number(1);
    const ExprId is_positive = g_.binary(Op::less, zero, n);
    const ExprId is_negative = g_.binary(Op::less, n, zero);
    ExprId above = minus(plus(n, reach), u);
    ExprId below = minus(u, plus(n, -reach));
    if (highest < infinity) {
      above = g_.select(g_.binary(Op::less, n, number(highest)), above, one);
      below = g_.select(g_.binary(Op::less, number(lowest), n), below, one);
    }
    const ExprId inner =
        g_.select(is_positive, minus(u, plus(n, reach - 1)), g_.select(is_negative, minus(plus(n, 1 - reach), u), one));
    return std::vector<ModeBound>{
        {g_.select(is_negative, one, above), true}, {g_.select(is_positive, one, below), true}, {inner, false}};
  });
}

// Truncates and saturates: beyond the largest number nothing happens any more.
ExprId ModeMaker::to_integer(Scalar type, ExprId u) {
  if (is_still(u)) return g_.cast(type, u);
  const double lowest = lowest_value(type);
  const double highest = highest_value(type);
  const ExprId cut = g_.binary(Op::max, g_.binary(Op::min, g_.unary(Op::trunc, u), number(highest)), number(lowest));
  return g_.cast(type, towards_zero(cut, u, 1, lowest, highest));
}

// How many times y goes into x from below, y not negative; 0 where y is 0. Of the products n y as they are rounded
// one is the last that does not exceed x, so that rounding errors do not contradict the number just found.
ExprId ModeMaker::quotient(ExprId x, ExprId y) {
  const ExprId zero = number(0);
  const ExprId none = relation(Op::less_equal, y, zero);
  const auto times = [&](ExprId n) { return g_.binary(Op::mul, n, y); };
  const ExprId near = g_.unary(Op::floor, g_.binary(Op::div, x, y));
  const ExprId back = g_.select(g_.binary(Op::less, x, times(near)), number(-1), zero);
  const ExprId on = g_.select(g_.binary(Op::less_equal, times(plus(near, 1)), x), number(1), back);
  const ExprId settled = g_.select(g_.binary(Op::less_equal, y, zero), zero, g_.binary(Op::add, near, on));
  return mode(settled, Type{}, [&](ExprId n) {
    const ExprId one = number(1);
    return std::vector<ModeBound>{{g_.select(none, one, minus(x, times(n))), false},
                                  {g_.select(none, one, minus(times(plus(n, 1)), x)), true}};
  });
}

// mod(x, y) = -mod(-x, -y); mod(x, 0) = x.
ExprId ModeMaker::modulo(ExprId x, ExprId y) {
  const ExprId upwards = relation(Op::less, number(0), y);
  const ExprId a = g_.select(upwards, x, g_.unary(Op::neg, x));
  const ExprId b = g_.select(upwards, y, g_.unary(Op::neg, y));
  const ExprId rest = minus(a, g_.binary(Op::mul, quotient(a, b), b));
  return g_.select(upwards, rest, g_.unary(Op::neg, rest));
}

// rem(x, y) = -rem(-x, y) = rem(x, -y); rem(x, 0) is not a number.
ExprId ModeMaker::remainder(ExprId x, ExprId y) {
  const ExprId positive = relation(Op::less_equal, number(0), x);
  const ExprId a = g_.select(positive, x, g_.unary(Op::neg, x));
  const ExprId b = is_still(y) ? g_.unary(Op::abs, y) : magnitude(y);
  const ExprId rest = minus(a, g_.binary(Op::mul, quotient(a, b), b));
  const ExprId none = relation(Op::less_equal, b, number(0));
  return g_.select(none, number(std::numeric_limits<double>::quiet_NaN()),
                   g_.select(positive, rest, g_.unary(Op::neg, rest)));
}

// How many knots of a table are not above x: right from the last of these to the next one.
ExprId ModeMaker::interval(ExprId table, ExprId x) {
  if (is_still(table) && is_still(x)) return g_.search(table, x);
  const auto size = static_cast<double>(g_.type(table).size());
  const auto whole = [&](double value) { return g_.constant(value, Scalar::i32); };
  const ExprId count = mode(g_.cast(Scalar::f64, g_.search(table, x)), Type{}, [&](ExprId n) {
    const ExprId one = number(1), i = g_.cast(Scalar::i32, n);
    const ExprId last = g_.binary(Op::max, g_.binary(Op::sub, i, whole(1)), whole(0));
    const ExprId next = g_.binary(Op::min, i, whole(size - 1));
    return std::vector<ModeBound>{
        {g_.select(g_.binary(Op::less, number(0), n), minus(x, g_.gather(table, last)), one), false},
        {g_.select(g_.binary(Op::less, n, number(size)), minus(g_.gather(table, next), x), one), true}};
  });
  return g_.cast(Scalar::i32, count);
}

ExprId ModeMaker::extreme(Op reduction, ExprId matrix) {
  const Op op = reduction == Op::minimum ? Op::min : Op::max;
  ExprId result = g_.element(matrix, 0);
  for (std::int64_t k = 1; k < g_.type(matrix).size(); ++k) {
    result = corner(op, Scalar::f64, {result, g_.element(matrix, k)});
  }
  return result;
}

}  // namespace orrery::passes
