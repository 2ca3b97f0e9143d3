// SPDX-License-Identifier: Apache-2.0
// Optimization: a search for a minimum in which every simulation is one evaluation (Activate, 6.1).
#include "blocks/custom_blocks/custom_blocks.h"

namespace orrery::blocks {
namespace {

// A bound for each variable, or one for all.
Expr bound(Block& b, const char* name, Type type) {
  const Value& value = b.parameters().matrix(name);
  const auto size = static_cast<std::size_t>(type.size());
  if (value.real.size() != 1 && value.real.size() != size) b.fail(name, "must be one number, or one for each variable");
  std::vector<double> numbers = b.parameters().reals(name);
  if (numbers.size() == 1) numbers.assign(size, numbers[0]);
  return b.constant(type, numbers);
}

}  // namespace

// The count of activations is an argument, so that each of them asks the search for its next point, and once.
const BlockType optimization = {
    .name = "Optimization",
    .palette = "CustomBlocks",
    .summary = "Looks for the values of variables with the least cost; every run of the model tries one.",
    .description =
        "Input 1 is the value of the variables in this run, input 2 what it costs; the block is activated when that is "
        "known, at the end of a run. Output 1 is the next value to try: a ToBase hands it to the next run, in which "
        "FromBase, or GetFromBase in a context, reads it. The block itself starts the model again, as an End block "
        "would. When the search is over output 1 is the optimum, output 2 the least cost, and the activation output "
        "fires, usually into an End block.\n\n"
        "bobyqa needs no derivatives and is made for costs that are smooth. least_radius says how exactly the optimum "
        "is wanted, first_radius how far from the start the search looks at first; it should be a tenth of the "
        "greatest change that is expected, and variables should be of similar size.",
    .icon = {.text = "min"},
    .parameters =
        {{"low", "-Inf", "least values of the variables, or one for all"},
         {"high", "Inf", "largest values"},
         {"method", "'bobyqa'", "how the next point is chosen", {"bobyqa", "cobyla", "simplex", "crs", "ga", "cma"}},
         {"first_radius", "0", "length of the first steps; 0: from the bounds and the start"},
         {"least_radius", "1e-6", "the search ends when steps are as short as this"},
         {"runs", "1000", "the search ends after so many evaluations"}},
    .ports =
        [](Ports& p) {
          p.input("p", {-1, -2}, Scalar::f64).input("cost", scalar_size, Scalar::f64);
          p.output("next", {-1, -2}, Scalar::f64).output("least", scalar_size, Scalar::f64);
          p.activation_outputs(1);
        },
    .build =
        [](Block& b) {
          const Parameters& p = b.parameters();
          if (p.number("first_radius") < 0) b.fail("first_radius", "must not be negative");
          if (p.number("runs") < 1 || p.number("runs") > 1e9) b.fail("runs", "must be from 1 to a thousand million");
          program::ForeignObject object;
          object.kind = "optimization";
          const Type type = b.in(1).type();
          object.settings = {{"method", b.text("method")}, {"size", std::to_string(type.size())}};
          const std::uint32_t search = b.foreign_object(std::move(object));
          const Variable count = b.memory("count", b.constant(0, Scalar::i32));
          const Expr limits =
              b.constant({Scalar::f64, 3, 1}, {p.number("first_radius"), p.positive("least_radius"), p.number("runs")});
          const std::vector<Expr> arguments = {b.in(1), b.in(2), bound(b, "low", type), bound(b, "high", type),
                                               limits,  count};
          std::vector<Type> types;
          for (const Expr& argument : arguments) types.push_back(argument.type());
          const int next = b.declare({"optimization", types, {type, Type{}, Type{}}, search, 0});
          b.out(1, b.foreign(next, arguments, 0));
          b.out(2, b.foreign(next, arguments, 1));
          const Expr over = b.foreign(next, arguments, 2);
          b.on_activation().set(count, count + b.constant(1, Scalar::i32));
          b.on_activation().when(over == 0.0).restart();
          b.on_activation().when(over > 0.0).emit(1);
        },
};

}  // namespace orrery::blocks
