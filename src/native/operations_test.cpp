// SPDX-License-Identifier: Apache-2.0
// Every operation on every element type gives the same bits by evaluation, libtcc and the C compiler.
#include "native/compare_tiers.h"
#include "program/expr.h"

namespace orrery::native {
namespace {

using program::Expr;
using program::Op;

constexpr Scalar all_scalars[] = {Scalar::f64, Scalar::c128, Scalar::i8,  Scalar::i16,    Scalar::i32,
                                  Scalar::u8,  Scalar::u16,  Scalar::u32, Scalar::boolean};

// Collects stores of one procedure, each to a slot of its own.
class Collector {
 public:
  Collector() {
    program.add_origin({"/Test", "test", 0});
    procedure.name = "test";
  }
  Expr input(Type type) {
    SlotId slot = program.add_slot({.name = "in", .type = type});
    return {&program.graph, program.read(slot)};
  }
  void output(Expr value, std::string name) {
    SlotId slot = program.add_slot({.name = std::move(name), .type = value.type()});
    procedure.stores.push_back({.index = slot, .value = value.id()});
  }
  Expr make(Op op, Type type, std::vector<Expr> arguments, std::uint64_t payload = 0) {
    std::vector<ExprId> ids;
    for (Expr a : arguments) ids.push_back(a.id());
    return {&program.graph, program.graph.make(op, type, ids, payload)};
  }

  Program program;
  Procedure procedure;
};

class Operations : public testing::TestWithParam<Scalar> {};

TEST_P(Operations, ElementByElement) {
  Scalar scalar = GetParam();
  for (Type size : {Type{scalar, 1, 1}, Type{scalar, 3, 1}, Type{scalar, 5, 2}}) {
    Collector c;
    auto& g = c.program.graph;
    Expr a = c.input(size), b = c.input(size), s = c.input({scalar, 1, 1});
    Expr condition = c.input(size.with(Scalar::boolean)), one_condition = c.input({Scalar::boolean, 1, 1});
    for (int k = 0; k <= static_cast<int>(Op::complex_pair); ++k) {
      auto op = static_cast<Op>(k);
      if (op == Op::cast || !program::accepts(op, scalar)) continue;
      if (program::is_elementwise_unary(op)) c.output({&g, g.unary(op, a.id())}, name_of(op));
      if (!program::is_elementwise_binary(op)) continue;
      c.output({&g, g.binary(op, a.id(), b.id())}, name_of(op));
      c.output({&g, g.binary(op, a.id(), s.id())}, std::string(name_of(op)) + " scalar right");
      c.output({&g, g.binary(op, s.id(), b.id())}, std::string(name_of(op)) + " scalar left");
      // Once more inside a longer expression, where operands are not just names.
      if (program::accepts(Op::add, scalar) && op != Op::complex_pair) {
        ExprId sum = g.binary(Op::add, a.id(), s.id());
        c.output({&g, g.binary(op, sum, g.binary(Op::mul, a.id(), b.id()))}, std::string(name_of(op)) + " nested");
      }
    }
    for (Scalar to : all_scalars) {
      ExprId converted = g.cast(to, a.id());
      c.output({&g, converted}, std::string("to ") + name_of(to));
      c.output({&g, g.cast(Scalar::f64, converted)}, std::string("to double by way of ") + name_of(to));
    }
    c.output(select(condition, a, b), "select");
    c.output(select(one_condition, a, s), "select by one");
    compare_tiers(c.program, {c.procedure});
  }
}

TEST_P(Operations, StructureAndReductions) {
  Scalar scalar = GetParam();
  Collector c;
  auto& g = c.program.graph;
  Expr a = c.input({scalar, 3, 4}), b = c.input({scalar, 4, 2}), s = c.input({scalar, 1, 1});
  Expr empty = c.input({scalar, 0, 3});
  c.output(transpose(a), "transpose");
  c.output({&g, g.reshape(a.id(), 2, 6)}, "reshape");
  c.output(a[7], "element");
  Expr parts[] = {a[1], s, b[3]};
  c.output(stack(parts), "stack");
  c.output(stack(parts)[1], "element of a stack");
  c.output(transpose(transpose(a)), "twice");
  for (Op op : {Op::sum, Op::product, Op::minimum, Op::maximum}) {
    if (!program::accepts(op, scalar)) continue;
    c.output({&g, g.reduce(op, a.id())}, name_of(op));
    c.output({&g, g.reduce(op, transpose(b).id())}, std::string(name_of(op)) + " of transpose");
    if (op == Op::sum || op == Op::product) c.output({&g, g.reduce(op, empty.id())}, "of nothing");
    if (scalar != Scalar::boolean) c.output({&g, g.reduce(op, (a + s).id())}, std::string(name_of(op)) + " fused");
  }
  if (program::is_floating(scalar)) {
    c.output(matmul(a, b), "matmul");
    c.output(matmul(a + s, b * s), "matmul of sums");
    Expr row = c.input({scalar, 1, 5}), column = c.input({scalar, 5, 1});
    c.output(matmul(row, column) * s, "inner product");
    c.output(matmul(column, row), "outer product");
  }
  compare_tiers(c.program, {c.procedure});
}

INSTANTIATE_TEST_SUITE_P(Types, Operations, testing::ValuesIn(all_scalars),
                         [](const auto& each) { return std::string(name_of(each.param)); });

TEST(OperationsOnMatrices, KernelsAreThoseOfTheOracle) {
  Collector c;
  auto& g = c.program.graph;
  for (int n : {2, 3, 6}) {
    Expr a = c.input({Scalar::f64, n, n}), b = c.input({Scalar::f64, n, 2});
    Expr shifted = a * 0.25;
    c.output({&g, g.solve(a.id(), b.id())}, "solve");
    c.output({&g, g.unary(Op::inverse, shifted.id())}, "inverse");
    c.output({&g, g.unary(Op::determinant, a.id())}, "determinant");
    c.output({&g, g.unary(Op::expm, shifted.id())}, "expm");
    c.output(matmul(Expr{&g, g.unary(Op::inverse, a.id())}, b), "inverse times b");
  }
  Expr one = c.input({}), now{&g, g.time()};
  for (Op op : {Op::inverse, Op::determinant, Op::expm}) {
    for (Expr x : {one, one * 2 + 1, now, sum(c.input({Scalar::f64, 7, 1}))})
      c.output(c.make(op, {}, {x}), name_of(op));
    c.output(c.make(op, {}, {one * 3}) + one, "in a sum");
  }
  compare_tiers(c.program, {c.procedure});
}

TEST(OperationsOnConstants, LiteralsKeepTheirBits) {
  Collector c;
  auto& g = c.program.graph;
  Expr x = c.input({});
  for (double value :
       {-0.0, 0.0, 0.1, -0.1, 1.0, 1e22, 123456789012345678.0, 5e-324, -2.2250738585072014e-308, 1.7976931348623157e308,
        static_cast<double>(INFINITY), -static_cast<double>(INFINITY), static_cast<double>(NAN)}) {
    c.output({&g, g.constant(value)}, "constant");
    c.output(c.make(Op::mul, {}, {x, {&g, g.constant(value)}}), "product");
    c.output(c.make(Op::sub, {}, {{&g, g.constant(value)}, x}), "difference");
  }
  for (Scalar scalar : all_scalars) {
    if (program::is_floating(scalar)) continue;
    for (double value : {program::lowest_value(scalar), program::highest_value(scalar)}) {
      Expr constant{&g, g.constant(value, scalar)};
      c.output(constant, "extreme");
      c.output(min(c.input({scalar, 1, 1}), constant), "compared");
      c.output(c.make(Op::cast, {}, {constant}), "as double");
    }
  }
  std::vector<double> data = {1, -0.0, INFINITY, NAN, 2.5, -1e-310};
  c.output(Expr{&g, g.constant({Scalar::f64, 6, 1}, data)} + c.input({Scalar::f64, 6, 1}), "matrix");
  c.output({&g, g.constant({Scalar::c128, 3, 1}, data)}, "complex matrix");
  c.output({&g, g.constant({Scalar::u32, 6, 1}, std::vector<double>{0, 4294967295, 3, 4, 5, 6})}, "unsigned matrix");
  compare_tiers(c.program, {c.procedure});
}

// Some function of everything that is asked.
double made_up_past(void*, int history, int what, int order, int element, int present, const double* a) {
  const double asked = history + 10 * what + 100 * order + 1000 * element + 1e4 * present;
  return asked + a[0] * 0.5 - a[1] + 3 * a[2] * (present + 1) + a[3] / 7;
}

TEST(RandomPrograms, AgreeInAllTiers) {
  for (unsigned seed = 0; seed < 80; ++seed) {
    Collector c;
    for (const Type& type : program::random_slots()) c.program.add_slot({.name = "in", .type = type});
    c.program.graph = program::Graph({.fold = seed % 2 == 0, .share = seed % 3 != 0});
    program::RandomExpressions random(c.program.graph, seed);
    if (seed >= 60) {
      c.program.histories.resize(2);
      random.look_back(2);
    }
    std::vector<Expr> pool = random.grow(seed % 10 == 0 ? 400 : 60);
    std::mt19937 dice(seed);
    std::vector<ExprId> guards = {program::no_expr};
    for (Expr e : pool) {
      if (e.type() == Type{Scalar::boolean, 1, 1}) guards.push_back(e.id());
    }
    std::size_t y = 0;
    for (Expr e : pool) {
      if (dice() % 3 == 0) continue;
      ExprId guard = guards[dice() % guards.size()];
      if (dice() % 4 == 0) guard = c.program.graph.both(guard, guards[dice() % guards.size()]);
      Store store{.value = e.id(), .guard = guard};
      const auto& slots = program::random_slots();
      auto same = std::find(slots.begin(), slots.end(), e.type());
      if (dice() % 3 == 0 && same != slots.end()) {
        store.index = static_cast<SlotId>(same - slots.begin());  // a slot that is read too, maybe stored to twice
      } else if (dice() % 5 == 0) {
        store.target = Store::Target::output;
        store.index = static_cast<std::uint32_t>(y);
        y += doubles_of(e.type());
      } else {
        store.index = c.program.add_slot({.name = "out", .type = e.type()});
      }
      c.procedure.stores.push_back(store);
    }
    compare_tiers(c.program, {c.procedure},
                  {.outputs = y, .runs = 30, .second_tier = seed % 6 == 0, .past = {&made_up_past, nullptr}});
    ASSERT_FALSE(HasFailure()) << "seed " << seed;
  }
}

}  // namespace
}  // namespace orrery::native
