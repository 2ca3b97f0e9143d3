// SPDX-License-Identifier: Apache-2.0
// What is drawn inside the frame of a block: pure data, declared with the block type, drawn by whoever draws.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace orrery::blocks {

struct BlockType;

struct IconPoint {
  double x = 0;
  double y = 0;
};

// Lines in a box from (0, 0), lower left, to (1, 1), upper right. Axes are drawn thinner than curves.
struct IconLine {
  std::vector<IconPoint> points;
  bool thin = false;
  bool dashed = false;
};

// Texts may have holes, which show parameters of the instance as they are written there:
//   {k}        the text of parameter k, without the quotes of a text
//   {num|s}    the coefficients in it as a polynomial in s: [1 2 3] gives s² + 2s + 3
//   {signs#}   of port labels: the character for this port; where the parameter is no text, its first choice
//   #          of port labels: the number of the port
struct Icon {
  std::string text = {};                      // lines separated by \n
  std::string numerator = {};                 // a fraction, when there is a denominator
  std::string denominator = {};               //
  std::vector<IconLine> lines = {};           // curves
  std::vector<std::string> inputs = {};       // labels of regular ports; a list that is too short ends with its last
  std::vector<std::string> outputs = {};      // … item for all others; an empty list: no labels
  std::vector<std::string> activations = {};  // labels of activation inputs
  std::vector<std::string> events = {};       // labels of activation outputs
  bool empty() const { return text.empty() && denominator.empty() && lines.empty(); }
};

// How many ports the instance has, and the text of a parameter as it is written in the model or as its default says.
struct IconSubject {
  int inputs = 0, outputs = 0, activation_inputs = 0, activation_outputs = 0;
  std::function<std::string(std::string_view parameter)> text_of;
};

// The icon of an instance: all holes filled, one label for each port or none at all. A type without an icon shows its
// name.
Icon icon_of(const BlockType& type, const IconSubject& subject);

// With the defaults of the type.
IconSubject default_subject(const BlockType& type);

}  // namespace orrery::blocks
