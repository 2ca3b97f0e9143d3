// SPDX-License-Identifier: Apache-2.0
// New elements of arrays that are stored to their own slots are written in place, and everybody else still reads what
// was there before.
#include "native/compare_tiers.h"
#include "program/expr.h"

namespace orrery::native {
namespace {

using program::Expr;
using program::Op;

// Arrays that update themselves and read each other and themselves, under conditions or not.
class RandomUpdates {
 public:
  explicit RandomUpdates(unsigned seed) : random_(seed) {
    program.add_origin({"/Test", "test", 0});
    procedure.name = "test";
  }

  void make() {
    for (const Type type : {Type{Scalar::f64, 4, 1}, Type{Scalar::i8, 5, 1}, Type{Scalar::f64, 2, 3},
                            Type{Scalar::c128, 3, 1}, Type{Scalar::f64, 4, 1}}) {
      arrays_.push_back(program.add_slot({.name = "array", .type = type}));
    }
    for (int k = 0; k < 3; ++k) {
      indices_.push_back(program.add_slot({.name = "index", .type = {Scalar::i32, 1, 1}}));
      numbers_.push_back(program.add_slot({.name = "number", .type = {}}));
    }
    const SlotId condition = program.add_slot({.name = "condition", .type = {Scalar::boolean, 1, 1}});
    std::vector<ExprId> updates;
    for (const SlotId slot : arrays_) {
      if (below(6) == 0) continue;
      const Type type = program.slots[slot].type;
      const int places = below(2) == 0 ? 1 : 2;
      const ExprId made = program.graph.update(program.read(slot), index(places), value(type.scalar, places), 0);
      updates.push_back(made);
      store(slot, made, below(3) == 0 ? program.read(condition) : program::no_expr);
    }
    for (const SlotId slot : numbers_) {
      if (below(2) == 0) store(slot, value(Scalar::f64, 1), program::no_expr);
    }
    for (const SlotId slot : indices_) {
      if (below(2) == 0) store(slot, cast(Scalar::i32, value(Scalar::f64, 1)), program::no_expr);
    }
    // Somebody keeps an old array, and somebody wants a new one as well.
    const SlotId from = arrays_[0], copy = program.add_slot({.name = "copy", .type = program.slots[from].type});
    if (below(2) == 0) store(copy, program.read(from), program::no_expr);
    if (below(4) == 0 && !updates.empty()) {
      const Type type = program.graph.type(updates[0]);
      store(program.add_slot({.name = "twice", .type = type}), updates[0], program::no_expr);
    }
    procedure.stores.push_back({.target = Store::Target::output,
                                .index = 0,
                                .value = gather(arrays_[0], Scalar::f64),
                                .guard = program::no_expr});
  }

  Program program;
  Procedure procedure;

 private:
  int below(unsigned n) { return static_cast<int>(random_() % n); }
  void store(SlotId slot, ExprId value, ExprId guard) {
    procedure.stores.push_back({.index = slot, .value = value, .guard = guard});
  }
  ExprId cast(Scalar to, ExprId id) { return program.graph.cast(to, id); }
  ExprId any_index() { return program.read(indices_[static_cast<std::size_t>(below(3))]); }
  ExprId index(int places) {
    if (places == 1) return any_index();
    const Expr both[] = {{&program.graph, any_index()}, {&program.graph, any_index()}};
    return program::stack(both).id();
  }
  ExprId gather(SlotId slot, Scalar to) { return cast(to, program.graph.gather(program.read(slot), any_index(), 0)); }
  ExprId number(Scalar scalar) {
    const SlotId array = arrays_[static_cast<std::size_t>(below(5))];
    switch (below(4)) {
      case 0: return cast(scalar, program.read(numbers_[static_cast<std::size_t>(below(3))]));
      case 1: return gather(array, scalar);
      case 2: return cast(scalar, program.graph.element(program.read(array), below(3)));
      default:
        return program.graph.binary(Op::add, cast(scalar, program.graph.element(program.read(array), below(3))),
                                    gather(array, scalar));
    }
  }
  ExprId value(Scalar scalar, int places) {
    if (places == 1 || below(2) == 0) return number(scalar);
    const Expr both[] = {{&program.graph, number(scalar)}, {&program.graph, number(scalar)}};
    return program::stack(both).id();
  }

  std::mt19937 random_;
  std::vector<SlotId> arrays_, indices_, numbers_;
};

TEST(Updates, InPlaceAreThoseOfTheLaw) {
  for (unsigned seed = 0; seed < 150 && !testing::Test::HasFailure(); ++seed) {
    RandomUpdates updates(seed);
    updates.make();
    SCOPED_TRACE(seed);
    compare_tiers(updates.program, {updates.procedure}, {.outputs = 1, .runs = 20, .second_tier = seed % 25 == 0});
  }
}

TEST(Updates, ALongArrayIsNotCopied) {
  Program program;
  program.add_origin({"/Test", "test", 0});
  const SlotId ring = program.add_slot({.name = "ring", .type = {Scalar::f64, 1, 100000}});
  const SlotId at = program.add_slot({.name = "at", .type = {Scalar::i32, 1, 1}});
  const SlotId in = program.add_slot({.name = "in", .type = {}}), out = program.add_slot({.name = "out", .type = {}});
  auto& g = program.graph;
  Procedure procedure{"shift", {}};
  procedure.stores.push_back({.index = out, .value = g.gather(program.read(ring), program.read(at), 0)});
  procedure.stores.push_back(
      {.index = ring, .value = g.update(program.read(ring), program.read(at), program.read(in), 0)});
  procedure.stores.push_back({.index = in, .value = program.read(out)});
  program::Layout layout = lay_out(program);
  reserve_workspace(program, {procedure}, layout);
  EXPECT_EQ(layout.workspace, 0u);
  EXPECT_EQ(emit_c(program, layout, {procedure}).find("for ("), std::string::npos);
}

}  // namespace
}  // namespace orrery::native
