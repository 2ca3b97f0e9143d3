// SPDX-License-Identifier: Apache-2.0
// One table for each version of the format, and the few changes that need more than a row.
#include "model/upgrade.h"

#include <algorithm>

namespace orrery::model {
namespace {

std::string text_of(const BlockInstance& block, std::string_view parameter, std::string_view otherwise) {
  const Parameter* given = block.find_parameter(parameter);
  return given != nullptr ? given->value : std::string(otherwise);
}

void set(BlockInstance& block, const std::string& name, std::string value) {
  for (Parameter& parameter : block.parameters) {
    if (parameter.name != name) continue;
    parameter.value = std::move(value);
    return;
  }
  block.parameters.push_back({name, std::move(value), block.line});
}

void drop(BlockInstance& block, std::string_view name) {
  std::erase_if(block.parameters, [&](const Parameter& parameter) { return parameter.name == name; });
}

// A type that has a new parameter, whose default is not what the block used to do.
struct NewDefault {
  int version;  // the first in which it is so
  const char* type;
  const char* parameter;
  const char* old_meaning;
};
constexpr NewDefault new_defaults[] = {
    {2, "RepeatActivation", "when", "'nonzero'"},
    {2, "SelectInput", "priority", "'highest'"},
    {2, "EventGenerate", "outputs", "'one'"},
};

// Version 2: uniform numbers lie between a and a + b, no longer between a and b.
void random_range(BlockInstance& block) {
  if (text_of(block, "distribution", "'uniform'") != "'uniform'") return;
  const std::string low = text_of(block, "a", "0"), high = text_of(block, "b", "1");
  if (low == "0") return;
  set(block, "b", "(" + high + ") - (" + low + ")");
}

// Version 2: two values and a percentage; before its start the wave has not begun.
void square_wave(BlockInstance& block) {
  if (block.find_parameter("first") != nullptr || block.find_parameter("second") != nullptr) return;
  const std::string amplitude = text_of(block, "amplitude", "1"), offset = text_of(block, "offset", "0");
  const Parameter* duty = block.find_parameter("duty");
  const std::string percent = duty != nullptr ? "100*(" + duty->value + ")" : "";
  const bool plain = amplitude == "1" && offset == "0";
  drop(block, "amplitude");
  drop(block, "offset");
  if (!plain) {
    set(block, "first", "(" + offset + ") + (" + amplitude + ")");
    set(block, "second", "(" + offset + ") - (" + amplitude + ")");
  }
  if (!percent.empty()) set(block, "duty", percent);
  set(block, "before", "'wave'");
}

// Version 2: a Sum or Product with one input goes over its elements; it used to copy, negate or invert them.
void single_input(BlockInstance& block) {
  const std::string signs = text_of(block, "signs", "");
  const bool one = signs == "1" || (signs.size() == 3 && (signs.front() == '\'' || signs.front() == '"'));
  if (!one) return;
  const bool inverts = signs.find('/') != std::string::npos, negates = signs.find('-') != std::string::npos;
  block.parameters.clear();
  block.type = inverts ? "MathFunc" : "Gain";
  if (inverts) {
    set(block, "function", "'reciprocal'");
  } else {
    set(block, "k", negates ? "-1" : "1");
  }
}

struct Rewriting {
  int version;
  const char* type;
  void (*rewrite)(BlockInstance&);
};
constexpr Rewriting rewritings[] = {
    {2, "Random", random_range},
    {2, "SquareWaveGenerator", square_wave},
    {2, "Sum", single_input},
    {2, "Product", single_input},
};

void upgrade_diagram(Diagram& diagram, int version) {
  for (BlockInstance& block : diagram.blocks) {
    if (block.diagram) upgrade_diagram(*block.diagram, version);
    for (const NewDefault& change : new_defaults) {
      if (version >= change.version || block.type != change.type) continue;
      if (block.find_parameter(change.parameter) == nullptr) set(block, change.parameter, change.old_meaning);
    }
    for (const Rewriting& change : rewritings) {
      if (version < change.version && block.type == change.type) {
        change.rewrite(block);
        break;  // it may have become another type
      }
    }
  }
}

}  // namespace

void upgrade(Model& model, int version) {
  if (version < current_version) upgrade_diagram(model.root, version);
}

}  // namespace orrery::model
