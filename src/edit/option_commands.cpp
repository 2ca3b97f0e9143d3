// SPDX-License-Identifier: Apache-2.0
// What super blocks are besides their blocks, and the libraries of a model.
#include <algorithm>

#include "edit/commands.h"
#include "edit/find.h"
#include "model/items.h"

namespace orrery::edit {

void set_option(Edit& edit, const std::string& diagram, const std::string& name, const std::string& text) {
  using model::ForEach;
  const bool repeats = text == "elements" || text == "columns";
  const bool good = name == "atomic"     ? text == "true" || text == "false"
                    : name == "for_each" ? repeats || text == "none"
                                         : name == "count";
  if (!good) {
    return edit.fail(diagram, name + "=" + text + " is no option of a super block",
                     "write atomic=true, for_each=elements, for_each=columns, for_each=none or count=TEXT");
  }
  const model::Diagram* target = find_diagram_for(edit, diagram);
  if (target == nullptr) return;
  if (diagram.empty()) return edit.fail("/", "only super blocks are units or repeated");
  model::Diagram options;
  options.atomic = name == "atomic" ? text == "true" : target->atomic;
  options.for_each = target->for_each;
  options.count = name == "count" ? text : target->count;
  if (name == "for_each") {
    options.for_each = text == "elements" ? ForEach::elements : text == "columns" ? ForEach::columns : ForEach::none;
    if (!repeats) options.count.clear();  // nothing is counted any more
  }
  edit.set(diagram, "options", model::options_text(options));
}

void set_program(Edit& edit, const std::string& diagram, const std::vector<std::string>& lines) {
  if (find_diagram_for(edit, diagram) == nullptr) return;
  if (diagram.empty()) return edit.fail("/", "only super blocks are made by programs");
  edit.set(diagram, "program", model::lines_text(lines));
}

void use_library(Edit& edit, const model::LibraryNeed& need) {
  std::vector<model::LibraryNeed> needs = edit.model().libraries;
  const auto same = std::ranges::find(needs, need.name, &model::LibraryNeed::name);
  if (same == needs.end())
    needs.push_back(need);
  else
    *same = need;
  edit.set("", "libraries", model::libraries_text(needs));
}

void forget_library(Edit& edit, const std::string& name) {
  std::vector<model::LibraryNeed> needs = edit.model().libraries;
  if (std::erase_if(needs, [&](const model::LibraryNeed& need) { return need.name == name; }) == 0)
    return edit.fail("/", "the model uses no library " + name);
  edit.set("", "libraries", model::libraries_text(needs));
}

}  // namespace orrery::edit
