// SPDX-License-Identifier: Apache-2.0
// Order of reads and stores, guards, division into functions, large matrices, foreign functions.
#include <fmt/format.h>

#include "native/compare_tiers.h"
#include "program/expr.h"

namespace orrery::native {
namespace {

using program::Expr;
using program::Op;
using program::SlotKind;

class Procedures : public testing::Test {
 protected:
  Procedures() {
    program.add_origin({"/Plant/Mass", "Integral", 0});
    procedure.name = "step";
  }
  SlotId slot(Type type = {}, SlotKind kind = SlotKind::signal) {
    SlotId id = program.add_slot({.name = "y1", .type = type, .kind = kind});
    if (kind == SlotKind::state || kind == SlotKind::shadow) program.states.push_back(id);
    return id;
  }
  Expr read(SlotId id) { return {&program.graph, program.read(id)}; }
  void store(SlotId target, Expr value, Expr guard = {}) {
    procedure.stores.push_back({.index = target, .value = value.id(), .guard = guard ? guard.id() : program::no_expr});
  }
  void add_clock(std::int64_t divisor, std::int64_t first_tick) {
    program.clocks.emplace_back();
    program.clocks.back().divisor = divisor;
    program.clocks.back().first_tick = first_tick;
  }
  std::string text() { return emit_c(program, lay_out(program), {procedure}); }

  Program program;
  Procedure procedure;
};

TEST_F(Procedures, AssignInParallel) {
  SlotId a = slot(), b = slot(), s = slot({}, SlotKind::state), r = slot({}, SlotKind::shadow);
  SlotId v = slot({Scalar::f64, 6, 1}), u = slot({Scalar::f64, 6, 1}), q = slot({Scalar::f64, 2, 3});
  SlotId z = slot({Scalar::c128, 1, 1}), zz = slot({Scalar::c128, 2, 1});
  SlotId flag = slot({Scalar::boolean, 1, 1}), n = slot({Scalar::u8, 1, 1});
  store(a, read(b));
  store(b, read(a));
  store(s, read(r) + 1);
  store(r, read(s) * 2);
  store(v, read(u));
  store(u, read(v) + read(v)[0]);
  store(q, {&program.graph, program.graph.reshape(read(v).id(), 2, 3)});
  store(z, read(zz)[1]);
  Expr swapped[] = {read(zz)[1], read(z)};
  store(zz, stack(swapped));
  store(flag, !read(flag));
  store(n, read(n) + 1, read(flag));  // guarded by what the procedure changes
  compare_tiers(program, {procedure});
}

TEST_F(Procedures, StoreAChainWithoutVariables) {
  std::vector<SlotId> chain;
  for (int k = 0; k < 120; ++k) chain.push_back(slot());
  for (std::size_t k = 1; k < chain.size(); ++k) store(chain[k], read(chain[k - 1]) * 0.5);
  std::string c_text = text();
  EXPECT_EQ(c_text.find("double v"), std::string::npos) << c_text;
  EXPECT_EQ(c_text.find("double w["), std::string::npos) << c_text;
  EXPECT_LT(c_text.find("d[119] = "), c_text.find("d[118] = ")) << "the last delay comes first";
  compare_tiers(program, {procedure});
  store(chain[0], read(chain.back()));  // a ring: one value has to wait
  c_text = text();
  EXPECT_NE(c_text.find("double w[1];"), std::string::npos) << c_text;
  compare_tiers(program, {procedure});
}

// Values that read, share and guard each other at random, in functions of their own.
TEST_F(Procedures, StoreInAnyOrderOfReadersAndWriters) {
  std::mt19937 dice(11);
  const auto any = [&](const std::vector<SlotId>& slots) { return read(slots[dice() % slots.size()]); };
  add_clock(2, 0);
  add_clock(3, 1);
  std::vector<SlotId> numbers, flags;
  for (int k = 0; k < 150; ++k) numbers.push_back(slot());
  for (int k = 0; k < 5; ++k) flags.push_back(slot({Scalar::boolean, 1, 1}));
  std::vector<Expr> shared, conditions = {{}, {&program.graph, program.graph.clock_active(0)}};
  for (int k = 0; k < 20; ++k) shared.push_back(any(numbers) * any(numbers) + k);
  conditions.push_back(Expr{&program.graph, program.graph.clock_active(1)} && any(flags));
  conditions.push_back(any(numbers) < any(numbers));
  conditions.push_back(any(flags) && any(flags));
  for (SlotId target : numbers) {
    Expr value = any(numbers);
    if (dice() % 4 != 0) value = value * 0.5 + any(numbers);
    if (dice() % 3 == 0) value = value - shared[dice() % shared.size()];
    if (dice() % 7 == 0) value = select(any(flags), apply(Op::sin, value), apply(Op::exp, any(numbers)));
    store(target, value, conditions[dice() % conditions.size()]);
  }
  for (SlotId flag : flags) store(flag, !any(flags), conditions[dice() % conditions.size()]);
  compare_tiers(program, {procedure}, {.runs = 20});
}

TEST_F(Procedures, KeepTheOrderOfStoresToOneSlot) {
  SlotId a = slot(), g = slot({Scalar::boolean, 1, 1}), h = slot({Scalar::boolean, 1, 1}), out = slot();
  store(out, read(a) + 1);
  store(out, read(a) + 2, read(g));
  store(out, read(a) + 3, read(h));
  store(out, apply(Op::exp, read(a)), read(g) && read(h));
  procedure.stores.push_back({.target = Store::Target::output, .index = 0, .value = read(a).id()});
  procedure.stores.push_back(
      {.target = Store::Target::output, .index = 0, .value = program.graph.time(), .guard = read(g).id()});
  compare_tiers(program, {procedure}, {.outputs = 1});
}

TEST_F(Procedures, ComputeUnderTheirGuards) {
  add_clock(2, 0);
  add_clock(3, 1);
  add_clock(1, 4);
  SlotId a = slot(), z = slot(), c = slot({Scalar::boolean, 1, 1});
  Expr shared = apply(Op::cos, read(a) * 3);
  for (int k = 0; k < 3; ++k) {
    Expr clock{&program.graph, program.graph.clock_active(k)};
    store(slot(), apply(Op::sin, read(a) + k) * shared, clock);
    store(slot(), apply(Op::sin, read(a) + k) + 1, clock && read(c));
    store(k == 0 ? z : slot(), apply(Op::exp, read(z)), clock && !read(c));
    store(slot(), select(read(c), apply(Op::tan, read(a)), apply(Op::log, read(a))), clock);
  }
  store(slot(), read(a), {&program.graph, program.graph.boolean(true)});
  store(slot(), read(a), {&program.graph, program.graph.boolean(false)});
  std::string c_text = text();
  EXPECT_NE(c_text.find("if (tick >= 0 && tick % 2 == 0) {"), std::string::npos) << c_text;
  EXPECT_NE(c_text.find("} else {"), std::string::npos) << c_text;
  compare_tiers(program, {procedure});
}

TEST_F(Procedures, DivideIntoFunctions) {
  SlotId a = slot(), b = slot(), n = slot({Scalar::u32, 1, 1}), c = slot({Scalar::boolean, 1, 1});
  std::vector<Expr> values = {read(a), read(b)};
  std::vector<Expr> counts = {read(n)};
  std::mt19937 dice(7);
  for (int k = 0; k < 5000; ++k) {
    Expr x = values[dice() % values.size()],
         y = values[values.size() - 1 - dice() % std::min<std::size_t>(9, values.size())];
    values.push_back(k % 7 == 0 ? select(x < y, x * 0.5, y) : k % 5 == 0 ? max(x, y) - x : x * 0.75 + y);
    counts.push_back(counts[dice() % counts.size()] * 3 + (k % 3 ? x < y : y < x).as(Scalar::u32));
  }
  for (int k = 0; k < 700; ++k) {
    Expr guard = k % 3 == 0 ? read(c) : k % 3 == 1 ? values[100] < values[200] : Expr{};
    store(slot(), values[values.size() - 1 - 6 * static_cast<std::size_t>(k)], guard);
    store(slot({Scalar::u32, 1, 1}), counts[counts.size() - 1 - 5 * static_cast<std::size_t>(k)], guard);
  }
  store(a, values[4000], read(c));
  store(n, counts[4100], read(c) && values[300] < values[400]);
  std::vector<ExprId> elements;
  for (int k = 0; k < 600; ++k) elements.push_back(values[static_cast<std::size_t>(8 * k)].id());
  store(slot({Scalar::f64, 600, 1}), {&program.graph, program.graph.stack({Scalar::f64, 600, 1}, elements)});
  EXPECT_NE(text().find("orr_step_c40("), std::string::npos);
  compare_tiers(program, {procedure}, {.runs = 20});
}

TEST_F(Procedures, LoopOverLargeMatrices) {
  Type big{Scalar::f64, 120, 110};
  SlotId a = slot(big), b = slot(big), v = slot({Scalar::f64, 110, 1}), k = slot({Scalar::i16, 120, 110});
  Expr chain = apply(Op::sin, read(a) * 2 + read(b)) - max(read(a), read(b) * read(v)[3]);
  Expr product = matmul(transpose(chain), read(a) + 1);
  store(slot({Scalar::f64, 110, 1}), matmul(product, read(v)));
  store(slot(), sum(chain));
  store(slot({Scalar::f64, 120, 1}), matmul(chain, read(v)), read(v)[0] < read(v)[1]);
  store(a, read(b));
  store(b, transpose(transpose(read(a))));
  store(slot({Scalar::i16, 120, 110}), min(read(k) * read(k), read(k)));
  store(slot({Scalar::boolean, 120, 110}), read(a) < read(b));
  program::Layout layout = lay_out(program);
  std::uint32_t without = layout.bytes;
  reserve_workspace(program, {procedure}, layout);
  EXPECT_EQ(layout.workspace, without);
  EXPECT_GT(layout.bytes, without + 65536);
  compare_tiers(program, {procedure}, {.runs = 6});
}

// What is compiled later for the memory of a run, a Jacobian for example, may need more room than was reserved.
TEST_F(Procedures, LaterOnesDoNotWriteBeyondTheMemory) {
  const Type big{Scalar::f64, 100, 100};
  const SlotId a = slot(big), b = slot(big), out = slot(big);
  store(out, matmul(apply(Op::sin, read(a)), read(b)));
  program::Layout layout = lay_out(program);
  reserve_workspace(program, {procedure}, layout);
  ASSERT_GT(layout.workspace, 0u);
  Procedure later{.name = "later", .stores = {}};
  Expr chain = read(a);
  for (int k = 0; k < 6; ++k) chain = matmul(apply(Op::sin, chain), apply(Op::cos, read(b) * (k + 1.0))) * 0.01;
  later.stores.push_back({.index = out, .value = chain.id()});
  Diagnostics diagnostics;
  CompileOptions options;
  options.second_tier = false;
  const auto code = compile(program, layout, {later}, options, diagnostics);
  ASSERT_TRUE(code) << to_text(diagnostics);
  constexpr std::size_t guard = 1 << 20;
  std::vector<std::byte> memory(layout.bytes + guard, std::byte{0x5a});
  std::fill_n(memory.begin(), layout.workspace, std::byte{0});
  code->function(0)(0, reinterpret_cast<const double*>(memory.data()), nullptr, memory.data(), 0);
  EXPECT_TRUE(
      std::all_of(memory.begin() + layout.bytes, memory.end(), [](std::byte x) { return x == std::byte{0x5a}; }));
}

TEST_F(Procedures, StatesAreReadFromX) {
  SlotId s = slot({}, SlotKind::state), p = slot();
  procedure.stores.push_back({.target = Store::Target::output, .value = (read(s) * read(p)).id()});
  program::Layout layout = lay_out(program);
  Diagnostics diagnostics;
  CompileOptions options;
  options.second_tier = false;
  auto code = compile(program, layout, {procedure}, options, diagnostics);
  ASSERT_TRUE(code);
  std::vector<double> memory(layout.bytes / 8, 3.0);
  double x = 7, y = 0;
  code->function(0)(0, &x, &y, reinterpret_cast<std::byte*>(memory.data()), 0);
  EXPECT_EQ(y, 21);
  EXPECT_FALSE(code->wait());
}

// Two results: x * n, and the vector reversed.
void scale_and_reverse(void*, int, const void* const* arguments, void* const* results) {
  double x = *static_cast<const double*>(arguments[0]);
  auto n = *static_cast<const std::int32_t*>(arguments[1]);
  auto v = static_cast<const double*>(arguments[2]);
  *static_cast<double*>(results[0]) = x * n;
  for (int i = 0; i < 3; ++i) static_cast<double*>(results[1])[i] = v[2 - i];
}

TEST_F(Procedures, CallForeignFunctions) {
  Type vector{Scalar::f64, 3, 1};
  program.graph.declare({"scale_and_reverse", {{}, {Scalar::i32, 1, 1}, vector}, {{}, vector}});
  SlotId x = slot(), n = slot({Scalar::i32, 1, 1}), v = slot(vector);
  ExprId arguments[] = {(read(x) + 1).id(), read(n).id(), (read(v) * 2).id()};
  Expr reversed{&program.graph, program.graph.foreign(0, 1, arguments)};
  Expr scaled{&program.graph, program.graph.foreign(0, 0, arguments)};
  store(slot(), scaled * 2);
  store(v, reversed + scaled);
  store(slot(), reversed[1], read(x) < 1);
  std::string c_text = text();
  EXPECT_EQ(c_text.find("f->call("), c_text.rfind("f->call(")) << "one call for both results";
  auto oracle = [](int, int result, std::span<const program::Operand> in, std::span<double> out) {
    if (result == 0) out[0] = in[0].data[0] * in[1].data[0];
    for (std::size_t i = 0; result == 1 && i < 3; ++i) out[i] = in[2].data[2 - i];
  };
  compare_tiers(program, {procedure}, {.foreign = {{scale_and_reverse, nullptr, 0}}, .foreign_oracle = oracle});
}

TEST_F(Procedures, CommentsNameTheBlockAndCannotEndEarly) {
  program.origins[0].path = "/Plant*/ int evil; /*\n\\x";
  store(slot(), read(slot()) + 1);
  EXPECT_NE(text().find("/* /Plant* / int evil; /*  x.y1 */"), std::string::npos) << text();
  compare_tiers(program, {procedure}, {.second_tier = false});
}

TEST_F(Procedures, EmptyOnesCompile) { compare_tiers(program, {procedure}); }

}  // namespace
}  // namespace orrery::native
