// SPDX-License-Identifier: Apache-2.0
// What a diagram must satisfy beyond the grammar of its file: good and unique names, links that end at blocks.
#pragma once

#include "model/model.h"

namespace orrery::model {

// path is that of the super block that holds the diagram, empty for the root.
void check_diagram(const Diagram& diagram, const std::string& file, const std::string& path, Diagnostics& diagnostics);

// Reports names that occur twice; what names them in messages ("parameter").
struct NamedLine {
  std::string_view name;
  int line;
};
void check_unique(std::vector<NamedLine> names, std::string_view what, const Place& place, Diagnostics& diagnostics);

// A line of a file, and the block that it is about.
Place place_in(const std::string& file, int line = 0, std::string block = {});

// What is wrong with a block name; empty when nothing is.
std::string_view name_fault(std::string_view name);

// The text in double quotes for a message: shortened when long, control characters replaced.
std::string in_quotes(std::string_view text);

}  // namespace orrery::model
