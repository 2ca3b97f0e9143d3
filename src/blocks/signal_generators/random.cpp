// SPDX-License-Identifier: Apache-2.0
// Random: a new random number at each activation, the same bits on every machine.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "blocks/random_numbers.h"
#include "blocks/signal_generators/signal_generators.h"

namespace orrery::blocks {
namespace {

double element(const std::vector<double>& values, std::size_t k) { return values[values.size() == 1 ? 0 : k]; }

void check_law(const Block& b, const std::string& distribution) {
  const auto& first = b.parameters().now_reals("a");
  const auto& second = b.parameters().now_reals("b");
  for (std::size_t k = 0; k < first.size(); ++k) {
    if (!std::isfinite(first[k])) b.fail("a", fmt::format("must be finite, but is {}", first[k]));
    if (distribution == "exponential" && first[k] < 0) {
      b.fail("a", fmt::format("the mean must not be negative, but is {}", first[k]));
    }
  }
  if (distribution == "exponential") return;
  const bool pairs = first.size() == second.size() || first.size() == 1 || second.size() == 1;
  for (std::size_t k = 0; k < (pairs ? std::max(first.size(), second.size()) : 0); ++k) {
    const double high = element(second, k);
    if (!std::isfinite(high)) b.fail("b", fmt::format("must be finite, but is {}", high));
    if (distribution == "uniform" && high < 0) {
      b.fail("b", fmt::format("the width of the range must not be negative, but is {}", high),
             "uniform numbers lie between a and a + b");
    }
    if (distribution == "normal" && high < 0) {
      b.fail("b", fmt::format("the standard deviation must not be negative, but is {}", high));
    }
  }
}

void build_random(Block& b) {
  const Type words = b.out_type().with(Scalar::u32);
  auto seed = static_cast<std::uint64_t>(static_cast<std::int64_t>(b.integer("seed")));
  Variable memory_of[4];
  Xoshiro generator;
  for (int i = 0; i < 4; ++i) {
    std::vector<double> start(static_cast<std::size_t>(words.size()));
    for (double& word : start) word = spread(seed);
    memory_of[i] = b.memory("s" + std::to_string(i), b.constant(words, start));
    generator.s[i] = memory_of[i];
  }
  const Expr first = b.parameter("a", b.out_type());
  const Expr second = b.parameter("b", b.out_type());
  const std::string& distribution = b.text("distribution");
  check_law(b, distribution);
  if (distribution == "uniform") {
    b.out(1, first + second * generator.uniform());
  } else if (distribution == "exponential") {
    b.out(1, -(first * apply(Op::log, generator.uniform())));
  } else {  // normal, by the transformation of Box and Muller
    const Expr radius = apply(Op::sqrt, -2.0 * apply(Op::log, generator.uniform()));
    b.out(1, first + second * (radius * apply(Op::cos, 2 * std::numbers::pi * generator.uniform())));
  }
  for (int i = 0; i < 4; ++i) b.on_activation().set(memory_of[i], generator.s[i]);
}

}  // namespace

const BlockType random = {
    .name = "Random",
    .palette = "SignalGenerators",
    .summary = "A new random number at each activation.",
    .description =
        "Without activation links the number is drawn once, when the simulation starts. Two blocks with the "
        "same seed give the same numbers; so give each block a seed of its own.",
    .icon = {.text = "rand"},
    .parameters = {{"distribution", "'uniform'", "law of the numbers", {"uniform", "normal", "exponential"}},
                   {"a", "0", "uniform: lower end; normal: mean; exponential: mean"},
                   {"b", "1",
                    "uniform: width of the range from a to a + b; normal: standard deviation; exponential: not used"},
                   {"seed", "1", "whole number that selects the sequence"}},
    .activation = Activation::initial,
    .ports =
        [](Ports& p) {
          const Value& a = p.parameters().matrix("a");
          const Value& larger = a.size() > 1 ? a : p.parameters().matrix("b");
          p.output("y", {larger.rows, larger.cols}, Scalar::f64);
        },
    .build = build_random,
};

}  // namespace orrery::blocks
