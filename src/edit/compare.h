// SPDX-License-Identifier: Apache-2.0
// What two models differ in, told by what they mean rather than by lines of their files.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "model/model.h"

namespace orrery::edit {

struct Difference {
  enum class Kind { added, removed, changed, renamed, moved };
  Kind kind = Kind::changed;
  std::string
      what;  // "block", "link", "context", "program", "diagram", "library", "mask", "note", "setting", "model", "order"
  std::string path;    // of the block or diagram, as it is in the second model; removed ones as in the first
  std::string field;   // of changed: "parameter k", "type", "about"; of links and notes: which one
  std::string before;  // of renamed: the old name
  std::string after;
};

struct CompareOptions {
  bool layout = false;  // also places, bends and turns
};

// In the order of the second model. Empty: they mean the same.
std::vector<Difference> compare(const model::Model& a, const model::Model& b, const CompareOptions& options = {});

std::string differences_text(const std::vector<Difference>& differences);
std::string differences_json(const std::vector<Difference>& differences);

// Blocks of the second diagram that are blocks of the first, by name; a block that was renamed is found by its type,
// links and parameters.
std::map<std::string, std::string> match_blocks(const model::Diagram& a, const model::Diagram& b);

// All that a need of a library says, and how often a diagram is there, as texts that can be compared.
std::string library_text(const model::LibraryNeed& need);
std::string for_each_text(const model::Diagram& diagram);

// "A:1 -> B:2", "event A:1 -> B:2"
std::string branch_name(bool activation, const model::PortRef& from, const model::PortRef& to);

// Lines that both have, in order: pairs of indices.
std::vector<std::pair<std::size_t, std::size_t>> common_lines(const std::vector<std::string>& a,
                                                              const std::vector<std::string>& b);

}  // namespace orrery::edit
