// SPDX-License-Identifier: Apache-2.0
// The grammar of .orr files as a table: which fields each JSON object has and what they hold.
#pragma once

#include <span>
#include <string_view>
#include <vector>

namespace orrery::model {

// The JSON objects and arrays of a file. Objects of free keys (parameters, …) and arrays have no fields.
enum class Container {
  file,
  simulation,
  diagram,
  block,
  link,
  library,
  mask_parameter,
  note,  // objects with fields
  parameters,
  tolerances,
  initial,
  layout,
  bends,  // objects whose keys are names
  initialization,
  context,
  program,
  mask,
  libraries,
  choices,
  blocks,
  links,
  targets,
  notes,
  rectangle,
  note_rectangle,
  points,
  point  // arrays
};

// What a JSON value must be; `value` is a string, a number or a boolean, kept as text.
enum class Shape { text, integer, value, number, boolean, side, object, array };

struct Field {
  std::string_view name;
  Shape shape;
  Container opens = Container::file;  // meaningful for object and array
  bool required = false;
};

std::span<const Field> fields_of(Container container);
std::vector<std::string_view> names_of(std::span<const Field> fields);
// What the keys or elements of a container without fields hold.
Field element_of(Container container);
bool has_fields(Container container);
// Indexed by Activation; by_type is never written.
inline constexpr std::string_view activation_names[] = {"", "inherit", "always", "initial"};
// Indexed by Flow; right is never written.
inline constexpr std::string_view flow_names[] = {"", "flip", "up", "down"};
// Indexed by ForEach; none is never written.
inline constexpr std::string_view for_each_names[] = {"", "elements", "columns"};
inline constexpr std::string_view mask_kinds[] = {"", "choice", "check"};
// "a string", "an array": for messages.
std::string_view describe(Shape shape);

}  // namespace orrery::model
