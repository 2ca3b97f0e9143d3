// SPDX-License-Identifier: Apache-2.0
// Random signals of CSMP and DESIRE in continuous time: a new number at each step, held in between.
#include <fmt/format.h>

#include <numbers>

#include "blocks/random_numbers.h"
#include "blocks/text_programs/program_building.h"

namespace orrery::blocks::text_programs {

// GAUSSN(step, seed, mean, deviation), UNIFN(step, seed, low, high). Each call has a generator of its own.
Expr ProgramBuilding::noise(const Node& node, Formulas& formulas) {
  const Expr step = initially(node.arguments[0], formulas);
  auto seed = static_cast<std::uint64_t>(static_cast<std::int64_t>(number_now(node.arguments[1], "the seed"))) * 1000 +
              static_cast<std::uint64_t>(++fresh_);
  const auto draw = [&](Xoshiro& generator) {
    const Expr uniform = generator.uniform();
    if (node.name != "gaussn") return uniform;
    const Expr radius = apply(Op::sqrt, -2.0 * apply(Op::log, uniform));
    return radius * apply(Op::cos, 2 * std::numbers::pi * generator.uniform());
  };
  // The first number is there from the start.
  Xoshiro before;
  for (Expr& word : before.s) word = b_.constant(Type{Scalar::u32, 1, 1}, {static_cast<double>(spread(seed))});
  const Variable drawn = b_.memory(fresh("drawn"), draw(before)), count = b_.memory(fresh("count"), b_.constant(0));
  Xoshiro generator;
  std::vector<Variable> words;
  for (std::size_t k = 0; k < std::size(generator.s); ++k) {
    words.push_back(b_.memory(fresh("word"), before.s[k]));
    generator.s[k] = words.back();
  }
  // Instants are counted, not added up.
  const int port = new_port();
  const Expr next = count + 1.0;
  b_.on_start().schedule(port, step);
  b_.on_start().when(!(step > 0.0)).fail("the step of a random signal must be positive, but is {}", {step});
  const Trigger again = b_.on_fired(port);
  again.set(drawn, draw(generator)).set(count, next);
  for (std::size_t k = 0; k < words.size(); ++k) again.set(words[k], generator.s[k]);
  again.schedule(port, max(start_ + (next + 1.0) * step - b_.time(), b_.constant(0)));
  const Expr first = formulas.number(node.arguments[2]), second = formulas.number(node.arguments[3]);
  return node.name == "gaussn" ? first + second * drawn : first + (second - first) * drawn;
}

}  // namespace orrery::blocks::text_programs
