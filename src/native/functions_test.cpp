// SPDX-License-Identifier: Apache-2.0
// Arrays by index and functions with statements: equal bits by evaluation, libtcc and the C compiler, and equal
// trouble.
#include "native/compare_tiers.h"
#include "program/expr.h"
#include "program/function.h"
#include "program/random_function.h"

namespace orrery::native {
namespace {

using program::Expr;
using program::Op;
using program::Site;
using program::Statement;
using Kind = Statement::Kind;

class Functions : public testing::Test {
 protected:
  Functions() {
    program.add_origin({"/Test", "test", 0});
    procedure.name = "test";
  }
  Expr input(Type type) { return {&program.graph, program.read(program.add_slot({.name = "in", .type = type}))}; }
  void output(ExprId value) {
    SlotId slot = program.add_slot({.name = "out", .type = program.graph.type(value)});
    procedure.stores.push_back({.index = slot, .value = value});
  }
  // What the record of trouble holds after the procedure has run in the first tier, and what evaluation says.
  struct Told {
    program::TroubleRecord native;
    std::optional<program::Trouble> judged;
  };
  Told run(const std::vector<std::vector<double>>& inputs, bool judge = true) {
    program::Layout layout = lay_out(program);
    reserve_workspace(program, {procedure}, layout);
    Diagnostics diagnostics;
    CompileOptions options;
    options.second_tier = false;
    auto code = compile(program, layout, {procedure}, options, diagnostics);
    EXPECT_TRUE(code) << to_text(diagnostics);
    std::vector<std::byte> memory(layout.bytes);
    Environment before;
    for (const program::Slot& slot : program.slots) before.slots.emplace_back(doubles_of(slot.type));
    for (std::size_t k = 0; k < inputs.size(); ++k) before.slots[k] = inputs[k];
    visit_memory(program, layout, memory, [&](SlotId s, std::size_t k, auto& x) {
      x = static_cast<std::remove_reference_t<decltype(x)>>(before.slots[s][k]);
    });
    code->function(0)(0, reinterpret_cast<const double*>(memory.data()), nullptr, memory.data(), 0);
    Told told;
    std::memcpy(&told.native, memory.data() + layout.trouble, sizeof told.native);
    before.trouble = &told.judged;
    if (judge) run_by_evaluation(program, procedure, before, 0);
    return told;
  }

  Program program;
  Procedure procedure;
};

TEST_F(Functions, IndexOfEveryElementType) {
  for (const Scalar scalar : {Scalar::f64, Scalar::c128, Scalar::i8, Scalar::i16, Scalar::i32, Scalar::u8, Scalar::u16,
                              Scalar::u32, Scalar::boolean}) {
    auto& g = program.graph;
    const ExprId a = input({scalar, 3, 2}).id(), v = input({scalar, 1, 1}).id();
    const ExprId i = input({Scalar::i32, 1, 1}).id(), many = input({Scalar::i32, 5, 1}).id();
    const auto whole = [&](ExprId k, double n) { return g.binary(Op::mod, k, g.constant(n, Scalar::i32)); };
    output(g.gather(a, i));
    output(g.gather(a, whole(i, 6)));
    output(g.gather(a, whole(many, 7)));
    output(g.gather_at(a, whole(i, 3), whole(many, 2)));
    output(g.update(a, whole(i, 6), v));
    output(g.update(a, whole(many, 8), v));
    output(g.update(a, whole(many, 6), g.gather(a, whole(many, 6))));
    output(g.update_at(a, whole(i, 4), whole(i, 2), v));
    output(g.slice(a, whole(i, 3), 2, 2));
    const ExprId parts[] = {v, a, v, a};
    output(g.concat({scalar, 2, 7}, parts));
  }
  const double knots[] = {-1, 0, 0, 2.5, 7, 31};
  output(program.graph.search(program.graph.constant({Scalar::f64, 6, 1}, knots), input({Scalar::f64, 6, 1}).id()));
  compare_tiers(program, {procedure});
}

TEST_F(Functions, ConstantPositionsAreElements) {
  auto& g = program.graph;
  const ExprId a = input({Scalar::f64, 3, 2}).id();
  EXPECT_EQ(g.gather(a, g.constant(4, Scalar::i32)), g.element(a, 4));
  EXPECT_EQ(g.gather_at(a, g.constant(1, Scalar::i32), g.constant(1, Scalar::i32)), g.element(a, 4));
  const double all[] = {0, 1, 2, 3, 4, 5};
  EXPECT_EQ(g.reshape(g.gather(a, g.constant({Scalar::i32, 6, 1}, all)), 3, 2), a);
  const ExprId changed = g.update(a, g.constant(2, Scalar::i32), g.constant(7));
  EXPECT_TRUE(g.is_constant(g.element(changed, 2), 7));
  EXPECT_EQ(g.element(changed, 1), g.element(a, 1));
  EXPECT_EQ(g[g.gather(a, g.constant(6, Scalar::i32))].op, Op::gather) << "outside: an error of the run";
}

// A position that is needed and outside is told, one that a condition keeps out is not.
TEST_F(Functions, TroubleIsToldWhereItIsNeeded) {
  auto& g = program.graph;
  const Expr a = input({Scalar::f64, 3, 1}), i = input({Scalar::i32, 1, 1});
  const std::uint32_t site = g.add_site(program::site_at(Site::Kind::index, "here", 12));
  const ExprId at = g.gather(a.id(), i.id(), site);
  const Expr inside = i < 3.0;
  output(select(inside, Expr{&g, at}, Expr{&g, g.constant(0)}).id());
  output(select(inside, Expr{&g, at} * 2, Expr{&g, g.constant(1)}).id());
  EXPECT_EQ(run({{1, 2, 3}, {5}}).native.site, 0);
  EXPECT_FALSE(run({{1, 2, 3}, {5}}).judged);
  const ExprId other = g.gather(a.id(), (i - Expr{&g, g.constant(1, Scalar::i32)}).id(), site);
  output(select(inside, Expr{&g, other}, Expr{&g, g.constant(0)}).id());
  const Told told = run({{1, 2, 3}, {0}});
  ASSERT_TRUE(told.judged);
  EXPECT_EQ(told.judged->site.place.line, 12);
  EXPECT_EQ(told.native.site, static_cast<int>(site) + 1);
  EXPECT_EQ(told.native.index, -1);
  EXPECT_EQ(told.native.length, 3);
}

// s = 0; for k below n: s = s + a[k] * x; x = x * 0.5
std::shared_ptr<const program::Function> summing(std::int32_t size) {
  program::Function f;
  f.name = "summing";
  f.locals = {
      {"a", {Scalar::f64, size, 1}}, {"x", {}}, {"n", {Scalar::i32, 1, 1}}, {"s", {}}, {"k", {Scalar::i32, 1, 1}}};
  f.arguments = 3;
  f.results = {3, 1};
  auto& g = f.graph;
  const auto read = [&](std::uint32_t k) { return g.read(k, f.locals[k].type); };
  const std::uint32_t index = g.add_site(program::site_at(Site::Kind::index, "summing.oml", 3));
  const std::uint32_t turns = g.add_site(program::site_at(Site::Kind::turns, "summing.oml", 2));
  f.body.push_back({.kind = Kind::assign, .local = 3, .value = g.constant(0)});
  Statement loop{.kind = Kind::count_loop, .local = 4, .value = read(2), .site = turns};
  const ExprId term = g.binary(Op::mul, g.gather(read(0), read(4), index), read(1));
  loop.body.push_back({.kind = Kind::assign, .local = 3, .value = g.binary(Op::add, read(3), term)});
  loop.body.push_back({.kind = Kind::assign, .local = 1, .value = g.binary(Op::mul, read(1), g.constant(0.5))});
  f.body.push_back(std::move(loop));
  return program::make_function(std::move(f));
}

TEST_F(Functions, LoopsCount) {
  auto& g = program.graph;
  const ExprId arguments[] = {input({Scalar::f64, 4, 1}).id(), input({}).id(), input({Scalar::i32, 1, 1}).id()};
  const std::uint32_t f = g.declare(summing(4));
  output(g.call(f, 0, arguments));
  output(g.call(f, 1, arguments));
  Told told = run({{1, 2, 4, 8}, {1}, {4}});
  EXPECT_EQ(told.native.site, 0);
  told = run({{1, 2, 4, 8}, {1}, {5}});
  EXPECT_EQ(told.native.index, 4);
  ASSERT_TRUE(told.judged);
  EXPECT_EQ(told.judged->site.place.file, "summing.oml");
  const Site* site = program::find_site(g, static_cast<std::uint32_t>(told.native.site - 1));
  ASSERT_NE(site, nullptr);
  EXPECT_EQ(site->place.line, 3);
  told = run({{1, 2, 4, 8}, {1}, {2147483647}}, false);
  EXPECT_NE(told.native.site, 0) << "ends all the same";
  const std::string text = to_text(*g.functions()[0]);
  EXPECT_NE(text.find("for k from 0 below n"), std::string::npos) << text;
}

// A call that a condition keeps out says nothing, although two conditional uses share it.
TEST_F(Functions, QuietWhereNotNeeded) {
  auto& g = program.graph;
  const Expr n = input({Scalar::i32, 1, 1});
  const ExprId arguments[] = {input({Scalar::f64, 4, 1}).id(), input({}).id(), n.id()};
  const Expr called{&g, g.call(g.declare(summing(4)), 0, arguments)}, zero{&g, g.constant(0)};
  output(select(n < 5.0, called, zero).id());
  output(select(n < 5.0, called + 1, zero).id());
  EXPECT_EQ(run({{9}, {1, 2, 4, 8}, {1}}).native.site, 0);
}

class RandomFunctions : public testing::TestWithParam<unsigned> {};

TEST_P(RandomFunctions, AgreeInAllTiers) {
  Program program;
  program.add_origin({"/Test", "test", 0});
  Procedure procedure;
  procedure.name = "test";
  for (const Type& type : program::random_slots()) program.add_slot({.name = "in", .type = type});
  program::RandomExpressions random(program.graph, GetParam());
  for (const auto& function : program::random_functions(GetParam(), 4)) {
    EXPECT_TRUE(verify(*function).empty());
    EXPECT_FALSE(to_text(*function).empty());
    random.add_function(function);
  }
  const auto pool = random.grow(120);
  for (std::size_t k = pool.size() - 60; k < pool.size(); ++k) {
    SlotId slot = program.add_slot({.name = "out", .type = pool[k].type()});
    procedure.stores.push_back({.index = slot, .value = pool[k].id()});
  }
  compare_tiers(program, {procedure}, {.runs = 12});
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomFunctions, testing::Range(1u, 13u));

}  // namespace
}  // namespace orrery::native
