// SPDX-License-Identifier: Apache-2.0
// Anim2D: simple objects that move on a figure (Activate, chapter 20).
#include <fmt/format.h>

#include <cmath>
#include <cstdlib>

#include "blocks/signal_viewers/signal_viewers.h"

namespace orrery::blocks {
namespace {

// Columns of the input of an object type; 0: there is no such type.
int animated_columns(int type) {
  switch (std::abs(type)) {
    case 1:
    case 2: return 2;
    case 3: return 3;
    case 4:
    case 5: return 4;
    case 103: return 6;
    case 104:
    case 105: return 7;
    default: return 0;
  }
}

// One for each input; a single number is meant for all.
std::vector<int> animated_types(const Parameters& parameters) {
  const auto inputs = static_cast<std::size_t>(parameters.count("inputs"));
  const std::vector<double>& given = parameters.reals("types");
  if (given.size() != 1 && given.size() != inputs) {
    parameters.fail("types", fmt::format("has {} numbers for {} input{}", given.size(), inputs, inputs == 1 ? "" : "s"),
                    "give one number for each input, or one for all");
  }
  std::vector<int> types;
  for (std::size_t k = 0; k < inputs; ++k) {
    const double x = given.size() == 1 ? given[0] : given[k];
    const int type = std::abs(x) <= 105 && x == std::floor(x) ? static_cast<int>(x) : 0;
    if (animated_columns(type) == 0) {
      parameters.fail("types", fmt::format("{} is no type of objects", x),
                      "1 filled polyline, 2 open polyline, 3 circles, 4 rectangles, 5 segments; 103, 104, 105 with "
                      "colours from the input; negative: left out of frozen copies");
    }
    types.push_back(type);
  }
  return types;
}

void check_figure(const Parameters& parameters) {
  const std::vector<double>& canvas = parameters.reals("canvas");
  bool good = canvas.size() == 4;
  for (const double x : canvas) good = good && std::isfinite(x);
  if (!good || canvas[2] <= 0 || canvas[3] <= 0) {
    parameters.fail("canvas", "must be four numbers [x y width height], width and height positive",
                    "x and y are those of the lower left corner of what is seen");
  }
  const Value& colours = parameters.matrix("colours");
  good = colours.cols == 3;
  for (const double x : parameters.reals("colours")) good = good && (x == -1 || (x >= 0 && x <= 1));
  if (!good) {
    parameters.fail("colours", "must have three columns (red, green, blue) of numbers from 0 to 1",
                    "a row of -1 is transparent");
  }
  if (parameters.now_positive("zoom") * std::max(canvas[2], canvas[3]) > 20000) {
    parameters.fail("zoom", "makes a figure of more than 20 000 points");
  }
}

}  // namespace

const BlockType anim2d = {
    .name = "Anim2D",
    .palette = "SignalViewers",
    .summary = "Moves simple objects on a figure: polylines, circles, rectangles, segments.",
    .description =
        "Each input is a matrix with the objects of one type, a row for each:\n\n"
        "1: a closed, filled polyline, its points [x y]; 2: an open polyline; 3: circles [x y radius]; 4: rectangles "
        "[x y width height] from the lower left corner; 5: segments [x1 y1 x2 y2]. 103, 104 and 105 are circles, "
        "rectangles and segments with three more columns: red, green and blue from 0 to 1.\n\n"
        "Activation input 1 (or whatever the inputs inherit, when nothing is linked) moves the objects to the present "
        "inputs. Activation input 2 freezes a copy of the objects where they are, which stays until the end; types "
        "with a minus are left out of copies: floors and walls. An event that arrives at both moves first; the very "
        "first "
        "event, at whichever input, puts the objects where the inputs are. Objects "
        "that are left out of copies are drawn first, then copies, the oldest first, then the others. An object with "
        "a coordinate that is no finite number is not drawn.\n\n"
        "Objects take the rows of the colour table in turn, over all inputs, from the top again when it is too short; "
        "those of types 103 to 105 take none. `orrery picture MODEL --anim T` draws the figure as it is at a time; the "
        "editor shows it while the model runs.",
    .icon = {.lines = {{{{0.05, 0.05}, {0.95, 0.05}}, true},
                       {{{0.1, 0.2}, {0.3, 0.7}, {0.5, 0.2}, {0.1, 0.2}}},
                       {{{0.6, 0.45}, {0.9, 0.45}, {0.9, 0.85}, {0.6, 0.85}, {0.6, 0.45}}}}},
    .parameters = {{"inputs", "1", "number of inputs"},
                   {"types", "3", "type of the objects of each input; a single number is meant for all"},
                   {"canvas", "[0 0 10 10]", "what is seen: [x y width height]"},
                   {"colours", "[0.23 0.42 0.77; 0.84 0.37 0.17; 0.25 0.56 0.4; 0.54 0.45 0.14; 0.42 0.31 0.75]",
                    "colours of the objects, a row [red green blue] each, from 0 to 1; a row of -1 is transparent"},
                   {"zoom", "40", "points on the screen for one unit of the figure"}},
    .ports =
        [](Ports& p) {
          int k = 0;
          for (const int type : animated_types(p.parameters())) {
            ++k;
            p.input("u" + std::to_string(k), {-100 - k, animated_columns(type)}, ElementType(-100 - k));
          }
          p.activation_inputs(2);
        },
    .refine = only_ordered,
    .build =
        [](Block& b) {
          animated_types(b.parameters());
          check_figure(b.parameters());
          for (int k = 1; k <= b.input_count(); ++k) b.record(std::to_string(k), b.in(k).as(Scalar::f64));
          // What a row shows has moved there only where the block was activated through its first input.
          b.record("moving", b.active(1).as(Scalar::f64));
          const Variable copies = b.memory("copies", b.constant(0));
          b.record("copies", copies + b.active(2).as(Scalar::f64));
          b.on_activation(2).set(copies, copies + 1.0);
        },
};

}  // namespace orrery::blocks
