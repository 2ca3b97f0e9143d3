// SPDX-License-Identifier: Apache-2.0
// Random well-typed expressions for property tests: the same seed gives the same expression in any Graph.
#pragma once

#include <bit>
#include <cmath>
#include <random>
#include <vector>

#include "program/evaluate.h"
#include "program/expr.h"
#include "program/function.h"

namespace orrery::program {

// Slots 0…: double scalar, double 3x1, double 2x2, int8, uint16 2x2, int32, boolean, complex, complex 2x2.
inline const std::vector<Type>& random_slots() {
  static const std::vector<Type> types = {
      {Scalar::f64, 1, 1}, {Scalar::f64, 3, 1},     {Scalar::f64, 2, 2},  {Scalar::i8, 1, 1},   {Scalar::u16, 2, 2},
      {Scalar::i32, 1, 1}, {Scalar::boolean, 1, 1}, {Scalar::c128, 1, 1}, {Scalar::c128, 2, 2},
  };
  return types;
}

inline Site site_at(Site::Kind kind, const std::string& file, int line, const std::string& text = {}) {
  Site site;
  site.kind = kind;
  site.place.file = file;
  site.place.line = line;
  site.text = text;
  return site;
}

class RandomExpressions {
 public:
  // Of a function (random_function.h): no time.
  RandomExpressions(Graph& graph, unsigned seed, bool in_function = false) : graph_(graph), random_(seed) {
    for (SlotId s = 0; s < random_slots().size(); ++s) pool_.push_back({&graph, graph.read(s, random_slots()[s])});
    for (double value : {0.0, -0.0, 1.0, -1.0, 2.0, 0.5, 1e300}) pool_.push_back({&graph, graph.constant(value)});
    for (double value : {0.0, 1.0, -1.0, 100.0}) pool_.push_back({&graph, graph.constant(value, Scalar::i8)});
    pool_.push_back({&graph, graph.boolean(true)});
    pool_.push_back({&graph, graph.constant(Type{Scalar::f64, 2, 2}, std::vector<double>{1, 0, 0, 1})});
    for (double value : {0.0, 1.0, 3.0, -1.0}) pool_.push_back({&graph, graph.constant(value, Scalar::i32)});
    if (!in_function) pool_.push_back({&graph, graph.time()});
  }

  // From now on some operations ask one of so many histories, of three elements each.
  void look_back(std::uint32_t histories) { histories_ = histories; }
  // Another leaf.
  void add(Expr leaf) { pool_.push_back(leaf); }
  // A function that later operations may call.
  void add_function(std::shared_ptr<const Function> function) { functions_.push_back(graph_.declare(function)); }

  // Grows the pool by `count` operations on random members; the last members are the deepest.
  const std::vector<Expr>& grow(int count) {
    for (int i = 0; i < count; ++i) add_one();
    return pool_;
  }

 private:
  unsigned draw(std::size_t n) { return static_cast<unsigned>(random_() % n); }
  Op draw_op(Op first, Op end) {
    auto base = static_cast<unsigned>(first);
    return static_cast<Op>(base + draw(static_cast<unsigned>(end) - base));
  }
  Expr pick() { return pool_[draw(pool_.size())]; }

  static bool fit(Expr a, Expr b) {
    return a.type().is_scalar() || b.type().is_scalar() || (a.rows() == b.rows() && a.cols() == b.cols());
  }

  void add_past() {
    const auto what = static_cast<PastWhat>(draw(5));
    const std::size_t present = draw(2) ? 4 : 2;
    const std::size_t count = what == PastWhat::value     ? present
                              : what == PastWhat::weight  ? 3
                              : what == PastWhat::stretch ? 2
                                                          : 1;
    std::vector<ExprId> arguments;
    while (arguments.size() < count) {
      const Expr e = pick();
      arguments.push_back((e.scalar_type() == Scalar::c128 ? apply(Op::real, e) : e)[0].as(Scalar::f64).id());
    }
    const auto order = static_cast<std::uint8_t>(what == PastWhat::value ? draw(3) : 0);
    pool_.push_back({&graph_, graph_.past({draw(histories_), what, order, draw(3)}, arguments)});
  }

  void add_one() {
    if (histories_ > 0 && draw(6) == 0) return add_past();
    unsigned what = draw(functions_.empty() ? 11 : 12);
    if (what == 10) return add_indexed(pick(), pick(), pick());
    if (what == 11) return add_call();
    if (what < 3) {
      Op op = draw_op(Op::neg, Op::cast);
      Expr a = pick();
      if (op == Op::bit_not || (op == Op::sign && a.scalar_type() == Scalar::c128)) return;
      pool_.push_back(apply(op, a));
    } else if (what < 7) {
      Op op = draw_op(Op::add, Op::complex_pair);
      Expr a = pick(), b = pick();
      add_binary(op, a, b);
    } else if (what == 7) {
      Expr condition = to_boolean(pick()), a = pick(), b = pick();
      if (fit(a, b) && fit(condition, a) && fit(condition, b)) pool_.push_back(select(condition, a, b));
    } else {
      Expr a = pick(), b = pick();
      add_structure(a, b);
    }
  }

  void add_binary(Op op, Expr a, Expr b) {
    Scalar common = promote(a.scalar_type(), b.scalar_type());
    bool bits = op >= Op::bit_and && op <= Op::shift_right;
    if (!fit(a, b) || (bits && !is_integer(common))) return;
    if (common == Scalar::c128 && !accepts(op, common) && !(op >= Op::logical_and && op <= Op::logical_xor)) return;
    pool_.push_back(apply(op, a, b));
  }

  // A whole number that lies in a range more often than not.
  ExprId position(Expr a, std::int64_t length) {
    const ExprId whole = (a.scalar_type() == Scalar::c128 ? apply(Op::real, a) : a).as(Scalar::i32).id();
    if (draw(8) == 0) return whole;
    return graph_.binary(Op::mod, whole, graph_.constant(static_cast<double>(length), Scalar::i32));
  }

  void add_indexed(Expr a, Expr b, Expr c) {
    const std::uint32_t site = graph_.add_site(site_at(Site::Kind::index, "random", 1 + static_cast<int>(draw(3))));
    const auto push = [&](ExprId id) { pool_.push_back({&graph_, id}); };
    const ExprId linear = position(b, a.size()), row = position(b, a.rows()), col = position(c, a.cols());
    switch (draw(7)) {
      case 0: return push(graph_.gather(a.id(), linear, site));
      case 1:
        if (fit(b, c)) push(graph_.gather_at(a.id(), row, col, site));
        return;
      case 2: {
        const Expr v = c.as(a.scalar_type());
        if (fit(b, c) && (c.type().is_scalar() || b.size() == c.size()))
          push(graph_.update(a.id(), linear, v.id(), site));
        return;
      }
      case 3:
        if (fit(b, c)) push(graph_.update_at(a.id(), row, col, a[draw(static_cast<std::size_t>(a.size()))].id(), site));
        return;
      case 4: {
        const ExprId parts[] = {a.id(), b.as(a.scalar_type()).id(), a.id()};
        if (a.size() + b.size() > 12) return;
        return push(graph_.concat({a.scalar_type(), 1, static_cast<std::int32_t>(2 * a.size() + b.size())}, parts));
      }
      case 5: {
        const double knots[] = {-3, -1, 0, 0, 0.5, 2, 7};
        const ExprId table = graph_.constant({Scalar::f64, 1, 7}, knots);
        return push(
            graph_.search(table, (b.scalar_type() == Scalar::c128 ? apply(Op::abs, b) : b).as(Scalar::f64).id()));
      }
      default:
        if (a.type().is_scalar()) return;
        return push(graph_.slice(a.id(), position(b[0], a.size() - 1), 1, 2, site));
    }
  }

  void add_call() {
    const std::uint32_t number = functions_[draw(functions_.size())];
    const Function& function = *graph_.functions()[number];
    std::vector<ExprId> arguments;
    for (std::size_t k = 0; k < function.arguments; ++k) {
      std::vector<Expr> fitting;
      for (const Expr& e : pool_) {
        if (e.type() == function.argument_type(k)) fitting.push_back(e);
      }
      if (fitting.empty()) return;
      arguments.push_back(fitting[draw(fitting.size())].id());
    }
    for (std::uint32_t r = 0; r < function.results.size(); ++r) {
      pool_.push_back({&graph_, graph_.call(number, r, arguments)});
    }
  }

  void add_structure(Expr a, Expr b) {
    const bool square = a.scalar_type() == Scalar::f64 && a.rows() == 2 && a.cols() == 2;
    switch (draw(11)) {
      case 7:
        if (square) pool_.push_back(apply(draw(2) ? Op::inverse : Op::determinant, a));
        break;
      case 8:
        if (square && b.scalar_type() == Scalar::f64 && b.rows() == 2)
          pool_.push_back({&graph_, graph_.solve(a.id(), b.id())});
        else if (square)
          pool_.push_back(apply(Op::expm, a));
        break;
      case 9:
        if (a.scalar_type() != Scalar::boolean) pool_.push_back(apply(Op::product, a));
        pool_.push_back({&graph_, graph_.reshape(a.id(), a.cols(), a.rows())});
        break;
      case 10:
        if (a.scalar_type() != Scalar::c128 && b.scalar_type() != Scalar::c128 && fit(a, b))
          pool_.push_back(apply(Op::complex_pair, a.as(Scalar::f64), b.as(Scalar::f64)));
        break;
      case 0: pool_.push_back(transpose(a)); break;
      case 1: pool_.push_back(a[draw(static_cast<std::size_t>(a.size()))]); break;
      case 2: pool_.push_back(sum(a)); break;
      case 3:
        if (a.cols() == b.rows()) pool_.push_back(matmul(a, b));
        break;
      case 4: {
        static constexpr Scalar all[] = {Scalar::f64, Scalar::c128, Scalar::i8,  Scalar::i16,    Scalar::i32,
                                         Scalar::u8,  Scalar::u16,  Scalar::u32, Scalar::boolean};
        pool_.push_back(a.as(all[draw(9)]));
        break;
      }
      case 5:
        if (a.scalar_type() != Scalar::c128) pool_.push_back(apply(draw(2) ? Op::minimum : Op::maximum, a));
        break;
      default:
        if (a.type().is_scalar() && b.type().is_scalar()) {
          Expr parts[] = {a, b};
          pool_.push_back(stack(parts));
        }
    }
  }

  Graph& graph_;
  std::uint32_t histories_ = 0;
  std::mt19937 random_;
  std::vector<Expr> pool_;
  std::vector<std::uint32_t> functions_;
};

inline Environment random_environment(unsigned seed) {
  std::mt19937 random(seed);
  Environment environment;
  environment.time = 0.75;
  const double special[] = {0, -0.0, 1, -1, 2.5, -3.75, 1e-3, 40, INFINITY, NAN};
  for (const Type& type : random_slots()) {
    std::vector<double> data(static_cast<std::size_t>(type.size()) * (type.scalar == Scalar::c128 ? 2 : 1));
    for (double& x : data) x = evaluate_cast(Scalar::f64, type.scalar, special[random() % (seed % 3 == 0 ? 10 : 8)]);
    environment.slots.push_back(std::move(data));
  }
  return environment;
}

// Equal bits, any NaN being equal to any other.
inline bool identical(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    bool both_nan = a[i] != a[i] && b[i] != b[i];
    if (!both_nan && std::bit_cast<std::uint64_t>(a[i]) != std::bit_cast<std::uint64_t>(b[i])) return false;
  }
  return true;
}

}  // namespace orrery::program
