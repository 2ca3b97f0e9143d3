// SPDX-License-Identifier: Apache-2.0
// DFlipFlop, DLatch, JKFlipFlop, SRFlipFlop.
#include "blocks/flip_flops/flip_flops.h"

#include "blocks/element_types.h"

namespace orrery::blocks {
namespace {

// A clock or gate is high when it is positive, so that its edges can be located; other inputs are true unless zero.
Expr is_high(Expr u) { return u.scalar_type() == Scalar::boolean ? u : u.as(Scalar::f64) > 0.0; }
Expr level_of(Expr u) { return u.scalar_type() == Scalar::boolean ? u.as(Scalar::f64) - 0.5 : u.as(Scalar::f64); }

void bit_outputs(Ports& p) {
  p.output("Q", scalar_size, element_type_of(p.parameters()));
  p.output("not Q", scalar_size, element_type_of(p.parameters()));
}

void bit_input(Ports& p, const char* name) { p.input(name, scalar_size, ElementType(-2 - p.input_count())); }

Variable bit_memory(Block& b) { return b.memory("Q", b.constant(b.flag("initial") ? 1 : 0, Scalar::boolean)); }

void give_bit(Block& b, Expr q) {
  b.out(1, q.as(b.out_type(1).scalar));
  b.out(2, (!q).as(b.out_type(2).scalar));
}

// In continuous time the bit is what was remembered, so that no part of a step sees another one.
void give_bit(Block& b, Expr now, Expr remembered) {
  give_bit(b, now);
  b.read_memory(now.as(b.out_type(1).scalar), remembered.as(b.out_type(1).scalar));
  b.read_memory((!now).as(b.out_type(2).scalar), (!remembered).as(b.out_type(2).scalar));
}

// The bit becomes `next` at edges of the clock while `enabled`, and is kept in between.
void build_edge_driven(Block& b, const Variable& q, Expr clock, bool rising, Expr enabled, Expr next) {
  const Expr high = rising ? is_high(clock) : !is_high(clock);
  const Variable was_high = b.memory("was_high", b.constant(1, Scalar::boolean));  // the first activation is no edge
  const Expr yes = b.constant(1, Scalar::boolean), no = b.constant(0, Scalar::boolean);
  const Expr at_edge = high && !was_high;
  const Expr now = select(at_edge && enabled, next, q);
  give_bit(b, now, q);
  b.on_activation().set(was_high, high).set(q, now);
  const Expr level = level_of(clock);
  const Trigger begins = rising ? b.on_positive(level) : b.on_not_positive(level);
  begins.set(was_high, yes);
  begins.when(!was_high && enabled).set(q, next);
  (rising ? b.on_not_positive(level) : b.on_positive(level)).set(was_high, no);
}

const char* const initial_about = "1: the bit is set at the start";

}  // namespace

const BlockType d_flip_flop = {
    .name = "DFlipFlop",
    .palette = "FlipFlops",
    .summary = "Keeps the value that D has at each rising edge of clk while en is true.",
    .description =
        "Q is the bit, output 2 its negation. A clock is high while it is positive, or true; other inputs are true "
        "unless they are zero.",
    .icon = {.text = "D", .inputs = {"D", "clk", "en"}, .outputs = {"Q", "Q̅"}},
    .parameters = {{"initial", "0", initial_about}, type_spec("'double'")},
    .ports =
        [](Ports& p) {
          for (const char* name : {"D", "clk", "en"}) bit_input(p, name);
          bit_outputs(p);
        },
    .refine = only_ordered,
    .build =
        [](Block& b) { build_edge_driven(b, bit_memory(b), b.in(2), true, to_boolean(b.in(3)), to_boolean(b.in(1))); },
};

const BlockType d_latch = {
    .name = "DLatch",
    .palette = "FlipFlops",
    .summary = "Follows D while C is high, and keeps it while C is low.",
    .icon = {.text = "D", .inputs = {"D", "C"}, .outputs = {"Q", "Q̅"}},
    .parameters = {{"initial", "0", initial_about}, type_spec("'double'")},
    .ports =
        [](Ports& p) {
          for (const char* name : {"D", "C"}) bit_input(p, name);
          bit_outputs(p);
        },
    .refine = only_ordered,
    .build =
        [](Block& b) {
          const Variable q = bit_memory(b);
          const Expr data = to_boolean(b.in(1));
          const Expr now = select(is_high(b.in(2)), data, q);
          give_bit(b, now);
          b.on_activation().set(q, now);
          b.on_not_positive(level_of(b.in(2))).set(q, data);
        },
};

const BlockType jk_flip_flop = {
    .name = "JKFlipFlop",
    .palette = "FlipFlops",
    .summary = "At each edge of clk: J sets the bit, K clears it, both together change it.",
    .icon = {.text = "JK", .inputs = {"J", "clk", "K"}, .outputs = {"Q", "Q̅"}},
    .parameters = {{"initial", "0", initial_about},
                   {"edge", "'rising'", "which edge of the clock counts", {"rising", "falling"}},
                   type_spec("'double'")},
    .ports =
        [](Ports& p) {
          for (const char* name : {"J", "clk", "K"}) bit_input(p, name);
          bit_outputs(p);
        },
    .refine = only_ordered,
    .build =
        [](Block& b) {
          const Variable q = bit_memory(b);
          const Expr j = to_boolean(b.in(1)), k = to_boolean(b.in(3));
          const Expr next = (j && !q) || (!k && q);
          build_edge_driven(b, q, b.in(2), b.text("edge") == "rising", b.constant(1, Scalar::boolean), next);
        },
};

const BlockType sr_flip_flop = {
    .name = "SRFlipFlop",
    .palette = "FlipFlops",
    .summary = "S sets the bit and R clears it; with neither it stays.",
    .description = "Both together are forbidden: the bit stays, and an event that finds them so warns.",
    .icon = {.text = "SR", .inputs = {"S", "R"}, .outputs = {"Q", "Q̅"}},
    .parameters = {{"initial", "0", initial_about}, type_spec("'double'")},
    .ports =
        [](Ports& p) {
          for (const char* name : {"S", "R"}) bit_input(p, name);
          bit_outputs(p);
        },
    .refine = only_ordered,
    .build =
        [](Block& b) {
          const Variable q = bit_memory(b);
          const Expr s = is_high(b.in(1)), r = is_high(b.in(2));
          const Expr now = select(s && !r, s, select(r && !s, !r, q));
          give_bit(b, now, q);
          const Expr yes = b.constant(1, Scalar::boolean), no = b.constant(0, Scalar::boolean);
          b.on_start().set(q, now);
          b.on_activation().set(q, now).when(s && r).warn("S and R are both true: the bit stays as it is");
          // Also what begins at zero, and what was held up by the other one.
          const Expr idle = b.constant(-1);
          b.while_positive(select(q || r, idle, level_of(b.in(1)))).set(q, yes);
          b.while_positive(select(!q || s, idle, level_of(b.in(2)))).set(q, no);
        },
};

}  // namespace orrery::blocks
